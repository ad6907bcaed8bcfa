//! Node as the oracle: the same script runs there and here, and must print the same lines.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::support::{Bench, call};

/// What a node on this machine prints, run in `folder`; `None` without a node.
#[allow(clippy::disallowed_methods, reason = "the oracle, waited for at once")]
fn node(bench: &Bench, script: &str) -> Option<String> {
    let path = bench.write("oracle.mjs", script);
    let mut command = std::process::Command::new("node");
    command
        .arg(path)
        .current_dir(bench.path(""))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .env("TZ", "UTC")
        .env("NO_COLOR", "1");
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("SKIPPED: there is no node on this machine to compare with");
            return None;
        }
        output => output.expect("node"),
    };
    assert!(output.status.success(), "node failed:\n{script}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

/// Runs `script` in both, in a folder with the same files.
pub(crate) async fn agree(script: &str) {
    let mut bench = Bench::new();
    bench.limits.turn = Duration::from_secs(20);
    bench.limits.memory = 128 << 20;
    bench.write("data/note.txt", "one\ntwö\nthree\n");
    bench.write("data/inner/deep.json", "{\"deep\": [1, 2]}");
    let Some(expected) = node(&bench, script) else { return };
    let fresh = Bench { limits: bench.limits, ..Bench::new() };
    fresh.write("data/note.txt", "one\ntwö\nthree\n");
    fresh.write("data/inner/deep.json", "{\"deep\": [1, 2]}");
    let path = fresh.write("oracle.mjs", script);
    let unit = fresh.unit("oracle").await;
    crate::support::load(&unit, &path)
        .await
        .unwrap_or_else(|error| panic!("{error}\n{:?}\n{script}", error.stack));
    // Whatever still runs gets its time.
    for _ in 0..200 {
        let said = fresh.host.logged().join("\n");
        if said.trim_end().lines().count() >= expected.trim_end().lines().count() {
            break;
        }
        unit.call("evaluate", json!("new Promise((resolve) => setTimeout(resolve, 10))")).await.unwrap();
    }
    let said = fresh.host.logged().join("\n");
    let hide = |text: &str, bench: &Bench| text.replace(&bench.path("").display().to_string(), "FOLDER/");
    let (expected, said) = (hide(expected.trim_end(), &bench), hide(said.trim_end(), &fresh));
    if expected != said {
        let pairs: Vec<String> = expected
            .lines()
            .zip(said.lines().chain(std::iter::repeat("(nothing)")))
            .filter(|(wanted, got)| wanted != got)
            .map(|(wanted, got)| format!("  node: {wanted}\n  here: {got}"))
            .collect();
        panic!("node and the engine disagree:\n{}\n-- all of ours --\n{said}", pairs.join("\n"));
    }
    let _ = call(&unit, "default", json!([])).await;
}

macro_rules! scripts {
    ($($name:ident),* $(,)?) => {
        $(#[tokio::test]
        async fn $name() {
            agree(include_str!(concat!("../node/", stringify!($name), ".mjs"))).await;
        })*
    };
}

scripts!(
    paths,
    buffers,
    values,
    files,
    programs,
    events_and_streams,
    addresses,
    hashes,
    helpers,
    web,
    numbers_and_times
);
