//! Models that are found out, as a user meets them.

use omp_testkit::{Home, ListReply, ListServer, Output, Reply, Scenario, Server, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run};

const MODELS: &str = "home/.omp/agent/models.yml";

fn with_env(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = omp(home, args);
    command.envs(variables.iter().copied());
    run(command, Some(b""), LIMIT)
}

/// A provider of the file whose list is asked for with much time.
fn provider(id: &str, base: &str, lines: &str) -> String {
    format!(
        "  {id}:\n    baseUrl: {base}\n    api: openai-completions\n    discovery: {{type: openai-models-list, timeoutMs: 20000}}\n    {lines}\n"
    )
}

fn rows(output: &Output) -> Vec<Value> {
    serde_json::from_str(&output.stdout).expect("a JSON array")
}

/// Nothing is configured: the server is found at the address that the environment names, and answers.
///
/// proves: MOD-082, MOD-235
#[test]
fn ollama_is_found_where_the_environment_says() {
    for form in ["OLLAMA_BASE_URL", "OLLAMA_HOST", "host"] {
        let server = Server::start(
            Scenario::replies([Reply::new().text("from ollama")]).keyless(true).ollama(["llama3:8b"]),
        );
        let home = Home::new();
        let (base, port) = (server.base_url(), format!(":{}", server.port()));
        let variables: &[(&str, &str)] = match form {
            "OLLAMA_BASE_URL" => &[("OLLAMA_BASE_URL", &base), ("OLLAMA_HOST", "127.0.0.1:9")],
            "OLLAMA_HOST" => &[("OLLAMA_BASE_URL", ""), ("OLLAMA_HOST", &base)],
            _ => &[("OLLAMA_BASE_URL", ""), ("OLLAMA_HOST", &port)],
        };
        let output = with_env(&home, &["-p", "--model", "ollama/llama3:8b", "x"], variables);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("from ollama\n", ""), "{form}");
        let request = &server.requests()[0];
        assert_eq!((request.path.as_str(), request.header("authorization")), ("/v1/responses", None));
        server.finish();
    }
}

/// A server that never answers is not waited for, and nobody hears of it.
///
/// proves: MOD-090
#[test]
fn silent_engines_are_not_noticed() {
    let hole = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", hole.local_addr().unwrap());
    let black_holes =
        [("OLLAMA_BASE_URL", &*silent), ("LM_STUDIO_BASE_URL", &silent), ("LLAMA_CPP_BASE_URL", &silent)];
    let home = Home::new();
    let listed = with_env(&home, &["models"], &black_holes);
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""));
    let demo = with_env(&home, &["-p", "x"], &black_holes);
    assert_eq!(demo.code, Some(1));
    assert!(demo.stderr.starts_with("Error: no model available"), "{}", demo.stderr);
    let server = Server::start([Reply::new().text("ok")]);
    let home = crate::support::home(&server, omp_testkit::Wire::OpenAiCompletions);
    hole.set_nonblocking(true).unwrap();
    while hole.accept().is_ok() {}
    let output = with_env(&home, &["-p", "x"], &black_holes);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    assert!(hole.accept().is_err(), "where a model is at hand, nobody looks for others");
    server.finish();
}

/// A server that fails is named with its reason; the others are listed, and nothing ends because of it.
///
/// proves: MOD-069, MOD-100
#[test]
fn failing_servers_are_named() {
    let good = ListServer::start([("/v1/models", ListReply::Json(json!({"data": [{"id": "g"}]})))]);
    let bad = ListServer::start([("/v1/models", ListReply::Status(500))]);
    let home = Home::new();
    let file = format!(
        "providers:\n{}{}",
        provider("good", &good.base_url(), "auth: none"),
        provider("bad", &bad.base_url(), "auth: none")
    );
    home.write(MODELS, &file);
    let sentence = format!("provider bad: {}/v1/models returned HTTP 500", bad.base_url());
    for _ in 0..2 {
        let output = omp_run(&home, &["models"]);
        output.assert_success();
        assert!(
            output.stdout.contains("good/g") && output.stdout.contains("\nanthropic: "),
            "{}",
            output.stdout
        );
        assert!(output.stderr.contains(&sentence), "{}", output.stderr);
    }
    assert_eq!(bad.calls().len(), 1, "it rests for a while");
    let row = &rows(&omp_run(&home, &["models", "good", "--json"]))[0];
    assert_eq!(
        (&row["source"], &row["list"], &row["available"]),
        (&json!("discovered"), &json!("fresh"), &json!(true))
    );
    let refresh = omp_run(&home, &["models", "refresh", "--json"]);
    assert_eq!(refresh.code, Some(1));
    let lists = rows(&refresh);
    let failed = lists.iter().find(|list| list["provider"] == "bad").unwrap();
    assert_eq!(failed["state"], "failed");
    assert!(failed["error"].as_str().unwrap().contains("HTTP 500"), "{failed}");
    let asked = omp_run(&home, &["-p", "--model", "bad/x", "hi"]);
    assert_eq!(asked.code, Some(1));
    for part in ["no model matches \"bad/x\"", &sentence] {
        assert!(asked.stderr.contains(part), "{}", asked.stderr);
    }
    good.finish();
    bad.finish();
}

