//! Calls of tools with their results.

use omp_types::{Message, ToolCall, ToolResultMessage, UserBlock};
use serde_json::Value;

use super::flow::Flow;
use super::{HtmlError, Page, agents};
use crate::number::{one_line, plural};
use crate::outline::call_summary;
use crate::{code, diff};

/// Changes up to this many lines are shown unfolded: they are what most readers look for.
const SHORT_CHANGE: usize = 30;
/// Arguments up to this many characters fit on a line.
const SHORT_ARGUMENT: usize = 100;

impl Page<'_> {
    /// A card: the call, what it was given, what came of it, which is at `places`.
    pub(super) fn call(
        &mut self,
        flow: &Flow<'_>,
        places: &[usize],
        call: &ToolCall,
    ) -> Result<(), HtmlError> {
        let mut results = Vec::with_capacity(places.len());
        for place in places.iter().copied() {
            let node = &flow.outline.nodes[place];
            if let Some(entry) = flow.view.entry(node.place)?
                && let Some(Message::ToolResult(result)) = entry.message().map(|message| &**message)
            {
                results.push((place, node.active, result.clone()));
            }
        }
        let latest =
            results.iter().rfind(|(_, active, _)| *active).or(results.last()).map(|(_, _, result)| result);
        let change = latest.and_then(change);
        let (class, state) = match latest {
            None => ("tool waiting", "no result"),
            Some(result) if result.is_error => ("tool failed", "failed"),
            Some(_) => ("tool worked", "done"),
        };
        let unfold = change.as_ref().is_some_and(|change| change.lines().count() <= SHORT_CHANGE);
        self.html.raw("<details class=\"").raw(class).raw(if unfold { "\" open>" } else { "\">" });
        self.html.raw("<summary><span class=\"dot\" role=\"img\" aria-label=\"").raw(state).raw("\"></span>");
        self.html.raw("<span class=\"name\">").text(&call.name).raw("</span> <span class=\"what\">");
        self.html.text(&call_summary(call)).raw("</span>");
        if let Some(change) = &change {
            let (added, removed) = diff::counts(change);
            self.html.raw("<span class=\"plus\">+").display(added).raw("</span><span class=\"minus\">−");
            self.html.display(removed).raw("</span>");
        }
        self.html.raw("</summary><div class=\"inside\">");
        self.arguments(call);
        for (place, _, result) in &results {
            self.html
                .raw("<div class=\"result\" tabindex=\"-1\" id=\"")
                .text(flow.prefix)
                .display(place)
                .raw("\">");
            self.result(call, result);
            self.html.raw("</div>");
        }
        self.html.raw("</div></details>");
        self.agent_links(call, latest);
        Ok(())
    }

    fn arguments(&mut self, call: &ToolCall) {
        if let Some(intent) = &call.intent {
            self.html.raw("<p class=\"intent\">").text(intent).raw("</p>");
        }
        if let Some(raw) = &call.invalid_arguments {
            self.html.raw("<p class=\"muted\">Arguments are not valid JSON</p>");
            code::block("", raw, &mut self.html);
        }
        let is_short = |value: &Value| match value {
            Value::String(text) => text.len() <= SHORT_ARGUMENT && !text.contains('\n'),
            Value::Array(_) | Value::Object(_) => false,
            _ => true,
        };
        let (short, long): (Vec<_>, Vec<_>) = call.arguments.iter().partition(|(_, value)| is_short(value));
        if !short.is_empty() {
            self.html.raw("<dl class=\"arguments\">");
            for (name, value) in short {
                let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.html.raw("<div><dt>").text(name).raw("</dt><dd>").text(&shown).raw("</dd></div>");
            }
            self.html.raw("</dl>");
        }
        for (name, value) in long {
            self.html.raw("<p class=\"argument\">").text(name).raw("</p>");
            match value.as_str() {
                Some(text) if diff::is_diff(text) => diff::show(text, &mut self.html),
                Some(text) => code::block(language(call, name), text, &mut self.html),
                None => self.json(value),
            }
        }
    }

    fn result(&mut self, call: &ToolCall, result: &ToolResultMessage) {
        self.html.raw(if result.is_error {
            "<p class=\"argument bad\">error"
        } else {
            "<p class=\"argument\">result"
        });
        self.html.raw("</p>");
        match change(result) {
            Some(change) => {
                diff::show(&change, &mut self.html);
                self.images_of(result);
            }
            // A file that was read looks like one.
            None if call.name == "read" && !result.is_error => {
                for text in result.content.iter().filter_map(UserBlock::as_text) {
                    code::block(language(call, ""), text, &mut self.html);
                }
                self.images_of(result);
            }
            None => self.result_content(result),
        }
    }

    /// What a tool gave back, as it was given.
    pub(super) fn result_content(&mut self, result: &ToolResultMessage) {
        for block in &result.content {
            if let UserBlock::Text(text) = block
                && !text.text.is_empty()
            {
                self.html.raw("<pre class=\"plain\" tabindex=\"0\">").text(&text.text).raw("</pre>");
            }
        }
        self.images_of(result);
    }

    fn images_of(&mut self, result: &ToolResultMessage) {
        for block in &result.content {
            if let UserBlock::Image(image) = block {
                self.images.show(image, &mut self.html);
            }
        }
    }

    /// Ways to the transcripts of the sub-agents that the call started.
    fn agent_links(&mut self, call: &ToolCall, result: Option<&ToolResultMessage>) {
        let named = agents::named_by(call, result);
        let found: Vec<(usize, String)> = self
            .agents
            .iter()
            .enumerate()
            .filter_map(|(number, agent)| Some((number, named.get(&agent.id)?.clone())))
            .collect();
        if found.is_empty() {
            return;
        }
        self.html
            .raw("<ul class=\"agents\" aria-label=\"")
            .text(&plural(found.len(), "sub-agent", "sub-agents"))
            .raw("\">");
        for (number, about) in found {
            self.html.raw("<li><a class=\"agentlink\" href=\"#a").display(number).raw("\"><strong>");
            self.html.text(&self.agents[number].id).raw("</strong> <span>").text(&one_line(&about, 100));
            self.html.raw("</span></a></li>");
        }
        self.html.raw("</ul>");
    }
}

/// The change a tool made, from what it says to programs, else from its text.
fn change(result: &ToolResultMessage) -> Option<String> {
    let said = result.details.as_ref().and_then(|details| details.get("diff")?.as_str());
    let said = said.filter(|change| !change.trim().is_empty()).map(str::to_owned);
    said.or_else(|| match result.content.as_slice() {
        [UserBlock::Text(text)] if diff::is_diff(&text.text) => Some(text.text.clone()),
        _ => None,
    })
}

/// The language of an argument: that of the shell or kernel, else the ending of the file it is for.
fn language<'c>(call: &'c ToolCall, argument: &str) -> &'c str {
    match (call.name.as_str(), argument) {
        ("bash" | "ssh", "command") => "bash",
        (_, "code") => call.arguments.get("language").and_then(Value::as_str).unwrap_or("python"),
        _ => {
            let path = call.arguments.get("path").or_else(|| call.arguments.get("file_path"));
            let ending = path.and_then(Value::as_str).and_then(|path| path.rsplit_once('.'));
            ending.map_or("", |(_, ending)| ending)
        }
    }
}
