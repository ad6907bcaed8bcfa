//! Tool names as the wires allow them (`[a-zA-Z0-9_-]`, at most 64 characters), and the way back.

use std::borrow::Cow;
use std::collections::HashMap;

use omp_types::ToolDefinition;

const LONGEST: usize = 64;

#[derive(Default)]
pub(super) struct ToolNames {
    to_wire: HashMap<String, String>,
    from_wire: HashMap<String, String>,
}

impl ToolNames {
    pub(super) fn new(tools: &[ToolDefinition]) -> Self {
        let mut names = Self::default();
        for tool in tools.iter().filter(|tool| !is_wire_name(&tool.name)) {
            let wire = names.free_name(&sanitize(&tool.name), tools);
            names.from_wire.insert(wire.clone(), tool.name.clone());
            names.to_wire.insert(tool.name.clone(), wire);
        }
        names
    }

    /// The name itself or, if another tool has it, the name with a number.
    fn free_name(&self, wanted: &str, tools: &[ToolDefinition]) -> String {
        let is_free =
            |name: &str| !self.from_wire.contains_key(name) && tools.iter().all(|tool| tool.name != name);
        let numbered = (2..).map(|copy| {
            let suffix = format!("_{copy}");
            format!("{}{suffix}", &wanted[..wanted.len().min(LONGEST - suffix.len())])
        });
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates.find(|name| is_free(name)).unwrap_or_else(|| wanted.to_owned())
    }

    pub(super) fn wire<'a>(&'a self, name: &'a str) -> Cow<'a, str> {
        match self.to_wire.get(name) {
            Some(wire) => wire.as_str().into(),
            None if is_wire_name(name) => name.into(),
            None => sanitize(name).into(),
        }
    }

    /// Wire names that differ from the tool's own, to be undone in the answer.
    pub(super) fn into_reverse(self) -> HashMap<String, String> {
        self.from_wire
    }
}

fn is_wire_name(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn sanitize(name: &str) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let clean: String = name.chars().map(clean).take(LONGEST).collect();
    if clean.is_empty() { "tool".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools(names: &[&str]) -> Vec<ToolDefinition> {
        let tool = |name: &&str| ToolDefinition {
            name: (*name).to_owned(),
            description: String::new(),
            parameters: json!({}),
            strict: None,
            free_text: false,
        };
        names.iter().map(tool).collect()
    }

    #[test]
    fn names_stay_apart_and_find_back() {
        let long = "é".repeat(80);
        let given = ["a.b", "a_b", "a b", "read", &long, ""];
        let names = ToolNames::new(&tools(&given));
        let wire: Vec<String> = given.iter().map(|name| names.wire(name).into_owned()).collect();
        assert!(wire.iter().all(|name| is_wire_name(name)), "{wire:?}");
        assert_eq!(wire.iter().collect::<std::collections::HashSet<_>>().len(), given.len(), "{wire:?}");
        assert_eq!(wire[3], "read");
        let back = names.into_reverse();
        for (name, wire) in given.iter().zip(&wire) {
            assert_eq!(back.get(wire).map_or(wire.as_str(), String::as_str), *name);
        }
    }
}
