//! From an address to what a reader wants to see of it.
//!
//! The order is that of [`render`]: handlers of known sites, then the page itself by its kind; for a page of HTML first
//! what it or its server offers in a better form, then the page as Markdown, then whatever else may say more than an
//! empty page. [`Rendered::method`] names what won.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use url::Url;

use crate::charset::{self, Decoded};
use crate::fetch::{ANY, Cut, FetchError, Fetched, MARKDOWN, PAGE, Purpose, Request, Source, Trust};
use crate::html::{self, Study};
use crate::kind::{self, Family};
use crate::{Body, Convert, Mode, Rendered, address, feed, json, sites};

/// The method of what could not be read.
pub(crate) const FAILED: &str = "failed";
/// How long a page is laid out before its bare text has to do.
const LAYOUT_TIME: Duration = Duration::from_secs(20);
/// Text of a page that says that something is wrong.
const MOST_OF_A_FAILURE: usize = 4_000;

pub(crate) async fn render(
    source: &dyn Source,
    convert: &dyn Convert,
    url: &Url,
    mode: Mode,
) -> Result<Rendered, FetchError> {
    if mode == Mode::Readable
        && let Some(rendered) = sites::render(source, url).await
    {
        return Ok(rendered);
    }
    let request = Request { url: url.clone(), accept: PAGE, purpose: Purpose::Page, trust: Trust::Named };
    let page = source.get(request).await?;
    let job = Job { source, convert, notes: notes(&page), inside: page.inside };
    Ok(job.page(page, mode).await)
}

/// What happened on the way.
fn notes(page: &Fetched) -> Vec<String> {
    let cut = match page.cut {
        None => return Vec::new(),
        Some(Cut::Size { limit, total: Some(total) }) => {
            format!("Truncated at {} of {}", size(limit as u64), size(total))
        }
        Some(Cut::Size { limit, total: None }) => format!("Truncated at {}", size(limit as u64)),
        Some(Cut::Time { limit }) => {
            format!("Timed out after {} seconds; the content is incomplete", limit.as_secs())
        }
        Some(Cut::Broken) => "The connection was lost; the content is incomplete".to_owned(),
    };
    vec![cut]
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

struct Job<'a> {
    source: &'a dyn Source,
    convert: &'a dyn Convert,
    notes: Vec<String>,
    /// The page is of this machine or its network.
    inside: bool,
}

