//! Scenarios by name, for benchmarks and the `omp-scripted-model` program.

use crate::{Reply, Scenario, Stop};
use serde_json::json;

/// The scenario called `name`, or `None` when there is none.
///
/// * `one-turn`: every request gets one short answer
/// * `tool-loop:N`: `N` requests are answered with `bash {"command":"true # 1"}` and so on, then the model says it is done
/// * `tool-loop-read:N`: the same with `read {"path":"README.md:1-2"}` and so on
/// * `deltas:N`: every request is answered with `N` text deltas
///
/// The loops count the tool results in the request, so that several clients can use one server. Their calls differ, because
/// a client may stop a model that does the same thing again and again.
pub fn scenario(name: &str) -> Option<Scenario> {
    let (kind, count) = match name.split_once(':') {
        Some((kind, count)) => (kind, Some(count.parse::<usize>().ok()?)),
        None => (name, None),
    };
    match (kind, count) {
        ("one-turn", None) => {
            Some(Scenario::replies([Reply::new().text("Hello from the scripted model.")]).repeat(true))
        }
        ("deltas", Some(count)) => Some(Scenario::replies([varied_deltas(count)]).repeat(true)),
        ("tool-loop", Some(count)) => {
            Some(tool_loop(count, "bash", |n| json!({"command": format!("true # {n}")})))
        }
        ("tool-loop-read", Some(count)) => {
            Some(tool_loop(count, "read", |n| json!({"path": format!("README.md:1-{}", n + 2)})))
        }
        _ => None,
    }
}

/// `count` deltas of five characters. They differ, because a client may stop an answer that repeats itself.
fn varied_deltas(count: usize) -> Reply {
    let text: String = (0..count).map(|n| format!("{:04x} ", n.wrapping_mul(40_503) & 0xffff)).collect();
    Reply::new().text(&text).delta_size(5)
}

fn tool_loop(count: usize, tool: &'static str, arguments: fn(usize) -> serde_json::Value) -> Scenario {
    Scenario::dynamic(move |request| match results_in(&request.body) {
        done if done < count => Reply::new().tool_call(tool, arguments(done)),
        _ => Reply::new().text("Done.").stop(Stop::Stop),
    })
}

/// Tool results in a request body of any wire.
fn results_in(body: &serde_json::Value) -> usize {
    let entries = ["messages", "input", "contents"].iter().find_map(|list| body[list].as_array());
    entries.into_iter().flatten().map(results_in_entry).sum()
}

fn results_in_entry(entry: &serde_json::Value) -> usize {
    if entry["role"] == "tool" || entry["type"] == "function_call_output" {
        return 1;
    }
    let blocks = entry["content"].as_array().or_else(|| entry["parts"].as_array());
    let is_result = |block: &&serde_json::Value| {
        block["type"] == "tool_result" || block.get("functionResponse").is_some()
    };
    blocks.into_iter().flatten().filter(is_result).count()
}
