//! The life of a unit.

use std::time::Duration;

use omp_script::ScriptErrorKind;
use serde_json::json;

use crate::support::{Bench, call};

#[tokio::test]
async fn a_call_reaches_an_export_and_waits_for_its_promise() {
    let bench = Bench::new();
    let unit = bench
        .load("plain.js", "export const add = async (a, b) => { await new Promise((r) => setTimeout(r, 5)); return a + b; };")
        .await
        .unwrap();
    assert_eq!(call(&unit, "add", json!([2, 3])).await.unwrap(), json!(5));
    assert_eq!(unit.call("evaluate", json!("undefined")).await.unwrap(), json!(null));
    let unknown = unit.call("nothing", json!(null)).await.unwrap_err();
    assert_eq!(unknown.kind, ScriptErrorKind::NoFunction);
    assert!(unit.ended().is_none());
}

#[tokio::test]
async fn a_host_is_asked_at_once_and_later() {
    let bench = Bench::new();
    let unit = bench.unit("asks").await;
    assert_eq!(unit.call("ask", json!({ "operation": "double", "value": 21 })).await.unwrap(), json!(42));
    let later =
        unit.call("askLater", json!({ "operation": "echo", "value": { "a": ["ä", null] } })).await.unwrap();
    assert_eq!(later, json!({ "echo": { "a": ["ä", null] } }));
    for ask in ["ask", "askLater"] {
        let refused = unit.call(ask, json!({ "operation": "fly" })).await.unwrap_err();
        assert_eq!(refused.message, "Error: no operation fly");
    }
}

#[tokio::test]
async fn units_do_not_see_each_other() {
    let bench = Bench::new();
    let (first, second) = (bench.unit("first").await, bench.unit("second").await);
    let spoil = "Array.prototype.map = () => 'spoiled'; Object.prototype.evil = 1; globalThis.shared = 1; 0";
    first.call("evaluate", json!(spoil)).await.unwrap();
    assert_eq!(first.call("evaluate", json!("[1].map()")).await.unwrap(), json!("spoiled"));
    let seen = second
        .call("evaluate", json!("[typeof shared, typeof ({}).evil, [1].map((x) => x + 1)]"))
        .await
        .unwrap();
    assert_eq!(seen, json!(["undefined", "undefined", [2]]));
}

#[tokio::test]
async fn rejections_that_nobody_handles_are_reported() {
    let bench = Bench::new();
    let unit = bench
        .load(
            "rejects.ts",
            "export const main = () => { Promise.reject(new Error('lost')); const p = Promise.reject(1); p.catch(() => 0); };",
        )
        .await
        .unwrap();
    call(&unit, "main", json!([])).await.unwrap();
    unit.call(
        "evaluate",
        json!("setTimeout(() => { throw new Error('late') }, 0); new Promise(r => setTimeout(r, 20))"),
    )
    .await
    .unwrap();
    assert_eq!(
        bench.host.logged(),
        ["an error that nobody handled: Error: lost", "an error in a timer: Error: late"]
    );
    assert!(unit.ended().is_none());
}

#[tokio::test]
async fn an_ended_unit_answers_every_call_with_an_error() {
    let bench = Bench::new();
    let unit = bench.unit("short").await;
    let waiting = {
        let unit = unit.clone();
        tokio::spawn(async move { unit.call("askLater", json!({ "operation": "never" })).await })
    };
    // The call is in the inbox before the end, once another one has been answered.
    tokio::task::yield_now().await;
    unit.call("evaluate", json!("1")).await.unwrap();
    unit.end(Duration::from_millis(20)).await;
    assert_eq!(unit.ended().as_deref(), Some("it was ended"));
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (ScriptErrorKind::Ended, "short has ended: it was ended")
    );
    assert_eq!(unit.call("evaluate", json!("1")).await.unwrap_err().kind, ScriptErrorKind::Ended);
    unit.end(Duration::ZERO).await;
}

#[tokio::test]
async fn calls_under_way_finish_within_the_grace() {
    let bench = Bench::new();
    let unit = bench.unit("graceful").await;
    let slow = {
        let unit = unit.clone();
        let code = json!("new Promise((resolve) => setTimeout(() => resolve('done'), 30))");
        tokio::spawn(async move { unit.call("evaluate", code).await })
    };
    tokio::task::yield_now().await;
    unit.call("evaluate", json!("1")).await.unwrap();
    unit.end(Duration::from_secs(20)).await;
    assert_eq!(slow.await.unwrap().unwrap(), json!("done"));
}
