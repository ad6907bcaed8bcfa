//! What was agreed to is what is written, whatever happens to paths meanwhile.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use omp_agent::{Tool, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{Borders, Context, builtin};
use omp_types::Approval;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::invocation;

struct Place {
    _directory: tempfile::TempDir,
    root: PathBuf,
    context: Arc<Context>,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["work", "home", "outside"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let (cwd, home) = (root.join("work"), root.join("home"));
        let scope = Arc::new(Scope::new());
        let mut context = Context::new(cwd.clone(), Some(home.clone()), scope, Environment::default());
        context.borders = Borders::new(&[cwd], Some(&home), &[home.join(".omp")]);
        context.modes.reach.enforce(true);
        Self { _directory: directory, root, context: Arc::new(context) }
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = builtin(&self.context);
        tools.into_iter().find(|tool| tool.definition().name == name).unwrap()
    }

    /// Judges a call, lets `meanwhile` happen, and runs it.
    async fn call(&self, tool: &str, arguments: Value, meanwhile: impl FnOnce(&Path)) -> (Approval, String) {
        let tool = self.tool(tool);
        let approval = tool.approval(arguments.as_object().unwrap()).unwrap();
        meanwhile(&self.root);
        let result = tool.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await;
        let said = result.map_or_else(|error| error.message, |output| crate::support::text(&output));
        (approval, said)
    }
}

fn write(path: &str) -> Value {
    json!({"path": path, "content": "written"})
}

/// Whoever approves a path outside approves that path, and no other.
#[tokio::test]
async fn consent_is_for_the_path_that_was_shown() {
    let place = Place::new();
    let link =
        |target: &str| std::os::unix::fs::symlink(place.root.join(target), place.root.join("work/link"));
    link("outside").unwrap();
    let (approval, said) = place.call("write", write("link/a.txt"), |_| {}).await;
    let expected = format!("outside the workspace: {}", place.root.join("outside/a.txt").display());
    assert!(approval.insists && approval.reason.unwrap().contains(&expected));
    assert!(said.contains("Successfully wrote"), "{said}");
    let (_, said) = place
        .call("write", write("link/b.txt"), |root| {
            std::fs::remove_file(root.join("work/link")).unwrap();
            std::os::unix::fs::symlink(root.join("home"), root.join("work/link")).unwrap();
        })
        .await;
    assert!(said.contains("the user was not asked to approve that path"), "{said}");
    assert!(!place.root.join("home/b.txt").exists());
}

/// Without a judgement before it, a call stays in the workspace.
#[tokio::test]
async fn what_was_not_judged_stays_inside() {
    let place = Place::new();
    let tool = place.tool("write");
    for (path, done) in [("inside.txt", true), ("../outside/x.txt", false), (".git/hooks/x", false)] {
        let run = tool.run(invocation(&write(path), CancellationToken::new(), Updates::ignored()));
        assert_eq!(run.await.is_ok(), done, "{path}");
    }
    assert!(!place.root.join("outside/x.txt").exists());
}

/// What is wrong with a path is told as in the mode that never asks.
#[tokio::test]
async fn other_faults_are_told_as_ever() {
    let place = Place::new();
    std::fs::write(place.root.join("work/f"), "x").unwrap();
    std::fs::create_dir(place.root.join("work/d")).unwrap();
    for (path, expected) in [
        ("f/g.txt", "f is a file, not a directory."),
        ("d", "d is a directory. Name a file inside it."),
        ("new/dir/h.txt", "Successfully wrote 7 bytes to new/dir/h.txt"),
    ] {
        assert_eq!(place.call("write", write(path), |_| {}).await.1, expected);
    }
}

/// A directory becomes a link and a directory again while files are written into it, over and over: no file lands outside.
// proves: SEC-032
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_race_leads_outside() {
    let place = Place::new();
    let (sub, link) = (place.root.join("work/sub"), place.root.join("work/link"));
    std::fs::create_dir(&sub).unwrap();
    std::os::unix::fs::symlink(place.root.join("outside"), &link).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = Arc::clone(&stop);
    let swapping = std::thread::spawn(move || {
        while !swapper.load(Ordering::Relaxed) {
            let exchange = RenameFlags::RENAME_EXCHANGE;
            renameat2(AT_FDCWD, &sub, AT_FDCWD, &link, exchange).expect("both are there all the time");
        }
    });
    let (mut written, mut refused) = (0, 0);
    for number in 0..400 {
        let (approval, said) = place.call("write", write(&format!("sub/{number}.txt")), |_| {}).await;
        // A question about the outside would have been asked; here nobody answers it.
        let asked = approval.insists;
        match said.contains("Successfully wrote") {
            true if !asked => written += 1,
            true => {
                std::fs::remove_file(place.root.join(format!("outside/{number}.txt"))).unwrap_or_default();
            }
            false => refused += 1,
        }
        let landed = place.root.join(format!("outside/{number}.txt")).exists();
        assert!(!landed, "{number} was written outside without a question: {said}");
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(written > 0 && refused > 0, "{written} written, {refused} refused");
}
