//! A session with everything in it: all kinds of entries, branches, images, changes, failures, sub-agents.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_types::ToolDefinition;
use serde_json::{Value, json};

/// The instructions shown with the session.
pub(crate) const SYSTEM_PROMPT: &str = "You are a coding agent working in the user's terminal.\n\n\
# Rules\n\n- Read before you write.\n- Run the tests you touched.\n- Say what you did in one paragraph.\n";

/// Lines of a session file, each below the one before it unless it says otherwise.
pub(crate) struct Script {
    lines: Vec<Value>,
    leaf: Option<String>,
    minute: usize,
}

impl Script {
    pub(crate) fn new(id: &str, title: &str) -> Self {
        let header = json!({"type": "session", "version": 3, "id": id, "timestamp": "2026-03-14T09:20:00.000Z",
            "cwd": "/home/ada/tollgate", "title": title, "titleSource": "auto"});
        Self { lines: vec![header], leaf: None, minute: 20 }
    }

    /// Appends an entry and gives its id.
    pub(crate) fn add(&mut self, mut entry: Value) -> String {
        self.minute += 1;
        let id = format!("{:08x}", 0x1000 + self.lines.len());
        entry["id"] = json!(id);
        entry["parentId"] = json!(self.leaf);
        entry["timestamp"] =
            json!(format!("2026-03-14T{:02}:{:02}:00.000Z", 9 + self.minute / 60, self.minute % 60));
        self.lines.push(entry);
        self.leaf = Some(id.clone());
        id
    }

    pub(crate) fn message(&mut self, message: impl Into<Value>) -> String {
        let message = message.into();
        self.add(json!({"type": "message", "message": message}))
    }

    pub(crate) fn user(&mut self, text: &str) -> String {
        self.message(json!({"role": "user", "content": text, "timestamp": 1_773_480_000_000_u64}))
    }

    pub(crate) fn answer(&mut self, blocks: Value) -> String {
        self.message(answer(blocks, "stop"))
    }

    pub(crate) fn result(&mut self, call: &str, tool: &str, text: &str, details: impl Into<Value>) -> String {
        let details = details.into();
        self.message(json!({"role": "toolResult", "toolCallId": call, "toolName": tool, "isError": false,
            "content": [{"type": "text", "text": text}], "details": details, "timestamp": 1_773_480_000_000_u64}))
    }

    /// The next entry goes below this one.
    pub(crate) fn back_to(&mut self, id: &str) {
        self.leaf = Some(id.to_owned());
    }

    pub(crate) fn save(&self, path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(path, text).unwrap();
    }
}

pub(crate) fn answer(blocks: impl Into<Value>, stop_reason: &str) -> Value {
    let blocks = blocks.into();
    json!({"role": "assistant", "content": blocks, "api": "anthropic-messages", "provider": "anthropic",
        "model": "claude-sonnet-4-5", "usage": {"input": 1840, "output": 412, "cacheRead": 15_210, "cacheWrite": 960,
        "totalTokens": 18_422, "cost": {"input": 0.0055, "output": 0.0062, "cacheRead": 0.0046, "cacheWrite": 0.0036,
        "total": 0.0199}}, "stopReason": stop_reason, "timestamp": 1_773_480_000_000_u64})
}

pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(crate) fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "thinkingSignature": "c2ln"})
}

pub(crate) fn call(id: &str, name: &str, arguments: impl Into<Value>) -> Value {
    let arguments = arguments.into();
    json!({"type": "toolCall", "id": id, "name": name, "arguments": arguments})
}

pub(crate) fn tools() -> Vec<ToolDefinition> {
    let tool = |name: &str, description: &str, parameters: Value| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
        strict: None,
        free_text: false,
    };
    vec![
        tool(
            "read",
            "Reads a file, a directory or an address.",
            json!({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "number"}},
                "required": ["path"]}),
        ),
        tool(
            "bash",
            "Runs a command in a shell of its own.\nOutput beyond 50 KB is kept in a file.",
            json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}),
        ),
    ]
}

/// Writes the session, its images and its sub-agents below `home`; gives the session file and the blob directory.
pub(crate) fn save(home: &Path) -> (PathBuf, PathBuf) {
    let blobs = home.join("blobs");
    std::fs::create_dir_all(&blobs).unwrap();
    let chart = chart();
    std::fs::write(blobs.join(hash(&chart)), &chart).unwrap();
    let path = home.join("sessions/-tollgate/2026-03-14T09-20-00-000Z_4f1c.jsonl");
    session(&hash(&chart)).save(&path);
    agent("Mara", "Find every caller of `Bucket::take`").save(&path.with_extension("").join("Mara.jsonl"));
    agent("Mara.Finn", "Check the benches").save(&path.with_extension("").join("Mara.Finn.jsonl"));
    std::fs::write(path.with_extension("").join("Mara.md"), "Three callers.").unwrap();
    (path, blobs)
}

