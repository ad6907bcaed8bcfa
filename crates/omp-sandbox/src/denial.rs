//! Was it the sandbox?
//!
//! A refused system call looks to a program like any other error, and what the program prints about it is all there is.
//! So the text only names candidates; whether the policy is what stands in the way is decided by the policy, and by
//! whether the user could have done it without.

use std::path::{Path, PathBuf};

use crate::policy::Policy;

/// What a confined command was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// Writing there.
    Write(PathBuf),
    /// Reading what is hidden.
    Read(PathBuf),
    /// Reaching this host.
    Host(String),
    /// Any network at all.
    Network,
}

impl Denial {
    /// What was blocked, for a sentence that begins with "blocked".
    pub fn text(&self) -> String {
        match self {
            Self::Write(path) => format!("writing {}", path.display()),
            Self::Read(path) => format!("reading {}", path.display()),
            Self::Host(host) => format!("connecting to {host}"),
            Self::Network => "network access".to_owned(),
        }
    }
}

/// What the kernel's refusals are called.
const REFUSALS: [&str; 5] = [
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "device or resource busy",
    "cross-device link",
];

/// What programs say who cannot resolve a name or reach an address.
const NO_NETWORK: [&str; 9] = [
    "could not resolve host",
    "temporary failure in name resolution",
    "network is unreachable",
    "name or service not known",
    "getaddrinfo eai_again",
    "dns error",
    "failed to lookup address",
    "tunnel connection failed",
    "connect tunnel failed",
];

/// More of the output is not looked at.
const MOST_LINES: usize = 400;
const LONGEST_LINE: usize = 4096;

/// What the policy refused a command that printed this, if its own words and the policy agree. `cwd` is where it ran;
/// `real` the file behind a path, `could_write` whether the user may write there without a sandbox.
pub fn denied(
    policy: &Policy,
    output: &str,
    cwd: &Path,
    real: &dyn Fn(&Path) -> PathBuf,
    could_write: &dyn Fn(&Path) -> bool,
) -> Option<Denial> {
    let lines: Vec<&str> =
        output.lines().rev().take(MOST_LINES).filter(|line| line.len() <= LONGEST_LINE).collect();
    for line in &lines {
        let lower = line.to_lowercase();
        if !REFUSALS.iter().any(|refusal| lower.contains(refusal)) {
            continue;
        }
        for path in paths(line) {
            let path = real(&cwd.join(path));
            if policy.hides(&path) {
                return Some(Denial::Read(path));
            }
            if !policy.may_write(&path) && could_write(&path) {
                return Some(Denial::Write(path));
            }
        }
    }
    if policy.network == crate::policy::Network::Open {
        return None;
    }
    let unreachable = |line: &&str| {
        let lower = line.to_lowercase();
        NO_NETWORK.iter().any(|words| lower.contains(words))
    };
    lines.iter().any(unreachable).then_some(Denial::Network)
}

/// What in a line may be the path that was refused, the likeliest first: what is quoted, then what stands right before or
/// behind the words of the refusal, as in `touch: a: Permission denied` and `Permission denied: a`, then everything that
/// has a slash. The name of a shell before its line number is never meant.
fn paths(line: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for quote in ['\'', '"', '`'] {
        found.extend(line.split(quote).skip(1).step_by(2));
    }
    found.extend(line.split(['\u{2018}', '\u{2019}']).skip(1).step_by(2));
    let parts: Vec<&str> = line.split(": ").collect();
    let is_refusal = |part: &str| {
        let lower = part.to_lowercase();
        REFUSALS.iter().any(|refusal| lower.contains(refusal))
    };
    if let Some(at) = parts.iter().position(|part| is_refusal(part)) {
        let before = at.checked_sub(1).and_then(|at| parts.get(at));
        for part in before.into_iter().chain(parts.get(at + 1)) {
            found.push(part);
            found.extend(part.split_whitespace().last());
        }
    }
    let shell = parts.get(1).is_some_and(|part| part.starts_with("line "));
    let words = if shell { parts[2..].join(": ").len() } else { line.len() };
    let words = &line[line.len() - words..];
    found.extend(words.split(['(', ')', '=', ':', ' ', '\'', '"']).filter(|word| word.contains('/')));
    found.retain(|word| !word.is_empty() && word.len() < 1024);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Network;

    fn policy() -> Policy {
        Policy {
            writable: vec!["/project".into(), "/tmp".into()],
            protected: vec!["/project/.git/config".into()],
            hidden: vec!["/home/me/.ssh/id".into()],
            ..Policy::default()
        }
    }

    fn found(output: &str) -> Option<Denial> {
        let mine = |path: &Path| path.starts_with("/home/me") || path.starts_with("/project");
        denied(&policy(), output, Path::new("/project"), &|path: &Path| path.to_owned(), &mine)
    }

    #[test]
    fn words_and_policy_must_agree() {
        for (output, expected) in [
            ("touch: cannot touch '/home/me/x': Read-only file system", Denial::Write("/home/me/x".into())),
            (
                "/home/me/bin/bash: line 1: /home/me/x: Read-only file system",
                Denial::Write("/home/me/x".into()),
            ),
            (
                "cp: cannot create regular file /home/me/y: Permission denied",
                Denial::Write("/home/me/y".into()),
            ),
            (
                "error: could not lock config file .git/config: Device or resource busy",
                Denial::Write("/project/.git/config".into()),
            ),
            ("cat: /home/me/.ssh/id: Permission denied", Denial::Read("/home/me/.ssh/id".into())),
            (
                "PermissionError: [Errno 13] Permission denied: '/home/me/a b'",
                Denial::Write("/home/me/a b".into()),
            ),
            ("curl: (6) Could not resolve host: a.example", Denial::Network),
        ] {
            assert_eq!(found(output), Some(expected), "{output}");
        }
        for output in [
            "touch: cannot touch '/etc/x': Permission denied",
            "touch: cannot touch '/project/x': Permission denied",
            "touch: cannot touch '/home/me/x': No such file or directory",
            "all is well",
            "",
        ] {
            assert_eq!(found(output), None, "{output}");
        }
        let open = Policy { network: Network::Open, ..policy() };
        let real = |path: &Path| path.to_owned();
        assert_eq!(denied(&open, "Could not resolve host: a", Path::new("/"), &real, &|_| true), None);
    }
}
