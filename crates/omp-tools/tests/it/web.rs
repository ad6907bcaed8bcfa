//! Web pages through the read tool, from servers of the loopback.

use std::io::{self, Cursor};
use std::sync::{Arc, Mutex};

use crate::support::{invocation, meta, numbered, text};
use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};
use omp_agent::{Tool, ToolError, Updates};
use omp_llm::{Client, ClientOptions, ProxySource};
use omp_shell::{Scope, Spill};
use omp_testkit::{Page, PageServer};
use omp_tools::{Context, Spills, builtin};
use omp_types::{ToolOutput, UserBlock};
use omp_web::Web;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A session that reads the web, and what it keeps.
struct Reader {
    tool: Arc<dyn Tool>,
    kept: Arc<Mutex<Vec<String>>>,
    _directory: tempfile::TempDir,
}

impl Reader {
    fn new() -> Self {
        let options = ClientOptions { proxy: ProxySource::Direct, ..ClientOptions::default() };
        let client = Client::new(options).unwrap();
        Self::with(Some(Web::new(Arc::new(move || {
            client.stranger_builder().map_err(|error| error.to_string())
        }))))
    }

    fn with(web: Option<Web>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (cwd, scope) = (directory.path().to_owned(), Arc::new(Scope::new()));
        let mut context = Context::new(cwd, None, scope, omp_shell::Environment::default());
        let kept = Arc::new(Mutex::new(Vec::new()));
        context.web = web.map(Arc::new);
        context.spills = Arc::new(Shelf(Arc::clone(&kept)));
        context.settings.edit.active = true;
        // Pages have a limit of their own.
        context.settings.read.default_limit = 2_000;
        let tool =
            builtin(&Arc::new(context)).into_iter().find(|tool| tool.definition().name == "read").unwrap();
        Self { tool, kept, _directory: directory }
    }

    async fn try_read(&self, path: &str) -> Result<ToolOutput, ToolError> {
        let call = invocation(&json!({ "path": path }), CancellationToken::new(), Updates::ignored());
        self.tool.run(call).await
    }

    async fn read(&self, path: &str) -> ToolOutput {
        self.try_read(path).await.unwrap_or_else(|error| panic!("{path}: {}", error.message))
    }

    /// The method that won, and what it showed.
    async fn method(&self, path: &str) -> (String, String) {
        let output = self.read(path).await;
        (details(&output)["method"].as_str().unwrap().to_owned(), body(&output))
    }
}

/// Keeps in memory; the names are `kept-1`, `kept-2` …
struct Shelf(Arc<Mutex<Vec<String>>>);

impl Spills for Shelf {
    fn open(&self, tool: &str) -> Option<Box<dyn Spill>> {
        assert_eq!(tool, "read");
        Some(Box::new(Kept(Arc::clone(&self.0), String::new())))
    }
}

struct Kept(Arc<Mutex<Vec<String>>>, String);

impl Spill for Kept {
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.1.push_str(text);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<String> {
        let mut kept = self.0.lock().unwrap();
        kept.push(std::mem::take(&mut self.1));
        Ok(format!("kept-{}", kept.len()))
    }
}

fn details(output: &ToolOutput) -> &Value {
    output.details.as_ref().unwrap()
}

/// What stands below the lines about the page.
fn body(output: &ToolOutput) -> String {
    text(output).split_once("\n---\n").unwrap().1.to_owned()
}

const SENTENCE: &str =
    "A sentence, with commas, that says something, and goes on for a while, so that it counts. ";

/// A page that is worth reading.
fn article(head: &str) -> String {
    format!(
        "<!doctype html><html><head><title>On Reading</title>{head}</head><body><nav><a href='/'>Home</a></nav>\
         <article><h1>On Reading</h1><p>{SENTENCE}{SENTENCE}{SENTENCE}</p><p>{SENTENCE}{SENTENCE}{SENTENCE} See <a href='more'>more</a>.</p><p>{SENTENCE}{SENTENCE}</p></article>\
         <footer>Imprint</footer></body></html>"
    )
}

/// A page whose text would be made by a browser.
fn shell(body: &str) -> String {
    format!(
        "<!doctype html><html><head><title></title><script src=app.js></script></head><body>{body}</body></html>"
    )
}

