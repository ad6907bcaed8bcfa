//! Text mode: nothing but the final answer on standard output.

use omp_sdk::{Listener, Outcome};
use omp_types::{AgentEvent, AssistantBlock, AssistantMessage, StopReason};

use crate::output::{self, Stream, sanitize};

/// Tells a person who waits why it takes longer.
pub(crate) struct Progress;

impl Listener for Progress {
    fn event(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let seconds = delay_ms.div_ceil(1000);
                output::note(&format!("Retrying ({attempt}/{max_attempts}) in {seconds}s… {}", sanitize(&error_message)));
            }
            AgentEvent::AutoRetryEnd { success: false, attempt, final_error } => {
                let error = sanitize(&final_error.unwrap_or_default());
                output::note(&format!("Retry failed after {attempt} attempts: {error}"));
            }
            AgentEvent::RetryFallbackApplied(switch) => {
                output::note(&format!("{} failed; continuing with {}.", switch.from, switch.to));
            }
            AgentEvent::Notice { message } => output::note(&sanitize(&message)),
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

/// Prints the last answer; the exit code is 1 when it failed.
pub(crate) async fn finish(outcome: &Outcome, thoughts: Thoughts) -> u8 {
    let Some(answer) = outcome.last_answer() else {
        return output::fail("the model gave no answer", &[]);
    };
    let text = render(answer, thoughts);
    // A reader may be slow; signals are still answered while it is.
    let printed = tokio::task::spawn_blocking(move || output::print(Stream::Out, &text)).await.unwrap_or(1);
    let failed = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    if let Some(error) = &answer.error_message {
        output::note(&format!("{}{}", if failed { "Error: " } else { "" }, sanitize(error)));
    }
    if failed { 1 } else { printed }
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
            text.push_str(&sanitize(shown));
            text.push('\n');
        }
    }
    text
}
