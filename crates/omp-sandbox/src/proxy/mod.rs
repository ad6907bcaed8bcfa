//! The way out of a closed network: an HTTP proxy that decides host by host.
//!
//! It listens in the network of the confined command, on a socket that the command's process made before it became the
//! command, and connects from ours. Names are resolved here, and only those that may be reached; the command itself has
//! nobody to ask. HTTPS goes through `CONNECT` and is not looked into.

mod head;

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use head::{Head, ProxyRequest};

/// A request's head longer than this is no request.
const LONGEST_HEAD: usize = 32 * 1024;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECT_LIMIT: Duration = Duration::from_secs(30);
/// Connections at a time.
const MOST: usize = 256;

/// How far a host may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    No,
    /// At addresses of the public network only: whoever answers for the name must not lead into this machine's own.
    Public,
    /// Wherever the name leads.
    Anywhere,
}

/// Whoever decides about hosts.
pub trait Hosts: Send + Sync {
    /// May wait for a person.
    fn reach<'a>(&'a self, host: &'a str, port: u16) -> Pin<Box<dyn Future<Output = Reach> + Send + 'a>>;

    /// The proxy that this machine itself needs, as `host:port`.
    fn upstream(&self) -> Option<String> {
        None
    }
}

/// Serves the socket for ever.
pub async fn serve(listener: std::net::TcpListener, hosts: Arc<dyn Hosts>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        let (client, _) = match listener.accept().await {
            Ok(accepted) => accepted,
            // A client that is gone already, or no descriptor left: the next may fare better.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let hosts = Arc::clone(&hosts);
        tokio::spawn(async move {
            // An error is the end of a connection, which both sides see.
            let _ = attend(client, hosts.as_ref()).await;
            drop(permit);
        });
    }
}

async fn attend(mut client: TcpStream, hosts: &dyn Hosts) -> io::Result<()> {
    let Ok(head) = tokio::time::timeout(PATIENCE, read_head(&mut client)).await else { return Ok(()) };
    let (bytes, length) = head?;
    let Some(head) = Head::parse(&bytes[..length]) else {
        return refuse(&mut client, "400 Bad Request", "not a proxy request").await;
    };
    let reach = hosts.reach(&head.host, head.port).await;
    if reach == Reach::No {
        let why = format!("omp's sandbox does not allow {}", head.host);
        return refuse(&mut client, "403 Forbidden", &why).await;
    }
    let server = tokio::time::timeout(CONNECT_LIMIT, connect(&head, reach, hosts.upstream())).await;
    let mut server = match server {
        Ok(Ok(server)) => server,
        Ok(Err(error)) => return refuse(&mut client, "502 Bad Gateway", &error.to_string()).await,
        Err(_) => return refuse(&mut client, "504 Gateway Timeout", "the host does not answer").await,
    };
    match head.wish {
        ProxyRequest::Tunnel => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
        ProxyRequest::Request(request) => server.write_all(&request).await?,
    }
    server.write_all(&bytes[length..]).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

/// What was read, and where the head ends in it.
async fn read_head(client: &mut TcpStream) -> io::Result<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    loop {
        if client.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            return Ok((bytes, end + 4));
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the head of the request is too long"));
        }
    }
}

async fn refuse(client: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    let body = format!("{why}\n");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nX-Omp-Sandbox: refused\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}

async fn connect(head: &Head, reach: Reach, upstream: Option<String>) -> io::Result<TcpStream> {
    if let Some(upstream) = upstream {
        return through(&upstream, head).await;
    }
    let mut last = io::Error::new(io::ErrorKind::NotFound, format!("{} has no address", head.host));
    for address in tokio::net::lookup_host((head.host.as_str(), head.port)).await? {
        if reach == Reach::Public && !is_public(address) {
            last = io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("{} leads to {}, which is not a public address", head.host, address.ip()),
            );
            continue;
        }
        match TcpStream::connect(address).await {
            Ok(server) => return Ok(server),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A tunnel through the proxy of this machine.
async fn through(upstream: &str, head: &Head) -> io::Result<TcpStream> {
    let mut server = TcpStream::connect(upstream).await?;
    let authority = head.authority();
    let request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n");
    server.write_all(request.as_bytes()).await?;
    let (answer, _) = read_head(&mut server).await?;
    match answer.split(|byte| *byte == b' ').nth(1) {
        Some(b"200") => Ok(server),
        _ => Err(io::Error::other(format!("the proxy {upstream} refuses {authority}"))),
    }
}

/// Is this an address that the whole world would reach?
fn is_public(address: SocketAddr) -> bool {
    match address.ip().to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let reserved = a == 0 || a >= 240 || (a == 198 && (b == 18 || b == 19));
            !(ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_multicast()
                || ip.is_documentation()
                || shared
                || reserved)
        }
        IpAddr::V6(ip) => {
            let first = ip.segments()[0];
            !(ip.is_loopback() || ip.is_unspecified() || ip.is_multicast())
                && (first & 0xfe00) != 0xfc00
                && (first & 0xffc0) != 0xfe80
        }
    }
}

#[cfg(test)]
mod tests;
