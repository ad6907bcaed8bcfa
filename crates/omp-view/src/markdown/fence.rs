//! Blocks of code: a frame with a bar beside the code. `/copy` gives the code without it.

use omp_syntax::Language;
use omp_theme::{Symbol, Token};
use omp_tui::text::{Line, Style};

use crate::Look;
use crate::code;
use crate::look::behind;

/// The cells before a line of code.
const INDENT: usize = 2;

/// The language in the words behind an opening fence.
pub(super) fn label(info: &str) -> &str {
    let word = info.trim().split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    word.trim_matches(|c| matches!(c, '{' | '}' | '.'))
}

/// The row above the code.
pub(super) fn top(look: &Look, label: &str) -> Line {
    let corner = look.symbol(Symbol::BoxRoundTopLeft);
    let across = look.symbol(Symbol::BoxRoundHorizontal);
    let mut line = Line::styled(look.fg(Token::MdCodeBlockBorder), &format!("{corner}{across}"));
    if !label.is_empty() {
        line.push(look.fg(Token::Muted), &format!(" {label}"));
    }
    look.shortened(&line, look.width)
}

/// The row below the code.
pub(super) fn bottom(look: &Look) -> Line {
    let corner = look.symbol(Symbol::BoxRoundBottomLeft);
    let across = look.symbol(Symbol::BoxRoundHorizontal);
    Line::styled(look.fg(Token::MdCodeBlockBorder), &format!("{corner}{across}")).clamp(look.width)
}

/// The code itself. Long lines are wrapped, not cut: somebody may want to copy them.
pub(super) fn body(look: &Look, text: &str, language: Option<Language>) -> Vec<Line> {
    let lines = match language.is_some_and(|language| language.name() == "diff") {
        true => text.lines().map(|line| Line::styled(look.fg(sign(line)), line)).collect(),
        false => code::lines(look, text, language, look.fg(Token::MdCodeBlock)),
    };
    let bar = Line::styled(look.fg(Token::MdCodeBlockBorder), look.symbol(Symbol::BoxRoundVertical));
    let mut bar = bar.clamp(look.width.saturating_sub(1));
    if look.width > INDENT {
        bar.push(Style::PLAIN, &" ".repeat(INDENT.saturating_sub(bar.width())));
    }
    let room = look.width.saturating_sub(bar.width()).max(1);
    let rows = lines.iter().flat_map(|line| line.wrap(room, 0));
    rows.map(|row| behind(&bar, &row)).collect()
}

/// The colour of a line of a difference.
fn sign(line: &str) -> Token {
    match line.as_bytes() {
        [b'+', ..] => Token::ToolDiffAdded,
        [b'-', ..] => Token::ToolDiffRemoved,
        [b'@', b'@', ..] => Token::Accent,
        _ => Token::MdCodeBlock,
    }
}

/// An opening fence at the start of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    /// The language as it was written.
    pub(super) label: String,
}

impl Fence {
    /// The fence that a line opens.
    pub(super) fn open(line: &str) -> Option<Self> {
        let (indent, rest) = indented(line)?;
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = rest.chars().take_while(|one| *one == mark).count();
        let info = rest[length..].trim();
        let fits = length >= 3 && !(mark == '`' && info.contains('`'));
        fits.then(|| Self { mark, length, indent, label: label(info).to_owned() })
    }

    /// Whether a line closes this fence.
    pub(super) fn closes(&self, line: &str) -> bool {
        let Some((_, rest)) = indented(line) else { return false };
        let length = rest.chars().take_while(|one| *one == self.mark).count();
        length >= self.length && rest[length..].trim().is_empty()
    }

    /// A line of code without the indent that it shares with the fence.
    pub(super) fn strip<'a>(&self, line: &'a str) -> &'a str {
        let blanks = line.bytes().take_while(|byte| *byte == b' ').count();
        &line[blanks.min(self.indent)..]
    }
}

/// A line with at most three blanks before it.
fn indented(line: &str) -> Option<(usize, &str)> {
    let blanks = line.bytes().take_while(|byte| *byte == b' ').count();
    (blanks <= 3).then(|| (blanks, &line[blanks..]))
}
