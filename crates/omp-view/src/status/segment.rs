//! The segments of the status line.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, width};
use omp_types::ThinkingLevel;
use serde_json::Value;

use super::{Drawing, Git};
use crate::look::duration;

/// A piece of the status line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The model and how hard it thinks.
    Model,
    /// A mode that is on.
    Mode,
    /// What runs without a question, and what confines it.
    Approval,
    /// The working directory.
    Path,
    /// The branch and what changed.
    Git,
    /// How full the conversation is.
    Context,
    /// Tokens sent and received.
    Tokens,
    /// Tokens that came from a cache.
    Cache,
    /// Money spent.
    Cost,
    /// Sub-agents at work.
    Subagents,
    /// Background jobs at work.
    Jobs,
    /// The name of the session.
    Session,
    /// The name of the machine.
    Host,
    /// How long the session has gone on.
    Time,
}

impl Segment {
    /// Every segment with the name that settings use.
    pub const ALL: [(Self, &'static str); 14] = [
        (Self::Model, "model"),
        (Self::Mode, "mode"),
        (Self::Approval, "approval"),
        (Self::Path, "path"),
        (Self::Git, "git"),
        (Self::Context, "context"),
        (Self::Tokens, "tokens"),
        (Self::Cache, "cache"),
        (Self::Cost, "cost"),
        (Self::Subagents, "subagents"),
        (Self::Jobs, "jobs"),
        (Self::Session, "session"),
        (Self::Host, "host"),
        (Self::Time, "time"),
    ];

    /// The segments of these names; names that are not known are left out.
    pub(super) fn list(names: &[String]) -> Vec<Self> {
        let find =
            |name: &String| Self::ALL.iter().find(|(_, known)| known == name).map(|(segment, _)| *segment);
        names.iter().filter_map(find).collect()
    }
}

/// Cells of the path that are shown unless an option says otherwise.
const PATH: u64 = 40;

impl Drawing<'_> {
    /// A segment, if it has something to say.
    pub(super) fn segment(&self, segment: Segment) -> Option<Line> {
        let facts = self.facts;
        match segment {
            Segment::Model => self.model(),
            Segment::Mode => {
                let mode = facts.mode.as_deref()?;
                let icon = match mode {
                    mode if mode.starts_with("goal") => Symbol::IconGoal,
                    "loop" => Symbol::IconLoop,
                    _ => Symbol::IconPlan,
                };
                let style = self.on(Token::Warning).with(Attributes::BOLD);
                Some(Line::styled(style, &format!("{} {mode}", self.symbol(icon))))
            }
            Segment::Approval => {
                let approval = facts.approval.as_ref()?;
                let token = if approval.confined { Token::StatusLineGitClean } else { Token::Warning };
                Some(Line::styled(self.on(token), &approval.text))
            }
            Segment::Path => self.path(),
            Segment::Git => facts.git.as_ref().map(|git| self.git(git)),
            Segment::Context => self.context(),
            Segment::Tokens => {
                let (sent, received) = facts.tokens;
                let (up, down) = (self.symbol(Symbol::IconInput), self.symbol(Symbol::IconOutput));
                let text = format!("{up}{} {down}{}", short(sent), short(received));
                (sent + received > 0).then(|| Line::styled(self.on(Token::StatusLineOutput), &text))
            }
            Segment::Cache => self.cache(),
            Segment::Cost => {
                let text = format!("${:.2}", facts.cost);
                (facts.cost > 0.0).then(|| Line::styled(self.on(Token::StatusLineCost), &text))
            }
            Segment::Subagents => {
                self.counted(Symbol::IconAgents, Token::StatusLineSubagents, facts.subagents as u64)
            }
            Segment::Jobs => self.counted(Symbol::IconJobs, Token::StatusLineSubagents, facts.jobs as u64),
            Segment::Session => self.named(Symbol::IconSession, facts.session.as_deref()),
            Segment::Host => self.named(Symbol::IconHost, facts.host.as_deref()),
            Segment::Time => {
                let text = format!(
                    "{} {}",
                    self.symbol(Symbol::IconTime),
                    duration(facts.running_ms / 1_000 * 1_000)
                );
                (facts.running_ms >= 1_000).then(|| Line::styled(self.on(Token::Muted), &text))
            }
        }
    }

