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
    let mut fence: Option<&str> = None;
    let mut paragraph = false;
    for (row, line) in text.lines().enumerate() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => {
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

/// `## Title`
fn level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &line[level..];
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(level)
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
