//! Whether a call runs: at once, after a question, or not at all.

use std::sync::Arc;
use std::task::Poll;

use omp_agent::{Advice, Decision, PendingCall, Tool};
use omp_guard::approval::{Mode, Outcome, Policy, decide};
use omp_guard::question::Question;
use omp_guard::rules::Rule;
use omp_sandbox::Rung;
use omp_types::{Approval, Tier, ToolCall, ToolTrait, builtin, tool_has};
use serde_json::{Map, Value};

use super::commands::{forbidden_variable, leaving, named_by_repository, no_way_back, risky_variable, stays};
use super::words::{blocked, closed};
use super::{BASH, Guard, NOT_JUDGED, WHILE_PLANNING, declared, details};

fn insists(pending: &PendingCall<'_>) -> bool {
    pending.approval().is_some_and(|approval| approval.insists)
}

/// A call that has been looked at.
struct Weighed {
    approval: Approval,
    /// The tool said itself what the call is.
    is_declared: bool,
    /// The mode that holds for it, with what the sandbox gives.
    mode: Mode,
    rung: Rung,
    /// It is known to need more than a sandbox gives.
    leaves: bool,
}

impl Weighed {
    /// What nothing can undo is asked about each time, and so is what is not what it is called.
    fn is_plain(&self) -> bool {
        !self.approval.insists && !self.approval.hidden
    }
}

/// What the user's hooks think of a call. They may ask for a question in any mode, and spare one; what nothing can undo,
/// what changes something while a plan is made, and what the settings forbid is not theirs to allow.
fn heed(
    advice: Option<&Advice>,
    weighed: &mut Weighed,
    policy: Option<Policy>,
    planning: bool,
) -> Option<Policy> {
    match advice {
        Some(Advice::Ask(reason)) => {
            weighed.approval.reason = Some(reason.clone().into());
            weighed.approval.insists = true;
            weighed.mode = Mode::AlwaysAsk;
            Some(Policy::Prompt)
        }
        Some(Advice::Allow) if weighed.is_plain() && !planning && policy.is_none() => Some(Policy::Allow),
        Some(Advice::Allow) | None => policy,
    }
}

/// The rule that would spare the question about a call that is not a command: for tools of MCP servers one about the tool,
/// for edits that stay in the workspace one about all of them. What is asked about each time has none.
fn rule_for(tool: &Arc<dyn Tool>, call: &ToolCall, weighed: &Weighed) -> Option<Rule> {
    let Weighed { approval, .. } = weighed;
    if !weighed.is_plain() {
        return None;
    }
    // What only the preview of a change names, and servers' changes of files, are edits as well.
    let named = [builtin::RESOLVE.name, builtin::LSP.name].contains(&call.name.as_str());
    let edits = (named || tool_has(&call.name, ToolTrait::ChangesFiles)) && tool.origin().is_none();
    match edits && approval.tier == Tier::Write && approval.reason.is_none() {
        true => Some(Rule::of_edits()),
        false => Rule::of_tool(&call.name),
    }
}

impl Guard {
    pub(super) async fn decide(&self, pending: &PendingCall<'_>) -> Decision {
        let PendingCall { tool, call, arguments, .. } = *pending;
        let (stance, policy) = self.stance(&call.name);
        let planning = self.modes.planning.is_on();
        let asks = matches!(pending.advice(), Some(Advice::Ask(_)));
        match (stance, policy) {
            (Mode::Yolo, None) if !planning && !asks => return Decision::Allow,
            // What confined the call then is not in the recording. Decided at once: what was typed meanwhile comes by
            // the order of events.
            (Mode::Auto, None) if self.played && !planning && !insists(pending) => {
                return Decision::Allow;
            }
            (_, Some(Policy::Deny)) => return Decision::Deny(blocked(&call.name)),
            _ => {}
        }
        let order = self.order.lock().await;
        // What was agreed to for a call that was refused holds for no other.
        self.modes.reach.close();
        if let Some(name) = risky_variable(stance, &call.name, arguments) {
            return Decision::Deny(forbidden_variable(&name));
        }
        let mut weighed = self.weigh(pending, stance).await;
        // The kernel keeps a confined command from changing anything while a plan is made.
        if planning && weighed.rung == Rung::None && self.changes(call, &weighed.approval, arguments) {
            if self.asker(&call.id).is_none() {
                let details = tool.approval_details(arguments);
                self.note_refusal(&Question::new(&call.name, &weighed.approval, true, details));
                return Decision::Deny(closed(&call.name));
            }
            weighed.approval.reason.get_or_insert(WHILE_PLANNING.into());
            weighed.approval.insists = true;
            // No mode lets a plan carry itself out.
            weighed.mode = Mode::AlwaysAsk;
        }
        let policy = heed(pending.advice(), &mut weighed, policy, planning);
        match decide(weighed.mode, policy, &weighed.approval) {
            Outcome::Run if weighed.is_plain() => self.let_out_by_rule(call, arguments, weighed.rung),
            Outcome::Run => Decision::Allow,
            Outcome::Blocked => Decision::Deny(blocked(&call.name)),
            Outcome::Ask => {
                // In line before the next call is looked at; calls that need no question do not wait for the answer.
                let mut line = std::pin::pin!(self.turn.lock());
                let first = futures_util::poll!(line.as_mut());
                drop(order);
                let _turn = match first {
                    Poll::Ready(turn) => turn,
                    Poll::Pending => line.await,
                };
                self.ask_about(tool, call, arguments, &weighed).await
            }
        }
    }