fn session(chart: &str) -> Script {
    let mut script = Script::new("4f1c", "Rate limiter lets bursts through");
    script.add(json!({"type": "model_change", "model": "anthropic/claude-sonnet-4-5"}));
    script.add(json!({"type": "thinking_level_change", "thinkingLevel": "medium"}));
    script.message(json!({"role": "user", "timestamp": 1_773_480_000_000_u64, "content": [
        text("The rate limiter in `src/bucket.rs` lets short bursts through. The chart from staging shows it.\n\
              Can you find out why, fix it, and add a test?"),
        {"type": "image", "data": format!("blob:sha256:{chart}"), "mimeType": "image/png"}]}));
    let first = script.answer(json!([
        thinking(
            "The bucket refills on **read**. If the clock has a coarse resolution, two reads in one tick may \
                  both see the refill. Let me look at the code before guessing."
        ),
        text("I'll look at the bucket and its tests first."),
        call("c1", "read", json!({"path": "src/bucket.rs"})),
        call("c2", "bash", json!({"command": "cargo test bucket 2>&1 | tail -20"}))
    ]));
    let code = "impl Bucket {\n    pub fn take(&mut self, now: Instant) -> bool {\n        let elapsed = now - self.last;\n        \
                self.tokens += elapsed.as_secs_f64() * self.rate;\n        if self.tokens < 1.0 {\n            return false;\n        \
                }\n        self.tokens -= 1.0;\n        true\n    }\n}\n";
    script.result("c1", "read", code, Value::Null);
    script.message(json!({"role": "toolResult", "toolCallId": "c2", "toolName": "bash", "isError": true,
        "content": [text("running 3 tests\ntest bucket::refills ... ok\ntest bucket::empties ... ok\n\
        test bucket::bursts ... FAILED\n\nfailures:\n    assertion `left == right` failed\n      left: 14\n     right: 10")],
        "timestamp": 1_773_480_000_000_u64}));
    left_branch(&mut script, &first);
    script.add(json!({"type": "branch_summary", "fromId": first,
        "summary": "Tried a mutex around `take`. It hid the symptom and cost 40 % throughput, so it was dropped."}));
    fix(&mut script);
    delegation(&mut script);
    ending(&mut script);
    script
}

/// A branch that was tried and left.
fn left_branch(script: &mut Script, first: &str) {
    let here = script.leaf.clone().unwrap();
    script.answer(json!([
        text("A mutex around `take` would serialise the callers. Trying that."),
        call("c3", "bash", json!({"command": "cargo bench --bench take"}))
    ]));
    script.result("c3", "bash", "take    time: [412 ns 418 ns 425 ns]  change: +41.2 %", Value::Null);
    let end = script.answer(json!([text("That costs **41 %** throughput and does not explain the burst.")]));
    script.add(json!({"type": "label", "targetId": end, "label": "dead end"}));
    script.add(json!({"type": "label", "targetId": first, "label": "first look"}));
    script.back_to(&here);
}

fn fix(script: &mut Script) {
    let change = "--- a/src/bucket.rs\n+++ b/src/bucket.rs\n@@ -18,8 +18,9 @@ impl Bucket {\n     pub fn take(&mut self, now: Instant) -> bool {\n-        \
        let elapsed = now - self.last;\n-        self.tokens += elapsed.as_secs_f64() * self.rate;\n+        let elapsed = \
        now.saturating_duration_since(self.last);\n+        self.tokens = (self.tokens + elapsed.as_secs_f64() * self.rate).min(self.capacity);\n+        \
        self.last = now;\n         if self.tokens < 1.0 {\n";
    script.answer(json!([
        text("Found it. `take` adds the refill but never moves `last`, so every call adds the *whole* elapsed time \
              again, and nothing caps the bucket.\n\n| | before | after |\n|---|---:|---:|\n| tokens after 1 s | 14 | 10 |\n\
              | tokens after 10 s | 140 | 10 |\n\nThe fix is two lines:\n\n```rust\n// Refill once, never above the capacity.\n\
              self.tokens = (self.tokens + elapsed.as_secs_f64() * self.rate).min(self.capacity);\nself.last = now;\n```\n\n\
              1. Move `last` with every call.\n2. Cap at `capacity`.\n\n> See <https://example.com/token-bucket> for the idea."),
        call("c4", "edit", json!({"path": "src/bucket.rs", "input": "replace the refill"}))]));
    script.result("c4", "edit", "Updated src/bucket.rs", json!({"diff": change}));
    script.add(
        json!({"type": "custom_message", "customType": "diagnostics", "display": true, "attribution": "agent",
        "content": "rust-analyzer: no problems in `src/bucket.rs`."}),
    );
    script.add(json!({"type": "ttsr_injection", "injectedRules": ["no-unwrap"]}));
    script.message(json!({"role": "user", "content": "Also check who else calls `take`.", "steering": true,
        "timestamp": 1_773_480_000_000_u64}));
}

