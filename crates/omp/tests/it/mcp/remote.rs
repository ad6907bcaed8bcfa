//! Servers at an address: headers, older transports, logins.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use omp_testkit::start;
use serde_json::{Value, json};

use super::{McpHome, call, done};
use crate::support::{LIMIT, omp, omp_run};

/// The scripted HTTP server of the client's own tests.
pub(super) struct Remote {
    child: Child,
    port: u16,
}

impl Remote {
    #[expect(clippy::disallowed_methods, reason = "a server that is not omp's; it ends with the test")]
    pub(super) fn start(mode: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-mcp/tests/servers/remote.py");
        let mut command = Command::new("python3");
        command.args([script, mode]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The browser returns from the page of a login that was granted.
    pub(super) fn come_back(&self, redirect: &str, state: &str) {
        let back = redirect.replace("%3A", ":").replace("%2F", "/");
        let port = back.split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap();
        let issuer = self.address("").replace(':', "%3A").replace('/', "%2F");
        let page = get(port, &format!("/callback?code=c&state={state}&iss={issuer}"));
        assert!(page.contains("return to omp"), "{page}");
    }

    /// What it has been asked, and with which headers.
    fn seen(&self) -> Vec<Value> {
        serde_json::from_str(&get(self.port, "/seen")).unwrap()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request as a browser makes it.
fn get(port: u16, target: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// Over streamable HTTP and the older event stream, with the headers of the definition.
// proves: EXT-075, EXT-077, EXT-078, EXT-088, HOK-054
#[test]
fn servers_at_an_address() {
    for (mode, kind) in [("good", None), ("legacy", Some("sse"))] {
        let remote = Remote::start(mode);
        let world = McpHome::new([call("mcp__far_echo", json!({})), done()]);
        // A value is the output of a command, of a variable, or itself.
        let header = match mode {
            "good" => "!echo Bearer $(echo fixed)",
            _ => "Bearer fixed",
        };
        let mut entry = json!({"url": remote.address("/mcp"), "headers": {"Authorization": header}});
        if let Some(kind) = kind {
            entry["type"] = json!(kind);
        }
        world.write_user(&json!({"far": entry}));
        world.connect("far");
        world.ask(&[]);
        assert_eq!(world.results()[0].0, "echo", "{mode}");
        assert!(remote.seen().iter().any(|request| request["auth"] == "Bearer fixed"), "{mode}");
        world.server.finish();
    }
}

/// A login opens a page, the browser comes back, and every later definition of the address uses the token, which is in the
/// database and nowhere else.
// proves: HOK-040, HOK-042, EXT-101
#[test]
fn a_login_is_kept_for_the_address() {
    let remote = Remote::start("oauth");
    let world = McpHome::new([call("mcp__far_echo", json!({})), done()]);
    world.write_user(&json!({"far": {"type": "http", "url": remote.address("/mcp")}}));
    let refused = omp_run(&world.home, &["mcp", "test", "far"]);
    assert!(
        refused.stderr.contains("Failed to connect to \"far\": the server requires a login"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("/mcp reauth far"), "{}", refused.stderr);

    let login = start(omp(&world.home, &["mcp", "login", "far"]));
    super::until("an address", || login.stderr_so_far().contains("/authorize"));
    let shown = login.stderr_so_far();
    let address = shown.split_whitespace().find(|word| word.contains("/authorize?")).unwrap();
    let value = |name: &str| {
        let query = address.split_once('?').unwrap().1;
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next().unwrap()
    };
    remote.come_back(&value("redirect_uri"), &value("state"));
    let output = login.wait(LIMIT);
    output.assert_success();
    assert!(output.stdout.contains("Logged in to \"far\""), "{}", output.stdout);

    world.connect("far");
    world.ask(&[]);
    assert_eq!(world.results()[0].0, "echo");
    let sent = remote.seen().iter().filter(|request| request["auth"] == "Bearer first").count();
    assert!(sent > 0, "the token was sent");
    for file in world.home.list_files().iter().filter(|file| !file.contains("agent.db")) {
        let text = String::from_utf8_lossy(&world.home.read_bytes(file)).into_owned();
        assert!(!text.contains("refresh-1"), "{file}");
    }
    let other =
        omp_run(&world.home, &["--profile", "other", "mcp", "add", "far", "--url", &remote.address("/mcp")]);
    other.assert_success();
    let refused = omp_run(&world.home, &["--profile", "other", "mcp", "test", "far"]);
    assert!(
        refused.stderr.contains("requires a login"),
        "another profile logs in itself: {}",
        refused.stderr
    );
    omp_run(&world.home, &["mcp", "logout", "far"]).assert_success();
    let refused = omp_run(&world.home, &["mcp", "test", "far"]);
    assert!(refused.stderr.contains("requires a login"), "{}", refused.stderr);
    world.server.finish();
}

/// Why a login failed is one sentence: nowhere to log in, refused by the person, addressed to somebody else.
// proves: EXT-102
#[test]
fn logins_that_fail_say_why() {
    let no_metadata = Remote::start("login-in-between");
    let world = McpHome::new([]);
    world.write_user(&json!({"far": {"type": "http", "url": no_metadata.address("/mcp")}}));
    let output = omp_run(&world.home, &["mcp", "login", "far"]);
    let expected = "Authentication required, but OAuth endpoints could not be discovered";
    assert!(output.code != Some(0) && output.stderr.contains(expected), "{}", output.stderr);

    let denied = "OAuth authentication failed: access was denied (access_denied: not today)";
    let forged = "OAuth authentication failed: Authorization server issuer mismatch";
    for (answer, expected) in [
        ("error=access_denied&error_description=not%20today", denied),
        ("code=c&iss=https%3A%2F%2Fevil.example", forged),
    ] {
        let remote = Remote::start("oauth");
        world.write_user(&json!({"far": {"type": "http", "url": remote.address("/mcp")}}));
        let login = start(omp(&world.home, &["mcp", "login", "far"]));
        super::until("an address", || login.stderr_so_far().contains("/authorize"));
        let shown = login.stderr_so_far();
        let address = shown.split_whitespace().find(|word| word.contains("/authorize?")).unwrap().to_owned();
        let value = |name: &str| {
            let (_, query) = address.split_once('?').unwrap();
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).unwrap()
        };
        let back = value("redirect_uri").replace("%3A", ":").replace("%2F", "/");
        let port = back.split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap();
        get(port, &format!("/callback?{answer}&state={}", value("state")));
        let output = login.wait(LIMIT);
        assert!(output.code != Some(0) && output.stderr.contains(expected), "{}", output.stderr);
        let asked = remote.seen();
        assert!(!asked.iter().any(|request| request["what"] == "token authorization_code"), "{asked:?}");
    }
    world.server.finish();
}
