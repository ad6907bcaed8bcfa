//! Which system and shell a machine has.

use serde::{Deserialize, Serialize};

/// What was found out about a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    pub os: Os,
    /// The one that commands reach.
    pub shell: Shell,
    /// A POSIX shell on a machine whose own shell is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat_shell: Option<CompatShell>,
}

/// A family of systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Os {
    Linux,
    MacOs,
    Windows,
    /// Another one with `uname`.
    Unix,
    #[default]
    Unknown,
}

/// A shell that takes commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Sh,
    PowerShell,
    Cmd,
    #[default]
    Unknown,
}

/// A POSIX shell that another shell can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompatShell {
    Bash,
    Sh,
}

impl Os {
    /// For people and models.
    pub fn word(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::MacOs => "macos",
            Self::Windows => "windows",
            Self::Unix => "unix",
            Self::Unknown => "unknown system",
        }
    }

    /// By what `uname` prints.
    fn from_uname(name: &str) -> Self {
        let windows = ["MINGW", "MSYS", "CYGWIN", "Windows"];
        match name.trim() {
            "" => Self::Unknown,
            "Linux" => Self::Linux,
            "Darwin" => Self::MacOs,
            name if windows.iter().any(|start| name.starts_with(start)) => Self::Windows,
            _ => Self::Unix,
        }
    }
}

impl Shell {
    /// For people and models.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Sh => "sh",
            Self::PowerShell => "powershell",
            Self::Cmd => "cmd",
            Self::Unknown => "unknown shell",
        }
    }

    /// By the path in `SHELL`.
    fn from_path(path: &str) -> Self {
        match path.trim().rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe") {
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            "sh" | "dash" | "ash" | "ksh" => Self::Sh,
            _ => Self::Unknown,
        }
    }
}

impl CompatShell {
    /// The command that starts it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Sh => "sh",
        }
    }

    /// Asks a machine whether it has this shell. Means the same to every outer shell.
    pub(crate) fn question(self) -> String {
        format!("{0} -c \"echo omp-{0}\"", self.word())
    }

    pub(crate) fn is_answer(self, output: &str) -> bool {
        let answer = format!("omp-{}", self.word());
        output.lines().any(|line| line.trim() == answer)
    }
}

/// Each kind of shell fills in what it knows and leaves or loses the rest.
pub(crate) const QUESTION: &str = r#"echo "omp-probe|$(uname)|$SHELL|%OS%|$PSEdition|""#;
/// For shells that refuse the question above.
pub(crate) const SECOND_QUESTION: &str = "uname";

/// What the answer to [`QUESTION`] says; nothing if there is none in the output.
pub(crate) fn understand(output: &str) -> Option<HostInfo> {
    let answer = output.lines().find_map(|line| line.split_once("omp-probe|"))?.1;
    let fields: Vec<&str> = answer.split('|').map(str::trim).collect();
    let [uname, shell, windows, edition, ..] = fields[..] else { return None };
    // What a shell does not know stays as it was typed.
    let known = |field: &str| !field.is_empty() && !field.starts_with('$');
    let (os, shell) = if windows == "Windows_NT" {
        (Os::Windows, Shell::Cmd)
    } else if known(edition) {
        (if known(uname) { Os::from_uname(uname) } else { Os::Windows }, Shell::PowerShell)
    } else {
        (Os::from_uname(uname), Shell::from_path(shell))
    };
    Some(HostInfo { os, shell, compat_shell: own_shell(os, shell) })
}

/// What the answer to [`SECOND_QUESTION`] says: the last word, below all greetings.
pub(crate) fn understand_uname(output: &str) -> HostInfo {
    let name = output.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let is_name = !name.contains(' ') && name.len() < 40;
    HostInfo { os: if is_name { Os::from_uname(name) } else { Os::Unknown }, ..HostInfo::default() }
}

/// A Windows machine whose shell is a POSIX shell already.
fn own_shell(os: Os, shell: Shell) -> Option<CompatShell> {
    match (os, shell) {
        (Os::Windows, Shell::Bash) => Some(CompatShell::Bash),
        (Os::Windows, Shell::Sh) => Some(CompatShell::Sh),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(output: &str) -> (Os, Shell) {
        understand(output).map(|info| (info.os, info.shell)).unwrap()
    }

    #[test]
    fn each_kind_of_shell_is_recognised() {
        assert_eq!(seen("omp-probe|Linux|/bin/bash|%OS%||\n"), (Os::Linux, Shell::Bash));
        assert_eq!(seen("Welcome!\r\nomp-probe|Darwin|/bin/zsh|%OS%||\r\n"), (Os::MacOs, Shell::Zsh));
        assert_eq!(seen("omp-probe|FreeBSD|/bin/sh|%OS%||"), (Os::Unix, Shell::Sh));
        assert_eq!(
            seen("\"omp-probe|$(uname)|$SHELL|Windows_NT|$PSEdition|\"\r\n"),
            (Os::Windows, Shell::Cmd)
        );
        assert_eq!(
            seen("uname : not found\r\nomp-probe|||%OS%|Desktop|\r\n"),
            (Os::Windows, Shell::PowerShell)
        );
        assert_eq!(seen("omp-probe|Linux||%OS%|Core|\n"), (Os::Linux, Shell::PowerShell));
        let git = understand("omp-probe|MINGW64_NT-10.0|/usr/bin/bash|%OS%||").unwrap();
        assert_eq!((git.os, git.compat_shell), (Os::Windows, Some(CompatShell::Bash)));
        assert_eq!(understand("Illegal variable name.\n"), None);
        assert_eq!(understand_uname("motd with words\nLinux\n").os, Os::Linux);
        assert_eq!(understand_uname("uname: command not found\n").os, Os::Unknown);
    }
}