/// A model that is not on the kept list is looked for once before it is called unknown.
#[test]
fn unknown_models_are_asked_for_once() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).models(["a"]));
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), "auth: none")));
    let lists = || server.other_requests().len();
    let unknown = omp_run(&home, &["-p", "--model", "mine/b", "x"]);
    assert_eq!((unknown.code, lists()), (Some(1), 1));
    assert!(unknown.stderr.contains("no model matches \"mine/b\""), "{}", unknown.stderr);
    let again = omp_run(&home, &["-p", "--model", "mine/b", "x"]);
    assert_eq!((again.code, lists()), (Some(1), 2), "it may be there by now");
    let known = omp_run(&home, &["-p", "--model", "mine/a", "x"]);
    assert_eq!((known.stdout.as_str(), lists()), ("ok\n", 2), "what is known is not asked for");
    server.finish();
}

/// Without a wish the user's own server comes first, also when its list was never seen.
#[test]
fn described_servers_come_before_compiled_in_ones() {
    let server = Server::start(Scenario::replies([Reply::new().text("mine")]).keyless(true).models(["a"]));
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), "auth: none")));
    let output = with_env(&home, &["-p", "x"], &[("ANTHROPIC_API_KEY", "k")]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("mine\n", ""));
    server.finish();
}

/// The id is the one name: it selects, it is logged in to, and it is switched off by.
///
/// proves: MOD-010
#[test]
fn one_id_for_everything() {
    let server = Server::start(
        Scenario::replies([Reply::new().text("one"), Reply::new().text("two")])
            .expect_key("stored-key")
            .models(["a"]),
    );
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), "headers: {X-A: b}")));
    let locked = rows(&omp_run(&home, &["models", "mine", "--json"]));
    assert_eq!((&locked[0]["selector"], &locked[0]["available"]), (&json!("mine/a"), &json!(false)));
    run(omp(&home, &["login", "mine", "--with-key"]), Some(b"stored-key\n"), LIMIT).assert_success();
    let open = rows(&omp_run(&home, &["models", "mine", "--json"]));
    assert_eq!(open[0]["available"], true);
    let output = omp_run(&home, &["-p", "--model", "mine/a", "x"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("one\n", ""));
    assert_eq!(omp_run(&home, &["-p", "--provider", "mine", "x"]).stdout, "two\n");
    home.write("home/.omp/agent/config.yml", "disabledProviders: [mine]\n");
    assert_eq!(omp_run(&home, &["models", "find", "mine/"]).stdout, "No matching models\n");
    let gone = omp_run(&home, &["-p", "--model", "mine/a", "x"]);
    assert_eq!(gone.code, Some(1));
    server.finish();
}

/// A name that is switched off means what it names and nothing that sounds like it.
///
/// proves: MOD-146
#[test]
fn sources_of_files_and_providers_share_one_list() {
    let home = Home::new();
    home.write("home/.claude/CLAUDE.md", "From Claude.\n");
    let anthropic =
        |home: &Home| omp_run(home, &["models", "anthropic"]).stdout.contains("  anthropic/claude");
    let reads = |home: &Home| {
        let output = omp_run(home, &["config", "sources", "--json"]);
        output.assert_success();
        let listed: Value = serde_json::from_str(&output.stdout).unwrap();
        listed["sources"].as_array().unwrap().iter().any(|row| row.to_string().contains("CLAUDE.md"))
    };
    assert!(anthropic(&home) && reads(&home));
    home.write("home/.omp/agent/config.yml", "disabledProviders: [claude]\n");
    assert!(anthropic(&home), "the provider of models is another one");
    assert!(!reads(&home), "its files are not read");
    home.write("home/.omp/agent/config.yml", "disabledProviders: [anthropic]\n");
    assert!(!anthropic(&home) && reads(&home));
}

