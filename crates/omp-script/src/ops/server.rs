//! HTTP servers of scripts: for callbacks of logins and small pages, so on this machine only.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::AbortHandle;

use super::{Arguments, NOTHING, Op, OpError, Outcome, Reply};
use crate::state::State;

pub(super) const OPS: &[(&str, Op)] = &[
    ("server.listen", Op::Later(listen)),
    ("server.next", Op::Later(next)),
    ("server.answer", Op::Now(answer)),
    ("server.close", Op::Now(close)),
];

/// More than that is no request for a script.
const LARGEST: usize = 32 << 20;
/// Requests that wait for the script; further ones wait in the system.
const WAITING: usize = 32;

type Answer = hyper::Response<Full<Bytes>>;

/// A request, and the way back.
struct Asked {
    head: Value,
    body: Bytes,
    reply: oneshot::Sender<Answer>,
}

struct Server {
    requests: Mutex<mpsc::Receiver<Asked>>,
    task: AbortHandle,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The answer that a script owes.
struct Owed(RefCell<Option<oneshot::Sender<Answer>>>);

/// Only this machine: whoever wants the network wants a program of its own.
fn address(arguments: &Arguments) -> Result<String, OpError> {
    let host = match arguments.text("host") {
        "" | "0.0.0.0" | "::" | "127.0.0.1" => "127.0.0.1",
        "localhost" => "localhost",
        "::1" => "[::1]",
        other => {
            return Err(OpError::new(format!("a server on {other} is not offered by omp: use localhost")));
        }
    };
    Ok(format!("{host}:{}", arguments.number("port").unwrap_or(0)))
}

fn listen(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let address = address(&arguments)?;
        let listener = TcpListener::bind(&address).await.map_err(|error| {
            let code = if error.kind() == std::io::ErrorKind::AddrInUse { "EADDRINUSE" } else { "EACCES" };
            let words = if code == "EADDRINUSE" { "address already in use" } else { "permission denied" };
            OpError::new(format!("listen {code}: {words} {address}"))
                .with("code", code)
                .with("syscall", "listen")
        })?;
        let bound = listener.local_addr().map_err(|error| OpError::new(error.to_string()))?;
        let (sender, requests) = mpsc::channel(WAITING);
        let task = tokio::task::spawn_local(accept(listener, sender)).abort_handle();
        let id = state.keep(Rc::new(Server { requests: Mutex::new(requests), task }));
        Ok(Reply::Json(json!({ "id": id, "address": bound.ip().to_string(), "port": bound.port() })))
    })
}

/// Serves until its server is dropped; its connections end with it.
async fn accept(listener: TcpListener, sender: mpsc::Sender<Asked>) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, peer)) = accepted else { continue };
                let sender = sender.clone();
                let serve = service_fn(move |request| respond(request, peer, sender.clone()));
                connections.spawn_local(async move {
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), serve).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

fn plain(status: u16, words: &'static str) -> Answer {
    let mut answer = hyper::Response::new(Full::new(Bytes::from_static(words.as_bytes())));
    *answer.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    answer
}

async fn respond(
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
    sender: mpsc::Sender<Asked>,
) -> Result<Answer, Infallible> {
    let (parts, body) = request.into_parts();
    let headers: Vec<Value> = parts
        .headers
        .iter()
        .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
        .collect();
    let head = json!({
        "method": parts.method.as_str(),
        "url": parts.uri.path_and_query().map_or("/", |path| path.as_str()),
        "headers": headers, "remoteAddress": peer.ip().to_string(), "remotePort": peer.port(),
    });
    let Ok(body) = Limited::new(body, LARGEST).collect().await else { return Ok(plain(413, "too large")) };
    let (reply, answer) = oneshot::channel();
    let asked = Asked { head, body: body.to_bytes(), reply };
    if sender.send(asked).await.is_err() {
        return Ok(plain(503, "the server has been closed"));
    }
    Ok(answer.await.unwrap_or_else(|_| plain(500, "no answer")))
}

/// The next request; nothing when the server is closed.
fn next(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let Some(server) = state.resource::<Server>(arguments.id()) else { return NOTHING };
        let asked = server.requests.lock().await.recv().await;
        let Some(Asked { mut head, body, reply }) = asked else { return NOTHING };
        head["id"] = state.keep(Rc::new(Owed(RefCell::new(Some(reply))))).into();
        Ok(Reply::Both(head, body.to_vec()))
    })
}

fn answer(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let owed = state.resource::<Owed>(arguments.id()).and_then(|owed| owed.0.borrow_mut().take());
    state.release(arguments.id());
    let Some(reply) = owed else { return NOTHING };
    let mut builder =
        hyper::Response::builder().status(arguments.number("status").map_or(200, |status| status as u16));
    for pair in arguments.json.get("headers").and_then(Value::as_array).into_iter().flatten() {
        let text = |at: usize| pair.get(at).and_then(Value::as_str).unwrap_or_default();
        // What hyper says about the length of a body is true.
        if !text(0).eq_ignore_ascii_case("content-length")
            && !text(0).eq_ignore_ascii_case("transfer-encoding")
        {
            builder = builder.header(text(0), text(1));
        }
    }
    let body = Full::new(Bytes::from(arguments.bytes.clone().unwrap_or_default()));
    let made = builder.body(body).map_err(|error| OpError::new(error.to_string()))?;
    let _ = reply.send(made);
    NOTHING
}

fn close(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    state.release(arguments.id());
    NOTHING
}
