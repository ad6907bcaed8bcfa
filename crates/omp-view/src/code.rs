//! Source text with its colours.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use omp_syntax::highlight::{self, Class, Mark};
use omp_syntax::{Bounds, Language};
use omp_theme::{Theme, Token};
use omp_tui::text::{Color, Line, Style};

use crate::Look;

/// Questions of the parser after which a text is shown without colours: steps, not time, so that the same text always
/// looks the same.
const STEPS: usize = 20_000;

/// Makes languages ready for colours ahead of time, beside the interface. The first text of a language takes a moment that
/// somebody who types would notice. Without one, everything is coloured at once.
#[derive(Clone, Default)]
pub struct Preparer(Option<Arc<Asked>>);

struct Asked {
    languages: Mutex<Vec<Language>>,
    prepare: Box<dyn Fn(Language) + Send + Sync>,
}

impl Preparer {
    /// `elsewhere` is given each language once; it calls [`omp_syntax::highlight::prepare`] where nobody waits.
    pub fn new(elsewhere: impl Fn(Language) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Asked { languages: Mutex::default(), prepare: Box::new(elsewhere) })))
    }

    /// The language, if it can be coloured at once; else it is made ready for the next time.
    pub(crate) fn ready(&self, language: Option<Language>) -> Option<Language> {
        let (language, Some(asked)) = (language?, &self.0) else { return language };
        if highlight::is_ready(language) {
            return Some(language);
        }
        let mut languages = asked.languages.lock().unwrap_or_else(PoisonError::into_inner);
        if !languages.contains(&language) {
            languages.push(language);
            (asked.prepare)(language);
        }
        None
    }
}

impl fmt::Debug for Preparer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Preparer").field(&self.0.is_some()).finish()
    }
}

/// The token a class is coloured by.
fn token(class: Class) -> Token {
    match class {
        Class::Comment => Token::SyntaxComment,
        Class::Keyword => Token::SyntaxKeyword,
        Class::Function => Token::SyntaxFunction,
        Class::Variable => Token::SyntaxVariable,
        Class::String => Token::SyntaxString,
        Class::Number => Token::SyntaxNumber,
        Class::Type => Token::SyntaxType,
        Class::Operator => Token::SyntaxOperator,
        Class::Punctuation => Token::SyntaxPunctuation,
    }
}

pub use omp_syntax::highlight::prepare;

/// The lines of a text, each as one row of whatever width. What has no colour of its own gets `base`.
pub fn lines(look: &Look, text: &str, language: Option<Language>, base: Style) -> Vec<Line> {
    let marks = language.and_then(|language| marks(text, language)).unwrap_or_default();
    let mut painter = Painter { theme: &look.theme, base, marks: &marks, next: 0 };
    let mut offset = 0;
    let mut rows = Vec::new();
    for line in text.split_inclusive('\n') {
        rows.push(painter.line(without_end(line), offset));
        offset += line.len();
    }
    rows
}

/// The same for a language that is named as fences of Markdown name it.
pub fn tagged(look: &Look, text: &str, tag: &str, base: Style) -> Vec<Line> {
    lines(look, text, Language::of_tag(tag), base)
}

/// What is coloured in each line of a text: ranges of its bytes, in order, with the colour of each.
pub(crate) fn colors(look: &Look, text: &str, language: Language) -> Vec<Vec<(Range<usize>, Color)>> {
    let marks = marks(text, language).unwrap_or_default();
    let mut painter = Painter { theme: &look.theme, base: Style::PLAIN, marks: &marks, next: 0 };
    let mut offset = 0;
    let line = |line: &str| {
        let found = painter.marked(without_end(line), offset);
        offset += line.len();
        found
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The language of a file by its name.
pub(crate) fn language_of(path: &str, text: &str) -> Option<Language> {
    Language::of_path(path, text.lines().next().unwrap_or_default())
}

fn marks(text: &str, language: Language) -> Option<Vec<Mark>> {
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > STEPS
    };
    highlight::highlight(text, language, Bounds { stop: &stop })
}

/// A line without its `\n` or `\r\n`.
pub(crate) fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

struct Painter<'a> {
    theme: &'a Theme,
    base: Style,
    marks: &'a [Mark],
    /// The first mark that does not end before the current line.
    next: usize,
}

impl Painter<'_> {
    fn line(&mut self, text: &str, offset: usize) -> Line {
        let mut row = Line::new();
        let mut at = 0;
        for (range, color) in self.marked(text, offset) {
            row.push(self.base, &text[at..range.start]);
            row.push(self.base.foreground(color), &text[range.clone()]);
            at = range.end;
        }
        row.push(self.base, &text[at..]);
        row
    }

    /// The coloured parts of a line that begins at `offset`.
    fn marked(&mut self, text: &str, offset: usize) -> Vec<(Range<usize>, Color)> {
        let end = offset + text.len();
        while self.marks.get(self.next).is_some_and(|mark| mark.range.end <= offset) {
            self.next += 1;
        }
        let mut at = offset;
        let mut found = Vec::new();
        for mark in self.marks[self.next..].iter().take_while(|mark| mark.range.start < end) {
            let (from, to) = (mark.range.start.max(at), mark.range.end.min(end));
            found.push((from - offset..to - offset, self.theme.color(token(mark.class))));
            at = to;
        }
        found
    }
}
