//! Which calls run without a question in this session.

use std::sync::Arc;

use omp_sdk::{ApprovalMode, Session};

use crate::answer::{Answer, Columns};

/// `/approval`: shows the modes, or changes the mode of this session.
pub(crate) fn run(session: &Arc<Session>, arguments: &str) -> Answer {
    if arguments.is_empty() {
        return modes(session.approval_mode());
    }
    let Some(mode) = ApprovalMode::from_word(arguments) else {
        let known = ApprovalMode::ALL.map(ApprovalMode::word).join(", ");
        return Answer::refused(format!("unknown approval mode \"{arguments}\": use one of {known}"));
    };
    match session.configuration().set_approval_mode(mode) {
        Ok(()) => Answer::Changed(format!(
            "Approval mode: {} for this session: {} (to keep it: /settings)",
            mode.word(),
            mode.about()
        )),
        Err(error) => Answer::refused(error.to_string()),
    }
}

fn modes(current: &str) -> Answer {
    let row = |mode: ApprovalMode| {
        let mark = if mode.word() == current { " (current)" } else { "" };
        (mode.word().to_owned(), format!("{}{mark}", mode.about()))
    };
    Answer::Table(Columns::new("Approval modes", ApprovalMode::ALL.map(row).into()))
}
