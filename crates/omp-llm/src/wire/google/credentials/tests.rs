use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use omp_testkit::{Scenario, Server};
use serde_json::{Value, json};

use super::*;

const KEY: &str = include_str!("../../../../tests/it/fixtures/google_service_account.pem");
const PUBLIC_KEY: &[u8] = include_bytes!("../../../../tests/it/fixtures/google_service_account_public.der");
const NOW: u64 = 1_800_000_000_000;

struct Fixed(String, AtomicUsize);

impl GoogleIdentitySource for Fixed {
    fn load(&self) -> Result<GoogleIdentity, GoogleAuthError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        GoogleIdentity::from_json(&self.0)
    }
}

fn credentials(file: &Value) -> GoogleCredentials {
    GoogleCredentials::new(Fixed(file.to_string(), AtomicUsize::new(0)))
}

fn service_account(server: &Server) -> Value {
    json!({
        "type": "service_account", "project_id": "robots", "private_key_id": "k1", "private_key": KEY,
        "client_email": "robot@robots.iam.gserviceaccount.com", "token_uri": format!("{}/google/token", server.base_url()),
    })
}

fn http() -> reqwest::Client {
    crate::Client::new(crate::ClientOptions { proxy: crate::ProxySource::Direct, ..Default::default() })
        .unwrap()
        .http()
        .clone()
}

fn decoded(part: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

/// The statement says who asks whom for what, and its signature is good for the public key.
#[tokio::test]
async fn a_service_account_signs_its_request() {
    let server = Server::start(Scenario::new());
    credentials(&service_account(&server)).token_at(&http(), NOW).await.unwrap();
    let body = String::from_utf8(server.other_requests()[0].raw_body.clone()).unwrap();
    let fields: Vec<(String, String)> = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    assert_eq!(fields[0].1, "urn:ietf:params:oauth:grant-type:jwt-bearer");
    let (statement, signature) = fields[1].1.rsplit_once('.').unwrap();
    let (header, claims) = statement.split_once('.').unwrap();
    assert_eq!(decoded(header), json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
    let claims = decoded(claims);
    assert_eq!(claims["iss"], "robot@robots.iam.gserviceaccount.com");
    assert_eq!(claims["scope"], "https://www.googleapis.com/auth/cloud-platform");
    assert_eq!(claims["aud"], format!("{}/google/token", server.base_url()));
    assert_eq!((&claims["iat"], &claims["exp"]), (&json!(NOW / 1000), &json!(NOW / 1000 + 3600)));
    let provider = rustls::crypto::ring::default_provider();
    let algorithms = provider.signature_verification_algorithms.mapping;
    let (_, rsa) =
        algorithms.iter().find(|(scheme, _)| *scheme == rustls::SignatureScheme::RSA_PKCS1_SHA256).unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    rsa[0].verify_signature(PUBLIC_KEY, statement.as_bytes(), &signature).unwrap();
}

/// One token serves until a minute before its end, and the identity is read once.
#[tokio::test]
async fn tokens_are_kept_until_they_are_nearly_over() {
    let server = Server::start(Scenario::new());
    let source = Arc::new(Fixed(service_account(&server).to_string(), AtomicUsize::new(0)));
    let credentials = GoogleCredentials { source: source.clone(), state: Arc::default() };
    let http = http();
    let first = credentials.token_at(&http, NOW).await.unwrap();
    let still = credentials.token_at(&http, NOW + 3_539_000).await.unwrap();
    assert_eq!((first.reveal(), server.other_requests().len()), (still.reveal(), 1));
    let next = credentials.token_at(&http, NOW + 3_540_000).await.unwrap();
    assert_ne!(first.reveal(), next.reveal());
    assert_eq!((server.other_requests().len(), source.1.load(Ordering::Relaxed)), (2, 1));
}

#[tokio::test]
async fn a_person_and_a_machine_get_tokens_too() {
    let server = Server::start(Scenario::new());
    let person = json!({
        "type": "authorized_user", "client_id": "id", "client_secret": "s&c", "refresh_token": "1//r",
        "quota_project_id": "mine", "token_uri": format!("{}/google/token", server.base_url()),
    });
    assert_eq!(GoogleIdentity::from_json(&person.to_string()).unwrap().project(), Some("mine"));
    credentials(&person).token_at(&http(), NOW).await.unwrap();
    let body = String::from_utf8(server.other_requests()[0].raw_body.clone()).unwrap();
    assert_eq!(body, "grant_type=refresh_token&client_id=id&client_secret=s%26c&refresh_token=1%2F%2Fr");
    let machine = GoogleIdentity::Machine { metadata: server.base_url() };
    exchange::token(&http(), &machine, NOW).await.unwrap();
    assert_eq!(server.other_requests()[1].headers["metadata-flavor"], "Google");
    server.finish();
}

#[tokio::test]
async fn refusals_and_silence_are_told_apart() {
    let server = Server::start(Scenario::new());
    let mut wrong = service_account(&server);
    wrong["client_email"] = "nobody@example.com".into();
    wrong["token_uri"] = format!("{}/google/denied/token", server.base_url()).into();
    let error = credentials(&wrong).token_at(&http(), NOW).await.unwrap_err();
    assert!(error.to_string().contains("invalid_grant"), "{error}");
    assert_eq!(Failure::from(error).kind, FailureKind::Auth);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = GoogleIdentity::Machine { metadata: format!("http://127.0.0.1:{port}") };
    let error = exchange::token(&http(), &nobody, NOW).await.err().unwrap();
    assert!(error.to_string().contains("GOOGLE_APPLICATION_CREDENTIALS"), "{error}");
    wrong["token_uri"] = format!("http://127.0.0.1:{port}/token").into();
    let error = credentials(&wrong).token_at(&http(), NOW).await.unwrap_err();
    assert_eq!(Failure::from(error).kind, FailureKind::Transient);
}

/// What is wrong with a file is named, and no secret of it is repeated.
#[test]
fn bad_files_are_explained() {
    for (file, part) in [
        (json!("SECRET"), "line 1"),
        (json!({"type": "service_account", "client_email": "a@b", "private_key": " "}), "private_key"),
        (json!({"type": "authorized_user", "client_id": "a", "client_secret": "SECRET"}), "refresh_token"),
        (json!({"type": "external_account"}), "external_account"),
        (
            json!({"type": "service_account", "client_email": "a", "private_key": "SECRET", "token_uri": "http://example.com"}),
            "https",
        ),
    ] {
        let error = GoogleIdentity::from_json(&file.to_string()).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains("SECRET"), "{error}");
    }
    let account = json!({"type": "service_account", "client_email": "a", "private_key": "SECRET"});
    let GoogleIdentity::ServiceAccount(account) = GoogleIdentity::from_json(&account.to_string()).unwrap()
    else {
        panic!("a service account")
    };
    assert!(!format!("{account:?}").contains("SECRET"));
    let error = jwt::assertion(&account, NOW).unwrap_err().to_string();
    assert!(error.contains("PEM") && !error.contains("SECRET"), "{error}");
}
