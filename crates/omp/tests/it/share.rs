//! `omp share`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::thread::JoinHandle;

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use omp_testkit::{Home, Output, Reply, Server, Wire, run};
use serde_json::Value;

use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

const TOKEN: &str = "tok-0123456789abcdef";

fn with_a_session() -> Home {
    let server = Server::start([Reply::new().text("noted")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", &format!("the token is {TOKEN}")]).assert_success();
    server.finish();
    home
}

/// A `gh` that is logged in or not, and keeps what it is given.
fn gh(home: &Home, logged_in: bool) {
    let status = if logged_in { 0 } else { 1 };
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = auth ]; then exit {status}; fi\nprintf '%s\\n' \"$@\" > gh.args\ncat > gh.input\n\
         echo 'Creating gist...' >&2\necho https://gist.github.com/someone/0a1b2c3d4e\n"
    );
    let path = home.write("bin/gh", script);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn share(home: &Home, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("SOME_SERVICE_TOKEN", TOKEN);
    run(command, Some(b""), LIMIT)
}

/// What the holder of a link reads, by code of others.
fn opened(url: &str, sealed: &[u8]) -> Value {
    let key = URL_SAFE_NO_PAD.decode(url.split_once('#').unwrap().1).unwrap();
    let cipher = Aes256Gcm::new_from_slice(&key).unwrap();
    let (nonce, secret) = sealed.split_at(12);
    let packed = cipher.decrypt(&Nonce::try_from(nonce).unwrap(), secret).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A server that takes one upload and answers with an id; gives the address and then the head and body.
fn upload_server(status: &'static str) -> (String, JoinHandle<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/s", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let count = stream.read(&mut buffer).unwrap();
            received.extend_from_slice(&buffer[..count]);
            let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = String::from_utf8(received[..end].to_vec()).unwrap();
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            let length: usize = length.expect("a length");
            if received.len() >= end + 4 + length {
                let body = "{\"id\":\"k4Zx_9\"}";
                write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
                return (head, received[end + 4..].to_vec());
            }
        }
    });
    (address, serving)
}

/// Through `gh` if it is logged in: a secret gist that only the link opens. Known credentials are not in it.
#[test]
fn a_session_is_shared_as_a_secret_gist() {
    let home = with_a_session();
    gh(&home, true);
    let output = share(&home, &["share"]);
    let url = output.assert_success().stdout.trim_end();
    assert!(url.starts_with("https://my.omp.sh/s/0a1b2c3d4e#"), "{url}");
    let arguments = home.read("work/gh.args");
    assert!(arguments.starts_with("gist\ncreate\n--filename\nsession.ompshare.txt\n"), "{arguments}");
    assert!(!arguments.contains("--public"));
    let snapshot = opened(url, &STANDARD.decode(home.read_bytes("work/gh.input")).unwrap());
    let saved = lines(&session_files(&home)[0]);
    assert_eq!(snapshot["header"]["id"], saved[0]["id"]);
    assert_eq!(snapshot["entries"].as_array().unwrap().len(), saved.len() - 1);
    assert_eq!(snapshot["leafId"], saved.last().unwrap()["id"]);
    let text = snapshot.to_string();
    assert!(text.contains("the token is [secret removed]") && !text.contains(TOKEN), "{text}");
}

/// Else to the server of the setting; what it refuses is said.
#[test]
fn without_gh_a_session_goes_to_the_server() {
    let home = with_a_session();
    gh(&home, false);
    let id = lines(&session_files(&home)[0])[0]["id"].as_str().unwrap().to_owned();
    for (status, redact) in [("201 Created", false), ("507 Insufficient Storage", true)] {
        let (address, serving) = upload_server(status);
        let settings = format!("share:\n  serverUrl: {address}\n  redactSecrets: {redact}\n");
        home.write("home/.omp/agent/config.yml", settings);
        let output = share(&home, &["share", &id[..8], "--json"]);
        let (head, sealed) = serving.join().unwrap();
        assert!(head.starts_with("POST /s HTTP/1.1"), "{head}");
        if status.starts_with('2') {
            let made: Value = serde_json::from_str(&output.assert_success().stdout).unwrap();
            let url = made["url"].as_str().unwrap();
            assert!(url.starts_with(&format!("{address}/k4Zx_9#")), "{url}");
            assert!(opened(url, &sealed).to_string().contains(TOKEN), "the user may share it as it is");
        } else {
            assert_eq!(output.code, Some(1));
            assert!(output.stderr.contains("status 507"), "{}", output.stderr);
        }
    }
    assert!(!home.exists("work/gh.input"));
}

#[test]
fn without_a_session_nothing_is_shared() {
    let home = Home::new();
    gh(&home, true);
    let output = share(&home, &["share"]);
    assert!(
        output.code == Some(1) && output.stderr.contains("no session in this directory"),
        "{}",
        output.stderr
    );
    assert!(!home.exists("work/gh.args"));
}

/// A script or a program of the user shares in its own way, and where it fails nothing else is tried.
// proves: LOP-159
#[test]
fn a_handler_of_the_user_shares() {
    let agent = "home/.omp/agent";
    let keeps = "import { copyFileSync } from 'node:fs';\nexport default async (page) => { copyFileSync(page, 'page.html');";
    let program = "#!/bin/sh\ncp \"$1\" page.html\necho '{\"url\": \"https://example.org/p\", \"message\": \"for a week\"}'\n";
    for (name, text, url, message) in [
        ("share.ts", format!("{keeps} return 'https://example.org/s'; }};"), "https://example.org/s", ""),
        (
            "share.mjs",
            format!("{keeps} return {{ url: 'https://example.org/m', message: 'ask Ada' }}; }};"),
            "https://example.org/m",
            "ask Ada",
        ),
        ("share", program.to_owned(), "https://example.org/p", "for a week"),
    ] {
        let home = with_a_session();
        gh(&home, true);
        let path = home.write(format!("{agent}/{name}"), text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = share(&home, &["share"]);
        assert_eq!((output.code, output.stdout.trim()), (Some(0), url), "{name}: {output:?}");
        assert!(output.stderr.contains(message), "{name}: {}", output.stderr);
        let page = home.read("work/page.html");
        assert!(page.contains("<html") && !page.contains(TOKEN), "{name}");
        assert!(!home.exists("work/gh.args"), "{name}: nothing else was tried");
    }
    for (name, text) in [
        ("share.ts", "export default () => { throw new Error('no room left'); };"),
        ("share", "#!/bin/sh\necho 'no room left' >&2\nexit 1\n"),
    ] {
        let home = with_a_session();
        gh(&home, true);
        let path = home.write(format!("{agent}/{name}"), text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = share(&home, &["share"]);
        assert!(output.code != Some(0) && output.stderr.contains("no room left"), "{name}: {output:?}");
        assert!(!home.exists("work/gh.args"), "{name}: there is no fallback");
    }
}
