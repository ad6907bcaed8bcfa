//! Web pages, issues and pull requests, as a model reads them.

use std::os::unix::fs::PermissionsExt;

use omp_testkit::{Home, ModelOptions, Page, PageServer, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, omp};
use crate::urls::{answers, read};

/// What is shown in part is kept whole. Every read says where it comes from.
// proves: FIL-006, FIL-078
#[test]
fn pages_are_read_and_kept() {
    let page: String = (1..=1000).map(|number| format!("line {number}\n")).collect();
    let server = PageServer::start([("/page", Page::new("text/plain", page))]);
    let url = server.url("/page");
    let home = Home::new();
    let file = home.write("work/notes.txt", "hello\n");
    let parts =
        [url.as_str(), "artifact://0:raw:999-1000", &format!("{url}:raw:500-501"), "notes.txt"].map(read);
    let answers = answers(&home, parts.into());
    assert!(answers[0].text.contains("Showing lines 1-300 of 1000"), "{}", answers[0].text);
    assert!(answers[0].text.ends_with("[Full page: artifact://0]"), "{}", answers[0].text);
    assert_eq!(answers[0].details["meta"]["truncation"]["artifactId"], "0");
    assert_eq!(answers[1].text, "line 999\nline 1000\n");
    assert!(answers[2].text.contains("\n---\nline 500\nline 501"), "{}", answers[2].text);
    let sources = answers.iter().map(|answer| answer.details["meta"]["source"].clone()).collect::<Vec<_>>();
    let of = |kind: &str, value: &str| json!({ "type": kind, "value": value });
    let file = file.canonicalize().unwrap();
    let expected = [
        of("url", &url),
        of("internal", "artifact://0"),
        of("url", &url),
        of("path", file.to_str().unwrap()),
    ];
    assert_eq!(sources, expected);
    server.finish();
}

#[test]
fn the_web_can_be_switched_off() {
    let server = PageServer::start([("/page", Page::new("text/plain", "hello"))]);
    let home = Home::new();
    home.write("home/.omp/agent/config.yml", "fetch:\n  enabled: false\n");
    let answers = answers(&home, vec![read(&server.url("/page"))]);
    assert!(
        answers[0].failed && answers[0].text.contains("web access is disabled (fetch.enabled)"),
        "{}",
        answers[0].text
    );
    assert!(server.requests().is_empty());
}

/// A home whose `gh` knows one issue and counts its calls.
fn home_with_gh(config: &str) -> Home {
    let home = Home::new();
    let issue = r#"{"number": 7, "title": "It breaks", "state": "OPEN", "author": {"login": "ann"}, "body": "So.", "comments": []}"#;
    let log = home.path("gh.log");
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\ncat <<'END'\n{issue}\nEND\n", log.display());
    let gh = home.write("bin/gh", script);
    std::fs::set_permissions(gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    home.write("home/.omp/agent/config.yml", config);
    home
}

/// Runs a session that reads the issue twice; gives the texts and how often `gh` ran.
fn read_twice(home: &Home, variables: &[(&str, &str)]) -> (Vec<String>, usize) {
    let url = "issue://o/r/7";
    let server = Server::start(vec![read(url), read(url), Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let mut command = omp(home, &["-p", "x"]);
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).envs(variables.iter().copied());
    let output = run(command, Some(b""), LIMIT);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    server.finish();
    let saved = session_files(home).into_iter().flat_map(|file| lines(&file));
    let results = saved.filter(|line| line["message"]["role"] == "toolResult");
    let texts = results.map(|line: Value| line["message"]["content"][0]["text"].as_str().unwrap().to_owned());
    (texts.collect(), home.read("gh.log").lines().count())
}

/// Where issues are kept, and the settings that say for how long. The refresh in the background has a test in its crate.
// proves: WEB-051
#[test]
fn issues_are_kept_where_the_user_says() {
    let default = home_with_gh("");
    let (texts, calls) = read_twice(&default, &[]);
    assert_eq!(texts[0], "# It breaks (#7)\n\n- State: open\n- Author: ann\n\nSo.");
    assert_eq!((texts[0].as_str(), calls), (texts[1].as_str(), 1));
    assert!(default.exists("home/.omp/cache/github-cache.db"));
    let elsewhere = home_with_gh("");
    let place = elsewhere.path("kept/here.db");
    assert_eq!(read_twice(&elsewhere, &[("OMP_GITHUB_CACHE_DB", place.to_str().unwrap())]).1, 1);
    assert!(place.exists() && !elsewhere.exists("home/.omp/cache/github-cache.db"));
    let off = home_with_gh("github:\n  cache:\n    enabled: false\n");
    assert_eq!(read_twice(&off, &[]).1, 2);
    assert!(!off.exists("home/.omp/cache/github-cache.db"));
    let short = home_with_gh("github:\n  cache:\n    hardTtlSec: 0\n");
    assert_eq!(read_twice(&short, &[]).1, 2);
}

/// What a model reads in `always-ask` after a user typed `prompt`, and how often the server was asked.
fn asked(prompt: &str, path: impl Fn(&PageServer) -> String, mode: &str) -> (String, usize) {
    let server = PageServer::start([("/page", Page::new("text/plain", "the page"))]);
    let model = Server::start(vec![read(&path(&server)), Reply::new().text("done")]);
    let home = Home::new();
    home.models_yml(&model, Wire::OpenAiCompletions, ModelOptions::new());
    let prompt = prompt.replace("{host}", &server.url("").replace("http://", ""));
    let args = ["-p", &prompt, "--approval-mode", mode, "--no-session"];
    let output = run(omp(&home, &args), Some(b""), LIMIT);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    let body = model.requests().last().unwrap().body.clone();
    model.finish();
    let messages = body["messages"].as_array().unwrap();
    let result = messages.iter().find(|message| message["role"] == "tool").unwrap();
    (result["content"].as_str().unwrap().to_owned(), server.requests().len())
}

/// Where everything is asked about, an address that the user did not name is, and so is data in one.
// proves: SEC-035
#[test]
fn addresses_that_nobody_named_are_asked_about() {
    let plain = |server: &PageServer| server.url("/page");
    let with_data = |server: &PageServer| server.url("/page?d=what-the-model-read");
    let (said, requests) = asked("go", plain, "always-ask");
    assert!(
        said.contains("needs the user's approval") && said.contains("you have not mentioned the host"),
        "{said}"
    );
    assert_eq!(requests, 0);
    let (said, requests) = asked("read http://{host}/other please", plain, "always-ask");
    assert!(said.contains("the page") && requests > 0, "{said}");
    let (said, requests) = asked("see {host}.", with_data, "always-ask");
    assert!(said.contains("sends data to 127.0.0.1 that you did not type"), "{said}");
    assert_eq!(requests, 0);
    assert!(asked("go", plain, "write").0.contains("the page"));
}

/// Nobody leads us to where clouds hand out credentials, by no redirect and in no spelling.
// proves: SEC-036
#[test]
fn redirects_end_at_addresses_that_are_never_read() {
    let targets = [
        "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/",
        "http://2852039166/",
        "http://metadata.google.internal/",
        "file:///etc/passwd",
    ];
    for target in targets {
        let server = PageServer::start([("/page", Page::redirect(target))]);
        let home = Home::new();
        let answers = answers(&home, vec![read(&server.url("/page")), read(target)]);
        for answer in &answers[..1 + usize::from(target.starts_with("http"))] {
            let refused = answer.text.contains("is blocked") || answer.text.contains("not an http");
            assert!(answer.failed && refused, "{target}: {}", answer.text);
        }
    }
}
