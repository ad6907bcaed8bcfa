use super::*;

#[test]
fn the_list_is_complete_and_addresses_are_safe() {
    let logins = Logins::default();
    let ids: Vec<&str> = logins.iter().map(|login| login.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "anthropic",
            "openai-codex",
            "openai-codex-device",
            "github-copilot",
            "google-gemini-cli",
            "google-antigravity",
            "kimi-code",
            "qwen-portal",
            "xai-oauth",
        ]
    );
    for login in logins.iter() {
        let mut addresses = vec![login.token_url.as_str()];
        addresses.extend(login.identity_url.as_deref());
        match &login.flow {
            Flow::Code(flow) => addresses.push(&flow.authorize_url),
            Flow::Device { device_url, .. } => addresses.push(device_url),
            Flow::ChatgptDevice { user_code_url, poll_url, .. } => {
                addresses.extend([&**user_code_url, poll_url]);
            }
        }
        match &login.finish {
            Some(Finish::SessionToken { url, .. } | Finish::CodeAssist { url, .. }) => addresses.push(url),
            None => {}
        }
        assert!(addresses.iter().all(|address| address.starts_with("https://")), "{}", login.id);
    }
    assert_eq!(logins.find("openai-codex-device").map(Login::provider), Some("openai-codex"));
}

/// The ports are those that remote logins forward.
#[test]
fn callback_ports_are_the_documented_ones() {
    let logins = Logins::default();
    let port = |id: &str| match &logins.find(id).unwrap().flow {
        Flow::Code(flow) => flow.callback_port,
        _ => 0,
    };
    let ids = ["anthropic", "openai-codex", "google-gemini-cli", "google-antigravity"];
    assert_eq!(ids.map(port), [54545, 1455, 8085, 51121]);
}

#[test]
fn the_users_file_adds_replaces_and_is_checked() {
    let own = r#"[{"id": "anthropic", "name": "Mine", "clientId": "c", "tokenUrl": "https://a/t",
                   "flow": {"kind": "device", "deviceUrl": "https://a/d"}},
                  {"id": "corp", "name": "Corp", "clientId": "c", "clientSecret": "hush", "tokenUrl": "https://a/t",
                   "encoding": "json",
                   "flow": {"kind": "code", "authorizeUrl": "https://a/a", "callbackPort": 0, "callbackPath": "/cb"}}]"#;
    let (logins, error) = Logins::with_file(own);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(logins.find("anthropic").unwrap().name, "Mine");
    let corp = logins.iter().last().unwrap();
    assert_eq!(corp.id, "corp");
    assert!(!format!("{corp:?}").contains("hush"), "{corp:?}");
    let (logins, error) = Logins::with_file(r#"[{"id": "x", "clientID": "c"}]"#);
    assert!(error.unwrap().to_string().contains("clientID"));
    assert_eq!(logins.iter().count(), Logins::default().iter().count());
}

#[test]
fn variables_move_a_login_to_another_host() {
    let with = |variables: &[(&str, &str)]| {
        let mut logins = Logins::default();
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let problems = logins.resolve(&variable);
        let kimi = logins.find("kimi-code").unwrap().clone();
        let Flow::Device { device_url, .. } = kimi.flow else { panic!("{:?}", kimi.flow) };
        (kimi.token_url, device_url, problems)
    };
    let usual = with(&[]);
    assert_eq!(usual.0, "https://auth.kimi.com/api/oauth/token");
    let both = with(&[("KIMI_OAUTH_HOST", "https://second"), ("KIMI_CODE_OAUTH_HOST", "auth.kimi.ai")]);
    assert_eq!(both.0, "https://auth.kimi.ai/api/oauth/token");
    assert_eq!(both.1, "https://auth.kimi.ai/api/oauth/device_authorization");
    assert_eq!(with(&[("KIMI_OAUTH_HOST", "http://127.0.0.1:1/")]).0, "http://127.0.0.1:1/api/oauth/token");
    let refused = with(&[("KIMI_OAUTH_HOST", "http://evil.example")]);
    assert_eq!(refused.0, usual.0, "tokens do not travel in the open");
    assert!(
        refused.2[0].contains("KIMI_OAUTH_HOST") && refused.2[0].contains("Kimi Code"),
        "{:?}",
        refused.2
    );
}

#[test]
fn the_users_own_project_is_noted() {
    let mut logins = Logins::default();
    logins.resolve(&|name| (name == "GOOGLE_CLOUD_PROJECT_ID").then(|| " mine ".to_owned()));
    let Some(Finish::CodeAssist { project, .. }) = &logins.find("google-gemini-cli").unwrap().finish else {
        panic!("it asks for a project");
    };
    assert_eq!(project.as_deref(), Some("mine"));
}

/// Secrets of other programs are the user's to give.
#[test]
fn a_secret_that_is_not_ours_comes_from_a_variable() {
    let mut logins = Logins::default();
    assert_eq!(
        logins.find("google-gemini-cli").unwrap().missing_variable(),
        Some("GEMINI_CLI_CLIENT_SECRET")
    );
    assert_eq!(logins.find("anthropic").unwrap().missing_variable(), None);
    logins.resolve(&|name| (name == "GEMINI_CLI_CLIENT_SECRET").then(|| "s3cret".to_owned()));
    let login = logins.find("google-gemini-cli").unwrap();
    assert_eq!(login.missing_variable(), None);
    assert_eq!(login.client_secret.as_ref().unwrap().reveal(), "s3cret");
    assert!(!format!("{login:?}").contains("s3cret"));
}
