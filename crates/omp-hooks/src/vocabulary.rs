//! Calls in the words of Claude Code, for hooks that were written for it.
//!
//! A guard that looks at `tool_input.file_path` must find the file there, or it guards nothing: each call is said with our
//! fields and with Claude's beside them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::session::CallOutcome;

/// Claude's names for a tool of ours, the most usual first.
const NAMES: &[(&str, &[&str])] = &[
    ("bash", &["Bash"]),
    ("read", &["Read"]),
    ("write", &["Write"]),
    ("edit", &["Edit", "MultiEdit"]),
    ("resolve", &["Edit", "MultiEdit"]),
    ("find", &["Glob"]),
    ("search", &["Grep"]),
    ("todo", &["TodoWrite"]),
    ("ask", &["AskUserQuestion"]),
    ("task", &["Task", "Agent"]),
    ("web_search", &["WebSearch"]),
];
const NOTEBOOK: &str = "NotebookEdit";
const FETCH: &str = "WebFetch";

/// The fields of Claude that are added to the arguments of a call.
const ADDED: [&str; 3] = ["file_path", "notebook_path", "url"];

/// One call, as far as hooks are concerned: one file of it, if it names several.
#[derive(Clone, Debug)]
pub(crate) struct Subject<'a> {
    /// Our name of the tool.
    pub(crate) tool: &'a str,
    pub(crate) id: &'a str,
    pub(crate) arguments: &'a Map<String, Value>,
    /// The file that it touches.
    pub(crate) file: Option<PathBuf>,
}

impl<'a> Subject<'a> {
    /// A call, once for each of the files that it names.
    pub(crate) fn of_call(
        tool: &'a str,
        id: &'a str,
        arguments: &'a Map<String, Value>,
        files: &[String],
        cwd: &Path,
    ) -> Vec<Self> {
        let one = |file| Self { tool, id, arguments, file };
        let mut paths: Vec<PathBuf> = Vec::new();
        for path in files.iter().filter(|file| !file.is_empty()).map(|file| absolute(file, cwd)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        match paths.is_empty() {
            true => vec![one(None)],
            false => paths.into_iter().map(|path| one(Some(path))).collect(),
        }
    }

    /// All names that a matcher may mean.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = vec![self.tool];
        names.extend(self.claude_names());
        names
    }

    /// Claude's name for the call; ours where Claude has none.
    pub(crate) fn claude_name(&self) -> &str {
        self.claude_names().first().copied().unwrap_or(self.tool)
    }

    fn claude_names(&self) -> Vec<&'static str> {
        let known = NAMES.iter().find(|(ours, _)| *ours == self.tool).map_or(&[][..], |(_, names)| names);
        let mut names = known.to_vec();
        match self.tool {
            "edit" | "write" if self.is_notebook() => names.insert(0, NOTEBOOK),
            "read" if self.url().is_some() => names = vec![FETCH],
            _ => {}
        }
        names
    }

    fn is_notebook(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.extension().is_some_and(|extension| extension == "ipynb"))
    }

    fn url(&self) -> Option<&str> {
        let path = self.arguments.get("path")?.as_str()?;
        (path.starts_with("http://") || path.starts_with("https://")).then_some(path)
    }

    /// The input of the call with Claude's fields beside ours.
    pub(crate) fn claude_input(&self) -> Value {
        let mut input = self.arguments.clone();
        if let Some(file) = &self.file {
            let field = if self.claude_name() == NOTEBOOK { "notebook_path" } else { "file_path" };
            input.insert(field.to_owned(), Value::from(file.to_string_lossy().into_owned()));
        }
        if let Some(url) = self.url() {
            input.insert("url".to_owned(), Value::from(url));
        }
        Value::Object(input)
    }

    /// Arguments that a hook of Claude Code wants instead, in our words: without the fields that were only added for
    /// it. One that it changed cannot be obeyed.
    pub(crate) fn our_arguments(&self, mut wanted: Map<String, Value>) -> Result<Map<String, Value>, String> {
        let said = self.claude_input();
        for field in ADDED.into_iter().filter(|field| !self.arguments.contains_key(*field)) {
            if let Some(value) = wanted.remove(field)
                && said.get(field) != Some(&value)
            {
                return Err(format!("a hook wants another {field}, which {} cannot be given", self.tool));
            }
        }
        Ok(wanted)
    }

    /// What a hook of Claude Code is told about the call.
    pub(crate) fn claude_fields(&self, outcome: Option<&CallOutcome>) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("tool_name".to_owned(), self.claude_name().into());
        fields.insert("tool_input".to_owned(), self.claude_input());
        fields.insert("tool_use_id".to_owned(), self.id.into());
        if let Some(outcome) = outcome {
            let mut response = json!({
                "success": !outcome.is_error,
                "content": outcome.content,
                "text": outcome.text,
                "stdout": outcome.text,
                "stderr": "",
                "interrupted": false,
            });
            if let Some(file) = &self.file {
                response["filePath"] = file.to_string_lossy().into();
            }
            fields.insert("tool_response".to_owned(), response);
        }
        fields
    }

    /// What a script of ours is told about the call.
    pub(crate) fn our_fields(&self, outcome: Option<&CallOutcome>) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("toolName".to_owned(), self.tool.into());
        fields.insert("toolCallId".to_owned(), self.id.into());
        fields.insert("input".to_owned(), Value::Object(self.arguments.clone()));
        if let Some(file) = &self.file {
            fields.insert("file".to_owned(), file.to_string_lossy().into());
        }
        if let Some(outcome) = outcome {
            fields.insert("content".to_owned(), outcome.content.clone());
            fields.insert("details".to_owned(), outcome.details.clone());
            fields.insert("isError".to_owned(), outcome.is_error.into());
        }
        fields
    }
}

fn absolute(file: &str, cwd: &Path) -> PathBuf {
    let joined = cwd.join(file);
    let mut clean = PathBuf::new();
    for part in joined.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn each_file_of_a_call_is_seen() {
        let input = arguments(&json!({"input": "…"}));
        let files = ["src/a.rs", "./src/../.env", "/etc/hosts", "src/a.rs"].map(str::to_owned);
        let subjects = Subject::of_call("edit", "1", &input, &files, Path::new("/p"));
        let seen: Vec<_> =
            subjects.iter().map(|subject| subject.claude_input()["file_path"].clone()).collect();
        assert_eq!(seen, ["/p/src/a.rs", "/p/.env", "/etc/hosts"]);
        assert_eq!(subjects[0].names(), ["edit", "Edit", "MultiEdit"]);
    }

    #[test]
    fn tools_have_claudes_names() {
        let named = |tool, input: Value, files: &[&str]| {
            let input = arguments(&input);
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let subjects = Subject::of_call(tool, "1", &input, &files, Path::new("/p"));
            subjects[0].claude_name().to_owned()
        };
        assert_eq!(named("bash", json!({"command": "ls"}), &[]), "Bash");
        assert_eq!(named("edit", json!({}), &["a.ipynb"]), "NotebookEdit");
        assert_eq!(named("read", json!({"path": "https://example.com"}), &[]), "WebFetch");
        assert_eq!(named("mcp__memory__create", json!({}), &[]), "mcp__memory__create");
    }
}
