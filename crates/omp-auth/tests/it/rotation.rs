//! Several credentials of one provider.

use omp_auth::Exhausted;
use omp_testkit::oauth::OAuthServer;
use serde_json::json;

use crate::support::{NOW, World, account, client, key};

// proves: AUT-015
#[tokio::test]
async fn an_exhausted_key_rests_for_everyone_and_comes_back() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("p", "p", &key("k1")).unwrap();
    vault.save("p", "p", &key("k2")).unwrap();
    let used = |grant: Option<omp_auth::Grant>| grant.unwrap().secret.reveal().to_owned();
    assert_eq!(used(vault.grant(&client, "p").await.unwrap()), "k1");
    assert_eq!(vault.exhausted("p", Some(90_000)).unwrap(), Exhausted::Switched);
    assert_eq!(used(vault.grant(&client, "p").await.unwrap()), "k2");
    let other_process = world.vault();
    assert_eq!(used(other_process.grant(&client, "p").await.unwrap()), "k2", "others see the rest");
    world.clock.set(NOW + 10_000);
    assert_eq!(vault.exhausted("p", None).unwrap(), Exhausted::FreeAfterMs(80_000));
    world.clock.set(NOW + 90_000);
    assert_eq!(used(world.vault().grant(&client, "p").await.unwrap()), "k1", "its rest is over");
    assert_eq!(vault.summaries("p").unwrap().len(), 2, "nothing was deleted");
}

#[tokio::test]
async fn without_a_sibling_the_one_key_goes_on() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    assert!(vault.grant(&client, "p").await.unwrap().is_none());
    assert_eq!(vault.exhausted("p", None).unwrap(), Exhausted::NoSibling);
    assert!(!world.path().exists(), "questions create no database");
    vault.save("p", "p", &key("k1")).unwrap();
    assert!(vault.grant(&client, "p").await.unwrap().is_some());
    assert_eq!(vault.exhausted("p", Some(u64::MAX)).unwrap(), Exhausted::NoSibling);
    assert!(vault.grant(&client, "p").await.unwrap().is_some());
}

/// Refused: the same account with a new token, then the next one, then nothing.
#[tokio::test]
async fn a_refused_account_is_renewed_once_then_left() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("corp", "corp", &account(&server, NOW + 3_600_000)).unwrap();
    let first = vault.grant(&client, "corp").await.unwrap().unwrap();
    assert_eq!(first.secret.reveal(), "old-access");
    let second = vault.refused(&client, &first).await.unwrap().unwrap();
    assert_eq!(Some(second.secret.reveal().to_owned()), server.last_access_token());
    assert!(vault.refused(&client, &second).await.unwrap().is_none());
    assert_eq!(server.refreshes(), 1);
    server.assert_clean();
}

/// Another process renewed it already, so nobody is asked.
#[tokio::test]
async fn a_token_that_another_process_renewed_is_taken_from_the_store() {
    let server = OAuthServer::start();
    let world = World::new(&server, &json!({}));
    let (vault, client) = (world.vault(), client());
    vault.save("corp", "corp", &account(&server, NOW + 3_600_000)).unwrap();
    let here = vault.grant(&client, "corp").await.unwrap().unwrap();
    let there = world.vault().forced(&client, "corp").await.unwrap().unwrap();
    let next = vault.refused(&client, &here).await.unwrap().unwrap();
    assert_eq!(next.secret, there.secret);
    assert_eq!(server.refreshes(), 1);
}
