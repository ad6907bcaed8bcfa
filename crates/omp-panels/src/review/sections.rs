//! A plan as sections: what stands under each heading.

/// A heading and what follows it, up to the next heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The words of the heading; empty for what stands before the first one.
    pub title: String,
    /// How many signs the heading has; 0 for what stands before the first one.
    pub depth: usize,
    /// Everything of it as it was written, the heading included.
    pub text: String,
    /// What the reader has to say about it.
    pub note: String,
}

/// Cuts a Markdown text at its headings. Joined again, the sections are the text.
pub(super) fn split(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        fence = match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => None,
            (None, Some(mark)) => Some(mark),
            (other, _) => other,
        };
        let heading = heading(line).filter(|_| fence.is_none());
        match (heading, sections.last_mut()) {
            (None, Some(section)) => section.text.push_str(line),
            (heading, _) => {
                let (depth, title) = heading.unwrap_or((0, ""));
                let (title, text) = (title.to_owned(), line.to_owned());
                sections.push(Section { title, depth, text, note: String::new() });
            }
        }
    }
    sections
}

/// The depth and the words of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.len() - line.trim_start_matches('#').len();
    let words = line[depth..].strip_prefix(' ').filter(|_| (1..=6).contains(&depth))?;
    Some((depth, words.trim().trim_end_matches('#').trim_end()))
}
