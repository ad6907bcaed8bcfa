//! Lines that match a pattern, with the lines around them.

mod bounded;
mod pattern;
mod rows;

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder};

use crate::open;
use crate::sniff::{self, FileKind};
use crate::text::Charset;
use crate::walk::WalkEntry;
use bounded::{Bounded, Known};
use rows::Rows;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Query {
    matcher: RegexMatcher,
    multiline: bool,
    style: Style,
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

/// Lines of a file, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    pub first: u64,
    /// The last of them; without it all that follow.
    pub last: Option<u64>,
}

/// Lines longer than this are cut.
pub const MAX_COLUMNS: usize = 512;

/// Larger files are not looked through for a pattern that spans lines: each would have to be in memory as a whole.
pub const LARGEST_SPANNED: u64 = 16 * 1024 * 1024;

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileMatches {
    pub rows: Vec<GrepLine>,
    /// Matching lines kept.
    pub matches: usize,
    /// There are more matches.
    pub more: bool,
    /// It is not text, and was not looked through.
    pub binary: bool,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepLine {
    pub line: u64,
    pub text: String,
    pub matched: bool,
    /// The line was longer than what is shown.
    pub cut: bool,
}

impl Query {
    /// Compiles a pattern in Rust's syntax. Braces that cannot be a repetition are taken as they are, and so are
    /// parentheses if the pattern is invalid otherwise. A pattern with a line end spans lines. The error says what
    /// to write instead.
    pub fn new(pattern: &str, style: Style) -> Result<Self, String> {
        let compiled = pattern::compile(pattern, style.ignore_case)?;
        let (matcher, multiline) = (compiled.matcher, compiled.multiline);
        Ok(Self { matcher, multiline, style, idle: Arc::default() })
    }

    /// Looks through a file. Files that are not text have no lines. One that is too large for the pattern is refused
    /// with [`io::ErrorKind::FileTooLarge`], and what is not a file is refused too.
    pub fn file(&self, path: &Path) -> io::Result<FileMatches> {
        self.file_within(path, &[], &|| false)
    }

    /// As [`file`](Self::file). If there are ranges, only matches in them count. Fails soon after `stop` says so.
    pub fn file_within(
        &self,
        path: &Path,
        ranges: &[LineRange],
        stop: &dyn Fn() -> bool,
    ) -> io::Result<FileMatches> {
        match open::open(path)? {
            open::OpenedPath::File(file, _) => self.opened(&file, ranges, stop),
            open::OpenedPath::Directory => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            open::OpenedPath::Special(special) => Err(io::Error::other(format!("it is {}", special.name()))),
        }
    }

    /// Looks through a file that a walk has come to.
    pub fn entry(&self, entry: &WalkEntry, stop: &dyn Fn() -> bool) -> io::Result<FileMatches> {
        self.opened(&open::open_entry(entry.path())?, &[], stop)
    }

    /// As [`file_within`](Self::file_within), for a file that is open at its start.
    pub fn opened(
        &self,
        file: &File,
        ranges: &[LineRange],
        stop: &dyn Fn() -> bool,
    ) -> io::Result<FileMatches> {
        if self.multiline && file.metadata()?.len() > LARGEST_SPANNED {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, TOO_LARGE));
        }
        let mut sink = Rows::new(self.style, ranges);
        let kept = self.idle().pop();
        let (matcher, mut searcher) = kept.unwrap_or_else(|| (self.matcher.clone(), self.searcher(None)));
        let notes = sink.notes.clone();
        let reader = Bounded::new(file, !self.multiline, Known::Nothing, notes.clone(), stop);
        let searched = searcher.search_reader(&matcher, reader, &mut sink);
        self.idle().push((matcher, searcher));
        searched?;
        if let Some(charset) = notes.is_odd().then(|| other_charset(file)).transpose()?.flatten() {
            return self.look_again(file, charset, ranges, stop);
        }
        Ok(if notes.is_binary() { binary() } else { sink.found })
    }

    /// Looks through a text in another encoding, as everybody sees it who reads it.
    fn look_again(
        &self,
        mut file: &File,
        charset: Charset,
        ranges: &[LineRange],
        stop: &dyn Fn() -> bool,
    ) -> io::Result<FileMatches> {
        file.seek(SeekFrom::Start(0))?;
        let mut sink = Rows::new(self.style, ranges);
        let reader = Bounded::new(file, false, Known::Encoding, sink.notes.clone(), stop);
        self.searcher(Some(charset)).search_reader(&self.matcher, reader, &mut sink)?;
        Ok(sink.found)
    }

    /// Looks through a text.
    pub fn text(&self, text: &str) -> io::Result<FileMatches> {
        self.text_within(text, &[])
    }

    /// Looks through a text. If there are ranges, only matches in them count.
    pub fn text_within(&self, text: &str, ranges: &[LineRange]) -> io::Result<FileMatches> {
        if bounded::is_binary(text.as_bytes()) {
            return Ok(binary());
        }
        let mut sink = Rows::new(self.style, ranges);
        self.searcher(None).search_slice(&self.matcher, text.as_bytes(), &mut sink)?;
        Ok(sink.found)
    }

    /// Does a line match?
    pub fn matches(&self, line: &str) -> bool {
        self.matcher.is_match(line.as_bytes()).unwrap_or(false)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(RegexMatcher, Searcher)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn searcher(&self, charset: Option<Charset>) -> Searcher {
        let end = self.matcher.line_terminator().unwrap_or(LineTerminator::byte(b'\n'));
        let encoding = charset.and_then(|charset| Encoding::new(charset.encoding().name()).ok());
        SearcherBuilder::new()
            .encoding(encoding)
            .line_number(true)
            .multi_line(self.multiline)
            .before_context(self.style.before)
            .after_context(self.style.after)
            .line_terminator(end)
            .binary_detection(BinaryDetection::none())
            .build()
    }
}

/// The encoding of a text that is not in UTF-8 and does not say so, if it is not too large to be looked through again.
fn other_charset(file: &File) -> io::Result<Option<Charset>> {
    if file.metadata()?.len() > LARGEST_SPANNED {
        return Ok(None);
    }
    let mut head = vec![0; sniff::HEAD];
    let count = file.read_at(&mut head, 0)?;
    Ok(match sniff::kind(&head[..count]) {
        FileKind::Text(charset @ (Charset::Legacy(_) | Charset::Utf16Le | Charset::Utf16Be)) => Some(charset),
        _ => None,
    })
}

const TOO_LARGE: &str = "it is larger than 16 MB, and the pattern spans lines";

fn binary() -> FileMatches {
    FileMatches { binary: true, ..FileMatches::default() }
}

#[cfg(test)]
mod tests;
