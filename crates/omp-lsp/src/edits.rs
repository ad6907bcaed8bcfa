//! Changes of files that a server proposes. They are only read and applied to texts here; whoever writes the files
//! checks where they are.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::position::{Encoding, Position, Range};
use crate::uri;

/// Files that one proposal may touch.
const MOST_FILES: usize = 1_000;
/// Changes of one file.
const MOST_EDITS: usize = 100_000;

/// New text in the place of old.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TextEdit {
    pub range: Range,
    #[serde(rename = "newText")]
    pub text: String,
}

/// What is to be done to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    Edit { path: PathBuf, edits: Vec<TextEdit> },
    Create { path: PathBuf, if_exists: IfExists },
    Rename { from: PathBuf, to: PathBuf, if_exists: IfExists },
    Delete { path: PathBuf, missing_is_fine: bool },
}

/// What becomes of a file that is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    Refuse,
    Overwrite,
    /// It stays, and nothing happens.
    Ignore,
}

/// All that a server proposes at once, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceEdit {
    pub operations: Vec<Operation>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    overwrite: bool,
    ignore_if_exists: bool,
    ignore_if_not_exists: bool,
}

impl WorkspaceEdit {
    /// Reads a proposal. `null` is an empty one. One that cannot be understood whole is refused whole.
    pub fn parse(value: &Value) -> Result<Self, String> {
        let operations: Result<Vec<Operation>, String> = match value.get("documentChanges") {
            Some(Value::Array(list)) => list.iter().take(MOST_FILES + 1).map(document_change).collect(),
            _ => match value.get("changes") {
                Some(Value::Object(changes)) => {
                    changes.iter().take(MOST_FILES + 1).map(|(uri, list)| text_edits(uri, list)).collect()
                }
                _ => Ok(Vec::new()),
            },
        };
        let mut operations = operations?;
        if operations.len() > MOST_FILES {
            return Err(format!(
                "The server proposed changes to more than {MOST_FILES} files; nothing was changed."
            ));
        }
        operations.retain(|one| !matches!(one, Operation::Edit { edits, .. } if edits.is_empty()));
        Ok(Self { operations })
    }

    /// Nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

fn document_change(value: &Value) -> Result<Operation, String> {
    let named = |name: &str| file(value.get(name).and_then(Value::as_str).unwrap_or_default());
    let options: Options =
        value.get("options").map(Options::deserialize).and_then(Result::ok).unwrap_or_default();
    let if_exists = match (options.overwrite, options.ignore_if_exists) {
        (true, _) => IfExists::Overwrite,
        (false, true) => IfExists::Ignore,
        (false, false) => IfExists::Refuse,
    };
    match value.get("kind").and_then(Value::as_str) {
        Some("create") => Ok(Operation::Create { path: named("uri")?, if_exists }),
        Some("rename") => Ok(Operation::Rename { from: named("oldUri")?, to: named("newUri")?, if_exists }),
        Some("delete") => {
            Ok(Operation::Delete { path: named("uri")?, missing_is_fine: options.ignore_if_not_exists })
        }
        Some(kind) => Err(format!("The server proposed an unknown operation {kind:?}.")),
        None => {
            let uri = value.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
            text_edits(uri, value.get("edits").unwrap_or(&Value::Null))
        }
    }
}

fn text_edits(uri: &str, list: &Value) -> Result<Operation, String> {
    Ok(Operation::Edit { path: file(uri)?, edits: self::list(list)? })
}

fn file(uri: &str) -> Result<PathBuf, String> {
    uri::path(uri).ok_or_else(|| format!("The server proposed to change {uri:?}, which is not a local file."))
}

/// Reads a list of changes of one text. `null` is an empty one.
pub fn list(value: &Value) -> Result<Vec<TextEdit>, String> {
    let items = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) if items.len() <= MOST_EDITS => items,
        Value::Array(items) => {
            return Err(format!("The server proposed too many changes to one file ({}).", items.len()));
        }
        other => return Err(format!("The server proposed an invalid list of changes: {other}")),
    };
    let read = |item: &Value| {
        TextEdit::deserialize(item)
            .map_err(|error| format!("The server proposed an invalid change: {error}."))
    };
    items.iter().map(read).collect()
}

