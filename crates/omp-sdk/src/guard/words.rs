//! What the model is told about a call that did not run.

use omp_guard::question::Question;

pub(super) fn blocked(tool: &str) -> String {
    format!(
        "Tool \"{tool}\" is blocked by user policy. To allow it, remove tools.approval.{tool} from the settings or set \
         it to `allow` or `prompt`."
    )
}

pub(super) fn closed(tool: &str) -> String {
    format!(
        "Plan mode: this {tool} call may change something, and nobody can be asked about it, so it did not run. Use \
         commands that only read; changes belong in the plan."
    )
}

pub(super) fn refused(tool: &str) -> String {
    format!("Tool \"{tool}\" was not approved by the user, so the call did not run. Ask what to do instead.")
}

pub(super) fn refused_because(tool: &str, words: &str) -> String {
    format!("Tool \"{tool}\" was not approved by the user, so the call did not run. The user says: {words}")
}

pub(super) fn nobody_to_ask(question: &Question) -> String {
    let tool = &question.tool;
    let why = "needs the user's approval, and nobody can be asked in this session, so the call did not run.";
    match &question.reason {
        // No setting allows what nothing can undo.
        Some(reason) => {
            format!("Tool \"{tool}\" {why} Reason: {reason}. Only --approval-mode yolo runs it unasked.")
        }
        None => format!(
            "Tool \"{tool}\" {why} The user can set tools.approval.{tool} to `allow`, or start omp with \
             --approval-mode yolo."
        ),
    }
}
