//! Snapshots, opened with code that did not seal them, and where they go.

use std::io::Read;
use std::sync::Mutex;

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use omp_export::SessionView;
use omp_export::share::{Host, Job, Reply, Sealed, SendError, ShareOptions, Target, Trim, seal, send};
use serde_json::{Value, json};

use crate::sample;

/// Opens a snapshot as a browser would: the key from the link, the nonce first, AES-GCM, gzip, JSON.
pub(crate) fn open(sealed: &Sealed) -> Value {
    let link = sealed.key.link("https://example.com/s", "id");
    open_with(&link, &sealed.bytes)
}

fn open_with(link: &str, sealed: &[u8]) -> Value {
    let key = URL_SAFE_NO_PAD.decode(link.split_once('#').unwrap().1).unwrap();
    let (nonce, secret) = sealed.split_at(12);
    let cipher = Aes256Gcm::new_from_slice(&key).unwrap();
    let packed = cipher.decrypt(&Nonce::try_from(nonce).unwrap(), secret).unwrap();
    let mut json = String::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut json).unwrap();
    serde_json::from_str(&json).unwrap()
}

/// proves: LOP-156
#[test]
fn a_snapshot_opens_with_its_link() {
    let home = tempfile::tempdir().unwrap();
    let (path, blobs) = sample::save(home.path());
    let view = SessionView::open(&path).unwrap();
    let tools = sample::tools();
    let options = ShareOptions {
        system_prompt: Some(sample::SYSTEM_PROMPT),
        tools: &tools,
        blobs: Some(&blobs),
        ..ShareOptions::default()
    };
    let sealed = seal(&view, &options, 1 << 20).unwrap();
    assert_eq!(sealed.trim, Trim::Nothing);
    let opened = open(&sealed);
    let lines: Vec<Value> = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(opened["header"], lines[0]);
    let entries = opened["entries"].as_array().unwrap();
    assert_eq!(entries.len(), lines.len() - 1);
    // All as it is in the file, but images come along.
    assert_eq!(entries[3..18], lines[4..19]);
    assert_eq!(entries[2]["message"]["content"][1]["data"], STANDARD.encode(sample::chart()));
    assert_eq!(opened["leafId"], lines.last().unwrap()["id"]);
    assert_eq!(opened["systemPrompt"], sample::SYSTEM_PROMPT);
    assert_eq!(
        opened["tools"][0],
        json!({"name": "read", "description": "Reads a file, a directory or an address."})
    );

    let again = seal(&view, &options, 1 << 20).unwrap();
    assert_ne!(again.key.encoded(), sealed.key.encoded(), "every snapshot has a key of its own");
    assert_ne!(again.bytes[..12], sealed.bytes[..12]);
    assert_eq!(sealed.key.encoded().len(), 43);
    let link = sealed.key.link("https://my.omp.sh/s/", "abc");
    assert_eq!(link, format!("https://my.omp.sh/s/abc#{}", sealed.key.encoded()));
    assert!(!format!("{sealed:?}").contains(&sealed.key.encoded()), "the key is not in logs");

    let earlier = lines[5]["id"].as_str().unwrap();
    let at = seal(&SessionView::open(&path).unwrap().at(earlier), &options, 1 << 20).unwrap();
    assert_eq!(open(&at)["leafId"], earlier);
}

#[test]
fn secrets_are_replaced_before_sealing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.jsonl");
    let mut script = sample::Script::new("s", "the title says sk-123");
    script.user("my key is sk-123");
    script.answer(json!([sample::call("c", "bash", json!({"command": "echo sk-123"}))]));
    script.save(&path);
    let redact = |text: &str| text.contains("sk-123").then(|| text.replace("sk-123", "***"));
    let options = ShareOptions { system_prompt: Some("sk-123"), redact: &redact, ..ShareOptions::default() };
    let opened = open(&seal(&SessionView::open(&path).unwrap(), &options, 1 << 20).unwrap());
    assert!(!opened.to_string().contains("sk-123"));
    assert_eq!(opened["entries"][1]["message"]["content"][0]["arguments"]["command"], "echo ***");
}

/// A program with `gh` and a network, as far as a test says.
#[derive(Default)]
struct Fake {
    /// What `gh auth status` and `gh gist create` answer; `None`: there is no `gh`.
    gh: Option<(Reply, Reply)>,
    post: Option<Result<Reply, String>>,
    seen: Mutex<Vec<(String, Vec<u8>)>>,
}

