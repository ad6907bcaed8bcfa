//! The branch of the repository, also when somebody else checks out another.

use std::path::{Path, PathBuf};

use omp_theme::FileWatch;

use super::{App, Task};

/// Looks up the branch of the session's directory, and hears of it when it changes.
pub(crate) fn watch_branch(app: &mut App) {
    app.status.head = None;
    let (cwd, tasks) = (app.session().cwd(), app.tasks.clone());
    app.spawn(async move {
        let looked = tokio::task::spawn_blocking(move || {
            let changed = move || {
                let news: Task = Box::new(|app: &mut App| read_branch(app));
                // The program has ended if nobody takes it.
                let _ = tasks.send(news);
            };
            let head = head(&cwd)?;
            Some((branch(&head), FileWatch::new(&head, changed).ok()))
        });
        let looked = looked.await.ok().flatten();
        Box::new(move |app: &mut App| {
            let (branch, watch) = looked.unwrap_or_default();
            app.status.head = watch;
            set_branch(app, branch);
        }) as Task
    });
}

fn read_branch(app: &mut App) {
    let cwd = app.session().cwd();
    app.spawn(async move {
        let read = tokio::task::spawn_blocking(move || branch(&head(&cwd)?));
        let branch = read.await.ok().flatten();
        Box::new(move |app: &mut App| set_branch(app, branch)) as Task
    });
}

pub(crate) fn set_branch(app: &mut App, branch: Option<String>) {
    let Some(branch) = app.recording.tape_fact("branch", branch, |branch| serde_json::json!(branch)) else {
        return;
    };
    if app.status.branch != branch {
        app.status.branch = branch;
        app.surface.changed();
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
