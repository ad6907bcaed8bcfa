//! Logins: with a person, with a secret, with what is stored.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use omp_mcp::definition::{Coercion, Variables, parse};
use omp_mcp::host::Unattended;
use omp_mcp::{
    CallOptions, Callback, CallbackWanted, Consent, LoginError, MemoryTokens, ServerDefinition, ServerState,
    TokenStore,
};
use serde_json::{Map, Value, json};
use url::Url;

use crate::http::Remote;
use crate::world::{NAME, World, scripted};

/// From the address that the user is sent to, to the one that the browser comes back with.
type Back = fn(&Url) -> String;

/// Comes back with whatever is set.
struct Answers {
    back: Back,
    went_to: Arc<Mutex<Option<String>>>,
    wanted: Arc<Mutex<Option<CallbackWanted>>>,
}

impl Answers {
    fn with(back: Back) -> Self {
        Self { back, went_to: Arc::default(), wanted: Arc::default() }
    }
}

impl Consent for Answers {
    fn listen(&self, wanted: CallbackWanted) -> BoxFuture<'_, Result<Box<dyn Callback>, LoginError>> {
        *self.wanted.lock().unwrap() = Some(wanted);
        let (went_to, wanted) = (Arc::clone(&self.went_to), Arc::clone(&self.wanted));
        let callback = Self { back: self.back, went_to, wanted };
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
    let wanted = consent.wanted.lock().unwrap().clone().unwrap();
    assert_eq!((wanted.server.as_str(), wanted.path.as_str(), wanted.port), (NAME, "/callback", None));
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
        (
            "oauth-lies",
            granted,
            "OAuth authentication failed: Authorization server issuer mismatch: expected ",
        ),
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

/// As a file has it.
fn definition(entry: &Value) -> ServerDefinition {
    let lookup = |_: &str| None;
    let variables = Variables { lookup: &lookup, workspace: None, home: None };
    parse(NAME, entry.as_object().unwrap(), Coercion::Strict, &variables).unwrap().definition
}

/// With a store of tokens from earlier.
fn with_tokens(definition: ServerDefinition, tokens: &Arc<MemoryTokens>) -> World {
    let tokens = Arc::clone(tokens) as Arc<dyn TokenStore>;
    World::with(definition, Arc::new(Unattended::default()), |given| given.tokens = tokens)
}

/// A stored login with this token.
fn kept(token: &str) -> String {
    json!({"credentials": {"client_id": "c", "token_response": {"access_token": token, "token_type": "bearer"}}})
        .to_string()
}

/// Client, callback and prompt are those of the definition, and the login is kept under the name that it gives.
// proves: HOK-039, IOP-018
#[tokio::test(flavor = "multi_thread")]
async fn a_definition_says_how_to_log_in() {
    let remote = Remote::start(&["oauth"]).await;
    let redirect = "http://127.0.0.1:7777/callback";
    let of_block = |block: Value, oauth: Value| {
        definition(&json!({"url": remote.address("/mcp"), "auth": block, "oauth": oauth}))
    };
    let with_secret =
        json!({"type": "oauth", "credentialId": "mine", "clientId": "known", "clientSecret": "s1"});
    let callback =
        json!({"redirectUri": redirect, "callbackPort": 7777, "callbackPath": "/back", "prompt": ""});
    let tokens = Arc::new(MemoryTokens::default());
    let world = with_tokens(of_block(with_secret, callback), &tokens);
    assert_eq!(world.started().await, ServerState::NeedsLogin);
    let consent = Answers::with(granted);
    world.servers.login(NAME, &consent).await.unwrap();
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    let wanted = consent.wanted.lock().unwrap().clone().unwrap();
    assert_eq!(
        (wanted.redirect_uri.as_deref(), wanted.port, wanted.path.as_str()),
        (Some(redirect), Some(7777), "/back")
    );
    let went_to = Url::parse(&consent.went_to.lock().unwrap().clone().unwrap()).unwrap();
    assert_eq!(
        (parameter(&went_to, "client_id").as_str(), parameter(&went_to, "prompt").as_str()),
        ("known", "")
    );
    let asked = remote.saw("what").await;
    assert!(!asked.contains(&"register".to_owned()), "a known client is not registered: {asked:?}");
    let seen = remote.seen().await;
    let exchange = seen.iter().find(|entry| entry["what"] == "token authorization_code").unwrap();
    let in_header = exchange["auth"].as_str().is_some_and(|header| header.starts_with("Basic "));
    assert!(exchange["secret"] == "s1" || in_header, "the secret goes with the code: {exchange}");
    assert!(tokens.load("mine").await.unwrap().unwrap().contains("\"first\""));

    let unsaid = json!({"clientId": "other"});
    let said = json!({"clientId": "other", "prompt": "login"});
    for (oauth, prompt) in [(unsaid, "consent"), (said, "login")] {
        let world = World::of(of_block(json!({"type": "oauth"}), oauth));
        world.started().await;
        let consent = Answers::with(granted);
        world.servers.login(NAME, &consent).await.unwrap();
        let went_to = Url::parse(&consent.went_to.lock().unwrap().clone().unwrap()).unwrap();
        assert_eq!(
            (parameter(&went_to, "client_id").as_str(), parameter(&went_to, "prompt").as_str()),
            ("other", prompt)
        );
    }
}

/// A token is renewed where the definition says.
// proves: HOK-039
#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_renewed_at_the_named_address() {
    let remote = Remote::start(&["oauth"]).await;
    let token = json!({"access_token": "old", "token_type": "bearer", "expires_in": 1, "refresh_token": "r"});
    let old = json!({"credentials": {"client_id": "c", "token_response": token, "token_received_at": 1}});
    let tokens = Arc::new(MemoryTokens::default());
    tokens.save("mine", old.to_string()).await.unwrap();
    let auth =
        json!({"type": "oauth", "credentialId": "mine", "tokenUrl": remote.address("/token-elsewhere")});
    let world = with_tokens(definition(&json!({"url": remote.address("/mcp"), "auth": auth})), &tokens);
    assert_eq!(world.call("echo").await.unwrap().text(), "echo", "{}", world.log());
    let asked = remote.saw("what").await;
    assert!(asked.contains(&"token-elsewhere refresh_token".to_owned()), "{asked:?}");
}

