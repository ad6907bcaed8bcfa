//! Sub-agents: transcripts beside the session become part of its page.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use omp_session::artifacts_directory;
use omp_types::{ToolCall, ToolResultMessage};
use serde_json::Value;

use super::flow::Flow;
use super::{HtmlError, Page};
use crate::number::{dollars, plural, tokens};
use crate::outline::Outline;
use crate::view::{SessionView, ViewError};

/// More transcripts than this are left out, with a word about it.
const MOST: usize = 500;

/// A transcript in the session's directory of artifacts.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: String,
    path: PathBuf,
}

/// The transcripts of a session, by name.
pub(super) fn find(session: &Path) -> Vec<Agent> {
    let Ok(files) = std::fs::read_dir(artifacts_directory(session)) else { return Vec::new() };
    let transcript = |path: PathBuf| {
        let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
        path.is_file().then_some(Agent { id, path })
    };
    let mut agents: Vec<Agent> = files.flatten().filter_map(|file| transcript(file.path())).collect();
    agents.sort_by(|a, b| a.id.cmp(&b.id));
    agents
}

/// The ids of the agents that a call of the `task` tool started, with what is said about each.
pub(super) fn named_by(call: &ToolCall, result: Option<&ToolResultMessage>) -> HashMap<String, String> {
    let mut named = HashMap::new();
    let details = result.and_then(|result| result.details.as_ref());
    let lists = [
        call.arguments.get("tasks"),
        details.and_then(|it| it.get("progress")),
        details.and_then(|it| it.get("results")),
    ];
    for item in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        name(item, &mut named);
    }
    if call.name == "task" {
        name(&Value::Object(call.arguments.clone()), &mut named);
    }
    if let Some(job) = details.and_then(|details| details.get("async")?.get("jobId")?.as_str()) {
        named.entry(job.to_owned()).or_default();
    }
    named
}

fn name(item: &Value, named: &mut HashMap<String, String>) {
    let text = |name: &str| item.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let Some(id) = text("id") else { return };
    let about = [text("agent"), text("description").or(text("assignment"))];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let known = named.entry(id.to_owned()).or_default();
    if known.len() < about.len() {
        *known = about;
    }
}

impl Page<'_> {
    /// All transcripts, folded, at the end of the page; the script opens them from where they were started.
    pub(super) fn sub_agents(&mut self) -> Result<(), HtmlError> {
        let agents: Vec<Agent> = std::mem::take(&mut self.agents);
        if agents.is_empty() {
            return Ok(());
        }
        let paths: Vec<(String, PathBuf)> =
            agents.iter().map(|it| (it.id.clone(), it.path.clone())).collect();
        self.agents = agents;
        self.html.raw("<section class=\"subagents\" aria-label=\"Sub-agents\"><h2>Sub-agents</h2>\n");
        for (number, (id, path)) in paths.iter().enumerate().take(MOST) {
            self.html.raw("<details class=\"fold agent\" id=\"a").display(number).raw("\"><summary><strong>");
            self.html.text(id).raw("</strong>");
            match SessionView::open(path) {
                Ok(view) => self.sub_agent(&view, number)?,
                Err(error) => self.unreadable(&error),
            }
            self.html.raw("</details>\n");
            self.flush()?;
        }
        if paths.len() > MOST {
            self.html
                .raw("<p class=\"muted\">")
                .display(paths.len() - MOST)
                .raw(" more are not included in this page.</p>");
        }
        self.html.raw("</section>\n");
        Ok(self.flush()?)
    }

    fn sub_agent(&mut self, view: &SessionView<'_>, number: usize) -> Result<(), HtmlError> {
        let outline = Outline::read(view)?;
        let total = &outline.total;
        self.html.raw(" <small>").text(&plural(total.answers, "answer", "answers")).raw(" · ");
        self.html.text(&plural(total.calls, "call", "calls")).raw(" · ").text(&tokens(total.usage.output));
        self.html.raw(" tokens out · ").text(&dollars(total.usage.cost.total)).raw("</small></summary>\n");
        let prefix = format!("a{number}e");
        self.html.raw("<div class=\"flow\">\n");
        let flow = Flow { view, outline: &outline, tree: outline.tree(), prefix: &prefix };
        self.path(&flow)?;
        self.branches(&flow)?;
        self.html.raw("</div>");
        Ok(())
    }

    fn unreadable(&mut self, error: &ViewError) {
        self.html.raw("</summary><p class=\"failure\">").text(&error.to_string()).raw("</p>");
    }
}
