//! Commands that run outside the sandbox because a rule says so.

use omp_agent::Decision;
use omp_guard::rules::propose;
use omp_sandbox::Rung;
use omp_types::ToolCall;
use serde_json::{Map, Value};

use super::{ApprovalRequest, BASH, Guard, Reply};

impl Guard {
    /// Lets a call out that may run, where a rule says that it runs outside. While a plan is made nothing leaves.
    pub(super) fn let_out_by_rule(
        &self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
        rung: Rung,
    ) -> Decision {
        if call.name == BASH && rung != Rung::None && !self.modes.planning.is_on() {
            let script = self.script(&call.name, arguments);
            if script.is_some_and(|script| self.permissions.let_out(&script)) {
                self.let_out(call, arguments);
            }
        }
        Decision::Allow
    }

    /// Asks whether a command that the sandbox has stopped may run outside. The answer may hold for the next ones.
    pub(crate) async fn ask_to_leave(&self, mut request: ApprovalRequest, command: &str) -> bool {
        let rules = self.permissions.judge(command).script.as_ref().and_then(propose);
        request.always = rules.as_ref().map(|rules| rules.iter().map(ToString::to_string).collect());
        match self.put(&request).await {
            Some(Reply::Always(scope)) => {
                self.permissions.remember_outside(rules.unwrap_or_default(), scope).await;
                true
            }
            Some(reply) => reply.allows(),
            None => false,
        }
    }
}
