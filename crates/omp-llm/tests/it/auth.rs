//! Keys and headers.

use omp_llm::Secret;
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::FailureKind;

use crate::support::{KEY, ask_once, model, request, user};

/// Each wire has its header; `authHeader` asks for a bearer token on Anthropic's too.
#[tokio::test]
async fn keys_go_into_the_wires_own_header() {
    for wire in Wire::ALL {
        for bearer in [false, true] {
            let server = Server::start(Scenario::from(Reply::new().text("ok")).expect_key(KEY));
            let mut model = model(&server, wire);
            model.bearer = bearer;
            ask_once(&model, &request(vec![user("hi")])).await.done();
            let sent = &server.requests()[0];
            let own = wire == Wire::AnthropicMessages && !bearer;
            assert_eq!(sent.header("x-api-key"), own.then_some(KEY), "{wire}");
            assert_eq!(sent.header("authorization"), (!own).then_some(&*format!("Bearer {KEY}")), "{wire}");
            assert!(sent.header("user-agent").unwrap().starts_with("omp/"));
            assert_eq!(sent.header("accept"), Some("text/event-stream"));
            server.finish();
        }
    }
}

#[tokio::test]
async fn keyless_providers_get_no_key() {
    for wire in Wire::ALL {
        let server = Server::start(Scenario::from(Reply::new().text("ok")).keyless(true));
        let mut model = model(&server, wire);
        model.key = None;
        ask_once(&model, &request(vec![user("hi")])).await.done();
        let sent = &server.requests()[0];
        assert!(sent.header("authorization").is_none() && sent.header("x-api-key").is_none(), "{wire}");
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
