//! A browser that does what it is told.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What the last page said.
#[derive(Clone, Debug)]
pub struct BrowserPage {
    pub status: u16,
    pub body: String,
    /// Where it was.
    pub url: String,
}

/// Opens `http://…` and follows redirects.
///
/// # Panics
/// When nobody answers.
pub fn browse(url: &str) -> BrowserPage {
    let mut url = url.to_owned();
    for _ in 0..5 {
        let (status, head, body) = get(&url);
        let location = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
        });
        match location {
            Some(next) if (300..400).contains(&status) => url = next,
            _ => return BrowserPage { status, body, url },
        }
    }
    panic!("{url} redirects for ever");
}

fn get(url: &str) -> (u16, String, String) {
    let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("not a test address: {url}"));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let address = host.replace("localhost", "127.0.0.1");
    let mut stream = TcpStream::connect(&address).unwrap_or_else(|error| panic!("{address}: {error}"));
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
        .expect("a request can be sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, head.to_owned(), body.to_owned())
}
