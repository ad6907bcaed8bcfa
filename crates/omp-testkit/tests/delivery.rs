//! How bytes reach the client: cuts, silences, breaks, line ends, and what the server notices.

mod common;

use common::{connect, default_headers, minimal, path, post, read_response, request_bytes};
use omp_testkit::{Reply, Scenario, Server, Split, Wire};
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

const WIRE: Wire = Wire::AnthropicMessages;
const LONG: Duration = Duration::from_secs(20);

fn ask(reply: Reply) -> common::Response {
    // The seed makes ids, and so bytes, comparable between servers.
    let server = Server::start(Scenario::new().id_seed("x").secret("y").reply(reply));
    post(&server, WIRE, &minimal(WIRE))
}

fn hello() -> Reply {
    Reply::new().thinking("hmm").text("hello, wörld").tool_call("read", json!({"path": "ä"}))
}

#[test]
fn every_split_carries_the_same_bytes() {
    let whole = ask(hello());
    assert_eq!(whole.chunks.len(), 1);
    let every = ask(hello().split(Split::EveryByte));
    assert_eq!(every.body, whole.body);
    assert_eq!(every.chunks.len(), whole.body.len());
    let sevens = ask(hello().split(Split::Chunks(7)));
    assert_eq!(sevens.body, whole.body);
    assert!(sevens.chunks[..sevens.chunks.len() - 1].iter().all(|size| *size == 7));
    let at = ask(hello().split(Split::At(vec![3, 10, 10, 999_999])));
    assert_eq!(at.body, whole.body);
    assert_eq!(at.chunks, [3, 7, whole.body.len() - 10]);
}

#[test]
fn crlf_and_comments() {
    let plain = ask(hello());
    let odd = ask(hello().crlf(true).comments(true));
    assert!(!odd.text().replace("\r\n", "").contains('\n'));
    assert!(odd.text().contains("\r\n: ping\r\n\r\n"));
    let without_pings: Vec<_> = odd.events().into_iter().filter(|(name, _)| name != "ping").collect();
    assert_eq!(without_pings, plain.events());
    assert!(odd.events().len() > plain.events().len());
}

#[test]
fn drops_and_early_ends() {
    let whole = ask(hello());
    let after_bytes = ask(hello().drop_after_bytes(25));
    assert!(!after_bytes.complete);
    assert_eq!(after_bytes.body, whole.body[..25]);
    let after_event = ask(hello().drop_after_event(2));
    assert!(!after_event.complete);
    assert_eq!(after_event.events(), whole.events()[..2]);
    let nothing = ask(hello().drop_after_event(0));
    assert_eq!((nothing.status, nothing.complete, nothing.body.len()), (200, false, 0));
    let ended = ask(hello().end_after_event(2));
    assert!(ended.complete);
    assert_eq!(ended.events(), whole.events()[..2]);
}

#[test]
fn stalls_and_delays() {
    let pause = Duration::from_millis(60);
    for reply in [
        hello().delay_before(pause),
        hello().stall_after_bytes(10, pause),
        hello().stall_after_event(2, pause),
    ] {
        let start = Instant::now();
        assert!(ask(reply).complete);
        assert!(start.elapsed() >= pause);
    }
}

#[test]
fn a_client_that_leaves_during_a_stall_is_noticed_at_once() {
    let server = Server::start(hello().stall_after_event(1, LONG));
    let mut stream = connect(&server);
    let body = minimal(WIRE).to_string();
    stream.write_all(&request_bytes(&path(WIRE), &default_headers(WIRE), body.as_bytes())).unwrap();
    let mut first = [0; 64];
    assert!(stream.read(&mut first).unwrap() > 0);
    let left = Instant::now();
    drop(stream);
    let disconnects = server.wait_for_disconnects(1, Duration::from_secs(5));
    assert_eq!(disconnects[0].request, 0);
    assert!(disconnects[0].bytes_written > 0);
    assert!(disconnects[0].at.duration_since(left) < Duration::from_secs(1));
}

#[test]
fn a_client_that_leaves_before_the_answer_is_noticed() {
    let server = Server::start(hello().delay_before(LONG));
    let mut stream = connect(&server);
    let body = minimal(WIRE).to_string();
    stream.write_all(&request_bytes(&path(WIRE), &default_headers(WIRE), body.as_bytes())).unwrap();
    server.wait_for_requests(1, Duration::from_secs(5));
    drop(stream);
    assert_eq!(server.wait_for_disconnects(1, Duration::from_secs(5))[0].bytes_written, 0);
}

