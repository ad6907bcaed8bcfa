//! Logging in: with a browser, by pasting, with a code on another device.

use std::net::TcpListener;
use std::sync::Arc;

use omp_auth::{LoginError, NewCredential, Notice, log_in};
use omp_testkit::oauth::{BrowserPage, OAuthOptions, OAuthServer, TokenEncoding, browse};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::puppet::{Ending, Puppet, attempt, in_browser, oauth};
use crate::support::{NOW, World, client};

fn tokens(credential: &NewCredential) -> (&str, Option<u64>) {
    let tokens = oauth(credential);
    (tokens.access.reveal(), tokens.expires_ms)
}

// proves: AUT-019
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_comes_back_to_the_loopback_port() {
    for encoding in [TokenEncoding::Form, TokenEncoding::Json] {
        let wants_state = encoding == TokenEncoding::Json;
        let server =
            OAuthServer::start_with(OAuthOptions { encoding, wants_state, ..OAuthOptions::default() });
        let port = free_port();
        let world = World::new(
            &server,
            &json!({
                "encoding": if wants_state { "json" } else { "form" },
                "flow": flow(&server, port, wants_state),
            }),
        );
        let person = Puppet::new(Ending::Open, in_browser);
        let new = attempt(&world, &person).await.unwrap();
        assert_eq!(new.identity, "one@example.org");
        assert_eq!(tokens(&new), (server.last_access_token().unwrap().as_str(), Some(NOW + 3_600_000)));
        let Some(Notice::Open { url }) = person.told().first().cloned() else {
            panic!("{:?}", person.told())
        };
        assert!(url.contains(&format!("localhost%3A{port}%2Fcb")), "{url}");
        assert!(url.contains("code_challenge_method=S256"), "{url}");
        server.assert_clean();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn flow(server: &OAuthServer, port: u16, state: bool) -> Value {
    json!({"kind": "code", "authorizeUrl": server.authorize_url(), "callbackPort": port, "callbackPath": "/cb",
           "stateInTokenRequest": state})
}

/// Strangers get a page and change nothing; the browser of this login is still served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_browser_of_this_login_counts() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (sender, pages) = std::sync::mpsc::channel();
    let person = Puppet::new(Ending::Open, move |notice| {
        let Notice::Open { url } = notice else { return Vec::new() };
        let sender = sender.clone();
        std::thread::spawn(move || sender.send(visit(&url)));
        Vec::new()
    });
    attempt(&world, &person).await.unwrap();
    let pages = pages.recv().unwrap();
    let statuses: Vec<u16> = pages.iter().map(|page| page.status).collect();
    assert_eq!(statuses, [404, 400, 400, 200]);
    assert!(!pages[1].body.contains("script"), "{}", pages[1].body);
    assert!(pages[3].body.contains("close this window"), "{}", pages[3].body);
    server.assert_clean();
}

/// Strangers first, one of them silent, then the browser itself.
fn visit(url: &str) -> Vec<BrowserPage> {
    let port = url.split("localhost%3A").nth(1).unwrap().split('%').next().unwrap();
    let at = |path: &str| browse(&format!("http://127.0.0.1:{port}{path}"));
    let _silent = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    vec![at("/favicon.ico"), at("/cb?code=evil&state=%3Cscript%3E"), at("/cb?code=evil"), browse(url)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_is_told_in_the_providers_words() {
    let server = OAuthServer::start_with(OAuthOptions { denies: true, ..OAuthOptions::default() });
    let world = World::new(&server, &json!({}));
    let error = attempt(&world, &Puppet::new(Ending::Open, in_browser)).await.unwrap_err();
    assert!(matches!(&error, LoginError::Denied(words) if words == "Not today"), "{error}");
    assert_eq!(server.token_requests(), 0);
}

/// The port belongs to another program: the person is told, and what they paste does.
// proves: AUT-021
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_port_leaves_pasting() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let server = Arc::new(OAuthServer::start());
    let world = World::new(&server, &json!({"flow": flow(&server, port, false)}));
    let pasting = Arc::clone(&server);
    let person = Puppet::new(Ending::Closed, move |notice| match notice {
        Notice::Open { url } => vec!["nonsense with spaces".to_owned(), pasting.code_for(&url)],
        _ => Vec::new(),
    });
    attempt(&world, &person).await.unwrap();
    let told = person.told();
    assert!(told.iter().any(|notice| matches!(notice, Notice::PortBusy { port: busy, .. } if *busy == port)));
    assert!(told.iter().any(|notice| matches!(notice, Notice::NotUsable { .. })));

    let silent = Puppet::new(Ending::Closed, |_| Vec::new());
    let error = attempt(&world, &silent).await.unwrap_err();
    assert!(error.to_string().contains(&port.to_string()), "{error}");
    server.assert_clean();
}

/// On a remote machine: pasted while the port waits.
// proves: AUT-020
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_address_or_the_code_can_be_pasted_while_the_port_waits() {
    let server = Arc::new(OAuthServer::start());
    let world = World::new(&server, &json!({}));
    let forms: [fn(&str, &str) -> String; 3] = [
        |code, _| code.to_owned(),
        |code, state| format!("{code}#{state}"),
        |code, state| format!("http://localhost:1/cb?code={code}&state={state}"),
    ];
    for form in forms {
        let pasting = Arc::clone(&server);
        let person = Puppet::new(Ending::Open, move |notice| match notice {
            Notice::Open { url } => {
                let state = url.split("&state=").nth(1).unwrap().split('&').next().unwrap();
                vec![form(&pasting.code_for(&url), state)]
            }
            _ => Vec::new(),
        });
        attempt(&world, &person).await.unwrap();
        assert!(person.told().contains(&Notice::PasteOffered));
    }
    server.assert_clean();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_on_another_device_is_enough() {
    let server = Arc::new(OAuthServer::start());
    let world = World::new(&server, &json!({"flow": {"kind": "device", "deviceUrl": server.device_url()}}));
    let at_device = Arc::clone(&server);
    let person = Puppet::new(Ending::Closed, move |notice| {
        let Notice::EnterCode { url, code } = notice else { return Vec::new() };
        assert!(url.ends_with("/enter"), "{url}");
        let server = Arc::clone(&at_device);
        std::thread::spawn(move || {
            // It waits first.
            server.wait_for_token_requests(1, std::time::Duration::from_secs(10));
            assert!(server.approve_device(&code));
        });
        Vec::new()
    });
    let new = attempt(&world, &person).await.unwrap();
    assert_eq!(tokens(&new).0, server.last_access_token().unwrap());
    assert!(server.token_requests() >= 2);
    server.assert_clean();
}

/// OpenAI's own form: the server gives the verifier with the code.
// proves: AUT-023
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn openais_device_login_is_stored_for_its_provider() {
    let server = Arc::new(OAuthServer::start());
    let world = World::new(
        &server,
        &json!({"storeAs": "openai-codex", "flow": {
            "kind": "chatgptDevice", "userCodeUrl": server.user_code_url(), "pollUrl": server.poll_url(),
            "verificationUrl": "https://example.org/codex/device", "redirectUri": "http://localhost:1/deviceauth/callback",
        }}),
    );
    let at_device = Arc::clone(&server);
    let person = Puppet::new(Ending::Closed, move |notice| {
        let Notice::EnterCode { code, .. } = notice else { return Vec::new() };
        let server = Arc::clone(&at_device);
        std::thread::spawn(move || {
            server.wait_for_polls(1, std::time::Duration::from_secs(10));
            assert!(server.approve_device(&code));
        });
        Vec::new()
    });
    let new = attempt(&world, &person).await.unwrap();
    assert_eq!(tokens(&new).0, server.last_access_token().unwrap());
    server.assert_clean();
    let (vault, login) = (world.vault(), world.logins().find("corp").unwrap());
    vault.save(login.provider(), &login.id, &new).unwrap();
    // It is renewed the way it was got, though another provider uses it.
    world.clock.set(NOW + 3_600_000);
    vault.grant(&client(), "openai-codex").await.unwrap().unwrap();
    assert_eq!(server.refreshes(), 1);
}

#[tokio::test]
async fn a_cancelled_login_ends_at_once() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let cancel = CancellationToken::new();
    let from_person = cancel.clone();
    let person = Puppet::new(Ending::Open, move |_| {
        from_person.cancel();
        Vec::new()
    });
    let login = world.logins().find("corp").unwrap();
    let error = log_in(login, &client(), &person, world.clock.as_ref(), &cancel).await.unwrap_err();
    assert!(matches!(error, LoginError::Cancelled), "{error}");
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_named() {
    let world = {
        let server = OAuthServer::start();
        World::new(&server, &json!({"flow": {"kind": "device", "deviceUrl": server.device_url()}}))
    };
    let error = attempt(&world, &Puppet::new(Ending::Closed, |_| Vec::new())).await.unwrap_err();
    assert!(error.to_string().contains("cannot connect to http://127.0.0.1"), "{error}");
}
