//! Words in a prompt that change the turn: `ultrathink`, `orchestrate`, `workflowz`, and budgets such as `+500k`.

mod budget;
mod mask;
#[cfg(test)]
mod tests;

use std::ops::Range;

use mask::Mask;

pub use budget::TokenBudget;

/// A word with a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    Ultrathink,
    Orchestrate,
    Workflow,
}

impl Keyword {
    pub const ALL: [Self; 3] = [Self::Ultrathink, Self::Orchestrate, Self::Workflow];

    /// As it is written in a prompt.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ultrathink => "ultrathink",
            Self::Orchestrate => "orchestrate",
            Self::Workflow => "workflowz",
        }
    }

    /// What the model is told besides the prompt.
    fn instruction(self) -> &'static str {
        match self {
            Self::Ultrathink => include_str!("../../prompts/ultrathink.md").trim_ascii(),
            Self::Orchestrate => include_str!("../../prompts/orchestrate.md").trim_ascii(),
            Self::Workflow => include_str!("../../prompts/workflow.md").trim_ascii(),
        }
    }
}

/// The settings `magicKeywords.…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeywordSwitches {
    /// Without it nothing is found, budgets neither.
    pub enabled: bool,
    pub ultrathink: bool,
    pub orchestrate: bool,
    pub workflow: bool,
}

impl Default for KeywordSwitches {
    fn default() -> Self {
        Self { enabled: true, ultrathink: true, orchestrate: true, workflow: true }
    }
}

impl KeywordSwitches {
    pub fn admit(&self, keyword: Keyword) -> bool {
        let on = match keyword {
            Keyword::Ultrathink => self.ultrathink,
            Keyword::Orchestrate => self.orchestrate,
            Keyword::Workflow => self.workflow,
        };
        self.enabled && on
    }
}

/// What a prompt asks for besides its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Magic {
    pub ultrathink: bool,
    pub orchestrate: bool,
    pub workflow: bool,
    pub budget: Option<TokenBudget>,
}

/// Whether the turn can start other agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubAgents {
    Available,
    Absent,
}

/// What `text`, written by the user, asks for.
pub fn find(text: &str, switches: &KeywordSwitches) -> Magic {
    if !switches.enabled {
        return Magic::default();
    }
    let mask = Mask::new(text);
    let mut magic = Magic { budget: budget::find(text, &mask), ..Magic::default() };
    for (_, keyword) in spans_outside(text, &mask).into_iter().filter(|(_, word)| switches.admit(*word)) {
        match keyword {
            Keyword::Ultrathink => magic.ultrathink = true,
            Keyword::Orchestrate => magic.orchestrate = true,
            Keyword::Workflow => magic.workflow = true,
        }
    }
    magic
}

/// Where the words stand, in order, for highlighting.
pub fn spans(text: &str) -> Vec<(Range<usize>, Keyword)> {
    spans_outside(text, &Mask::new(text))
}

/// The hidden instructions for a turn, in a fixed order.
pub fn instructions(magic: &Magic, subagents: SubAgents) -> Vec<(Keyword, &'static str)> {
    let wanted = |keyword: &Keyword| match keyword {
        Keyword::Ultrathink => magic.ultrathink,
        Keyword::Orchestrate => magic.orchestrate,
        Keyword::Workflow => magic.workflow && subagents == SubAgents::Available,
    };
    Keyword::ALL.into_iter().filter(wanted).map(|keyword| (keyword, keyword.instruction())).collect()
}

fn spans_outside(text: &str, mask: &Mask) -> Vec<(Range<usize>, Keyword)> {
    let mut found = Vec::new();
    for keyword in Keyword::ALL {
        for (start, word) in text.match_indices(keyword.word()) {
            let span = start..start + word.len();
            if is_standalone(text, &span) && !mask.covers(start) {
                found.push((span, keyword));
            }
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// Whether a word stands for itself: nothing touches it but the punctuation of a sentence.
fn is_standalone(text: &str, span: &Range<usize>) -> bool {
    begins(text[..span.start].chars().next_back()) && ends(&text[span.end..])
}

fn begins(before: Option<char>) -> bool {
    before.is_none_or(|letter| letter.is_whitespace() || "([{\"'“‘«„‚‹¿¡,;!?…—–".contains(letter))
}

/// A dot, colon, quote or mark may end a sentence, or join the word to an extension, a suffix or a query.
fn ends(after: &str) -> bool {
    let Some(next) = after.chars().next() else { return true };
    if next.is_whitespace() || ",;)]}”»›…—–。，、！？".contains(next) {
        return true;
    }
    let is_mark = |letter: char| ".:!?'’\"".contains(letter);
    let rest = after.trim_start_matches(is_mark);
    let joins = |letter: char| letter.is_alphanumeric() || "_-/\\=&%#@~$*+<`".contains(letter);
    is_mark(next) && !rest.starts_with(joins)
}