/// proves: FIL-075
#[tokio::test]
async fn a_page_becomes_text_for_readers() {
    let server = PageServer::start([("/page", Page::html(&article("")))]);
    let output = Reader::new().read(&server.url("/page")).await;
    let body = body(&output);
    assert!(body.starts_with("# On Reading\n\nA sentence, with commas"), "{body}");
    assert!(body.contains(&format!("[more]({})", server.url("/more"))), "{body}");
    assert!(!body.contains('<') && !body.contains("Imprint") && !body.contains("Home"), "{body}");
    // What begins with `www.` is an address too, and would be asked over TLS.
    let refusal = Reader::with(None).try_read("www.example.com/x").await.unwrap_err().message;
    assert!(refusal.starts_with("https://www.example.com/x was not fetched"), "{refusal}");
    server.finish();
}

/// proves: FIL-076
#[tokio::test]
async fn the_first_lines_tell_about_the_page() {
    let server =
        PageServer::start([("/old", Page::redirect("/new")), ("/new", Page::new("text/plain", "hello\n"))]);
    let (old, new) = (server.url("/old"), server.url("/new"));
    let output = Reader::new().read(&old).await;
    assert_eq!(
        text(&output),
        format!(
            "URL: {new}\nContent-Type: text/plain\nMethod: text\nNotes: Redirected from {old}\n\n---\nhello"
        )
    );
    let details = details(&output);
    let expected = json!({"kind": "url", "url": old, "finalUrl": new, "contentType": "text/plain", "method": "text",
        "notes": [format!("Redirected from {old}")]});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&details[name], value, "{name}");
    }
    assert_eq!(meta(&output)["source"], json!({"type": "url", "value": old}));
    let direct = text(&Reader::new().read(&new).await);
    assert!(direct.contains("\nNotes: none\n\n---\n"), "{direct}");
}

/// proves: FIL-077
#[tokio::test]
async fn the_best_form_of_a_page_wins() {
    let markdown = |text: &str| Page::new("text/markdown", text);
    let feed = Page::new(
        "application/rss+xml",
        "<rss><channel><title>Feed</title><item><title>One</title></item></channel></rss>",
    );
    let with_feed = "<link rel=alternate type='application/rss+xml' href='/feed'>";
    let with_markdown = "<link rel=alternate type='text/markdown' href='/other.md'>";
    let page = |head: &str| Page::html(&article(head));
    let list = |head: &str| {
        Page::html(&format!("<html><head>{head}</head><body><ul><li><a href=a>One</a></ul></body></html>"))
    };
    let negotiated = |head: &str| markdown("negotiated").for_accept("text/markdown", list(head));
    let server = PageServer::start([
        ("/other.md", markdown("alternate")),
        ("/feed", feed),
        // Each page also offers everything that comes later in the order.
        (
            "/1",
            markdown("negotiated").for_accept("text/markdown", page(&format!("{with_markdown}{with_feed}"))),
        ),
        ("/1.md", markdown("suffixed")),
        ("/2", negotiated(with_feed)),
        ("/2.md", markdown("suffixed")),
        ("/", negotiated(with_feed)),
        ("/3/", list("<link rel=alternate type='application/atom+xml' href='/3/feed'>")),
        (
            "/3/feed",
            Page::new("text/plain", "<feed><title>Atom</title><entry><title>Two</title></entry></feed>"),
        ),
        ("/4", page(with_feed)),
        ("/5", Page::html(&shell("<div id=root></div><embed src='/paper.pdf'>"))),
        ("/6", Page::html(&shell("<div id=root></div><embed src='/paper.rtf'>"))),
        ("/paper.rtf", Page::new("application/rtf", r"{\rtf1\ansi Words of a paper}")),
        ("/picture", Page::new("image/png", encoded(RgbaImage::new(4, 3)))),
        ("/llms.txt", Page::new("text/plain", "# What is here\n")),
        ("/data", Page::new("application/json", "{\"a\":[1,2]}")),
        ("/plain", Page::new("text/plain", "<b>as it is</b>")),
    ]);
    let reader = Reader::new();
    let read = async |path: &str| reader.method(&server.url(path)).await;
    let won = |method: &str, text: &str| (method.to_owned(), text.to_owned());
    assert_eq!(read("/1").await, won("alternate-markdown", "alternate"));
    assert_eq!(read("/2").await, won("md-suffix", "suffixed"));
    assert_eq!(read("/").await, won("content-negotiation", "negotiated"));
    assert_eq!(read("/3/").await, won("alternate-feed", "# Atom\n\n## Two"));
    let (method, text) = read("/4").await;
    assert!(method == "native" && text.starts_with("# On Reading"), "{method} {text}");
    assert_eq!(read("/5").await, won("llms.txt", "# What is here"));
    let (method, text) = read("/6").await;
    assert!(method == "linked-document" && text.contains("Words of a paper"), "{method} {text}");
    assert_eq!(read("/paper.rtf").await.0, "markit");
    assert_eq!(read("/picture").await.0, "image");
    assert_eq!(read("/feed").await, won("feed", "# Feed\n\n## One"));
    assert_eq!(read("/data").await, won("json", "{\n  \"a\": [\n    1,\n    2\n  ]\n}"));
    assert_eq!(read("/plain").await, won("text", "<b>as it is</b>"));
    assert_eq!(read("/data:raw").await, won("raw", "{\"a\":[1,2]}"));
    let empty = PageServer::start([("/", Page::html(&shell("<div id=root></div>")))]);
    let (method, text) = reader.method(&empty.url("/")).await;
    assert!(method == "raw-html" && text.contains("<div id=root>"), "{method} {text}");
    server.finish();
}

