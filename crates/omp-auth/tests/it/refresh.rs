//! Access tokens are renewed in time, once, and survive bad servers.

use std::sync::Arc;
use std::time::Duration;

use omp_auth::{AuthError, Credential, NewCredential};
use omp_testkit::oauth::{Fault, OAuthServer};
use serde_json::json;

use crate::support::{NOW, Patience, World, account, client, key};

// proves: AUT-006
#[tokio::test]
async fn a_token_is_renewed_before_its_end_and_both_tokens_are_saved() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let client = client();
    world.vault().save("corp", "corp", &account(&server, NOW + 61_000)).unwrap();
    let early = world.vault().grant(&client, "corp").await.unwrap().unwrap();
    assert_eq!((early.secret.reveal(), server.token_requests()), ("old-access", 0));
    world.clock.set(NOW + 2_000);
    let renewed = world.vault().grant(&client, "corp").await.unwrap().unwrap();
    assert_eq!(Some(renewed.secret.reveal().to_owned()), server.last_access_token());
    let stored = world.vault().peek("corp").unwrap();
    assert_eq!(stored, renewed.secret);
    // The refresh token was replaced too: the next renewal works.
    world.clock.set(NOW + 3_700_000);
    world.vault().grant(&client, "corp").await.unwrap().unwrap();
    assert_eq!((server.refreshes(), server.token_requests()), (2, 2));
    server.assert_clean();
}

// proves: AUT-007
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_requests_at_once_renew_once() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let vault = Arc::new(world.vault());
    vault.save("corp", "corp", &account(&server, NOW)).unwrap();
    server.next(Fault::Slow(Duration::from_millis(100)));
    let client = client();
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let (vault, client) = (Arc::clone(&vault), client.clone());
            tokio::spawn(async move { vault.grant(&client, "corp").await.unwrap().unwrap().secret })
        })
        .collect();
    for task in tasks {
        assert_eq!(Some(task.await.unwrap().reveal().to_owned()), server.last_access_token());
    }
    assert_eq!(server.token_requests(), 1);
    server.assert_clean();
}

// proves: AUT-009
#[tokio::test]
async fn a_final_refusal_disables_and_a_passing_one_does_not() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("corp", "corp", &account(&server, NOW)).unwrap();
    let faults = [
        Fault::Answer(503, "busy".to_owned()),
        Fault::Answer(429, r#"{"error":"rate_limited"}"#.to_owned()),
        Fault::Answer(200, "<html>".to_owned()),
        Fault::Drop,
    ];
    for fault in faults {
        server.next(fault.clone());
        let error = vault.grant(&client, "corp").await.unwrap_err();
        assert!(matches!(error, AuthError::Unreachable { .. }), "{fault:?}: {error}");
        assert_eq!(vault.summaries("corp").unwrap()[0].disabled, None, "{fault:?}");
    }
    assert!(vault.grant(&client, "corp").await.unwrap().is_some(), "it was kept and works again");

    server.revoke_all();
    world.clock.set(NOW + 3_600_000);
    let error = vault.grant(&client, "corp").await.unwrap_err();
    assert!(error.to_string().contains("omp login corp"), "{error}");
    let cause = vault.summaries("corp").unwrap()[0].disabled.clone().unwrap();
    assert!(cause.contains("invalid_grant"), "{cause}");
    let asked = server.token_requests();
    let again = world.vault().grant(&client, "corp").await.unwrap_err();
    assert!(matches!(again, AuthError::Refused { .. }), "{again}");
    assert_eq!(server.token_requests(), asked, "a dead token is not sent again");
}

#[tokio::test]
async fn a_token_that_still_works_is_used_while_the_server_is_away() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("corp", "corp", &account(&server, NOW + 30_000)).unwrap();
    server.next(Fault::Answer(502, String::new()));
    assert_eq!(vault.grant(&client, "corp").await.unwrap().unwrap().secret.reveal(), "old-access");
}

#[tokio::test]
async fn a_sibling_helps_out_when_an_account_cannot_be_renewed() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    let dead = account(&server, NOW);
    server.revoke_all();
    vault.save("corp", "corp", &dead).unwrap();
    let alive = NewCredential { identity: "two".to_owned(), ..account(&server, NOW) };
    vault.save("corp", "corp", &alive).unwrap();
    let grant = vault.grant(&client, "corp").await.unwrap().unwrap();
    assert_eq!(Some(grant.secret.reveal().to_owned()), server.last_access_token());
}

/// A clock that was wrong at the login, or jumps later, costs one renewal and nothing else.
#[tokio::test]
async fn a_clock_that_jumps_is_survived() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("corp", "corp", &account(&server, NOW + 3_600_000)).unwrap();
    let year = 365 * 24 * 3_600_000;
    for (now_ms, refreshes) in [(NOW, 0), (NOW + year, 1), (NOW - year, 2), (NOW - year + 1000, 2), (NOW, 3)]
    {
        world.clock.set(now_ms);
        vault.grant(&client, "corp").await.unwrap().unwrap();
        assert_eq!(server.refreshes(), refreshes, "{now_ms}");
    }
    server.assert_clean();
}

// proves: AUT-024, MOD-215
#[tokio::test]
async fn what_nobody_can_renew_stays_as_it_is() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("other", "no-such-login", &account(&server, NOW - 1)).unwrap();
    assert_eq!(vault.grant(&client, "other").await.unwrap().unwrap().secret.reveal(), "old-access");
    let mut lonely = account(&server, NOW - 1);
    if let Credential::OAuth(tokens) = &mut lonely.credential {
        tokens.refresh = None;
    }
    vault.save("corp", "corp", &lonely).unwrap();
    assert_eq!(vault.grant(&client, "corp").await.unwrap().unwrap().secret.reveal(), "old-access");
    vault.save("keys", "keys", &key("k")).unwrap();
    assert_eq!(vault.forced(&client, "keys").await.unwrap().unwrap().secret.reveal(), "k");
    assert_eq!(server.token_requests(), 0);
}

/// The person logged out while the server was thinking.
#[tokio::test]
async fn a_logout_during_a_renewal_counts() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("corp", "corp", &account(&server, NOW)).unwrap();
    server.next(Fault::Slow(Duration::from_millis(150)));
    let other = world.vault();
    let (granted, ()) = tokio::join!(vault.grant(&client, "corp"), async {
        server.wait_for_token_requests_async().await;
        other.forget("corp").unwrap();
    });
    assert!(!matches!(granted, Ok(Some(_))), "{granted:?}");
    assert!(other.providers().unwrap().is_empty(), "nothing came back");
}
