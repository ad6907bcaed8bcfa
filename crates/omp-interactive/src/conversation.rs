//! From what happens in a session to blocks on the screen.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use omp_tui::text::Line;
use omp_tui::transcript::Transcript;
use omp_types::{
    AgentEvent, AssistantBlock, AssistantMessage, BashExecution, CustomMessage, Message, StopReason,
    StreamEvent, ToolOutput, UserBlock, UserContent,
};
use omp_view::Look;
use omp_view::bang::{BangState, BangView};
use omp_view::message::{self, Level, TextKind};

use crate::blocks::{
    Bang, Behind, Calls, Divider, Fold, Folds, OwnMessage, Pictured, Prose, Servers, Shared, Still,
};
use crate::stage::Stage;

/// What of the conversation may still change.
pub(crate) struct Conversation {
    stage: Stage,
    /// Text and thoughts of the answer that is arriving, by their place in it.
    prose: HashMap<usize, Shared<Prose>>,
    /// The calls of the answer that is arriving, by their place in it.
    arriving: HashMap<usize, String>,
    calls: HashMap<String, Shared<Calls>>,
    /// The block that another read would join.
    reads: Option<Shared<Calls>>,
    /// The divider that nothing follows yet: it can still be opened.
    divider: Option<Shared<Divider>>,
    /// What can be looked at whole.
    folds: Folds,
    /// A response that failed before it showed anything. A retry replaces it.
    failed: Option<AssistantMessage>,
    /// Why the request is retried, while it is.
    retried: Option<String>,
}

impl Conversation {
    pub(crate) fn new(stage: Stage) -> Self {
        Self {
            stage,
            prose: HashMap::new(),
            arriving: HashMap::new(),
            calls: HashMap::new(),
            reads: None,
            divider: None,
            folds: Folds::default(),
            failed: None,
            retried: None,
        }
    }

    /// Is there something on the screen that can still become longer or shorter?
    pub(crate) fn is_open(&self) -> bool {
        self.divider.is_some() || !self.calls.is_empty()
    }

    /// What can be looked at whole, oldest first.
    pub(crate) fn folds(&self) -> Vec<Fold> {
        self.folds.list()
    }

