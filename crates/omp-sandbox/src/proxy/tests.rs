use super::*;

struct Only(&'static str, Reach);

impl Hosts for Only {
    fn reach<'a>(&'a self, host: &'a str, _: u16) -> Pin<Box<dyn Future<Output = Reach> + Send + 'a>> {
        Box::pin(async move { if host == self.0 { self.1 } else { Reach::No } })
    }
}

/// Answers every connection with what it was sent, in large letters.
async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                let length = client.read(&mut buffer).await.unwrap();
                client.write_all(&buffer[..length].to_ascii_uppercase()).await.unwrap();
            });
        }
    });
    address
}

async fn ask(hosts: Only, request: &str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, Arc::new(hosts)));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), client.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn allowed_hosts_are_reached_and_others_are_not() {
    let address = server().await;
    let tunnel = format!("CONNECT localhost:{} HTTP/1.1\r\n\r\nhello", address.port());
    let answer = ask(Only("localhost", Reach::Anywhere), &tunnel).await;
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\nHELLO");
    let request = format!("GET http://localhost:{}/x HTTP/1.1\r\n\r\n", address.port());
    let answer = ask(Only("localhost", Reach::Anywhere), &request).await;
    assert!(answer.starts_with("GET /X HTTP/1.1\r\nHOST: LOCALHOST:"), "{answer}");
    let answer = ask(Only("else.example", Reach::Anywhere), &tunnel).await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("does not allow localhost"), "{answer}");
}

/// A name that is allowed must not become a way to this machine or its neighbours.
#[tokio::test]
async fn public_names_do_not_lead_inside() {
    let address = server().await;
    let tunnel = format!("CONNECT localhost:{} HTTP/1.1\r\n\r\nhello", address.port());
    let answer = ask(Only("localhost", Reach::Public), &tunnel).await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("not a public address"), "{answer}");
}

#[test]
fn addresses_that_only_lead_inside() {
    for inside in [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "224.0.0.1",
    ] {
        assert!(!is_public(SocketAddr::new(inside.parse().unwrap(), 80)), "{inside}");
    }
    for outside in ["1.1.1.1", "172.32.0.1", "2606:4700::1111"] {
        assert!(is_public(SocketAddr::new(outside.parse().unwrap(), 80)), "{outside}");
    }
}

#[tokio::test]
async fn nonsense_is_answered() {
    let answer = ask(Only("a", Reach::Anywhere), "hello\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}
