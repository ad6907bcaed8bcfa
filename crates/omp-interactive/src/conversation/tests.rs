//! What events become on the screen.

use omp_theme::Theme;
use omp_tui::component::Component as _;
use omp_types::{MessageUpdate, ToolCall};
use serde_json::json;

use super::*;

struct Shown {
    transcript: Transcript,
    conversation: Conversation,
}

impl Shown {
    fn new() -> Self {
        let stage = Stage::new(Theme::built_in("dark").expect("a built-in theme"));
        Self { transcript: Transcript::new(), conversation: Conversation::new(stage) }
    }

    fn event(&mut self, event: &AgentEvent) -> &mut Self {
        self.conversation.event(&mut self.transcript, event, Duration::ZERO);
        self
    }

    fn stream(&mut self, event: StreamEvent) -> &mut Self {
        self.event(&AgentEvent::MessageUpdate(MessageUpdate { assistant_message_event: event }))
    }

    fn text(&mut self) -> String {
        let rows = self.transcript.layout(80).rows;
        (0..rows).map(|row| self.transcript.row(row).text() + "\n").collect()
    }
}

fn answer(call: ToolCall, stop_reason: StopReason) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage {
        content: vec![AssistantBlock::ToolCall(call)],
        api: String::new(),
        provider: String::new(),
        model: String::new(),
        response_id: None,
        usage: omp_types::Usage::default(),
        stop_reason,
        error_message: None,
        timestamp: 0,
    }))
}

fn call() -> ToolCall {
    let arguments = json!({ "command": "cargo test --workspace" });
    ToolCall {
        id: "1".to_owned(),
        name: "bash".to_owned(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }
}

/// A stream that says how a call begins and not how it ends: the arguments are complete with the answer, and not if that
/// was broken off.
///
/// proves: TUI-093
#[test]
fn arguments_are_complete_when_the_answer_is() {
    let begin = |shown: &mut Shown| {
        let partial = json!({ "command": "cargo" }).as_object().cloned().unwrap_or_default();
        shown
            .stream(StreamEvent::ToolCallStart {
                content_index: 0,
                id: "1".to_owned(),
                name: "bash".to_owned(),
            })
            .stream(StreamEvent::ToolCallDelta {
                content_index: 0,
                delta: String::new(),
                partial: Some(Arc::new(partial)),
            });
    };
    let mut shown = Shown::new();
    begin(&mut shown);
    let pending = shown.text();
    assert!(pending.contains("cargo") && !pending.contains("--workspace"), "{pending}");
    shown.event(&AgentEvent::MessageEnd { message: answer(call(), StopReason::ToolUse) });
    assert!(shown.text().contains("cargo test --workspace"), "{}", shown.text());

    let mut broken = Shown::new();
    begin(&mut broken);
    broken.event(&AgentEvent::MessageEnd { message: answer(call(), StopReason::Aborted) });
    assert!(!broken.text().contains("--workspace"), "{}", broken.text());
}
