//! What a command is known to need, and what it must not be given.

use std::path::{Path, PathBuf};

use omp_guard::approval::Mode;
use omp_guard::command::Verdict;
use omp_guard::effects::{Target, Unknown};
use serde_json::{Map, Value};

use super::BASH;

/// Is everything that the command does known, and inside these directories?
pub(super) fn stays(verdict: &Verdict, roots: &[PathBuf]) -> bool {
    let roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
    verdict.critical.is_none() && verdict.effects.stays_in(&roots)
}

/// Why a command is known to need more than a sandbox gives.
pub(super) fn leaving(verdict: &Verdict, roots: &[PathBuf]) -> Option<String> {
    let effects = &verdict.effects;
    if effects.outside {
        return Some("needs privileges or services outside the sandbox".to_owned());
    }
    let roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
    let changed: Vec<&Target> = effects.writes.iter().chain(&effects.destroys).collect();
    let is_outside = |target: &Target| target.real.is_some() && !target.is_in(&roots);
    // A path may mean several places, if it is not certain where the command is by then: all of them must be outside.
    let certain = |target: &&&Target| {
        let mut same = changed.iter().filter(|other| other.typed == target.typed);
        same.all(|other| is_outside(other))
    };
    changed.iter().find(certain).map(|target| format!("writes {target}, outside the workspace"))
}

/// What the repository would have git run.
pub(super) fn named_by_repository(verdict: &Verdict) -> Option<String> {
    match &verdict.effects.unknown {
        Some(risk @ Unknown::Repository(_)) => Some(risk.to_string()),
        _ => None,
    }
}

/// Why nothing brings back what a command would change.
pub(super) fn no_way_back(verdict: &Verdict) -> Option<String> {
    let effects = &verdict.effects;
    let uncertain = effects.destroys.iter().find(|target| target.real.is_none());
    let uncertain = uncertain.map(|target| format!("destroys {target}"));
    uncertain.or_else(|| effects.irreversible.map(str::to_owned))
}

/// A variable given to a command that would make other programs of the ones it names.
pub(super) fn risky_variable(mode: Mode, tool: &str, arguments: &Map<String, Value>) -> Option<String> {
    if mode == Mode::Yolo || tool != BASH {
        return None;
    }
    let given = arguments.get("env").and_then(Value::as_object)?;
    given.keys().find(|name| replaces_programs(name)).cloned()
}

/// Does a variable of this name choose the code that runs, whatever the command says? Others, such as flags for a
/// compiler, are shown in the question.
fn replaces_programs(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "BASHOPTS",
        "BASH_ENV",
        "BROWSER",
        "EDITOR",
        "ENV",
        "IFS",
        "NODE_OPTIONS",
        "PAGER",
        "PATH",
        "PERL5LIB",
        "PERL5OPT",
        "PROMPT_COMMAND",
        "PS4",
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "RUBYLIB",
        "RUBYOPT",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "SHELLOPTS",
        "VISUAL",
        "ZDOTDIR",
    ];
    const BEGINNINGS: &[&str] = &[
        "BASH_FUNC_",
        "DYLD_",
        "GIT_ASKPASS",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_EDITOR",
        "GIT_EXEC",
        "GIT_EXTERNAL",
        "GIT_PAGER",
        "GIT_PROXY",
        "GIT_SEQUENCE",
        "GIT_SSH",
        "GIT_TEMPLATE",
        "LD_",
        "LESS",
    ];
    let ends = ["_PAGER", "_EDITOR", "_ASKPASS"].iter().any(|end| name.ends_with(end));
    ends || NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

pub(super) fn forbidden_variable(name: &str) -> String {
    format!(
        "The variable {name} decides which programs run, so it cannot be given to a command. Call without it, or ask the \
         user to run the command."
    )
}
