//! The one width model: how many cells a text takes on a terminal.
//!
//! Printable ASCII takes one cell per byte. Everything else is measured by grapheme cluster, because terminals and
//! readers agree on clusters more often than on code points. Where terminals still disagree (joined emoji, flags,
//! variation selectors) the cluster is marked as contested, and the writer pins the column behind it.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The bytes of one cluster that are kept: enough for a family with skin tones, too few to stack marks without end.
const CLUSTER_BYTES: usize = 64;

/// A grapheme cluster with its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster<'a> {
    /// The characters.
    pub text: &'a str,
    /// The cells it takes; 0 for a mark without a base, which is never written.
    pub width: usize,
    /// Whether terminals are known to disagree about the cells.
    pub contested: bool,
}

/// The cells that `text` takes. Control characters count as nothing.
pub fn text_width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    clusters(text).map(|cluster| cluster.width).sum()
}

/// The clusters of `text`, in order.
pub fn clusters(text: &str) -> Clusters<'_> {
    Clusters(text)
}

/// The iterator behind [`clusters`].
#[derive(Clone, Debug)]
pub struct Clusters<'a>(&'a str);

impl<'a> Iterator for Clusters<'a> {
    type Item = Cluster<'a>;

    fn next(&mut self) -> Option<Cluster<'a>> {
        let bytes = self.0.as_bytes();
        let first = *bytes.first()?;
        // ASCII before ASCII stands alone; what else joins with what is in the tables.
        let alone = (0x20..0x7f).contains(&first) && bytes.get(1).is_none_or(u8::is_ascii);
        let length = if alone { 1 } else { self.0.graphemes(true).next()?.len() };
        let (cluster, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(if alone { Cluster { text: cluster, width: 1, contested: false } } else { measure(cluster) })
    }
}

/// Whether every byte is printable ASCII, so that bytes, characters and cells are the same.
pub fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

fn measure(cluster: &str) -> Cluster<'_> {
    let text = bounded(cluster);
    if text.len() == 1 {
        let printable = (0x20..0x7f).contains(&text.as_bytes()[0]);
        return Cluster { text, width: usize::from(printable), contested: false };
    }
    if text.chars().next().is_some_and(char::is_control) {
        return Cluster { text, width: 0, contested: false };
    }
    let contested =
        text.chars().next().is_some_and(joins) || text.chars().skip(1).any(|mark| !is_plain_mark(mark));
    Cluster { text, width: UnicodeWidthStr::width(text), contested }
}

/// Characters that a terminal may join with what stands before them, even across a change of style: halves of flags and
/// skin tones.
fn joins(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Marks that every terminal stacks on the character before them without taking a cell.
fn is_plain_mark(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20f0}' | '\u{302a}'..='\u{302d}'
        | '\u{3099}'..='\u{309a}' | '\u{fe20}'..='\u{fe2f}')
        && mark != '\u{20e3}'
}

fn bounded(cluster: &str) -> &str {
    if cluster.len() <= CLUSTER_BYTES {
        return cluster;
    }
    &cluster[..cluster.floor_char_boundary(CLUSTER_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_widths() {
        let known = [
            ("", 0),
            ("hello", 5),
            ("日本", 4),
            ("e\u{301}", 1),
            ("👩‍👩‍👧‍👦", 2),
            ("🇩🇪", 2),
            ("❤️", 2),
            ("❤", 1),
            ("\u{301}", 0),
            ("\u{1b}[2J", 3),
            ("한국", 4),
            ("\u{200b}", 0),
            ("──", 2),
        ];
        for (text, cells) in known {
            assert_eq!(text_width(text), cells, "{text:?}");
        }
    }

    #[test]
    fn clusters_are_those_of_the_tables() {
        for text in ["a\u{301}b", "🇩🇪🇫🇷x🇩", "x👩‍👩‍👧‍👦y", "a\r\nb", "क्षिक", "ab\u{200d}c", "한국\u{1100}\u{1161}"]
        {
            let found: Vec<&str> = clusters(text).map(|cluster| cluster.text).collect();
            assert_eq!(found, text.graphemes(true).collect::<Vec<_>>());
        }
    }

    #[test]
    fn marks_do_not_stack_without_end() {
        let tower = format!("a{}", "\u{301}".repeat(100_000));
        let found: Vec<Cluster<'_>> = clusters(&tower).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].text.len() <= CLUSTER_BYTES && found[0].width == 1);
    }

    #[test]
    fn disagreement_is_marked() {
        for text in ["👩‍👩‍👧‍👦", "🇩🇪", "❤️", "👍🏽", "1️⃣"] {
            assert!(clusters(text).next().unwrap().contested, "{text}");
        }
        for text in ["a", "日", "😀", "e\u{301}", "─"] {
            assert!(!clusters(text).next().unwrap().contested, "{text}");
        }
    }
}
