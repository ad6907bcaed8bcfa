//! What some providers want after the tokens: who it is, a token of half an hour, a project.

use std::sync::Arc;

use omp_auth::{LoginError, Notice};
use omp_testkit::oauth::{OAuthOptions, OAuthServer, Projects};
use serde_json::{Value, json};

use crate::puppet::{Ending, Puppet, attempt, in_browser, oauth};
use crate::support::{NOW, World, client};

/// Approves every code at once.
fn approving(server: &Arc<OAuthServer>) -> Puppet {
    let server = Arc::clone(server);
    Puppet::new(Ending::Closed, move |notice| {
        if let Notice::EnterCode { code, .. } = notice {
            assert!(server.approve_device(&code));
        }
        Vec::new()
    })
}

fn nameless() -> OAuthOptions {
    OAuthOptions { email: None, ..OAuthOptions::default() }
}

/// GitHub's way: the account's token is traded for one that ends, again and again.
fn copilot(server: &OAuthServer) -> Value {
    json!({
        "flow": {"kind": "device", "deviceUrl": server.device_url()},
        "identityUrl": server.identity_url(),
        "finish": {"kind": "sessionToken", "url": server.session_token_url(), "headers": {"editor-version": "x/1"}},
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_of_half_an_hour_is_traded_for_the_accounts() {
    let server = Arc::new(OAuthServer::start_with(nameless()));
    let world = World::new(&server, &copilot(&server));
    let new = attempt(&world, &approving(&server)).await.unwrap();
    let tokens = oauth(&new);
    assert_eq!(new.identity, "octocat");
    assert!(tokens.access.reveal().starts_with("session-"));
    assert_eq!(tokens.refresh.as_ref().unwrap().reveal(), server.last_access_token().unwrap());
    let (vault, first) = (world.vault(), tokens.access.clone());
    vault.save("corp", "corp", &new).unwrap();

    world.clock.set(u64::MAX / 2);
    let next = vault.grant(&client(), "corp").await.unwrap().unwrap();
    assert_ne!(next.secret, first);
    assert_eq!((server.session_tokens(), server.refreshes()), (2, 0), "the account's token is not used up");

    server.refuse_session_tokens("Your subscription has ended");
    let refused = vault.grant(&client(), "corp").await.unwrap_err().to_string();
    assert!(
        refused.contains("Your subscription has ended") && refused.contains("omp login corp"),
        "{refused}"
    );
    server.assert_clean();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_without_the_service_is_not_stored() {
    let server = Arc::new(OAuthServer::start_with(nameless()));
    server.refuse_session_tokens("No access to the service");
    let world = World::new(&server, &copilot(&server));
    let error = attempt(&world, &approving(&server)).await.unwrap_err();
    assert!(matches!(&error, LoginError::Denied(text) if text.contains("No access")), "{error}");
}

/// Google's way: a secret that is none, and a project to name with every request.
fn assist(server: &OAuthServer) -> Value {
    json!({
        "clientSecret": "public", "identityUrl": server.identity_url(),
        "finish": {"kind": "codeAssist", "url": server.base_url(), "metadata": {"ideType": "X"},
                   "projectVariables": ["MY_PROJECT"]},
    })
}

fn with_projects(projects: Projects) -> OAuthOptions {
    OAuthOptions { client_secret: Some("public".to_owned()), projects, ..nameless() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_project_is_found_or_given() {
    for (projects, wanted) in [(Projects::Has, "managed-1"), (Projects::Gives, "given-1")] {
        let server = OAuthServer::start_with(with_projects(projects));
        let world = World::new(&server, &assist(&server));
        let new = attempt(&world, &Puppet::new(Ending::Open, in_browser)).await.unwrap();
        assert_eq!(oauth(&new).extra.project.as_deref(), Some(wanted));

        // A renewal says nothing of projects; the one that was found still holds.
        let vault = world.vault();
        vault.save("corp", "corp", &new).unwrap();
        world.clock.set(NOW + 3_600_000);
        let grant = vault.grant(&client(), "corp").await.unwrap().unwrap();
        let shown: Value = serde_json::from_str(grant.secret.reveal()).unwrap();
        assert_eq!(shown, json!({"token": server.last_access_token().unwrap(), "projectId": wanted}));
        assert_eq!(server.refreshes(), 1);
        server.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_of_companies_bring_their_own_project() {
    let server = OAuthServer::start_with(with_projects(Projects::Wants));
    let mut world = World::new(&server, &assist(&server));
    let error = attempt(&world, &Puppet::new(Ending::Open, in_browser)).await.unwrap_err();
    assert!(error.to_string().contains("GOOGLE_CLOUD_PROJECT"), "{error}");
    world.resolve(&|name| (name == "MY_PROJECT").then(|| "mine-1".to_owned()));
    let new = attempt(&world, &Puppet::new(Ending::Open, in_browser)).await.unwrap();
    assert_eq!(oauth(&new).extra.project.as_deref(), Some("mine-1"));
    server.assert_clean();
}

/// Qwen's way: whoever asks for the code proves to be who takes the tokens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_login_can_prove_where_it_began() {
    let options = OAuthOptions { device_pkce: true, ..OAuthOptions::default() };
    let server = Arc::new(OAuthServer::start_with(options));
    let flow = json!({"flow": {"kind": "device", "deviceUrl": server.device_url(), "pkce": true}});
    let world = World::new(&server, &flow);
    let new = attempt(&world, &approving(&server)).await.unwrap();
    assert_eq!(oauth(&new).access.reveal(), server.last_access_token().unwrap());
    server.assert_clean();
}
