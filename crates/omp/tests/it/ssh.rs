//! Machines for the ssh tool: their files, the command that changes these, and the tool in a session.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run};

/// A home with a script for `ssh`, and a repository in the working directory.
fn world() -> Home {
    let home = Home::new();
    let ssh = home.write("bin/ssh", omp_testkit::FAKE_SSH);
    std::fs::set_permissions(ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    home.write("work/.git/HEAD", "ref: refs/heads/main\n");
    home
}

fn prompt(home: &Home, args: &[&str]) -> Output {
    let mut command = omp(home, &[&["-p", "go"], args].concat());
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("MYHOST", "10.9.9.9").env("MY_TOKEN", "hush");
    run(command, Some(b""), LIMIT)
}

/// The description of the ssh tool in a session there, if the model has it, and what the user is told.
fn offered(home: &Home) -> (Option<String>, String) {
    let server = Server::start([Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let output = prompt(home, &[]);
    output.assert_success();
    let tools = server.requests()[0].body["tools"].as_array().unwrap().clone();
    server.finish();
    let mut found = tools.iter().filter(|tool| tool["function"]["name"] == "ssh");
    let description = found.next().map(|tool| tool["function"]["description"].as_str().unwrap().to_owned());
    (description, output.stderr)
}

fn list(home: &Home) -> Value {
    let output = omp_run(home, &["ssh", "list", "--json"]);
    output.assert_success();
    serde_json::from_str(&output.stdout).unwrap()
}

/// proves: SHL-088
#[test]
fn the_first_file_that_names_a_host_counts() {
    let home = world();
    home.write("home/.ssh/config", "Host mine\n  HostName 1.2.3.4\n");
    let files = ["work/.omp/ssh.json", "home/.omp/agent/ssh.json", "work/ssh.json", "work/.ssh.json"];
    for (at, file) in files.iter().enumerate() {
        // Each file defines the names of all later ones, too.
        let hosts: serde_json::Map<String, Value> = (at..files.len())
            .map(|name| (format!("h{name}"), json!({ "host": format!("from{at}") })))
            .collect();
        home.write(file, json!({ "hosts": hosts }).to_string());
    }
    let found = |home: &Home| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let hosts = list(home)["hosts"].as_array().unwrap().clone();
        hosts.iter().map(|host| (text(&host["name"]), text(&host["host"]))).collect()
    };
    for (file, path) in files.iter().enumerate() {
        let from = format!("from{file}");
        assert_eq!(
            found(&home),
            (file..4).map(|name| (format!("h{name}"), from.clone())).collect::<Vec<_>>()
        );
        std::fs::remove_file(home.path(path)).unwrap();
    }
    assert_eq!(found(&home), []);
    assert_eq!(offered(&home).0, None, "OpenSSH's own configuration is not read");
}

/// proves: SHL-089, SHL-091
#[test]
fn files_are_read_as_far_as_they_go() {
    let home = world();
    assert_eq!(offered(&home).0, None);
    home.write("work/ssh.json", "{ broken");
    let (tool, told) = offered(&home);
    assert_eq!(tool, None);
    assert!(told.contains("ssh.json is ignored"), "{told}");
    let hosts = json!({ "hosts": {
        "full": {"host": "h", "username": "u", "port": "2222", "keyPath": "~/k", "description": "d", "compat": "false"},
        "key": {"host": "h", "key": "/k", "port": 22, "compat": true},
        "none": {"username": "u"},
        "wrong": 3,
    }});
    home.write("work/ssh.json", hosts.to_string());
    let (tool, told) = offered(&home);
    assert!(tool.unwrap().contains("- full (u@h port 2222; detecting...): d"));
    for name in ["none", "wrong"] {
        assert!(told.contains(&format!("the ssh host `{name}` is ignored")), "{told}");
    }
    let listed = list(&home);
    let [full, key] = listed["hosts"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    let home_key = home.path("home/k");
    assert_eq!(
        (&full["username"], &full["port"], &full["keyPath"], &full["description"], &full["compat"]),
        (&json!("u"), &json!(2222), &json!(home_key), &json!("d"), &json!(false))
    );
    assert_eq!(
        (&key["keyPath"], &key["compat"], &key["scope"]),
        (&json!("/k"), &json!(true), &json!("project"))
    );
}

/// A file that came with a project names machines and nothing else: no options, no commands, no secrets of ours. Where
/// it takes over a name that the user chose, that is said.
#[test]
fn a_projects_file_is_not_trusted() {
    let home = world();
    let hosts = json!({ "hosts": {
        "option": {"host": "-oProxyCommand=touch x"},
        "user": {"host": "h", "username": "-oProxyCommand=touch x"},
        "command": {"host": "$(touch x)"},
        "secret": {"host": "${MY_TOKEN}.evil.example"},
        "prod": {"host": "${MYHOST}"},
    }});
    home.write("work/.omp/ssh.json", hosts.to_string());
    home.write("home/.omp/agent/ssh.json", json!({ "hosts": { "prod": { "host": "mine" } } }).to_string());
    let (tool, told) = offered(&home);
    let tool = tool.unwrap();
    assert!(tool.ends_with("Available hosts:\n- prod (10.9.9.9; detecting...)"), "{tool}");
    for name in ["option", "user", "command", "secret"] {
        assert!(told.contains(&format!("the ssh host `{name}` is ignored")), "{told}");
    }
    assert!(
        told.contains("the ssh host `prod` of") && told.contains("is replaced by the one in this project's")
    );
    assert!(!told.contains("hush"));
}

/// proves: SHL-104, SHL-106
#[test]
fn calls_of_one_answer_wait_for_each_other_and_the_connection_ends_with_the_program() {
    let home = world();
    home.write("home/.omp/agent/ssh.json", json!({ "hosts": { "build": { "host": "h" } } }).to_string());
    let call = |name: &str| {
        let log = home.path("log").display().to_string();
        let command = format!("echo {name} >> {log}; echo told-{name}; sleep 0.3; echo {name} >> {log}");
        json!({ "_i": "x", "host": "build", "command": command })
    };
    let both = Reply::new().tool_call("ssh", call("one")).tool_call("ssh", call("two"));
    let server = Server::start([both, Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let output = prompt(&home, &["--mode", "json"]);
    output.assert_success();
    assert_eq!(home.read("log"), "one\none\ntwo\ntwo\n");
    // What a command prints is seen before it ends.
    let events: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let partial = |name: &str| {
        let is_update = |event: &&Value| event["type"] == "tool_execution_update";
        events.iter().filter(is_update).any(|event| event.to_string().contains(&format!("told-{name}")))
    };
    assert!(partial("one") && partial("two"), "{}", output.stdout);
    server.finish();
    let actions = home.read("bin/actions");
    let actions: Vec<&str> = actions.lines().collect();
    // One connection for all calls; it is closed once, at the end.
    assert_eq!(actions, ["check", "master", "run", "run", "check", "run", "exit"]);
    assert_eq!(std::fs::read_dir(home.path("run")).unwrap().count(), 0, "no sockets are left");
}

/// proves: CLI-098
#[test]
fn hosts_are_added_listed_and_removed() {
    let home = world();
    let ssh = |args: &[&str]| omp_run(&home, &[&["ssh"], args].concat());
    let file = |file: &str| -> Value { serde_json::from_str(&home.read(file)).unwrap() };
    assert!(ssh(&["list"]).stdout.starts_with("No hosts ("));
    let full = ["--user", "ci", "--port", "2222", "--key", "~/k", "--desc", "the builder", "--compat"];
    let added = ssh(&[&["add", "build", "--host", "10.0.0.5"], full.as_slice()].concat());
    added.assert_success();
    let entry = json!({
        "host": "10.0.0.5", "username": "ci", "keyPath": "~/k", "description": "the builder", "port": 2222, "compat": true,
    });
    assert_eq!(file("work/.omp/ssh.json"), json!({ "hosts": { "build": entry } }));
    ssh(&["add", "own", "--host", "h", "--scope", "user"]).assert_success();
    assert_eq!(file("home/.omp/agent/ssh.json"), json!({ "hosts": { "own": { "host": "h" } } }));

    let listed = ssh(&["list"]).stdout;
    assert!(listed.contains("build ") && listed.contains("ci@10.0.0.5 port 2222"), "{listed}");
    let names = |listed: &Value| -> Vec<String> {
        listed["hosts"].as_array().unwrap().iter().map(|host| host["name"].to_string()).collect()
    };
    assert_eq!(names(&list(&home)), ["\"build\"", "\"own\""]);
    let users = ssh(&["list", "--json", "--scope", "user"]);
    assert_eq!(names(&serde_json::from_str(&users.stdout).unwrap()), ["\"own\""]);

    for (args, complaint) in [
        (vec!["add", "a", "--host", "h", "--port", "0"], "--port must be a number from 1 to 65535"),
        (vec!["add", "a", "--host", "h", "--port", "65536"], "--port must be a number from 1 to 65535"),
        (vec!["add", "a"], "needs --host"),
        (vec!["add", "--host", "h"], "needs a host name"),
        (vec!["add", "build", "--host", "h"], "already has a host \"build\""),
        (vec!["add", "a", "--host", "-oProxyCommand=x"], "starts with `-`"),
        (vec!["remove", "nobody"], "has no host \"nobody\""),
        (vec!["remove", "own"], "has no host \"own\""),
    ] {
        let output = ssh(&args);
        assert!(output.code != Some(0) && output.stderr.contains(complaint), "{args:?}: {}", output.stderr);
    }
    let removed = ssh(&["remove", "own", "--scope", "user", "--json"]);
    removed.assert_success();
    assert_eq!(serde_json::from_str::<Value>(&removed.stdout).unwrap()["name"], "own");
    ssh(&["remove", "build"]).assert_success();
    assert_eq!(names(&list(&home)), Vec::<String>::new());
    assert_eq!(file("work/.omp/ssh.json"), json!({ "hosts": {} }));
}
