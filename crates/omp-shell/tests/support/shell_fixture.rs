//! A shell that lives through the commands of one test. The tests of `omp-embedded-shell` use it, too.
#![allow(dead_code, reason = "each test file uses its share")]

use omp_shell::session::{Answer, Call, ShellSpec, Shells};
use omp_shell::{Ending, Scope};
use tokio_util::sync::CancellationToken;

pub(crate) struct ShellFixture {
    pub(crate) scope: Scope,
    pub(crate) shells: Shells,
    pub(crate) spec: ShellSpec,
    /// What the environment marks its processes with, if it does.
    pub(crate) mark: String,
}

impl ShellFixture {
    pub(crate) fn new(spec: ShellSpec, mark: String) -> Self {
        Self { scope: Scope::new(), shells: Shells::new(), spec, mark }
    }

    pub(crate) async fn answer(&self, call: Call) -> Answer {
        self.until(call, &CancellationToken::new()).await
    }

    pub(crate) async fn until(&self, call: Call, cancel: &CancellationToken) -> Answer {
        self.shells.run(&self.scope, &self.spec, call, cancel, |_| {}).await.unwrap()
    }

    pub(crate) async fn run(&self, command: &str) -> Answer {
        self.answer(Call::new(command)).await
    }

    /// The text of a command that succeeds.
    pub(crate) async fn text(&self, command: &str) -> String {
        let answer = self.run(command).await;
        assert_eq!(answer.outcome.ending, Ending::Exited(0), "{command}: {}", answer.outcome.output.text);
        answer.outcome.output.text
    }
}