fn delegation(script: &mut Script) {
    script.answer(json!([text("I'll send someone to look while I write the test."),
        call("c5", "task", json!({"agent": "explore", "context": "Token bucket in src/bucket.rs", "tasks": [
            {"id": "Mara", "description": "Callers of take", "assignment": "Find every caller of Bucket::take."}]})),
        call("c6", "write", json!({"path": "tests/burst.rs",
            "content": "#[test]\nfn bursts_are_capped() {\n    let mut bucket = Bucket::new(10.0, 10.0);\n    let start = Instant::now();\n    \
                        let taken = (0..100).filter(|_| bucket.take(start)).count();\n    assert_eq!(taken, 10); // not 14\n}\n"}))]));
    script.result("c5", "task", "Mara: three callers, all in src/http.rs.", json!({"projectAgentsDir": null,
        "results": [{"index": 0, "id": "Mara", "agent": "explore", "description": "Callers of take", "exitCode": 0,
        "durationMs": 5200, "tokens": 9120}], "totalDurationMs": 5200}));
    script.result("c6", "write", "Wrote 7 lines to tests/burst.rs", Value::Null);
    script.add(json!({"type": "compaction", "summary": "## Goal\n\nStop bursts in the rate limiter.\n\n## Done\n\n- cause \
        found: `last` never moved\n- fix in `src/bucket.rs`\n- test in `tests/burst.rs`", "shortSummary": "Rate limiter fix",
        "firstKeptEntryId": script.leaf, "tokensBefore": 84_210}));
    script.add(
        json!({"type": "custom_message", "customType": "reminder", "display": false, "attribution": "agent",
        "content": "Two items are open."}),
    );
}

fn ending(script: &mut Script) {
    script.add(json!({"type": "model_change", "model": "anthropic/claude-opus-4-1", "role": "slow"}));
    script.add(json!({"type": "service_tier_change", "serviceTier": "priority"}));
    script.add(json!({"type": "mode_change", "mode": "plan", "data": {"planFile": "local://plan.md"}}));
    script.add(json!({"type": "mcp_tool_selection", "selectedToolNames": ["mcp__tickets__close"]}));
    script.add(json!({"type": "custom", "customType": "todo", "data": {"done": 3, "open": 0}}));
    script.add(json!({"type": "hologram", "beam": [1, 2, 3]}));
    let mut failed = answer(json!([thinking("Running everything once more.")]), "error");
    failed["errorMessage"] = json!("529 overloaded_error: Overloaded");
    script.message(failed);
    script.answer(json!([{"type": "redactedThinking", "data": "xx"},
        call("c7", "bash", json!({"command": "cargo test"})), call("c8", "browser", json!({"action": "screenshot"}))]));
    script.result("c7", "bash", "test result: ok. 41 passed; 0 failed; finished in 0.62s", Value::Null);
    script.message(json!({"role": "toolResult", "toolCallId": "c8", "toolName": "browser", "isError": false,
        "content": [text("Screenshot of the dashboard"), {"type": "image", "data": STANDARD.encode(chart()), "mimeType": "image/png"},
        {"type": "image", "data": "blob:sha256:00", "mimeType": "image/png"}], "timestamp": 1_773_480_000_000_u64}));
    script.user("Great. Summarise it for the pull request, please.");
    script.answer(json!([text("Done. The limiter never hands out more than its capacity.\n\n- [x] cause: `last` was never moved\n\
        - [x] fix in `src/bucket.rs`\n- [x] test in `tests/burst.rs`, which fails without the fix\n- [ ] roll-out\n\n\
        The three callers in `src/http.rs` need no change.")]));
}

fn agent(id: &str, task: &str) -> Script {
    let mut script = Script::new(id, "");
    script.add(json!({"type": "session_init", "systemPrompt": "You explore. You never write.", "task": task,
        "tools": ["read", "search"], "outputSchema": {"type": "object"}}));
    script.answer(json!([
        text("Searching."),
        call("m1", "search", json!({"pattern": "\\.take\\("})),
        call(
            "m2",
            "task",
            json!({"agent": "explore", "id": format!("{id}.Finn"), "assignment": "Check the benches"})
        )
    ]));
    script.result("m1", "search", "src/http.rs:41\nsrc/http.rs:77\nsrc/http.rs:102", Value::Null);
    script.answer(json!([text("Three callers, all in `src/http.rs`.")]));
    script
}

fn hash(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A small bar chart as PNG.
pub(crate) fn chart() -> Vec<u8> {
    let (width, height) = (480_u32, 200_u32);
    let bars = [38, 41, 40, 150, 44, 39, 162, 41, 43, 40, 158, 42];
    let mut rows = Vec::new();
    for y in 0..height {
        rows.push(0);
        for x in 0..width {
            let bar = bars[(x / 40) as usize];
            let inside = x % 40 > 8 && height - y < bar;
            let color = match (inside, bar > 100) {
                (true, true) => [0xe5, 0x73, 0x73],
                (true, false) => [0x64, 0x95, 0xed],
                _ if y == 100 => [0xd0, 0xd4, 0xdc],
                _ => [0xf7, 0xf8, 0xfa],
            };
            rows.extend(color);
        }
    }
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut zlib, &rows).unwrap();
    for (name, data) in [(b"IHDR", header), (b"IDAT", zlib.finish().unwrap()), (b"IEND", Vec::new())] {
        let chunk = [&name[..], &data].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&chunk);
        png.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        png.extend(chunk);
        png.extend(sum.sum().to_be_bytes());
    }
    png
}