impl Host for Fake {
    fn gh<'a>(&'a self, arguments: &'a [&'a str], input: Vec<u8>) -> Job<'a, std::io::Result<Reply>> {
        Box::pin(async move {
            let Some((status, gist)) = &self.gh else { return Err(std::io::ErrorKind::NotFound.into()) };
            self.seen.lock().unwrap().push((arguments.join(" "), input));
            match arguments[0] {
                "auth" => Ok(status.clone()),
                "gist" => Ok(gist.clone()),
                other => panic!("gh {other}"),
            }
        })
    }

    fn post<'a>(&'a self, url: &'a str, body: Vec<u8>) -> Job<'a, Result<Reply, String>> {
        Box::pin(async move {
            self.seen.lock().unwrap().push((format!("POST {url}"), body));
            self.post.clone().expect("nothing is posted in this test")
        })
    }
}

fn said(status: u16, output: &str, errors: &str) -> Reply {
    Reply { status, output: output.to_owned(), errors: errors.to_owned() }
}

fn sealed(target: Target) -> Sealed {
    let home = tempfile::tempdir().unwrap();
    let (path, _) = sample::save(home.path());
    seal(&SessionView::open(&path).unwrap(), &ShareOptions::default(), target.limit()).unwrap()
}

/// proves: LOP-157
#[tokio::test]
async fn a_gist_if_gh_is_logged_in() {
    let gist = "- Creating gist session.ompshare.txt\nhttps://gist.github.com/ada/0f1e2d3c4b5a69788796a5b4c3d2e1f0\n";
    let host = Fake { gh: Some((said(0, "Logged in", ""), said(0, gist, ""))), ..Fake::default() };
    let target = Target::choose(&host).await;
    assert_eq!((target, target.limit()), (Target::Gist, 5 * 1024 * 1024));
    let sealed = sealed(target);
    let shared = send(&sealed, target, "https://my.omp.sh/s", &host).await.unwrap();
    assert_eq!(shared.url, sealed.key.link("https://my.omp.sh/s", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"));
    assert_eq!(shared.gist.as_deref(), Some("https://gist.github.com/ada/0f1e2d3c4b5a69788796a5b4c3d2e1f0"));
    let seen = host.seen.lock().unwrap();
    let (command, input) = seen.last().unwrap();
    assert!(command.starts_with("gist create --filename session.ompshare.txt"), "{command}");
    assert!(!command.contains("public"), "the gist is secret");
    let bytes = STANDARD.decode(input).unwrap();
    assert_eq!(
        open_with(&shared.url, &bytes)["header"]["id"],
        "4f1c",
        "what is in the gist opens with the link"
    );
}

/// proves: LOP-157
#[tokio::test]
async fn the_server_if_not() {
    for gh in [None, Some((said(1, "", "You are not logged in"), said(1, "", "")))] {
        for answer in ["{\"id\":\"Xy-9_z\"}", "Xy-9_z\n"] {
            let host = Fake { gh: gh.clone(), post: Some(Ok(said(201, answer, ""))), ..Fake::default() };
            let target = Target::choose(&host).await;
            assert_eq!((target, target.limit()), (Target::Server, 1024 * 1024));
            let sealed = sealed(target);
            let shared = send(&sealed, target, "https://share.example/s", &host).await.unwrap();
            assert_eq!(shared.url, sealed.key.link("https://share.example/s", "Xy-9_z"));
            assert_eq!(shared.gist, None);
            let seen = host.seen.lock().unwrap();
            let (url, body) = seen.last().unwrap();
            assert_eq!(url, "POST https://share.example/s");
            assert_eq!(open_with(&shared.url, body)["header"]["id"], "4f1c");
        }
    }
}

#[tokio::test]
async fn what_goes_wrong_is_said() {
    let sealed = sealed(Target::Server);
    for (answer, reason) in [
        (Ok(said(413, "too large", "")), "status 413 too large"),
        (Ok(said(200, "{\"id\":\"a/../b#c\"}", "")), "its response has no id"),
        (Err("connection refused".to_owned()), "connection refused"),
    ] {
        let host = Fake { post: Some(answer), ..Fake::default() };
        let error =
            send(&sealed, Target::Server, "https://share.example/s", &host).await.unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("share.serverUrl"), "{error}");
    }
    let host =
        Fake { gh: Some((said(0, "", ""), said(1, "", "HTTP 403: needs gist scope"))), ..Fake::default() };
    let error = send(&sealed, Target::Gist, "https://share.example/s", &host).await.unwrap_err();
    assert_eq!(error, SendError::Gist("HTTP 403: needs gist scope".to_owned()));
}
