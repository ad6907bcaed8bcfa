//! Proxies.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use omp_llm::{Client, ClientOptions, ProxySource};
use omp_testkit::{Reply, Server, Wire};

use crate::support::{ask, model_at, options, request, user};

/// A proxy for one plain HTTP request: takes the absolute form, whatever host it names, to the server. Reports the
/// request line it got.
fn proxy_to(server: &Server) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (port, (lines, seen)) = (server.port(), mpsc::channel());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let head = read_head(&mut client);
        lines.send(head.lines().next().unwrap_or_default().to_owned()).unwrap();
        let mut upstream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (first, rest) = head.split_once("\r\n").unwrap();
        let path = first.split(' ').nth(1).and_then(|url| url.splitn(4, '/').nth(3)).unwrap_or_default();
        write!(upstream, "POST /{path} HTTP/1.1\r\n{rest}").unwrap();
        let mut there = client.try_clone().unwrap();
        let mut back = upstream.try_clone().unwrap();
        std::thread::spawn(move || std::io::copy(&mut there, &mut upstream));
        let _ = std::io::copy(&mut back, &mut client);
    });
    (address, seen)
}

/// Everything up to and including the blank line.
fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// A provider that only the proxy can reach.
#[tokio::test]
async fn requests_go_through_the_proxy() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("through the proxy")]);
        let (proxy, lines) = proxy_to(&server);
        let client = Client::new(ClientOptions { proxy: ProxySource::Url(proxy), ..options() }).unwrap();
        let base = server.base_url_for(wire).replace(&server.base_url(), "http://provider.invalid");
        let outcome = ask(&client, &model_at(&base, wire), &request(vec![user("hi")])).await;
        assert_eq!(outcome.done().texts().collect::<String>(), "through the proxy");
        let line = lines.recv().unwrap();
        assert!(line.starts_with(&format!("POST {base}/")), "{line}");
        server.finish();
    }
}

#[test]
fn a_bad_proxy_address_is_an_error() {
    let options = ClientOptions { proxy: ProxySource::Url("::".into()), ..options() };
    assert!(Client::new(options).is_err());
    assert_eq!(ClientOptions::default().proxy, ProxySource::Environment);
}
