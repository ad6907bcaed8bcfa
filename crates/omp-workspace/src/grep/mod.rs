//! Lines that match a pattern, with the lines around them.

mod bounded;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use bounded::{Bounded, Cuts};

/// What to look for.
#[derive(Clone, Debug)]
pub struct Query {
    matcher: RegexMatcher,
    multiline: bool,
    before: usize,
    after: usize,
    /// Matches kept of one file.
    limit: usize,
    /// Searchers between two files. Their buffers are large, and a pattern's memory is best used by one thread.
    idle: Arc<Mutex<Vec<(RegexMatcher, Searcher)>>>,
}

/// How to look for it.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub ignore_case: bool,
    /// Lines shown before and after a match.
    pub before: usize,
    pub after: usize,
    /// Matches kept of one file.
    pub limit: usize,
}

/// Lines longer than this are cut.
pub const MAX_COLUMNS: usize = 512;

/// Larger files are not looked through for a pattern that spans lines: each would have to be in memory as a whole.
pub const LARGEST_SPANNED: u64 = 16 * 1024 * 1024;

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub rows: Vec<Row>,
    /// Matching lines kept.
    pub matches: usize,
    /// There are more matches.
    pub more: bool,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub line: u64,
    pub text: String,
    pub matched: bool,
    /// The line was longer than what is shown.
    pub cut: bool,
}

impl Query {
    /// Compiles a pattern in Rust's syntax. Braces that cannot be a repetition are taken as they are, and so are
    /// parentheses if the pattern makes no sense otherwise.
    pub fn new(pattern: &str, style: Style) -> Result<Self, String> {
        let multiline = pattern.contains('\n') || pattern.contains("\\n");
        let build = |pattern: &str| {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_insensitive(style.ignore_case).multi_line(true);
            if !multiline {
                builder.line_terminator(Some(b'\n'));
            }
            builder.build(pattern)
        };
        let escaped = escape_braces(pattern);
        let matcher = match build(&escaped) {
            Err(error) if is_about_groups(&error.to_string()) => build(&escape_parentheses(&escaped)),
            result => result,
        };
        let matcher = matcher.map_err(|error| error.to_string())?;
        Ok(Self {
            matcher,
            multiline,
            before: style.before,
            after: style.after,
            limit: style.limit,
            idle: Arc::default(),
        })
    }

    /// Looks through a file. Files that are not text have no lines. One that is too large for the pattern is refused
    /// with [`io::ErrorKind::FileTooLarge`].
    pub fn file(&self, path: &Path) -> io::Result<Found> {
        let file = File::open(path)?;
        if self.multiline && file.metadata()?.len() > LARGEST_SPANNED {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, TOO_LARGE));
        }
        let mut sink = Rows::new(self.limit);
        let kept = self.idle().pop();
        let (matcher, mut searcher) = kept.unwrap_or_else(|| (self.matcher.clone(), self.searcher()));
        let searched = match self.multiline {
            true => searcher.search_file(&matcher, &file, &mut sink),
            false => searcher.search_reader(&matcher, Bounded::new(&file, sink.cuts.clone()), &mut sink),
        };
        self.idle().push((matcher, searcher));
        searched.map(|()| sink.found)
    }

    /// Looks through a text.
    pub fn text(&self, text: &str) -> io::Result<Found> {
        let mut sink = Rows::new(self.limit);
        self.searcher().search_slice(&self.matcher, text.as_bytes(), &mut sink)?;
        Ok(sink.found)
    }

    /// Does a line match?
    pub fn matches(&self, line: &str) -> bool {
        self.matcher.is_match(line.as_bytes()).unwrap_or(false)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(RegexMatcher, Searcher)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_number(true)
            .multi_line(self.multiline)
            .before_context(self.before)
            .after_context(self.after)
            .line_terminator(LineTerminator::byte(b'\n'))
            .binary_detection(BinaryDetection::quit(0))
            .build()
    }
}

const TOO_LARGE: &str = "it is larger than 16 MB, and the pattern spans lines";

fn is_about_groups(error: &str) -> bool {
    error.contains("unclosed group") || error.contains("unopened group")
}

/// A brace opens a repetition only after something and with numbers inside.
fn escape_braces(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(character) = rest.chars().next() {
        let (head, tail) = rest.split_at(character.len_utf8());
        match character {
            '\\' => {
                let next = tail.chars().next().map_or(0, char::len_utf8);
                // `\p{Greek}`, `\x{41}` and their like own their braces.
                let owns = tail.starts_with(['p', 'P', 'x', 'u', 'U']) && tail[next..].starts_with('{');
                let end = if owns { tail.find('}').map_or(next, |end| end + 1) } else { next };
                escaped.push_str(head);
                escaped.push_str(&tail[..end]);
                rest = &tail[end..];
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '{' if !in_class => {
                let end = repetition(tail).filter(|_| !escaped.is_empty());
                match end {
                    Some(end) => {
                        escaped.push('{');
                        escaped.push_str(&tail[..end]);
                        rest = &tail[end..];
                        continue;
                    }
                    None => {
                        // `${name}` is code: nothing follows the end of a line.
                        if escaped.ends_with('$') && !escaped.ends_with("\\$") {
                            escaped.insert(escaped.len() - 1, '\\');
                        }
                        escaped.push('\\');
                    }
                }
            }
            '}' if !in_class => escaped.push('\\'),
            _ => {}
        }
        escaped.push_str(head);
        rest = tail;
    }
    escaped
}

/// The length of `2,4}` and its like, behind an open brace.
fn repetition(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let inside = &text[..end];
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && digits(least) && digits(most)).then_some(end + 1)
}