/// The text after all changes, which refer to the text before the first of them. Texts have `\n` ends here.
pub fn apply(text: &str, edits: &[TextEdit], encoding: Encoding) -> Result<String, String> {
    if text.contains('\r') {
        return Err(
            "The file has bare CR line endings, so the server's line numbers cannot be trusted.".into()
        );
    }
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |at: Position| {
        let Some(start) = starts.get(at.line as usize) else { return text.len() };
        let line = text[*start..].split('\n').next().unwrap_or_default();
        start + encoding.byte(line, at.character)
    };
    let mut placed: Vec<(usize, usize, String)> = edits
        .iter()
        .map(|edit| {
            (
                offset(edit.range.start),
                offset(edit.range.end),
                edit.text.replace("\r\n", "\n").replace('\r', "\n"),
            )
        })
        .collect();
    // Stable: insertions at one place keep their order, and come before what is replaced there.
    placed.sort_by_key(|(start, end, _)| (*start, *end));
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end, inserted) in &placed {
        if *start < done || end < start {
            let line = 1 + text[..*start].matches('\n').count();
            return Err(format!("The server proposed overlapping changes on line {line}."));
        }
        new.push_str(&text[done..*start]);
        new.push_str(inserted);
        done = *end;
    }
    new.push_str(&text[done..]);
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edit(start: (u32, u32), end: (u32, u32), text: &str) -> TextEdit {
        let at = |(line, character)| Position { line, character };
        TextEdit { range: Range { start: at(start), end: at(end) }, text: text.to_owned() }
    }

    fn applied(text: &str, edits: &[TextEdit]) -> Result<String, String> {
        apply(text, edits, Encoding::Utf16)
    }

    /// proves: INT-061
    #[test]
    fn changes_refer_to_the_text_before_them() {
        let edits = [edit((0, 0), (0, 1), "long"), edit((1, 0), (1, 1), "x"), edit((0, 2), (0, 3), "")];
        assert_eq!(applied("a b\nc\n", &edits).unwrap(), "long \nx\n");
        let reversed: Vec<TextEdit> = edits.into_iter().rev().collect();
        assert_eq!(applied("a b\nc\n", &reversed).unwrap(), "long \nx\n");
        let same = [edit((0, 1), (0, 1), "1"), edit((0, 1), (0, 1), "2"), edit((0, 1), (0, 2), "3")];
        assert_eq!(applied("abc", &same).unwrap(), "a123c");
        let error = applied("abc\ndef", &[edit((1, 0), (1, 2), "x"), edit((1, 1), (1, 3), "y")]).unwrap_err();
        assert!(error.contains("overlap") && error.contains("line 2"), "{error}");
        assert!(applied("abc", &[edit((0, 2), (0, 1), "x")]).is_err());
    }

    #[test]
    fn places_beyond_the_text_are_its_end() {
        assert_eq!(applied("a\n", &[edit((1, 0), (1, 0), "b\n")]).unwrap(), "a\nb\n");
        assert_eq!(applied("a", &[edit((0, 0), (9_999, 0), "b")]).unwrap(), "b");
        assert_eq!(applied("😀x", &[edit((0, 2), (0, 3), "y")]).unwrap(), "😀y");
        assert!(applied("a\rb", &[edit((0, 0), (0, 1), "b")]).is_err());
    }

    #[test]
    fn proposals_are_understood_whole_or_not_at_all() {
        let some = json!({"documentChanges": [
            {"textDocument": {"uri": "file:///a", "version": 1}, "edits": [{"range": {"start": {"line": 0, "character": 0},
                "end": {"line": 0, "character": 1}}, "newText": "x"}]},
            {"kind": "create", "uri": "file:///b", "options": {"ignoreIfExists": true}},
            {"kind": "rename", "oldUri": "file:///b", "newUri": "file:///c", "options": {"overwrite": true}},
            {"kind": "delete", "uri": "file:///d"},
        ]});
        let edit = WorkspaceEdit::parse(&some).unwrap();
        assert_eq!(edit.operations.len(), 4);
        assert_eq!(edit.operations[1], Operation::Create { path: "/b".into(), if_exists: IfExists::Ignore });
        assert!(WorkspaceEdit::parse(&Value::Null).unwrap().is_empty());
        assert!(
            WorkspaceEdit::parse(&json!({"documentChanges": [{"kind": "format", "uri": "file:///d"}]}))
                .is_err()
        );
        assert!(WorkspaceEdit::parse(&json!({"changes": {"https://h/x": []}})).is_err());
        let many: serde_json::Map<String, Value> =
            (0..2_000).map(|n| (format!("file:///{n}"), json!([]))).collect();
        assert!(WorkspaceEdit::parse(&json!({ "changes": many })).is_err());
    }
}
