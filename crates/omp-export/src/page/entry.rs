//! One entry of the conversation.

use std::collections::HashSet;

use omp_session::{Attribution, Compaction, CustomMessageEntry, Entry, EntryKind, SessionInit};
use omp_types::{AssistantBlock, AssistantMessage, Message, StopReason, UserBlock, UserContent, UserMessage};
use serde_json::Value;

use super::flow::Flow;
use super::{HtmlError, Page};
use crate::code;
use crate::markdown::{self, Breaks};
use crate::number::{clock, dollars, moment, plural, tokens};
use crate::outline::is_failure;

/// Longer data of extensions is cut.
const LONGEST_DATA: usize = 100_000;

impl Page<'_> {
    /// Writes an entry, unless it is a result, which is written with its call.
    pub(super) fn article(&mut self, flow: &Flow<'_>, index: usize) -> Result<(), HtmlError> {
        let node = &flow.outline.nodes[index];
        if node.caller.is_some() {
            return Ok(());
        }
        let Some(entry) = flow.view.entry(node.place)? else { return Ok(()) };
        self.fork(flow, index);
        match &entry.kind {
            EntryKind::Message(message) => self.message(flow, index, &entry, &message.message)?,
            EntryKind::CustomMessage(message) => self.custom_message(flow, index, &entry, message),
            EntryKind::Compaction(compaction) => self.compaction(flow, index, &entry, compaction),
            EntryKind::BranchSummary(branch) => {
                self.open(flow, index, &entry, "msg summary", "Summary of another branch");
                markdown::show(&branch.summary, Breaks::Flow, &mut self.html);
                self.html.raw("</article>\n");
            }
            EntryKind::SessionInit(init) => self.session_init(flow, index, &entry, init),
            EntryKind::Custom(custom) => self.state(flow, index, custom.data.as_ref()),
            EntryKind::ModeChange(change) => self.state(flow, index, change.data.as_ref()),
            EntryKind::Unknown(line) => self.state(flow, index, Some(line)),
            _ => self.state(flow, index, None),
        }
        Ok(self.flush()?)
    }

    /// The name of an entry, as a link and as a place.
    fn name(&mut self, flow: &Flow<'_>, index: usize) {
        self.html.text(flow.prefix).display(index);
    }

    fn open(&mut self, flow: &Flow<'_>, index: usize, entry: &Entry, class: &'static str, who: &str) {
        self.html.raw("<article class=\"").raw(class).raw("\" id=\"");
        self.name(flow, index);
        self.html.raw("\" tabindex=\"-1\"><header><h2>").text(who).raw("</h2>");
        if let Some(label) = &flow.outline.nodes[index].label {
            self.html.raw("<span class=\"label\">").text(label).raw("</span>");
        }
        if let Some(time) = clock(&entry.timestamp) {
            self.html.raw("<time").attribute("datetime", &entry.timestamp);
            self.html.attribute("title", &format!("{} UTC", moment(&entry.timestamp))).raw(">").text(&time);
            self.html.raw("</time>");
        }
        self.html.raw("<a class=\"anchor\" aria-label=\"Link to this message\" href=\"#");
        self.name(flow, index);
        self.html.raw("\">#</a></header>");
    }

    fn message(
        &mut self,
        flow: &Flow<'_>,
        index: usize,
        entry: &Entry,
        message: &Message,
    ) -> Result<(), HtmlError> {
        match message {
            Message::User(user) => self.user(flow, index, entry, user),
            Message::Assistant(answer) => self.answer(flow, index, entry, answer)?,
            Message::Custom(custom) => {
                self.open(flow, index, entry, "msg notice", &custom.custom_type);
                self.content(&custom.content, custom.display);
                self.html.raw("</article>\n");
            }
            Message::ToolResult(result) => {
                self.open(flow, index, entry, "msg notice", "Result without its call");
                self.html.raw("<p class=\"muted\"><code>").text(&result.tool_name).raw("</code></p>");
                self.result_content(result);
                self.html.raw("</article>\n");
            }
        }
        Ok(())
    }

    fn user(&mut self, flow: &Flow<'_>, index: usize, entry: &Entry, user: &UserMessage) {
        let who = if user.steering { "You, while the agent was working" } else { "You" };
        self.open(flow, index, entry, "msg user", who);
        self.content(&user.content, true);
        self.html.raw("</article>\n");
    }

    fn answer(
        &mut self,
        flow: &Flow<'_>,
        index: usize,
        entry: &Entry,
        answer: &AssistantMessage,
    ) -> Result<(), HtmlError> {
        self.open(flow, index, entry, "msg assistant", "Assistant");
        // Calls that share an id share their results, which can be shown only once.
        let mut answered = HashSet::new();
        for block in &answer.content {
            match block {
                AssistantBlock::Text(text) if text.text.trim().is_empty() => {}
                AssistantBlock::Text(text) => markdown::show(&text.text, Breaks::Flow, &mut self.html),
                AssistantBlock::Thinking(thinking) if thinking.thinking.trim().is_empty() => {}
                AssistantBlock::Thinking(thinking) => {
                    self.html.raw("<details class=\"thinking\"><summary>Thinking</summary>");
                    markdown::show(&thinking.thinking, Breaks::Flow, &mut self.html);
                    self.html.raw("</details>");
                }
                AssistantBlock::RedactedThinking(_) => {
                    self.html.raw("<p class=\"muted\">Thinking hidden by the provider.</p>");
                }
                AssistantBlock::ToolCall(call) => {
                    let results = flow.outline.results_of(index, &call.id);
                    let places: Vec<usize> = results.filter(|place| answered.insert(*place)).collect();
                    self.call(flow, &places, call)?;
                }
                AssistantBlock::Native(native) => {
                    self.html.raw("<details class=\"tool\"><summary><span class=\"name\">").text(&native.api);
                    self.html.raw("</span> <span class=\"what\">provider block</span></summary>");
                    self.json(&native.value);
                    self.html.raw("</details>");
                }
            }
        }
        self.ending(answer);
        self.html.raw("</article>\n");
        Ok(())
    }

    /// How an answer ended, and what it cost.
    fn ending(&mut self, answer: &AssistantMessage) {
        if is_failure(answer) {
            let word = if answer.stop_reason == StopReason::Aborted { "Stopped" } else { "Failed" };
            self.html.raw("<p class=\"failure\"><strong>").raw(word).raw("</strong> ");
            self.html.text(answer.error_message.as_deref().unwrap_or_default()).raw("</p>");
        } else if answer.stop_reason == StopReason::Length {
            self.html.raw(
                "<p class=\"failure\"><strong>Truncated</strong> The answer reached the model's limit.</p>",
            );
        }
        let usage = &answer.usage;
        let mut figures = vec![answer.model.clone()];
        let counts = [
            (usage.input, "in"),
            (usage.output, "out"),
            (usage.cache_read, "cached"),
            (usage.cache_write, "to cache"),
        ];
        figures.extend(
            counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{} {what}", tokens(*count))),
        );
        if usage.cost.total > 0.0 {
            figures.push(dollars(usage.cost.total));
        }
        figures.retain(|figure| !figure.is_empty());
        self.html.raw("<footer class=\"usage\">");
        for figure in &figures {
            self.html.raw("<span>").text(figure).raw("</span>");
        }
        self.html.raw("</footer>");
    }

    fn custom_message(&mut self, flow: &Flow<'_>, index: usize, entry: &Entry, message: &CustomMessageEntry) {
        let class = match message.attribution {
            Attribution::User => "msg user",
            Attribution::Agent => "msg notice",
        };
        self.open(flow, index, entry, class, &message.custom_type);
        self.content(&message.content, message.display);
        self.html.raw("</article>\n");
    }

    /// Text and images; folded if people were not shown it.
    fn content(&mut self, content: &UserContent, shown: bool) {
        if !shown {
            self.html.raw("<details class=\"thinking\"><summary>Visible to the model only</summary>");
        }
        match content {
            UserContent::Text(text) => markdown::show(text, Breaks::Keep, &mut self.html),
            UserContent::Blocks(blocks) => {
                for block in blocks {
                    match block {
                        UserBlock::Text(text) => markdown::show(&text.text, Breaks::Keep, &mut self.html),
                        UserBlock::Image(image) => self.images.show(image, &mut self.html),
                    }
                }
            }
        }
        if !shown {
            self.html.raw("</details>");
        }
    }

    fn compaction(&mut self, flow: &Flow<'_>, index: usize, entry: &Entry, compaction: &Compaction) {
        self.open(flow, index, entry, "msg summary", "Compaction");
        self.html.raw("<p class=\"muted\">The earlier conversation");
        if compaction.tokens_before > 0 {
            self.html.raw(" (").text(&tokens(compaction.tokens_before)).raw(" tokens)");
        }
        self.html.raw(" was replaced by a summary.</p><details class=\"thinking\"><summary>");
        self.html.text(compaction.short_summary.as_deref().unwrap_or("Summary")).raw("</summary>");
        markdown::show(&compaction.summary, Breaks::Flow, &mut self.html);
        self.html.raw("</details></article>\n");
    }

    fn session_init(&mut self, flow: &Flow<'_>, index: usize, entry: &Entry, init: &SessionInit) {
        self.open(flow, index, entry, "msg user", "Task");
        markdown::show(&init.task, Breaks::Keep, &mut self.html);
        self.html.raw("<details class=\"thinking\"><summary>System prompt</summary>");
        markdown::show(&init.system_prompt, Breaks::Keep, &mut self.html);
        self.html.raw("</details><p class=\"muted\">").text(&plural(init.tools.len(), "tool", "tools"));
        self.html.raw(": ").text(&init.tools.join(", ")).raw("</p>");
        if let Some(schema) = &init.output_schema {
            self.html.raw("<details class=\"thinking\"><summary>Output schema</summary>");
            self.json(schema);
            self.html.raw("</details>");
        }
        self.html.raw("</article>\n");
    }

    /// A thin line for what only changes state.
    fn state(&mut self, flow: &Flow<'_>, index: usize, data: Option<&Value>) {
        self.html.raw("<article class=\"state\" id=\"");
        self.name(flow, index);
        self.html.raw("\" tabindex=\"-1\">");
        let summary = &flow.outline.nodes[index].summary;
        match data.filter(|data| !data.is_null()) {
            None => {
                self.html.raw("<span>").text(summary).raw("</span>");
            }
            Some(data) => {
                self.html.raw("<details><summary>").text(summary).raw("</summary>");
                self.json(data);
                self.html.raw("</details>");
            }
        }
        self.html.raw("</article>\n");
    }

    /// Data for programs, so that people can read it.
    pub(super) fn json(&mut self, value: &Value) {
        let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
        if text.len() > LONGEST_DATA {
            text.truncate(text.floor_char_boundary(LONGEST_DATA));
            text.push_str("\n…");
        }
        code::block("json", &text, &mut self.html);
    }
}
