//! A directory to work in, a store, and somebody who changes files.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_history::{History, Limits, Options, Others, Plan, Restored};
use omp_shell::scope::{Program, Stdio};
use omp_shell::{Environment, Scope, answer};
use tempfile::TempDir;

/// A place with files, and their history.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) history: Arc<History>,
    pub(crate) options: Options,
    pub(crate) limits: Limits,
    /// Prompts so far.
    pub(crate) prompts: Vec<String>,
    _directory: TempDir,
}

impl Place {
    /// A directory without git.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// In the middle of the prompt `p1`, which is about to change `a.txt`.
    pub(crate) async fn in_a_prompt() -> Self {
        let mut place = Self::new();
        place.write("a.txt", "one\n");
        place.prompts.push("p1".to_owned());
        place.history.begin("p1");
        place.history.before_change().await;
        place.history.declare(&place.path("a.txt"));
        place
    }

    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("work");
        std::fs::create_dir(&root).unwrap();
        let mut environment = Environment::inherited();
        environment.set("HOME", base.as_os_str());
        environment.set("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
            environment.set(name, "somebody@example.org");
        }
        let mut options = Options {
            directory: base.join("store"),
            cwd: root.clone(),
            environment,
            is_trusted: Arc::new(|| false),
            largest_file: 64 * 1024,
            most_bytes: 16 * 1024 * 1024,
        };
        change(&mut options);
        let history = History::new(options.clone());
        Self { root, history, options, limits: Limits::default(), prompts: Vec::new(), _directory: directory }
    }

    /// A repository in which the prompt `p1` changed one file by a tool and another by a command.
    pub(crate) async fn changed_twice() -> Self {
        let mut place = Self::repository(&[("a.txt", "one\n"), ("b.txt", "b\n")]).await;
        place.grown_old("a.txt").await;
        place
            .command("p1", |place| {
                place.history.declare(&place.path("a.txt"));
                place.write("a.txt", "two\n");
                place.write("b.txt", "by a command\n");
            })
            .await;
        place
    }

    /// A repository with these files committed.
    pub(crate) async fn repository(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        place.git(&["init", "-q"]).await;
        for (path, text) in files {
            place.write(path, text);
        }
        place.git(&["add", "-A"]).await;
        place.git(&["commit", "-qm", "first", "--allow-empty"]).await;
        place
    }

    pub(crate) async fn git(&self, arguments: &[&str]) -> String {
        let scope = Scope::new();
        let program = Program {
            path: "git".into(),
            arguments: arguments.iter().map(Into::into).collect(),
            cwd: self.root.clone(),
            environment: self.options.environment.clone(),
            stdin: Stdio::Null,
            stdout: Stdio::Piped,
            stderr: Stdio::Piped,
        };
        let said = answer(scope.spawn(program).unwrap(), 1 << 20, 1 << 16).await;
        scope.end().await;
        assert!(said.complaint.is_empty() || arguments[0] == "commit", "{}", said.complaint);
        said.output
    }

    /// From now on git is a script, for which `$REAL_PATH` leads to the real one and `$NOTES` is a file to write to. The
    /// session is opened again.
    pub(crate) fn script_git(&mut self, script: &str) {
        let programs = self.root.with_file_name("programs");
        std::fs::create_dir_all(&programs).unwrap();
        std::fs::write(programs.join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(programs.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let real = self.options.environment.get("PATH").unwrap().to_owned();
        let mut path = programs.into_os_string();
        path.push(":");
        path.push(&real);
        for (name, value) in [("PATH", path), ("REAL_PATH", real), ("NOTES", self.notes().into())] {
            self.options.environment.set(name, value);
        }
        self.again();
    }

    /// What the script that is git wrote down.
    pub(crate) fn notes(&self) -> PathBuf {
        self.root.with_file_name("notes")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn make_pipe(&self, path: &str) {
        nix::unistd::mkfifo(&self.path(path), nix::sys::stat::Mode::S_IRWXU).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }

    /// Waits until what was just written is old enough for its times to be believed.
    pub(crate) async fn grown_old(&self, path: &str) {
        let modified = std::fs::metadata(self.path(path)).unwrap().modified().unwrap();
        while modified.elapsed().is_ok_and(|age| age < Duration::from_millis(200)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// A prompt in which a command changes things.
    pub(crate) async fn command(&mut self, entry: &str, work: impl FnOnce(&Self)) {
        self.prompts.push(entry.to_owned());
        self.history.begin(entry);
        self.history.before_change().await;
        work(self);
        self.history.settle();
        self.history.settled().await;
    }

    /// A prompt in which a tool writes files.
    pub(crate) async fn tool(&mut self, entry: &str, files: &[(&str, &str)]) {
        self.command(entry, |place| {
            for (path, text) in files {
                place.history.declare(&place.path(path));
                place.write(path, text);
            }
        })
        .await;
    }

    /// The same session, opened again.
    pub(crate) fn again(&mut self) {
        self.history = History::limited(self.options.clone(), self.limits);
    }

    pub(crate) async fn plan(&self, entry: &str) -> Plan {
        self.history.plan(self.prompts.clone(), entry.to_owned()).await.unwrap()
    }

    pub(crate) async fn rewind(&self, entry: &str) -> Restored {
        let plan = self.plan(entry).await;
        let restored = self.history.restore(plan, Others::Stay, None).await.unwrap();
        assert_eq!(restored.failed, []);
        restored
    }

    pub(crate) fn names(&self, changes: &[omp_history::Change]) -> Vec<String> {
        changes.iter().map(|change| format!("{} {}", change.action, self.inside(&change.path))).collect()
    }

    pub(crate) fn inside(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}
