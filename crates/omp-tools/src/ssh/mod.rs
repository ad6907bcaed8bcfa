//! `ssh`: one command on another machine.

mod hosts;
mod report;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_shell::Snapshot;
use omp_ssh::{Connected, Host, Order, remote_command};
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::approval::{self, Start};
pub use hosts::SshHosts;
use report::Report;

pub(crate) const TOOL: &BuiltinTool = &builtin::SSH;

const DEFAULT_TIMEOUT: f64 = 60.0;
const MIN_TIMEOUT: f64 = 1.0;
const MAX_TIMEOUT: f64 = 3_600.0;

pub(crate) struct Ssh {
    definition: ToolDefinition,
    context: Arc<Context>,
    hosts: Arc<SshHosts>,
}

#[derive(Deserialize)]
struct Arguments {
    host: String,
    command: String,
    cwd: Option<String>,
    timeout: Option<f64>,
}

impl Ssh {
    /// The tool, if there is a machine for it.
    pub(crate) fn new(context: Arc<Context>) -> Option<Self> {
        let hosts = Arc::clone(context.ssh.as_ref()?);
        Some(Self::to(context, hosts))
    }

    /// The tool for these machines.
    pub(crate) fn to(context: Arc<Context>, hosts: Arc<SshHosts>) -> Self {
        let mut definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        definition.description =
            format!("{}\n{}", definition.description, hosts.list()).trim_end().to_owned();
        Self { definition, context, hosts }
    }

    async fn execute(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let arguments: Arguments = crate::arguments(call.arguments)?;
        let host = self.hosts.find(&arguments.host)?;
        if [Some(&arguments.command), arguments.cwd.as_ref()]
            .into_iter()
            .flatten()
            .any(|text| text.contains('\0'))
        {
            return Err(ToolError::new("The command or its directory contains a NUL character."));
        }
        let timeout = Duration::from_secs_f64(seconds(arguments.timeout, self.context.settings.max_timeout));
        let begun = Instant::now();
        let connected = self.hosts.connections.connect(host, timeout, &call.cancel).await;
        let connected = connected.map_err(report::not_connected)?;
        let order = self.order(host, &connected, &arguments, timeout.saturating_sub(begun.elapsed()));
        let show = |snapshot: &Snapshot| call.updates.send(ToolOutput::text(snapshot.tail.clone()));
        let outcome = self.hosts.connections.run(host, order, &call.cancel, show).await;
        let outcome = outcome.map_err(report::not_connected)?;
        Report { host, outcome, mounted: connected.mounted, timeout }.into_result()
    }

    fn order(&self, host: &Host, connected: &Connected, arguments: &Arguments, timeout: Duration) -> Order {
        let cwd = arguments.cwd.as_deref().filter(|cwd| !cwd.is_empty());
        Order {
            command: remote_command(connected.info, host.compat, cwd, &arguments.command),
            timeout,
            limits: self.context.settings.output,
            spill: self.context.spills.open(TOOL.name),
        }
    }
}

impl Tool for Ssh {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Exclusive
    }

    /// What nothing can undo here cannot be undone there either. Its directory is not one of ours.
    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        let start = Start { cwd: self.context.cwd.clone(), shell: Default::default() };
        Some(approval::of_command(&self.context, start, arguments))
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let name = arguments.get("host").and_then(Value::as_str).unwrap_or_default();
        let value = self.hosts.get(name).map_or_else(|| name.to_owned(), hosts::whereabouts);
        let mut details = vec![ApprovalDetail { label: "Host", value }];
        details.extend(approval::details(arguments, &[("command", "Command"), ("cwd", "Directory")]));
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.execute(call).boxed()
    }
}

/// How long a call may take, with its connection.
fn seconds(requested: Option<f64>, max_timeout: u64) -> f64 {
    let seconds = requested.unwrap_or(DEFAULT_TIMEOUT).clamp(MIN_TIMEOUT, MAX_TIMEOUT);
    if max_timeout > 0 { seconds.min(max_timeout as f64) } else { seconds }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn timeouts_are_clamped() {
        assert_eq!(seconds(None, 0), 60.0);
        assert_eq!(seconds(Some(0.2), 0), 1.0);
        assert_eq!(seconds(Some(9_999.0), 0), 3_600.0);
        assert_eq!(seconds(Some(f64::INFINITY), 0), 3_600.0);
        assert_eq!(seconds(Some(100.0), 30), 30.0);
    }
}
