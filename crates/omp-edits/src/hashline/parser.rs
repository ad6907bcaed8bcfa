//! From the text of a patch to its sections and hunks.

use std::path::Path;

use crate::hashline::error::ParseError;
use crate::hashline::header::{self, Header};
use crate::hashline::lexer::{PatchLine, classify, mistake};
use crate::hashline::patch::{Hunk, Operation, Patch, Section};

const BARE_BODY: &str = "Auto-prefixed bare body row(s) with +. Body rows must be +TEXT literal lines; a line \
     without + may be taken for something else.";

/// Reads a whole patch. Paths inside `directory` are named relative to it.
pub fn parse(input: &str, directory: &Path) -> Result<Patch, ParseError> {
    if !input.contains('\n') && input.contains("\\n") {
        return Err(ParseError::Escaped);
    }
    let mut parser = Parser::new(directory);
    parser.read(input)?;
    parser.finish()
}

/// Reads a patch that is still being written: what is complete so far. Mistakes end the reading silently; the
/// whole patch will report them.
pub fn parse_partial(input: &str, directory: &Path) -> Patch {
    let mut parser = Parser::new(directory);
    let (complete, rest) = input.split_at(input.rfind('\n').map_or(0, |end| end + 1));
    let input = if rest.starts_with('+') { input } else { complete };
    let clean = parser.read(input).is_ok();
    if !clean || parser.close_hunk(Next::Other).is_err() {
        parser.open = None;
    }
    parser.sections.retain(|section| !section.hunks.is_empty());
    Patch { sections: parser.sections, warnings: parser.warnings }
}

struct Parser<'a> {
    directory: &'a Path,
    sections: Vec<Section>,
    warnings: Vec<String>,
    /// The section that hunks go to.
    section: Option<usize>,
    open: Option<Open<'a>>,
    /// The white space before the first header, which the whole patch is indented by.
    indent: &'a str,
    /// The patch stands in a code block.
    fenced: bool,
    /// A `#` line above which no hunk is open: a remark if a hunk header follows.
    remark: Option<(usize, &'a str)>,
}

/// A hunk whose body is being read.
struct Open<'a> {
    operation: Operation,
    at: usize,
    /// The white space before the header, which rows may have before their `+`.
    indent: &'a str,
    rows: Vec<BodyRow<'a>>,
}

#[derive(Clone, Copy)]
struct BodyRow<'a> {
    at: usize,
    text: &'a str,
    kind: RowKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Plus,
    Bare,
    Blank,
}

/// What ends a hunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Hunk,
    Other,
}

impl<'a> Parser<'a> {
    fn new(directory: &'a Path) -> Self {
        Self {
            directory,
            sections: Vec::new(),
            warnings: Vec::new(),
            section: None,
            open: None,
            indent: "",
            fenced: false,
            remark: None,
        }
    }

    fn read(&mut self, input: &'a str) -> Result<(), ParseError> {
        let input = input.strip_prefix('\u{feff}').unwrap_or(input);
        let mut closed = false;
        for (position, line) in input.split('\n').enumerate() {
            let (line, at) = (line.strip_suffix('\r').unwrap_or(line), position + 1);
            let line = line.strip_prefix(self.indent).unwrap_or(line);
            match classify(line, at) {
                Ok(PatchLine::Stop) => break,
                Ok(PatchLine::Blank) if closed => {}
                _ if closed => return Err(ParseError::BehindFence { at }),
                Ok(PatchLine::Raw(text)) if self.closes(text) => closed = true,
                row if self.section.is_none() => self.first(row.ok(), line)?,
                row => self.row(row?, line, at)?,
            }
        }
        Ok(())
    }

    /// Is the line the end of the code block that the patch stands in?
    fn closes(&self, line: &str) -> bool {
        self.fenced && self.section.is_some() && line.trim_end() == "```"
    }

