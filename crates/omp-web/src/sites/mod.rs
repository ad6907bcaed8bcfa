//! Servers that have something better than their pages.
//!
//! A site is a row of [`SITES`]: from an address to what is asked instead, and from the answers to Markdown. Whatever
//! goes wrong, the page itself is read.

mod arxiv;
mod github;
mod hacker_news;
mod packages;
mod stack_exchange;
mod wikipedia;

use futures_util::future::join_all;
use serde_json::Value;
use url::Url;

use crate::charset;
use crate::fetch::{ANY, Fetched, JSON, Purpose, Request, Source, Trust};
use crate::{Body, Rendered, address, html};

/// A known site.
struct Site {
    /// Names the way in which a page was read.
    name: &'static str,
    plan: fn(&Url) -> Option<Plan>,
}

const SITES: &[Site] = &[
    Site { name: "github-file", plan: github::file },
    Site { name: "github-issue", plan: github::issue },
    Site { name: "github-repository", plan: github::repository },
    Site { name: "wikipedia", plan: wikipedia::article },
    Site { name: "arxiv", plan: arxiv::paper },
    Site { name: "npm", plan: packages::npm },
    Site { name: "crates.io", plan: packages::crates_io },
    Site { name: "pypi", plan: packages::pypi },
    Site { name: "stack-exchange", plan: stack_exchange::question },
    Site { name: "hacker-news", plan: hacker_news::item },
];

/// What is asked, and what is made of the answers.
struct Plan {
    /// The first must be answered; the others may be.
    calls: Vec<Call>,
    show: Show,
}

struct Call {
    url: String,
    accept: &'static str,
}

type Show = Box<dyn Fn(&Answers) -> Option<String> + Send + Sync>;

impl Plan {
    fn new(
        calls: Vec<Call>,
        show: impl Fn(&Answers) -> Option<String> + Send + Sync + 'static,
    ) -> Option<Self> {
        Some(Self { calls, show: Box::new(show) })
    }
}

impl Call {
    fn json(url: String) -> Self {
        Self { url, accept: JSON }
    }

    fn any(url: String) -> Self {
        Self { url, accept: ANY }
    }
}

/// The texts that came, in the order of the calls.
struct Answers(Vec<Option<String>>);

impl Answers {
    fn text(&self, at: usize) -> Option<&str> {
        self.0.get(at)?.as_deref()
    }

    fn json(&self, at: usize) -> Option<Value> {
        serde_json::from_str(self.text(at)?).ok()
    }
}

/// Reads `url` as one of the known sites, if it is one and it answers.
pub(crate) async fn render(source: &dyn Source, url: &Url) -> Option<Rendered> {
    if url.scheme() != "https" && url.scheme() != "http" || url.port().is_some() {
        return None;
    }
    let (site, plan) = SITES.iter().find_map(|site| Some((site, (site.plan)(url)?)))?;
    let answers = join_all(plan.calls.iter().map(|call| ask(source, call))).await;
    let first = answers.first()?.as_ref()?;
    let (content_type, final_url) = (first.kind.essence.clone(), first.url.clone());
    let texts = answers.iter().map(|answer| {
        let answer = answer.as_ref()?;
        Some(charset::decode(&answer.bytes, answer.kind.charset.as_deref()).text)
    });
    let text = (plan.show)(&Answers(texts.collect()))?;
    Some(Rendered {
        final_url: address::shown(url),
        content_type,
        method: site.name.to_owned(),
        notes: vec![format!("Read through {}", address::shown(&final_url))],
        body: Body::Text(text.trim_end().to_owned()),
    })
}

async fn ask(source: &dyn Source, call: &Call) -> Option<Fetched> {
    let (url, accept) = (Url::parse(&call.url).ok()?, call.accept);
    let request = Request { url, accept, purpose: Purpose::Page, trust: Trust::Named };
    let answer = source.get(request).await.ok()?;
    (answer.is_success() && answer.cut.is_none()).then_some(answer)
}

/// The host without `www.`, and the parts of the path.
fn place(url: &Url) -> Option<(&str, Vec<&str>)> {
    let host = url.host_str()?;
    let parts = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    Some((host.strip_prefix("www.").unwrap_or(host), parts))
}

/// Words of JSON, or nothing.
fn word<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// A list under its heading, or nothing.
fn facts(lines: &[(&str, String)]) -> String {
    let lines = lines.iter().filter(|(_, value)| !value.is_empty());
    lines.map(|(name, value)| format!("- {name}: {value}\n")).collect()
}

fn markdown(html: &str, base: &str) -> String {
    html::fragment(html, Url::parse(base).ok().as_ref())
}

#[cfg(test)]
mod tests;
