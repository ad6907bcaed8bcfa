//! `.env` files, and the switches that variables are.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, omp, omp_run};

/// A home whose model takes its key from the variable `MY_KEY`.
fn home(server: &Server) -> Home {
    let home = Home::new();
    home.models_yml(server, Wire::OpenAiCompletions, ModelOptions::new().api_key("MY_KEY"));
    home
}

/// The key that the last request came with.
fn key(server: &Server) -> String {
    server.requests().last().unwrap().header("authorization").unwrap().to_owned()
}

/// The nearest definition wins; take it away and the next one does.
// proves: CLI-119
#[test]
fn the_first_definition_wins() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = home(&server);
    let files = ["work/.env", "home/.omp/agent/.env", "home/.omp/.env", "home/.env"];
    for file in files {
        home.write(file, format!("MY_KEY={file}\n"));
    }
    let mut command = omp(&home, &["-p", "x", "--yolo"]);
    command.env("MY_KEY", "from-process");
    run(command, Some(b""), LIMIT).assert_success();
    assert_eq!(key(&server), "Bearer from-process");
    for file in files {
        omp_run(&home, &["-p", "x", "--yolo"]).assert_success();
        assert_eq!(key(&server), format!("Bearer {file}"));
        std::fs::remove_file(home.path(file)).unwrap();
    }
}

/// With `--cwd` and with a profile, the files are those of that directory and that profile.
#[test]
fn files_belong_to_the_directory_and_the_profile() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = home(&server);
    home.write("work/.env", "MY_KEY=of-work\n");
    home.write("tmp/.env", "MY_KEY=of-tmp\n");
    let elsewhere = home.path("tmp").display().to_string();
    omp_run(&home, &["--cwd", &elsewhere, "-p", "x"]).assert_success();
    assert_eq!(key(&server), "Bearer of-tmp");
    std::fs::remove_file(home.path("work/.env")).unwrap();
    home.write("home/.omp/agent/.env", "MY_KEY=of-default\n");
    let models = home.read("home/.omp/agent/models.yml");
    home.write("home/.omp/profiles/p/agent/models.yml", models);
    home.write("home/.omp/profiles/p/agent/.env", "MY_KEY=of-p\n");
    omp_run(&home, &["--profile", "p", "-p", "x"]).assert_success();
    assert_eq!(key(&server), "Bearer of-p");
}

/// Keys make providers available and switches take effect; `OMP_X` is `PI_X`.
// proves: CLI-121
#[test]
fn values_act_like_variables() {
    let home = Home::new();
    let state = |provider: &str| {
        let listed = omp_run(&home, &["models", provider]).stdout;
        assert!(listed.contains(provider), "{listed}");
        listed.contains(" ready")
    };
    assert!(!state("anthropic/"));
    home.write("work/.env", "# keys\r\nANTHROPIC_API_KEY='sk-x'\r\nOMP_TIMING=1\r\n");
    assert!(state("anthropic/"));
    let output = omp_run(&home, &["--model", "demo", "-p", "x"]);
    assert!(output.stderr.contains("Timing: "), "{}", output.stderr);
}

/// Commands see the environment of omp, not its `.env` files, and no value is shown or saved.
#[test]
fn values_stay_inside() {
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "env", "command": "env; echo [$PLAIN]"})),
        Reply::new().text("done"),
    ]);
    let home = home(&server);
    home.write("work/.env", "MY_KEY=sk-secret\nPLAIN=plain-value\nANTHROPIC_BASE_URL=http://sk-secret\n");
    let output = omp_run(&home, &["--mode", "json", "x"]);
    output.assert_success();
    let told = server.requests()[1].body.to_string();
    assert!(told.contains("[]") && !told.contains("plain-value"), "{told}");
    let sessions = home.list_files().into_iter().filter(|path| path.ends_with(".jsonl"));
    let saved: String = sessions.map(|path| home.read(path)).collect();
    assert!(saved.contains("done"));
    for text in [&told, &output.stdout, &output.stderr, &saved] {
        assert!(!text.contains("sk-secret"), "{text}");
    }
    server.finish();
}

