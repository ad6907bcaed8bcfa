//! Extensions hear of requests to providers, of the end of a run, of credentials and of servers.

use std::process::Command;

use omp_testkit::oauth::{Fault, OAuthServer};
use omp_testkit::{Reply, Scenario, Server, run};
use serde_json::{Value, json};

use crate::extensions::{bash, done, extension, factory, go, log, scripted};
use crate::login::{ask, corp_home, log_in};
use crate::mcp::{McpHome, call};
use crate::support::{LIMIT, last_user, omp};

/// What an extension returns is sent; each sees what the one before made of it.
// proves: HOK-007
#[test]
fn requests_are_changed_on_their_way() {
    let (home, server) = scripted([bash("echo hi"), done()]);
    let first = r#"pi.on("before_provider_request", ({ payload }) => {
        log("first", payload.model, payload.messages.at(-1).role);
        return { ...payload, temperature: 0.25 };
    });
    pi.on("after_provider_response", ({ status, headers }) => log("answered", status, headers["content-type"].split(";")[0]));"#;
    let second = r#"pi.on("before_provider_request", ({ payload }) => { log("second", payload.temperature); throw new Error("no matter"); });"#;
    extension(&home, "a-first", &factory(first));
    extension(&home, "b-second", &factory(second));
    let output = go(&home);
    assert_eq!(output.code, Some(0), "{output:?}");
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.body["temperature"] == 0.25), "{:?}", requests[0].body);
    let told = log(&home);
    assert_eq!(told[0], "first scripted user");
    let count = |line: &str| told.iter().filter(|told| *told == line).count();
    assert_eq!((count("first scripted tool"), count("second 0.25")), (1, 2), "{told:?}");
    assert_eq!(count("answered 200 text/event-stream"), 2, "{told:?}");
    server.finish();
}

/// What it sees has no secrets, and what it adds loses them.
// proves: HOK-007
#[test]
fn extensions_bring_no_secret_into_a_request() {
    const CANARY: &str = "canary-env-4f9a-77-and-more";
    let (home, server) = scripted([bash("echo $MY_API_KEY"), done()]);
    let lines = format!(
        r#"pi.on("before_provider_request", ({{ payload }}) => {{
            log("seen", JSON.stringify(payload).includes("{CANARY}"));
            payload.messages.push({{ role: "user", content: "psst: {CANARY}" }});
            return payload;
        }});"#
    );
    extension(&home, "leak", &factory(&lines));
    let mut command: Command = omp(&home, &["-p", "go", "--yolo"]);
    command.env("MY_API_KEY", CANARY);
    let output = run(command, Some(b""), LIMIT);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(log(&home), ["seen false", "seen false"]);
    for request in server.requests() {
        let said = last_user(&request.body).as_str().unwrap();
        assert!(said.starts_with("psst: ") && !request.body.to_string().contains(CANARY), "{said}");
    }
    server.finish();
}

/// Where the model would stop, an extension may keep it going, and is told that it did.
#[test]
fn an_extension_keeps_the_model_going() {
    let (home, server) = scripted([done(), Reply::new().text("really done")]);
    let lines = r#"pi.on("session_stop", ({ stop_hook_active }) => {
        log("stop", stop_hook_active);
        return stop_hook_active ? undefined : { continue: true, additionalContext: "The tests fail." };
    });"#;
    extension(&home, "stop", &factory(lines));
    let output = go(&home);
    assert_eq!(output.stdout.trim(), "really done", "{output:?}");
    assert_eq!(log(&home), ["stop false", "stop true"]);
    let body = server.requests()[1].body.to_string();
    assert!(body.contains("The tests fail."), "{body}");
    server.finish();
}

/// A handler that hangs is cut off, and the run continues.
// proves: EXT-046
#[test]
fn a_handler_that_hangs_is_cut_off() {
    let (home, server) = scripted([done()]);
    extension(&home, "a-hang", &factory("pi.on('session_shutdown', () => new Promise(() => {}));"));
    extension(&home, "b-good", &factory("pi.on('session_shutdown', () => log('good'));"));
    let output = go(&home);
    assert_eq!((output.code, output.stdout.trim()), (Some(0), "done"), "{output:?}");
    assert_eq!(log(&home), ["good"]);
    assert!(output.stderr.contains("a-hang: session_shutdown: it took longer than 2 s"), "{}", output.stderr);
    server.finish();
}

/// A login that its provider does not accept any more.
#[test]
fn a_lost_credential_is_heard_of() {
    let server = Server::start(Scenario::dynamic(|_| done()));
    let oauth = OAuthServer::start();
    oauth.set_lifetime_seconds(30);
    let home = corp_home(&oauth, Some(&server));
    log_in(&home).assert_success();
    let lines =
        r#"pi.on("credential_disabled", ({ provider, disabledCause }) => log(provider, disabledCause));"#;
    extension(&home, "logins", &factory(lines));
    oauth.next(Fault::Answer(
        400,
        json!({"error": "invalid_grant", "error_description": "revoked"}).to_string(),
    ));
    let output = ask(&home, &[], &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let told = log(&home);
    assert!(told.len() == 1 && told[0].starts_with("groq ") && told[0].contains("revoked"), "{told:?}");
}

/// What a server of the Model Context Protocol says unasked.
#[test]
fn servers_are_heard() {
    let tool = json!({"name": "look", "answer": [{"type": "text", "text": "seen"}], "delay": 1});
    let replies = [call("mcp__box_look", json!({})), done()];
    let mcp = McpHome::new(replies).known([("box", json!({"tools": [tool]}))]);
    let lines = r#"
    import { writeFileSync as poke } from "node:fs";"#;
    let source = format!(
        "{lines}\n{}",
        factory(
            r#"let told = false;
            pi.on("mcp_notification", ({ server, method }) => { if (!told) log(server, method); told = true; });
            pi.on("tool_result", async () => { for (let tries = 0; !told && tries < 500; tries++) {
                poke("../box.json.poke", String(tries));
                await new Promise((next) => setTimeout(next, 40));
            } });"#
        )
    );
    extension(&mcp.home, "servers", &source);
    mcp.ask(&["--yolo"]);
    assert_eq!(log(&mcp.home), ["box notifications/tools/list_changed"]);
}

/// Of an event that omp does not send, its handler's author hears when it is loaded.
#[test]
fn what_is_not_sent_is_said() {
    let (home, server) = scripted([done()]);
    let names = ["session_before_compact", "session_stop", "user_bash", "mcp_notification", "user_python"];
    let lines: String = names.iter().map(|name| format!("pi.on('{name}', () => {{}});\n")).collect();
    extension(&home, "names", &factory(&lines));
    let output = go(&home);
    let said: Vec<&str> = output.stderr.lines().filter(|line| line.contains("not available yet")).collect();
    assert!(said.len() == 1 && said[0].contains("\"user_python\""), "{said:?}");
    server.finish();
}

/// A value that no extension can change by accident: what handlers get is a copy.
#[test]
fn payloads_are_copies() {
    let (home, server) = scripted([done()]);
    let lines = r#"pi.on("before_provider_request", ({ payload }) => { payload.model = "another"; });"#;
    extension(&home, "mutate", &factory(lines));
    go(&home);
    let models: Vec<Value> = server.requests().iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, [json!("scripted")]);
    server.finish();
}
