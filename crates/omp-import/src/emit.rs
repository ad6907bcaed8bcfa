//! Making entries: ids, times and counts in one place.

use std::io;
use std::sync::Arc;

use omp_session::{
    Attribution, Compaction, Custom, CustomMessageEntry, Entry, EntryKind, Label, MessageEntry,
    ThinkingLevelChange,
};
use omp_types::{
    AssistantMessage, Message, ToolCall, ToolResultMessage, UserBlock, UserContent, UserMessage,
};
use serde_json::{Value, json};

use crate::error::Trouble;
use crate::facts::Facts;
use crate::json::kind;
use crate::lines::{LONGEST_LINE, Line};
use crate::report::Report;
use crate::sink::Sink;
use crate::source::Source;
use crate::thread::Thread;
use crate::time;

/// The `customType` of the last entry of every imported session: where it comes from, and the report.
pub const MARK: &str = "import";

/// What the model and people read where the other program did not record how a call ended.
const NO_RESULT: &str =
    "No result: the other program recorded this call but not how it ended. The session was imported.";

/// An entry that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn text(self) -> String {
        format!("{:08x}", self.0)
    }
}

/// Hands entries to the sink. Ids count from one, so that the same file gives the same entries every time.
pub(crate) struct Emitter<'a> {
    sink: &'a mut dyn Sink,
    source: Source,
    made: u32,
    /// The time of the record at hand, or of the last one that had a time.
    now: u64,
    pub(crate) report: Report,
}

impl<'a> Emitter<'a> {
    pub(crate) fn begin(sink: &'a mut dyn Sink, facts: &Facts) -> Result<Self, Trouble> {
        sink.begin(facts).map_err(Trouble::Writing)?;
        Ok(Self { sink, source: facts.source, made: 0, now: facts.started, report: Report::default() })
    }

    /// Entries are of this time from now on.
    pub(crate) fn at(&mut self, time: Option<u64>) {
        self.now = time.unwrap_or(self.now);
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    pub(crate) fn emit(&mut self, parent: Option<Id>, kind: EntryKind) -> Result<Id, Trouble> {
        let full = || Trouble::Writing(io::Error::other("the session has too many entries"));
        self.made = self.made.checked_add(1).ok_or_else(full)?;
        let id = Id(self.made);
        let parent_id = parent.map(Id::text);
        let entry = Entry { id: id.text(), parent_id, timestamp: time::write(self.now), kind };
        self.sink.entry(&entry).map_err(Trouble::Writing)?;
        Ok(id)
    }

    pub(crate) fn message(&mut self, parent: Option<Id>, message: Message) -> Result<Id, Trouble> {
        match &message {
            Message::User(_) => self.report.user_messages += 1,
            Message::Assistant(_) => self.report.answers += 1,
            Message::ToolResult(_) => self.report.results += 1,
            Message::Custom(_) => {}
        }
        self.emit(parent, EntryKind::Message(MessageEntry { message: Arc::new(message) }))
    }

    pub(crate) fn user(&mut self, parent: Option<Id>, content: Vec<UserBlock>) -> Result<Id, Trouble> {
        let message = UserMessage {
            content: UserContent::Blocks(content),
            steering: false,
            sealed: None,
            timestamp: self.now,
        };
        self.message(parent, Message::User(message))
    }

    pub(crate) fn answer(&mut self, parent: Option<Id>, answer: AssistantMessage) -> Result<Id, Trouble> {
        self.message(parent, Message::Assistant(answer))
    }

    /// The result that a call gets which has none.
    pub(crate) fn close(&mut self, parent: Option<Id>, call: &ToolCall) -> Result<Id, Trouble> {
        self.report.closed_calls += 1;
        let message = ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: vec![UserBlock::text(NO_RESULT)],
            details: None,
            is_error: true,
            timestamp: self.now,
        };
        self.emit(
            parent,
            EntryKind::Message(MessageEntry { message: Arc::new(Message::ToolResult(message)) }),
        )
    }

    /// Something the model reads and people do not: what the other program put into the conversation.
    pub(crate) fn aside(
        &mut self,
        parent: Option<Id>,
        kind: &str,
        content: Vec<UserBlock>,
    ) -> Result<Id, Trouble> {
        let entry = CustomMessageEntry {
            custom_type: self.named(kind),
            content: UserContent::Blocks(content),
            display: false,
            details: None,
            attribution: Attribution::Agent,
        };
        self.emit(parent, EntryKind::CustomMessage(entry))
    }

    /// Something that is kept as it is, unseen by the model.
    pub(crate) fn keep(&mut self, parent: Option<Id>, kind: &str, data: Value) -> Result<Id, Trouble> {
        self.report.keep(kind);
        let custom_type = self.named(kind);
        self.emit(parent, EntryKind::Custom(Custom { custom_type, data: Some(data) }))
    }

    /// Appends a line that is no record to a thread, if anything of it can be kept.
    pub(crate) fn append_damaged(&mut self, thread: &mut Thread, line: Line) -> Result<(), Trouble> {
        if let Some(id) = self.damaged(thread.end(), line)? {
            thread.append(id);
        }
        Ok(())
    }

    /// A line that is no record; `None` if nothing of it can be kept.
    pub(crate) fn damaged(&mut self, parent: Option<Id>, line: Line) -> Result<Option<Id>, Trouble> {
        match line {
            Line::TooLong { number, length } => {
                let limit = LONGEST_LINE / (1024 * 1024);
                self.report.note(format!(
                    "Line {number} was skipped: {length} bytes exceed the limit of {limit} MiB"
                ));
                Ok(None)
            }
            Line::Unreadable(text) => {
                self.report.unreadable += 1;
                self.keep(parent, "unreadable", json!({"text": text})).map(Some)
            }
            Line::Json(value) => {
                let name = kind(&value);
                self.keep(parent, &name, value).map(Some)
            }
        }
    }

    pub(crate) fn compaction(&mut self, parent: Option<Id>, compaction: Compaction) -> Result<Id, Trouble> {
        self.report.compactions += 1;
        self.emit(parent, EntryKind::Compaction(compaction))
    }

    pub(crate) fn thinking(&mut self, parent: Option<Id>, level: &str) -> Result<Id, Trouble> {
        let thinking_level = level.to_owned();
        self.emit(
            parent,
            EntryKind::ThinkingLevelChange(ThinkingLevelChange { thinking_level, configured: None }),
        )
    }

    pub(crate) fn label(
        &mut self,
        parent: Option<Id>,
        target: Id,
        label: Option<String>,
    ) -> Result<Id, Trouble> {
        self.emit(parent, EntryKind::Label(Label { target_id: target.text(), label }))
    }

    /// The last entry. It also puts the end of the file on the branch that the conversation stands at.
    pub(crate) fn finish(mut self, leaf: Option<Id>, facts: &Facts) -> Result<Report, Trouble> {
        let data = json!({"from": facts.origin(), "report": self.report.data()});
        self.emit(leaf, EntryKind::Custom(Custom { custom_type: MARK.to_owned(), data: Some(data) }))?;
        Ok(self.report)
    }

    fn named(&self, kind: &str) -> String {
        format!("{}/{kind}", self.source.name())
    }
}
