//! A repository that came as an archive and would have git run something. Everything here runs as a user without
//! privileges and where nothing confines commands: only the judge is left.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{ModelOptions, Output, Reply, Server, Wire};
use serde_json::json;

use crate::sandbox::Unprivileged;

/// The exit code of a run in which calls were refused.
const REFUSED: i32 = 3;
/// Git may be read by, and nothing confines it.
const OPEN: &str = "sandbox:\n  mode: off\ntools:\n  approvalMode: always-ask\n  approvalRules: [git status *, git diff *]\n";

/// Ways in which a repository names a program, as arguments of `git config`, and a command that would run it.
const SETTINGS: [(&str, &str); 6] = [
    ("diff.external", "git diff"),
    ("diff.trap.command", "git diff"),
    ("diff.trap.textconv", "git diff"),
    ("filter.trap.clean", "git status"),
    ("filter.trap.process", "git status"),
    ("core.fsmonitor", "git status"),
];

/// A work tree with a changed file, and a program that leaves a file behind when it is run.
struct Trap {
    user: Unprivileged,
    program: String,
}

impl Trap {
    fn new() -> Self {
        let user = Unprivileged::new();
        let sprung = user.home.path("tmp/sprung");
        let program = user.home.write("work/trap", format!("#!/bin/sh\ntouch {}\ncat\n", sprung.display()));
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        user.home.write("work/a.txt", "one\n");
        let trap = Self { user, program: program.display().to_string() };
        trap.git(&["add", "a.txt"]);
        trap.git(&["commit", "-q", "-m", "first"]);
        trap.user.home.write("work/a.txt", "two\n");
        trap.user.home.write("work/.git/info/attributes", "*.txt filter=trap diff=trap\n");
        trap
    }

    fn git(&self, words: &[&str]) {
        let output = self.git_says(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// Files belong to somebody else once the program has run.
    fn git_says(&self, words: &[&str]) -> std::process::Output {
        self.user.home.command("git").args(["-c", "safe.directory=*"]).args(words).output().unwrap()
    }

    /// Lets a model run a command, and says whether the trap was sprung.
    fn sprung_by(&self, config: &str, command: &str) -> (bool, Output, String) {
        let sprung = self.user.home.path("tmp/sprung");
        let _ = std::fs::remove_file(&sprung);
        let call = Reply::new().tool_call("bash", json!({"_i": "x", "command": command}));
        let server = Server::start([call, Reply::new().text("done")]);
        self.user.home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        self.user.configure(config);
        let output = self.user.run(&["-p", "go"]);
        let told = server.requests()[1].body.to_string();
        server.finish();
        (sprung.exists(), output, told)
    }
}

/// Each of them is real: git itself falls for it. The judge does not, and says what it is about.
// proves: SEC-016
#[test]
fn git_is_not_run_where_the_repository_names_a_program() {
    for (name, command) in SETTINGS {
        let trap = Trap::new();
        let (_, output, _) = trap.sprung_by(OPEN, command);
        assert_eq!(output.code, Some(0), "{name}: a plain repository is read: {output:?}");
        trap.git(&["config", name, &trap.program]);
        let (sprung, output, told) = trap.sprung_by(OPEN, command);
        assert!(!sprung, "{name}: {output:?}");
        assert_eq!(output.code, Some(REFUSED), "{name}: {output:?}");
        assert!(told.contains("can run a program"), "{name}: {told}");
        // A rule that names just this command does not speak for what the repository chose either.
        let exact = OPEN.replace(" *", "");
        let (sprung, output, _) = trap.sprung_by(&exact, command);
        assert!(!sprung && output.code == Some(REFUSED), "{name}: {output:?}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        trap.git_says(&words);
        assert!(trap.user.home.exists("tmp/sprung"), "{name} is no trap");
    }
}

/// What the user trusts is judged as everywhere else.
#[test]
fn a_trusted_repository_is_read_again() {
    let trap = Trap::new();
    trap.git(&["config", "diff.external", &trap.program]);
    trap.user.run(&["trust", "add"]).assert_success();
    let (sprung, output, _) = trap.sprung_by(OPEN, "git diff");
    assert!(sprung && output.code == Some(0), "{output:?}");
    let explained = trap.user.run(&["permissions", "test", "git diff"]);
    assert_eq!(explained.code, Some(0), "{explained:?}");
    // Another program in its place is not what was agreed to.
    trap.git(&["config", "diff.external", "./other"]);
    let (sprung, output, _) = trap.sprung_by(OPEN, "git diff");
    assert!(!sprung && output.code == Some(REFUSED), "{output:?}");
}

/// A hook that every look at the work tree runs.
// proves: SEC-016
#[test]
fn a_hook_of_every_look_is_not_run() {
    let trap = Trap::new();
    let hook = trap.user.home.path("work/.git/hooks/post-index-change");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::copy(&trap.program, &hook).unwrap();
    let (sprung, output, told) = trap.sprung_by(OPEN, "git status");
    assert!(!sprung && told.contains("the hook post-index-change"), "{output:?} {told}");
}

/// The history of files asks git by itself, before any command. It does so in a trusted project only.
// proves: SEC-016, SEC-039
#[test]
fn the_history_of_files_runs_nothing_that_a_repository_names() {
    let trap = Trap::new();
    trap.git(&["config", "filter.trap.clean", &trap.program]);
    let (sprung, output, _) = trap.sprung_by("", "true");
    assert!(!sprung, "{output:?}");
    let agreed = trap.user.run(&["trust", "add"]);
    assert!(agreed.stdout.contains("programs that .git names"), "{agreed:?}");
    let (sprung, output, _) = trap.sprung_by("", "true");
    assert!(sprung, "the user agreed to it: {output:?}");
}
