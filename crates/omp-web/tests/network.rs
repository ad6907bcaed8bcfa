//! Reading from servers that behave, and from those that do not.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_llm::{Client, ClientOptions, ProxySource};
use omp_testkit::{Page, PageServer};
use omp_web::{Body, Convert, FetchError, Limits, Mode, Rendered, Web, address};

/// Says what it was given.
struct Converter;

impl Convert for Converter {
    fn document(&self, bytes: Vec<u8>, extension: &'static str) -> BoxFuture<'_, Result<String, String>> {
        async move {
            match bytes.ends_with(b"broken") {
                true => Err("it is damaged".to_owned()),
                false => Ok(format!("{} bytes of {extension}", bytes.len())),
            }
        }
        .boxed()
    }
}

fn web(limits: Limits) -> Web {
    let options = ClientOptions { proxy: ProxySource::Direct, ..ClientOptions::default() };
    let client = Client::new(options).unwrap();
    Web::with_limits(Arc::new(move || client.stranger_builder().map_err(|error| error.to_string())), limits)
}

async fn load(server: &PageServer, path: &str) -> Result<Arc<Rendered>, FetchError> {
    load_with(server, path, Limits::default()).await
}

async fn load_with(server: &PageServer, path: &str, limits: Limits) -> Result<Arc<Rendered>, FetchError> {
    let url = address::parse(&server.url(path)).unwrap();
    web(limits).load(&url, Mode::Readable, &Converter).await
}

fn text(rendered: &Rendered) -> &str {
    match &rendered.body {
        Body::Text(text) => text,
        Body::Picture(_) => panic!("a picture"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn redirects_are_followed_to_an_end() {
    let server = PageServer::start([
        ("/a", Page::redirect("/b?x=1")),
        ("/b", Page::redirect("./c").status(307)),
        ("/c", Page::new("text/plain", "arrived")),
        ("/loop", Page::redirect("/loop")),
        ("/nowhere", Page::redirect("")),
        ("/umlaut", Page::redirect("/straße")),
        ("/stra%C3%9Fe", Page::new("text/plain", "in the street")),
    ]);
    let rendered = load(&server, "/umlaut").await.unwrap();
    assert_eq!((text(&rendered), rendered.final_url.clone()), ("in the street", server.url("/stra%C3%9Fe")));
    let rendered = load(&server, "/a").await.unwrap();
    assert_eq!((text(&rendered), rendered.final_url.as_str()), ("arrived", server.url("/c").as_str()));
    let error = load(&server, "/loop").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{0} redirects more than 10 times, finally to {0}", server.url("/loop"))
    );
    assert_eq!(server.hits("/loop"), 11);
    server.finish();
}

#[tokio::test]
async fn nobody_leads_to_credentials_of_clouds() {
    let server = PageServer::start([
        ("/to-metadata", Page::redirect("http://169.254.169.254/latest/")),
        ("/to-file", Page::redirect("file:///etc/passwd")),
    ]);
    let error = load(&server, "/to-metadata").await.unwrap_err().to_string();
    assert_eq!(
        error,
        "http://169.254.169.254/latest/ is a cloud metadata address that serves credentials and is blocked"
    );
    let error = load(&server, "/to-file").await.unwrap_err().to_string();
    assert_eq!(error, "file:///etc/passwd is not an http or https address");
}

#[tokio::test]
async fn bombs_and_floods_are_cut() {
    let limits = Limits { text_bytes: 100_000, binary_bytes: 200_000, ..Limits::default() };
    let bomb = gzip(&vec![b'a'; 50_000_000]);
    assert!(bomb.len() < 100_000);
    let server = PageServer::start([
        ("/bomb", Page::new("text/plain", bomb).header("content-encoding", "gzip")),
        ("/endless", Page::new("text/plain", "line\n".repeat(1000)).endless()),
        ("/large", Page::new("text/plain", "x".repeat(300_000))),
        ("/picture", Page::new("image/png", vec![0x89; 300_000])),
        ("/document.pdf", Page::new("application/pdf", vec![b'%'; 300_000])),
    ]);
    for (path, note) in [
        ("/bomb", "Truncated at 97 KiB"),
        ("/endless", "Truncated at 97 KiB"),
        ("/large", "Truncated at 97 KiB of 292 KiB"),
    ] {
        let rendered = load_with(&server, path, limits).await.unwrap();
        assert_eq!(text(&rendered).len(), 100_000, "{path}");
        assert_eq!(
            (rendered.method.as_str(), rendered.notes.as_slice()),
            ("text", [note.to_owned()].as_slice())
        );
    }
    let picture = load_with(&server, "/picture", limits).await.unwrap();
    assert_eq!(picture.notes, ["Truncated at 195 KiB of 292 KiB", "Too large to show"]);
    let document = load_with(&server, "/document.pdf", limits).await.unwrap();
    assert_eq!((document.method.as_str(), document.notes[1].as_str()), ("failed", "Too large to convert"));
    server.finish();
}

#[tokio::test]
async fn slow_servers_are_not_waited_for() {
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let server = PageServer::start([("/", Page::new("text/plain", "the first part\n").hanging())]);
    let rendered = load_with(&server, "/", limits).await.unwrap();
    assert_eq!(text(&rendered), "the first part\n");
    assert_eq!(rendered.notes, ["Timed out after 0 seconds; the content is incomplete"]);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = address::parse(&format!("http://{}/", silent.local_addr().unwrap())).unwrap();
    let error = web(limits).load(&url, Mode::Readable, &Converter).await.unwrap_err();
    assert_eq!(error.to_string(), format!("{url} timed out after 0 seconds"));
    drop(silent);
}

#[tokio::test]
async fn connections_that_fail() {
    let server = PageServer::start([("/half", Page::new("text/plain", "half of it").broken())]);
    let rendered = load(&server, "/half").await.unwrap();
    assert_eq!(rendered.notes, ["The connection was lost; the content is incomplete"]);
    let url = address::parse(&format!("http://user:secret@127.0.0.1:{}/x", server.port())).unwrap();
    drop(server);
    let error = web(Limits::default()).load(&url, Mode::Readable, &Converter).await.unwrap_err().to_string();
    assert!(error.starts_with("cannot reach http://127.0.0.1:") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn documents_are_converted() {
    let server = PageServer::start([
        ("/a", Page::new("application/pdf", "%PDF-1.7")),
        ("/b.docx", Page::new("application/octet-stream", b"PK\x03\x04....".to_vec())),
        ("/c", Page::new("application/pdf", "%PDF- broken")),
    ]);
    let rendered = load(&server, "/a").await.unwrap();
    assert_eq!((rendered.method.as_str(), text(&rendered)), ("markit", "8 bytes of pdf"));
    assert_eq!(text(&load(&server, "/b.docx").await.unwrap()), "8 bytes of docx");
    let broken = load(&server, "/c").await.unwrap();
    assert_eq!((broken.method.as_str(), text(&broken)), ("failed", "[Cannot read .pdf file: it is damaged]"));
    server.finish();
}

/// No proxy knows the servers of this machine.
#[tokio::test]
async fn servers_of_this_machine_are_asked_directly() {
    let proxy = PageServer::start([]);
    let server = PageServer::start([("/", Page::new("text/plain", "here"))]);
    let options = ClientOptions { proxy: ProxySource::Url(proxy.url("")), ..ClientOptions::default() };
    let client = Client::new(options).unwrap();
    let web = Web::new(Arc::new(move || client.stranger_builder().map_err(|error| error.to_string())));
    let here =
        web.load(&address::parse(&server.url("/")).unwrap(), Mode::Readable, &Converter).await.unwrap();
    assert_eq!(text(&here), "here");
    assert!(proxy.requests().is_empty());
    let far = address::parse("http://far.example/x").unwrap();
    let rendered = web.load(&far, Mode::Readable, &Converter).await.unwrap();
    assert_eq!((rendered.method.as_str(), proxy.requests().len()), ("failed", 1));
}

/// A user and a password reach their server, and nobody else.
#[tokio::test]
async fn users_are_known_to_their_server_only() {
    let other = PageServer::start([("/", Page::new("text/plain", "elsewhere"))]);
    let server = PageServer::start([
        ("/in", Page::redirect("/same")),
        ("/same", Page::new("text/plain", "welcome")),
        ("/out", Page::redirect(&other.url("/"))),
    ]);
    let with_user = |path: &str| server.url(path).replace("http://", "http://user:secret@");
    let web = web(Limits::default());
    for path in ["/in", "/out"] {
        let url = address::parse(&with_user(path)).unwrap();
        let rendered = web.load(&url, Mode::Readable, &Converter).await.unwrap();
        assert!(!rendered.final_url.contains("secret"));
        assert!(web.kept_page(&url, Mode::Readable).is_some());
    }
    let proof = "Basic dXNlcjpzZWNyZXQ=";
    assert!(server.requests().iter().all(|request| request.header("authorization") == Some(proof)));
    assert_eq!(other.requests()[0].header("authorization"), None);
}

/// What has no kind may be text, of which a part is worth something.
#[tokio::test]
async fn large_files_of_no_kind_are_looked_at() {
    let limits = Limits { text_bytes: 100_000, binary_bytes: 200_000, ..Limits::default() };
    let server = PageServer::start([
        ("/log", Page::new("application/octet-stream", "word ".repeat(60_000))),
        ("/data", Page::new("application/octet-stream", vec![0; 300_000])),
    ]);
    let log = load_with(&server, "/log", limits).await.unwrap();
    assert_eq!((log.method.as_str(), text(&log).len()), ("text", 200_000));
    assert_eq!(log.notes, ["Truncated at 195 KiB of 292 KiB"]);
    let data = load_with(&server, "/data", limits).await.unwrap();
    assert!(text(&data).starts_with("[application/octet-stream, 292 KiB: not text."), "{}", text(&data));
    server.finish();
}

/// UTF-16 without a mark is text if the server says so.
#[tokio::test]
async fn wide_letters_are_no_data() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let server = PageServer::start([
        ("/wide", Page::new("text/plain; charset=UTF-16LE", wide("größe"))),
        ("/failed", Page::new("text/plain; charset=utf-16", wide("no room")).status(500)),
    ]);
    assert_eq!(text(&load(&server, "/wide").await.unwrap()), "größe");
    assert_eq!(text(&load(&server, "/failed").await.unwrap()), "no room");
    server.finish();
}
