//! Vertex AI: addresses, keys and tokens.

use std::collections::HashMap;

use omp_llm::registry::{Availability, GoogleDefault, Lookup, Registry, SelectError, Wanted};
use omp_llm::{
    Api, Client, ClientOptions, GoogleAuthError, GoogleCredentials, GoogleIdentity, GoogleIdentitySource,
    Model, ThinkingMode,
};
use omp_testkit::{Reply, Scenario, Server, Split, Wire};
use omp_types::{FailureKind, ThinkingLevel};
use serde_json::json;

use crate::support::{
    ask, ask_once, model, options, read_tool, request, request_with, result, thinking, user,
};

#[derive(Default)]
struct Machine {
    variables: HashMap<&'static str, &'static str>,
    file: Option<GoogleDefault>,
}

impl Machine {
    fn with(variables: &[(&'static str, &'static str)]) -> Self {
        Self { variables: variables.iter().copied().collect(), file: None }
    }
}

impl Lookup for Machine {
    fn env(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|value| (*value).to_owned())
    }

    fn command(&self, _: &str) -> Option<String> {
        None
    }

    fn google_default(&self) -> Option<GoogleDefault> {
        self.file.clone()
    }
}

fn select(registry: &Registry, machine: &Machine) -> Result<Model, SelectError> {
    let wanted = Wanted { pattern: Some("google-vertex/gemini-2.5-pro"), ..Wanted::default() };
    registry.select(wanted, machine).map(|selection| selection.model)
}

fn available(registry: &Registry, machine: &Machine) -> bool {
    let list = registry.list(machine);
    list.iter().any(|(model, ready)| model.provider == "google-vertex" && *ready == Availability::Ready)
}

/// The first variable that is set names project and place; the global endpoint has a host of its own; a key needs
/// neither.
// proves: CLI-133
#[test]
fn project_and_place_are_part_of_the_address() {
    let registry = Registry::new(None);
    let base = |variables: &[(&'static str, &'static str)]| {
        select(&registry, &Machine::with(variables)).map(|model| model.base_url)
    };
    let global = "https://aiplatform.googleapis.com/v1";
    for project in ["GOOGLE_CLOUD_PROJECT", "GCP_PROJECT", "GCLOUD_PROJECT"] {
        let expected = format!("{global}/projects/p/locations/global/publishers/google");
        assert_eq!(base(&[(project, "p")]).unwrap(), expected, "{project}");
        for location in ["GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION", "VERTEX_LOCATION"] {
            assert_eq!(
                base(&[(project, "p"), (location, "europe-west4")]).unwrap(),
                "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google"
            );
        }
    }
    let all = [("GCLOUD_PROJECT", "c"), ("GCP_PROJECT", "b"), ("GOOGLE_CLOUD_PROJECT", "a")];
    assert!(base(&all).unwrap().contains("/projects/a/"), "the first of them counts");
    assert_eq!(base(&[("GOOGLE_CLOUD_API_KEY", "k")]).unwrap(), format!("{global}/publishers/google"));
    assert!(matches!(base(&[]), Err(SelectError::MissingProject { .. })));
    assert!(matches!(base(&[("GCP_PROJECT", "p/../../x")]), Err(SelectError::MissingProject { .. })));
}

/// Of several variables the first that is set counts; Vertex does without any: a credentials file makes it available and
/// may name the project.
// proves: CLI-133
#[test]
fn a_credentials_file_is_enough() {
    let registry = Registry::new(None);
    let both = Machine::with(&[("GOOGLE_API_KEY", "second"), ("GEMINI_API_KEY", "first")]);
    let wanted = Wanted { pattern: Some("google/gemini-2.5-pro"), ..Wanted::default() };
    let key = registry.select(wanted, &both).unwrap().model.key.unwrap();
    assert_eq!(key.reveal(), "first");
    let nothing = Machine::default();
    assert!(!available(&registry, &nothing));
    assert!(available(&registry, &Machine::with(&[("GOOGLE_CLOUD_API_KEY", "k")])));
    let file = Machine { file: Some(GoogleDefault { project: Some("filed".into()) }), ..Machine::default() };
    assert!(available(&registry, &file));
    let model = select(&registry, &file).unwrap();
    assert!(model.key.is_none() && model.base_url.contains("/projects/filed/"), "{}", model.base_url);
    assert_eq!(model.api, Api::GoogleVertex);
}

