//! Entries of configuration files as agents write them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use omp_mcp::definition::{AuthKind, Coercion, Parsed, Variables, check_name, parse};
use omp_mcp::{DefinitionError, Endpoint, Revision, ServerDefinition};
use serde_json::{Value, json};

fn read_as(coercion: Coercion, config: &Value) -> Result<Parsed, DefinitionError> {
    let lookup = |name: &str| match name {
        "TOKEN" => Some("secret".to_owned()),
        "DIR" => Some("/data".to_owned()),
        _ => None,
    };
    let variables = Variables { lookup: &lookup, workspace: Some(Path::new("/project")), home: None };
    parse("s", config.as_object().unwrap(), coercion, &variables)
}

fn read(config: &Value) -> ServerDefinition {
    let parsed = read_as(Coercion::Strict, config).unwrap();
    assert_eq!(parsed.warnings, Vec::<String>::new(), "{config}");
    parsed.definition
}

fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[track_caller]
fn is_process(
    definition: &ServerDefinition,
    line: &[&str],
    variables: &[(&str, &str)],
    directory: Option<&str>,
) {
    let Endpoint::Stdio { command, args, env, cwd } = &definition.endpoint else { panic!("{definition:?}") };
    let words: Vec<&str> = std::iter::once(command).chain(args).map(String::as_str).collect();
    assert_eq!(words, line);
    assert_eq!(*env, map(variables));
    assert_eq!(cwd.as_deref(), directory.map(Path::new));
}

#[track_caller]
fn is_address(definition: &ServerDefinition, kind: &str, address: &str, sent: &[(&str, &str)]) {
    assert_eq!(definition.endpoint.kind(), kind);
    let (Endpoint::Http { url, headers } | Endpoint::Sse { url, headers }) = &definition.endpoint else {
        panic!("{definition:?}")
    };
    assert_eq!(url.as_str(), address);
    assert_eq!(*headers, map(sent));
}

#[test]
fn processes() {
    let full = json!({"type": "stdio", "command": "npx", "args": ["-y", "p", "${DIR}", 5], "env": {"A": "${TOKEN}", "N": 1},
        "cwd": "${workspaceFolder}/x", "timeout": 5000, "enabled": true});
    let definition = read(&full);
    is_process(
        &definition,
        &["npx", "-y", "p", "/data", "5"],
        &[("A", "secret"), ("N", "1")],
        Some("/project/x"),
    );
    assert_eq!(definition.timeout, Some(Duration::from_secs(5)));
    assert!(definition.enabled && definition.instructions && definition.revision.is_none());
    is_process(&read(&json!({"command": "x"})), &["x"], &[], None);
    is_process(
        &read(&json!({"type": "local", "command": ["npx", "p"], "environment": {"A": "{env:TOKEN}"}})),
        &["npx", "p"],
        &[("A", "secret")],
        None,
    );
}

#[test]
fn addresses() {
    let url = "https://mcp.example/v1";
    let table = [
        (json!({"url": url}), "http"),
        (json!({"type": "http", "url": url}), "http"),
        (json!({"type": "streamable-http", "url": url}), "http"),
        (json!({"type": "streamableHttp", "url": url}), "http"),
        (json!({"type": "remote", "url": url}), "http"),
        (json!({"type": "sse", "url": url}), "sse"),
        (json!({"httpUrl": url}), "http"),
        (json!({"serverUrl": url}), "http"),
        (json!({"transport": "sse", "url": url}), "sse"),
    ];
    for (config, kind) in table {
        is_address(&read(&config), kind, url, &[]);
    }
    let headers =
        json!({"url": "https://${MISSING:-mcp.example}/v1", "headers": {"Authorization": "Bearer ${TOKEN}"}});
    is_address(&read(&headers), "http", url, &[("Authorization", "Bearer secret")]);
}

