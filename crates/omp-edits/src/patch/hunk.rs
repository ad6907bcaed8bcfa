//! Hunks of a diff, as models write them.

use crate::patch::error::PatchError;

/// A change with the lines around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The line of the diff where it begins, counted from one.
    pub at: usize,
    /// Lines of the file above the hunk, from the outermost to the innermost, as `@@ class A` names them.
    pub anchors: Vec<String>,
    /// The line of the file where it begins, as `@@ -12,3 +12,4 @@` says.
    pub first_line: Option<usize>,
    pub rows: Vec<HunkLine>,
    /// The hunk reaches to the end of the file.
    pub at_end: bool,
    /// The old text has no line end at its end.
    pub old_unended: bool,
    /// The new text has none.
    pub new_unended: bool,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkLine {
    Keep(String),
    Remove(String),
    Add(String),
}

impl Hunk {
    /// The lines that the file has.
    pub(crate) fn old(&self) -> Vec<&str> {
        let old = self.rows.iter().filter_map(|row| match row {
            HunkLine::Keep(line) | HunkLine::Remove(line) => Some(line.as_str()),
            HunkLine::Add(_) => None,
        });
        old.collect()
    }

    fn changes(&self) -> bool {
        self.rows.iter().any(|row| !matches!(row, HunkLine::Keep(_)))
    }
}

/// A diff that is still being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// Hunks that something follows.
    pub complete: Vec<Hunk>,
    /// The last one.
    pub open: Option<Hunk>,
}

/// Reads hunks. Headers of files, as `git diff` writes them, are passed over.
pub fn parse_hunks(diff: &str) -> Result<Vec<Hunk>, PatchError> {
    let lines: Vec<(usize, &str)> = numbered(diff).collect();
    parse_numbered(&lines)
}

/// Reads the hunks of a diff that may break off anywhere.
pub fn parse_hunks_start(diff: &str) -> Result<Started, PatchError> {
    let whole = diff.rfind('\n').map_or("", |end| &diff[..end]);
    let lines: Vec<(usize, &str)> = numbered(whole).collect();
    start_numbered(&lines)
}

pub(crate) fn start_numbered(lines: &[(usize, &str)]) -> Result<Started, PatchError> {
    let mut parser = Parser::default();
    parser.feed(lines)?;
    let open = parser.current.take();
    Ok(Started { complete: parser.hunks, open: open.filter(|hunk| !hunk.rows.is_empty()) })
}

pub(crate) fn parse_numbered(lines: &[(usize, &str)]) -> Result<Vec<Hunk>, PatchError> {
    let mut parser = Parser::default();
    parser.feed(lines)?;
    parser.close()?;
    if parser.hunks.is_empty() {
        return Err(PatchError::NoHunks);
    }
    Ok(parser.hunks)
}

/// Lines with their numbers, without the `\r` of foreign line ends.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').enumerate().map(|(index, line)| (index + 1, line.strip_suffix('\r').unwrap_or(line)))
}

#[derive(Default)]
struct Parser {
    hunks: Vec<Hunk>,
    current: Option<Hunk>,
    /// Empty lines at the end of the current hunk: part of it only if more follows.
    blank: usize,
}

impl Parser {
    fn feed(&mut self, lines: &[(usize, &str)]) -> Result<(), PatchError> {
        let mut position = 0;
        while let Some((at, line)) = lines.get(position).copied() {
            let next = lines.get(position + 1).map_or("", |(_, line)| *line);
            position += match self.current.is_none() || self.blank > 0 {
                true if line.starts_with("--- ") && next.starts_with("+++ ") => 2,
                _ => {
                    self.line(at, line)?;
                    1
                }
            };
        }
        Ok(())
    }

    fn line(&mut self, at: usize, line: &str) -> Result<(), PatchError> {
        if let Some(rest) = line.strip_prefix("@@") {
            return self.header(at, rest);
        }
        if line.trim_end() == "*** End of File" {
            self.hunk(at).at_end = true;
            return Ok(());
        }
        if line.starts_with("\\ No newline") {
            self.unended();
            return Ok(());
        }
        let row = match line.split_at_checked(1) {
            None if line.is_empty() => {
                self.blank += usize::from(self.current.is_some());
                return Ok(());
            }
            Some((" ", text)) => HunkLine::Keep(text.to_owned()),
            Some(("-", text)) => HunkLine::Remove(text.to_owned()),
            Some(("+", text)) => HunkLine::Add(text.to_owned()),
            _ if self.current.is_none() && is_preamble(line) => return Ok(()),
            _ => return Err(PatchError::BadRow { at, text: line.to_owned() }),
        };
        let blank = std::mem::take(&mut self.blank);
        let hunk = self.hunk(at);
        hunk.rows.extend(std::iter::repeat_n(HunkLine::Keep(String::new()), blank));
        hunk.rows.push(row);
        Ok(())
    }

    fn hunk(&mut self, at: usize) -> &mut Hunk {
        self.current.get_or_insert_with(|| Hunk { at, ..Hunk::default() })
    }

    /// Several headers in a row are anchors of one hunk.
    fn header(&mut self, at: usize, rest: &str) -> Result<(), PatchError> {
        let nested =
            self.current.as_ref().is_some_and(|hunk| hunk.rows.is_empty() && !hunk.anchors.is_empty());
        if !nested {
            self.close()?;
        }
        let hunk = self.hunk(at);
        match line_number(rest) {
            Some(first_line) => hunk.first_line = Some(first_line),
            None => {
                let anchor = rest.trim().trim_end_matches("@@").trim_end();
                hunk.anchors.extend((!anchor.is_empty() && anchor != "...").then(|| anchor.to_owned()));
            }
        }
        Ok(())
    }

    fn unended(&mut self) {
        let Some(hunk) = &mut self.current else { return };
        match hunk.rows.last() {
            Some(HunkLine::Keep(_)) => (hunk.old_unended, hunk.new_unended) = (true, true),
            Some(HunkLine::Remove(_)) => hunk.old_unended = true,
            Some(HunkLine::Add(_)) => hunk.new_unended = true,
            None => {}
        }
    }

    fn close(&mut self) -> Result<(), PatchError> {
        self.blank = 0;
        let Some(hunk) = self.current.take() else { return Ok(()) };
        if hunk.rows.is_empty() {
            return Err(PatchError::EmptyHunk { at: hunk.at });
        }
        if !hunk.changes() {
            return Err(PatchError::NoChange { at: hunk.at });
        }
        self.hunks.push(hunk);
        Ok(())
    }
}

/// The first number of ` -12,3 +12,4 @@ …`.
fn line_number(rest: &str) -> Option<usize> {
    let old = rest.trim_start().strip_prefix('-')?;
    let (old, after) = old.split_once(' ')?;
    if !after.trim_start().starts_with('+') {
        return None;
    }
    old.split(',').next()?.parse().ok()
}

/// What `git diff` writes above the hunks of a file.
fn is_preamble(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "diff ",
        "index ",
        "new file",
        "deleted file",
        "old mode",
        "new mode",
        "similarity ",
        "rename ",
        "copy ",
        "--- ",
        "+++ ",
        "```",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}
