use std::collections::HashMap;
use std::sync::Mutex;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::*;
use crate::fetch::FetchError;
use crate::kind::ContentType;

/// Servers that know exactly these addresses.
#[derive(Default)]
struct Canned {
    answers: HashMap<String, (&'static str, String)>,
    asked: Mutex<Vec<String>>,
}

impl Canned {
    fn with(mut self, url: &str, kind: &'static str, body: impl Into<String>) -> Self {
        self.answers.insert(url.to_owned(), (kind, body.into()));
        self
    }

    async fn read(&self, url: &str) -> Option<(String, String)> {
        let rendered = render(self, &Url::parse(url).unwrap()).await?;
        let Body::Text(text) = rendered.body else { panic!("not a text") };
        assert!(rendered.notes[0].starts_with("Read through https://"), "{:?}", rendered.notes);
        assert_eq!(rendered.final_url, url);
        Some((rendered.method, text))
    }
}

impl Source for Canned {
    fn get(&self, request: Request) -> BoxFuture<'_, Result<Fetched, FetchError>> {
        self.asked.lock().unwrap().push(request.url.to_string());
        let (status, kind, body) = match self.answers.get(request.url.as_str()) {
            Some((kind, body)) => (200, *kind, body.clone()),
            None => (404, "text/plain", "no".to_owned()),
        };
        let kind = ContentType::parse(kind);
        async move {
            Ok(Fetched { url: request.url, status, kind, bytes: body.into_bytes(), cut: None, inside: false })
        }
        .boxed()
    }
}

const JSON_KIND: &str = "application/json; charset=utf-8";

#[tokio::test]
async fn files_on_github_are_read_as_they_are() {
    let raw = "https://raw.githubusercontent.com/o/r/main/src/a%20b.rs";
    let server = Canned::default().with(raw, "text/plain", "fn main() {}\n");
    let (method, text) = server.read("https://github.com/o/r/blob/main/src/a%20b.rs").await.unwrap();
    assert_eq!((method.as_str(), text.as_str()), ("github-file", "fn main() {}"));
    assert!(server.read("https://github.com/o/r/blob/main/missing").await.is_none(), "then the page is read");
    assert!(server.read("https://github.com/o/r/blob/main").await.is_none());
}

#[tokio::test]
async fn issues_and_repositories_on_github() {
    let issue = json!({"number": 7, "title": "It breaks", "state": "open", "user": {"login": "ann"}, "comments": 3,
        "created_at": "2026-01-01", "labels": [{"name": "bug"}, {"name": "ui"}], "body": "Do *this*."});
    let comments = json!([{"user": {"login": "bob"}, "created_at": "2026-01-02", "body": "Same here."}]);
    let repository = json!({"full_name": "o/r", "description": "A thing", "stargazers_count": 5, "archived": true,
        "license": {"spdx_id": "MIT"}, "topics": ["x", "y"]});
    let api = "https://api.github.com/repos/o/r";
    let server = Canned::default()
        .with(&format!("{api}/issues/7"), JSON_KIND, issue.to_string())
        .with(&format!("{api}/issues/7/comments?per_page=100"), JSON_KIND, comments.to_string())
        .with(api, JSON_KIND, repository.to_string())
        .with(&format!("{api}/readme"), "application/vnd.github.raw+json", "# Readme\n\nUse it.");
    let (method, text) = server.read("https://github.com/o/r/issues/7").await.unwrap();
    assert_eq!(method, "github-issue");
    assert_eq!(
        text,
        "# It breaks\n\n- Issue: #7\n- State: open\n- Author: ann\n- Created: 2026-01-01\n- Labels: bug, ui\n\n\
         Do *this*.\n\n## bob, 2026-01-02\n\nSame here.\n\n[2 more comments are not shown]"
    );
    let (method, text) = server.read("https://github.com/o/r").await.unwrap();
    assert_eq!(method, "github-repository");
    assert_eq!(
        text,
        "# o/r\n\nA thing\n\n- Licence: MIT\n- Stars: 5\n- Topics: x, y\n- Archived: yes\n\n---\n\n# Readme\n\nUse it."
    );
    for other in ["https://github.com/o/r/issues", "https://github.com/settings/x", "https://github.com/o"] {
        assert!(server.read(other).await.is_none(), "{other}");
    }
}

#[tokio::test]
async fn articles_of_wikipedia() {
    let api = "https://de.wikipedia.org/w/api.php?action=query&format=json&formatversion=2&redirects=1\
               &prop=extracts|info&inprop=url&explaintext=1&exsectionformat=wiki&titles=K%C3%A4se";
    let answer = json!({"query": {"pages": [{"title": "Käse", "fullurl": "https://de.wikipedia.org/wiki/K%C3%A4se",
        "extract": "Käse ist gut.\n\n== Geschichte ==\nAlt.\n=== Rom ===\nSehr alt. a == b"}]}});
    let server = Canned::default().with(api, JSON_KIND, answer.to_string());
    let (method, text) = server.read("https://de.wikipedia.org/wiki/K%C3%A4se").await.unwrap();
    assert_eq!(method, "wikipedia");
    assert!(text.starts_with("# Käse\n\n- Page: https://de"), "{text}");
    assert!(text.ends_with("Käse ist gut.\n\n## Geschichte\nAlt.\n### Rom\nSehr alt. a == b"), "{text}");
    assert!(server.read("https://de.wikipedia.org/wiki/Missing").await.is_none());
}