#[test]
fn codex() {
    let config = json!({"url": "https://mcp.example/v1", "bearer_token_env_var": "TOKEN",
        "http_headers": {"X-A": "a"}, "env_http_headers": {"X-B": "DIR"}, "startup_timeout_sec": 20,
        "tool_timeout_sec": 1.5, "enabled_tools": ["a", "b"], "disabled_tools": ["b"]});
    let definition = read(&config);
    let headers = [("Authorization", "Bearer secret"), ("X-A", "a"), ("X-B", "/data")];
    is_address(&definition, "http", "https://mcp.example/v1", &headers);
    assert_eq!(definition.start_timeout, Some(Duration::from_secs(20)));
    assert_eq!(definition.timeout, Some(Duration::from_millis(1500)));
    let used: Vec<bool> = ["a", "b", "c"].map(|tool| definition.tools.admits(tool)).into();
    assert_eq!(used, [true, false, false]);

    let missing = json!({"url": "https://mcp.example/v1", "bearer_token_env_var": "NOT_SET"});
    let parsed = read_as(Coercion::Strict, &missing).unwrap();
    assert_eq!(parsed.warnings, ["Server \"s\": no token is sent: NOT_SET is not set"]);
}

#[test]
fn switched_off() {
    assert!(!read(&json!({"command": "x", "disabled": true})).enabled);
    assert!(!read(&json!({"command": "x", "enabled": false})).enabled);
    assert!(read(&json!({"command": "x", "disabled": false})).enabled);
    assert!(!read(&json!({"command": "x", "instructions": false})).instructions);
    assert!(!read(&json!({"command": "x", "excludeTools": ["t"]})).tools.admits("t"));
}

#[test]
fn texts_for_numbers_are_taken_in_files_of_omp_only() {
    let config = json!({"command": "x", "enabled": "0", "timeout": "250"});
    let lenient = read_as(Coercion::Lenient, &config).unwrap();
    assert_eq!(
        (lenient.definition.enabled, lenient.definition.timeout),
        (false, Some(Duration::from_millis(250)))
    );
    assert!(lenient.warnings.is_empty());
    let strict = read_as(Coercion::Strict, &config).unwrap();
    assert_eq!((strict.definition.enabled, strict.definition.timeout), (true, None));
    assert_eq!(strict.warnings.len(), 2);
    for odd in [json!("maybe"), json!(7), json!([])] {
        let config = json!({"command": "x", "enabled": odd, "timeout": -1});
        let parsed = read_as(Coercion::Lenient, &config).unwrap();
        assert!(parsed.definition.enabled && parsed.warnings.len() == 2, "{:?}", parsed.warnings);
    }
}

/// Variables are replaced in every text of an entry; one that is not set keeps its spelling or has its default.
// proves: EXT-083, HOK-038
#[test]
fn variables_are_replaced_everywhere() {
    let process =
        read(&json!({"command": "${DIR}/run", "args": ["--at", "${DIR}", "${NONE}", "${NONE:-else}"],
        "env": {"A": "x ${TOKEN} y"}, "cwd": "${DIR}/work"}));
    is_process(
        &process,
        &["/data/run", "--at", "/data", "${NONE}", "else"],
        &[("A", "x secret y")],
        Some("/data/work"),
    );
    let far = read(&json!({"url": "https://mcp.example${DIR}", "headers": {"X-Key": "${TOKEN}"},
        "auth": {"type": "oauth", "clientSecret": "${TOKEN}", "resource": "https://${NONE:-r.example}/"},
        "oauth": {"clientId": "${TOKEN}", "callbackPath": "${DIR}"}}));
    is_address(&far, "http", "https://mcp.example/data", &[("X-Key", "secret")]);
    let auth = far.auth.as_ref().unwrap();
    assert_eq!(auth.client_secret.as_deref(), Some("secret"));
    assert_eq!(auth.resource.as_deref(), Some("https://r.example/"));
    assert_eq!(far.oauth.client_id.as_deref(), Some("secret"));
    assert_eq!(far.oauth.callback_path.as_deref(), Some("/data"));
}

