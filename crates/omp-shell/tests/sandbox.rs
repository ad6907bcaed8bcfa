//! Commands in a sandbox, on every rung that this machine has.

#![cfg(all(target_os = "linux", not(omp_portable)))]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_sandbox::{Confinement, Network, Policy, Rung, landlock_abi};
use omp_shell::{CommandSpec, Confined, Ending, Scope, SpawnError, command};
use support::{spec, unique_mark};
use tokio_util::sync::CancellationToken;

/// A home with a workspace, a secret and something to spoil.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir_in("/var/tmp").unwrap();
        for directory in ["work/.git/hooks", "home/.ssh", "home/other"] {
            std::fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        for file in ["work/.git/config", "work/file", "home/.ssh/id", "home/notes"] {
            std::fs::write(root.path().join(file), format!("content of {file}\n")).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn policy(&self) -> Policy {
        Policy {
            writable: vec![self.path("work")],
            protected: vec![self.path("work/.git/hooks"), self.path("work/.git/config")],
            pinned: vec![self.path("work/.git")],
            hidden: vec![self.path("home/.ssh/id")],
            files: Vec::new(),
            network: Network::Closed,
            writes: "workspace",
        }
    }

    async fn run(&self, rung: Rung, policy: Policy, line: &str) -> (Ending, String) {
        let scope = Scope::new();
        let mark = unique_mark("sandbox");
        let confined = Confined { confinement: Confinement::new(policy, rung), hosts: None };
        let spec =
            CommandSpec { cwd: self.path("work"), confined: Some(Arc::new(confined)), ..spec(&mark, line) };
        let outcome = command::run(&scope, spec, &CancellationToken::new(), |_| {}).await;
        let outcome = outcome.unwrap_or_else(|error| panic!("{rung:?}: {error}"));
        scope.end().await;
        (outcome.ending, outcome.output.text)
    }
}

fn full() -> Rung {
    Rung::Namespaces { landlock: landlock_abi() }
}

fn all() -> Vec<Rung> {
    let has_bubblewrap = Path::new("/usr/bin/bwrap").exists();
    let mut rungs = vec![full(), Rung::Landlock { abi: landlock_abi() }];
    rungs.extend(has_bubblewrap.then_some(Rung::Bubblewrap));
    rungs
}

#[tokio::test]
async fn writes_stay_in_the_workspace() {
    for rung in all() {
        let place = Place::new();
        let (ending, output) = place.run(rung, place.policy(), "echo new > new && cat new && echo x >> file && mv file moved && mkdir d && rm -r d && ln -s a b && rm b").await;
        assert_eq!((ending, output.as_str()), (Ending::Exited(0), "new\n"), "{rung:?}");
        let home = place.path("home");
        let home = home.display();
        for line in [
            format!("echo x > {home}/new"),
            format!("echo x >> {home}/notes"),
            format!("rm {home}/notes"),
            format!("mv {home}/notes {home}/n"),
            format!("mkdir {home}/d"),
            format!("ln -s {home}/notes l && echo x > l"),
            format!("ln {home}/notes hard && echo x > hard"),
            format!("truncate -s 0 {home}/notes"),
            format!("chmod 777 {home}/notes && exit 0; exit 1"),
        ] {
            let (ending, output) = place.run(rung, place.policy(), &line).await;
            let chmod_on_landlock = line.contains("chmod") && matches!(rung, Rung::Landlock { .. });
            assert!(ending != Ending::Exited(0) || chmod_on_landlock, "{rung:?} {line}: {output}");
            let notes = std::fs::read_to_string(place.path("home/notes")).unwrap();
            assert_eq!(notes, "content of home/notes\n", "{rung:?} {line}");
        }
    }
}

#[tokio::test]
async fn what_is_protected_stays_and_what_is_hidden_is_not_read() {
    for rung in all() {
        let place = Place::new();
        let secret = place.path("home/.ssh/id");
        let (_, output) = place.run(rung, place.policy(), &format!("cat {} 2>&1", secret.display())).await;
        assert!(!output.contains("content of"), "{rung:?}: {output}");
        let (ending, _) = place.run(rung, place.policy(), "cat ../home/notes").await;
        assert_eq!(ending, Ending::Exited(0), "{rung:?}: everything else is read");
        if !rung.is_full() {
            continue;
        }
        for line in [
            "echo x > .git/hooks/pre-commit",
            "echo x >> .git/config",
            "rm .git/config",
            "rm -rf .git/hooks",
            "mv .git/hooks .git/h",
            "mv .git .g",
            "rm -rf .git",
            "ln -f file .git/config",
            "mv file .git/config",
            "ln .git/config c && echo x > c",
        ] {
            let (ending, output) = place.run(rung, place.policy(), line).await;
            assert_ne!(ending, Ending::Exited(0), "{rung:?} {line}: {output}");
            let config = std::fs::read_to_string(place.path("work/.git/config")).unwrap();
            assert_eq!(config, "content of work/.git/config\n", "{rung:?} {line}");
            assert_eq!(std::fs::read_dir(place.path("work/.git/hooks")).unwrap().count(), 0, "{line}");
        }
        let (ending, output) =
            place.run(rung, place.policy(), "echo x > .git/index && mkdir .git/objects").await;
        assert_eq!(ending, Ending::Exited(0), "{rung:?}: git itself works: {output}");
    }
}

#[tokio::test]
async fn a_sandbox_that_cannot_be_had_is_an_error_and_the_command_does_not_run() {
    let place = Place::new();
    let scope = Scope::new();
    let policy = Policy { protected: vec![], ..place.policy() };
    let confined = Confined { confinement: Confinement::new(policy, Rung::Landlock { abi: 0 }), hosts: None };
    let spec =
        CommandSpec { cwd: place.path("work"), confined: Some(Arc::new(confined)), ..spec("x", "touch ran") };
    let result = command::run(&scope, spec, &CancellationToken::new(), |_| {}).await;
    // Rules without rights are refused by the kernel on every machine.
    if let Err(error) = result {
        assert!(matches!(error, command::CommandError::Spawn(SpawnError::Confine { .. })), "{error}");
        assert!(!place.path("work/ran").exists());
    }
}
