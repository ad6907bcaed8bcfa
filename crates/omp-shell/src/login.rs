//! What the user's login shell sets up.
//!
//! The start files of a login shell run once, to learn what they add, and not for every command: they may be slow,
//! and they would undo what keeps commands unattended and keys out of their sight.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use tokio::net::unix::pipe;

use crate::environment::{Environment, SecretNames};
use crate::scope::{GRACE, Program, Scope, Stdio};

/// Start files that take longer are done without.
const PATIENCE: Duration = Duration::from_secs(5);
/// No system allows larger environments.
const LARGEST: usize = 4 * 1024 * 1024;
/// Stands before the variables: start files may print, too.
const MARK: &[u8] = b"\0omp environment\0";
/// By its full path: start files may have left any PATH.
const COMMAND: &str = r"printf '\0omp environment\0'; /usr/bin/env -0";

/// What describes the shell that was asked, not the user.
const OF_THE_SHELL: &[&str] = &["_", "OLDPWD", "PWD", "SHLVL"];

/// `inherited` and what a login shell adds to it, without `secrets`. What was inherited stays as it is; directories
/// that the login shell has in its `PATH` follow those that were there. A shell that fails or hangs adds nothing.
pub async fn login_environment(
    scope: &Scope,
    shell: &Path,
    cwd: &Path,
    inherited: &Environment,
    secrets: &SecretNames,
) -> Environment {
    let added = ask(scope, shell, cwd, inherited).await.unwrap_or_default().without(secrets);
    merged(inherited, &added)
}

async fn ask(scope: &Scope, shell: &Path, cwd: &Path, inherited: &Environment) -> Option<Environment> {
    let program = asking(shell, &["-l", "-c", COMMAND], cwd, inherited);
    parse(&printed(scope, program, PATIENCE).await?)
}

/// A shell whose standard output is read.
pub(crate) fn asking(shell: &Path, arguments: &[&str], cwd: &Path, environment: &Environment) -> Program {
    Program {
        path: shell.to_owned(),
        arguments: arguments.iter().map(OsString::from).collect(),
        cwd: cwd.to_owned(),
        environment: environment.clone(),
        stdin: Stdio::Null,
        stdout: Stdio::Piped,
        stderr: Stdio::Null,
    }
}

/// Everything that a program prints, unless it is too much or takes too long.
pub(crate) async fn printed(scope: &Scope, program: Program, patience: Duration) -> Option<Vec<u8>> {
    let mut child = scope.spawn(program).ok()?;
    let stdout = child.stdout.take()?;
    let printed = tokio::time::timeout(patience, read(&stdout)).await;
    child.terminate(GRACE);
    printed.ok()?
}

async fn read(pipe: &pipe::Receiver) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    while bytes.len() <= LARGEST {
        pipe.readable().await.ok()?;
        match pipe.try_read(&mut buffer) {
            Ok(0) => return Some(bytes),
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return None,
        }
    }
    None
}

fn parse(printed: &[u8]) -> Option<Environment> {
    let start = printed.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let variables = printed[start..].split(|byte| *byte == 0).filter_map(|variable| {
        let equals = variable.iter().position(|byte| *byte == b'=')?;
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        Some((text(&variable[..equals]), text(&variable[equals + 1..])))
    });
    Some(variables.collect())
}

fn merged(inherited: &Environment, added: &Environment) -> Environment {
    let mut all = inherited.clone();
    for (name, value) in added.iter() {
        if inherited.get(name).is_none() && !OF_THE_SHELL.iter().any(|known| name == *known) {
            all.set(name, value);
        }
    }
    if let (Some(ours), Some(theirs)) = (inherited.get("PATH"), added.get("PATH")) {
        let mut directories: Vec<_> = std::env::split_paths(ours).collect();
        for directory in std::env::split_paths(theirs) {
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
        // A directory with a colon in its name cannot be in the list it came from.
        if let Ok(path) = std::env::join_paths(directories) {
            all.set("PATH", path);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn what_was_inherited_stays() {
        let inherited: Environment =
            [("A", "1"), ("PATH", "/venv/bin:/bin"), ("PWD", "/p")].into_iter().collect();
        let login = [("A", "2"), ("B", "3"), ("PATH", "/bin:/opt/bin"), ("SHLVL", "1"), ("PWD", "/x")];
        let all = merged(&inherited, &login.into_iter().collect());
        let expected = [("A", "1"), ("B", "3"), ("PATH", "/venv/bin:/bin:/opt/bin"), ("PWD", "/p")]
            .into_iter()
            .collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn what_start_files_print_is_not_taken_for_variables() {
        let printed = b"Welcome=here\n\0omp environment\0A=1\nnext line\0B=x=y\0nonsense\0";
        let variables = parse(printed).unwrap();
        assert_eq!(variables.get("A"), Some(OsStr::new("1\nnext line")));
        assert_eq!(variables.get("B"), Some(OsStr::new("x=y")));
        assert_eq!(variables.iter().count(), 2);
        assert_eq!(parse(b"no mark"), None);
    }
}
