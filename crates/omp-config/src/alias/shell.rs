//! What differs from shell to shell.

use std::path::{Path, PathBuf};

use super::AliasName;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    Zsh,
    Bash,
    Fish,
    PowerShell,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownShell {
    #[error("cannot detect your shell: SHELL is not set (set it to the path of zsh, bash, fish or pwsh)")]
    NotSet,
    #[error(
        "unsupported shell {0:?}: aliases work in zsh, bash, fish and PowerShell (define a function that \
         runs omp --profile=<name> with all its arguments)"
    )]
    Other(String),
}

/// Words that end or begin something in Bourne shells, and builtins that the function or the user cannot do without.
const BOURNE: &[&str] = &[
    "break", "builtin", "case", "cd", "command", "continue", "coproc", "do", "done", "elif", "else", "esac",
    "eval", "exec", "exit", "export", "fi", "for", "function", "if", "in", "readonly", "return", "select",
    "set", "shift", "source", "test", "then", "time", "times", "trap", "unalias", "unset", "until", "while",
];
const ZSH: &[&str] =
    &["declare", "end", "float", "foreach", "integer", "local", "nocorrect", "repeat", "typeset"];
const FISH: &[&str] = &[
    "_", "and", "argparse", "begin", "break", "builtin", "case", "cd", "command", "continue", "else", "end",
    "eval", "exec", "exit", "for", "function", "if", "not", "or", "read", "return", "set", "source",
    "status", "string", "switch", "test", "time", "while",
];
/// Compared without regard to case, as PowerShell does.
const POWERSHELL: &[&str] = &[
    "assembly",
    "base",
    "begin",
    "break",
    "catch",
    "class",
    "command",
    "configuration",
    "continue",
    "data",
    "define",
    "do",
    "dynamicparam",
    "else",
    "elseif",
    "end",
    "enum",
    "exit",
    "filter",
    "finally",
    "for",
    "foreach",
    "from",
    "function",
    "hidden",
    "if",
    "in",
    "inlinescript",
    "interface",
    "module",
    "namespace",
    "parallel",
    "param",
    "private",
    "process",
    "public",
    "return",
    "sequence",
    "static",
    "switch",
    "throw",
    "trap",
    "try",
    "type",
    "until",
    "using",
    "var",
    "while",
    "workflow",
];

impl Shell {
    /// The shell that `$SHELL` names.
    pub fn from_variable(shell: Option<&str>) -> Result<Self, UnknownShell> {
        let shell = shell.filter(|shell| !shell.is_empty()).ok_or(UnknownShell::NotSet)?;
        let name = shell.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        match name.strip_suffix(".exe").unwrap_or(&name) {
            "zsh" => Ok(Self::Zsh),
            "bash" => Ok(Self::Bash),
            "fish" => Ok(Self::Fish),
            "pwsh" | "powershell" => Ok(Self::PowerShell),
            _ => Err(UnknownShell::Other(shell.to_owned())),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Zsh => "zsh",
            Self::Bash => "bash",
            Self::Fish => "fish",
            Self::PowerShell => "PowerShell",
        }
    }

    /// Would a function of this name break the shell?
    pub(super) fn reserves(self, name: &str) -> bool {
        match self {
            Self::Bash => BOURNE.contains(&name),
            Self::Zsh => BOURNE.contains(&name) || ZSH.contains(&name),
            Self::Fish => FISH.contains(&name),
            Self::PowerShell => POWERSHELL.contains(&name.to_ascii_lowercase().as_str()),
        }
    }

    /// The file that every interactive shell of this kind reads.
    pub(super) fn start_file(self, home: &Path, env: impl Fn(&str) -> Option<String>) -> PathBuf {
        let directory = |name: &str| env(name).map(PathBuf::from).filter(|directory| directory.is_absolute());
        let config = || directory("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        match self {
            Self::Zsh => directory("ZDOTDIR").unwrap_or_else(|| home.to_owned()).join(".zshrc"),
            // Terminals on macOS start login shells, which do not read .bashrc.
            Self::Bash if cfg!(target_os = "macos") => home.join(".bash_profile"),
            Self::Bash => home.join(".bashrc"),
            Self::Fish => config().join("fish/conf.d/omp-profiles.fish"),
            Self::PowerShell if cfg!(windows) => {
                home.join("Documents/PowerShell/Microsoft.PowerShell_profile.ps1")
            }
            Self::PowerShell => config().join("powershell/Microsoft.PowerShell_profile.ps1"),
        }
    }

    /// The definition of the function, with its line end. Names of profiles need no quotes, but PowerShell splits
    /// unquoted arguments at dots.
    pub(super) fn function(self, name: &AliasName, profile: &str) -> String {
        let name = name.as_str();
        match self {
            // An alias of the same name would be expanded here already, and win over the function later.
            Self::Zsh | Self::Bash => format!(
                "unalias {name} 2>/dev/null || :\nfunction {name} {{\n  command omp --profile={profile} \"$@\"\n}}\n"
            ),
            Self::Fish => format!(
                "function {name} --wraps omp --description 'omp with the profile {profile}'\n    command omp --profile={profile} $argv\nend\n"
            ),
            Self::PowerShell => format!(
                "function {name} {{\n  if ($MyInvocation.ExpectingInput) {{ $input | & omp '--profile={profile}' @args }}\n  else {{ & omp '--profile={profile}' @args }}\n}}\n"
            ),
        }
    }

    /// The command that makes a running shell read `file`.
    pub(super) fn reload(self, file: &Path) -> String {
        let file = file.display().to_string();
        match self {
            Self::Zsh | Self::Bash => format!("source '{}'", file.replace('\'', r"'\''")),
            Self::Fish => format!("source '{}'", file.replace('\\', r"\\").replace('\'', r"\'")),
            Self::PowerShell => format!(". '{}'", file.replace('\'', "''")),
        }
    }
}
