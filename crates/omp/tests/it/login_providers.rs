//! Logins of single providers, and keys that are checked before they are stored.

use omp_testkit::lists::{ListReply, ListServer};
use omp_testkit::oauth::{CLIENT_ID, OAuthOptions, OAuthServer};
use omp_testkit::{Home, Output, run, start};
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run, wait_for_stderr};

fn groq_home(server: &ListServer) -> Home {
    let home = Home::new();
    let base = server.base_url();
    home.write("home/.omp/agent/models.yml", format!("providers:\n  groq:\n    baseUrl: {base}\n"));
    home
}

fn paste(home: &Home, key: &str) -> Output {
    run(omp(home, &["login", "groq", "--with-key"]), Some(format!("{key}\n").as_bytes()), LIMIT)
}

/// A key that the provider does not know is not stored; one that Could not verify the key is, with a remark.
// proves: AUT-018
#[test]
fn keys_are_checked_before_they_are_stored() {
    let server = ListServer::start([("/models", ListReply::Status(401))]);
    let home = groq_home(&server);
    let refused = paste(&home, "sk-wrong");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(
        refused.stderr.contains("groq does not know this key. Nothing was stored."),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("sk-wrong"), "{}", refused.stderr);
    assert!(!home.exists("home/.omp/agent/agent.db"));

    let list = json!({"object": "list", "data": [{"id": "m", "object": "model"}]});
    server.set("/models", ListReply::Json(list));
    let stored = paste(&home, "sk-right");
    assert_eq!(stored.stdout, "Stored the API key for groq\n");
    assert!(!stored.stderr.contains("Could not verify the key"), "{}", stored.stderr);
    let requests = server.requests();
    let sent = requests.iter().map(|request| request.header("authorization").unwrap_or_default());
    assert_eq!(sent.collect::<Vec<_>>(), ["Bearer sk-wrong", "Bearer sk-right"]);

    for (number, reply) in
        [ListReply::Status(403), ListReply::Status(500), ListReply::Broken].into_iter().enumerate()
    {
        server.set("/models", reply);
        let unsure = paste(&home, &format!("sk-{number}"));
        assert_eq!(unsure.stdout, "Stored the API key for groq\n", "{}", unsure.stderr);
        assert!(unsure.stderr.contains("Could not verify the key"), "{}", unsure.stderr);
    }
    assert_eq!(omp_run(&home, &["logout", "groq"]).stdout, "Logged out of groq (4 credentials removed)\n");
}

/// Enters the code that the program shows at the server's device page.
fn log_in_by_code(oauth: &OAuthServer, home: &Home, login: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = omp(home, &["login", login]);
    command.envs(variables.iter().copied());
    let running = start(command);
    let said = wait_for_stderr(&running, "USER-");
    let code = said.split_whitespace().find(|word| word.starts_with("USER-")).unwrap();
    assert!(oauth.approve_device(code), "{said}");
    running.wait(LIMIT)
}

fn own_logins(home: &Home, logins: &Value) {
    home.write("home/.omp/agent/logins.json", logins.to_string());
}

/// A login with a code on another device serves the models of the provider it is meant for.
// proves: MOD-213
#[test]
fn a_login_may_be_for_another_provider() {
    let oauth = OAuthServer::start();
    let home = Home::new();
    own_logins(
        &home,
        &json!([{
            "id": "openai-codex-device", "name": "ChatGPT", "storeAs": "openai-codex", "clientId": CLIENT_ID,
            "tokenUrl": oauth.token_url(), "flow": {
                "kind": "chatgptDevice", "userCodeUrl": oauth.user_code_url(), "pollUrl": oauth.poll_url(),
                "verificationUrl": "https://example.org/device",
                "redirectUri": "http://localhost:1/deviceauth/callback",
            },
        }]),
    );
    let ready =
        || omp_run(&home, &["models", "openai-codex", "--json"]).stdout.contains("\"available\": true");
    assert!(!ready());
    let output = log_in_by_code(&oauth, &home, "openai-codex-device", &[]);
    assert_eq!(output.stdout, "Logged in to openai-codex as one@example.org\n", "{}", output.stderr);
    assert!(ready());
    let token = omp_run(&home, &["token", "openai-codex"]);
    assert_eq!(token.stdout.trim(), oauth.last_access_token().unwrap());
    oauth.assert_clean();
}