/// proves: FIL-078
#[tokio::test]
async fn a_long_page_is_shown_in_part_and_kept_whole() {
    let wide = format!("{}\n", "x".repeat(1000)).repeat(200);
    let server = PageServer::start([
        ("/long", Page::new("text/plain", numbered(1000))),
        ("/wide", Page::new("text/plain", wide.clone())),
    ]);
    let reader = Reader::new();
    let output = reader.read(&server.url("/long")).await;
    let shown = body(&output);
    assert_eq!(shown.lines().filter(|line| line.starts_with("line ")).count(), 300);
    assert!(
        shown.contains("Showing lines 1-300 of 1000") && shown.contains("Use :301 to continue"),
        "{shown}"
    );
    assert!(shown.ends_with("[Full page: artifact://kept-1]"), "{shown}");
    assert_eq!(meta(&output)["truncation"]["artifactId"], "kept-1");
    assert_eq!(meta(&output)["truncation"]["nextOffset"], 301);
    let output = reader.read(&server.url("/wide")).await;
    assert!(body(&output).len() < 52_000);
    assert_eq!(meta(&output)["truncation"]["truncatedBy"], "bytes");
    assert_eq!(*reader.kept.lock().unwrap(), [numbered(1000), wide]);
}

/// proves: FIL-079
#[tokio::test]
async fn parts_of_a_page_are_not_asked_for_again() {
    let server = PageServer::start([
        ("/from", Page::redirect("/to")),
        ("/to", Page::new("text/plain", numbered(1000))),
    ]);
    let (from, to) = (server.url("/from"), server.url("/to"));
    let reader = Reader::new();
    reader.read(&from).await;
    assert_eq!(server.hits("/to"), 1);
    server.set("/to", Page::new("text/plain", "changed"));
    for url in [&from, &to] {
        let part = body(&reader.read(&format!("{url}:500-501")).await);
        assert!(part.starts_with("line 499\nline 500\nline 501\n"), "{part}");
    }
    assert_eq!(server.hits("/to"), 1);
    // The page as it was sent is another page.
    assert!(body(&reader.read(&format!("{to}:raw:1-2")).await).starts_with("changed"));
    assert_eq!(server.hits("/to"), 2);
    // A read of the whole page wants it as it is now.
    assert_eq!(body(&reader.read(&to).await), "changed");
    assert_eq!(server.hits("/to"), 3);
    server.finish();
}