    /// What a call is, and which mode holds for it.
    async fn weigh(&self, pending: &PendingCall<'_>, stance: Mode) -> Weighed {
        let PendingCall { call, arguments, .. } = *pending;
        let declared = declared(pending).await;
        let is_declared = declared.is_some();
        let mut approval = declared.unwrap_or(Approval::EXEC);
        if call.name != BASH {
            let mut mode = self.with_sandbox(stance, &call.name, Rung::None);
            // Servers and extensions that the user added.
            let of_server = pending.tool.origin().is_some();
            if of_server && !approval.insists && self.permissions.allows_tool(&call.name) {
                // A rule speaks for it; while a plan is made that is asked about all the same.
                mode = Mode::Yolo;
            } else if of_server && mode == Mode::Auto && approval.reason.is_some() {
                // What calls itself destructive is not run unasked; a policy may still allow it.
                mode = Mode::Write;
            }
            return Weighed { approval, is_declared, mode, rung: Rung::None, leaves: false };
        }
        let rung = self.rung().await;
        let mut mode = self.with_sandbox(stance, &call.name, rung);
        let Some(verdict) = self.judged(arguments).await else {
            if self.tools.get().is_some() {
                approval =
                    Approval { reason: Some(NOT_JUDGED.into()), insists: true, hidden: true, ..approval };
            }
            return Weighed { approval, is_declared, mode, rung, leaves: false };
        };
        let roots = self.tools.get().map(|tools| tools.workspace()).unwrap_or_default();
        let leaves = leaving(&verdict, &roots).filter(|_| !self.modes.planning.is_on());
        match mode {
            // Known to stay inside, and kept there by the kernel should that turn out wrong.
            Mode::Write if rung.is_full() && !approval.hidden && stays(&verdict, &roots) => mode = Mode::Auto,
            Mode::Auto if !approval.insists => {
                if let Some(reason) = leaves.clone().or_else(|| no_way_back(&verdict)) {
                    approval.reason = Some(reason.into());
                    mode = Mode::Write;
                }
            }
            _ => {}
        }
        if approval.reason.is_none() {
            approval.reason = named_by_repository(&verdict).map(Into::into);
        }
        Weighed { approval, is_declared, mode, rung, leaves: leaves.is_some() }
    }

    async fn ask_about(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        arguments: &Map<String, Value>,
        weighed: &Weighed,
    ) -> Decision {
        let details = details(tool, arguments).await;
        let question = Question::new(&call.name, &weighed.approval, weighed.is_declared, details);
        let script = self.script(&call.name, arguments).filter(|_| weighed.is_plain());
        let rule = rule_for(tool, call, weighed);
        match self.ask(call, question, script.as_ref(), rule).await {
            // What was approved although it leaves the sandbox could only fail inside.
            Decision::Allow if weighed.leaves && weighed.rung != Rung::None => {
                self.let_out(call, arguments);
                Decision::Allow
            }
            Decision::Allow if weighed.is_plain() => self.let_out_by_rule(call, arguments, weighed.rung),
            decision => decision,
        }
    }
}