fn escape_parentheses(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut after_backslash = false;
    for character in pattern.chars() {
        if matches!(character, '(' | ')') && !after_backslash {
            escaped.push('\\');
        }
        after_backslash = character == '\\' && !after_backslash;
        escaped.push(character);
    }
    escaped
}

/// Collects rows until there are enough matches.
struct Rows {
    limit: usize,
    found: Found,
    cuts: Cuts,
}

impl Rows {
    fn new(limit: usize) -> Self {
        Self { limit, found: Found::default(), cuts: Cuts::default() }
    }

    fn push(&mut self, first: Option<u64>, place: u64, bytes: &[u8], matched: bool) {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let first = first.unwrap_or(1).saturating_sub(self.cuts.before(place));
        for (line, text) in (first..).zip(text.split(|byte| *byte == b'\n')) {
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            // Four bytes for each character that may be shown.
            let head = &text[..text.len().min(4 * (MAX_COLUMNS + 1))];
            let decoded = String::from_utf8_lossy(head);
            let (text, cut) = match decoded.char_indices().nth(MAX_COLUMNS) {
                Some((end, _)) => (format!("{}…", &decoded[..end]), true),
                None => (decoded.into_owned(), false),
            };
            self.add(Row { line, text, matched, cut });
        }
    }
}

impl Rows {
    /// Of the pieces of a long line one is shown, the first that matches.
    fn add(&mut self, row: Row) {
        match self.found.rows.last_mut() {
            Some(last) if last.line == row.line && (last.matched || !row.matched) => return,
            Some(last) if last.line == row.line => *last = row,
            _ => self.found.rows.push(row),
        }
        self.found.matches += usize::from(self.found.rows.last().is_some_and(|row| row.matched));
    }
}

impl Sink for Rows {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        if self.found.matches >= self.limit {
            self.found.more = true;
            return Ok(false);
        }
        self.push(matched.line_number(), matched.absolute_byte_offset(), matched.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.push(context.line_number(), context.absolute_byte_offset(), context.bytes(), false);
        Ok(true)
    }

    /// What was found before the file turned out to be no text is not worth showing.
    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found = Found::default();
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pattern: &str, text: &str) -> Vec<(u64, String, bool)> {
        let style = Style { ignore_case: false, before: 1, after: 1, limit: 10 };
        let found = Query::new(pattern, style).unwrap().text(text).unwrap();
        found.rows.into_iter().map(|row| (row.line, row.text, row.matched)).collect()
    }

    #[test]
    fn braces_and_parentheses_may_be_text() {
        for (pattern, text) in [
            ("${platform}", "a ${platform} b"),
            ("interface{}", "interface{}"),
            ("foo(", "foo(bar)"),
            ("a{2,4}$", "aaaa"),
            ("{x}", "{x}"),
            ("fn \\w+\\(\\) \\{", "fn a() {"),
            ("[{}]", "}"),
            ("\\p{Lu}x", "Äx"),
            ("a{2}b", "aab"),
        ] {
            assert_eq!(rows(pattern, text).len(), 1, "{pattern}");
        }
        assert!(rows("a{2,4}$", "a").is_empty(), "a repetition stays one");
    }

    #[test]
    fn lines_around_a_match_are_shown() {
        let shown = rows("c", "a\nb\nc\nd\ne\n");
        let row = |line, text: &str, matched| (line, text.to_owned(), matched);
        assert_eq!(shown, [row(2, "b", false), row(3, "c", true), row(4, "d", false)]);
    }

    #[test]
    fn a_pattern_with_a_line_end_spans_lines() {
        let shown = rows("b\\nc", "a\nb\nc\nd\n");
        assert_eq!(
            shown.iter().filter(|(_, _, matched)| *matched).map(|(line, ..)| *line).collect::<Vec<_>>(),
            [2, 3]
        );
    }

    #[test]
    fn what_is_no_text_has_no_lines() {
        assert!(rows("a", "a\n\0\u{1}a\n").is_empty());
    }

    /// A line without end takes no more memory than others, and its number and those behind it are right.
    #[test]
    fn lines_without_end_are_looked_through_in_pieces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("long.txt");
        let long = "x".repeat(40 * bounded::LONGEST);
        std::fs::write(&path, format!("first\n{long}needle{long}needle\nthird needle\nfourth\n")).unwrap();
        let style = Style { ignore_case: false, before: 1, after: 1, limit: 10 };
        let found = |pattern: &str| {
            let found = Query::new(pattern, style).unwrap().file(&path).unwrap();
            let rows = found.rows.iter().map(|row| (row.line, row.matched)).collect::<Vec<_>>();
            (found.matches, rows)
        };
        assert_eq!(found("needle"), (2, vec![(2, true), (3, true), (4, false)]));
        assert_eq!(found("fourth"), (1, vec![(3, false), (4, true)]));
        let spans = Query::new("third needle\\nfourth", style).unwrap().file(&path).unwrap_err();
        assert_eq!(spans.kind(), io::ErrorKind::FileTooLarge);
        let wide: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("a\nneedle\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        std::fs::write(&path, wide).unwrap();
        assert_eq!(found("needle").1.last(), Some(&(2, true)));
    }
}
