//! Where a text may be cut so that what stands before is over: at the start of each paragraph, heading, block of code or
//! table, also within lists.
//!
//! What follows a cut within a list is read behind a scaffold: one item for each list around it, with the same indents. So
//! the parser sees the same structure, and the scaffold's rows are left out. Quotes and footnotes are not cut.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::block::is_inline;
use super::options;

/// Lists within lists that are cut.
const MAX_LISTS: usize = 6;

/// The words of an item of a scaffold.
const FILLER: &str = ".";

/// Where a list stands: the number of its latest item, and whether a blank row follows that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ListPlace {
    pub(super) number: u64,
    pub(super) is_long: bool,
}

/// The lists around the rest of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// An item for each.
    pub(super) scaffold: String,
    /// Where each of them stands.
    pub(super) places: Vec<ListPlace>,
}

impl Around {
    /// Whether the rest stands in no list.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// A place where the text before it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The start of a line.
    pub(super) at: usize,
    /// An item for each list around it.
    pub(super) scaffold: String,
    /// How many lists there are.
    pub(super) lists: usize,
}

/// The first words of an item, up to where its text begins.
#[derive(Clone, Debug)]
struct Marker {
    start: usize,
    /// As it is written on a line of its own; `None` if its columns are not known.
    line: Option<String>,
    /// Whether anything stands in the item.
    is_inked: bool,
}

#[derive(Debug)]
struct OpenList {
    start: usize,
    latest: Option<Marker>,
    before: Option<Marker>,
}

/// The cuts of a text that stands behind `scaffold`. Link definitions are no blocks; they belong to the one before.
pub(super) fn find(scaffold: &str, text: &str) -> Vec<Cut> {
    let source = if scaffold.is_empty() { text.to_owned() } else { format!("{scaffold}{text}") };
    let mut finder = Finder {
        source: &source,
        offset: scaffold.len(),
        lists: Vec::new(),
        cuts: Vec::new(),
        is_loose: false,
        ended: 0,
    };
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(&source, options()).into_offset_iter() {
        match (&event, depth) {
            (Event::Start(_), 1..) => depth += 1,
            (Event::End(_), 1..) => depth -= 1,
            (_, 1..) => {}
            _ => depth += finder.event(&event, range),
        }
    }
    finder.cuts
}

struct Finder<'a> {
    source: &'a str,
    /// Where the text itself begins.
    offset: usize,
    lists: Vec<OpenList>,
    cuts: Vec<Cut>,
    /// Whether these are words of an item without a paragraph.
    is_loose: bool,
    /// Where the latest leaf ends.
    ended: usize,
}

impl Finder<'_> {
    /// Takes an event that stands in lists only, and says how deep it leads into something that is not cut.
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) -> usize {
        let start = range.start;
        let was_loose = std::mem::take(&mut self.is_loose);
        match event {
            Event::Start(Tag::List(_)) => self.lists.push(OpenList { start, latest: None, before: None }),
            Event::End(TagEnd::List(_)) => _ = self.lists.pop(),
            Event::Start(Tag::Item) => {
                let marker = self.marker(start);
                if let Some(list) = self.lists.last_mut() {
                    list.before = list.latest.replace(marker);
                }
            }
            Event::End(_) => {}
            Event::Start(tag) => {
                self.is_loose = is_inline(tag);
                self.leaf(range, was_loose && self.is_loose);
                return 1;
            }
            Event::Rule => self.leaf(range, false),
            _ => {
                self.is_loose = true;
                self.leaf(range, was_loose);
            }
        }
        0
    }

    /// Something that is drawn on its own begins, or continues.
    fn leaf(&mut self, range: Range<usize>, goes_on: bool) {
        let ended = self.ended;
        self.ended = range.end.max(ended);
        if goes_on {
            return;
        }
        let line = self.source[..range.start].rfind('\n').map_or(0, |at| at + 1);
        // Directly behind a link definition blocks begin by other rules.
        let between = self.source.get(ended..line).unwrap_or_default();
        let is_behind_definition =
            between.lines().last().is_some_and(|last| !last.trim().is_empty()) && !between.trim().is_empty();
        let is_first = |list: &OpenList| {
            list.latest.as_ref().is_some_and(|marker| marker.start < line && !marker.is_inked)
        };
        // An item begins with its first words, wherever they stand.
        let allowed = !is_behind_definition && !self.lists.iter().any(is_first);
        self.lists
            .iter_mut()
            .filter_map(|list| list.latest.as_mut())
            .for_each(|marker| marker.is_inked = true);
        if allowed && line > self.cuts.last().map_or(self.offset, |cut| cut.at + self.offset) {
            self.cut(line);
        }
    }

    fn cut(&mut self, line: usize) {
        if self.source[self.offset..line].trim().is_empty() {
            return;
        }
        let around = self.lists.iter().filter(|list| list.start < line);
        let lines: Option<Vec<&str>> = around
            .map(|list| {
                let latest = list.latest.as_ref().filter(|marker| marker.start < line);
                latest.or(list.before.as_ref())?.line.as_deref()
            })
            .collect();
        let Some(lines) = lines.filter(|lines| lines.len() <= MAX_LISTS) else { return };
        self.cuts.push(Cut { at: line - self.offset, scaffold: lines.concat(), lists: lines.len() });
    }

    /// The marker of the item that begins at `start`, or in the blanks before it.
    fn marker(&self, start: usize) -> Marker {
        Marker { start, line: marker_line(self.source, start), is_inked: false }
    }
}