    fn model(&self) -> Option<Line> {
        let facts = self.facts;
        if facts.model.is_empty() {
            return None;
        }
        let text = format!("{} {}", self.symbol(Symbol::IconModel), facts.model);
        let mut line = Line::styled(self.on(Token::StatusLineModel), &text);
        let shown = self.option("model", "showThinking").and_then(Value::as_bool).unwrap_or(true);
        if let Some(level) = facts.thinking.filter(|level| shown && *level != ThinkingLevel::Off) {
            line.push(self.on(Token::Muted), &format!(" {}", level.name()));
        }
        Some(line)
    }

    /// The end of the path says more than its start.
    fn path(&self) -> Option<Line> {
        let path = &self.facts.path;
        let most = self.option("path", "maxLength").and_then(Value::as_u64).unwrap_or(PATH);
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(4);
        let total = width::text_width(path);
        let shown = match total > most {
            false => path.clone(),
            true => {
                let end = Line::plain(path).slice(total - (most - 1), total).text();
                let whole = end.find('/').map_or(end.as_str(), |at| &end[at..]);
                format!("{}{whole}", self.symbol(Symbol::FormatEllipsis))
            }
        };
        (!path.is_empty()).then(|| Line::styled(self.on(Token::StatusLinePath), &shown))
    }

    fn git(&self, git: &Git) -> Line {
        let changed = git.staged + git.dirty + git.untracked > 0;
        let token = if changed { Token::StatusLineGitDirty } else { Token::StatusLineGitClean };
        let mut line =
            Line::styled(self.on(token), &format!("{} {}", self.symbol(Symbol::IconBranch), git.branch));
        if self.option("git", "showCounts").and_then(Value::as_bool) == Some(false) {
            return line;
        }
        for (sign, count, token) in [
            ("+", git.staged, Token::StatusLineStaged),
            ("*", git.dirty, Token::StatusLineDirty),
            ("?", git.untracked, Token::StatusLineUntracked),
        ] {
            if count > 0 {
                line.push(self.on(token), &format!(" {sign}{count}"));
            }
        }
        line
    }

    /// Calm while there is room, louder when there is little.
    fn context(&self) -> Option<Line> {
        let (used, window) = self.facts.context?;
        let percent = used.saturating_mul(100).checked_div(window).unwrap_or(0);
        let token = match percent {
            0..70 => Token::StatusLineContext,
            70..90 => Token::Warning,
            _ => Token::Error,
        };
        let icon = self.symbol(Symbol::IconContext);
        Some(Line::styled(self.on(token), &format!("{icon} {percent}% of {}", short(window))))
    }

    /// What came from the cache, and what it missed.
    fn cache(&self) -> Option<Line> {
        let facts = self.facts;
        let text = format!("{} {}", self.symbol(Symbol::IconCache), short(facts.cached));
        let mut line = Line::styled(self.on(Token::StatusLineSpend), &text);
        if facts.missed > 0 {
            line.push(self.on(Token::Warning), &format!(" -{}", short(facts.missed)));
        }
        (facts.cached + facts.missed > 0).then_some(line)
    }

    fn counted(&self, symbol: Symbol, token: Token, count: u64) -> Option<Line> {
        let text = format!("{} {}", self.symbol(symbol), short(count));
        (count > 0).then(|| Line::styled(self.on(token), &text))
    }

    fn named(&self, symbol: Symbol, name: Option<&str>) -> Option<Line> {
        let name = name.filter(|name| !name.is_empty())?;
        let line = Line::styled(self.on(Token::Muted), &format!("{} {name}", self.symbol(symbol)));
        Some(self.look.shortened(&line, 32))
    }
}

/// `950`, `12k`, `1.2M`.
fn short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..10_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}
