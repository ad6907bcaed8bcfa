//! Where in a file the lines are that an edit means.

use std::borrow::Cow;

use crate::patch::distance::distance;
use crate::patch::occurrences::occurrences;

/// Finds lines that were written down from memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matcher {
    pub fuzzy: Fuzzy,
}

/// Whether text that is only nearly that of the file is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fuzzy {
    Off,
    /// From this part of equal characters on, at most 1.
    From(f64),
}

/// How well lines fit, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Exact,
    /// Blanks at the end of lines differ.
    TrailingBlanks,
    /// Blanks anywhere differ.
    Blanks,
    /// Quotation marks and dashes are typographic on one side.
    Signs,
    /// The lines are nearly the same.
    Near,
}

/// Lines that fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineMatch {
    /// Counted from zero.
    pub(crate) start: usize,
    pub(crate) fit: Fit,
    /// The part of equal characters.
    pub(crate) alike: f64,
}

/// More places than this need not be told apart.
const MAX_PLACES: usize = 10_000;
/// What a search for nearly equal lines may cost, in compared characters.
const MAX_WORK: usize = 50_000_000;
/// Comparing the lengths of so many lines costs as much as comparing two characters.
const LENGTHS_IN_ONE: usize = 8;

impl Matcher {
    /// All places where `wanted` fits, with the best kind of fit there is. Without `wanted` there are none.
    pub(crate) fn places(&self, rows: &[&str], wanted: &[&str]) -> Vec<LineMatch> {
        if wanted.is_empty() || wanted.len() > rows.len() {
            return Vec::new();
        }
        for fit in [Fit::Exact, Fit::TrailingBlanks, Fit::Blanks, Fit::Signs] {
            let wanted: Vec<Cow<'_, str>> = wanted.iter().map(|line| fit.form(line)).collect();
            let starts = occurrences(rows.iter().map(|row| fit.form(row)), &wanted);
            let places: Vec<LineMatch> =
                starts.take(MAX_PLACES).map(|start| LineMatch { start, fit, alike: 1.0 }).collect();
            if !places.is_empty() {
                return places;
            }
        }
        match self.fuzzy {
            Fuzzy::Off => Vec::new(),
            Fuzzy::From(threshold) => near(rows, wanted, threshold.clamp(0.0, 1.0)),
        }
    }
}

impl Fit {
    /// What has to be the same of a line.
    fn form(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact | Self::Near => Cow::Borrowed(line),
            Self::TrailingBlanks => Cow::Borrowed(line.trim_end()),
            Self::Blanks => Cow::Owned(line.split_whitespace().collect::<Vec<_>>().join(" ")),
            Self::Signs => Cow::Owned(essence(line).into_iter().collect()),
        }
    }
}

/// The sign on a plain keyboard that stands for a typographic one.
fn plain(letter: char) -> char {
    match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        other => other,
    }
}

/// Typographic signs that the author put where the file has plain ones, with the plain ones: new text is written with
/// them, too. Only signs that are the same everywhere in the lines.
pub(crate) fn signs<'a>(lines: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<(char, char)> {
    let mut signs: Vec<(char, char)> = Vec::new();
    let mut kept: Vec<char> = Vec::new();
    for (wanted, row) in lines {
        for (written, real) in essence_as_is(wanted).into_iter().zip(essence_as_is(row)) {
            match written == real {
                true => kept.push(written),
                false => signs.push((written, real)),
            }
        }
    }
    signs.sort_unstable();
    signs.dedup();
    let alone = |written: char| signs.iter().filter(|(other, _)| *other == written).count() == 1;
    signs.iter().copied().filter(|(written, _)| alone(*written) && !kept.contains(written)).collect()
}

/// The letters of a line without its blanks.
fn essence_as_is(line: &str) -> Vec<char> {
    line.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// The characters of a line that count: no blanks around it, one between words.
pub(crate) fn essence(line: &str) -> Vec<char> {
    let mut letters = Vec::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !letters.is_empty() {
            letters.push(' ');
        }
        letters.extend(word.chars().map(plain));
    }
    letters
}

/// Places where at least `threshold` of all characters are equal.
fn near(rows: &[&str], wanted: &[&str], threshold: f64) -> Vec<LineMatch> {
    let wanted: Vec<Vec<char>> = wanted.iter().map(|line| essence(line)).collect();
    if wanted.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let lengths: Vec<usize> = rows.iter().map(|row| essence(row).len()).collect();
    let mut work = 0;
    let mut places = Vec::new();
    for start in 0..=rows.len() - wanted.len() {
        work += wanted.len() / LENGTHS_IN_ONE;
        let sizes = || wanted.iter().zip(&lengths[start..]).map(|(line, length)| (line.len(), *length));
        let total: usize = sizes().map(|(one, other)| one.max(other)).sum();
        let allowed = ((1.0 - threshold) * total as f64 + 1e-9) as usize;
        let possible = sizes().map(|(one, other)| one.abs_diff(other)).sum::<usize>() <= allowed;
        if possible {
            work += total * (2 * allowed + 1).min(total);
        }
        // Half a search cannot tell whether a place is the only one.
        if work > MAX_WORK {
            return Vec::new();
        }
        if !possible {
            continue;
        }
        if places.len() >= MAX_PLACES {
            break;
        }
        if let Some(differing) = differing(&rows[start..], &wanted, allowed) {
            let alike = 1.0 - differing as f64 / total.max(1) as f64;
            places.push(LineMatch { start, fit: Fit::Near, alike });
        }
    }
    places
}

/// How many characters differ in all lines together, unless it is more than `allowed`.
fn differing(rows: &[&str], wanted: &[Vec<char>], allowed: usize) -> Option<usize> {
    wanted.iter().zip(rows).try_fold(0, |sum, (line, row)| {
        let more = distance(&essence(row), line, allowed - sum)?;
        Some(sum + more)
    })
}
