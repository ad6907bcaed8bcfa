//! Short ways to say what the tests say often, and a place to run the completion scripts in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use omp_cli::{
    ExtensionFlag, ExtensionFlagKind, Invocation, Launch, Parsed, Shell, UsageError, completion_script,
    parse, parse_first, parse_second,
};

pub(crate) fn argv(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

pub(crate) fn invoke(words: &[&str]) -> Result<Invocation, UsageError> {
    parse(argv(words))
}

pub(crate) fn parsed(words: &[&str]) -> Parsed {
    invoke(words).unwrap().parsed
}

/// The session that `omp <words>` asks for, without extensions.
pub(crate) fn session(words: &[&str]) -> Launch {
    match parsed(words) {
        Parsed::Launch(first) => parse_second(&first, &[]).unwrap(),
        other => panic!("{words:?} is not a session but {other:?}"),
    }
}

pub(crate) fn launch(words: &[&str]) -> Result<Launch, UsageError> {
    launch_with(words, &[])
}

pub(crate) fn launch_with(words: &[&str], extensions: &[ExtensionFlag]) -> Result<Launch, UsageError> {
    parse_second(&parse_first(argv(words)), extensions)
}

pub(crate) fn boolean(name: &str) -> ExtensionFlag {
    ExtensionFlag { name: name.into(), kind: ExtensionFlagKind::Boolean }
}

pub(crate) fn string(name: &str) -> ExtensionFlag {
    ExtensionFlag { name: name.into(), kind: ExtensionFlagKind::String }
}

/// A directory with a completion script, some files, and an `omp` on PATH that answers `__complete`.
pub(crate) struct Bench {
    root: tempfile::TempDir,
    shell: Shell,
}

/// Answers only the exact question the scripts should ask, and is noisy on standard error.
const FAKE_OMP: &str = r#"#!/bin/sh
echo 'noise that must not reach the user' >&2
[ "$1" = __complete ] && [ "$3" = -- ] && [ $# -eq 4 ] || exit 1
case $2 in
    models) printf 'anthropic/opus\tthe large one\nopenai/gpt-5\tanother\nopenrouter/qwen:free\tcosts nothing\n' ;;
    sessions) printf 'abc123\tfix the build\nabd999\tdocs: colons too\n' ;;
    settings) printf 'retry.enabled\tTry again\nretry.maxRetries\tMost retries\ntheme.dark\tTheme\n' ;;
    tools) printf 'bash\tRun a command\nedit\tChange files\nread\tRead files\n' ;;
esac
"#;

impl Bench {
    pub(crate) fn new(shell: Shell) -> Bench {
        let root = tempfile::tempdir().unwrap();
        let bench = Bench { root, shell };
        for dir in ["bin", "home", "work/src", "work/my dir"] {
            std::fs::create_dir_all(bench.path(dir)).unwrap();
        }
        for file in ["work/README.md", "work/src/main.rs", "work/my file.md"] {
            std::fs::write(bench.path(file), "").unwrap();
        }
        std::fs::write(bench.script(), completion_script(shell)).unwrap();
        executable(&bench.path("bin/omp"), FAKE_OMP);
        bench
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    pub(crate) fn script(&self) -> PathBuf {
        self.path("omp-completion")
    }

    /// Runs the shell on a program text, with `args` as its arguments, and gives its standard output.
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> String {
        let file = self.path("program");
        std::fs::write(&file, program).unwrap();
        let (name, flags): (&str, &[&str]) = match self.shell {
            Shell::Bash => ("bash", &["--norc", "--noprofile"]),
            Shell::Zsh => ("zsh", &["-f"]),
            Shell::Fish => ("fish", &["--no-config"]),
        };
        let output = command(name)
            .args(flags)
            .arg(&file)
            .args(args)
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display()))
            .env("HOME", self.path("home"))
            .env("TERM", "dumb")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(self.path("work"))
            .output()
            .unwrap_or_else(|error| panic!("{name} does not start ({error}); ./test installs it"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{name} says {errors:?}, {}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "a test waits for the shell at once; omp-shell is above this crate"
)]
fn command(program: &str) -> std::process::Command {
    std::process::Command::new(program)
}

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Lines, sorted, each once.
pub(crate) fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// The flags a help page names at the start of its rows: `-r, --resume, --session [session]`.
pub(crate) fn flags_in_help(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("  -") || line.starts_with("      --"));
    let mut flags: Vec<String> = Vec::new();
    for row in rows {
        for word in row.split_whitespace() {
            match word.strip_suffix(',') {
                Some(flag) => flags.push(flag.to_owned()),
                None => {
                    flags.push(word.to_owned());
                    break;
                }
            }
        }
    }
    flags.retain(|flag| flag.starts_with('-'));
    flags.sort();
    flags
}

/// For each command with flags of its own: its name and the flags its help page names.
pub(crate) fn flags_by_command() -> Vec<(&'static str, Vec<String>)> {
    let commands = omp_cli::table::COMMANDS.iter().filter(|command| !command.hidden && command.name != "acp");
    commands
        .map(|command| {
            let page = omp_cli::render_help(omp_cli::Topic::Command(command.name), 100, "0");
            (command.name, flags_in_help(&page))
        })
        .collect()
}