/// Spaces around a key were pasted with it; what a command says beside its answer is nobody's business.
#[test]
fn keys_arrive_clean() {
    let list = || ListReply::Json(json!({"data": [{"id": "m"}]}));
    let server = ListServer::start([("/v1/models", list())]).require("authorization", "Bearer k");
    for key in ["MY_KEY", "' k '", "'!printf \" k \\n\\n\"; echo hunter2 >&2'"] {
        let home = Home::new();
        home.write(
            MODELS,
            format!("providers:\n{}", provider("mine", &server.base_url(), &format!("apiKey: {key}"))),
        );
        let output = with_env(&home, &["models", "mine"], &[("MY_KEY", "  k\n")]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{key}");
        assert!(output.stdout.contains("mine/m"), "{key}: {}", output.stdout);
    }
    let home = Home::new();
    let key = "apiKey: '!echo hunter2 >&2; false'";
    home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), key)));
    let output = omp_run(&home, &["models"]);
    output.assert_success();
    assert!(output.stderr.contains("provider mine: its key command failed"), "{}", output.stderr);
    assert!(!format!("{}{}", output.stdout, output.stderr).contains("hunter2"));
    server.finish();
}

/// Twenty thousand models are listed, kept, found and used.
#[test]
fn long_lists_are_usable() {
    let data: Vec<Value> = (0..20_000).map(|number| json!({"id": format!("model-{number}")})).collect();
    let list = json!({ "data": data });
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).model_list(list));
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), "auth: none")));
    let listed = omp_run(&home, &["models", "mine"]);
    assert_eq!(listed.stdout.lines().filter(|line| line.contains("mine/model-")).count(), 20_000);
    let output = omp_run(&home, &["-p", "--model", "mine/model-12345", "x"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    assert_eq!(server.requests()[0].body["model"], "model-12345");
    server.finish();
}

/// Lists that are not lists, from one provider to the next; the program goes on.
#[test]
fn bad_lists_end_nothing() {
    let page = ListReply::Page("text/html", "<html>\u{1b}[2J</html>".to_owned());
    for (reply, word) in [
        (page, "text/html"),
        (ListReply::Flood(100 * 1024 * 1024), "more than 16 MiB"),
        (ListReply::Broken, "cannot fetch its model list"),
    ] {
        let server = ListServer::start([("/v1/models", reply)]);
        let home = Home::new();
        home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), "auth: none")));
        let output = omp_run(&home, &["models"]);
        output.assert_success();
        assert!(
            output.stderr.contains("provider mine: ") && output.stderr.contains(word),
            "{}",
            output.stderr
        );
        assert!(!output.stderr.contains('\u{1b}'));
        assert!(output.stdout.contains("\nanthropic: "));
        server.finish();
    }
}

/// Every form of the command does something sensible.
///
/// proves: MOD-151
#[test]
fn every_form_of_the_command_works() {
    let server = ListServer::start([(
        "/v1/models",
        ListReply::Json(json!({"data": [{"id": "small"}, {"id": "large"}]})),
    )]);
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("mine", &server.base_url(), "auth: none")));
    let text = |args: &[&str]| {
        let output = omp_run(&home, args);
        output.assert_success();
        output.stdout
    };
    let one = text(&["models", "mine"]);
    assert!(one.starts_with("mine: ready\n  mine/small ") && !one.contains("anthropic"), "{one}");
    let found = text(&["models", "find", "larg"]);
    assert!(found.contains("mine/large") && !found.contains("mine/small"), "{found}");
    assert_eq!(text(&["models", "refresh"]), "mine: 2 models\n");
    let rows: Vec<Value> = serde_json::from_str(&text(&["models", "--json"])).unwrap();
    assert!(rows.iter().any(|row| row["selector"] == "mine/small") && rows.len() > 10);
    server.finish();
}
