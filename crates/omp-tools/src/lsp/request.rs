//! `request`: any method of the protocol.

use omp_lsp::column;
use serde_json::{Value, json};

use super::call::{Call, Fault, Reply};
use super::manage::pretty;

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, Fault> {
    let method = call.arguments.query.as_deref().map(str::trim).filter(|method| !method.is_empty());
    let Some(method) = method else {
        return Err(Fault::Refused(
            "Action request requires `query`, the name of the LSP method.".to_owned(),
        ));
    };
    let payload = match &call.arguments.payload {
        Some(text) => Some(serde_json::from_str::<Value>(text).map_err(|error| {
            Fault::Refused(format!("`payload` is not valid JSON: {error}. Nothing was sent."))
        })?),
        None => None,
    };
    let path = call.file().map(|file| call.path(file)).transpose()?;
    let server = match &path {
        Some(path) => call.primary(path)?,
        None => call
            .config
            .speaking()
            .next()
            .ok_or_else(|| Fault::Refused("No language server found for this project.".to_owned()))?,
    };
    let asked = async {
        let client = call.client(server).await?;
        let mut params = json!({});
        if let Some(path) = &path {
            let text = call.text(path).await?;
            let synced = client.open(path, &text).await?;
            params["textDocument"] = json!({"uri": synced.uri});
            if call.arguments.line.is_some() && payload.is_none() {
                let symbol = call.arguments.symbol.as_deref();
                let at =
                    column::find(&text, call.line(), symbol, client.encoding()).map_err(Fault::Failed)?;
                params["position"] = json!(at);
            }
        }
        let _permit = client.permit_edits();
        Ok::<Value, Fault>(client.request(method, payload.unwrap_or(params), call.limit).await?)
    };
    let name = &server.name;
    match asked.await {
        Ok(Value::String(text)) => Ok(Reply::new(format!("{name} ← {method}:\n{text}")).by(name)),
        Ok(value) => Ok(Reply::new(format!("{name} ← {method}:\n{}", pretty(&value))).by(name)),
        Err(Fault::Failed(problem)) => {
            Ok(Reply::refused(format!("LSP error from {name} on {method}: {problem}")).by(name))
        }
        Err(other) => Err(other),
    }
}