impl Job<'_> {
    fn done(self, page: &Fetched, method: &str, body: Body) -> Rendered {
        Rendered {
            final_url: address::shown(&page.url),
            content_type: page.kind.essence.clone(),
            method: method.to_owned(),
            notes: self.notes,
            body,
        }
    }

    fn text(self, page: &Fetched, method: &str, text: String) -> Rendered {
        self.done(page, method, Body::Text(text))
    }

    async fn page(mut self, page: Fetched, mode: Mode) -> Rendered {
        if !page.is_success() {
            return self.failed(page).await;
        }
        let family = page.kind.family();
        if mode == Mode::Readable
            && let Some(extension) = kind::document(&page.kind, page.url.path(), &page.bytes)
        {
            return self.document(page, extension).await;
        }
        if family == Family::Picture || kind::is_picture(&page.bytes) {
            return self.picture(page);
        }
        if page.is_binary() {
            let (what, size) = (kind_name(&page), size(page.size()));
            let text = format!("[{what}, {size}: not text. Save it with bash and curl -o.]");
            return self.text(&page, "binary", text);
        }
        let Decoded { text, note } = charset::decode(&page.bytes, page.kind.charset.as_deref());
        self.notes.extend(note);
        if text.trim().is_empty() {
            self.notes.push("The server sent an empty response".to_owned());
            return self.text(&page, "text", String::new());
        }
        match mode {
            Mode::Raw => self.text(&page, "raw", text),
            Mode::Readable => self.readable(page, family, text).await,
        }
    }

    /// An error of the server is an answer too, and often says why.
    async fn failed(mut self, page: Fetched) -> Rendered {
        self.notes.insert(0, format!("The server returned HTTP {}{}", page.status, reason(page.status)));
        let text = match page.is_binary() {
            true => String::new(),
            false => charset::decode(&page.bytes, page.kind.charset.as_deref()).text,
        };
        let text = match page.kind.family() {
            Family::Html => studied(text, page.url.clone()).await.markdown,
            _ => text,
        };
        self.text(&page, FAILED, feed::shorten(text.trim(), MOST_OF_A_FAILURE))
    }

    async fn document(mut self, mut page: Fetched, extension: &'static str) -> Rendered {
        if matches!(page.cut, Some(Cut::Size { .. })) {
            self.notes.push("Too large to convert".to_owned());
            return self.text(&page, FAILED, String::new());
        }
        match self.convert.document(std::mem::take(&mut page.bytes), extension).await {
            Ok(text) => self.text(&page, "markit", text),
            Err(problem) => {
                self.notes.push(problem.clone());
                self.text(&page, FAILED, format!("[Cannot read .{extension} file: {problem}]"))
            }
        }
    }

    fn picture(mut self, mut page: Fetched) -> Rendered {
        if page.cut.is_some() {
            self.notes.push("Too large to show".to_owned());
            return self.text(&page, "image", String::new());
        }
        let bytes = std::mem::take(&mut page.bytes);
        self.done(&page, "image", Body::Picture(bytes))
    }

    async fn readable(self, page: Fetched, family: Family, text: String) -> Rendered {
        let unknown = family == Family::Unknown;
        let text = Arc::new(text);
        if let Some((method, made)) = laid_out(family, Arc::clone(&text), page.url.clone()).await {
            return self.text(&page, method, made);
        }
        let text = Arc::unwrap_or_clone(text);
        let html = family == Family::Html || (unknown && kind::looks_like_html(&text));
        if html { self.html(page, text).await } else { self.text(&page, "text", text) }
    }

    async fn html(mut self, page: Fetched, text: String) -> Rendered {
        let study = studied(text.clone(), page.url.clone()).await;
        if let Some((method, better)) = self.offered(&page.url, &study).await {
            return self.text(&page, method, better);
        }
        self.notes.extend(study.note.map(str::to_owned));
        if !study.shell && !study.markdown.is_empty() {
            return self.text(&page, "native", study.markdown);
        }
        self.notes.push("The page renders its text with JavaScript".to_owned());
        if let Some((method, better)) = self.beside(&page.url, &study).await {
            return self.text(&page, method, better);
        }
        match study.markdown.is_empty() {
            false => self.text(&page, "native", study.markdown),
            true => self.text(&page, "raw-html", text),
        }
    }

    /// The same page in a better form, in the order of how sure it is that it is the same page.
    async fn offered(&self, page: &Url, study: &Study) -> Option<(&'static str, String)> {
        for target in study.links.markdown.iter().take(2) {
            if let Some(text) = self.markdown(page, target, ANY).await {
                return Some(("alternate-markdown", text));
            }
        }
        let suffixed = with_suffix(page);
        let by_suffix = async { self.markdown(page, suffixed.as_ref()?, ANY).await };
        let (by_suffix, negotiated) = join(by_suffix, self.markdown(page, page, MARKDOWN)).await;
        let by_suffix = by_suffix.map(|text| ("md-suffix", text));
        if let Some(found) = by_suffix.or_else(|| negotiated.map(|text| ("content-negotiation", text))) {
            return Some(found);
        }
        // A feed of the site is no form of one of its articles.
        let own = study.links.feeds.iter().find(|feed| !study.article && is_own_feed(page, feed))?;
        let text = self.probe_text(page, own, ANY).await?;
        Some(("alternate-feed", feed::markdown(&feed::parse(&text)?, own)))
    }

    /// What may say more than a page that says nothing.
    async fn beside(&self, page: &Url, study: &Study) -> Option<(&'static str, String)> {
        for target in &study.links.documents {
            let Some(found) = self.probe(page, target, ANY).await else { continue };
            let Some(extension) = kind::document(&found.kind, found.url.path(), &found.bytes) else {
                continue;
            };
            if let Ok(text) = self.convert.document(found.bytes, extension).await {
                return Some(("linked-document", text));
            }
        }
        let index = page.join("/llms.txt").ok()?;
        let found = self.probe(page, &index, ANY).await?;
        let plain = matches!(found.kind.family(), Family::Text | Family::Markdown | Family::Unknown);
        let text = text_of(&found).filter(|text| plain && !kind::looks_like_html(text))?;
        Some(("llms.txt", text))
    }

    /// Markdown at `target`, and nothing else: many servers answer everything with the same page.
    async fn markdown(&self, page: &Url, target: &Url, accept: &'static str) -> Option<String> {
        let found = self.probe(page, target, accept).await?;
        let named = found.url.path().ends_with(".md") || found.url.path().ends_with(".markdown");
        let right = match found.kind.family() {
            Family::Markdown => true,
            Family::Text => found.kind.essence == "text/plain" && (named || accept == MARKDOWN),
            Family::Unknown => named,
            _ => false,
        };
        text_of(&found).filter(|text| right && !kind::looks_like_html(text))
    }

    async fn probe_text(&self, page: &Url, target: &Url, accept: &'static str) -> Option<String> {
        text_of(&self.probe(page, target, accept).await?)
    }

    /// Something that a page leads to. Nobody outside leads us to a server of this machine.
    async fn probe(&self, page: &Url, target: &Url, accept: &'static str) -> Option<Fetched> {
        address::follow(page, target).ok()?;
        let trust = Trust::after(self.inside);
        let request = Request { url: target.clone(), accept, purpose: Purpose::Probe, trust };
        let found = self.source.get(request).await.ok()?;
        (found.is_success() && found.cut.is_none()).then_some(found)
    }
}

