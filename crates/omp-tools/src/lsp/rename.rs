//! `rename`: a name, everywhere.

use omp_lsp::edits::WorkspaceEdit;
use serde_json::Value;

use super::apply;
use super::call::{Call, Fault, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, Fault> {
    call.needs_file()?;
    let new_name = call.arguments.new_name.as_deref().filter(|name| !name.trim().is_empty());
    let Some(new_name) = new_name else {
        return Err(Fault::Refused("Action rename requires `new_name`.".to_owned()));
    };
    let place = call.place().await?;
    let client = &place.client;
    client.loaded(call.limit).await;
    let applies = call.arguments.apply != Some(false);
    let _permit = applies.then(|| client.permit_edits());
    let mut params = place.params.clone();
    params["newName"] = Value::from(new_name);
    let answer = client.request("textDocument/rename", params, call.limit).await?;
    let edit = WorkspaceEdit::parse(&answer).map_err(Fault::Failed)?;
    if edit.is_empty() {
        return Ok(Reply::new("Rename returned no edits").by(client.name()));
    }
    if !applies {
        let text = format!("Rename preview:\n{}", apply::preview(call.context, &edit));
        return Ok(Reply::new(text).by(client.name()));
    }
    let output = apply::proposed(call.context, edit, client).await?;
    Ok(Reply::new(format!("Applied rename:\n{}", apply::lines(&output))).by(client.name()).with_diff(&output))
}
