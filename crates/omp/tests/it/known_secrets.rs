//! Values that omp knows as secrets: masked in everything that leaves the tools, by default.

use std::process::Command;

use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire, run};
use serde_json::json;

use crate::sessions::session_files;
use crate::support::{LIMIT, omp};

const CONFIG: &str = "home/.omp/agent/config.yml";
/// One canary for each place that secrets come from.
const IN_ENVIRONMENT: &str = "canary-env-4f9a\"quoted\"77";
const IN_DOT_ENV: &str = "canary-dotenv-8c1d22";
const IN_MODELS: &str = "canary-models-9e3b41";
const IN_STORE: &str = "canary-store-5a7f63";
const IN_SECRETS_YML: &str = "canary named by hand";
const CANARIES: [&str; 5] = [IN_ENVIRONMENT, IN_DOT_ENV, IN_MODELS, IN_STORE, IN_SECRETS_YML];

/// A home that knows all of them, and a file that shows them.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "home/.omp/agent/.env",
        format!("DEPLOY_TOKEN={IN_DOT_ENV}\nDEPLOY_AUTH=localhost\nSIGN_KEY=true\n"),
    );
    home.write("home/.omp/agent/secrets.yml", format!("- {{type: plain, content: {IN_SECRETS_YML}}}\n"));
    home.write("work/shown.txt", CANARIES.map(|canary| format!("value={canary};\n")).concat());
    home
}

fn command(home: &Home, args: &[&str]) -> Command {
    let mut command = omp(home, args);
    command.env("MY_API_KEY", IN_ENVIRONMENT).env("DB_PASSWORD", "localhost").env("FEATURE_TOKEN", "enabled");
    command
}

fn omp_run(home: &Home, args: &[&str]) -> Output {
    run(command(home, args), Some(b""), LIMIT)
}

fn models(home: &Home, server: &Server) {
    let models = home.models_yml(server, Wire::OpenAiCompletions, ModelOptions::new());
    let described = std::fs::read_to_string(&models).unwrap();
    let more = format!(
        "  other:\n    baseUrl: http://127.0.0.1:9\n    api: openai-completions\n    apiKey: {IN_MODELS}\n    models: [{{id: m}}]\n  groq:\n    baseUrl: http://127.0.0.1:9/v1\n"
    );
    std::fs::write(models, described + &more).unwrap();
    let login = omp(home, &["login", "groq", "--with-key"]);
    run(login, Some(format!("{IN_STORE}\n").as_bytes()), LIMIT);
}

/// No canary, in no form: the escapes of JSON and of pages are undone.
fn assert_masked(text: &str, channel: &str) {
    let plain =
        text.replace("\\\\", "\\").replace("\\\"", "\"").replace("&quot;", "\"").replace("&#34;", "\"");
    for canary in CANARIES {
        assert!(!plain.contains(canary), "{channel}: {canary} in {text}");
    }
}

// proves: SEC-042
#[test]
fn canaries_are_masked_in_every_channel() {
    let home = home();
    let server = Server::start([
        Reply::new()
            .tool_call("bash", json!({"_i": "x", "command": "cat shown.txt; echo $MY_API_KEY"}))
            .tool_call("read", json!({"_i": "x", "path": "shown.txt"}))
            .tool_call("bash", json!({"_i": "x", "command": "cat shown.txt >&2; exit 3"}))
            .tool_call("search", json!({"_i": "x", "pattern": "canary", "paths": ["."]})),
        Reply::new().text("seen"),
    ]);
    models(&home, &server);
    let prompt = format!("my own words: {IN_ENVIRONMENT}");
    let output = omp_run(&home, &["--mode", "json", "--record", "run.rec", &prompt]);
    output.assert_success();
    let requests = server.requests();
    server.finish();

    // 1 and 2: what the model is told of results, of commands that fail too; what the person typed is meant for it.
    let messages = requests[1].body["messages"].as_array().unwrap();
    let results: Vec<String> =
        messages.iter().filter(|message| message["role"] == "tool").map(ToString::to_string).collect();
    assert_eq!(results.len(), 4);
    for (number, result) in results.iter().enumerate() {
        assert_masked(result, &format!("result {number}"));
        assert!(result.contains("[secret:"), "{result}");
    }
    for name in ["MY_API_KEY", "DEPLOY_TOKEN", "other key", "groq key", "secrets.yml"] {
        assert!(results[0].contains(&format!("[secret:{name}]")), "{name}: {}", results[0]);
    }
    assert!(requests[0].body.to_string().contains("canary-env"), "what is typed is sent");
    // 3: events.
    assert_masked(&output.stdout, "--mode json");
    // 4: the session.
    let session = session_files(&home)[0].clone();
    assert_masked(&std::fs::read_to_string(&session).unwrap(), "session");
    // 5: the recording.
    assert_masked(&home.read("work/run.rec"), "recording");
    // 6 and 7: pages and texts, also of a session that was written before there were masks.
    let old = std::fs::read_to_string(&session).unwrap().replace("[secret:DEPLOY_TOKEN]", IN_DOT_ENV);
    assert!(old.contains(IN_DOT_ENV));
    std::fs::write(&session, old).unwrap();
    let name = session.to_str().unwrap();
    omp_run(&home, &["--export", name, "page.html"]).assert_success();
    assert_masked(&home.read("work/page.html"), "page");
    assert!(home.read("work/page.html").contains("[secret:"));
    assert_masked(&omp_run(&home, &["session", "show", name]).assert_success().stdout, "text");
}