    /// Takes an event of the session.
    pub(crate) fn event(&mut self, to: &mut Transcript, event: &AgentEvent, now: Duration) {
        if self.retry_event(to, event) {
            return;
        }
        self.show_failed(to);
        match event {
            AgentEvent::MessageStart { message } => self.message(to, message),
            AgentEvent::MessageUpdate(update) => self.stream(to, &update.assistant_message_event),
            AgentEvent::MessageEnd { message } => {
                if let Message::Assistant(answer) = &**message {
                    self.answered(to, answer, now);
                }
            }
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args, intent } => {
                let calls = self.call(to, tool_call_id, tool_name);
                let empty = serde_json::Map::new();
                let arguments = args.as_object().unwrap_or(&empty);
                calls.with(|calls| {
                    calls.arguments_complete(tool_call_id, arguments, intent.as_deref());
                    calls.start(tool_call_id, now);
                });
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, partial_result, .. } => {
                if let Some(calls) = self.calls.get(tool_call_id) {
                    calls.with(|calls| calls.update(tool_call_id, partial_result.clone()));
                }
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error } => {
                let calls = self.call(to, tool_call_id, tool_name);
                calls.with(|calls| calls.finish(tool_call_id, result.clone(), *is_error, now));
                self.calls.remove(tool_call_id);
            }
            AgentEvent::AgentEnd { .. } => self.settle(now),
            AgentEvent::AutoCompactionEnd { result: Some(result), .. } => {
                let behind = Behind::Compaction { tokens_before: result.tokens_before };
                self.divide(to, behind, result.summary.clone());
            }
            AgentEvent::Notice { message } => self.say(to, Level::Warning, message),
            AgentEvent::RetryFallbackApplied(switch) => {
                self.say(
                    to,
                    Level::Warning,
                    &format!("{} failed; continuing with {}", switch.from, switch.to),
                );
            }
            AgentEvent::ContextPromoted { from, to: larger } => {
                let text = format!("The conversation no longer fits {from}; continuing with {larger}");
                self.say(to, Level::Warning, &text);
            }
            _ => {}
        }
    }

    /// Retries are one row above the editor; what is left of them is how they ended. Says whether the event was one of theirs.
    fn retry_event(&mut self, to: &mut Transcript, event: &AgentEvent) -> bool {
        match event {
            AgentEvent::AutoRetryStart { error_message, .. } => {
                self.failed = None;
                self.retried = Some(error_message.clone());
            }
            AgentEvent::AutoRetryEnd { success, attempt, final_error } => {
                let reason = self.retried.take().unwrap_or_default();
                if !success {
                    self.failed = None;
                    let error = final_error.as_deref().unwrap_or_default();
                    let (level, text) = message::retries_ended(*attempt, error, &reason);
                    self.say(to, level, &text);
                }
            }
            _ => return false,
        }
        true
    }

    /// Shows the failure that nothing replaces.
    fn show_failed(&mut self, to: &mut Transcript) {
        if let Some(answer) = self.failed.take() {
            self.show(to, move |look| message::annotation(look, &answer));
        }
    }

    /// Shows a conversation that was loaded.
    pub(crate) fn replay(&mut self, to: &mut Transcript, messages: &[Arc<Message>]) {
        for message in messages {
            self.show_failed(to);
            match &**message {
                Message::Assistant(answer) => {
                    for (index, block) in answer.content.iter().enumerate() {
                        self.replay_block(to, index, block);
                    }
                    self.answered(to, answer, Duration::ZERO);
                }
                Message::ToolResult(result) => {
                    if let Some(calls) = self.calls.remove(&result.tool_call_id) {
                        let output =
                            ToolOutput { content: result.content.clone(), details: result.details.clone() };
                        calls.with(|calls| {
                            calls.finish(&result.tool_call_id, output, result.is_error, Duration::ZERO);
                        });
                    }
                }
                Message::Custom(custom) if BashExecution::of(custom).is_some() => {
                    BashExecution::of(custom).iter().for_each(|execution| self.replay_command(to, execution));
                }
                Message::User(_) | Message::Custom(_) => self.message(to, message),
            }
        }
        self.show_failed(to);
        self.settle(Duration::ZERO);
    }

    /// A command that the user ran.
    fn replay_command(&mut self, to: &mut Transcript, execution: &BashExecution) {
        let mut view = BangView::new(&execution.command);
        if execution.exclude_from_context {
            view = view.hidden_from_model();
        }
        view.replace(&execution.output);
        let state = match execution.exit_code {
            Some(code) => BangState::Exited(code),
            None if execution.cancelled => BangState::Cancelled,
            None => BangState::Failed("exit status unknown".to_owned()),
        };
        let mut bang = Bang::new(self.stage.clone(), view);
        bang.finish(state, execution.full_output_path.clone().filter(|_| execution.truncated));
        self.show_command(to, bang);
    }

    /// A command of the user, which may still run.
    pub(crate) fn show_command(&mut self, to: &mut Transcript, bang: Bang) -> Shared<Bang> {
        self.interrupt();
        let bang = Shared::new(bang);
        to.push(Box::new(bang.clone()));
        self.folds.push(bang.fold());
        bang
    }

    fn replay_block(&mut self, to: &mut Transcript, index: usize, block: &AssistantBlock) {
        match block {
            AssistantBlock::Text(block) => {
                self.prose(to, index, TextKind::Answer).with(|prose| prose.push(&block.text));
            }
            AssistantBlock::Thinking(block) => {
                self.prose(to, index, TextKind::Thinking).with(|prose| prose.push(&block.thinking));
            }
            AssistantBlock::ToolCall(call) => {
                let calls = self.call(to, &call.id, &call.name);
                calls.with(|calls| {
                    calls.arguments_complete(&call.id, &call.arguments, call.intent.as_deref());
                });
            }
            _ => {}
        }
    }

    /// Time goes by. Says whether that shows.
    pub(crate) fn tick(&mut self, now: Duration) -> bool {
        let mut shows = false;
        for calls in self.calls.values() {
            shows |= calls.with(|calls| calls.tick(now));
        }
        shows
    }

    /// A remark of the program, in the conversation but not part of it.
    pub(crate) fn say(&mut self, to: &mut Transcript, level: Level, text: &str) {
        let text = text.to_owned();
        self.show(to, move |look| message::notice(look, level, &text));
    }

    /// A place for language servers.
    pub(crate) fn show_servers(&mut self, to: &mut Transcript) -> Shared<Servers> {
        self.interrupt();
        let servers = Shared::new(Servers::new(self.stage.clone()));
        to.push(Box::new(servers.clone()));
        servers
    }

    /// Rows of the program's own making.
    pub(crate) fn show(&mut self, to: &mut Transcript, draw: impl Fn(&Look) -> Vec<Line> + 'static) {
        self.interrupt();
        to.push(Box::new(Still::new(self.stage.clone(), draw)));
    }

    fn message(&mut self, to: &mut Transcript, message: &Message) {
        match message {
            Message::User(message) => {
                let message = message.clone();
                let content = message.content.clone();
                let words = self.stage.keywords(&message.content.text());
                self.show(to, move |look| message::user_with(look, &message, &words));
                self.show_pictures(to, &content);
            }
            // The command is on the screen since it began.
            Message::Custom(message) if message.custom_type == BashExecution::ROLE => {}
            Message::Custom(message) if message.custom_type == omp_sdk::Transcript::COMPACTION => {
                let tokens = message.details.as_ref().and_then(|details| details["tokensBefore"].as_u64());
                let behind = Behind::Compaction { tokens_before: tokens.unwrap_or(0) };
                self.divide(to, behind, message.content.text());
            }
            Message::Custom(message) if message.custom_type == omp_sdk::Transcript::EARLIER => {
                self.say(to, Level::Info, &message.content.text());
            }
            Message::Custom(message) if message.custom_type == omp_sdk::Transcript::BRANCH_SUMMARY => {
                self.divide(to, Behind::Branch, message.content.text());
            }
            Message::Custom(message) if message.display => {
                self.custom(to, message);
            }
            Message::Assistant(_) => {
                self.prose.clear();
                self.arriving.clear();
            }
            Message::ToolResult(_) | Message::Custom(_) => {}
        }
    }

    /// A message of an extension, as it draws it.
    fn custom(&mut self, to: &mut Transcript, message: &CustomMessage) {
        self.interrupt();
        let drawn = self.stage.parts().message(&message.custom_type);
        to.push(Box::new(OwnMessage::new(self.stage.clone(), message.clone(), drawn)));
    }

    /// The place where the conversation before was summarized, or another branch left.
    fn divide(&mut self, to: &mut Transcript, behind: Behind, summary: String) {
        self.interrupt();
        let divider = Shared::new(Divider::new(self.stage.clone(), behind, summary));
        to.push(Box::new(divider.clone()));
        self.folds.push(divider.fold());
        self.divider = Some(divider);
    }

    /// Shows the pictures of a message below it.
    fn show_pictures(&mut self, to: &mut Transcript, content: &UserContent) {
        let UserContent::Blocks(blocks) = content else { return };
        let pictures = blocks.iter().filter_map(|block| match block {
            UserBlock::Image(image) => Some(image),
            UserBlock::Text(_) => None,
        });
        for picture in pictures {
            let pictured = Shared::new(Pictured::new(self.stage.pictures()));
            let block = to.push(Box::new(pictured.clone()));
            pictured.with(|pictured| {
                pictured.belongs_to(block);
                pictured.add(picture);
            });
        }
    }

    fn stream(&mut self, to: &mut Transcript, event: &StreamEvent) {
        match event {
            StreamEvent::TextDelta { content_index, delta } => {
                self.prose(to, *content_index, TextKind::Answer).with(|prose| prose.push(delta));
            }
            StreamEvent::ThinkingDelta { content_index, delta } => {
                self.prose(to, *content_index, TextKind::Thinking).with(|prose| prose.push(delta));
            }
            StreamEvent::TextEnd { content_index } | StreamEvent::ThinkingEnd { content_index } => {
                if let Some(prose) = self.prose.get(content_index) {
                    prose.with(Prose::finish);
                }
            }
            StreamEvent::ToolCallStart { content_index, id, name } => {
                self.arriving.insert(*content_index, id.clone());
                self.call(to, id, name);
            }
            StreamEvent::ToolCallDelta { content_index, partial: Some(partial), .. } => {
                if let Some(id) = self.arriving.get(content_index)
                    && let Some(calls) = self.calls.get(id)
                {
                    calls.with(|calls| calls.arguments_so_far(id, partial));
                }
            }
            StreamEvent::ToolCallEnd { tool_call: call, .. } => {
                let calls = self.call(to, &call.id, &call.name);
                calls.with(|calls| {
                    calls.arguments_complete(&call.id, &call.arguments, call.intent.as_deref());
                });
            }
            _ => {}
        }
    }

    /// An answer is complete, or will not become so.
    fn answered(&mut self, to: &mut Transcript, answer: &AssistantMessage, now: Duration) {
        for (_, prose) in self.prose.drain() {
            prose.with(Prose::finish);
        }
        let broken = matches!(answer.stop_reason, StopReason::Aborted | StopReason::Error);
        if broken {
            for id in self.arriving.values() {
                if let Some(calls) = self.calls.remove(id) {
                    calls.with(|calls| calls.give_up(now));
                }
            }
        }
        for call in answer.tool_calls().filter(|_| !broken) {
            // Whatever came of the stream, these are the arguments.
            if let Some(calls) = self.calls.get(&call.id) {
                calls.with(|calls| {
                    calls.arguments_complete(&call.id, &call.arguments, call.intent.as_deref());
                });
            }
        }
        self.arriving.clear();
        let ordinary =
            matches!(answer.stop_reason, StopReason::Stop | StopReason::ToolUse | StopReason::Pause);
        match (&answer.error_message, ordinary) {
            (Some(error), true) => self.say(to, Level::Warning, error),
            (None, true) => {}
            // Stopping a retry is said once.
            (_, false) if broken && answer.content.is_empty() && self.may_be_retried(answer) => {
                self.failed = Some(answer.clone());
            }
            (_, false) => {
                let answer = answer.clone();
                self.show(to, move |look| message::annotation(look, &answer));
            }
        }
    }

    fn may_be_retried(&self, answer: &AssistantMessage) -> bool {
        answer.stop_reason == StopReason::Error || self.retried.is_some()
    }

    /// Nothing runs any more.
    fn settle(&mut self, now: Duration) {
        self.close_reads();
        for (_, calls) in self.calls.drain() {
            calls.with(|calls| calls.give_up(now));
        }
        for (_, prose) in self.prose.drain() {
            prose.with(Prose::finish);
        }
    }

    fn prose(&mut self, to: &mut Transcript, index: usize, kind: TextKind) -> Shared<Prose> {
        if let Some(known) = self.prose.get(&index) {
            return known.clone();
        }
        self.interrupt();
        let prose = Shared::new(Prose::new(self.stage.clone(), kind));
        to.push(Box::new(prose.clone()));
        self.prose.insert(index, prose.clone());
        prose
    }

    fn call(&mut self, to: &mut Transcript, id: &str, name: &str) -> Shared<Calls> {
        if let Some(known) = self.calls.get(id) {
            return known.clone();
        }
        let joined = self.reads.clone().filter(|reads| name == "read" && reads.with(|reads| reads.join(id)));
        let calls = match joined {
            Some(reads) => reads,
            None => {
                self.interrupt();
                let calls = Shared::new(Calls::new(self.stage.clone(), id, name));
                let block = to.push(Box::new(calls.clone()));
                calls.with(|calls| calls.stands_at(block));
                self.folds.push(calls.fold());
                calls
            }
        };
        self.reads = (name == "read").then(|| calls.clone());
        self.calls.insert(id.to_owned(), calls.clone());
        calls
    }

    /// Something else comes: the next read begins a block of its own.
    fn interrupt(&mut self) {
        self.close_reads();
        if let Some(divider) = self.divider.take() {
            divider.with(Divider::close);
        }
    }

    fn close_reads(&mut self) {
        if let Some(reads) = self.reads.take() {
            reads.with(Calls::close);
        }
    }
}