/// Much text takes a moment, in which others should continue.
async fn laid_out(family: Family, text: Arc<String>, url: Url) -> Option<(&'static str, String)> {
    let made = tokio::task::spawn_blocking(move || structured(family, &text, &url)).await;
    made.ok()?
}

/// JSON with line breaks, or a feed as Markdown.
fn structured(family: Family, text: &str, url: &Url) -> Option<(&'static str, String)> {
    let start = text.trim_start();
    let json = family == Family::Json || (family == Family::Unknown && start.starts_with(['{', '[']));
    if json && let Some(pretty) = json::pretty(text) {
        return Some(("json", pretty));
    }
    // Feeds are sent under every kind of XML, and as plain text.
    let may_be_feed =
        matches!(family, Family::Xml | Family::Text | Family::Unknown) && start.starts_with('<');
    let feed = may_be_feed.then(|| feed::parse(text))??;
    Some(("feed", feed::markdown(&feed, url)))
}

/// Laying out a large page takes a moment, in which others should continue.
async fn studied(text: String, url: Url) -> Study {
    let (page, place) = (text.clone(), url.clone());
    match within(LAYOUT_TIME, move || html::study(&page, &place)).await {
        Some(study) => study,
        None => Study {
            note: Some("The page could not be laid out; showing its plain text"),
            ..html::bare(&text, &url)
        },
    }
}

/// What work comes to that ends in time and does not panic. It has a thread of its own, which nobody waits for at the end
/// of the program.
async fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let body = move || drop(sender.send(work()));
    std::thread::Builder::new().name("omp-page".to_owned()).spawn(body).ok()?;
    tokio::time::timeout(limit, receiver).await.ok()?.ok()
}

fn text_of(found: &Fetched) -> Option<String> {
    if found.is_binary() {
        return None;
    }
    let text = charset::decode(&found.bytes, found.kind.charset.as_deref()).text;
    (!text.trim().is_empty()).then_some(text)
}

/// `/a/b` → `/a/b.md`; a directory has an `index.md`.
fn with_suffix(page: &Url) -> Option<Url> {
    let path = page.path();
    let last = path.rsplit('/').next().unwrap_or_default();
    let path = match last.rsplit_once('.') {
        None if last.is_empty() => format!("{path}index.md"),
        None => format!("{path}.md"),
        Some((_, "html" | "htm")) => format!("{path}.md"),
        Some((_, extension)) if extension.bytes().all(|byte| byte.is_ascii_digit()) => format!("{path}.md"),
        Some(_) => return None,
    };
    let mut url = page.clone();
    url.set_path(&path);
    Some(url)
}

/// Does the feed lie below the page, which is then the list of its entries?
fn is_own_feed(page: &Url, feed: &Url) -> bool {
    let path = page.path().trim_end_matches("index.html").trim_end_matches('/');
    page.host() == feed.host()
        && feed.path().strip_prefix(path).is_some_and(|rest| rest.starts_with(['/', '.']) || path.is_empty())
}

fn kind_name(page: &Fetched) -> &str {
    if page.kind.essence.is_empty() { "Binary content" } else { &page.kind.essence }
}

fn reason(status: u16) -> &'static str {
    match status {
        400 => " (bad request)",
        401 => " (authentication required)",
        403 => " (forbidden)",
        404 => " (not found)",
        405 => " (method not allowed)",
        410 => " (gone)",
        429 => " (too many requests)",
        451 => " (unavailable for legal reasons)",
        500 => " (server error)",
        502..=504 => " (upstream server unavailable)",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
