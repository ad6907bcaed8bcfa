//! The headings of Markdown. The grammar knows them too, but not which lines belong to an underlined one.

/// A heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) row: usize,
    /// Two with the line below that makes it a heading.
    pub(crate) rows: usize,
    pub(crate) level: usize,
}

/// All headings in the order of the text, but for those in code.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut paragraph = false;
    for (row, line) in text.lines().enumerate().skip(front_matter(text)) {
        match (fence, Fence::of(line)) {
            (None, Some(opened)) if opened.may_open => fence = Some(opened),
            (Some(opened), Some(mark)) if mark.closes(opened) => {
                fence = None;
                paragraph = false;
                continue;
            }
            _ => {}
        }
        if fence.is_some() {
            continue;
        }
        if let Some(level) = level(line) {
            found.push(Heading { row, rows: 1, level });
            paragraph = false;
        } else if let Some(level) = underline(line).filter(|_| paragraph) {
            found.push(Heading { row: row - 1, rows: 2, level });
            paragraph = false;
        } else {
            let blank = line.trim().is_empty();
            let other = line.starts_with([' ', '\t', '>', '|', '-', '*', '+', '<']);
            paragraph = !blank && !other;
        }
    }
    found
}

/// The last row of the section that the heading on a row opens: up to the next heading of its level or above.
pub(crate) fn section_end(text: &str, row: usize) -> Option<usize> {
    let headings = headings(text);
    let at = headings.iter().position(|heading| heading.row == row)?;
    let level = headings[at].level;
    let next = headings[at + 1..].iter().find(|heading| heading.level <= level);
    let lines: Vec<&str> = text.lines().collect();
    let end = next.map_or(lines.len(), |heading| heading.row);
    (row..end).rev().find(|row| !lines[*row].trim().is_empty())
}

/// The rows of values that some texts begin with, between two lines of `---`.
fn front_matter(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim_end).enumerate();
    let Some((_, mark @ ("---" | "+++"))) = lines.next() else { return 0 };
    lines.find(|(_, line)| *line == mark).map_or(0, |(row, _)| row + 1)
}

/// A line that begins or ends a piece of code.
#[derive(Clone, Copy)]
struct Fence {
    character: char,
    length: usize,
    may_open: bool,
    may_close: bool,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let character = line.chars().next().filter(|first| matches!(first, '`' | '~'))?;
        let rest = line.trim_start_matches(character);
        let length = line.len() - rest.len();
        // Code within a line may begin with as many.
        let may_open = character == '~' || !rest.contains('`');
        let fence = Self { character, length, may_open, may_close: rest.trim().is_empty() };
        (length >= 3).then_some(fence)
    }

    /// As many as at the beginning, or more, and nothing behind them.
    fn closes(self, opened: Self) -> bool {
        self.may_close && self.character == opened.character && self.length >= opened.length
    }
}

/// `## Title`
fn level(line: &str) -> Option<usize> {
    let trimmed = line.trim_start_matches(' ');
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &trimmed[level..];
    // Deeper lines are code.
    let is_near = line.len() - trimmed.len() <= 3;
    (is_near && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then_some(level)
}

/// A line of `=` or `-` below a paragraph.
fn underline(line: &str) -> Option<usize> {
    let line = line.trim_end();
    match line.chars().next()? {
        '=' if line.chars().all(|c| c == '=') => Some(1),
        '-' if line.chars().all(|c| c == '-') => Some(2),
        _ => None,
    }
}
