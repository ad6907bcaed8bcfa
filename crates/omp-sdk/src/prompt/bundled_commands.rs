//! Commands that are part of the program and look at the repository before they speak.

use std::path::Path;
use std::time::Duration;

use omp_shell::command::{find_shell, run};
use omp_shell::{CommandSpec, Environment, Scope};
use tokio_util::sync::CancellationToken;

const GREEN: &str = include_str!("../../prompts/green.md");

/// Asking git takes a moment, even on a slow disk.
const PATIENCE: Duration = Duration::from_secs(5);

/// One answer a line; an empty line where git has none.
const QUESTIONS: &str = "exec 2>/dev/null
git symbolic-ref --short HEAD || git rev-parse --short HEAD || echo
git remote get-url \"$(git config branch.\"$(git symbolic-ref --short HEAD)\".remote || git remote | head -n 1)\" || echo
git describe --tags --abbrev=0 || echo";

/// What `/green` asks for. `None` for any other prompt.
pub(crate) async fn green(prompt: &str, cwd: &Path, cancel: &CancellationToken) -> Option<String> {
    let extra = match prompt.trim().strip_prefix("/green")? {
        "" => "",
        rest if rest.starts_with(char::is_whitespace) => rest.trim(),
        _ => return None,
    };
    let answers = ask(cwd, cancel).await.unwrap_or_default();
    let mut lines = answers.lines().map(str::trim);
    let mut text = GREEN.trim_end().to_owned();
    for name in ["{{branch}}", "{{remote}}", "{{tag}}"] {
        let answer = lines.next().filter(|line| !line.is_empty()).unwrap_or("none");
        text = text.replace(name, &without_password(answer));
    }
    if !extra.is_empty() {
        text.push_str("\n\n");
        text.push_str(extra);
    }
    Some(text)
}

async fn ask(cwd: &Path, cancel: &CancellationToken) -> Option<String> {
    let scope = Scope::new();
    let environment = Environment::inherited();
    let shell = find_shell(&environment);
    let spec =
        CommandSpec { timeout: Some(PATIENCE), ..CommandSpec::new(QUESTIONS, shell, cwd, environment) };
    let outcome = run(&scope, spec, cancel, |_| {}).await.ok();
    scope.end().await;
    Some(outcome?.output.text)
}

/// A remote's address may hold a token.
fn without_password(address: &str) -> String {
    match (address.find("://"), address.find('@')) {
        (Some(scheme), Some(at)) if at > scheme && !address[scheme + 3..at].contains('/') => {
            format!("{}{}", &address[..scheme + 3], &address[at + 1..])
        }
        _ => address.to_owned(),
    }
}