/// A project's file decides neither which files of the user are read, nor where requests go, nor what runs.
#[test]
fn a_project_cannot_redirect_anything() {
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "x", "command": "echo fine"})),
        Reply::new().text("done"),
    ]);
    let home = home(&server);
    let marker = home.path("marker");
    home.write(
        "work/.env",
        format!(
            "MY_KEY=k\nPI_CODING_AGENT_DIR=/nowhere\nOMP_PROFILE=evil\nOLLAMA_BASE_URL=http://x\nOMP_SHELL_PREFIX=touch {};\n",
            marker.display()
        ),
    );
    let output = omp_run(&home, &["-p", "x", "--yolo"]);
    output.assert_success();
    assert!(!marker.exists() && !home.exists("home/.omp/profiles"));
    for name in ["PI_CODING_AGENT_DIR", "OMP_PROFILE", "OLLAMA_BASE_URL", "OMP_SHELL_PREFIX"] {
        assert!(output.stderr.contains(name), "{name}: {}", output.stderr);
    }
    server.finish();
}

/// What is no text file is named and left alone.
#[test]
fn odd_files_do_not_stop_the_start() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = home(&server);
    run(home.command("mkfifo").arg(".env"), None, LIMIT).assert_success();
    home.write("home/.omp/.env", vec![b'x'; 2 * 1024 * 1024]);
    home.write("home/.env", b"\xef\xbb\xbfMY_KEY=k\nBAD=\xff\n");
    let output = omp_run(&home, &["-p", "x", "--yolo"]);
    output.assert_success();
    assert_eq!(key(&server), "Bearer k");
    assert!(output.stderr.contains("it is a named pipe"), "{}", output.stderr);
    assert!(output.stderr.contains("it is larger than 1 MiB"), "{}", output.stderr);
}

/// A `bash` that notes how it is called.
fn with_noting_shell(home: &Home) -> String {
    let log = home.path("log");
    let script = format!(
        "#!/bin/sh\nprintf '%s|' \"$@\" >> {log}\necho >> {log}\nexec /bin/bash \"$@\"\n",
        log = log.display()
    );
    let shell = home.write("bin/bash", script);
    std::fs::set_permissions(&shell, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap())
}

/// Was the login shell asked, and what did a command see of `X` and `CI`, with some variables set?
fn command_sees(variables: &[(&str, &str)]) -> (bool, String) {
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "x", "command": "sh -c 'echo \"<$X,$CI>\"'"})),
        Reply::new().text("done"),
    ]);
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let mut command = omp(&home, &["-p", "x", "--yolo"]);
    command.env("PATH", with_noting_shell(&home)).envs(variables.iter().copied());
    run(command, Some(b""), LIMIT).assert_success();
    let messages = server.requests()[1].body["messages"].clone();
    let result = messages.as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    let text = result["content"].as_str().unwrap().lines().next().unwrap().to_owned();
    server.finish();
    (home.read("log").lines().any(|call| call.starts_with("-l|-c|")), text)
}

/// Each switch, under both of its names.
// proves: CLI-140
#[test]
fn variables_say_how_commands_run() {
    let sees = |login: bool, text: &str| (login, text.to_owned());
    assert_eq!(command_sees(&[]), sees(true, "<,1>"));
    for name in ["PI_BASH_NO_LOGIN", "CLAUDE_BASH_NO_LOGIN"] {
        assert_eq!(command_sees(&[(name, "1")]), sees(false, "<,1>"), "{name}");
    }
    for name in ["PI_BASH_NO_CI", "CLAUDE_BASH_NO_CI"] {
        assert_eq!(command_sees(&[(name, "1")]), sees(true, "<,>"), "{name}");
    }
    for name in ["PI_SHELL_PREFIX", "CLAUDE_CODE_SHELL_PREFIX"] {
        assert_eq!(command_sees(&[(name, "env X=1")]), sees(true, "<1,1>"), "{name}");
    }
    let both = [("PI_SHELL_PREFIX", "env X=1"), ("CLAUDE_CODE_SHELL_PREFIX", "env X=2")];
    assert_eq!(command_sees(&both).1, "<1,1>");
}
