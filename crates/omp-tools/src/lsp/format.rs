//! Formatting of a file by a server.

use std::path::Path;
use std::sync::Arc;

use omp_lsp::edits::{self, TextEdit};
use omp_lsp::position::Encoding;
use omp_lsp::{Limit, LspError, Server, Servers};
use serde_json::json;

/// What a server would do to a file.
pub(super) struct Formatting {
    pub(super) server: String,
    pub(super) edits: Vec<TextEdit>,
    pub(super) encoding: Encoding,
}

/// Asks the first server that can format; `None` if nobody can or nothing is to be done.
pub(super) async fn format(
    servers: &Arc<Servers>,
    of: &[&Server],
    (path, text): (&Path, &str),
    limit: Limit<'_>,
) -> Result<Option<Formatting>, LspError> {
    for server in of.iter().filter(|server| server.speaks()) {
        let client = match servers.client(server, limit).await {
            Ok(client) => client,
            Err(LspError::Cancelled) => return Err(LspError::Cancelled),
            // Another one may do.
            Err(_) => continue,
        };
        if !client.can("documentFormattingProvider", "textDocument/formatting") {
            continue;
        }
        let synced = client.open(path, text).await?;
        let tabs = text.lines().any(|line| line.starts_with('\t'));
        let options = json!({"tabSize": width(text), "insertSpaces": !tabs, "trimTrailingWhitespace": true});
        let params = json!({"textDocument": {"uri": synced.uri}, "options": options});
        let answer = client.request("textDocument/formatting", params, limit).await?;
        let edits = edits::list(&answer).map_err(LspError::Nonsense)?;
        let formatting = Formatting { server: server.name.clone(), edits, encoding: client.encoding() };
        return Ok(Some(formatting).filter(|formatting| !formatting.edits.is_empty()));
    }
    Ok(None)
}

/// How far the first indented line is indented.
fn width(text: &str) -> usize {
    let indented = text.lines().map(|line| line.len() - line.trim_start_matches(' ').len());
    indented.into_iter().find(|width| (1..=8).contains(width)).unwrap_or(4)
}
