//! Accounts of Google's own coding programs: their logins, their lists, and what is sent for them.

use std::collections::BTreeSet;

use omp_testkit::oauth::{CLIENT_ID, OAuthServer};
use omp_testkit::{Home, Reply, Running, Scenario, Server, Wire, run, start};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::support::{LIMIT, omp, omp_run};

const WIRE: Wire = Wire::GoogleGeminiCli;

fn wait_for_code(running: &Running) -> String {
    let deadline = Instant::now() + LIMIT;
    loop {
        let said = running.stderr_so_far();
        if let Some(code) = said.split_whitespace().find(|word| word.starts_with("USER-")) {
            return code.to_owned();
        }
        assert!(Instant::now() < deadline, "no code was shown: {said}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The three providers with logins that end where a scripted server is.
fn logins(oauth: &OAuthServer) -> Value {
    let login = |id: &str, finish: Option<Value>| {
        let mut login = json!({
            "id": id, "name": id, "clientId": CLIENT_ID, "tokenUrl": oauth.token_url(),
            "flow": {"kind": "device", "deviceUrl": oauth.device_url()},
        });
        if let Some(finish) = finish {
            login["finish"] = finish;
        }
        login
    };
    let assist = json!({"kind": "codeAssist", "url": oauth.base_url(), "metadata": {"ideType": "X"}});
    json!([
        login("google-gemini-cli", Some(assist.clone())),
        login("google-antigravity", Some(assist)),
        login("openai-codex", None),
    ])
}

fn log_in(oauth: &OAuthServer, home: &Home, provider: &str) {
    let running = start(omp(home, &["login", provider]));
    assert!(oauth.approve_device(&wait_for_code(&running)));
    running.wait(LIMIT).assert_success();
}

/// The ids that can be used, of those that `omp models` knows of a provider.
fn usable(home: &Home, provider: &str) -> BTreeSet<String> {
    let output = omp_run(home, &["models", provider, "--json"]);
    output.assert_success();
    let list: Value = serde_json::from_str(&output.stdout).unwrap();
    let models = list.as_array().unwrap_or_else(|| panic!("{list}")).iter();
    let ready = models.filter(|model| model["available"] == true && model["provider"] == provider);
    ready.filter_map(|model| model["id"].as_str().map(str::to_owned)).collect()
}

/// Each of them has models of its own, which can be used once somebody has logged in; none of them serves another's.
// proves: MOD-210
#[test]
fn accounts_have_lists_of_their_own() {
    let oauth = OAuthServer::start();
    let home = Home::new();
    home.write("home/.omp/agent/logins.json", logins(&oauth).to_string());
    for (provider, own) in [
        ("google-gemini-cli", "gemini-2.5-pro"),
        ("google-antigravity", "gemini-3.1-pro-high"),
        ("openai-codex", "gpt-5-codex"),
    ] {
        assert!(usable(&home, provider).is_empty(), "{provider} needs a login");
        log_in(&oauth, &home, provider);
        assert!(usable(&home, provider).contains(own), "{provider}");
    }
    let [gemini, antigravity] = ["google-gemini-cli", "google-antigravity"].map(|id| usable(&home, id));
    assert!(gemini.is_disjoint(&antigravity), "{gemini:?} {antigravity:?}");
    assert!(usable(&home, "google").is_empty(), "an account is no key of the Gemini API");
    oauth.assert_clean();
}

/// A turn with a tool, from the login to the answer: the token in the header, the project in the envelope.
#[test]
fn a_login_serves_turns() {
    let oauth = OAuthServer::start();
    for provider in ["google-gemini-cli", "google-antigravity"] {
        let server = Server::start(Scenario::replies([
            Reply::new().thinking("hm").tool_call("bash", json!({"command": "echo from-tool"})),
            Reply::new().text("done"),
        ]));
        let home = Home::new();
        home.write("home/.omp/agent/logins.json", logins(&oauth).to_string());
        let base = server.base_url_for(WIRE);
        home.write("home/.omp/agent/models.yml", format!("providers:\n  {provider}:\n    baseUrl: {base}\n"));
        log_in(&oauth, &home, provider);
        let mut command = omp(&home, &["-p", "--provider", provider, "go"]);
        command.env("PI_AI_GEMINI_CLI_VERSION", "9.8.7");
        let output = run(command, Some(b""), LIMIT);
        assert_eq!(output.stdout, "done\n", "{}", output.stderr);
        let token = oauth.last_access_token().unwrap();
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        for request in &requests {
            assert_eq!(request.envelope["project"], "managed-1");
            assert_eq!(request.header("authorization"), Some(format!("Bearer {token}").as_str()));
            assert!(request.header("user-agent").is_some_and(|agent| agent.contains("GeminiCLI/9.8.7 ")));
        }
        assert!(requests[1].body.to_string().contains("from-tool"));
        server.finish();
    }
    oauth.assert_clean();
}
