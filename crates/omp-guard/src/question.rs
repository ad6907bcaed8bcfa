//! The question a person is asked about a call.

use std::fmt::Write as _;

use omp_types::{Approval, ApprovalDetail};

/// As much of a value as a question shows, in characters.
const SHOWN: usize = 2000;

/// Everything about a call that helps to decide it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub tool: String,
    pub reason: Option<String>,
    pub details: Vec<ApprovalDetail>,
    /// The server of the tool is somebody else's and says nothing about what it does.
    pub foreign: bool,
}

impl Question {
    /// `declares`: the tool says itself what its calls do.
    pub fn new(tool: &str, approval: &Approval, declares: bool, details: Vec<ApprovalDetail>) -> Self {
        Self {
            tool: tool.to_owned(),
            reason: approval.reason.as_ref().map(|reason| reason.clone().into_owned()),
            details,
            foreign: !declares && tool.starts_with("mcp__"),
        }
    }

    /// The question as lines of text.
    pub fn text(&self) -> String {
        let mut text = format!("Allow tool: {}", self.tool);
        if self.foreign {
            text.push_str("\nOrigin: MCP server tool");
        }
        if let Some(reason) = &self.reason {
            let _ = write!(text, "\nReason: {reason}");
        }
        for ApprovalDetail { label, value } in &self.details {
            let _ = write!(text, "\n{label}: {}", shortened(value));
        }
        text
    }
}

/// The beginning of a long value and how much is missing.
fn shortened(value: &str) -> String {
    let total = value.chars().count();
    if total <= SHOWN {
        return value.to_owned();
    }
    let head: String = value.chars().take(SHOWN).collect();
    format!("{head}… ({} more characters)", total - SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail(label: &'static str, value: &str) -> ApprovalDetail {
        ApprovalDetail { label, value: value.to_owned() }
    }

    #[test]
    fn the_origin_is_named_where_nothing_is_declared() {
        let question = |tool, declares| Question::new(tool, &Approval::EXEC, declares, Vec::new()).text();
        assert_eq!(
            question("mcp__files__delete", false),
            "Allow tool: mcp__files__delete\nOrigin: MCP server tool"
        );
        assert_eq!(question("mcp__files__delete", true), "Allow tool: mcp__files__delete");
        assert_eq!(question("mine", false), "Allow tool: mine");
    }

    /// A long value is cut, whole characters at a time, and says by how much.
    // proves: TSN-064
    #[test]
    fn long_values_are_cut() {
        let text =
            |value: &str| Question::new("bash", &Approval::EXEC, true, vec![detail("Command", value)]).text();
        let fits = "ä".repeat(2000);
        assert_eq!(text(&fits), format!("Allow tool: bash\nCommand: {fits}"));
        let long = "x".repeat(5000);
        assert_eq!(
            text(&long),
            format!("Allow tool: bash\nCommand: {}… (3000 more characters)", &long[..2000])
        );
    }
}
