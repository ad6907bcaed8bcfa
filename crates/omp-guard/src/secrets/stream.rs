//! Answers as they come back, with secrets in place of placeholders even where one arrives in pieces.

use std::collections::HashMap;
use std::sync::Arc;

use omp_types::{AssistantBlock, AssistantMessage, StreamEvent, ToolCall};
use serde_json::Value;

use super::{Secrets, book, rewritten};

/// Follows one answer. What a model thinks is left as it is: providers want it back word for word.
pub struct Restorer {
    secrets: Arc<Secrets>,
    /// The unfinished end of each block.
    held: HashMap<usize, Held>,
}

/// A piece that may be the beginning of a placeholder.
struct Held {
    text: String,
    form: Form,
}

/// Where the text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// Inside JSON that is still being written.
    Json,
}

impl Restorer {
    pub fn new(secrets: Arc<Secrets>) -> Self {
        Self { secrets, held: HashMap::new() }
    }

    /// The events that take the place of these.
    pub fn batch(&mut self, events: Vec<StreamEvent>) -> Vec<StreamEvent> {
        let mut restored = Vec::with_capacity(events.len());
        for event in events {
            self.event(event, &mut restored);
        }
        restored
    }

    fn event(&mut self, mut event: StreamEvent, out: &mut Vec<StreamEvent>) {
        match &mut event {
            StreamEvent::TextDelta { content_index, delta } => {
                *delta = self.piece(*content_index, delta, Form::Plain);
                if delta.is_empty() {
                    return;
                }
            }
            StreamEvent::ToolCallDelta { content_index, delta, partial } => {
                *delta = self.piece(*content_index, delta, Form::Json);
                *partial = partial
                    .take()
                    .map(|partial| Arc::new(self.secrets.restore_arguments((*partial).clone())));
            }
            StreamEvent::TextEnd { content_index } => self.release(*content_index, out),
            StreamEvent::ToolCallEnd { content_index, tool_call } => {
                self.release(*content_index, out);
                self.call(tool_call);
            }
            StreamEvent::Done { message, .. } | StreamEvent::Error { message, .. } => {
                let mut open: Vec<usize> = self.held.keys().copied().collect();
                open.sort_unstable();
                open.into_iter().for_each(|index| self.release(index, out));
                self.message(message);
            }
            _ => {}
        }
        out.push(event);
    }

    /// What can be shown now of a block that continues.
    fn piece(&mut self, index: usize, delta: &str, form: Form) -> String {
        let before = self.held.remove(&index).map(|held| held.text).unwrap_or_default();
        let mut text = before + delta;
        let places = self.secrets.placeholders_in(&text);
        let settled = places.last().map_or(0, |place| place.end);
        let tail = text[settled..].rfind('#').map(|at| settled + at);
        if let Some(at) = tail.filter(|at| book::is_unfinished(&text[*at..])) {
            self.held.insert(index, Held { text: text.split_off(at), form });
        }
        self.restored(&text, form)
    }

    fn restored(&self, text: &str, form: Form) -> String {
        let places = self.secrets.placeholders_in(text);
        let book = self.secrets.book();
        let mut restored = String::with_capacity(text.len());
        let mut done = 0;
        for place in places {
            restored.push_str(&text[done..place.start]);
            let value = book.value(&text[place.clone()]).unwrap_or_default();
            match form {
                Form::Plain => restored.push_str(value),
                Form::Json => restored.push_str(&escaped(value)),
            }
            done = place.end;
        }
        restored.push_str(&text[done..]);
        restored
    }

    /// A block ends: what was held back was no placeholder.
    fn release(&mut self, index: usize, out: &mut Vec<StreamEvent>) {
        let Some(Held { text, form }) = self.held.remove(&index) else { return };
        out.push(match form {
            Form::Plain => StreamEvent::TextDelta { content_index: index, delta: text },
            Form::Json => StreamEvent::ToolCallDelta { content_index: index, delta: text, partial: None },
        });
    }

    fn message(&self, message: &mut AssistantMessage) {
        for block in &mut message.content {
            match block {
                AssistantBlock::Text(block) => {
                    if let Some(text) = self.secrets.restore(&block.text) {
                        block.text = text;
                    }
                }
                AssistantBlock::ToolCall(call) => self.call(call),
                AssistantBlock::Thinking(_)
                | AssistantBlock::RedactedThinking(_)
                | AssistantBlock::Native(_) => {}
            }
        }
    }

    fn call(&self, call: &mut ToolCall) {
        let restore = |text: &str| self.secrets.restore(text);
        if let Some(Value::Object(arguments)) = rewritten(&Value::Object(call.arguments.clone()), &restore) {
            call.arguments = arguments;
        }
        if let Some(raw) = &mut call.invalid_arguments {
            *raw = self.restored(raw, Form::Json);
        }
        if let Some(intent) = &mut call.intent {
            *intent = self.restored(intent, Form::Plain);
        }
    }
}

/// A text as it stands between the quotes of JSON.
fn escaped(text: &str) -> String {
    let quoted = Value::String(text.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
