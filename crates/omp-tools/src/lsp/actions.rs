//! `code_actions`: what a server offers to do at a place.

use std::sync::Arc;

use omp_lsp::Client;
use omp_lsp::diagnostics::Diagnostic;
use omp_lsp::edits::WorkspaceEdit;
use omp_lsp::position::Position;
use serde::Deserialize;
use serde_json::{Value, json};

use super::apply;
use super::call::{Call, Fault, Reply, ServerPosition};

/// Offers that are listed.
const MOST_LISTED: usize = 100;

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, Fault> {
    call.needs_file()?;
    let query = call.arguments.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let applies = call.arguments.apply == Some(true);
    if applies && query.is_none() {
        return Err(Fault::Refused(
            "Applying a code action requires `query`: its index in the list, or part of its title."
                .to_owned(),
        ));
    }
    let place = call.place().await?;
    let client = &place.client;
    client.loaded(call.limit).await;
    let _permit = applies.then(|| client.permit_edits());
    let only = query.filter(|_| !applies);
    let answer = client.request("textDocument/codeAction", params(&place, only), call.limit).await?;
    let offers: Vec<Value> = answer.as_array().cloned().unwrap_or_default();
    if !applies {
        let text = match offers.is_empty() {
            true => "No code actions available".to_owned(),
            false => format!("{} code action(s):\n{}", offers.len(), listed(&offers)),
        };
        return Ok(Reply::new(text).by(client.name()));
    }
    let query = query.unwrap_or_default();
    match chosen(&offers, query) {
        Some(offer) => carried_out(call, client, offer.clone()).await,
        None => {
            let text = format!("No code action matches \"{query}\". Available actions:\n{}", listed(&offers));
            Ok(Reply::refused(text).by(client.name()))
        }
    }
}

/// A range of no width at the place, and what was found there.
fn params(place: &ServerPosition, only: Option<&str>) -> Value {
    let at = Position::deserialize(&place.params["position"]).unwrap_or_default();
    let here = |one: &Diagnostic| one.range.start.line <= at.line && at.line <= one.range.end.line;
    let known = place.client.known(&place.path);
    let diagnostics: Vec<Value> =
        known.into_iter().filter(here).map(|one| one.raw).filter(Value::is_object).collect();
    let mut context = json!({"diagnostics": diagnostics, "triggerKind": 1});
    if let Some(only) = only {
        context["only"] = json!([only]);
    }
    json!({"textDocument": {"uri": place.synced.uri}, "range": {"start": at, "end": at}, "context": context})
}

fn title(offer: &Value) -> &str {
    offer["title"].as_str().unwrap_or("(no title)")
}

fn listed(offers: &[Value]) -> String {
    let row = |(index, offer): (usize, &Value)| {
        let kind = offer["kind"].as_str().filter(|kind| !kind.is_empty());
        let kind = kind.unwrap_or(if offer["command"].is_string() { "command" } else { "action" });
        format!("  {index}: [{kind}] {}", title(offer))
    };
    let mut rows: Vec<String> = offers.iter().enumerate().take(MOST_LISTED).map(row).collect();
    if offers.len() > MOST_LISTED {
        rows.push(format!("  ... {} more", offers.len() - MOST_LISTED));
    }
    rows.join("\n")
}

/// By its number, or else by a part of its title.
fn chosen<'a>(offers: &'a [Value], query: &str) -> Option<&'a Value> {
    if let Ok(index) = query.parse::<usize>() {
        return offers.get(index);
    }
    let wanted = query.to_lowercase();
    offers.iter().find(|offer| title(offer).to_lowercase().contains(&wanted))
}

/// Has the server complete the offer, makes its changes and runs its command.
async fn carried_out(call: &Call<'_>, client: &Arc<Client>, mut offer: Value) -> Result<Reply, Fault> {
    let title = title(&offer).to_owned();
    // A bare command has its name where an action has an object.
    if offer["command"].is_string() {
        let name = execute(call, client, &offer).await?;
        let text = format!("Applied \"{title}\":\nExecuted command(s):\n  {name}");
        return Ok(Reply::new(text).by(client.name()));
    }
    if offer.get("edit").is_none_or(Value::is_null) {
        let resolved = client.request("codeAction/resolve", offer.clone(), call.limit).await;
        match resolved {
            Ok(resolved) if resolved.is_object() => offer = resolved,
            Err(omp_lsp::LspError::Cancelled) => return Err(Fault::Aborted),
            // It may have a command all the same.
            _ => {}
        }
    }
    let mut rows = vec![format!("Applied \"{title}\":")];
    let edit = WorkspaceEdit::parse(offer.get("edit").unwrap_or(&Value::Null)).map_err(Fault::Failed)?;
    let mut output = None;
    if !edit.is_empty() {
        let done = apply::proposed(call.context, edit, client).await?;
        rows.push(format!("Workspace edit:\n{}", apply::lines(&done)));
        output = Some(done);
    }
    if offer["command"].is_object() {
        let name = execute(call, client, &offer["command"]).await?;
        rows.push(format!("Executed command(s):\n  {name}"));
    }
    if rows.len() == 1 {
        let text = format!("Action \"{title}\" has no workspace edit or command to apply");
        return Ok(Reply::refused(text).by(client.name()));
    }
    let reply = Reply::new(rows.join("\n")).by(client.name());
    Ok(match output {
        Some(output) => reply.with_diff(&output),
        None => reply,
    })
}

async fn execute(call: &Call<'_>, client: &Client, command: &Value) -> Result<String, Fault> {
    let name = command["command"].as_str().unwrap_or_default().to_owned();
    let mut params = json!({ "command": name });
    if let Some(arguments) = command.get("arguments").filter(|arguments| arguments.is_array()) {
        params["arguments"] = arguments.clone();
    }
    client.request("workspace/executeCommand", params, call.limit).await?;
    Ok(name)
}
