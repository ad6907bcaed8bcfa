//! The status line: facts in, one row out.

mod segment;

use omp_theme::{Preset, Symbol, Token};
use omp_tui::text::{Line, Style};
use omp_types::ThinkingLevel;
use serde_json::{Map, Value};

use crate::Look;
pub use segment::Segment;

/// Everything the status line can show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The name of the model.
    pub model: String,
    /// How hard it thinks.
    pub thinking: Option<ThinkingLevel>,
    /// A mode that is on, such as `plan`.
    pub mode: Option<String>,
    /// What runs without a question, and what confines it.
    pub approval: Option<Approval>,
    /// The working directory, with `~` for the home directory.
    pub path: String,
    /// The repository, if there is one.
    pub git: Option<Git>,
    /// Tokens of the conversation, and how many fit.
    pub context: Option<(u64, u64)>,
    /// Tokens sent and received in this session.
    pub tokens: (u64, u64),
    /// Tokens that came from a cache.
    pub cached: u64,
    /// Tokens that a cache should have had and did not.
    pub missed: u64,
    /// Money spent, in dollars.
    pub cost: f64,
    /// Sub-agents at work.
    pub subagents: usize,
    /// Background jobs at work.
    pub jobs: usize,
    /// The name of the session.
    pub session: Option<String>,
    /// The name of the machine.
    pub host: Option<String>,
    /// How long the session has gone on, in milliseconds.
    pub running_ms: u64,
    /// What hooks report, by their key.
    pub hooks: Vec<(String, String)>,
}

/// What runs without a question, such as `auto (sandbox)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approval {
    pub text: String,
    /// The kernel holds what the mode promises.
    pub confined: bool,
}

/// A repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Git {
    /// The branch, or the commit if there is none.
    pub branch: String,
    /// Files that the next commit changes.
    pub staged: usize,
    /// Files with other changes.
    pub dirty: usize,
    /// Files that are not known.
    pub untracked: usize,
}

/// The settings under `statusLine`.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `preset`
    pub preset: String,
    /// `separator`
    pub separator: String,
    /// `transparent`
    pub transparent: bool,
    /// `showHookStatus`
    pub show_hook_status: bool,
    /// `leftSegments`, for the preset `custom`.
    pub left: Vec<String>,
    /// `rightSegments`, for the preset `custom`.
    pub right: Vec<String>,
    /// `segmentOptions`
    pub options: Map<String, Value>,
}

/// Segments on the left and on the right.
type Sides = (Vec<Segment>, Vec<Segment>);

impl Settings {
    /// The settings of somebody who changed none.
    pub fn usual() -> Self {
        Self {
            preset: "default".to_owned(),
            separator: "powerline-thin".to_owned(),
            show_hook_status: true,
            ..Self::default()
        }
    }

    fn sides(&self) -> Sides {
        use Segment::{
            Approval, Cache, Context, Cost, Git, Host, Jobs, Mode, Model, Path, Session, Subagents, Time,
            Tokens,
        };
        match self.preset.as_str() {
            "minimal" => (vec![Mode, Approval, Path], vec![Context]),
            "compact" => (vec![Mode, Model, Approval, Git], vec![Context, Cost]),
            "full" | "nerd" => (
                vec![Host, Mode, Model, Approval, Path, Git, Session],
                vec![Subagents, Jobs, Tokens, Cache, Context, Cost, Time],
            ),
            "custom" => (Segment::list(&self.left), Segment::list(&self.right)),
            _ => (vec![Mode, Model, Approval, Path, Git], vec![Subagents, Jobs, Context, Cost]),
        }
    }

    /// The symbols: some presets bring their own.
    fn symbols(&self, look: &Look) -> Preset {
        match self.preset.as_str() {
            "nerd" => Preset::Nerd,
            "ascii" => Preset::Ascii,
            _ => look.theme.preset(),
        }
    }

    /// What stands between segments on the left and on the right.
    fn separators(&self, preset: Preset) -> (String, String) {
        let both = |left: Symbol, right: Symbol| {
            (format!(" {} ", left.in_preset(preset)), format!(" {} ", right.in_preset(preset)))
        };
        match self.separator.as_str() {
            "powerline" => both(Symbol::SepPowerlineLeft, Symbol::SepPowerlineRight),
            "slash" => both(Symbol::SepSlash, Symbol::SepSlash),
            "pipe" => both(Symbol::SepPipe, Symbol::SepPipe),
            "block" => both(Symbol::SepBlock, Symbol::SepBlock),
            "none" => ("  ".to_owned(), "  ".to_owned()),
            "ascii" => (" | ".to_owned(), " | ".to_owned()),
            _ => both(Symbol::SepPowerlineThinLeft, Symbol::SepPowerlineThinRight),
        }
    }
}

/// The status line, and below it what hooks report. Segments that do not fit are left out, the last ones first.
pub fn rows(look: &Look, facts: &Facts, settings: &Settings) -> Vec<Line> {
    let ground = match settings.transparent {
        true => Style::PLAIN,
        false => look.theme.bg(Token::StatusLineBg),
    };
    let drawing = Drawing { look, facts, settings, symbols: settings.symbols(look), ground };
    let (mut left, mut right) = settings.sides();
    let mut row = drawing.row(&left, &right);
    while row.width() > look.width {
        // What is on the right gives way first; the first segment stays, cut.
        let gave =
            if right.is_empty() { left.len() > 1 && left.pop().is_some() } else { right.pop().is_some() };
        if !gave {
            break;
        }
        row = drawing.row(&left, &right);
    }
    let mut rows = vec![look.shortened(&row, look.width).fit(look.width, ground)];
    if settings.show_hook_status && !facts.hooks.is_empty() {
        let texts: Vec<&str> = facts.hooks.iter().map(|(_, text)| text.as_str()).collect();
        rows.push(look.row(Token::Dim, &texts.join(&look.dot())));
    }
    rows
}

/// What a segment is drawn from.
struct Drawing<'a> {
    look: &'a Look,
    facts: &'a Facts,
    settings: &'a Settings,
    symbols: Preset,
    ground: Style,
}

impl Drawing<'_> {
    fn row(&self, left: &[Segment], right: &[Segment]) -> Line {
        let (before, after) = self.settings.separators(self.symbols);
        let left = self.side(left, &before);
        let right = self.side(right, &after);
        let mut row = Line::styled(self.ground, " ");
        row.append(&left);
        let used = row.width() + right.width() + 1;
        let gap = self.look.width.saturating_sub(used).max(usize::from(right.width() > 0));
        row.push(self.ground, &" ".repeat(gap)).append(&right);
        row.push(self.ground, " ");
        row
    }

    fn side(&self, segments: &[Segment], separator: &str) -> Line {
        let mut line = Line::new();
        for part in segments.iter().filter_map(|segment| self.segment(*segment)) {
            if line.width() > 0 {
                line.push(self.on(Token::StatusLineSep), separator);
            }
            line.append(&part);
        }
        line
    }

    fn on(&self, token: Token) -> Style {
        self.look.fg(token).background(self.ground.background)
    }

    fn symbol(&self, symbol: Symbol) -> &str {
        match self.symbols == self.look.theme.preset() {
            true => self.look.symbol(symbol),
            false => symbol.in_preset(self.symbols),
        }
    }

    fn option(&self, segment: &str, name: &str) -> Option<&Value> {
        self.settings.options.get(segment)?.get(name)
    }
}

#[cfg(test)]
mod tests;
