//! What servers say, made harmless and bounded.

use std::sync::{Arc, OnceLock};

use omp_tools::Spills;

/// As much of a text as a model is shown at once.
const MOST_BYTES: usize = 50 * 1024;
const MOST_LINES: usize = 3_000;

/// A stranger's text without what no reader can see: control characters, and the invisible letters that texts for models
/// are hidden in.
pub fn plain(text: &str) -> String {
    let seen = |c: char| match c {
        '\n' | '\t' => true,
        '\u{e0000}'..='\u{e007f}' => false,
        c => !c.is_control(),
    };
    text.replace("\r\n", "\n").chars().filter(|c| seen(*c)).collect()
}

/// Where whole outputs are kept, once the session has a place for them.
#[derive(Default)]
pub(crate) struct Shelter(OnceLock<Arc<dyn Spills>>);

impl Shelter {
    pub(crate) fn set(&self, spills: Arc<dyn Spills>) {
        // A session has one place.
        let _ = self.0.set(spills);
    }

    /// The start of a long text, with the name of the artifact that has all of it.
    pub(crate) fn bounded(&self, tool: &str, text: &str) -> (String, Option<String>) {
        let end = text.match_indices('\n').nth(MOST_LINES - 1).map_or(text.len(), |(at, _)| at);
        if end == text.len() && text.len() <= MOST_BYTES {
            return (text.to_owned(), None);
        }
        let mut end = end.min(MOST_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let end = text[..end].rfind('\n').filter(|_| text.len() > end).unwrap_or(end);
        let artifact = self.0.get().and_then(|spills| {
            let mut spill = spills.open(tool)?;
            spill.write(text).ok()?;
            spill.finish().ok()
        });
        let whole = match &artifact {
            Some(name) => format!("; full output: artifact://{name}"),
            None => String::new(),
        };
        (format!("{}\n[showing {end} of {} bytes{whole}]", &text[..end], text.len()), artifact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_removed() {
        assert_eq!(plain("a\u{1b}[31mb\r\nc\td\u{e0041}\u{7}"), "a[31mb\nc\td");
    }

    #[test]
    fn long_texts_are_cut_at_lines() {
        let shelter = Shelter::default();
        assert_eq!(shelter.bounded("t", "short"), ("short".to_owned(), None));
        let long = "ü line\n".repeat(20_000);
        let (text, artifact) = shelter.bounded("t", &long);
        assert!(artifact.is_none() && text.len() < MOST_BYTES + 100, "{}", text.len());
        assert!(text.contains("ü line\n[showing "), "{}", &text[text.len() - 60..]);
        let one_line = "ü".repeat(MOST_BYTES);
        assert!(shelter.bounded("t", &one_line).0.len() < MOST_BYTES + 100);
    }
}