    /// Nothing but a header may come first.
    fn first(&mut self, row: Option<PatchLine<'a>>, line: &'a str) -> Result<(), ParseError> {
        match row {
            Some(PatchLine::Blank | PatchLine::Begin) => Ok(()),
            Some(PatchLine::Header(line)) => self.enter(header::parse(line, self.directory)?),
            Some(PatchLine::Raw(text)) if text.starts_with("```") && !self.fenced => {
                self.fenced = true;
                Ok(())
            }
            Some(PatchLine::Raw(text)) if text.trim_start().starts_with('[') => {
                self.indent = indent(text);
                self.enter(header::parse(text.trim_start(), self.directory)?)
            }
            _ => Err(ParseError::NoHeader(line.to_owned())),
        }
    }

    fn row(&mut self, row: PatchLine<'a>, line: &'a str, at: usize) -> Result<(), ParseError> {
        match row {
            PatchLine::Begin | PatchLine::Stop => Ok(()),
            PatchLine::Header(line) => {
                let header = header::parse(line, self.directory)?;
                self.close_hunk(Next::Other)?;
                self.enter(header)
            }
            PatchLine::Hunk(operation) => {
                self.close_hunk(Next::Hunk)?;
                self.open = Some(Open { operation, at, indent: indent(line), rows: Vec::new() });
                Ok(())
            }
            PatchLine::Blank => self.body(line, RowKind::Blank, at),
            PatchLine::Plus(text) => self.body(text, RowKind::Plus, at),
            PatchLine::Raw(text) => self.raw(text, at),
        }
    }

    /// A line without `+`: indented like its hunk's header, a known mistake, or text.
    fn raw(&mut self, text: &'a str, at: usize) -> Result<(), ParseError> {
        let indent = self.open.as_ref().map_or("", |open| open.indent);
        if let Some(text) = text.strip_prefix(indent).and_then(|rest| rest.strip_prefix('+')) {
            return self.body(text, RowKind::Plus, at);
        }
        match mistake(text, at) {
            // An empty line pasted from a read.
            Some(ParseError::BareNumber { .. }) if self.open.is_some() && text.trim_end().ends_with(':') => {
                self.body(text, RowKind::Bare, at)
            }
            Some(error) => Err(error),
            None => self.body(text, RowKind::Bare, at),
        }
    }

    fn body(&mut self, text: &'a str, kind: RowKind, at: usize) -> Result<(), ParseError> {
        match (&mut self.open, kind) {
            (Some(open), _) => open.rows.push(BodyRow { at, text, kind }),
            (None, RowKind::Blank) => {}
            (None, RowKind::Bare) if text.starts_with('#') => self.remark = self.remark.or(Some((at, text))),
            (None, RowKind::Bare) => return Err(ParseError::Stray { at, text: text.to_owned() }),
            (None, RowKind::Plus) => return Err(ParseError::Stray { at, text: format!("+{text}") }),
        }
        Ok(())
    }

    /// Hunks that follow belong to the file that the line names.
    fn enter(&mut self, header: Header) -> Result<(), ParseError> {
        let tag = header.tag.ok_or_else(|| ParseError::NoTag(header.path.clone()))?;
        let known = self.sections.iter().position(|section| section.path == header.path);
        if let Some(known) = known {
            let first = self.sections[known].tag;
            if first != tag {
                return Err(ParseError::TwoTags { path: header.path, first, second: tag });
            }
        }
        self.section = Some(known.unwrap_or_else(|| {
            self.sections.push(Section { path: header.path, tag, hunks: Vec::new() });
            self.sections.len() - 1
        }));
        Ok(())
    }

