//! The page for browsers of this machine.
//!
//! Nobody from outside reaches the port, and a page of a stranger that a browser of this machine shows cannot read it
//! either: requests must name the address that we listen on, which a name that was bent to this machine does not.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::page::page;
use crate::store::{StatsError, Store};
use crate::summary::Summary;

/// The port of the dashboard when none is named.
pub const DEFAULT_PORT: u16 = 3847;

/// Browsers send a few hundred bytes, at once.
const LARGEST_HEAD: usize = 16 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);
/// Visitors at the same time; more wait.
const MOST_VISITORS: usize = 16;

/// Why there is no dashboard.
#[derive(Debug, thiserror::Error)]
#[error("cannot serve the dashboard on port {port}: {source}; choose another port, or 0 for any free one")]
pub struct ServeError {
    /// The port that was asked for.
    pub port: u16,
    /// What the system said.
    pub source: io::Error,
}

/// A page that is served until this is dropped.
#[derive(Debug)]
pub struct Dashboard {
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// Where the numbers come from.
#[derive(Debug)]
struct Source {
    store: Mutex<Store>,
    sessions: PathBuf,
}

impl Source {
    /// What the session files say now. May wait for the disk.
    fn summary(&self) -> Result<Summary, StatsError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.sync(&self.sessions)?;
        store.summary()
    }
}

impl Dashboard {
    /// Serves the statistics of the sessions below a directory to this machine alone. Port 0 takes any that is free.
    pub async fn start(store: Store, sessions: PathBuf, port: u16) -> Result<Self, ServeError> {
        let failed = |source| ServeError { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let source = Arc::new(Source { store: Mutex::new(store), sessions });
        let task = tokio::spawn(listen(listener, source, address.port()));
        Ok(Self { address, task })
    }

    /// The port that it is served on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Waits for ever, or until the server could not continue.
    pub async fn wait(mut self) {
        // An end that nobody asked for is an end all the same.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, source: Arc<Source>, port: u16) {
    let room = Arc::new(Semaphore::new(MOST_VISITORS));
    while let Ok(place) = Arc::clone(&room).acquire_owned().await {
        let Ok((visitor, _)) = listener.accept().await else {
            // Without file handles there is nothing to do but wait.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let source = Arc::clone(&source);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(PATIENCE, visit(visitor, source, port)).await;
            drop(place);
        });
    }
}

/// What a visitor gets.
struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn plain(status: &'static str, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: format!("{text}\n") }
    }
}

async fn visit(mut visitor: TcpStream, source: Arc<Source>, port: u16) {
    let Some(head) = head(&mut visitor).await else { return };
    let Answer { status, kind, body } = answer(&head, source, port).await;
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         content-security-policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'\r\n\
         x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n\
         cross-origin-resource-policy: same-origin\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A browser that has gone away missed a page, nothing else.
    let _ = visitor.write_all(response.as_bytes()).await;
    if !head.starts_with("HEAD ") {
        let _ = visitor.write_all(body.as_bytes()).await;
    }
    let _ = visitor.shutdown().await;
}

async fn answer(head: &str, source: Arc<Source>, port: u16) -> Answer {
    if !is_for_us(head, port) {
        return Answer::plain("403 Forbidden", "Use the URL that omp printed.");
    }
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return Answer::plain("405 Method Not Allowed", "Only GET is allowed.");
    }
    let path = target.split('?').next().unwrap_or_default();
    if !matches!(path, "/" | "/stats.json") {
        return Answer::plain("404 Not Found", "Page not found.");
    }
    match tokio::task::spawn_blocking(move || source.summary()).await {
        Ok(Ok(summary)) if path == "/" => {
            Answer { status: "200 OK", kind: "text/html; charset=utf-8", body: page(&summary) }
        }
        Ok(Ok(summary)) => {
            let body = serde_json::to_string(&summary).unwrap_or_default();
            Answer { status: "200 OK", kind: "application/json", body }
        }
        Ok(Err(error)) => Answer::plain("500 Internal Server Error", &error.to_string()),
        Err(_) => Answer::plain("500 Internal Server Error", "Cannot read the statistics."),
    }
}

/// Does the request name the address that we listen on, exactly once?
fn is_for_us(head: &str, port: u16) -> bool {
    let headers = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let mut hosts =
        headers.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, value)| value.trim());
    let known = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let first = hosts.next();
    hosts.next().is_none()
        && first.is_some_and(|host| known.iter().any(|known| host.eq_ignore_ascii_case(known)))
}

/// The head of a request; `None` if it does not end or is no text.
async fn head(visitor: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = visitor.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&chunk[..count]);
        if head.len() > LARGEST_HEAD {
            return None;
        }
    }
    String::from_utf8(head).ok()
}
