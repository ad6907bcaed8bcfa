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

/// What a script of the user does with the network, on this machine.
fn network(bench: &mut Bench) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    bench.engine = omp_script::Engine::new(omp_script::EngineOptions {
        cache: None,
        connector: Some(std::sync::Arc::new(|| Ok(reqwest::Client::builder().no_proxy()))),
    });
    bench.limits.turn = Duration::from_secs(20);
}

#[tokio::test]
async fn scripts_serve_and_ask_over_http() {
    let mut bench = Bench::new();
    network(&mut bench);
    let source = r#"
import http, { createServer } from "node:http";
import { once } from "node:events";
export const main = async () => {
  const server = createServer(async (request, response) => {
    if (request.url === "/go") { response.writeHead(302, { location: "/echo?moved", "set-cookie": ["a=1", "b=2"] }).end(); return; }
    let body = "";
    for await (const chunk of request) body += chunk;
    response.setHeader("x-own", "yes");
    response.statusCode = request.url.startsWith("/missing") ? 404 : 200;
    response.write("part one, ");
    response.end(JSON.stringify({ method: request.method, url: request.url, body, type: request.headers["content-type"] ?? null }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${server.address().port}`;
  const posted = await fetch(`${base}/echo`, { method: "POST", body: JSON.stringify({ a: 1 }), headers: { "content-type": "application/json" } });
  const moved = await fetch(`${base}/go`);
  const manual = await fetch(`${base}/go`, { redirect: "manual" });
  const lost = await fetch(`${base}/missing`);
  const old = await new Promise((resolve, reject) => {
    const request = http.request(`${base}/old?q=1`, { method: "PUT", headers: { "Content-Type": "text/plain" } }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part)).on("end", () => resolve([response.statusCode, response.headers["x-own"], Buffer.concat(parts).toString()]));
    });
    request.on("error", reject);
    request.end("words");
  });
  const controller = new AbortController();
  const hanging = createServer(() => {}).listen(0);
  await once(hanging, "listening");
  const asking = fetch(`http://localhost:${hanging.address().port}/`, { signal: controller.signal }).catch((error) => error.name);
  setTimeout(() => controller.abort(), 5);
  const result = [posted.status, posted.headers.get("x-own"), await posted.text(), moved.redirected, moved.url === `${base}/echo?moved`, manual.status, manual.headers.getSetCookie(),
    lost.ok, (await lost.text()).length > 0, old, await asking];
  server.close();
  hanging.close();
  const ask = () => fetch(base).then(() => [], (error) => [error.message, error.cause.code]);
  let refused = await ask();
  // The system closes the socket a moment later.
  for (let tries = 0; refused[1] !== "ECONNREFUSED" && tries < 1000; tries += 1) refused = await ask();
  return [...result, refused];
};
"#;
    let value = bench.run("serve.mjs", source).await.unwrap();
    let expected = json!([
        200,
        "yes",
        "part one, {\"method\":\"POST\",\"url\":\"/echo\",\"body\":\"{\\\"a\\\":1}\",\"type\":\"application/json\"}",
        true,
        true,
        302,
        ["a=1", "b=2"],
        false,
        true,
        [
            200,
            "yes",
            "part one, {\"method\":\"PUT\",\"url\":\"/old?q=1\",\"body\":\"words\",\"type\":\"text/plain\"}"
        ],
        "AbortError",
        ["fetch failed", "ECONNREFUSED"],
    ]);
    assert_eq!(value, expected);
}

#[tokio::test]
async fn a_database_is_read_and_written() {
    let bench = Bench::new();
    let source = r#"
import { DatabaseSync } from "node:sqlite";
import { Database } from "bun:sqlite";
export const main = () => {
  const db = new DatabaseSync("data.db");
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size REAL, raw BLOB)");
  const insert = db.prepare("INSERT INTO t (name, size, raw) VALUES (?, :size, ?)".replace(":size", "?"));
  const done = insert.run("one", 1.5, new Uint8Array([1, 2]));
  db.prepare("INSERT INTO t (name) VALUES ($name)").run({ name: "two" });
  const rows = db.prepare("SELECT * FROM t ORDER BY id").all();
  const one = db.prepare("SELECT name FROM t WHERE id = ?").get(2);
  let message; try { db.exec("SELECT nonsense FROM t"); } catch (error) { message = [error.code, error.message]; }
  db.close();
  const other = new Database("data.db");
  const move = other.transaction((name) => { other.query("UPDATE t SET name = ? WHERE id = 1").run(name); if (name === "bad") throw new Error("no"); });
  try { move("bad"); } catch {}
  const kept = other.query("SELECT name FROM t WHERE id = $id").get({ $id: 1 });
  move("good");
  return [done, rows.length, [...rows[0].raw], rows[0].size, rows[1].size, one.name, message, kept, other.query("SELECT name FROM t").values(), other.query("SELECT 9007199254740993 AS n").get().n === 9007199254740993n];
};
"#;
    let value = bench.run("data.mjs", source).await.unwrap();
    let error = json!(["ERR_SQLITE_ERROR", "no such column: nonsense"]);
    let expected = json!([{ "lastInsertRowid": 1, "changes": 1 }, 2, [1, 2], 1.5, null, "two", error, { "name": "one" }, [["good"], ["two"]], true]);
    assert_eq!(value, expected);
}

/// Processes of this machine whose arguments name the word.
fn processes(word: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(word)).count()
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_a_unit_started_ends_with_it() {
    // Elsewhere a daemon whose parent has ended escapes (docs/platforms.md).
    let follows_daemons = cfg!(all(target_os = "linux", not(omp_portable)));
    let bench = Bench::new();
    let word = format!("{}", 40_000_000 + std::process::id());
    let source = r#"
import { spawn, execSync } from "node:child_process";
export const main = async (...given) => {
  const [word, daemon] = given.flat();
  spawn("sleep", [word]);
  spawn("sh", ["-c", `setsid sleep ${word} & sleep ${word}`], { detached: true }).unref();
  if (daemon) execSync(`setsid sleep ${word} > /dev/null 2>&1 &`);
  await new Promise((resolve) => spawn("true").on("close", resolve));
};
export const wait = async (word) => { await new Promise((resolve) => setTimeout(resolve, 10)); };
"#;
    let unit = bench.load("starts.mjs", source).await.unwrap();
    call(&unit, "main", json!([word, follows_daemons])).await.unwrap();
    while processes(&word) < if follows_daemons { 4 } else { 3 } {
        call(&unit, "wait", json!([])).await.unwrap();
    }
    assert!(unit.usage().programs.contains("sleep"), "{:?}", unit.usage());
    unit.end(Duration::ZERO).await;
    assert_eq!(processes(&word), 0);
}

#[tokio::test]
async fn usage_says_what_was_touched() {
    let bench = Bench::new();
    bench.write("in.txt", "x");
    let source = "import fs from 'fs'; export const main = async () => { fs.readFileSync('in.txt'); await fs.promises.writeFile('out.txt', 'y'); };";
    let unit = bench.load("touch.mjs", source).await.unwrap();
    call(&unit, "main", json!([])).await.unwrap();
    let usage = unit.usage();
    assert!(
        usage.read.iter().any(|path| path.ends_with("in.txt"))
            && usage.read.iter().any(|path| path.ends_with("touch.mjs"))
    );
    assert!(usage.written.iter().any(|path| path.ends_with("out.txt")), "{usage:?}");
    assert!(usage.memory > 10_000 && usage.memory < 8 << 20, "{}", usage.memory);
}

const FOREIGN: &str = "{\"kind\":\"es\",\"types\":[],\"hash\":\"00\"}\nthrow 1";

#[tokio::test]
async fn compiled_code_is_kept_and_damage_is_noticed() {
    let mut bench = Bench::new();
    let cache = bench.path("cache");
    let engine =
        || omp_script::Engine::new(omp_script::EngineOptions { cache: Some(cache.clone()), connector: None });
    let source = "type A = 1;\nexport const main = (): never => { throw new Error('kept'); };\n";
    let mut seen = Vec::new();
    for round in 0..4 {
        bench.engine = engine();
        let error = bench.run("kept.ts", source).await.unwrap_err();
        assert_eq!(error.place.unwrap().line, 2, "round {round}");
        let mut files: Vec<_> =
            std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert_eq!(files.len(), 2, "{files:?}");
        seen.push(std::fs::read(&files[0]).unwrap());
        match round {
            // Somebody else's code under our name.
            1 => std::fs::write(&files[0], FOREIGN).unwrap(),
            2 => std::fs::write(&files[0], [0xff, 0xfe]).unwrap(),
            _ => {}
        }
    }
    assert!(seen.iter().all(|bytes| *bytes == seen[0]));
}