    fn close_hunk(&mut self, next: Next) -> Result<(), ParseError> {
        let remark = self.remark.take();
        let Some(mut open) = self.open.take() else {
            return match remark {
                Some((at, text)) if next == Next::Other => {
                    Err(ParseError::Stray { at, text: text.to_owned() })
                }
                _ => Ok(()),
            };
        };
        if next == Next::Hunk {
            drop_remarks(&mut open);
        }
        trim_blank(&mut open.rows);
        let Open { operation, at, rows, .. } = open;
        if let (false, Some(row)) = (operation.takes_body(), rows.first()) {
            return Err(ParseError::UnwantedBody { at: row.at, operation });
        }
        if operation.takes_body() && rows.is_empty() {
            return Err(ParseError::EmptyBody { at, operation });
        }
        if rows.iter().any(|row| row.kind != RowKind::Plus)
            && !self.warnings.iter().any(|known| known == BARE_BODY)
        {
            self.warnings.push(BARE_BODY.to_owned());
        }
        let numbered = copied_from_a_read(&rows);
        let text = |row: &BodyRow<'_>| match numbered && row.kind == RowKind::Bare {
            true => without_number(row.text).unwrap_or(row.text).to_owned(),
            false => row.text.to_owned(),
        };
        let body = rows.iter().map(text).collect();
        if let Some(section) = self.section {
            self.sections[section].hunks.push(Hunk { operation, body, at });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Patch, ParseError> {
        if self.section.is_none() {
            return Err(ParseError::NoHeader(String::new()));
        }
        self.close_hunk(Next::Other)?;
        let (sections, empty): (Vec<_>, Vec<_>) =
            self.sections.into_iter().partition(|section| !section.hunks.is_empty());
        if sections.is_empty() {
            return Err(ParseError::Empty);
        }
        self.warnings
            .extend(empty.iter().map(|section| format!("{} has no hunks and was left alone.", section.path)));
        Ok(Patch { sections, warnings: self.warnings })
    }
}

/// The white space before a line's text.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Takes away `#` lines right above the next hunk's header, as long as the hunk keeps a body. Where all rows are without
/// their `+`, such a line may be text like the others, and stays.
fn drop_remarks(open: &mut Open<'_>) {
    let marked = open.rows.iter().any(|row| row.kind == RowKind::Plus);
    if !marked && open.operation.takes_body() {
        return;
    }
    let keep = open.rows.iter().rposition(|row| {
        let remark = row.kind == RowKind::Bare && row.text.starts_with('#');
        !remark && row.kind != RowKind::Blank
    });
    open.rows.truncate(keep.map_or(0, |last| last + 1));
}

/// Blank rows at the ends are layout.
fn trim_blank(rows: &mut Vec<BodyRow<'_>>) {
    let filled = |row: &BodyRow<'_>| row.kind != RowKind::Blank;
    let end = rows.iter().rposition(filled).map_or(0, |last| last + 1);
    rows.truncate(end);
    let start = rows.iter().position(filled).unwrap_or(0);
    rows.drain(..start);
}

/// Were the rows without `+` pasted from a read, with their line numbers? A map with numbers as keys looks the same and
/// is not.
fn copied_from_a_read(rows: &[BodyRow<'_>]) -> bool {
    let mut only_literals = true;
    for row in rows.iter().filter(|row| row.kind == RowKind::Bare) {
        match without_number(row.text) {
            Some(rest) => only_literals &= is_literal(rest),
            None => return false,
        }
    }
    !only_literals
}

/// The text of a row as a read or a search shows it: `12:text`, `*12:text`, ` 12|text`.
fn without_number(text: &str) -> Option<&str> {
    let shown = text.trim_start();
    let shown = shown.strip_prefix('*').map_or(shown, str::trim_start);
    let rest = shown.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < shown.len()).then(|| rest.strip_prefix([':', '|'])).flatten()
}

/// A lone string or number, as the values of a map are.
fn is_literal(text: &str) -> bool {
    let text = text.trim().trim_end_matches(',').trim_end();
    let quoted = |quote: char| text.len() >= 2 && text.starts_with(quote) && text.ends_with(quote);
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let number = number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(digits);
    number || ['"', '\'', '`'].into_iter().any(quoted)
}
