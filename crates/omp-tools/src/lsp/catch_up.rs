//! What became of the files that a server has open. It reads no open file from the disk: what it answers, and above all
//! what it wants to change, is about the text that it was told last.

use std::path::{Path, PathBuf};

use omp_lsp::edits::{Operation, WorkspaceEdit};
use omp_lsp::{Client, Limit};

use super::text;

/// Tells a server the texts of its open files as they are now, but for one that it will be told about anyway. A server that
/// is gone meanwhile will say so when it is asked.
pub(super) async fn catch_up(client: &Client, but: Option<&Path>, limit: Limit<'_>) {
    let catching_up = async {
        let mut open = client.open_files().await;
        open.retain(|path| Some(path.as_path()) != but);
        if open.is_empty() {
            return;
        }
        let load = move || open.into_iter().map(|path| (text::load(&path).ok(), path)).collect::<Vec<_>>();
        let Ok(loaded) = tokio::task::spawn_blocking(load).await else { return };
        for (text, path) in loaded {
            let _ = match text {
                Some(text) => client.open(&path, &text).await.map(drop),
                None => client.forget(&path).await,
            };
        }
    };
    let _ = limit.wait(catching_up).await;
}

/// A file that a server wants to change, and that is no longer what it was told.
pub(super) async fn outdated(client: &Client, edit: &WorkspaceEdit) -> Option<PathBuf> {
    for operation in &edit.operations {
        let Operation::Edit { path, .. } = operation else { continue };
        let file = path.clone();
        let text = tokio::task::spawn_blocking(move || text::load(&file)).await;
        if let Ok(Ok(text)) = text
            && client.has(path, &text).await == Some(false)
        {
            return Some(path.clone());
        }
    }
    None
}
