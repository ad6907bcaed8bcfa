//! Servers over HTTP, old and new, and what they do wrong.

use omp_mcp::{CallError, Endpoint, ServerDefinition, ServerState};
use omp_shell::{Environment, Program, Scope, Stdio};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use url::Url;

use crate::world::{NAME, World, script};

/// A server beside the session.
pub(crate) struct Remote {
    port: u16,
    _scope: Scope,
}

impl Remote {
    pub(crate) async fn start(arguments: &[&str]) -> Self {
        let scope = Scope::new();
        let mut child = scope
            .spawn(Program {
                path: "python3".into(),
                arguments: std::iter::once(script("remote.py").into())
                    .chain(arguments.iter().map(|text| (*text).into()))
                    .collect(),
                cwd: "/".into(),
                environment: Environment::inherited(),
                stdin: Stdio::Null,
                stdout: Stdio::Piped,
                stderr: Stdio::Null,
            })
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
        Self { port: line.trim().parse().unwrap(), _scope: scope }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// With a header that nobody else may see.
    pub(crate) fn definition(&self) -> ServerDefinition {
        let headers = [("X-Secret".to_owned(), "secret".to_owned())].into();
        let url = Url::parse(&self.address("/mcp")).unwrap();
        ServerDefinition::new(NAME, Endpoint::Http { url, headers })
    }

    pub(crate) fn world(&self) -> World {
        World::of(self.definition())
    }

    pub(crate) async fn seen(&self) -> Vec<Value> {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let text = client.get(self.address("/seen")).send().await.unwrap().text().await.unwrap();
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) async fn saw(&self, field: &str) -> Vec<String> {
        let text = |entry: &Value| entry[field].as_str().unwrap_or("-").to_owned();
        self.seen().await.iter().map(text).filter(|text| text != "GET /seen").collect()
    }
}

// proves: HOK-049, HOK-054

#[tokio::test(flavor = "multi_thread")]
async fn a_session_from_handshake_to_delete() {
    let remote = Remote::start(&["plain"]).await;
    let world = remote.world();
    assert_eq!(world.started().await, ServerState::Ready, "{}", world.log());
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let info = world.servers.status_of(NAME).unwrap().info.unwrap();
    assert_eq!((info.transport, info.revision.as_str()), ("http", "2025-11-25"));
    world.servers.close().await;
    let entries = remote.seen().await;
    let of = |what: &str| entries.iter().find(|entry| entry["what"] == what).cloned().unwrap_or_default();
    assert_eq!(
        (&of("initialize")["session"], &of("tools/call")["session"]),
        (&Value::Null, &Value::from("s1"))
    );
    assert_eq!(of("notifications/initialized")["session"], "s1");
    assert_eq!(of("DELETE")["session"], "s1");
}

// proves: IOP-012

#[tokio::test(flavor = "multi_thread")]
async fn without_a_session_headers_say_what_is_asked() {
    let remote = Remote::start(&["stateless"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let entries = remote.seen().await;
    let call = entries.iter().find(|entry| entry["what"] == "tools/call").unwrap();
    assert_eq!((&call["method"], &call["name"]), (&Value::from("tools/call"), &Value::from("echo")));
    assert!(
        entries.iter().all(|entry| entry["session"].is_null() && entry["what"] != "initialize"),
        "{entries:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_as_event_streams() {
    let remote = Remote::start(&["events"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    world.until("logged", |world| world.log().contains("[info] before")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_cut_is_resumed() {
    let remote = Remote::start(&["cut"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "resumed");
    assert!(remote.saw("last").await.contains(&"7".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_session_is_replaced() {
    let remote = Remote::start(&["lost"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let sessions = remote.saw("session").await;
    assert!(sessions.contains(&"s1".to_owned()) && sessions.contains(&"s2".to_owned()), "{sessions:?}");
    assert_eq!(world.state(), ServerState::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_to_another_server_are_refused() {
    let target = Remote::start(&["plain"]).await;
    let remote = Remote::start(&["redirect", &target.address("/mcp")]).await;
    let world = remote.world();
    let state = world.started().await;
    let ServerState::Failed { reason } = &state else { panic!("{state:?}") };
    assert_eq!(
        *reason,
        format!(
            "the server refused the connection: it redirects to {}, which is another server",
            target.address("")
        )
    );
    assert!(target.saw("what").await.is_empty(), "nothing reached the other server");

    let remote = Remote::start(&["redirect-inside"]).await;
    assert_eq!(remote.world().call("echo").await.unwrap().text(), "echo");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_mcp_is_one_sentence() {
    for (mode, expected) in
        [("html", "the response is not MCP (text/html)"), ("broken", "HTTP 503: down for maintenance")]
    {
        let remote = Remote::start(&[mode]).await;
        let mut definition = remote.definition();
        definition.timeout = Some(std::time::Duration::from_secs(5));
        let world = World::of(definition);
        world.servers.start(NAME).unwrap();
        world.until("told", |world| world.log().contains(expected)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_there() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = Url::parse(&format!("http://user:secret@127.0.0.1:{port}/mcp?key=secret")).unwrap();
    let world = World::of(ServerDefinition::new(NAME, Endpoint::Http { url, headers: Default::default() }));
    world.servers.start(NAME).unwrap();
    world.until("told", |world| world.log().contains("Connection refused")).await;
    assert!(!world.log().contains("secret"), "{}", world.log());
}

/// Whoever can make a login or TLS fail must not get an older protocol out of us.
// proves: IOP-013
#[tokio::test(flavor = "multi_thread")]
async fn refused_logins_and_broken_tls_do_not_lead_to_older_revisions() {
    let remote = Remote::start(&["oauth"]).await;
    assert_eq!(remote.world().started().await, ServerState::NeedsLogin);
    assert_eq!(remote.saw("what").await, ["server/discover"]);

    let remote = Remote::start(&["plain"]).await;
    let url = Url::parse(&format!("https://127.0.0.1:{}/mcp", remote.port)).unwrap();
    let world = World::of(ServerDefinition::new(NAME, Endpoint::Sse { url, headers: Default::default() }));
    world.servers.start(NAME).unwrap();
    world.until("told", |world| world.log().contains("cannot reach https://127.0.0.1")).await;
    assert!(remote.saw("what").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_are_bounded() {
    for mode in ["large", "large-event"] {
        let remote = Remote::start(&[mode]).await;
        let mut definition = remote.definition();
        definition.timeout = Some(std::time::Duration::from_secs(5));
        let error = World::of(definition).call("echo").await.unwrap_err();
        assert!(error.to_string().contains("is larger than "), "{mode}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_wanted_in_between() {
    let remote = Remote::start(&["login-in-between"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), "the server requires a login");
    assert_eq!(world.state(), ServerState::NeedsLogin);
}

// proves: IOP-018
#[tokio::test(flavor = "multi_thread")]
async fn permissions_that_are_missing_are_named() {
    let remote = Remote::start(&["scope"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let error = world.call("echo").await.unwrap_err();
    assert_eq!(error.to_string(), "the server requires more permissions: write");
    assert_eq!(world.call("echo").await.unwrap().text(), "echo", "the connection still works");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_transport_of_2024() {
    let remote = Remote::start(&["legacy"]).await;
    for sse in [false, true] {
        let mut definition = remote.definition();
        if let (true, Endpoint::Http { url, headers }) = (sse, definition.endpoint.clone()) {
            definition.endpoint = Endpoint::Sse { url, headers };
        }
        let world = World::of(definition);
        assert_eq!(world.call("echo").await.unwrap().text(), "echo", "{}", world.log());
        let info = world.servers.status_of(NAME).unwrap().info.unwrap();
        assert_eq!((info.transport, info.revision.as_str()), ("sse", "2024-11-05"));
    }
    let remote = Remote::start(&["legacy-elsewhere", "http://127.0.0.1:9/messages"]).await;
    let mut definition = remote.definition();
    if let Endpoint::Http { url, headers } = definition.endpoint.clone() {
        definition.endpoint = Endpoint::Sse { url, headers };
    }
    let world = World::of(definition);
    world.servers.start(NAME).unwrap();
    world.until("refused", |world| world.log().contains("its endpoint is on another server")).await;
}

/// Notifications and requests may come before the answer; a stream that ends without one is no reason to wait.
// proves: HOK-055
#[tokio::test(flavor = "multi_thread")]
async fn streams_without_an_answer() {
    let remote = Remote::start(&["asks-first"]).await;
    let world = remote.world();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let remote = Remote::start(&["unanswered"]).await;
    let world = remote.world();
    let error = world.call("echo").await.unwrap_err().to_string();
    assert!(error.starts_with("MCP error -32603: No response received for request ID "), "{error}");
    world.until("logged", |world| world.log().contains("[info] before")).await;
    assert_eq!(world.state(), ServerState::Ready);
}

/// The stream beside the answers is nothing that a session depends on. One that ends is lost; it is asked for again, as the
/// later revisions want, and the session continues.
#[tokio::test(flavor = "multi_thread")]
async fn servers_without_a_background_stream() {
    for mode in ["plain", "get-500", "get-silent", "get-ends"] {
        let remote = Remote::start(&[mode]).await;
        let world = remote.world();
        assert_eq!(world.started().await, ServerState::Ready, "{mode}: {}", world.log());
        let wanted = if mode == "get-ends" { 2 } else { 1 };
        let asked = async {
            while remote.saw("what").await.iter().filter(|what| *what == "GET /mcp").count() < wanted {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(crate::world::LONG, asked).await.expect("the stream was asked for");
        for _ in 0..3 {
            assert_eq!(world.call("echo").await.unwrap().text(), "echo", "{mode}: {}", world.log());
        }
    }
}

/// What a refusal says about who lets us in is passed on; time limits and cancelled calls are told apart.
// proves: HOK-057
#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_quoted_with_their_hints() {
    let remote = Remote::start(&["forbidden"]).await;
    let world = remote.world();
    let error = world.call("echo").await.unwrap_err().to_string();
    assert_eq!(error, "HTTP 403: not for you (Mcp-Auth-Server: https://login.example)");

    let remote = Remote::start(&["oauth"]).await;
    let world = remote.world();
    world.started().await;
    let challenge = format!(
        "HTTP 401 (WWW-Authenticate: Bearer resource_metadata=\"{}\")",
        remote.address("/.well-known/oauth-protected-resource/mcp")
    );
    assert!(world.log().contains(&challenge), "{}", world.log());

    let world = World::scripted("half");
    world.started().await;
    let limit = std::time::Duration::from_millis(100);
    let options = omp_mcp::CallOptions { timeout: Some(limit), ..Default::default() };
    assert_eq!(world.call_with("echo", &options).await, Err(CallError::TimedOut(limit)));
    let options = omp_mcp::CallOptions::default();
    options.cancel.cancel();
    assert_eq!(world.call_with("echo", &options).await, Err(CallError::Cancelled));
    let error = World::scripted("good").call("broken").await.unwrap_err();
    assert_eq!(error.to_string(), "MCP error -32000: it is broken");
}
