//! What survives a compaction word for word, and what went and where it can be found.

use omp_session::Compaction;
use omp_types::Message;
use serde::{Deserialize, Serialize};

use crate::decisions;
use crate::failures::{self, FailedCall};
use crate::plan::{Piece, Plan};
use crate::serialize::shortened;

/// The tag of the block in a summary.
pub(crate) const TAG: &str = "carried-over";
/// The field of an entry's details.
pub(crate) const FIELD: &str = "carried";
/// Words of the user that are kept, the newest.
const MOST_WORDS: usize = 4;
/// Characters of one of them.
const LONGEST_WORDS: usize = 4_000;
/// Characters of the last of them where room is scarce.
const SHORT_WORDS: usize = 400;
/// A window has so many tokens for each character of them: a twentieth of it for all.
const WORDS_SHARE: u64 = 20;
/// What stands above the decisions.
const DECISIONS: &str = "What the user decided, in the order it was said (a later one wins)";
/// Parts that went that are listed one by one.
const MOST_DROPPED: usize = 20;

/// A part of the conversation that went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// The first and the last entry of it.
    pub from: String,
    pub to: String,
    pub messages: usize,
    /// Where its whole text can be read, if it could be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
}

/// What survives word for word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Carried {
    /// What the user asked for, as far as it is no longer part of the conversation.
    pub words: Vec<String>,
    /// What the user decided, the oldest first.
    pub decisions: Vec<String>,
    /// The calls that failed last.
    pub errors: Vec<FailedCall>,
    /// What went last.
    pub dropped: Vec<Dropped>,
    /// How many parts went before.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped_before: usize,
    /// Tasks that are open.
    #[serde(skip)]
    pub todos: Vec<String>,
    /// Work in the background.
    #[serde(skip)]
    pub jobs: Vec<String>,
    /// The approved plan: its file and its text.
    #[serde(skip)]
    pub plan: Option<(String, String)>,
}

impl Carried {
    /// What the plan's messages leave to carry, for a model with such a window. `artifact` is where their whole text is
    /// kept.
    pub fn new(plan: &Plan, window: u64, artifact: Option<String>) -> Self {
        let mut carried = Self::before(plan.previous.as_ref());
        let longest = usize::try_from(window / WORDS_SHARE).unwrap_or(usize::MAX).clamp(200, LONGEST_WORDS);
        carried.words.extend(plan.dropped().filter_map(|piece| words(piece, longest)));
        newest(&mut carried.words, MOST_WORDS);
        let decided = std::mem::take(&mut carried.decisions);
        carried.decisions = decisions::kept(decided, plan, window);
        let failed = std::mem::take(&mut carried.errors);
        carried.errors = failures::last(failed, plan.dropped(), plan.kept.iter());
        let ids: Vec<&str> = plan.dropped().map(|piece| piece.id.as_str()).collect();
        if let (Some(from), Some(to)) = (ids.first(), ids.last()) {
            let (from, to) = ((*from).to_owned(), (*to).to_owned());
            carried.dropped.push(Dropped { from, to, messages: ids.len(), artifact });
        }
        let hidden = carried.dropped.len().saturating_sub(MOST_DROPPED);
        carried.dropped.drain(..hidden);
        carried.dropped_before += hidden;
        carried
    }

    /// What an earlier compaction carried.
    fn before(compaction: Option<&Compaction>) -> Self {
        let details = compaction.and_then(|compaction| compaction.details.as_ref());
        let carried = details.and_then(|details| details.get(FIELD)).cloned();
        carried.and_then(|carried| serde_json::from_value(carried).ok()).unwrap_or_default()
    }

    /// The block of the summary.
    pub fn block(&self) -> String {
        let mut parts = Vec::new();
        let mut section = |title: &str, lines: &[String]| {
            if !lines.is_empty() {
                parts.push(format!("## {title}\n{}", lines.join("\n")));
            }
        };
        let quoted: Vec<String> = self.words.iter().map(|words| quote(words)).collect();
        section(DECISIONS, &bullets(&self.decided_before()));
        section("What the user said, word for word", &quoted);
        section("Open tasks", &bullets(&self.todos));
        section("Running in the background", &bullets(&self.jobs));
        section("Last errors", &self.errors.iter().map(|failed| quote(&failed.line())).collect::<Vec<_>>());
        if let Some((file, text)) = &self.plan {
            section(&format!("The approved plan ({file})"), &[safe(text.trim())]);
        }
        section("What was left out", &self.left_out());
        match parts.is_empty() {
            true => String::new(),
            false => format!("<{TAG}>\n{}\n</{TAG}>", parts.join("\n\n")),
        }
    }

    /// Decisions that are not part of what is quoted anyway.
    fn decided_before(&self) -> Vec<String> {
        let quoted = |decision: &String| self.words.iter().any(|words| words.contains(decision.as_str()));
        self.decisions.iter().filter(|decision| !quoted(decision)).cloned().collect()
    }

    /// The same with less and less of it, for a summary that has to be short.
    pub(crate) fn lighter(&self) -> [Self; 3] {
        let plan = self.plan.as_ref().map(|(file, _)| (file.clone(), format!("Read {file} for its text.")));
        let without_plan = Self { plan, ..self.clone() };
        let last = self.words.last().map(|words| shortened(words, SHORT_WORDS));
        let brief = Self { words: last.into_iter().collect(), ..without_plan.clone() };
        let bare = Self { words: Vec::new(), errors: Vec::new(), decisions: Vec::new(), ..brief.clone() };
        [without_plan, brief, bare]
    }

    fn left_out(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.dropped.iter().map(Dropped::line).collect();
        match self.dropped_before {
            0 => {}
            1 => lines.insert(0, "- 1 earlier part, in the session file".to_owned()),
            hidden => lines.insert(0, format!("- {hidden} earlier parts, in the session file")),
        }
        lines
    }
}

impl Dropped {
    fn line(&self) -> String {
        let Self { from, to, messages, artifact } = self;
        let what = match messages {
            1 => format!("1 message (entry {from})"),
            _ => format!("{messages} messages (entries {from} to {to})"),
        };
        match artifact {
            Some(url) => format!("- {what}: read {url} for all of it"),
            None => format!("- {what}, in the session file"),
        }
    }
}

fn words(piece: &Piece, longest: usize) -> Option<String> {
    match &*piece.message {
        Message::User(user) => {
            let text = user.content.text();
            // A summary is a user message too, but nothing that the user said.
            (!text.trim().is_empty()).then(|| shortened(text.trim(), longest))
        }
        _ => None,
    }
}

fn newest(list: &mut Vec<String>, most: usize) {
    list.drain(..list.len().saturating_sub(most));
}

fn quote(text: &str) -> String {
    safe(&format!("> {}", text.replace('\n', "\n> ")))
}

fn bullets(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| safe(&format!("- {line}"))).collect()
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Text of others must not end the block around it.
fn safe(text: &str) -> String {
    text.replace(&format!("</{TAG}>"), &format!("<\\/{TAG}>")).replace("</summary>", "<\\/summary>")
}
