//! The sandbox of a session: what the settings say about it, and the questions that it leads to.

use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_config::settings::{Settings, keys, strings};
use omp_guard::question::Question;
use omp_sandbox::{Denial, Escalation, Rung};
use omp_tools::{NetworkSetting, RungChoice, SandboxMode, SandboxSettings, SandboxStatus};
use omp_types::{Approval, ApprovalDetail};

use crate::Session;
use crate::guard::{ApprovalRequest, Guard};

/// What is said where nothing confines commands.
pub const NO_SANDBOX: &str = "no sandbox";

/// The tool whose calls are confined.
const BASH: &str = "bash";

/// What the settings say.
pub(crate) fn settings(settings: &Settings) -> SandboxSettings {
    SandboxSettings {
        mode: match settings.get(keys::SANDBOX_MODE) {
            "off" => SandboxMode::Off,
            "required" => SandboxMode::Required,
            _ => SandboxMode::Auto,
        },
        network: match settings.get(keys::SANDBOX_NETWORK) {
            "allow" => NetworkSetting::Allow,
            "deny" => NetworkSetting::Deny,
            _ => NetworkSetting::Ask,
        },
        hosts: strings(settings.get(keys::SANDBOX_ALLOWED_HOSTS)).map(str::to_owned).collect(),
        rung: RungChoice::from_word(settings.get(keys::SANDBOX_RUNG)),
    }
}

/// Asks on behalf of commands that are confined.
pub(crate) struct LettingOut {
    /// The gate holds the tools, and those hold this.
    pub(crate) guard: Weak<Guard>,
}

impl Escalation for LettingOut {
    fn outside<'a>(&'a self, call: &'a str, command: &'a str, why: &'a Denial) -> BoxFuture<'a, bool> {
        async move {
            let reason = format!("the sandbox blocked {}; run it outside the sandbox?", why.text());
            let Some((guard, request)) = self.request(call, reason, vec![detail("Command", command)]) else {
                return false;
            };
            guard.ask_to_leave(request, command).await
        }
        .boxed()
    }

    fn host<'a>(&'a self, host: &'a str, port: u16, running: &'a [String]) -> BoxFuture<'a, bool> {
        async move {
            let reason = "a sandboxed command wants to connect to a host that is not allowed yet".to_owned();
            let mut details = vec![detail("Host", &format!("{host}:{port}"))];
            // With several at once it cannot be told which one asks.
            details.extend(running.iter().map(|command| detail("Command", command)));
            let Some((guard, request)) = self.request("sandbox", reason, details) else { return false };
            guard.put(&request).await.is_some_and(|reply| reply.allows())
        }
        .boxed()
    }
}

impl LettingOut {
    fn request(
        &self,
        call: &str,
        reason: String,
        details: Vec<ApprovalDetail>,
    ) -> Option<(Arc<Guard>, ApprovalRequest)> {
        let guard = self.guard.upgrade()?;
        let approval = Approval { reason: Some(reason.into()), insists: true, ..Approval::EXEC };
        let question = Question::new(BASH, &approval, true, details);
        let project = guard.permissions().project().to_owned();
        Some((guard, ApprovalRequest { call_id: call.to_owned(), question, always: None, project }))
    }
}

fn detail(label: &'static str, value: &str) -> ApprovalDetail {
    ApprovalDetail { label, value: value.to_owned() }
}

impl Session {
    /// What holds for commands now.
    pub async fn sandbox_status(&self) -> Result<SandboxStatus, String> {
        self.tools.sandbox_status().await.map_err(|error| error.message)
    }

    /// `tools.approvalMode`, as it holds now.
    pub fn approval_mode(&self) -> &'static str {
        self.guard.mode().word()
    }

    /// What confines commands now, in a word; `None` while that has not been looked up.
    pub fn sandbox_rung(&self) -> Option<&'static str> {
        self.tools.known_rung().map(|rung| match rung {
            Rung::None => NO_SANDBOX,
            rung if rung.is_full() => "sandbox",
            _ => "partial sandbox",
        })
    }

    /// Looks up what can confine commands here, for whoever shows it.
    pub async fn look_up_sandbox(&self) {
        self.tools.rung_now().await;
    }

    /// Calls that did not run because nobody could be asked about them.
    pub fn refused_calls(&self) -> Vec<String> {
        self.guard.refusals()
    }
}

/// What there is to say about a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RungStatus {
    /// What is not enforced.
    pub missing: Vec<&'static str>,
    /// Where confined commands may write.
    pub writable: Vec<String>,
}

impl RungStatus {
    /// What a status says about the rung that was reached.
    pub fn of(status: &SandboxStatus) -> Self {
        let writable = status.policy.iter().flat_map(|policy| &policy.writable);
        Self {
            missing: status.rung.weaknesses().into_iter().map(omp_sandbox::Weakness::text).collect(),
            writable: writable.map(|path| path.display().to_string()).collect(),
        }
    }
}

/// Connects the tools of a session with its gate.
pub(crate) fn connect(guard: &Arc<Guard>, tools: &Arc<omp_tools::Context>) {
    tools.commands.sandbox.attach(Arc::new(LettingOut { guard: Arc::downgrade(guard) }));
    guard.attach_tools(Arc::clone(tools));
}
