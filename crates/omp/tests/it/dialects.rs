//! Tools in the text of a dialect, through the program.

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};
use serde_json::Value;

use crate::support::{LIMIT, home, omp, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn is_in_band(body: &Value, sign: &str) -> bool {
    body.get("tools").is_none() && body["messages"][0].to_string().contains(sign)
}

fn is_native(body: &Value) -> bool {
    body["tools"].is_array() && !body["messages"][0].to_string().contains("<tools>")
}

/// The setting, the variable over it, and a model that is marked.
// proves: WIR-043, WIR-044, MOD-039
#[test]
fn the_format_is_a_setting_and_a_variable() {
    let server = Server::start(Scenario::from([(); 5].map(|()| Reply::new().text("ok"))));
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "x"]).assert_success();
    home.write(CONFIG, "tools:\n  format: glm\n");
    omp_run(&home, &["-p", "x"]).assert_success();
    let mut command = omp(&home, &["-p", "x"]);
    run(command.env("PI_DIALECT", "kimi"), Some(b""), LIMIT).assert_success();
    home.write(CONFIG, "tools:\n  format: native\n");
    omp_run(&home, &["-p", "x"]).assert_success();
    home.write(CONFIG, "");
    let models = home.read("home/.omp/agent/models.yml");
    let marked = models.replacen("    api: ", "    compat:\n      supportsTools: false\n    api: ", 1);
    assert_ne!(models, marked, "{models}");
    home.write("home/.omp/agent/models.yml", marked);
    omp_run(&home, &["-p", "x"]).assert_success();
    let bodies: Vec<Value> = server.requests().iter().map(|request| request.body.clone()).collect();
    assert!(is_native(&bodies[0]), "auto");
    assert!(is_in_band(&bodies[1], "<arg_key>"), "the setting");
    assert!(is_in_band(&bodies[2], "<|tool_call_argument_begin|>"), "the variable");
    assert!(is_native(&bodies[3]), "native");
    assert!(is_in_band(&bodies[4], "<arg_key>"), "a model without tools");
    server.finish();
}

/// A lifted call runs; one of a tool that does not exist, and one that was cut off, are answered with an error.
// proves: WIR-049, WIR-052
#[test]
fn lifted_calls_run_and_wrong_ones_are_answered() {
    let call = |name: &str| {
        format!("<tool_call>{name}\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>")
    };
    let torn = call("read").replace("</tool_call>", "");
    let server = Server::start(
        Scenario::new()
            .reply(Reply::new().text(&format!("{}\n{}", call("read"), call("no_such_tool"))))
            .reply(Reply::new().text(&torn))
            .reply(Reply::new().text("done")),
    );
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    home.write("work/a.txt", "secret contents\n");
    home.write(CONFIG, "tools:\n  format: glm\n");
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert!(output.stdout.contains("done"), "{}", output.stdout);
    let requests = server.requests();
    let last = |at: usize| {
        let messages = requests[at].body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"].to_string()
    };
    let results = last(1);
    assert_eq!(results.matches("<tool_response>").count(), 2, "{results}");
    assert!(results.contains("secret contents") && results.contains("no_such_tool"), "{results}");
    let refused = last(2);
    assert!(refused.contains("<tool_response>") && !refused.contains("secret contents"), "{refused}");
    server.finish();
}