// proves: SEC-042
#[test]
fn errors_and_logs_name_no_secret() {
    let home = home();
    // 8: what a provider says about a request comes back on standard error, 9: and in the session.
    let said =
        format!("wrong key {IN_STORE} for {IN_DOT_ENV}, {IN_ENVIRONMENT}, {IN_MODELS}, {IN_SECRETS_YML}");
    let server = Server::start([Reply::status(400).body(json!({"error": {"message": said}}))]);
    models(&home, &server);
    let output = omp_run(&home, &["-p", "x"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("wrong key [secret:groq key]"), "{}", output.stderr);
    assert_masked(&output.stderr, "standard error");
    for file in home.list_files().iter().filter(|file| file.ends_with(".jsonl") || file.contains("/logs/")) {
        assert_masked(&home.read(file), file);
    }
}

/// 10: the command of the user at the prompt, and its output, for the model and the file.
// proves: SEC-042
#[test]
fn commands_of_the_user_are_masked_for_the_model() {
    use omp_testkit::terminal::{Answers, Terminal};
    let home = home();
    let server = Server::start([Reply::new().text("answered")]);
    models(&home, &server);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.arg("--plain-ui").env("MY_API_KEY", IN_ENVIRONMENT);
    let mut terminal = Terminal::start(command, 50, 100, Answers::Kind);
    terminal.wait_for("Type a prompt").send("!cat shown.txt\r").wait_for("value=").wait_for("> ");
    terminal.send("what was that\r").wait_for("answered");
    terminal.send("\x04").wait_exit();
    let body = server.requests()[0].body.to_string();
    assert!(body.contains("shown.txt") && body.contains("[secret:DEPLOY_TOKEN]"), "{body}");
    assert_masked(&body, "output of a command");
    assert_masked(&std::fs::read_to_string(&session_files(&home)[0]).unwrap(), "session");
}

/// What is kept whole has no secret in it either.
// proves: SEC-042
#[test]
fn outputs_that_are_kept_whole_are_masked() {
    let home = home();
    let long = "cat shown.txt; seq 1 200000; cat shown.txt";
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "x", "command": long})),
        Reply::new().text("ok"),
    ]);
    models(&home, &server);
    omp_run(&home, &["-p", "x"]).assert_success();
    let kept: Vec<String> =
        home.list_files().into_iter().filter(|path| path.ends_with(".bash.log")).collect();
    assert_eq!(kept.len(), 1);
    let text = home.read(&kept[0]);
    assert!(text.contains("200000") && text.contains("value=****"), "{} bytes", text.len());
    CANARIES[..4].iter().for_each(|canary| assert!(!text.contains(canary), "{canary}"));
    server.finish();
}

/// Ordinary words stay, whatever the variable is called; so does everything with masking off.
// proves: SEC-042
#[test]
fn ordinary_values_and_masks_that_are_off() {
    let home = home();
    home.write("work/words.txt", "localhost true enabled\n");
    let read = |path: &str| Reply::new().tool_call("read", json!({"_i": "x", "path": path}));
    let server = Server::start([
        read("words.txt"),
        Reply::new().text("ok"),
        read("shown.txt"),
        Reply::new().text("ok"),
    ]);
    models(&home, &server);
    omp_run(&home, &["-p", "x"]).assert_success();
    assert!(server.requests()[1].body.to_string().contains("localhost true enabled"));
    home.write(CONFIG, "secrets:\n  mask: false\n");
    omp_run(&home, &["-p", "x"]).assert_success();
    assert!(server.requests()[3].body.to_string().contains(IN_DOT_ENV));
    server.finish();
}