// proves: HOK-039
#[test]
fn logins() {
    let config = json!({"url": "https://mcp.example/", "auth": {"type": "oauth", "credentialId": "c", "clientId": "i"},
        "oauth": {"clientId": "id", "callbackPort": 7777, "callbackPath": "/back", "prompt": "", "scopes": ["a", "b"]}});
    let definition = read(&config);
    let auth = definition.auth.as_ref().unwrap();
    assert_eq!((auth.kind, auth.credential_id.as_deref()), (AuthKind::Oauth, Some("c")));
    let key = read(&json!({"url": "https://mcp.example/", "auth": {"type": "apikey", "resource": "r"}}));
    assert_eq!(
        (key.auth.as_ref().unwrap().kind, key.auth.unwrap().resource.as_deref()),
        (AuthKind::ApiKey, Some("r"))
    );
    assert_eq!(definition.oauth.callback_port, Some(7777));
    assert_eq!((definition.oauth.prompt.as_deref(), definition.oauth.scopes.len()), (Some(""), 2));
    assert_eq!(definition.credential_keys()[0], "c");
    assert_eq!(
        read(&json!({"url": "https://mcp.example/v1/"})).credential_keys(),
        ["https://mcp.example/v1"]
    );
    assert!(read(&json!({"command": "x"})).credential_keys().is_empty());
}

#[test]
fn mistakes_are_named() {
    let table = [
        (json!({}), "Server \"s\": stdio server requires \"command\" field"),
        (json!({"command": " "}), "Server \"s\": stdio server requires \"command\" field"),
        (
            json!({"type": "stdio", "url": "https://x"}),
            "Server \"s\": stdio server requires \"command\" field",
        ),
        (json!({"command": "x", "url": "https://x"}), "Server \"s\": both \"command\" and \"url\" are set"),
        (json!({"type": "http"}), "Server \"s\": http server requires \"url\" field"),
        (json!({"type": "sse"}), "Server \"s\": sse server requires \"url\" field"),
        (
            json!({"type": "ws", "url": "wss://x"}),
            "Server \"s\": unknown type \"ws\" (known: stdio, http, sse)",
        ),
        (json!({"url": "ftp://x"}), "Server \"s\": \"ftp://x\" is not an http or https address"),
        (json!({"command": 5}), "Server \"s\": \"command\" must be a text"),
        (json!({"command": "x", "args": "y"}), "Server \"s\": \"args\" must be a list of texts"),
        (
            json!({"command": "x", "env": {"A": {}}}),
            "Server \"s\": \"env\" must be a mapping from names to texts",
        ),
        (
            json!({"command": "x", "protocolVersion": "1999-01-01"}),
            "Server \"s\": unknown protocol revision \"1999-01-01\" (known: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05)",
        ),
    ];
    for (config, message) in table {
        assert_eq!(read_as(Coercion::Lenient, &config).unwrap_err().to_string(), message, "{config}");
    }
    let pinned = read(&json!({"command": "x", "protocolVersion": "2025-06-18"}));
    assert_eq!(pinned.revision, Revision::named("2025-06-18"));
}

#[test]
fn names() {
    assert_eq!(check_name("my-server_1.x"), Ok(()));
    for name in ["", "a b", "ü", "a/b", &"x".repeat(101)] {
        assert!(check_name(name).is_err(), "{name}");
    }
}

/// What a user agreed to is what runs.
#[test]
fn every_change_that_matters_changes_the_fingerprint() {
    let base = json!({"command": "x", "args": ["a"], "env": {"A": "b"}, "cwd": "/c"});
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut config = base.clone();
        change(&mut config);
        read(&config).fingerprint()
    };
    let same = read(&base).fingerprint();
    assert_eq!(changed(&|config| config["timeout"] = json!(5)), same);
    let changes: [&dyn Fn(&mut Value); 5] = [
        &|config| config["command"] = json!("y"),
        &|config| config["args"] = json!(["a", "b"]),
        &|config| config["env"]["A"] = json!("c"),
        &|config| config["env"]["B"] = json!("c"),
        &|config| config["cwd"] = json!("/d"),
    ];
    for change in changes {
        assert_ne!(changed(change), same);
    }
}
