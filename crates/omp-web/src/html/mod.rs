//! What a page of HTML has to say, and where it says that something better is.
//!
//! Parsers of HTML take time that grows with the square of the nesting, so [`nesting`] looks at the tags before a page
//! is parsed. What is nested too deeply becomes plain text by [`strip`], which only passes over the bytes once.

mod links;
mod nesting;
mod strip;

use dom_query::Document;
use dom_smoothie::{Config, Readability};
use url::Url;

pub(crate) use links::Links;

/// Pages that people write are far from it; browsers give up at 512.
const MOST_NESTING: usize = 400;
/// An article with less text is likely a part of the page that only looks like one.
const LEAST_ARTICLE: usize = 500;
/// How much of the page's text must be in its article: most of the rest is the frame.
const ARTICLE_SHARE: f64 = 0.25;
/// A page with less text, but with scripts, makes its text in the browser.
const LEAST_TEXT: usize = 200;

/// A page, looked at from all sides.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    pub(crate) markdown: String,
    /// The page is there to be read, not to lead elsewhere.
    pub(crate) article: bool,
    /// Hardly any text, because a browser would make it.
    pub(crate) shell: bool,
    pub(crate) links: Links,
    pub(crate) note: Option<&'static str>,
}

/// Looks at a page. `url` is what relative links start from.
pub(crate) fn study(html: &str, url: &Url) -> Study {
    if is_too_much(html) {
        let note = Some("The page is nested too deeply to be laid out; showing its plain text");
        return Study { note, ..bare(html, url) };
    }
    let document = Document::from(html);
    let title = squeeze(&document.select("head > title").text());
    let links = Links::of(&document, url);
    let scripted = document.select("script").exists();
    let base = links.base.clone();
    let article = article(html, &base);
    let whole = whole(&document, &base);
    let (article_length, length) = (article.as_ref().map_or(0, |text| letters(text)), letters(&whole));
    let chosen = article.filter(|_| {
        article_length >= LEAST_ARTICLE && article_length as f64 >= length as f64 * ARTICLE_SHARE
    });
    Study {
        article: chosen.is_some(),
        markdown: headed(&title, chosen.unwrap_or(whole)),
        shell: length < LEAST_TEXT && scripted,
        links,
        note: None,
    }
}

/// Would laying it out take too long?
fn is_too_much(html: &str) -> bool {
    nesting::depth(html, MOST_NESTING) >= MOST_NESTING || nesting::is_endless(html)
}

/// The text of a page that cannot be laid out.
pub(crate) fn bare(html: &str, url: &Url) -> Study {
    Study { markdown: strip::text(html), article: false, shell: false, links: Links::none(url), note: None }
}

/// A piece of HTML, such as an entry of a feed.
pub(crate) fn fragment(html: &str, base: Option<&Url>) -> String {
    if is_too_much(html) {
        return strip::text(html);
    }
    let document = Document::from(html);
    document.select("script, style").remove();
    if let Some(base) = base {
        links::make_absolute(&document, base);
    }
    tidy(&document.md(None))
}

/// The page's article, if it has one.
fn article(html: &str, base: &Url) -> Option<String> {
    // Classes name the language of code.
    let config = Config { keep_classes: true, ..Config::default() };
    let mut readability = Readability::new(html, Some(base.as_str()), Some(config)).ok()?;
    if !readability.is_probably_readable() {
        return None;
    }
    let article = readability.parse().ok()?;
    Some(tidy(&Document::from(article.content.as_ref()).md(None)))
}

/// What frames a page, and what is no text.
const FRAME: &str = "head, script, style, noscript, template, svg, iframe, object, embed, nav, footer, dialog, \
                     [hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=contentinfo], [role=search]";

/// All of the page, without its frame.
fn whole(document: &Document, base: &Url) -> String {
    document.select(FRAME).remove();
    links::make_absolute(document, base);
    tidy(&document.md(None))
}

/// With the title above, unless the text begins with it.
fn headed(title: &str, markdown: String) -> String {
    let first = markdown.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    if title.is_empty() || markdown.is_empty() || (!first.is_empty() && title.contains(first)) {
        return markdown;
    }
    format!("# {title}\n\n{markdown}")
}

/// No spaces at the ends of lines but for line breaks, and never two empty lines outside of code.
fn tidy(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let (mut empty, mut code) = (true, false);
    for line in markdown.trim_end().lines() {
        code ^= line.trim_start().starts_with("```");
        let line = if code {
            line
        } else {
            line.trim_end_matches(|letter: char| letter != ' ' && letter.is_whitespace())
        };
        let blank = line.trim().is_empty();
        if blank && empty && !code {
            continue;
        }
        text.push_str(if blank && !code { "" } else { line });
        text.push('\n');
        empty = blank;
    }
    text.truncate(text.trim_end().len());
    text
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn letters(markdown: &str) -> usize {
    markdown.chars().filter(|letter| letter.is_alphanumeric()).count()
}

#[cfg(test)]
mod tests;
