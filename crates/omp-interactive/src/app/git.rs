//! The branch of the repository, also when somebody else checks out another.

use std::path::{Path, PathBuf};

use omp_theme::FileWatch;

use super::{App, Task};

impl App {
    /// Looks up the branch of the session's directory, and hears of it when it changes.
    pub(super) fn watch_branch(&mut self) {
        self.status.head = None;
        let (cwd, tasks) = (self.session().cwd(), self.tasks.clone());
        self.spawn(async move {
            let looked = tokio::task::spawn_blocking(move || {
                let changed = move || {
                    let news: Task = Box::new(|app: &mut Self| app.read_branch());
                    // The program has ended if nobody takes it.
                    let _ = tasks.send(news);
                };
                let head = head(&cwd)?;
                Some((branch(&head), FileWatch::new(&head, changed).ok()))
            });
            let looked = looked.await.ok().flatten();
            Box::new(move |app: &mut Self| {
                let (branch, watch) = looked.unwrap_or_default();
                app.status.head = watch;
                app.set_branch(branch);
            }) as Task
        });
    }

    fn read_branch(&mut self) {
        let cwd = self.session().cwd();
        self.spawn(async move {
            let read = tokio::task::spawn_blocking(move || branch(&head(&cwd)?));
            let branch = read.await.ok().flatten();
            Box::new(move |app: &mut Self| app.set_branch(branch)) as Task
        });
    }

    pub(super) fn set_branch(&mut self, branch: Option<String>) {
        let Some(branch) = self.tape_fact("branch", branch, |branch| serde_json::json!(branch)) else {
            return;
        };
        if self.status.branch != branch {
            self.status.branch = branch;
            self.changed();
        }
    }
}

/// The file that says what is checked out in a directory, or in one above it.
fn head(cwd: &Path) -> Option<PathBuf> {
    let found = cwd.ancestors().find_map(|directory| {
        let git = directory.join(".git");
        match std::fs::read_to_string(&git) {
            // A worktree, or a submodule.
            Ok(pointer) => Some(directory.join(pointer.strip_prefix("gitdir:")?.trim())),
            Err(_) => git.is_dir().then_some(git),
        }
    });
    Some(found?.join("HEAD"))
}

/// The branch that is checked out, or the beginning of the commit.
fn branch(head: &Path) -> Option<String> {
    let head = std::fs::read_to_string(head).ok()?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => head.chars().take(8).collect(),
    })
}
