//! Keys and headers.

use omp_llm::Secret;
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::FailureKind;

use crate::support::{ask_once, model, proof, request, user};

/// The header a wire has for keys, if it has one of its own.
fn own_header(wire: Wire) -> Option<&'static str> {
    match wire {
        Wire::AnthropicMessages => Some("x-api-key"),
        Wire::AzureOpenAiResponses => Some("api-key"),
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => Some("x-goog-api-key"),
        _ => None,
    }
}

fn accepted(wire: Wire) -> &'static str {
    match wire {
        Wire::BedrockConverseStream => "application/vnd.amazon.eventstream",
        Wire::OllamaChat => "application/x-ndjson",
        _ => "text/event-stream",
    }
}

/// Each wire has its header; `authHeader` asks for a bearer token on Anthropic's too.
#[tokio::test]
async fn keys_go_into_the_wires_own_header() {
    for wire in Wire::ALL {
        for bearer in [false, true] {
            let key = proof(wire);
            let server = Server::start(Scenario::from(Reply::new().text("ok")).expect_key(key));
            let mut model = model(&server, wire);
            model.bearer = bearer;
            ask_once(&model, &request(vec![user("hi")])).await.done();
            let sent = &server.requests()[0];
            let own = own_header(wire).filter(|_| !bearer);
            for header in ["x-api-key", "api-key", "x-goog-api-key"] {
                assert_eq!(sent.header(header), own.filter(|own| *own == header).and(Some(key)), "{wire}");
            }
            let in_bearer = own.is_none().then(|| format!("Bearer {key}"));
            assert_eq!(sent.header("authorization"), in_bearer.as_deref(), "{wire}");
            assert!(sent.header("user-agent").unwrap().starts_with("omp/"));
            assert_eq!(sent.header("accept"), Some(accepted(wire)));
            server.finish();
        }
    }
}

#[tokio::test]
async fn keyless_providers_get_no_key() {
    // The token of an account and a signature cannot be left out.
    let needs_key = |wire: &Wire| {
        matches!(wire, Wire::OpenAiCodexResponses | Wire::BedrockConverseStream | Wire::GoogleGeminiCli)
    };
    for wire in Wire::ALL.into_iter().filter(|wire| !needs_key(wire)) {
        let server = Server::start(Scenario::from(Reply::new().text("ok")).keyless(true));
        let mut model = model(&server, wire);
        model.key = None;
        ask_once(&model, &request(vec![user("hi")])).await.done();
        let sent = &server.requests()[0];
        for header in ["authorization", "x-api-key", "api-key", "x-goog-api-key"] {
            assert!(sent.header(header).is_none(), "{wire}: {header}");
        }
        server.finish();
    }
}

/// Headers of the user's own, also in place of ours.
#[tokio::test]
async fn custom_headers_are_sent() {
    for wire in Wire::ALL {
        let server = Server::start(Scenario::from(Reply::new().text("ok")).keyless(true));
        let mut model = model(&server, wire);
        model.headers.insert("X-Team".into(), "platform".into());
        model.headers.insert("Authorization".into(), "Custom token".into());
        ask_once(&model, &request(vec![user("hi")])).await.done();
        let sent = &server.requests()[0];
        assert_eq!(
            (sent.header("x-team"), sent.header("authorization")),
            (Some("platform"), Some("Custom token")),
            "{wire}"
        );
        server.finish();
    }
}

/// What cannot be a header is named, without its value.
#[tokio::test]
async fn impossible_headers_are_named() {
    let server = Server::start(Vec::new());
    let mut odd = model(&server, Wire::OpenAiCompletions);
    odd.headers.insert("X Bad".into(), "a".into());
    let outcome = ask_once(&odd, &request(vec![user("hi")])).await;
    assert_eq!(outcome.failure().kind, FailureKind::Fatal);
    assert!(outcome.failure().message.contains("X Bad"));
    let mut odd = model(&server, Wire::OpenAiCompletions);
    odd.key = Some(Secret::new("line\nbreak"));
    let outcome = ask_once(&odd, &request(vec![user("hi")])).await;
    assert!(
        outcome.failure().message.contains("key of provider") && !outcome.failure().message.contains("break")
    );
    assert!(server.requests().is_empty());
}

/// Access tokens of people's accounts need a word of their own, which joins the user's.
#[tokio::test]
async fn betas_add_up() {
    let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
    let mut model = model(&server, Wire::AnthropicMessages);
    model.headers.insert("Anthropic-Beta".into(), "mine-2025".into());
    ask_once(&model, &request(vec![user("hi")])).await.done();
    model.key = Some(Secret::new("sk-ant-oat01-token"));
    model.bearer = true;
    ask_once(&model, &request(vec![user("hi")])).await.done();
    let [plain, oauth] =
        [0, 1].map(|index| server.requests()[index].header("anthropic-beta").map(str::to_owned));
    assert_eq!(plain.as_deref(), Some("mine-2025"));
    assert_eq!(oauth.as_deref(), Some("oauth-2025-04-20,mine-2025"));
    server.finish();
}
