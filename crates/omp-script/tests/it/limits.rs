//! What a hostile script can do: end itself.

use std::time::Duration;

use serde_json::json;

use crate::support::{Bench, call};

const TURN: Duration = Duration::from_millis(100);
/// Filling memory takes a while in a build for tests.
const PATIENT: Duration = Duration::from_secs(20);

/// Runs `code` as the body of an exported function; the unit must end, another one must not notice. Says why it ended.
async fn ends(code: &str, turn: Duration) -> String {
    let mut bench = Bench::new();
    bench.limits.turn = turn;
    let other = bench.unit("other").await;
    let unit = bench
        .load(
            "hostile.ts",
            &format!("type Nothing = 1;\nexport const main = async () => {{\n  {code}\n}};\n"),
        )
        .await
        .unwrap();
    let error = call(&unit, "main", json!([])).await.unwrap_err();
    let reason = unit.ended().unwrap_or_else(|| panic!("{code}: the unit lives, the call said: {error}"));
    assert!(error.to_string().contains("hostile.ts has ended"), "{code}: {error}");
    assert!(unit.call("evaluate", json!("1")).await.is_err(), "{code}");
    assert_eq!(other.call("evaluate", json!("6 * 7")).await.unwrap(), json!(42), "{code}");
    assert!(other.ended().is_none());
    reason
}

#[tokio::test]
async fn endless_loops_end_the_unit() {
    let loops = [
        "for (;;);",
        "while (true) { try { for (;;); } catch {} finally { continue; } }",
        "const go = () => { Promise.resolve().then(go); }; go(); await new Promise(() => {});",
        "await Promise.resolve(); for (;;);",
        "setTimeout(() => { for (;;); }); await new Promise(() => {});",
        "/(a+)+$/.test('a'.repeat(40) + 'b');",
        "JSON.stringify({ toJSON() { for (;;); } });",
        "const p = new Proxy({}, { get() { for (;;); } }); p.x;",
        "[3, 1, 2].sort(() => { for (;;); });",
        "function* g() { for (;;) yield 1; } for (const x of g());",
    ];
    for code in loops {
        let reason = ends(code, TURN).await;
        assert!(reason.starts_with("it ran too long without a pause"), "{code}: {reason}");
    }
    let reason = ends("for (;;) Math.random();", TURN).await;
    assert!(reason.contains("hostile.ts:3:"), "{reason}");
}

#[tokio::test]
async fn growth_ends_the_unit() {
    let hogs = [
        "const all = []; for (;;) all.push({ a: [1, 2, 3] });",
        "let text = 'x'; for (;;) { text += text; text.charCodeAt(1); text.at(-1); text = [text].join(''); }",
        "new ArrayBuffer(2_000_000_000);",
        "new Uint8Array(2_000_000_000);",
        "new Array(100_000_000).fill(1);",
        "'x'.repeat(500_000_000);",
        "try { new ArrayBuffer(2_000_000_000); } catch {} for (;;);",
        "const map = new Map(); for (let i = 0; ; i += 1) map.set(i, 'x'.repeat(1000) + i);",
        "Buffer.alloc(2_000_000_000);",
        "let a = []; for (;;) { a = [a, a, a]; JSON.stringify(a); }",
    ];
    for code in hogs {
        let reason = ends(code, PATIENT).await;
        assert!(reason.starts_with("it used more than its 32 MB of memory"), "{code}: {reason}");
    }
    let reason = ends("const all = [];\n  for (;;)\n    all.push({ a: [1, 2, 3] });", PATIENT).await;
    assert!(reason.contains("hostile.ts:5:"), "{reason}");
}

#[tokio::test]
async fn exit_ends_the_unit() {
    let reason = ends("try { process.exit(3); } finally { for (;;); }", TURN).await;
    assert_eq!(reason.split(" (at ").next(), Some("it called process.exit(3)"));
    assert!(reason.contains("hostile.ts:3:"), "{reason}");
}

#[tokio::test]
async fn a_deep_stack_is_an_error_like_any_other() {
    let bench = Bench::new();
    let deep = "const dive = () => dive() + 1; export const main = () => { try { dive(); } catch (e) { return e.name; } };";
    assert_eq!(bench.run("deep.js", deep).await.unwrap(), json!("RangeError"));
    let nested =
        "export const main = () => { try { JSON.parse('['.repeat(200000)); } catch (e) { return e.name; } };";
    assert!(bench.run("nested.js", nested).await.unwrap().is_string());
}

#[tokio::test]
async fn a_unit_that_hangs_while_loading_does_not_load() {
    let bench = Bench::new();
    let path = bench.write("stuck.ts", "const x: number = 1;\nfor (;;) Math.random();\n");
    let unit = bench.unit("stuck").await;
    let error = unit.call("load", json!(path)).await.unwrap_err();
    assert!(error.to_string().contains("it ran too long without a pause (at "), "{error}");
    assert!(error.to_string().contains("stuck.ts:"), "{error}");
}

/// What cannot be interrupted is given up: its units are over, and the next one runs on a new thread.
#[tokio::test]
#[cfg(all(target_os = "linux", not(omp_portable)))]
async fn a_thread_that_is_stuck_is_given_up() {
    let mut bench = Bench::new();
    bench.limits.turn = TURN;
    let other = bench.unit("other").await;
    let code = "export const main = () => 'a'.repeat(8e6).indexOf('a'.repeat(4e6) + 'b');";
    let unit = bench.load("stuck.ts", code).await.unwrap();
    let error = call(&unit, "main", json!([])).await.unwrap_err();
    let reason = "it was stuck in a function of the language that cannot be interrupted";
    assert_eq!(error.to_string(), format!("stuck.ts has ended: {reason}"));
    let error = other.call("evaluate", json!("1")).await.unwrap_err();
    assert_eq!(error.to_string(), "other has ended: stuck.ts got stuck in the script engine");
    other.end(Duration::from_secs(5)).await;
    let fresh = bench.unit("fresh").await;
    assert_eq!(fresh.call("evaluate", json!("6 * 7")).await.unwrap(), json!(42));
}
