//! The port of this machine to which the browser comes back. Nobody from outside can reach it.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::form_urlencoded;

use super::redirect::{Redirect, redirect};

/// Browsers send a few hundred bytes, at once.
const MAX_HEAD: usize = 16 * 1024;
const READ_LIMIT: Duration = Duration::from_secs(10);

/// Listens until dropped.
pub(super) struct Loopback {
    listener: TcpListener,
    path: String,
}

impl Loopback {
    pub(super) async fn bind(port: u16, path: &str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        Ok(Self { listener, path: path.to_owned() })
    }

    pub(super) fn port(&self) -> u16 {
        self.listener.local_addr().map_or(0, |address| address.port())
    }

    /// Waits for the browser of this login. Whoever else knocks gets a page and is forgotten; a visitor that says
    /// nothing does not keep the others waiting.
    pub(super) async fn wait(&self, state: &str) -> Redirect {
        let (found, mut arrivals) = mpsc::channel(1);
        let mut visits = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                biased;
                // By now the browser has its page, so the program may end.
                Some(redirect) = arrivals.recv() => return redirect,
                visitor = self.listener.accept() => {
                    let Ok((visitor, _)) = visitor else { continue };
                    let (path, state, found) = (self.path.clone(), state.to_owned(), found.clone());
                    visits.spawn(async move {
                        if let Ok(Some(redirect)) = timeout(READ_LIMIT, serve(visitor, &path, &state)).await {
                            // Only the first one counts.
                            let _ = found.try_send(redirect);
                        }
                    });
                    while visits.try_join_next().is_some() {}
                }
            }
        }
    }
}

/// Waits for a browser that comes back to a path of this machine, whatever it brings.
pub struct BrowserReturn(Loopback);

impl BrowserReturn {
    /// Listens; port 0 takes a free one.
    pub async fn bind(port: u16, path: &str) -> io::Result<Self> {
        Loopback::bind(port, path).await.map(Self)
    }

    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// The path and the query that the browser came with. A visitor that says nothing does not keep it waiting.
    pub async fn wait(self) -> String {
        let (found, mut arrivals) = mpsc::channel(1);
        let mut visits = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                biased;
                Some(target) = arrivals.recv() => return target,
                visitor = self.0.listener.accept() => {
                    let Ok((visitor, _)) = visitor else { continue };
                    let (path, found) = (self.0.path.clone(), found.clone());
                    visits.spawn(async move {
                        if let Ok(Some(target)) = timeout(READ_LIMIT, received(visitor, &path)).await {
                            let _ = found.try_send(target);
                        }
                    });
                    while visits.try_join_next().is_some() {}
                }
            }
        }
    }
}

async fn received(mut visitor: TcpStream, path: &str) -> Option<String> {
    let target = target(&mut visitor).await?;
    if target.split('?').next() != Some(path) {
        answer(&mut visitor, 404, "Not found", "Page not found.").await;
        return None;
    }
    answer(&mut visitor, 200, "Back to omp", "You can close this window and return to omp.").await;
    Some(target)
}

async fn serve(mut visitor: TcpStream, path: &str, state: &str) -> Option<Redirect> {
    let target = target(&mut visitor).await?;
    let (asked, query) = target.split_once('?').unwrap_or((&target, ""));
    if asked != path {
        answer(&mut visitor, 404, "Not found", "Page not found.").await;
        return None;
    }
    match redirect(form_urlencoded::parse(query.as_bytes()), state) {
        Ok(Redirect::Code(code)) => {
            answer(&mut visitor, 200, "Logged in", "You can close this window and return to omp.").await;
            Some(Redirect::Code(code))
        }
        Ok(refused) => {
            answer(&mut visitor, 400, "Login refused", "The login was refused. See omp for details.").await;
            Some(refused)
        }
        Err(_) => {
            let text = "This page belongs to a different login. Start again from the URL that omp shows.";
            answer(&mut visitor, 400, "Wrong login", text).await;
            None
        }
    }
}

/// The target of a GET request; `None` for anything else.
async fn target(visitor: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = visitor.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&chunk[..count]);
        if head.len() > MAX_HEAD {
            return None;
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next()?.split(' ');
    (words.next() == Some("GET")).then(|| words.next().map(str::to_owned)).flatten()
}

/// Pages hold nothing that came with the request.
async fn answer(visitor: &mut TcpStream, status: u16, title: &str, text: &str) {
    let reason = if status == 200 { "OK" } else { "Refused" };
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
         <body style=\"font-family: sans-serif; margin: 4em\"><h1>{title}</h1><p>{text}</p></body></html>\n"
    );
    let response = format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    // A browser that has gone away missed a page, nothing else.
    let _ = visitor.write_all(response.as_bytes()).await;
    let _ = visitor.shutdown().await;
}