/// proves: FIL-025
#[tokio::test]
async fn selectors_of_addresses() {
    let server = PageServer::start([
        ("/", Page::new("text/plain", numbered(50))),
        ("/f", Page::new("text/plain", numbered(50))),
    ]);
    let host = format!("http://localhost:{}", server.port());
    let lines = async |typed: &str| -> Vec<u64> {
        let output = Reader::new().read(typed).await;
        body(&output).lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect()
    };
    assert_eq!(lines(&host).await, (1..=50).collect::<Vec<_>>(), "a port is no line");
    assert_eq!(lines(&format!("{host}/:5-6")).await, (4..=9).collect::<Vec<_>>());
    assert_eq!(lines(&format!("{host}/f:45")).await, (44..=50).collect::<Vec<_>>());
    assert_eq!(lines(&format!("{host}/f:45+2")).await, (44..=49).collect::<Vec<_>>());
    assert_eq!(lines(&format!("{host}/f:raw:5-6,20-21")).await, [5, 6, 20, 21]);
    assert_eq!(lines(&format!("{host}/f:5-6:raw")).await, [5, 6]);
    assert_eq!(lines(&format!("{host}/f:raw")).await.len(), 50);
    let error = Reader::new().try_read(&format!("{host}/f:0")).await.unwrap_err().message;
    assert_eq!(error, "Line selector 0 is invalid; lines are 1-indexed. Use :1.");
    let beyond = body(&Reader::new().read(&format!("{host}/f:99")).await);
    assert!(beyond.contains("beyond the end"), "{beyond}");
}

/// proves: FIL-080
#[tokio::test]
async fn an_error_of_the_server_is_a_result() {
    let server = PageServer::start([
        ("/500", Page::html("<h1>Oops</h1><p>The disk is full.</p>").status(500)),
        ("/429", Page::new("application/json", "{\"error\":\"slow down\"}").status(429)),
    ]);
    let reader = Reader::new();
    let missing = reader.read(&server.url("/missing")).await;
    assert_eq!(details(&missing)["method"], "failed");
    assert_eq!(details(&missing)["notes"], json!(["The server returned HTTP 404 (not found)"]));
    assert_eq!(body(&missing), "no such page");
    let (method, text) = reader.method(&server.url("/500")).await;
    assert!(method == "failed" && text.contains("Oops") && text.contains("The disk is full."), "{text}");
    assert_eq!(reader.method(&server.url("/429")).await.1, "{\"error\":\"slow down\"}");
}

fn encoded(picture: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn picture_size(output: &ToolOutput) -> Option<usize> {
    output.content.iter().find_map(|block| match block {
        UserBlock::Image(image) => Some(image.data.len() / 4 * 3),
        _ => None,
    })
}

/// proves: FIL-081
#[tokio::test]
async fn pictures_are_shown_if_they_are_small() {
    let noise = RgbImage::from_fn(700, 700, |x, y| {
        let value = x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503).wrapping_mul(x + 1);
        image::Rgb([value as u8, (value >> 8) as u8, (value >> 16) as u8])
    });
    let noisy = encoded(noise);
    assert!(noisy.len() > 300 * 1024);
    let mut huge = encoded(RgbaImage::new(4, 4));
    huge.resize(20 * 1024 * 1024 + 1, 0);
    let server = PageServer::start([
        ("/small", Page::new("image/png", encoded(RgbaImage::new(4, 3)))),
        ("/unsaid", Page::new("application/octet-stream", encoded(RgbaImage::new(4, 3)))),
        ("/noisy", Page::new("image/png", noisy)),
        ("/huge", Page::new("image/png", huge)),
        ("/broken", Page::new("image/png", "no picture")),
    ]);
    let reader = Reader::new();
    for path in ["/small", "/unsaid"] {
        let output = reader.read(&server.url(path)).await;
        assert!(
            text(&output).contains("Method: image\n") && text(&output).contains("4x3"),
            "{}",
            text(&output)
        );
        assert!(picture_size(&output).is_some());
    }
    let fitted = reader.read(&server.url("/noisy")).await;
    assert!(picture_size(&fitted).is_some_and(|size| size <= 300 * 1024), "{:?}", picture_size(&fitted));
    for (path, note) in [("/huge", "Too large to show"), ("/broken", "Image not shown")] {
        let output = reader.read(&server.url(path)).await;
        assert_eq!(picture_size(&output), None);
        assert!(text(&output).contains(note), "{}", text(&output));
    }
}

