//! A server of web pages, in good and in bad ways. It knows its paths exactly; everything else is 404.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::acceptor::{Acceptor, Stopping};
use crate::server::{HttpRequest, Reader};

/// What a path answers.
#[derive(Clone, Debug, Default)]
pub struct Page {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    ending: Ending,
    /// Only for requests whose `accept` begins with this; others get what follows.
    accept: Option<(&'static str, Box<Page>)>,
}

/// What follows the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ending {
    #[default]
    Complete,
    /// The body again and again, for ever.
    Endless,
    /// Nothing more, but the connection stays open.
    Hanging,
    /// The connection ends before the announced length.
    Broken,
}

impl Page {
    /// A good answer of this kind; an empty `kind` says nothing about it.
    pub fn new(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let page = Self { status: 200, body: body.into(), ..Self::default() };
        if kind.is_empty() { page } else { page.header("content-type", kind) }
    }

    pub fn html(body: &str) -> Self {
        Self::new("text/html; charset=utf-8", body)
    }

    pub fn redirect(to: &str) -> Self {
        Self::new("", "").status(302).header("location", to)
    }

    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The body is sent again and again.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.ending = Ending::Endless;
        self
    }

    /// After the body the server is silent.
    #[must_use]
    pub fn hanging(mut self) -> Self {
        self.ending = Ending::Hanging;
        self
    }

    /// The connection ends in the middle.
    #[must_use]
    pub fn broken(mut self) -> Self {
        self.ending = Ending::Broken;
        self
    }

    /// Requests that prefer `accept` get this page, others `usual`.
    #[must_use]
    pub fn for_accept(mut self, accept: &'static str, usual: Self) -> Self {
        self.accept = Some((accept, Box::new(usual)));
        self
    }
}

/// One request that came.
#[derive(Clone, Debug)]
pub struct PageRequest {
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
}

impl PageRequest {
    /// A header's value, if it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Shared {
    pages: Mutex<HashMap<String, Page>>,
    requests: Mutex<Vec<PageRequest>>,
    violations: Mutex<Vec<String>>,
    stopping: Stopping,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens on the loopback until dropped.
pub struct PageServer {
    shared: Arc<Shared>,
    acceptor: Acceptor,
}

impl PageServer {
    /// # Panics
    /// When the system has no free port.
    pub fn start<'a>(pages: impl IntoIterator<Item = (&'a str, Page)>) -> Self {
        Self::start_at("127.0.0.1:0", pages).expect("a free port")
    }

    /// At another address, such as `[::1]:0`, if the machine has it.
    pub fn start_at<'a>(at: &str, pages: impl IntoIterator<Item = (&'a str, Page)>) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let shared = Arc::new(Shared::default());
        *lock(&shared.pages) = pages.into_iter().map(|(path, page)| (path.to_owned(), page)).collect();
        let acceptor = Acceptor::start(listener, &shared.stopping, &shared, talk);
        Ok(Self { shared, acceptor })
    }

    /// `http://127.0.0.1:PORT` and the path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.acceptor.address())
    }

    pub fn port(&self) -> u16 {
        self.acceptor.address().port()
    }

    /// From now on a path answers this.
    pub fn set(&self, path: &str, page: Page) {
        lock(&self.shared.pages).insert(path.to_owned(), page);
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<PageRequest> {
        lock(&self.shared.requests).clone()
    }

    /// How often a path was asked for.
    pub fn hits(&self, path: &str) -> usize {
        self.requests().iter().filter(|request| request.path == path).count()
    }

    /// Stops the server.
    ///
    /// # Panics
    /// When a request broke a rule.
    pub fn finish(self) {
        let violations = lock(&self.shared.violations).clone();
        assert!(violations.is_empty(), "the page server is not content:\n  {}", violations.join("\n  "));
    }
}

fn talk(stream: &TcpStream, shared: &Shared) {
    // A client that breaks off is no error of the server.
    let _ = serve(stream, shared);
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = Reader::new(stream.try_clone()?);
    while let Some(request) = reader.next()? {
        let page = judge(request, shared);
        if !answer(stream, shared, &page)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Writes the request down and says what it gets.
fn judge(request: HttpRequest, shared: &Shared) -> Page {
    let request_line = format!("{} {}", request.method, request.path);
    let asked = PageRequest { path: request.path, query: request.query, headers: request.headers };
    let violate = |rule: &str| lock(&shared.violations).push(format!("{request_line}: {rule}"));
    if request.method != "GET" {
        violate("pages are read with GET");
    }
    for name in ["host", "accept", "user-agent"] {
        if asked.header(name).is_none_or(str::is_empty) {
            violate(&format!("header {name} is missing"));
        }
    }
    if !request.body.is_empty() {
        violate("a GET has no body");
    }
    let page = lock(&shared.pages).get(&asked.path).cloned();
    let page = match page {
        Some(mut page) => match page.accept.take() {
            Some((kind, usual)) if !asked.header("accept").is_some_and(|value| value.starts_with(kind)) => {
                *usual
            }
            _ => page,
        },
        None => Page::new("text/plain", "no such page").status(404),
    };
    lock(&shared.requests).push(asked);
    page
}

/// `false` when the connection is of no more use.
fn answer(mut stream: &TcpStream, shared: &Shared, page: &Page) -> io::Result<bool> {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", page.status);
    for (name, value) in &page.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match page.ending {
        Ending::Complete => head.push_str(&format!("content-length: {}\r\n", page.body.len())),
        Ending::Broken => head.push_str(&format!("content-length: {}\r\n", page.body.len() + 1000)),
        // Without a length the end of the connection is the end of the body.
        Ending::Endless | Ending::Hanging => head.push_str("connection: close\r\n"),
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(&page.body)?;
    while page.ending == Ending::Endless && !shared.stopping.load(Ordering::SeqCst) {
        stream.write_all(&page.body)?;
    }
    while page.ending == Ending::Hanging && !shared.stopping.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(page.ending == Ending::Complete)
}
