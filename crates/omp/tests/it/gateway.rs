//! Anthropic at another address, through a company's gateway, and certificates that the environment names.

use std::path::{Path, PathBuf};

use omp_testkit::{Home, ModelOptions, Output, Reply, Running, Scenario, Server, Wire, run, start};

use crate::support::{LIMIT, omp};

const ASK: [&str; 4] = ["-p", "--model", "anthropic/claude-sonnet-4-5", "hello"];

fn server() -> Server {
    Server::start(Scenario::dynamic(|_| Reply::new().text("ok")))
}

fn ask(home: &Home, variables: &[(&str, &str)]) -> Output {
    let mut command = omp(home, &ASK);
    command.envs(variables.iter().copied());
    run(command, Some(b""), LIMIT)
}

/// The keys of the gateway in their order, each as a bearer; what is stored for Anthropic itself is not shown to it.
// proves: CLI-128
#[test]
fn a_gateway_has_keys_of_its_own() {
    let server = server();
    let base = server.base_url_for(Wire::AnthropicMessages);
    let home = Home::new();
    let list = omp_testkit::lists::ListServer::start([]);
    home.write(
        "home/.omp/agent/models.yml",
        format!("providers:\n  anthropic:\n    baseUrl: {}\n", list.base_url()),
    );
    let login = omp(&home, &["login", "anthropic", "--with-key"]);
    run(login, Some(b"stored\n"), LIMIT).assert_success();
    std::fs::remove_file(home.path("home/.omp/agent/models.yml")).unwrap();

    let on = [("CLAUDE_CODE_USE_FOUNDRY", "yes"), ("FOUNDRY_BASE_URL", base.as_str())];
    let keys = [
        ("ANTHROPIC_FOUNDRY_API_KEY", "foundry-key"),
        ("ANTHROPIC_OAUTH_TOKEN", "oauth-token"),
        ("ANTHROPIC_API_KEY", "api-key"),
    ];
    for first in 0..keys.len() {
        let variables: Vec<(&str, &str)> = on.into_iter().chain(keys[first..].iter().copied()).collect();
        ask(&home, &variables).assert_success();
    }
    ask(&home, &on).assert_success();
    let sent = |request: &omp_testkit::RecordedRequest| {
        assert_eq!(request.header("x-api-key"), None);
        request.header("authorization").unwrap_or_default().to_owned()
    };
    let sent: Vec<String> = server.requests().iter().map(sent).collect();
    assert_eq!(sent, ["Bearer foundry-key", "Bearer oauth-token", "Bearer api-key", "Bearer stored"]);
    let lost = ask(&home, &[on[0], keys[0]]);
    assert_eq!(lost.code, Some(1));
    assert!(lost.stderr.contains("FOUNDRY_BASE_URL"), "{}", lost.stderr);

    // Switched off, the gateway and its key mean nothing.
    let off =
        [("CLAUDE_CODE_USE_FOUNDRY", "0"), on[1], ("ANTHROPIC_BASE_URL", base.as_str()), keys[0], keys[2]];
    ask(&home, &off).assert_success();
    assert_eq!(server.requests().last().unwrap().header("x-api-key"), Some("stored"));
    server.finish();
}

/// Another address takes the key as Anthropic does; the user's headers go there and through the gateway. That they do
/// not go to Anthropic itself is proved in the library, where nobody is asked.
// proves: CLI-129
#[test]
fn another_address_gets_the_users_headers() {
    let server = server();
    let base = server.base_url_for(Wire::AnthropicMessages);
    let home = Home::new();
    let headers = ("ANTHROPIC_CUSTOM_HEADERS", "X-Team: blue, X-Route: a\nX-Note: !echo no");
    let elsewhere = [("ANTHROPIC_BASE_URL", base.as_str()), ("ANTHROPIC_API_KEY", "k"), headers];
    ask(&home, &elsewhere).assert_success();
    let gateway =
        [("CLAUDE_CODE_USE_FOUNDRY", "1"), ("FOUNDRY_BASE_URL", &base), ("ANTHROPIC_API_KEY", "k"), headers];
    ask(&home, &gateway).assert_success();
    let requests = server.requests();
    assert_eq!(requests[0].header("x-api-key"), Some("k"));
    for request in &requests {
        let sent = ["x-team", "x-route", "x-note"].map(|name| request.header(name));
        assert_eq!(sent, [Some("blue"), Some("a"), Some("!echo no")]);
    }
    server.finish();
}

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls")
}

/// A server behind TLS, and where it is.
fn sealed(home: &Home, script: &str) -> (Running, String) {
    let mut python = home.command("python3");
    python.arg(files().join(script));
    let server = start(python);
    server.wait_for_stdout("\n", LIMIT);
    let port = server.stdout_so_far().trim().to_owned();
    (server, format!("https://127.0.0.1:{port}"))
}

/// An authority by its file, by its text, and by its text on one line.
// proves: CLI-130
#[test]
fn more_authorities_are_trusted() {
    let home = Home::new();
    let (_server, base) = sealed(&home, "server.py");
    let yaml = ModelOptions::new().yaml(&format!("{base}/v1"), Wire::OpenAiCompletions);
    home.write("home/.omp/agent/models.yml", yaml);
    let file = files().join("ca.pem");
    let text = std::fs::read_to_string(&file).unwrap();
    let ask = |value: &str| {
        let mut command = omp(&home, &["-p", "x"]);
        command.env("NODE_EXTRA_CA_CERTS", value);
        run(command, Some(b""), LIMIT)
    };
    for value in [file.display().to_string(), text.clone(), text.replace('\n', "\\n")] {
        let output = ask(&value);
        assert_eq!((output.stdout.as_str(), output.code), ("sealed\n", Some(0)), "{}", output.stderr);
    }
    for value in ["/nowhere.pem", "-----BEGIN CERTIFICATE-----\\nAAAA"] {
        let output = ask(value);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("NODE_EXTRA_CA_CERTS"), "{}", output.stderr);
    }
}

/// The gateway sees our certificate; nobody else does, and half a pair is named.
// proves: CLI-130
#[test]
fn a_gateway_is_shown_our_certificate() {
    let home = Home::new();
    let (_server, base) = sealed(&home, "mutual.py");
    let path = |name: &str| files().join(name).display().to_string();
    let (authority, certificate) = (path("ca.pem"), path("client.pem"));
    let key = std::fs::read_to_string(files().join("client.key")).unwrap().replace('\n', "\\n");
    let always =
        [("SSL_CERT_FILE", authority.as_str()), ("ANTHROPIC_API_KEY", "k"), ("FOUNDRY_BASE_URL", &base)];
    let on = ("CLAUDE_CODE_USE_FOUNDRY", "1");
    let certificate = ("CLAUDE_CODE_CLIENT_CERT", certificate.as_str());
    let key = ("CLAUDE_CODE_CLIENT_KEY", key.as_str());
    let with = |more: &[(&str, &str)]| ask(&home, &[&always, more].concat());

    let known = with(&[on, certificate, key]);
    assert_eq!((known.stdout.as_str(), known.code), ("known\n", Some(0)), "{}", known.stderr);
    let half = with(&[on, certificate]);
    assert_eq!(half.code, Some(1));
    assert!(half.stderr.contains("CLAUDE_CODE_CLIENT_KEY is not"), "{}", half.stderr);
    assert!(half.stderr.contains("requires a client certificate"), "{}", half.stderr);
    let elsewhere = with(&[("ANTHROPIC_BASE_URL", &base), certificate, key]);
    assert_eq!(elsewhere.code, Some(1), "without a gateway no certificate is shown");
}
