//! Between a wire's answer and its reader: calls and thoughts are lifted out of the text.
//!
//! Everything else passes as it is. The message that comes out is rebuilt, so the wires know nothing of this.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use omp_types::{AssistantMessage, Message, ModelRequest, StopReason, StreamEvent};

use crate::answer::Answer;
use crate::client::BatchStream;
use crate::model::Model;
use omp_dialects::{Dialect, Piece, Scanner};

/// Why an answer's text is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifting {
    /// Tools are spoken in this dialect.
    Dialect(Dialect),
    /// The model has a native interface and spills markup now and then.
    Healing,
}

/// Wraps the events of one answer. `request` is what the caller asked, with its tools.
pub(crate) fn lift(
    lifting: Lifting,
    model: &Model,
    request: &ModelRequest,
    events: BatchStream,
) -> BatchStream {
    let lift = Lift::new(lifting, model, request);
    Box::pin(stream::unfold((lift, Some(events)), step))
}

type State = (Lift, Option<BatchStream>);

/// The next batch that is not empty. Dropping the inner stream closes its connection.
async fn step((mut lift, events): State) -> Option<(Vec<StreamEvent>, State)> {
    let mut events = events?;
    while let Some(batch) = events.next().await {
        for event in batch {
            lift.event(event);
        }
        let lifted = lift.answer.take_events();
        let rest = (!lift.is_over).then_some(events);
        if !lifted.is_empty() {
            return Some((lifted, (lift, rest)));
        }
        events = rest?;
    }
    None
}

