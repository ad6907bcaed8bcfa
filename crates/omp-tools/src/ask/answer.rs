//! What the model reads about the answers.

use omp_types::ToolOutput;
use serde_json::{Value, json};

use super::dialog::{AskAnswer, AskQuestion};

const AFTER_TIMEOUT: &str = " (auto-selected after timeout)";

/// A question with its answer.
pub(super) struct Answered<'a> {
    question: &'a AskQuestion,
    selected: Vec<&'a str>,
    custom: Option<String>,
    timed_out: bool,
}

impl<'a> Answered<'a> {
    pub(super) fn new(question: &'a AskQuestion, answer: Option<AskAnswer>) -> Self {
        let AskAnswer { selected, custom } = answer.unwrap_or_default();
        let label = |index: usize| question.options.get(index).map(|option| option.label.as_str());
        let selected = selected.into_iter().filter_map(label).collect();
        let custom = custom.filter(|words| !words.trim().is_empty());
        Self { question, selected, custom, timed_out: false }
    }

    /// Nobody answered in time.
    pub(super) fn by_itself(question: &'a AskQuestion) -> Self {
        let selected = question.fallback().into_iter().collect();
        Self { timed_out: true, ..Self::new(question, Some(AskAnswer { selected, custom: None })) }
    }

    fn suffix(&self) -> &'static str {
        if self.timed_out { AFTER_TIMEOUT } else { "" }
    }

    /// The whole answer to a single question.
    fn text(&self) -> String {
        let mut rows = Vec::new();
        if !self.selected.is_empty() {
            rows.push(format!("User selected: {}", self.selected.join(", ")));
        }
        if let Some(custom) = &self.custom {
            rows.push(format!("User provided custom input: {custom}"));
        }
        if rows.is_empty() {
            rows.push("User gave no answer.".to_owned());
        }
        rows.join("\n") + self.suffix()
    }

    /// One of several answers.
    fn row(&self) -> String {
        let mut parts = Vec::new();
        match self.question.multi {
            true if !self.selected.is_empty() => parts.push(format!("[{}]", self.selected.join(", "))),
            _ => parts.extend(self.selected.iter().map(|label| (*label).to_owned())),
        }
        parts.extend(self.custom.iter().map(|words| format!("\"{words}\"")));
        let answer = if parts.is_empty() { "(no answer)".to_owned() } else { parts.join(", ") };
        format!("{}: {answer}{}", self.question.id, self.suffix())
    }

    fn details(&self) -> Value {
        let options: Vec<&str> = self.question.options.iter().map(|option| option.label.as_str()).collect();
        let mut details = json!({
            "question": self.question.question,
            "options": options,
            "multi": self.question.multi,
            "selectedOptions": self.selected,
        });
        if let Some(custom) = &self.custom {
            details["customInput"] = json!(custom);
        }
        if self.timed_out {
            details["timedOut"] = json!(true);
        }
        details
    }
}

/// The result of a call.
pub(super) fn result(answers: &[Answered<'_>]) -> ToolOutput {
    if let [one] = answers {
        return ToolOutput::text(one.text()).with_details(one.details());
    }
    let rows: Vec<String> = answers.iter().map(Answered::row).collect();
    let with_id = |one: &Answered<'_>| {
        let mut details = one.details();
        details["id"] = json!(one.question.id);
        details
    };
    let details: Vec<Value> = answers.iter().map(with_id).collect();
    ToolOutput::text(format!("User answers:\n{}", rows.join("\n")))
        .with_details(json!({ "results": details }))
}
