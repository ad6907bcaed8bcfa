//! Where things are and what they are: definitions, references, hover texts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_lsp::location::Location;
use omp_lsp::position::lines;
use serde_json::{Value, json};

use super::call::{Call, Fault, Reply, ServerPosition};

/// References that are shown with the lines around them.
const WITH_CONTEXT: usize = 50;
/// References that are shown at all.
const MOST_SHOWN: usize = 500;
/// A list that holds only the place itself is asked for again so often.
const RETRIES: usize = 2;
const RETRY_AFTER: Duration = Duration::from_millis(250);
/// Files that are kept in memory for their lines.
const MOST_SOURCES: usize = 8;
/// Longer lines are cut.
const LONGEST_LINE: usize = 300;

pub(super) async fn definition(call: &Call<'_>) -> Result<Reply, Fault> {
    places(call, "textDocument/definition", "definition").await
}

pub(super) async fn type_definition(call: &Call<'_>) -> Result<Reply, Fault> {
    places(call, "textDocument/typeDefinition", "type definition").await
}

pub(super) async fn implementation(call: &Call<'_>) -> Result<Reply, Fault> {
    places(call, "textDocument/implementation", "implementation").await
}

async fn places(call: &Call<'_>, method: &str, noun: &str) -> Result<Reply, Fault> {
    let place = call.place().await?;
    place.client.loaded(call.limit).await;
    let answer = place.client.request(method, place.params.clone(), call.limit).await?;
    let found = Location::list(&answer);
    if found.is_empty() {
        return Ok(Reply::new(format!("No {noun} found")).by(place.client.name()));
    }
    let mut sources = Sources::default();
    let mut rows = vec![format!("Found {} {noun}(s):", found.len())];
    for location in found.iter().take(MOST_SHOWN) {
        rows.push(sources.with_context(call, location).await);
    }
    Ok(Reply::new(rows.join("\n")).by(place.client.name()))
}

pub(super) async fn references(call: &Call<'_>) -> Result<Reply, Fault> {
    let place = call.place().await?;
    let mut params = place.params.clone();
    params["context"] = json!({"includeDeclaration": true});
    let mut found = Vec::new();
    for attempt in 0..=RETRIES {
        if attempt > 0 {
            tokio::time::sleep(RETRY_AFTER).await;
        }
        place.client.loaded(call.limit).await;
        let answer = place.client.request("textDocument/references", params.clone(), call.limit).await?;
        found = Location::list(&answer);
        // A server that is still loading knows the declaration and nothing else.
        if !(place.client.loads_projects() && only_itself(&found, &place)) {
            break;
        }
    }
    if found.is_empty() {
        return Ok(Reply::new("No references found").by(place.client.name()));
    }
    let mut sources = Sources::default();
    let mut rows = vec![format!("Found {} reference(s):", found.len())];
    for location in found.iter().take(WITH_CONTEXT) {
        rows.push(sources.with_context(call, location).await);
    }
    if found.len() > WITH_CONTEXT {
        rows.push(format!(
            "... {} additional reference(s) shown without context",
            found.len() - WITH_CONTEXT
        ));
        rows.extend(found.iter().skip(WITH_CONTEXT).take(MOST_SHOWN).map(|location| head(call, location)));
    }
    Ok(Reply::new(rows.join("\n")).by(place.client.name()))
}

/// Is the place that was asked about the only one?
fn only_itself(found: &[Location], place: &ServerPosition) -> bool {
    let line = place.params.pointer("/position/line").and_then(Value::as_u64);
    match found {
        [one] => {
            one.path().as_deref() == Some(place.path.as_path())
                && line == Some(u64::from(one.range.start.line))
        }
        _ => false,
    }
}

pub(super) async fn hover(call: &Call<'_>) -> Result<Reply, Fault> {
    let place = call.place().await?;
    place.client.loaded(call.limit).await;
    let answer = place.client.request("textDocument/hover", place.params.clone(), call.limit).await?;
    let text = answer.get("contents").map(flat).unwrap_or_default();
    let text = text.trim();
    let text = if text.is_empty() { "No hover information" } else { text };
    Ok(Reply::new(text).by(place.client.name()))
}

/// The text of a hover in any of its forms.
fn flat(contents: &Value) -> String {
    match contents {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(flat).filter(|part| !part.trim().is_empty()).collect();
            parts.join("\n\n")
        }
        Value::Object(_) => contents.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// `file:line:column`
fn head(call: &Call<'_>, location: &Location) -> String {
    let name = location.path().map_or_else(|| location.uri.clone(), |path| call.shown(&path));
    let start = location.range.start;
    format!("{name}:{}:{}", u64::from(start.line) + 1, u64::from(start.character) + 1)
}

/// Files that were read for their lines.
#[derive(Default)]
pub(super) struct Sources(HashMap<PathBuf, Option<String>>);

impl Sources {
    /// The place, and its line with one above and one below.
    pub(super) async fn with_context(&mut self, call: &Call<'_>, location: &Location) -> String {
        let mut rows = vec![head(call, location)];
        let text = match location.path() {
            Some(path) => self.text(call, &path).await,
            None => None,
        };
        if let Some(text) = text {
            let middle = location.range.start.line as usize;
            let first = middle.saturating_sub(1);
            let around = lines(text).enumerate().skip(first).take(middle + 2 - first);
            rows.extend(around.map(|(index, line)| format!("  {}: {}", index + 1, cut(line))));
        }
        rows.join("\n")
    }

    async fn text(&mut self, call: &Call<'_>, path: &Path) -> Option<&str> {
        if !self.0.contains_key(path) {
            let text = call.text(path).await.ok();
            if self.0.len() >= MOST_SOURCES {
                self.0.clear();
            }
            self.0.insert(path.to_owned(), text);
        }
        self.0.get(path)?.as_deref()
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::flat;
    use serde_json::json;

    #[test]
    fn hover_texts_come_in_four_forms() {
        assert_eq!(flat(&json!("plain")), "plain");
        assert_eq!(flat(&json!({"kind": "markdown", "value": "**m**"})), "**m**");
        assert_eq!(flat(&json!({"language": "rust", "value": "fn f()"})), "fn f()");
        assert_eq!(flat(&json!(["a", {"language": "rust", "value": "b"}, ""])), "a\n\nb");
        assert_eq!(flat(&json!(null)), "");
    }
}
