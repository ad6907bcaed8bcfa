//! Many processes in one home: nothing of what they save is lost.

use std::collections::BTreeSet;

use omp_testkit::{Home, Output, Reply, Scenario, Server, Wire, start};
use serde_json::Value;

use crate::support::{home, omp, omp_run};

const PROCESSES: usize = 50;
const LIMIT: std::time::Duration = std::time::Duration::from_secs(120);

/// Starts all of them before it waits for the first.
fn at_once(home: &Home, arguments: impl Fn(usize) -> Vec<String>) -> Vec<Output> {
    let running: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let arguments = arguments(number);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut running = start(omp(home, &arguments));
            running.close_stdin();
            running
        })
        .collect();
    running.into_iter().map(|running| running.wait(LIMIT)).collect()
}

/// In a home that has nothing yet, so that all of them make the database as well.
// proves: SEC-049
#[test]
fn no_prompt_is_lost() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    for output in at_once(&home, |number| vec!["-p".to_owned(), format!("prompt number {number}")]) {
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    }
    let listed = omp_run(&home, &["history", "--json", "-n", "1000"]).assert_success().stdout.clone();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let prompts: BTreeSet<&str> =
        listed.as_array().unwrap().iter().filter_map(|row| row["prompt"].as_str()).collect();
    let missing: Vec<usize> = (0..PROCESSES)
        .filter(|number| !prompts.contains(format!("prompt number {number}").as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?} are missing");
    server.finish();
}

// proves: SEC-049
#[test]
fn no_setting_is_lost() {
    let home = Home::new();
    let outputs = at_once(&home, |number| {
        let path = format!("modelRoles.role{number}");
        vec!["config".to_owned(), "set".to_owned(), "modelRoles".to_owned(), format!("{{\"{path}\": \"x\"}}")]
    });
    outputs.iter().for_each(|output| _ = output.assert_success());
    // Different settings, each by one process.
    let listed = omp_run(&home, &["config", "list", "--json"]).assert_success().stdout.clone();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let flags: Vec<(String, bool)> = listed
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, row)| row["type"] == "boolean")
        .filter_map(|(path, row)| Some((path.clone(), row["value"].as_bool()?)))
        .take(PROCESSES)
        .collect();
    assert_eq!(flags.len(), PROCESSES);
    let outputs = at_once(&home, |number| {
        let (path, value) = &flags[number];
        vec!["config".to_owned(), "set".to_owned(), path.clone(), (!value).to_string()]
    });
    outputs.iter().for_each(|output| _ = output.assert_success());
    let listed = omp_run(&home, &["config", "list", "--json"]).assert_success().stdout.clone();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let lost: Vec<&String> =
        flags.iter().filter(|(path, value)| listed[path]["value"] == *value).map(|(path, _)| path).collect();
    assert!(lost.is_empty(), "{lost:?} were lost");
}
