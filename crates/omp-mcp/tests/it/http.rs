//! Servers over HTTP, old and new, and what they do wrong.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use omp_mcp::host::Unattended;
use omp_mcp::{
    CallError, Callback, CallbackWanted, Consent, Endpoint, LoginError, ServerDefinition, ServerState,
};
use omp_shell::{Environment, Program, Scope, Stdio};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use url::Url;

use crate::world::{NAME, World, script};

/// A server beside the session.
struct Remote {
    port: u16,
    _scope: Scope,
}

impl Remote {
    async fn start(arguments: &[&str]) -> Self {
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

    fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// With a header that nobody else may see.
    fn definition(&self) -> ServerDefinition {
        let headers = [("X-Secret".to_owned(), "secret".to_owned())].into();
        let url = Url::parse(&self.address("/mcp")).unwrap();
        ServerDefinition::new(NAME, Endpoint::Http { url, headers })
    }

    fn world(&self) -> World {
        World::of(self.definition())
    }

    async fn seen(&self) -> Vec<Value> {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let text = client.get(self.address("/seen")).send().await.unwrap().text().await.unwrap();
        serde_json::from_str(&text).unwrap()
    }

    async fn saw(&self, field: &str) -> Vec<String> {
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
        assert!(!matches!(error, CallError::Answer { .. }), "{mode}: {error}");
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

/// From the address that the user is sent to, to the one that the browser comes back with.
type Back = fn(&Url) -> String;

/// Comes back with whatever is set.
struct Answers {
    back: Back,
    went_to: Arc<Mutex<Option<String>>>,
}

impl Answers {
    fn with(back: Back) -> Self {
        Self { back, went_to: Arc::default() }
    }
}

impl Consent for Answers {
    fn listen(&self, wanted: CallbackWanted) -> BoxFuture<'_, Result<Box<dyn Callback>, LoginError>> {
        assert_eq!((wanted.server.as_str(), wanted.path.as_str()), (NAME, "/callback"));
        let callback = Self { back: self.back, went_to: Arc::clone(&self.went_to) };
        Box::pin(std::future::ready(Ok(Box::new(callback) as Box<dyn Callback>)))
    }
}

impl Callback for Answers {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:7777/callback".to_owned()
    }

    fn wait(self: Box<Self>, url: String) -> BoxFuture<'static, Result<String, LoginError>> {
        *self.went_to.lock().unwrap() = Some(url.clone());
        let answer = (self.back)(&Url::parse(&url).unwrap());
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn parameter(url: &Url, name: &str) -> String {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn granted(url: &Url) -> String {
    let issuer = url.origin().ascii_serialization();
    format!("http://127.0.0.1:7777/callback?code=c&state={}&iss={issuer}", parameter(url, "state"))
}

// proves: HOK-058

#[tokio::test(flavor = "multi_thread")]
async fn a_login_and_a_token_that_is_renewed() {
    let remote = Remote::start(&["oauth"]).await;
    let world = World::with(remote.definition(), Arc::new(Unattended::default()), |_| {});
    assert_eq!(world.started().await, ServerState::NeedsLogin);
    assert!(!world.servers.is_logged_in(NAME).await);
    let consent = Answers::with(granted);
    world.servers.login(NAME, &consent).await.unwrap();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert!(world.servers.is_logged_in(NAME).await);
    let went_to = Url::parse(&consent.went_to.lock().unwrap().clone().unwrap()).unwrap();
    assert_eq!(parameter(&went_to, "code_challenge_method"), "S256");
    assert_eq!(parameter(&went_to, "resource"), remote.address("/mcp"));
    assert_eq!(parameter(&went_to, "prompt"), "consent");
    assert!(!world.log().contains("first"), "no token in the log");

    // The server forgets the token: it is renewed without a question.
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let form = "grant_type=refresh_token";
    client.post(remote.address("/token")).body(form).send().await.unwrap();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert!(remote.saw("auth").await.contains(&"Bearer second".to_owned()));

    world.servers.logout(NAME).await.unwrap();
    assert!(!world.servers.is_logged_in(NAME).await);
    assert_eq!(world.started().await, ServerState::NeedsLogin);
}

// proves: IOP-018

#[tokio::test(flavor = "multi_thread")]
async fn logins_that_fail() {
    let denied =
        |_: &Url| "http://127.0.0.1:7777/callback?error=access_denied&error_description=no".to_owned();
    let forged = |url: &Url| {
        format!(
            "http://127.0.0.1:7777/callback?code=c&state={}&iss=https://evil.example",
            parameter(url, "state")
        )
    };
    let other_state = |_: &Url| "http://127.0.0.1:7777/callback?code=c&state=forged".to_owned();
    let table: [(&str, Back, &str); 4] = [
        ("oauth", denied, "OAuth authentication failed: access was denied (access_denied: no)"),
        ("oauth", forged, "OAuth authentication failed: Authorization server issuer mismatch"),
        ("oauth", other_state, "OAuth authentication failed: "),
        ("oauth-lies", granted, "OAuth authentication failed: "),
    ];
    for (mode, back, expected) in table {
        let remote = Remote::start(&[mode]).await;
        let world = remote.world();
        world.started().await;
        let error = world.servers.login(NAME, &Answers::with(back)).await.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{mode}: {error}");
        assert_eq!(world.state(), ServerState::NeedsLogin);
        assert!(!remote.saw("what").await.contains(&"token authorization_code".to_owned()), "{error}");
    }
    let remote = Remote::start(&["login-in-between"]).await;
    let world = remote.world();
    let _ = (world.call("echo").await, world.call("echo").await);
    let error = world.servers.login(NAME, &Answers::with(granted)).await.unwrap_err();
    assert_eq!(error, LoginError::NotDiscovered);
}