#[tokio::test]
async fn pages_that_say_little_about_themselves() {
    let server = PageServer::start([
        ("/html", Page::new("", article(""))),
        ("/json", Page::new("", "{\"a\":1}")),
        ("/text", Page::new("", "just text")),
        ("/binary", Page::new("application/octet-stream", vec![0, 1, 2, 3])),
        ("/empty", Page::html("")),
        ("/latin", Page::new("text/plain; charset=iso-8859-1", b"caf\xe9".to_vec())),
        ("/wrong", Page::new("text/html; charset=iso-8859-1", "<p>naïve café</p>")),
        // An address is no archive, whatever it ends in.
        ("/y.zip", Page::new("text/plain", "not zipped")),
        ("/deep", Page::html(&format!("{}deep", "<div>".repeat(100_000)))),
    ]);
    let reader = Reader::new();
    let read = async |path: &str| reader.method(&server.url(path)).await;
    assert_eq!(read("/html").await.0, "native");
    assert_eq!(read("/json").await.0, "json");
    assert_eq!(read("/text").await, ("text".into(), "just text".into()));
    assert_eq!(
        read("/binary").await,
        (
            "binary".into(),
            "[application/octet-stream, 4 bytes: not text. Save it with bash and curl -o.]".into()
        )
    );
    assert_eq!(read("/empty").await, ("text".into(), String::new()));
    assert_eq!(read("/y.zip").await, ("text".into(), "not zipped".into()));
    assert_eq!(read("/latin").await.1, "café");
    assert_eq!(read("/wrong").await.1, "naïve café");
    assert_eq!(read("/deep").await, ("native".into(), "deep".into()));
    server.finish();
}

/// A user and a password are used, and shown to nobody.
#[tokio::test]
async fn secrets_in_addresses_are_not_shown() {
    let server = PageServer::start([("/", Page::new("text/plain", numbered(1000)))]);
    let typed = server.url("/").replace("http://", "http://user:secret@");
    let output = Reader::new().read(&typed).await;
    let all = format!("{} {}", text(&output), details(&output));
    assert!(!all.contains("secret") && !all.contains("user:"), "{all}");
    assert_eq!(server.requests()[0].header("authorization"), Some("Basic dXNlcjpzZWNyZXQ="));
    let error = Reader::new().try_read("http://user:secret@169.254.169.254/").await.unwrap_err().message;
    assert!(error.contains("is blocked") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn servers_at_other_addresses() {
    let Ok(server) = PageServer::start_at("[::1]:0", [("/", Page::new("text/plain", "sixth"))]) else {
        return; // A machine without IPv6 has no such server.
    };
    assert_eq!(body(&Reader::new().read(&server.url("/:1-1")).await), "sixth");
}

/// The part of FIL-031 that is about the web.
#[tokio::test]
async fn a_slow_page_is_given_up_at_once() {
    let server = PageServer::start([("/slow", Page::new("text/html", "<p>begin").hanging())]);
    let reader = Reader::new();
    let cancel = CancellationToken::new();
    let call = invocation(&json!({ "path": server.url("/slow") }), cancel.clone(), Updates::ignored());
    let stop = async {
        while server.requests().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(reader.tool.run(call), stop);
    assert_eq!(result.unwrap_err().message, "Operation aborted");
}

#[tokio::test]
async fn a_session_can_be_kept_off_the_web() {
    let error = Reader::with(None).try_read("https://user:secret@example.com/x").await.unwrap_err().message;
    assert_eq!(error, "https://example.com/x was not fetched: web access is disabled (fetch.enabled).");
}

/// Lines of a page that could not be read are asked for again.
#[tokio::test]
async fn failures_are_not_kept() {
    let server = PageServer::start([("/busy", Page::new("text/plain", "come back later").status(503))]);
    let (reader, url) = (Reader::new(), server.url("/busy"));
    assert_eq!(reader.method(&url).await.0, "failed");
    server.set("/busy", Page::new("text/plain", numbered(20)));
    let part = body(&reader.read(&format!("{url}:raw:5-6")).await);
    assert!(part.starts_with("line 5\nline 6\n"), "{part}");
    assert_eq!(reader.method(&format!("{url}:5-6")).await.0, "text");
    server.finish();
}