#[tokio::test]
async fn papers_of_arxiv() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><title>query</title><entry><title>On\n  Things</title>\
        <summary>  We study\n things. </summary><author><name>Ann A</name></author><author><name>Bob B</name></author>\
        <published>2026-01-01</published></entry></feed>";
    let server = Canned::default().with(
        "https://export.arxiv.org/api/query?id_list=2601.00001v2",
        "application/atom+xml",
        feed,
    );
    let (method, text) = server.read("https://arxiv.org/abs/2601.00001v2").await.unwrap();
    assert_eq!(method, "arxiv");
    assert_eq!(
        text,
        "# On Things\n\n- Authors: Ann A, Bob B\n- Published: 2026-01-01\n- PDF: https://arxiv.org/pdf/2601.00001v2\n\n\
         We study things."
    );
}

#[tokio::test]
async fn registries_of_packages() {
    let npm = json!({"name": "@a/b", "description": "Does it", "dist-tags": {"latest": "2.0.0"}, "license": "MIT",
        "time": {"2.0.0": "2026-02-02"}, "versions": {"2.0.0": {"dependencies": {"c": "^1"}, "deprecated": "use d"}},
        "readme": "# b\n\nHow."});
    let krate = json!({"crate": {"name": "x", "max_version": "1.2.0", "description": " A crate ", "downloads": 9},
        "versions": [{"num": "1.2.0", "created_at": "2026", "license": "MIT", "rust_version": "1.80", "yanked": true}]});
    let pypi = json!({"info": {"name": "p", "version": "3.1", "summary": "S", "requires_python": ">=3.9", "license": "BSD",
        "description": "Long.", "project_urls": {"Source": "https://s.test"}, "requires_dist": ["q>1"]}});
    let server = Canned::default()
        .with("https://registry.npmjs.org/@a%2fb", JSON_KIND, npm.to_string())
        .with("https://crates.io/api/v1/crates/x", JSON_KIND, krate.to_string())
        .with("https://pypi.org/pypi/p/json", JSON_KIND, pypi.to_string());
    let (method, text) = server.read("https://www.npmjs.com/package/@a/b").await.unwrap();
    assert_eq!(method, "npm");
    assert_eq!(
        text,
        "# @a/b\n\nDoes it\n\n- Latest version: 2.0.0\n- Published: 2026-02-02\n- Licence: MIT\n- Dependencies: c\n\
         - Deprecated: use d\n\n---\n\n# b\n\nHow."
    );
    let (method, text) = server.read("https://crates.io/crates/x").await.unwrap();
    assert_eq!(method, "crates.io");
    assert_eq!(
        text,
        "# x\n\nA crate\n\n- Newest version: 1.2.0\n- Licence: MIT\n- Rust version: 1.80\n- Downloads: 9\n\
         - API documentation: https://docs.rs/x\n\n## Versions\n\n- 1.2.0 (2026, yanked)"
    );
    let (method, text) = server.read("https://pypi.org/project/p/").await.unwrap();
    assert_eq!(method, "pypi");
    assert_eq!(
        text,
        "# p\n\nS\n\n- Version: 3.1\n- Python: >=3.9\n- Licence: BSD\n- Links: Source https://s.test\n- Needs: q>1\n\n\
         ---\n\nLong."
    );
}

#[tokio::test]
async fn questions_with_their_answers() {
    let question = json!({"items": [{"title": "Why &amp; how?", "score": 4, "answer_count": 1, "tags": ["rust"],
        "body": "<p>See <code>x</code>.</p>", "owner": {"display_name": "ann"}}]});
    let answers = json!({"items": [{"score": 9, "is_accepted": true, "body": "<p>So: <a href='/q/1'>this</a>.</p>",
        "owner": {"display_name": "bob"}}]});
    let api = "https://api.stackexchange.com/2.3/questions/5";
    let server = Canned::default()
        .with(&format!("{api}?site=stackoverflow&filter=withbody"), JSON_KIND, question.to_string())
        .with(
            &format!("{api}/answers?site=stackoverflow&filter=withbody&sort=votes&order=desc&pagesize=10"),
            JSON_KIND,
            answers.to_string(),
        );
    let (method, text) = server.read("https://stackoverflow.com/questions/5/why").await.unwrap();
    assert_eq!(method, "stack-exchange");
    assert_eq!(
        text,
        "# Why & how?\n\n- Score: 4\n- Answers: 1\n- Tags: rust\n- Author: ann\n\nSee `x`.\n\n\
         ## Answer by bob, score 9, accepted\n\nSo: [this](https://stackoverflow.com/q/1)."
    );
}

#[tokio::test]
async fn discussions_of_hacker_news() {
    let item = json!({"id": 1, "title": "A thing", "url": "https://a.test", "points": 3, "author": "ann", "text": null,
        "children": [{"author": "bob", "text": "<p>Nice.<p>Very.", "children": [
            {"author": "cid", "text": "Yes.", "children": []}]}, {"author": null, "text": null, "children": []}]});
    let server = Canned::default().with("https://hn.algolia.com/api/v1/items/1", JSON_KIND, item.to_string());
    let (method, text) = server.read("https://news.ycombinator.com/item?id=1").await.unwrap();
    assert_eq!(method, "hacker-news");
    assert_eq!(
        text,
        "# A thing\n\n- Link: https://a.test\n- Points: 3\n- Author: ann\n\n\n\n## Comments\n\n- **bob**: Nice.\n  \n  \
         Very.\n\n  - **cid**: Yes."
    );
}

#[tokio::test]
async fn other_servers_are_not_known_sites() {
    let server = Canned::default();
    for url in
        ["https://github.com.evil.test/o/r", "https://example.com/crates/x", "http://github.com:8080/o/r"]
    {
        assert!(server.read(url).await.is_none(), "{url}");
    }
    assert!(server.asked.lock().unwrap().is_empty());
}
