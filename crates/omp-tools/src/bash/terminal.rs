//! Commands on a terminal that a person sees.

use std::sync::Arc;

use omp_agent::{Invocation, ToolError};
use omp_shell::command::find_shell;
use omp_shell::pty::{self, PtySpec, Size, Terminal};
use omp_shell::session::{After, Answer, Call, CommandDirectory, Engine, ShellSpec};
use omp_types::ToolOutput;

use super::Bash;
use super::report::{Report, SandboxReport};
use super::work::{Prepared, refused};

/// A place where a person sees a terminal and types. Without one no command gets a terminal.
pub trait PtyView: Send + Sync {
    /// How large a terminal would be there.
    fn size(&self) -> Size;

    /// Shows the terminal of a command. The view closes when the answer is dropped, which is when the command has ended.
    fn show(&self, command: &str, terminal: Terminal) -> Box<dyn Send>;
}

impl Bash {
    /// Where the terminal of a call would be shown, if it wants one.
    pub(super) fn view(&self, wanted: bool) -> Option<Arc<dyn PtyView>> {
        self.context.commands.terminal.clone().filter(|_| wanted)
    }

    /// Runs a command on a terminal to its end.
    pub(super) async fn on_terminal(
        &self,
        view: &dyn PtyView,
        prepared: Prepared,
        call: &Invocation,
    ) -> Result<ToolOutput, ToolError> {
        let Prepared { shell, call: command, timeout, confine, denied, .. } = prepared;
        self.context.commands.sandbox.hosts().take_refused();
        let typed = command.command.clone();
        let mut spec = self.spec(&shell, command, view.size());
        let gone = !spec.cwd.is_dir();
        let lost_directory = gone.then(|| std::mem::replace(&mut spec.cwd, shell.directory.clone()));
        let cwd = spec.cwd.clone();
        let mut shown = None;
        let outcome = pty::run(&self.context.commands.scope, spec, &call.cancel, |terminal| {
            shown = Some(view.show(&typed, terminal));
        });
        let outcome = outcome.await;
        drop(shown);
        // Whatever it was, it may have written files.
        self.context.scans.clear();
        let answer = Answer { outcome, after: After::Isolated, lost_directory };
        let denial = refused(&self.context, &confine, &answer, &cwd).await;
        let sandbox = SandboxReport { held: confine.summary(), denial };
        let report =
            Report { answer, original: None, timeout, fresh_directory: &shell.directory, sandbox: &sandbox };
        let result = report.into_result();
        if let Some(denial) = sandbox.denial {
            let _ = denied.set(denial);
        }
        result
    }

    fn spec(&self, shell: &ShellSpec, call: Call, size: Size) -> PtySpec {
        let mut environment = shell.environment.clone();
        environment.extend(call.env);
        PtySpec {
            command: match &shell.prefix {
                Some(prefix) => format!("{prefix} {}", call.command),
                None => call.command,
            },
            shell: match &shell.engine {
                Engine::System(path) => path.clone(),
                // The one inside us lives through many commands and has no terminal.
                Engine::Embedded(_) => find_shell(&environment),
            },
            cwd: match call.place {
                CommandDirectory::Current => self.context.commands.shells.directory(shell),
                CommandDirectory::Once(directory) | CommandDirectory::Stay(directory) => directory,
            },
            environment,
            size,
            timeout: call.timeout,
            limits: call.limits,
            spill: call.spill,
            confined: shell.confined.clone(),
        }
    }
}
