//! Commands that do what they should not, in each of the shells.

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use crate::support::{home, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

/// Each command of one turn after the other; what the model reads of each begins with the text beside it.
#[test]
fn odd_commands_are_survived() {
    let cases: &[(&str, &str)] = &[
        ("x=1; export Y=2", "(no output)"),
        ("cat; head -c 3; echo $Y", "2\n"),
        ("printf 'a\\0b\\033[6n\\033]0;title\\007\\033[?2004hc\\n'", "abc\n"),
        ("head -c 10000000 /dev/zero | tr '\\0' x | wc -c", "10000000\n"),
        ("head -c 10000000 /dev/zero | tr '\\0' x", "xxxxxxxxxx"),
        ("mkdir gone; cd gone; rmdir ../gone; echo left", "left\n"),
        ("pwd | grep -c gone; echo $x", "0\n1\n"),
        ("(setsid sleep 300 >/dev/null 2>&1 &); sleep 300 & echo begun", "begun\n"),
        ("sh -c 'exec 1>&- 2>&-; sleep 0.1'; echo $?", "0\n"),
        ("set -n", ""),
        ("echo fresh", "fresh\n"),
    ];
    for config in ["", "shellPath: embedded\n", "shellPath: /bin/sh\n"] {
        let call = |command: &str| {
            Reply::new().tool_call("bash", json!({"_i": "x", "command": command, "timeout": 20}))
        };
        let replies = cases.iter().map(|(command, _)| call(command)).chain([Reply::new().text("done")]);
        let server = Server::start(replies.collect::<Vec<_>>());
        let home = home(&server, Wire::OpenAiCompletions);
        home.write(CONFIG, config);
        omp_run(&home, &["-p", "x"]).assert_success();
        let body = server.requests().pop().expect("a request").body;
        let messages = body["messages"].as_array().unwrap();
        let results: Vec<&str> = messages
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| message["content"].as_str().unwrap())
            .collect();
        assert_eq!(results.len(), cases.len());
        for ((command, expected), result) in cases.iter().zip(results) {
            assert!(result.starts_with(expected), "{config} {command}: {result:.300}");
            assert!(!result.contains("timed out"), "{config} {command}: {result:.300}");
        }
        server.finish();
    }
}
