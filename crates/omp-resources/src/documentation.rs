//! `omp://`: the documentation of this program, inside the program.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_tools::{Completion, InternalUrl, Resource, Scheme};
use tokio_util::sync::CancellationToken;

// `PAGES`: file name and text of every page, in the order of their names.
include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Names that are suggested for one that does not exist.
const MOST_SUGGESTED: usize = 5;

pub(crate) struct Documentation;

impl Scheme for Documentation {
    fn name(&self) -> &'static str {
        "omp"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        std::future::ready(open(url)).boxed()
    }

    fn texts(&self) -> Vec<(String, String)> {
        PAGES.iter().map(|(name, text)| (format!("omp://{name}"), (*text).to_owned())).collect()
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let pages = PAGES.iter().filter(|(name, _)| name.starts_with(typed));
        pages
            .map(|(name, text)| Completion {
                url: format!("omp://{name}"),
                description: title(text).to_owned(),
            })
            .collect()
    }
}

fn open(url: &InternalUrl) -> Result<Resource, String> {
    let name = url.decoded()?;
    let slashes = name.replace('\\', "/");
    if slashes.starts_with('/') || slashes.split('/').any(|part| part == "..") {
        return Err(format!("'{url}': only the name of a page is allowed, such as omp://usage.md."));
    }
    let name = slashes.strip_prefix("docs/").unwrap_or(&slashes).trim_end_matches('/');
    if name.is_empty() || name == "docs" {
        return Ok(Resource::text(listing(), "text/markdown"));
    }
    match PAGES.iter().find(|(page, _)| *page == name) {
        Some((_, text)) => Ok(Resource::text(*text, "text/markdown")),
        None => {
            Err(format!("no documentation page '{name}': did you mean {}?", suggestions(name).join(", ")))
        }
    }
}

fn listing() -> String {
    let mut text = format!("Documentation of omp: {} pages\n\n", PAGES.len());
    for (name, page) in PAGES {
        text.push_str(&format!("- [{name}](omp://{name}): {}\n", title(page)));
    }
    text
}

/// The first heading.
fn title(page: &str) -> &str {
    page.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

/// The pages whose names are most like the one that was typed.
fn suggestions(name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let wanted = wanted.strip_suffix(".md").unwrap_or(&wanted);
    let likeness = |page: &str| {
        let page = page.strip_suffix(".md").unwrap_or(page);
        let contains = page.contains(wanted) || wanted.contains(page);
        strsim::jaro_winkler(page, wanted) + f64::from(u8::from(contains))
    };
    let mut pages: Vec<&str> = PAGES.iter().map(|(page, _)| *page).collect();
    pages.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
    pages.truncate(MOST_SUGGESTED);
    pages.into_iter().map(|page| format!("omp://{page}")).collect()
}