#[test]
fn a_client_that_leaves_inside_a_large_body_is_noticed() {
    let server = Server::start(Reply::text_deltas(300_000, "tok "));
    let mut stream = connect(&server);
    let body = minimal(WIRE).to_string();
    stream.write_all(&request_bytes(&path(WIRE), &default_headers(WIRE), body.as_bytes())).unwrap();
    let mut some = [0; 4096];
    assert!(stream.read(&mut some).unwrap() > 0);
    drop(stream);
    let written = server.wait_for_disconnects(1, Duration::from_secs(10))[0].bytes_written;
    assert!(written > 1000, "{written}");
}

#[test]
fn a_complete_exchange_is_no_disconnect() {
    let server = Server::start(hello());
    assert!(post(&server, WIRE, &minimal(WIRE)).complete);
    std::thread::sleep(Duration::from_millis(30));
    assert!(server.disconnects().is_empty());
}

#[test]
fn statuses_headers_and_bodies() {
    let server = Server::start([
        Reply::status(429).header("retry-after", "2"),
        Reply::status(503).body(json!({"oops": true})),
        Reply::raw("text/html", "<html>hi</html>"),
        Reply::raw("text/event-stream", "data: {\"a\":1}\n\ndata: {\"a\":2}\n\n").drop_after_event(1),
        Reply::new().text("x").header("request-id", "req_7"),
    ]);
    let limited = post(&server, WIRE, &minimal(WIRE));
    assert_eq!((limited.status, limited.headers["retry-after"].as_str()), (429, "2"));
    assert_eq!(limited.json()["error"]["type"], "rate_limit_error");
    let custom = post(&server, WIRE, &minimal(WIRE));
    assert_eq!((custom.status, custom.json()), (503, json!({"oops": true})));
    let page = post(&server, WIRE, &minimal(WIRE));
    assert_eq!(
        (page.status, page.headers["content-type"].as_str(), page.text().as_str()),
        (200, "text/html", "<html>hi</html>")
    );
    let raw = post(&server, WIRE, &minimal(WIRE));
    assert_eq!((raw.complete, raw.text().as_str()), (false, "data: {\"a\":1}\n\n"));
    assert_eq!(post(&server, WIRE, &minimal(WIRE)).headers["request-id"], "req_7");
    server.finish();
}

#[test]
fn keep_alive_chunked_requests_and_close() {
    let server = Server::start((0..3).map(|n| Reply::new().text(&format!("answer {n}"))).collect::<Vec<_>>());
    let mut stream = connect(&server);
    let body = minimal(WIRE).to_string();
    let headers = default_headers(WIRE);
    stream.write_all(&request_bytes(&path(WIRE), &headers, body.as_bytes())).unwrap();
    assert!(read_response(&mut stream).text().contains("answer 0"));
    let mut head = format!("POST {} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n", path(WIRE));
    for (name, value) in &headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let (first, second) = body.split_at(11);
    let chunks = format!("b;ext=1\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\ntrailer: x\r\n\r\n", second.len());
    stream.write_all(format!("{head}\r\n{chunks}").as_bytes()).unwrap();
    assert!(read_response(&mut stream).text().contains("answer 1"));
    let closing: Vec<_> = headers.iter().copied().chain([("connection", "close")]).collect();
    stream.write_all(&request_bytes(&path(WIRE), &closing, body.as_bytes())).unwrap();
    let last = read_response(&mut stream);
    assert!(last.text().contains("answer 2"));
    assert_eq!(last.headers["connection"], "close");
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the server closed");
    server.finish();
}

#[test]
fn expect_continue_is_answered() {
    let server = Server::start(hello());
    let mut stream = connect(&server);
    let body = minimal(WIRE).to_string();
    let headers: Vec<_> = default_headers(WIRE).into_iter().chain([("expect", "100-continue")]).collect();
    let request = request_bytes(&path(WIRE), &headers, body.as_bytes());
    stream.write_all(&request[..request.len() - body.len()]).unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read_response(&mut stream).status, 200);
}

#[test]
fn dropping_the_server_ends_a_stall() {
    let server = Server::start(hello().stall_after_event(1, LONG));
    let mut stream = connect(&server);
    let body = minimal(WIRE).to_string();
    stream.write_all(&request_bytes(&path(WIRE), &default_headers(WIRE), body.as_bytes())).unwrap();
    server.wait_for_requests(1, Duration::from_secs(5));
    let start = Instant::now();
    drop(server);
    assert!(!read_response_or_nothing(&mut stream));
    assert!(start.elapsed() < Duration::from_secs(2));
}

fn read_response_or_nothing(stream: &mut std::net::TcpStream) -> bool {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    rest.ends_with(b"0\r\n\r\n")
}