/// The named credential if there is one, else that of the address; a header of the definition before both.
// proves: HOK-041, EXT-087
#[tokio::test(flavor = "multi_thread")]
async fn which_stored_login_is_used() {
    let remote = Remote::start(&["plain"]).await;
    let tokens = Arc::new(MemoryTokens::default());
    tokens.save(&remote.address("/mcp"), kept("of-address")).await.unwrap();
    tokens.save("named", kept("of-name")).await.unwrap();
    let entry = |more: Value| {
        let mut entry = json!({"url": remote.address("/mcp")});
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        definition(&entry)
    };
    let auth = |id: &str| json!({"type": "oauth", "credentialId": id});
    let headers = json!({"Authorization": "Bearer explicit"});
    for (more, expected) in [
        (json!({}), "Bearer of-address"),
        (json!({"auth": auth("named")}), "Bearer of-name"),
        (json!({"auth": auth("missing")}), "Bearer of-address"),
        (json!({"auth": auth("named"), "headers": headers}), "Bearer explicit"),
    ] {
        let world = with_tokens(entry(more), &tokens);
        let before = remote.seen().await.len();
        assert_eq!(world.call("echo").await.unwrap().text(), "echo", "{}", world.log());
        let sent = &remote.seen().await[before..];
        let call = sent.iter().find(|entry| entry["what"] == "tools/call").unwrap();
        assert_eq!(call["auth"], expected);
        assert!(!world.log().contains("is stored"), "{}", world.log());
    }
    let nothing = Arc::new(MemoryTokens::default());
    let world = with_tokens(entry(json!({"auth": auth("missing")})), &nothing);
    assert_eq!(world.call("echo").await.unwrap().text(), "echo");
    assert!(
        world.log().contains("no credential \"missing\" is stored: connecting without it"),
        "{}",
        world.log()
    );
}

/// A process finds its token in a variable, and starts without one.
// proves: EXT-087
#[tokio::test(flavor = "multi_thread")]
async fn a_process_gets_its_token_from_the_environment() {
    let tokens = Arc::new(MemoryTokens::default());
    tokens.save("mine", kept("secret token")).await.unwrap();
    for (id, expected) in
        [("mine", "{\"OAUTH_ACCESS_TOKEN\": \"secret token\"}"), ("gone", "{\"OAUTH_ACCESS_TOKEN\": null}")]
    {
        let mut definition = scripted(&["good"]);
        let auth = json!({"command": "x", "auth": {"type": "oauth", "credentialId": id}});
        definition.auth = self::definition(&auth).auth;
        let world = with_tokens(definition, &tokens);
        let names = Map::from_iter([("names".to_owned(), json!(["OAUTH_ACCESS_TOKEN"]))]);
        let result =
            world.servers.call_tool(NAME, "environment", names, &CallOptions::default()).await.unwrap();
        assert!(result.text().starts_with(expected), "{id}: {}", result.text());
        assert_eq!(world.log().contains("no credential \"gone\" is stored"), id == "gone", "{}", world.log());
    }
}

/// A client with a secret logs in by itself, also when its token is no longer accepted.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_secret_needs_nobody() {
    let remote = Remote::start(&["oauth"]).await;
    let oauth = json!({"grantType": "client_credentials", "clientId": "robot", "clientSecret": "s2"});
    let world = World::of(definition(&json!({"url": remote.address("/mcp"), "oauth": oauth})));
    assert_eq!(world.call("echo").await.unwrap().text(), "echo", "{}", world.log());
    let asked = remote.saw("what").await;
    assert!(asked.contains(&"token client_credentials".to_owned()), "{asked:?}");
    assert!(remote.seen().await.iter().any(|entry| entry["secret"] == "s2"));
    let world = World::of(definition(
        &json!({"url": remote.address("/mcp"), "oauth": {"grantType": "client_credentials", "clientId": "robot"}}),
    ));
    let reason = "login failed: grantType client_credentials needs \"oauth.clientSecret\"".to_owned();
    assert_eq!(world.started().await, ServerState::Failed { reason });
}
