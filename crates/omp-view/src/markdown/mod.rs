//! Markdown as rows.
//!
//! A text is cut into its blocks ([`cuts`]), also within lists, and each block is drawn on its own. That is what makes streaming cheap
//! ([`MarkdownStream`]): a block that is over is never looked at again. Drawing a whole text is streaming it in one piece,
//! so both ways give the same rows.
//!
//! Blocks know the link definitions of the blocks before them. Definitions are shown, so that a text which
//! defines its links at the end still reads well.

mod block;
mod cuts;
mod fence;
mod inline;
mod list;
mod open_code;
mod stream;
mod table;
mod unfinished;

use std::collections::HashMap;

use omp_theme::Token;
use omp_tui::text::{Line, Style};
use pulldown_cmark::{Event, Options, Parser};

use crate::Look;

pub use stream::MarkdownStream;

/// Link definitions that are remembered.
const MAX_DEFINITIONS: usize = 1_000;

/// The rows of a whole text in the usual style.
pub fn render(look: &Look, text: &str) -> Vec<Line> {
    render_in(look, text, look.fg(Token::Text))
}

/// The rows of a whole text whose plain words have the style `base`.
pub fn render_in(look: &Look, text: &str, base: Style) -> Vec<Line> {
    let mut stream = MarkdownStream::new(look.clone(), base);
    stream.push(text);
    stream.finish();
    stream.into_rows()
}

/// The words of a text in one row, without the marks around them.
pub fn words(text: &str) -> String {
    let mut words = String::new();
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) | Event::Html(text) => {
                words.push_str(&text);
            }
            Event::End(_) | Event::SoftBreak | Event::HardBreak if words.ends_with(' ') => {}
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            Event::End(end) if !block::ends_inline(&end) => words.push(' '),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which additions to the common rules are understood.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
}

/// Addresses of links by their label, in lower case.
#[derive(Clone, Debug, Default)]
struct Definitions(HashMap<String, String>);

impl Definitions {
    fn find(&self, label: &str) -> Option<&str> {
        self.0.get(&label.to_lowercase()).map(String::as_str)
    }

    fn add(&mut self, label: &str, address: &str) {
        if self.0.len() < MAX_DEFINITIONS {
            self.0.entry(label.to_lowercase()).or_insert_with(|| address.to_owned());
        }
    }
}

#[cfg(test)]
mod cost;
#[cfg(test)]
mod tests;
