//! `omp bench`.

use std::time::Duration;

use omp_testkit::{ModelOptions, Reply, Server, Usage, Wire};
use serde_json::Value;

use crate::support::{home, last_user, omp_run};

fn slow() -> Reply {
    let usage = Usage { input: 10, output: 41, cache_read: 0, cache_write: 0 };
    Reply::new()
        .text("word by word, and more of them")
        .delta_size(5)
        .delay_before(Duration::from_millis(40))
        .stall_after_event(3, Duration::from_millis(60))
        .usage(usage)
}

/// Two models, each asked twice: what is reported is what the server did, and the average of it.
/// proves: CLI-104
#[test]
fn models_are_measured_one_after_the_other() {
    let server = Server::start([slow(), slow(), slow(), slow()]);
    let home = home(&server, Wire::OpenAiCompletions);
    let second = ModelOptions::new().id("second");
    let yaml = second.yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    let both = home.read("home/.omp/agent/models.yml") + &yaml.replace("providers:\n  test:", "  other:");
    home.write("home/.omp/agent/models.yml", both);
    let output = omp_run(
        &home,
        &[
            "bench",
            "test/scripted",
            "second",
            "--runs",
            "2",
            "--max-tokens",
            "99",
            "--prompt",
            "say it",
            "--json",
        ],
    );
    output.assert_success();
    let document: Value = serde_json::from_str(&output.stdout).expect("one JSON document");
    let models = document["models"].as_array().expect("models");
    assert_eq!(
        models.iter().map(|row| row["model"].as_str()).collect::<Vec<_>>(),
        [Some("test/scripted"), Some("other/second")]
    );
    for row in models {
        let runs = row["runs"].as_array().expect("runs");
        assert_eq!((runs.len(), &row["error"]), (2, &Value::Null));
        let number = |run: &Value, name: &str| run[name].as_f64().expect("a number");
        for run in runs {
            let (first, whole) = (number(run, "firstTokenMs"), number(run, "durationMs"));
            // How the time falls to the two parts is up to the machine: a busy one sees the first word late.
            assert!(first >= 40.0 && whole >= 100.0 && whole > first, "the server takes its time: {run}");
            assert_eq!(run["outputTokens"], 41);
            let speed = 40.0 / ((whole - first) / 1000.0);
            assert!((number(run, "tokensPerSecond") - speed).abs() < 0.01 * speed, "{run}");
        }
        for name in ["firstTokenMs", "durationMs", "tokensPerSecond"] {
            let mean = runs.iter().map(|run| number(run, name)).sum::<f64>() / 2.0;
            assert!((number(&row["average"], name) - mean).abs() < 1e-6, "{name}: {row}");
        }
    }
    for request in server.requests() {
        assert_eq!(last_user(&request.body), "say it");
        let limit = request.body.get("max_completion_tokens").or_else(|| request.body.get("max_tokens"));
        assert_eq!(limit, Some(&99.into()), "{}", request.body);
    }
    server.finish();
}

/// People get a table. A model that fails does not stop the others, and the command fails.
#[test]
fn a_table_with_what_failed_below_it() {
    let refusal =
        serde_json::json!({"error": {"message": "no such model here", "type": "invalid_request_error"}});
    let server = Server::start([Reply::status(400).body(refusal), slow()]);
    let home = home(&server, Wire::OpenAiCompletions);
    let output = omp_run(&home, &["bench", "nonsense", "scripted", "scripted", "--runs", "1"]);
    assert_eq!(output.code, Some(1));
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines[0].contains("first token") && lines[0].contains("tokens/s"), "{}", output.stdout);
    assert!(lines[1].starts_with("test/scripted") && lines[1].contains(" ms"), "{}", output.stdout);
    assert!(
        output.stdout.contains("nonsense: ") && output.stdout.contains("no such model here"),
        "{}",
        output.stdout
    );
    server.finish();
    for (flag, value) in [("--runs", "0"), ("--runs", "-3"), ("--max-tokens", "0"), ("--runs", "1000")] {
        let output = omp_run(&home, &["bench", "scripted", flag, value]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""));
        assert!(output.stderr.contains(flag), "{}", output.stderr);
    }
}
