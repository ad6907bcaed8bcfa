//! Responses reasoning items: unchanged, sealed, and with the item they came with.

use super::fields::entries;
use super::responses_items::kind;
use super::{Check, Checker};
use crate::server::{EmittedItem, Turn};
use serde_json::Value;
use std::sync::Arc;

pub(super) fn check(body: &Value, checker: &Checker<'_>) -> Check {
    items(body, body["store"] == false, checker)
}

/// For a request of an endpoint that stores nothing.
pub(super) fn check_stateless(body: &Value, checker: &Checker<'_>) -> Check {
    items(body, true, checker)
}

fn items(body: &Value, stateless: bool, checker: &Checker<'_>) -> Check {
    let items = entries(&body["input"]);
    for (index, item) in items.iter().enumerate() {
        if kind(item) == "compaction" {
            compacted(item, body, checker)?;
        }
        if kind(item) == "reasoning" {
            sealed(item, index, stateless, checker)?;
            followed(items, index, checker)?;
        } else {
            preceded(items, index, checker)?;
        }
    }
    Ok(())
}

/// What a model sealed is for that model alone.
fn compacted(item: &Value, body: &Value, checker: &Checker<'_>) -> Check {
    let id = item["id"].as_str().unwrap_or_default();
    let model = body["model"].as_str().unwrap_or_default();
    match item["encrypted_content"] == checker.mint.compacted(id, model) {
        true => Ok(()),
        false => Err(format!("The encrypted content for item {id} could not be verified.")),
    }
}

fn sealed(item: &Value, index: usize, stateless: bool, checker: &Checker<'_>) -> Check {
    let id = item["id"].as_str().unwrap_or_default();
    match item.get("encrypted_content").filter(|content| !content.is_null()) {
        Some(content) if *content == checker.mint.encrypted(id) => Ok(()),
        Some(_) => Err(format!("The encrypted content for item {id} could not be verified.")),
        None if stateless => Err(format!(
            "input[{index}]: Item with id '{id}' not found. Items are not persisted when `store` is set to false; \
             send its encrypted_content or remove the item."
        )),
        None => Ok(()),
    }
}

fn turn_with(checker: &Checker<'_>, id: &str) -> Option<Arc<Turn>> {
    checker.turns.find(|turn| turn.items.iter().any(|item| item.id == id))
}

/// The item after the reasoning must be the one that came after it, recognised by id, else by call id or kind.
fn followed(items: &[Value], index: usize, checker: &Checker<'_>) -> Check {
    let id = items[index]["id"].as_str().unwrap_or_default();
    let missing =
        || Err(format!("Item '{id}' of type 'reasoning' was provided without its required following item."));
    let Some(next) = items.get(index + 1) else { return missing() };
    let Some(turn) = turn_with(checker, id) else {
        // Made by another server with our secret: the kind is all we can judge.
        let fits = matches!(kind(next), "message" | "function_call" | "custom_tool_call" | "reasoning");
        return if fits { Ok(()) } else { missing() };
    };
    let place = turn.items.iter().position(|item| item.id == id).unwrap_or_default();
    match turn.items.get(place + 1) {
        Some(expected) if is_same(next, expected) => Ok(()),
        _ => missing(),
    }
}

fn is_same(item: &Value, emitted: &EmittedItem) -> bool {
    if kind(item) != emitted.kind {
        return false;
    }
    let same_call = emitted.call_id.as_ref().is_none_or(|call_id| item["call_id"] == *call_id);
    let same_id = item.get("id").is_none_or(|id| *id == emitted.id);
    let own_words = emitted.kind != "message" || item["role"] == "assistant";
    same_call && same_id && own_words
}

/// An item sent with its id must bring the reasoning that was made for it.
fn preceded(items: &[Value], index: usize, checker: &Checker<'_>) -> Check {
    let Some(id) = items[index]["id"].as_str() else { return Ok(()) };
    let Some(turn) = turn_with(checker, id) else { return Ok(()) };
    let place = turn.items.iter().position(|item| item.id == id).unwrap_or_default();
    let Some(before) = place.checked_sub(1).map(|place| &turn.items[place]) else { return Ok(()) };
    if before.kind != "reasoning" {
        return Ok(());
    }
    let there = index.checked_sub(1).is_some_and(|place| items[place]["id"] == before.id);
    if there {
        return Ok(());
    }
    let kind = kind(&items[index]);
    Err(format!(
        "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{}'.",
        before.id
    ))
}