struct Lift {
    answer: Answer,
    scanner: Scanner,
    /// The conversation, whose call ids are taken. Looked through only when a lifted call brings an id.
    messages: Vec<Arc<Message>>,
    /// The block that words go into, as long as they are of one kind.
    words: Option<(LiftedKind, usize)>,
    /// Space that is shown only if words follow.
    space: String,
    /// The lifted call that is open.
    call: Option<usize>,
    /// Where calls come from: the first channel that yields one wins.
    channel: Option<Channel>,
    /// Blocks of the wire's answer, by their index there.
    native: Vec<(usize, usize)>,
    is_over: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LiftedKind {
    Text,
    Thinking,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Channel {
    Native,
    InBand,
}

impl Lift {
    fn new(lifting: Lifting, model: &Model, request: &ModelRequest) -> Self {
        let scanner = match lifting {
            Lifting::Dialect(dialect) => Scanner::new(dialect, Arc::clone(&request.tools)),
            Lifting::Healing => Scanner::healer(Arc::clone(&request.tools)),
        };
        Self {
            answer: Answer::new(model, Default::default(), crate::client::now_ms()),
            scanner,
            messages: request.messages.clone(),
            words: None,
            space: String::new(),
            call: None,
            channel: None,
            native: Vec::new(),
            is_over: false,
        }
    }

    fn event(&mut self, event: StreamEvent) {
        if self.is_over {
            return;
        }
        match event {
            StreamEvent::Start => self.answer.start(),
            StreamEvent::TextDelta { delta, .. } => {
                let pieces = self.scanner.feed(&delta);
                self.pieces(pieces);
            }
            StreamEvent::ThinkingDelta { delta, .. } => self.words(LiftedKind::Thinking, &delta),
            StreamEvent::ToolCallStart { content_index, id, name } => {
                self.native_start(content_index, &id, &name);
            }
            StreamEvent::ToolCallDelta { content_index, delta, .. } => {
                if let Some(block) = self.native_block(content_index) {
                    self.answer.push_arguments(block, &delta);
                }
            }
            StreamEvent::ToolCallEnd { content_index, tool_call } => {
                if let Some(block) = self.native_block(content_index) {
                    self.answer.name_call(block, &tool_call.name);
                    self.answer.identify(block, tool_call.thought_signature.as_deref().unwrap_or_default());
                    self.answer.close(block);
                }
            }
            StreamEvent::Done { reason, message } => {
                let pieces = self.scanner.finish();
                self.pieces(pieces);
                self.finish(reason, Some(&message));
            }
            StreamEvent::Error { failure, message, .. } => {
                // What was held back to see whether it becomes markup was said all the same.
                let pieces = self.scanner.finish();
                self.pieces(pieces);
                if !self.is_over {
                    self.is_over = true;
                    self.describe(&message);
                    self.answer.fail(failure);
                }
            }
            StreamEvent::TextStart { .. }
            | StreamEvent::TextEnd { .. }
            | StreamEvent::ThinkingStart { .. }
            | StreamEvent::ThinkingEnd { .. } => {}
        }
        if let Some(failure) = self.answer.exceeded().filter(|_| !self.is_over) {
            self.is_over = true;
            self.answer.fail(failure);
        }
    }

    fn native_start(&mut self, index: usize, id: &str, name: &str) {
        if *self.channel.get_or_insert(Channel::Native) == Channel::Native {
            self.close_words();
            let block = self.answer.open_call(id, name);
            self.native.push((index, block));
        }
    }

    fn native_block(&self, index: usize) -> Option<usize> {
        self.native.iter().find(|(wire, _)| *wire == index).map(|(_, block)| *block)
    }

    fn pieces(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            if self.is_over {
                return;
            }
            match piece {
                Piece::Text(text) => self.words(LiftedKind::Text, &text),
                Piece::Thinking(text) => self.words(LiftedKind::Thinking, &text),
                Piece::CallStart { name, id } => self.open(&name, id.as_deref()),
                Piece::Arguments(text) => {
                    if let Some(block) = self.call {
                        self.answer.push_arguments(block, &text);
                    }
                }
                Piece::CallEnd => {
                    if let Some(block) = self.call.take() {
                        self.answer.close(block);
                    }
                }
                Piece::Truncated => {
                    if let Some(block) = self.call.take() {
                        self.answer.spoil(block);
                    }
                }
                Piece::FabricatedResult | Piece::Stop => self.finish(StopReason::Stop, None),
            }
        }
    }

    fn open(&mut self, name: &str, id: Option<&str>) {
        if *self.channel.get_or_insert(Channel::InBand) != Channel::InBand {
            return;
        }
        self.close_words();
        let taken = |id: &str| self.messages.iter().any(|message| has_call(message, id));
        let id = id.filter(|id| !taken(id)).unwrap_or_default();
        self.call = Some(self.answer.open_call(id, name));
    }

    /// Space between blocks is not worth one of its own.
    fn words(&mut self, kind: LiftedKind, text: &str) {
        let block = match self.words {
            Some((current, block)) if current == kind => block,
            _ if text.trim().is_empty() => {
                let text = self.answer.admit(text);
                self.space.push_str(text);
                return;
            }
            _ => {
                let is_first = self.answer.is_empty();
                self.close_words_keeping_space();
                let block = if kind == LiftedKind::Text {
                    self.answer.open_text()
                } else {
                    self.answer.open_thinking()
                };
                self.words = Some((kind, block));
                let space = std::mem::take(&mut self.space);
                let whole = format!("{space}{text}");
                let breaks: &[char] = if is_first { &[] } else { &['\n', '\r'] };
                self.answer.push_text(block, whole.trim_start_matches(breaks));
                return;
            }
        };
        self.answer.push_text(block, text);
    }

    fn close_words(&mut self) {
        self.space.clear();
        self.close_words_keeping_space();
    }

    fn close_words_keeping_space(&mut self) {
        if let Some((_, block)) = self.words.take() {
            self.answer.close(block);
        }
    }

    fn finish(&mut self, reason: StopReason, message: Option<&AssistantMessage>) {
        self.is_over = true;
        if let Some(message) = message {
            self.describe(message);
        }
        self.answer.finish(reason);
    }

    fn describe(&mut self, message: &AssistantMessage) {
        self.answer.set_usage(message.usage);
        self.answer.set_response_id(message.response_id.as_deref().unwrap_or_default());
        if let Some(words) = &message.error_message {
            self.answer.remark(words);
        }
    }
}

fn has_call(message: &Message, id: &str) -> bool {
    message.as_assistant().is_some_and(|answer| answer.tool_calls().any(|call| call.id == id))
}