fn marker_line(source: &str, start: usize) -> Option<String> {
    let line = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = source[start..].split('\n').next().unwrap_or_default();
    let begin = start + rest.bytes().take_while(|byte| *byte == b' ').count();
    let rest = &source[begin..start + rest.len()];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mark = rest.get(..=digits)?;
    let blanks = rest[mark.len()..].bytes().take_while(|byte| *byte == b' ').count();
    let is_empty = rest[mark.len()..].trim().is_empty();
    let room = if is_empty || blanks > 4 { 1 } else { blanks };
    // Tabs have other widths in other columns.
    let tabs = source[line..begin].contains('\t') || rest[mark.len() + blanks..].starts_with('\t');
    let known = source[line..begin].is_ascii() && !tabs;
    let is_known = known && (is_empty || blanks > 0);
    is_known.then(|| format!("{}{mark}{}{FILLER}\n\n", " ".repeat(begin - line), " ".repeat(room)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(scaffold: &str, text: &str) -> Vec<(String, String)> {
        let shown = |cut: Cut| {
            let line = text[cut.at..].lines().next().unwrap_or_default().to_owned();
            (line, cut.scaffold.replace('\n', "/"))
        };
        find(scaffold, text).into_iter().map(shown).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(line, scaffold)| ((*line).to_owned(), (*scaffold).to_owned())).collect()
    }

    #[test]
    fn items_paragraphs_and_code_are_cut_apart() {
        let text = "intro\n\n1. one\n   - inner\n   - other\n\n     more\n2. two\n\n   ```\n   x\n   ```\nend\n\n> a\n>\n> b\n";
        assert_eq!(
            found("", text),
            pairs(&[
                ("1. one", ""),
                ("   - inner", "1. .//"),
                ("   - other", "1. .//   - .//"),
                ("     more", "1. .//   - .//"),
                ("2. two", "1. .//"),
                ("   ```", "2. .//"),
                ("end", ""),
                ("> a", ""),
            ])
        );
    }

    /// Behind a scaffold the same cuts are found.
    #[test]
    fn a_scaffold_stands_for_what_was_before() {
        let text = "     more\n2. two\n   - a\n   - b\n";
        assert_eq!(
            found("1. .\n\n   - .\n\n", text),
            pairs(&[("2. two", "1. .//"), ("   - a", "2. .//"), ("   - b", "2. .//   - .//")])
        );
    }

    #[test]
    fn an_item_keeps_its_first_words() {
        assert_eq!(
            found("", "-\n  a\n- - b\n  - c\n"),
            pairs(&[("- - b", "- .//"), ("  - c", "- .//  - .//")])
        );
        assert_eq!(found("", "-\ta\n\n\tb\n"), []);
        assert_eq!(found("", "+ \ta\n     - b\n   - c\n"), pairs(&[("   - c", "")]));
    }
}
