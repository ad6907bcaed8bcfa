//! Text mode: nothing but the final answer on standard output.

use omp_sdk::{Listener, Outcome};
use omp_types::{AgentEvent, AssistantBlock, AssistantMessage, StopReason};

use crate::output;

/// Tells a person who waits why it takes longer.
pub(crate) struct Progress;

impl Listener for Progress {
    fn event(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let seconds = delay_ms.div_ceil(1000);
                output::note(&format!("Retrying ({attempt}/{max_attempts}) in {seconds}s… {error_message}"));
            }
            AgentEvent::AutoRetryEnd { success: false, attempt, final_error } => {
                let error = final_error.unwrap_or_default();
                output::note(&format!("Retry failed after {attempt} attempts: {error}"));
            }
            AgentEvent::RetryFallbackApplied(switch) => {
                output::note(&format!("{} failed; continuing with {}", switch.from, switch.to));
            }
            AgentEvent::ContextPromoted { from, to } => {
                output::note(&format!(
                    "The conversation exceeds the context window of {from}; continuing \
                     with {to}"
                ));
            }
            AgentEvent::Notice { message } => output::note(&message),
            AgentEvent::MessageEnd { message } => {
                // Of the last answer it is told with the answer.
                let answer =
                    message.as_assistant().filter(|answer| answer.stop_reason == StopReason::ToolUse);
                answer
                    .and_then(|answer| answer.error_message.as_deref())
                    .iter()
                    .for_each(|remark| output::note(remark));
            }
            AgentEvent::AutoCompactionStart { .. } => {
                output::note("Context window almost full; compacting…");
            }
            AgentEvent::AutoCompactionEnd { error_message: Some(error), .. } => {
                output::note(&error);
            }
            _ => {}
        }
    }
}

/// What of the answer is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thoughts {
    Hidden,
    Shown,
}

/// What the last answer leads to.
struct Report {
    text: String,
    /// For standard error.
    note: Option<String>,
    code: u8,
}

impl Report {
    /// An answer that ended in error or abort fails the program; an error text on a good one is only told.
    fn of(answer: &AssistantMessage, thoughts: Thoughts) -> Self {
        let failed = is_broken_off(answer);
        let prefix = if failed { "Error: " } else { "" };
        let note = answer.error_message.as_ref().map(|error| format!("{prefix}{error}"));
        Self { text: render(answer, thoughts), note, code: u8::from(failed) }
    }
}

/// Did the work end before the model had said its last word? A run that stops behind calls was stopped.
pub(crate) fn is_broken_off(answer: &AssistantMessage) -> bool {
    matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
        || answer.tool_calls().next().is_some()
}

/// Prints the last answer; the exit code is 1 when it failed.
pub(crate) async fn finish(outcome: &Outcome, thoughts: Thoughts) -> u8 {
    if outcome.handled {
        return 0;
    }
    let Some(answer) = outcome.last_answer() else {
        return output::fail("the model gave no answer", &[]);
    };
    let Report { text, note, code } = Report::of(answer, thoughts);
    // A reader may be slow; signals are still answered while it is.
    let printed = tokio::task::spawn_blocking(move || output::print_prose(&text)).await.unwrap_or(1);
    if let Some(note) = note {
        output::note(&note);
    }
    code.max(printed)
}

fn render(answer: &AssistantMessage, thoughts: Thoughts) -> String {
    let mut text = String::new();
    for block in &answer.content {
        let shown = match block {
            AssistantBlock::Text(block) => &block.text,
            AssistantBlock::Thinking(block) if thoughts == Thoughts::Shown => &block.thinking,
            _ => continue,
        };
        if !shown.is_empty() {
            text.push_str(shown);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use omp_types::{TextBlock, Usage};

    use super::*;

    // proves: CLI-053
    #[test]
    fn an_error_text_on_a_good_answer_does_not_fail_it() {
        let mut answer = AssistantMessage {
            content: vec![AssistantBlock::Text(TextBlock { text: "fine".to_owned(), text_signature: None })],
            api: String::new(),
            provider: String::new(),
            model: String::new(),
            response_id: None,
            usage: Usage::default(),
            stop_reason: StopReason::Stop,
            error_message: Some("a hiccup".to_owned()),
            timestamp: 0,
        };
        let report = Report::of(&answer, Thoughts::Hidden);
        assert_eq!(
            (report.text.as_str(), report.note.as_deref(), report.code),
            ("fine\n", Some("a hiccup"), 0)
        );
        answer.stop_reason = StopReason::Error;
        let report = Report::of(&answer, Thoughts::Hidden);
        assert_eq!((report.note.as_deref(), report.code), (Some("Error: a hiccup"), 1));
    }
}