/// The base of the user's own is completed, and a complete one is left alone.
#[test]
fn other_hosts_are_completed() {
    for (base, key, expected) in [
        ("http://127.0.0.1:9", "k", "http://127.0.0.1:9/v1/publishers/google"),
        ("http://127.0.0.1:9/v1beta1/", "k", "http://127.0.0.1:9/v1beta1/publishers/google"),
        ("http://127.0.0.1:9/x/publishers/google", "k", "http://127.0.0.1:9/x/publishers/google"),
        ("http://127.0.0.1:9", "", "http://127.0.0.1:9/v1/projects/p/locations/eu/publishers/google"),
    ] {
        let registry = Registry::new(Some(&format!("providers:\n  google-vertex:\n    baseUrl: {base}\n")));
        assert_eq!(registry.error(), None);
        let variables =
            [("GOOGLE_CLOUD_PROJECT", "p"), ("VERTEX_LOCATION", "eu"), ("GOOGLE_CLOUD_API_KEY", key)];
        assert_eq!(select(&registry, &Machine::with(&variables)).unwrap().base_url, expected);
    }
}

/// Google's own provider needs a key, and knows which generation a model is of.
#[test]
fn gemini_is_a_built_in_provider() {
    let registry = Registry::new(None);
    let pick = |pattern: &str, machine: &Machine| {
        registry
            .select(Wanted { pattern: Some(pattern), ..Wanted::default() }, machine)
            .map(|found| found.model)
    };
    for variable in ["GEMINI_API_KEY", "GOOGLE_API_KEY"] {
        let machine = Machine::with(&[(variable, "k")]);
        let model = pick("google/gemini-2.5-pro", &machine).unwrap();
        assert_eq!(model.base_url, "https://generativelanguage.googleapis.com/v1beta");
        assert_eq!((model.api, model.thinking), (Api::GoogleGenerativeAi, ThinkingMode::Standard));
        assert_eq!(
            pick("google/gemini-3-pro-preview", &machine).unwrap().thinking,
            ThinkingMode::GoogleLevel
        );
        assert_eq!(pick("google/gemini-4-ultra", &machine).unwrap().thinking, ThinkingMode::GoogleLevel);
    }
    assert!(matches!(
        pick("google/gemini-2.5-pro", &Machine::default()),
        Err(SelectError::MissingKey { variables, .. }) if variables[0] == "GEMINI_API_KEY"
    ));
}

struct Person(String);

impl GoogleIdentitySource for Person {
    fn load(&self) -> Result<GoogleIdentity, GoogleAuthError> {
        let file = json!({
            "type": "authorized_user", "client_id": "id", "client_secret": "secret", "refresh_token": "refresh",
            "token_uri": self.0,
        });
        GoogleIdentity::from_json(&file.to_string())
    }
}

fn with_token(address: String) -> Client {
    Client::new(ClientOptions { google: Some(GoogleCredentials::new(Person(address))), ..options() }).unwrap()
}

/// Without a key, a token: asked for once, sent with every request. Ids stay out for models before the third
/// generation, whose API knows none.
#[tokio::test]
async fn a_token_stands_in_for_a_key() {
    let server = Server::start(
        Scenario::replies([
            Reply::new().thinking("hm").tool_call("read", json!({"path": "x"})).split(Split::EveryByte),
            Reply::new().text("ok"),
        ])
        .require_stable_prefix(true),
    );
    let client = with_token(format!("{}/google/token", server.base_url()));
    let mut model = model(&server, Wire::GoogleVertex);
    model.key = None;
    let build = |messages| request_with(messages, vec![read_tool()], thinking(ThinkingLevel::Low));
    let first = ask(&client, &model, &build(vec![user("hi")])).await;
    first.done();
    let messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "X")];
    ask(&client, &model, &build(messages)).await.done();
    let requests = server.requests();
    assert_eq!(
        requests[0].path,
        "/v1/projects/test-project/locations/us-central1/publishers/google/models/scripted:streamGenerateContent"
    );
    let token = requests[0].header("authorization").unwrap();
    assert!(token.starts_with("Bearer ya29.") && requests[1].header("authorization") == Some(token));
    assert_eq!(server.other_requests().len(), 1, "one token for both");
    assert!(!requests[1].body["contents"].to_string().contains("\"id\""));
    server.finish();
}

/// With a key there is no token; a refused login is an authentication failure and no model is asked.
#[tokio::test]
async fn keys_and_refusals() {
    let server = Server::start([Reply::new().text("ok")]);
    let client = with_token(format!("{}/google/denied/token", server.base_url()));
    let mut model = model(&server, Wire::GoogleVertex);
    ask(&client, &model, &request(vec![user("hi")])).await.done();
    assert_eq!(server.requests()[0].header("x-goog-api-key"), Some("test-key"));
    model.key = None;
    let refused = ask(&client, &model, &request(vec![user("hi")])).await;
    assert_eq!(refused.failure().kind, FailureKind::Auth);
    assert!(refused.failure().message.contains("invalid_grant"), "{:?}", refused.failure());
    assert_eq!(server.requests().len(), 1);
    // A client that knows nobody asks without; the server's words say what is missing.
    let nobody = ask_once(&model, &request(vec![user("hi")])).await;
    assert_eq!(nobody.failure().kind, FailureKind::Auth);
}
