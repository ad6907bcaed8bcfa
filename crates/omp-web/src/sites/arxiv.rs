//! arXiv: what a paper is about.

use url::Url;

use super::{Answers, Call, Plan, facts, place};
use crate::feed;

/// `/abs/ID` and `/html/ID`. The PDF is the paper itself, and stays that.
pub(super) fn paper(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let ["abs" | "html", id @ ..] = parts.as_slice() else { return None };
    let id = id.join("/");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-/".contains(&byte);
    if host != "arxiv.org" || id.is_empty() || !id.bytes().all(plain) {
        return None;
    }
    let pdf = format!("https://arxiv.org/pdf/{id}");
    let target = format!("https://export.arxiv.org/api/query?id_list={id}");
    Plan::new(vec![Call::any(target)], move |answers| show(answers, &pdf))
}

fn show(answers: &Answers, pdf: &str) -> Option<String> {
    let feed = feed::parse(answers.text(0)?)?;
    let entry = feed.entries.first()?;
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let summary = line(entry.get(&["summary"])?);
    let authors: Vec<String> = entry.all("author").map(line).collect();
    let facts = facts(&[
        ("Authors", authors.join(", ")),
        ("Published", entry.get(&["published"]).unwrap_or_default().to_owned()),
        ("Updated", entry.get(&["updated"]).unwrap_or_default().to_owned()),
        ("Comment", line(entry.get(&["comment"]).unwrap_or_default())),
        ("PDF", pdf.to_owned()),
    ]);
    Some(format!("# {}\n\n{facts}\n{summary}\n", line(entry.get(&["title"])?)))
}