/// A model that never saw a value cannot put a mask in its place.
// proves: SEC-042
#[test]
fn a_mask_is_not_written_over_a_secret() {
    let home = home();
    home.write("work/conf", format!("token={IN_DOT_ENV}\n"));
    let write =
        |text: &str| Reply::new().tool_call("write", json!({"_i": "x", "path": "conf", "content": text}));
    let server = Server::start([
        write("token=[secret:DEPLOY_TOKEN]\nmore=1\n"),
        Reply::new()
            .tool_call("bash", json!({"_i": "x", "command": "echo 'token=[secret:DEPLOY_TOKEN]' > conf"})),
        write("token=[secret:SOMETHING_ELSE]\n"),
        Reply::new().text("ok"),
    ]);
    models(&home, &server);
    omp_run(&home, &["-p", "x"]).assert_success();
    let requests = server.requests();
    for request in &requests[1..3] {
        let last = request.body["messages"].as_array().unwrap().last().unwrap().to_string();
        assert!(last.contains("stands for a secret that omp masks"), "{last}");
    }
    assert_eq!(home.read("work/conf"), "token=[secret:SOMETHING_ELSE]\n", "only known masks are refused");
    server.finish();
}

/// A password or token in an address is masked in everything that is printed or kept.
// proves: SEC-045
#[test]
fn addresses_show_no_password() {
    let home = Home::new();
    home.write(CONFIG, "retry:\n  enabled: false\n");
    let hidden = ["hush-word-77", "tok-en-8899"];
    let assert_hidden = |text: &str, channel: &str| {
        assert!(!hidden.iter().any(|secret| text.contains(secret)), "{channel}: {text}");
    };
    for (address, api) in [
        ("http://ann:hush-word-77@127.0.0.1:9/v1?api_key=tok-en-8899", "openai-completions"),
        ("http://ann:hush-word-77@127.0.0.1:99999999/v1?api_key=tok-en-8899", "anthropic-messages"),
        ("http://ann:hush-word-77@[bad/v1?token=tok-en-8899", "openai-responses"),
    ] {
        home.write(
            "home/.omp/agent/models.yml",
            format!("providers:\n  mine:\n    baseUrl: \"{address}\"\n    api: {api}\n    apiKey: k\n    discovery: {{type: openai}}\n    models: [{{id: m}}]\n"),
        );
        let _ = std::fs::remove_file(home.path("work/run.rec"));
        for args in [
            &["models"][..],
            &["models", "--json"],
            &["models", "status"],
            &["-p", "--model", "mine/m", "x"],
            &["--mode", "json", "--record", "run.rec", "--model", "mine/m", "x"],
            &["bench", "mine/m"],
        ] {
            let output = run(omp(&home, args), Some(b""), LIMIT);
            assert_hidden(&output.stdout, &args.join(" "));
            assert_hidden(&output.stderr, &args.join(" "));
        }
        for file in home.list_files().iter().filter(|file| !file.ends_with("models.yml")) {
            assert_hidden(&String::from_utf8_lossy(&home.read_bytes(file)), file);
        }
    }
    let set = ["config", "set", "share.serverUrl", "https://ann:hush-word-77@host/?key=tok-en-8899"];
    for args in [
        &set[..],
        &["config", "get", "share.serverUrl"],
        &["config", "get", "share.serverUrl", "--json"],
        &["config", "list"],
        &["config", "list", "--json"],
    ] {
        let output = run(omp(&home, args), Some(b""), LIMIT);
        output.assert_success();
        assert_hidden(&output.stdout, &args.join(" "));
        assert!(output.stdout.contains("ann:***@host"), "{args:?}: {}", output.stdout);
    }
    let mut command = omp(&home, &["-p", "x"]);
    command.env("HTTP_PROXY", "http://ann:hush-word-77@127.0.0.1:9").env("OPENAI_API_KEY", "k");
    let output = run(command, Some(b""), LIMIT);
    assert_hidden(&output.stderr, "proxy");
}
