//! Diagnostics of the whole project, by the program that builds or checks it.

use omp_lsp::Limit;
use omp_shell::{Program, answer};

use super::call::{Call, Fault, Reply};

/// Lines of output that are shown.
const MOST_LINES: usize = 50;
const MOST_OUTPUT: usize = 1024 * 1024;

/// A kind of project: markers, what it is called, its checker.
struct Checker {
    markers: &'static [&'static str],
    description: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
}

const CHECKERS: [Checker; 4] = [
    Checker {
        markers: &["Cargo.toml"],
        description: "Rust, cargo check",
        program: "cargo",
        arguments: &["check", "--offline", "--message-format=short"],
    },
    Checker {
        markers: &["tsconfig.json"],
        description: "TypeScript, tsc --noEmit",
        program: "tsc",
        arguments: &["--noEmit"],
    },
    Checker {
        markers: &["go.mod"],
        description: "Go, go build",
        program: "go",
        arguments: &["build", "./..."],
    },
    Checker {
        markers: &["pyproject.toml", "pyrightconfig.json", "setup.py", "requirements.txt"],
        description: "Python, pyright",
        program: "pyright",
        arguments: &[],
    },
];

/// Nothing is downloaded to answer a question, whatever the project's configuration says.
const OFFLINE: [(&str, &str); 5] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("RUSTUP_AUTO_INSTALL", "0"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("npm_config_offline", "true"),
];

/// The programs that check whole projects.
pub const CHECKER_PROGRAMS: [&str; 4] = ["cargo", "tsc", "go", "pyright"];

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, Fault> {
    let cwd = &call.context.cwd;
    let has = |checker: &&Checker| checker.markers.iter().any(|marker| cwd.join(marker).exists());
    let Some(checker) = CHECKERS.iter().find(has) else {
        return Err(Fault::Refused(
            "No project type detected: no Cargo.toml, tsconfig.json, go.mod or pyproject.toml. Specify a \
             file."
                .to_owned(),
        ));
    };
    call.servers.may_run(checker.program).await?;
    let Some(program) = call.servers.program(checker.program) else {
        return Err(Fault::Refused(format!(
            "{} is not installed; {} needs it.",
            checker.program, checker.description
        )));
    };
    let (scope, environment) = call.servers.surroundings();
    let mut environment = environment.clone();
    OFFLINE.iter().for_each(|(name, value)| environment.set(*name, *value));
    let child = scope.spawn(Program::asked(program, checker.arguments, cwd.clone(), environment));
    let child = child.map_err(|error| Fault::Failed(error.to_string()))?;
    let Limit { until, cancel } = call.limit;
    let answer = tokio::select! {
        answer = answer(child, MOST_OUTPUT, MOST_OUTPUT) => answer,
        () = cancel.cancelled() => return Err(Fault::Aborted),
        () = tokio::time::sleep_until(until) => {
            return Err(Fault::Failed(format!("{} timed out; run it with bash.", checker.program)));
        }
    };
    let lines: Vec<&str> = answer.output.lines().chain(answer.complaint.lines()).collect();
    let mut text: Vec<&str> = lines.iter().copied().take(MOST_LINES).collect();
    let more = format!("... {} more lines", lines.len().saturating_sub(MOST_LINES));
    if lines.len() > MOST_LINES {
        text.push(&more);
    }
    let output = if text.is_empty() { "OK".to_owned() } else { text.join("\n") };
    Ok(Reply::new(format!("Workspace diagnostics ({}):\n{output}", checker.description)))
}
