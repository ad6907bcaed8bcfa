//! The page, as a browser gets it.

use std::io::{Read, Write};
use std::net::TcpStream;

use omp_stats::Dashboard;

use crate::{Place, answer, header};

/// Sends a request as it is and reads the whole answer.
fn ask(url: &str, request: &str) -> String {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(url: &str, path: &str, host: &str) -> String {
    ask(url, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_has_plots_and_needs_nothing_else() {
    let place = Place::new();
    place.write("a.jsonl", &[header("one", "/code/<b>app"), answer("a1", "m", 0, "stop")]);
    let dashboard = Dashboard::start(place.store(), place.sessions(), 0).await.unwrap();
    let url = dashboard.url();
    let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    let page = get(&url, "/", &host);
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    for wanted in ["<svg", "Cost per day", "test/m", "/code/&lt;b&gt;app", "default-src 'none'"] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    for forbidden in ["<script", "http://", "https://", "<b>app", "src="] {
        let body = page.split("\r\n\r\n").nth(1).unwrap();
        assert!(!body.contains(forbidden), "{forbidden}: {body}");
    }
    // What was added since is there when the page is loaded again.
    place.write("b.jsonl", &[header("two", "/q"), answer("b1", "m", 9, "stop")]);
    let json = get(&url, "/stats.json", &format!("localhost:{}", host.split(':').nth(1).unwrap()));
    let body: serde_json::Value = serde_json::from_str(json.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["total"]["requests"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_are_refused() {
    let place = Place::new();
    let dashboard = Dashboard::start(place.store(), place.sessions(), 0).await.unwrap();
    let url = dashboard.url();
    let port = url.trim_end_matches('/').rsplit(':').next().unwrap().to_owned();
    for host in
        ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", &format!("evil.example:{port}"), ""]
    {
        let answer = get(&url, "/", host);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
        assert!(!answer.contains("<svg"), "{answer}");
    }
    let own = format!("127.0.0.1:{port}");
    let twice = format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n");
    assert!(ask(&url, &twice).starts_with("HTTP/1.1 403 "));
    assert!(ask(&url, "GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 403 "));
    assert!(ask(&url, &format!("POST / HTTP/1.1\r\nHost: {own}\r\n\r\n")).starts_with("HTTP/1.1 405 "));
    assert!(get(&url, "/../../etc/passwd", &own).starts_with("HTTP/1.1 404 "));
    let head = ask(&url, &format!("HEAD / HTTP/1.1\r\nHost: {own}\r\n\r\n"));
    assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
    let taken = Dashboard::start(place.store(), place.sessions(), port.parse().unwrap()).await.unwrap_err();
    assert!(taken.to_string().contains(&port), "{taken}");
}