/// Both kinds of login, and what each of them leaves in the store.
// proves: MOD-212
#[test]
fn a_login_gives_a_key_or_an_account() {
    let (oauth, server) = (OAuthServer::start(), ListServer::start([("/models", ListReply::Status(404))]));
    let home = groq_home(&server);
    own_logins(
        &home,
        &json!([{
            "id": "corp", "name": "Corp", "clientId": CLIENT_ID, "tokenUrl": oauth.token_url(),
            "flow": {"kind": "device", "deviceUrl": oauth.device_url()},
        }]),
    );
    let list = omp_run(&home, &["login"]).stderr;
    assert!(list.contains("corp  Corp") && list.contains("groq  Groq (API key)"), "{list}");
    log_in_by_code(&oauth, &home, "corp", &[]).assert_success();
    paste(&home, "sk-1").assert_success();
    // A key does not end; an account's token is renewed on demand.
    for (provider, renewed) in [("groq", 0), ("corp", 1)] {
        let first = omp_run(&home, &["token", provider]).stdout;
        let second = omp_run(&home, &["token", provider, "--force-refresh"]).stdout;
        assert_eq!((first != second, oauth.refreshes()), (renewed == 1, renewed), "{provider}");
    }
    oauth.assert_clean();
}

/// The built-in login of Kimi, at the host that a variable names; the more special variable goes first.
#[test]
fn kimi_logs_in_where_the_variable_says() {
    let client_id = "17e5f671-d194-4dfb-9706-5516cb48c098".to_owned();
    let oauth = OAuthServer::start_with(OAuthOptions { client_id, ..OAuthOptions::default() });
    let home = Home::new();
    let host = oauth.base_url();
    let closed = ("KIMI_OAUTH_HOST", "http://127.0.0.1:9");
    for variables in [&[("KIMI_CODE_OAUTH_HOST", host.as_str()), closed][..], &[("KIMI_OAUTH_HOST", &host)]] {
        let output = log_in_by_code(&oauth, &home, "kimi-code", variables);
        assert_eq!(output.stdout, "Logged in to kimi-code as one@example.org\n", "{}", output.stderr);
    }
    let mut command = omp(&home, &["token", "kimi-code", "--force-refresh"]);
    command.env("KIMI_OAUTH_HOST", &host);
    let token = run(command, Some(b""), LIMIT);
    assert_eq!(token.stdout.trim(), oauth.last_access_token().unwrap(), "{}", token.stderr);
    assert_eq!(oauth.refreshes(), 1);
    oauth.assert_clean();
}

/// The table's names in their order; and what takes their place in special surroundings.
// proves: AUT-010, MOD-207
#[test]
fn variables_are_tried_in_order_and_surroundings_are_asked() {
    let home = Home::new();
    let token = |provider: &str, variables: &[(&str, &str)]| {
        let mut command = omp(&home, &["token", provider]);
        command.envs(variables.iter().copied());
        run(command, Some(b""), LIMIT).stdout.trim().to_owned()
    };
    for (provider, first, second) in [
        ("anthropic", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"),
        ("moonshot", "MOONSHOT_API_KEY", "KIMI_API_KEY"),
        ("huggingface", "HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"),
        ("xai-oauth", "XAI_OAUTH_TOKEN", "XAI_API_KEY"),
        ("qwen-portal", "QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"),
    ] {
        assert_eq!(token(provider, &[(second, "second"), (first, "first")]), "first", "{provider}");
        assert_eq!(token(provider, &[(second, "second"), (first, "")]), "second", "{provider}");
    }
    let gateway = [("CLAUDE_CODE_USE_FOUNDRY", "1"), ("FOUNDRY_BASE_URL", "http://127.0.0.1:9")];
    let keys = [("ANTHROPIC_FOUNDRY_API_KEY", "foundry"), ("ANTHROPIC_OAUTH_TOKEN", "oauth")];
    assert_eq!(token("anthropic", &[gateway[0], gateway[1], keys[0], keys[1]]), "foundry");

    let ready = |provider: &str, variables: &[(&str, &str)]| {
        let mut command = omp(&home, &["models", provider, "--json"]);
        command.envs(variables.iter().copied());
        run(command, Some(b""), LIMIT).stdout.contains("\"available\": true")
    };
    assert!(!ready("google-vertex", &[]) && !ready("amazon-bedrock", &[]) && !ready("anthropic", &[]));
    assert!(ready("anthropic", &[gateway[0], gateway[1], keys[0]]));
    assert!(!ready("anthropic", &[keys[0]]), "the gateway's key is of no use without the gateway");
    let person = r#"{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c"}"#;
    home.write("home/.config/gcloud/application_default_credentials.json", person);
    assert!(ready("google-vertex", &[]));
    home.write("home/.aws/config", "[default]\ncredential_process = print-keys\n");
    assert!(ready("amazon-bedrock", &[]));
    // A token for GitHub's pages is none for Copilot.
    assert!(!ready("github-copilot", &[("GITHUB_TOKEN", "x"), ("GH_TOKEN", "y")]));
    assert!(ready("github-copilot", &[("COPILOT_GITHUB_TOKEN", "x")]));
}
