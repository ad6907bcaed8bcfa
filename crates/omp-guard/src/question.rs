//! The question a person is asked about a call.

use std::fmt::Write as _;

use omp_types::{Approval, ApprovalDetail};

/// As much of a value as a question shows, in characters.
const SHOWN: usize = 2000;
/// How much of that is its end.
const SHOWN_END: usize = 500;

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

    /// What is asked.
    pub fn title(&self) -> String {
        format!("Allow tool: {}", self.tool)
    }

    /// What helps to decide: labels and their values, which may have many lines.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        let origin = self.foreign.then_some(("Origin", "MCP server tool"));
        let reason = self.reason.as_deref().map(|reason| ("Reason", reason));
        let details = self.details.iter().map(|detail| (detail.label, detail.value.as_str()));
        origin.into_iter().chain(reason).chain(details)
    }

    /// The question as lines of text. The further lines of a value are indented: what a model wrote must not look like
    /// a line of ours.
    pub fn text(&self) -> String {
        let mut text = self.title();
        for (label, value) in self.values() {
            let value =
                if label == ApprovalDetail::DIFFERENCE { format!("\n{value}") } else { shortened(value) };
            let _ = write!(text, "\n{label}: {}", value.lines().collect::<Vec<_>>().join("\n  "));
        }
        text
    }
}

/// Both ends of a long value and how much is missing: what matters may stand at either.
fn shortened(value: &str) -> String {
    let total = value.chars().count();
    if total <= SHOWN {
        return value.to_owned();
    }
    let head: String = value.chars().take(SHOWN - SHOWN_END).collect();
    let tail: String = value.chars().skip(total - SHOWN_END).collect();
    format!("{head}… ({} more characters) …{tail}", total - SHOWN)
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
        let long = format!("{}{}", "x".repeat(4500), "y".repeat(500));
        assert_eq!(
            text(&long),
            format!(
                "Allow tool: bash\nCommand: {}… (3000 more characters) …{}",
                &long[..1500],
                &long[4500..]
            )
        );
    }

    /// What a model writes cannot pass for what we say about it.
    #[test]
    fn a_value_cannot_look_like_another_line() {
        let command = "rm -rf /\nReason: harmless\r\nPath: /tmp";
        let question = Question::new("bash", &Approval::EXEC, true, vec![detail("Command", command)]);
        let expected = "Allow tool: bash\nCommand: rm -rf /\n  Reason: harmless\n  Path: /tmp";
        assert_eq!(question.text(), expected);
        assert!(question.values().eq([("Command", command)]));
    }
}
