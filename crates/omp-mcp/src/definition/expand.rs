//! `${VAR}`, `${VAR:-default}` and the spellings of other agents: `${env:VAR}`, `{env:VAR}`, `${workspaceFolder}`,
//! `${userHome}`.

use std::path::Path;

use serde_json::{Map, Value};

/// Where variables come from.
pub struct Variables<'v> {
    pub lookup: &'v dyn Fn(&str) -> Option<String>,
    /// The directory of the project.
    pub workspace: Option<&'v Path>,
    pub home: Option<&'v Path>,
}

impl Variables<'_> {
    fn value(&self, name: &str) -> Option<String> {
        let path = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
        match name {
            "workspaceFolder" | "workspaceRoot" => path(self.workspace),
            "userHome" => path(self.home),
            "pathSeparator" | "/" => Some("/".to_owned()),
            _ => (self.lookup)(name.strip_prefix("env:").unwrap_or(name)),
        }
    }

    /// The text with variables put in. Once: what a variable contains is not looked at again. A variable without value
    /// and without default stays as it is written.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let dollar = rest[..at].ends_with('$');
            let inside = &rest[at + 1..];
            let Some(end) = inside.find('}') else { break };
            let word = &inside[..end];
            let value = match (dollar, word.strip_prefix("env:")) {
                (true, _) => self.with_default(word),
                (false, Some(name)) => self.value(name),
                (false, None) => None,
            };
            match value {
                Some(value) => {
                    out.push_str(&rest[..at - usize::from(dollar)]);
                    out.push_str(&value);
                    rest = &inside[end + 1..];
                }
                None => {
                    out.push_str(&rest[..=at]);
                    rest = inside;
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn with_default(&self, word: &str) -> Option<String> {
        match word.split_once(":-") {
            Some((name, default)) => {
                Some(self.value(name).filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned()))
            }
            None => self.value(word),
        }
    }

    pub(super) fn expand_all(&self, config: &Map<String, Value>) -> Map<String, Value> {
        config.iter().map(|(key, value)| (key.clone(), self.expand_value(value))).collect()
    }

    fn expand_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.expand(text)),
            Value::Array(items) => items.iter().map(|item| self.expand_value(item)).collect(),
            Value::Object(map) => Value::Object(self.expand_all(map)),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> String {
        let lookup = |name: &str| match name {
            "A" => Some("a".to_owned()),
            "NEST" => Some("${A}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let workspace = Some(Path::new("/p"));
        Variables { lookup: &lookup, workspace, home: Some(Path::new("/h")) }.expand(text)
    }

    #[test]
    fn every_spelling() {
        let table = [
            ("x", "x"),
            ("${A}", "a"),
            ("<${A}${A}>", "<aa>"),
            ("${MISSING}", "${MISSING}"),
            ("${MISSING:-d}/${A}", "d/a"),
            ("${EMPTY:-d}", "d"),
            ("${EMPTY}", ""),
            ("${A:-d}", "a"),
            ("${MISSING:-}", ""),
            ("${env:A}", "a"),
            ("{env:A}", "a"),
            ("{A}", "{A}"),
            ("${workspaceFolder}/x ${userHome}", "/p/x /h"),
            ("${A", "${A"),
            ("${${A}}", "${a}"),
            ("${NEST}", "${A}"),
            ("{\"json\": \"${A}\"}", "{\"json\": \"a\"}"),
            ("ü{${A}}ü", "ü{a}ü"),
        ];
        for (text, expected) in table {
            assert_eq!(expand(text), expected, "{text}");
        }
    }
}
