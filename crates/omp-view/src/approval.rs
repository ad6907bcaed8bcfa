//! The question whether a call may run.

use omp_theme::{Symbol, Token};
use omp_tui::text::{Line, neutral};
use omp_types::ApprovalDetail;

use crate::diff::{self, LongLines, Numbers, Options};
use crate::look::behind;
use crate::{Look, code};

/// Rows of one value that are shown: its first and its last ones. What matters may stand at either end.
const FIRST_ROWS: usize = 8;
const LAST_ROWS: usize = 4;

/// A question in rows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub rows: Vec<Line>,
    /// Something of it is not among them.
    pub is_cut: bool,
}

/// The rows of a question: what is asked, and values with their labels. A difference takes at most `most` rows.
pub fn rows<'a>(
    look: &Look,
    title: &str,
    values: impl IntoIterator<Item = (&'a str, &'a str)>,
    most: usize,
) -> Shown {
    let sign = format!("{} ", look.symbol(Symbol::IconQuestion));
    let mut head = Line::styled(look.bold(Token::Warning), &sign);
    head.push(look.bold(Token::Text), &neutral::exact_line(title));
    let mut shown = Shown { rows: head.wrap(look.width, 2), is_cut: false };
    for (label, value) in values {
        let (rows, hidden) = match label {
            ApprovalDetail::DIFFERENCE => difference(look, value, most),
            label => shortened(look, label, value),
        };
        shown.is_cut |= hidden > 0;
        shown.rows.extend(rows);
    }
    shown
}

/// Everything, in as many rows as it takes.
pub fn whole<'a>(look: &Look, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Line> {
    let each = |(label, value): (&str, &str)| match label {
        ApprovalDetail::DIFFERENCE => difference(look, value, usize::MAX).0,
        label => {
            let (prefix, rows) = labelled(look, label, value);
            placed(look, &prefix, &rows)
        }
    };
    values.into_iter().flat_map(each).collect()
}

/// A value behind its label, without its middle if it is long, and how many rows that has.
fn shortened(look: &Look, label: &str, value: &str) -> (Vec<Line>, usize) {
    let (prefix, mut wrapped) = labelled(look, label, value);
    let hidden = wrapped.len().saturating_sub(FIRST_ROWS + LAST_ROWS);
    if hidden > 0 {
        wrapped.splice(FIRST_ROWS..FIRST_ROWS + hidden, [gap(look, hidden)]);
    }
    (placed(look, &prefix, &wrapped), hidden)
}

/// The label of a value, and the rows that come behind it.
fn labelled(look: &Look, label: &str, value: &str) -> (Line, Vec<Line>) {
    let prefix = Line::styled(look.fg(Token::Muted), &format!("  {label}: "));
    // What is decided about is the brightest.
    let token = match label {
        "Reason" | "Fails" => Token::Warning,
        "Command" | "Code" | "Path" => Token::Text,
        _ => Token::ToolOutput,
    };
    let inner = look.narrower(prefix.width().min(look.width / 2));
    let rows = inner.wrapped(token, &neutral::exact(value), 0);
    (prefix, rows)
}

/// Rows behind a label; those below the first are indented by as much.
fn placed(look: &Look, prefix: &Line, rows: &[Line]) -> Vec<Line> {
    let indent = prefix.width().min(look.width / 2);
    let blank = Line::plain(&" ".repeat(indent));
    let with = |(index, row): (usize, &Line)| {
        behind(if index == 0 { prefix } else { &blank }, row).clamp(look.width)
    };
    rows.iter().enumerate().map(with).collect()
}

fn gap(look: &Look, hidden: usize) -> Line {
    let rows = if hidden == 1 { "row" } else { "rows" };
    look.row(Token::Dim, &format!("{} {hidden} more {rows}", look.symbol(Symbol::FormatEllipsis)))
}

/// What would change, in colour, and how many lines of it are not shown.
fn difference(look: &Look, unified: &str, most: usize) -> (Vec<Line>, usize) {
    let files = diff::parse(&neutral::exact(unified));
    let (added, removed) = diff::counts(&files);
    let label = format!("  {}: ", ApprovalDetail::DIFFERENCE);
    let mut head = Line::styled(look.fg(Token::Muted), &label);
    head.push(look.fg(Token::ToolDiffAdded), &format!("+{added}"));
    head.push(look.fg(Token::ToolDiffRemoved), &format!(" -{removed}"));
    let language = |path: &str| code::language_of(path, "");
    let long = if most == usize::MAX { LongLines::Wrapped } else { LongLines::Cut };
    let options = Options { long, numbers: Numbers::Shown, most, language: &language };
    let (rows, hidden) = diff::render(&look.narrower(2), &files, options);
    let indent = Line::plain("  ");
    let mut all = vec![head.clamp(look.width)];
    all.extend(rows.iter().map(|row| behind(&indent, row).clamp(look.width)));
    if hidden > 0 {
        all.push(behind(&indent, &gap(look, hidden)).clamp(look.width));
    }
    (all, hidden)
}
