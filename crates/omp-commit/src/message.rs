//! A commit message: what a model proposes, and what becomes of it.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

/// The longest first line.
pub(crate) const LONGEST: usize = 72;
/// Further lines are broken here.
const WIDTH: usize = 72;
/// More would be no message.
const MOST_DETAILS: usize = 12;

/// The kinds of conventional commits.
pub(crate) const KINDS: [&str; 11] =
    ["feat", "fix", "refactor", "perf", "docs", "test", "build", "ci", "chore", "style", "revert"];
/// The sections of a changelog.
pub(crate) const CATEGORIES: [&str; 7] =
    ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Breaking Changes"];

/// What a model proposes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proposal {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    scope: Option<String>,
    summary: String,
    #[serde(default)]
    details: Vec<String>,
    #[serde(default)]
    pub(crate) changelog: Vec<ChangelogEntry>,
}

/// A line for a changelog.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangelogEntry {
    /// The changelog; may be absent where there is only one.
    #[serde(default)]
    pub(crate) path: Option<String>,
    pub(crate) category: String,
    pub(crate) text: String,
}

impl Proposal {
    /// Reads a proposal. The complaint is written for the model.
    pub(crate) fn read(value: Value) -> Result<Self, String> {
        let mut proposal: Self =
            serde_json::from_value(value).map_err(|error| format!("The proposal is not valid: {error}."))?;
        proposal.scope =
            proposal.scope.map(|scope| scope.trim().to_owned()).filter(|scope| !scope.is_empty());
        proposal.summary = proposal.summary.trim().trim_end_matches('.').to_owned();
        proposal.details.retain(|detail| !detail.trim().is_empty());
        proposal.changelog.retain(|entry| !entry.text.trim().is_empty());
        proposal.check()?;
        Ok(proposal)
    }

    fn check(&self) -> Result<(), String> {
        if !KINDS.contains(&self.kind.as_str()) {
            return Err(format!("\"{}\" is not a commit type. Use one of {}.", self.kind, KINDS.join(", ")));
        }
        let odd = |letter: char| !letter.is_alphanumeric() && !"-_./, ".contains(letter);
        if self.scope.as_deref().is_some_and(|scope| scope.contains(odd)) {
            return Err("The scope must be one or two plain words.".to_owned());
        }
        if self.summary.is_empty() || self.summary.contains(['\n', '\r']) {
            return Err("The summary must be a single non-empty line.".to_owned());
        }
        let length = self.header().chars().count();
        if length > LONGEST {
            return Err(format!(
                "The first line \"{}\" has {length} characters; at most {LONGEST} are allowed. Shorten the summary.",
                self.header()
            ));
        }
        if self.details.len() > MOST_DETAILS {
            return Err(format!("At most {MOST_DETAILS} details. Join or drop some."));
        }
        match self.changelog.iter().find(|entry| !CATEGORIES.contains(&entry.category.as_str())) {
            Some(entry) => Err(format!(
                "\"{}\" is not a changelog category. Use one of {}.",
                entry.category,
                CATEGORIES.join(", ")
            )),
            None => Ok(()),
        }
    }

    fn header(&self) -> String {
        match &self.scope {
            Some(scope) => format!("{}({scope}): {}", self.kind, self.summary),
            None => format!("{}: {}", self.kind, self.summary),
        }
    }

    /// The whole message, as git keeps it.
    pub(crate) fn message(&self) -> String {
        let mut text = self.header();
        text.push('\n');
        for (place, detail) in self.details.iter().enumerate() {
            let gap = if place == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", listed(detail));
        }
        text
    }
}

/// One item of a list, broken into lines.
fn listed(text: &str) -> String {
    let text = text.trim().trim_start_matches("- ");
    let (mut lines, mut line) = (Vec::new(), String::from("-"));
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.trim() != "-" {
            lines.push(std::mem::replace(&mut line, " ".to_owned()));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}

/// The JSON object in an answer that may have words or a fence around it.
pub(crate) fn object_in(answer: &str) -> Option<Value> {
    let (start, end) = (answer.find('{')?, answer.rfind('}')?);
    serde_json::from_str(answer.get(start..=end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_proposal_becomes_a_message() {
        let long =
            "explain why the first of the two ways was chosen although the second one is a little shorter";
        let proposal = Proposal::read(json!({
            "type": "feat", "scope": "cli", "summary": "add a way out.", "details": ["one", long, " "],
        }));
        let expected = "feat(cli): add a way out\n\n- one\n- explain why the first of the two ways was chosen although the second\n  one is a little shorter\n";
        assert_eq!(proposal.expect("a proposal").message(), expected);
        let bare =
            Proposal::read(json!({"type": "fix", "scope": " ", "summary": "stop"})).expect("a proposal");
        assert_eq!(bare.message(), "fix: stop\n");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let read = |value| Proposal::read(value).expect_err("refused");
        assert!(read(json!({"type": "feature", "summary": "x"})).contains("is not a commit type"));
        assert!(read(json!({"type": "fix", "summary": "x".repeat(68)})).contains("73 characters"));
        assert!(read(json!({"type": "fix", "summary": "a\nb"})).contains("single non-empty line"));
        assert!(read(json!({"type": "fix", "summary": "..."})).contains("non-empty"));
        assert!(read(json!({"type": "fix", "scope": "a)b", "summary": "x"})).contains("scope"));
        assert!(read(json!({"type": "fix", "summary": "x", "extra": 1})).contains("is not valid"));
        let entry = json!({"category": "News", "text": "x"});
        assert!(read(json!({"type": "fix", "summary": "x", "changelog": [entry]})).contains("category"));
        assert!(Proposal::read(json!({"type": "fix", "summary": "x".repeat(67)})).is_ok(), "72 are allowed");
    }

    #[test]
    fn an_object_is_found_among_words() {
        assert_eq!(object_in("Here:\n```json\n{\"a\": {}}\n```\n"), Some(json!({"a": {}})));
        assert_eq!(object_in("{ no }"), None);
        assert_eq!(object_in("} {"), None);
    }
}
