//! Anthropic prompt caching: where breakpoints may be and how many.

use super::Check;
use super::anthropic_messages::blocks;
use super::fields::{self, entries};
use serde_json::Value;

const MOST: usize = 4;

pub(super) fn check(body: &Value) -> Check {
    let marked: Vec<(String, &Value)> =
        carriers(body).into_iter().filter(|(_, block)| block.get("cache_control").is_some()).collect();
    if marked.len() > MOST {
        return Err(format!(
            "A maximum of {MOST} blocks with cache_control may be provided. Found {}.",
            marked.len()
        ));
    }
    for (at, block) in &marked {
        allowed_block(block, at)?;
        well_formed(&block["cache_control"], at)?;
    }
    long_before_short(&marked)
}

/// Everything that could carry a breakpoint, in the order of the prompt: tools, system, messages.
fn carriers(body: &Value) -> Vec<(String, &Value)> {
    let list = |name: &str, blocks| -> Vec<(String, &Value)> {
        entries(blocks).iter().enumerate().map(|(index, block)| (format!("{name}.{index}"), block)).collect()
    };
    let mut all = list("tools", &body["tools"]);
    all.extend(list("system", &body["system"]));
    for (index, message) in entries(&body["messages"]).iter().enumerate() {
        for (place, block) in blocks(message).iter().enumerate() {
            let at = format!("messages.{index}.content.{place}");
            let inner = if block["type"] == "tool_result" { entries(&block["content"]) } else { &[] };
            all.extend(inner.iter().enumerate().map(|(part, block)| (format!("{at}.content.{part}"), block)));
            all.push((at, block));
        }
    }
    if body.get("cache_control").is_some() {
        all.push(("request".into(), body));
    }
    all
}

fn allowed_block(block: &Value, at: &str) -> Check {
    match block["type"].as_str() {
        Some(kind @ ("thinking" | "redacted_thinking")) => {
            Err(format!("{at}.{kind}.cache_control: Extra inputs are not permitted"))
        }
        _ => Ok(()),
    }
}

fn well_formed(control: &Value, at: &str) -> Check {
    fields::known_members(control, &format!("{at}.cache_control"), &["type", "ttl"])?;
    if control["type"] != "ephemeral" {
        return Err(format!("{at}.cache_control.type: Input should be 'ephemeral'"));
    }
    match control.get("ttl").map(|ttl| ttl.as_str().unwrap_or_default()) {
        None | Some("5m" | "1h") => Ok(()),
        Some(other) => Err(format!("{at}.cache_control.ttl: Input should be '5m' or '1h', not {other:?}")),
    }
}

fn long_before_short(marked: &[(String, &Value)]) -> Check {
    let mut short_seen = false;
    for (at, block) in marked {
        let long = block["cache_control"]["ttl"] == "1h";
        if long && short_seen {
            return Err(format!(
                "{at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control \
                 block."
            ));
        }
        short_seen |= !long;
    }
    Ok(())
}
