//! Where a page says that the same is to be had in another form.

use dom_query::Document;
use url::Url;

use crate::kind;

/// Addresses that a page names; none of them has been checked.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// What relative links start from.
    pub(crate) base: Url,
    /// The page as Markdown.
    pub(crate) markdown: Vec<Url>,
    /// The page as a feed.
    pub(crate) feeds: Vec<Url>,
    /// Documents that the page shows or offers.
    pub(crate) documents: Vec<Url>,
}

/// A page that lists hundreds of documents is a list, not their frame.
const MOST_DOCUMENTS: usize = 3;

impl Links {
    /// A page that was not looked through.
    pub(super) fn none(url: &Url) -> Self {
        Self { base: url.clone(), markdown: Vec::new(), feeds: Vec::new(), documents: Vec::new() }
    }

    pub(super) fn of(document: &Document, url: &Url) -> Self {
        let base = document.select("base[href]").attr("href").and_then(|href| url.join(&href).ok());
        let base = base.unwrap_or_else(|| url.clone());
        let (mut markdown, mut feeds) = (Vec::new(), Vec::new());
        for link in document.select("link[rel~=alternate][href]").iter() {
            let kind = link.attr_or("type", "").to_ascii_lowercase();
            let Some(target) = link.attr("href").and_then(|href| base.join(href.trim()).ok()) else {
                continue;
            };
            match kind.split(';').next().unwrap_or_default().trim() {
                "text/markdown" | "text/x-markdown" => markdown.push(target),
                "application/rss+xml" | "application/atom+xml" | "application/feed+json" => {
                    feeds.push(target);
                }
                _ => {}
            }
        }
        let documents = documents(document, &base);
        Self { base, markdown, feeds, documents }
    }
}

/// Embedded ones first; links only if they are few.
fn documents(document: &Document, base: &Url) -> Vec<Url> {
    let named = |selector: &str, attribute: &str| -> Vec<Url> {
        let targets = document.select(selector);
        let targets = targets.iter().filter_map(|node| base.join(node.attr(attribute)?.trim()).ok());
        targets.filter(|target| kind::extension_of_path(target.path()).is_some()).collect()
    };
    let mut found = named("embed[src], iframe[src]", "src");
    found.extend(named("object[data]", "data"));
    let linked = named("a[href]", "href");
    if linked.len() <= MOST_DOCUMENTS {
        found.extend(linked);
    }
    found.dedup();
    found.truncate(MOST_DOCUMENTS);
    found
}

/// Links and pictures with whole addresses; pictures that are data are not worth their letters.
pub(super) fn make_absolute(document: &Document, base: &Url) {
    for (selector, attribute) in [("a[href]", "href"), ("img[src]", "src")] {
        for node in document.select(selector).iter() {
            let Some(value) = node.attr(attribute) else { continue };
            if value.starts_with("data:") || value.starts_with("javascript:") {
                node.set_attr(attribute, "");
            } else if let Ok(target) = base.join(value.trim()) {
                node.set_attr(attribute, target.as_str());
            }
        }
    }
}
