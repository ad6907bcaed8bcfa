//! `symbols`: the outline of a file, or names in the whole project.

use std::collections::HashSet;

use futures_util::future::join_all;
use omp_lsp::location::Location;
use serde_json::{Value, json};

use super::call::{Call, Fault, Reply};

/// Names of the project that are shown.
const MOST_SHOWN: usize = 200;
/// Names of a file that are shown.
const MOST_IN_FILE: usize = 2_000;
/// Names inside names.
const DEEPEST: usize = 20;

/// What the protocol calls kinds of things, from one on.
const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter",
];

fn kind(item: &Value) -> &'static str {
    let number = item["kind"].as_u64().and_then(|kind| usize::try_from(kind).ok()).unwrap_or(0);
    number.checked_sub(1).and_then(|index| KINDS.get(index)).copied().unwrap_or("symbol")
}

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, Fault> {
    match call.file() {
        Some(_) => in_file(call).await,
        None => in_project(call).await,
    }
}

async fn in_file(call: &Call<'_>) -> Result<Reply, Fault> {
    let path = call.path(call.needs_file()?)?;
    let server = call.primary(&path)?;
    let text = call.text(&path).await?;
    let client = call.client(server).await?;
    let synced = client.open(&path, &text).await?;
    let params = json!({"textDocument": {"uri": synced.uri}});
    let answer = client.request("textDocument/documentSymbol", params, call.limit).await?;
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    let shown = call.shown(&path);
    if items.is_empty() {
        return Ok(Reply::new(format!("No symbols found in {shown}")).by(&server.name));
    }
    let mut rows = vec![format!("Symbols in {shown}:")];
    match items[0].get("selectionRange").is_some() {
        true => items.iter().for_each(|item| nested(item, 0, &mut rows)),
        false => rows.extend(items.iter().take(MOST_IN_FILE).map(flat)),
    }
    if rows.len() > MOST_IN_FILE {
        rows.truncate(MOST_IN_FILE);
        rows.push("... more not shown".to_owned());
    }
    Ok(Reply::new(rows.join("\n")).by(&server.name))
}

fn nested(item: &Value, depth: usize, rows: &mut Vec<String>) {
    if depth > DEEPEST || rows.len() > MOST_IN_FILE {
        return;
    }
    let line = item.pointer("/selectionRange/start/line").and_then(Value::as_u64).unwrap_or(0) + 1;
    let detail = item["detail"].as_str().filter(|detail| !detail.is_empty());
    let detail = detail.map(|detail| format!(" {}", one_line(detail))).unwrap_or_default();
    rows.push(format!("{}{} {}{detail} @ line {line}", "  ".repeat(depth + 1), kind(item), name(item)));
    for child in item["children"].as_array().map(Vec::as_slice).unwrap_or_default() {
        nested(child, depth + 1, rows);
    }
}

fn flat(item: &Value) -> String {
    let line = item.pointer("/location/range/start/line").and_then(Value::as_u64).unwrap_or(0) + 1;
    let inside = item["containerName"].as_str().filter(|name| !name.is_empty());
    let inside = inside.map(|name| format!(" in {}", one_line(name))).unwrap_or_default();
    format!("  {} {}{inside} @ line {line}", kind(item), name(item))
}

fn name(item: &Value) -> String {
    one_line(item["name"].as_str().unwrap_or_default())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One thing somewhere in the project.
#[derive(PartialEq, Eq, Hash)]
struct FoundSymbol {
    name: String,
    kind: &'static str,
    place: String,
}

async fn in_project(call: &Call<'_>) -> Result<Reply, Fault> {
    let query = call.arguments.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let Some(query) = query else {
        return Err(Fault::Refused(
            "Workspace symbols require `query`, the name to search for. For the outline of a file, pass \
             `file`."
                .to_owned(),
        ));
    };
    let servers: Vec<_> = call.config.speaking().collect();
    if servers.is_empty() {
        return Err(Fault::Refused("No language server found for this project.".to_owned()));
    }
    let answers = join_all(servers.iter().map(|server| async {
        let client = call.client(server).await?;
        client.loaded(call.limit).await;
        Ok(client.request("workspace/symbol", json!({ "query": query }), call.limit).await?)
    }))
    .await;
    let (mut found, mut seen, mut failed) = (Vec::new(), HashSet::new(), Vec::new());
    for (server, answer) in servers.iter().zip(answers) {
        match answer {
            Ok(answer) => {
                for one in matching(call, &answer, query) {
                    if seen.insert((one.name.clone(), one.place.clone())) {
                        found.push(one);
                    }
                }
            }
            Err(Fault::Aborted) => return Err(Fault::Aborted),
            Err(Fault::Failed(problem) | Fault::Refused(problem)) => {
                failed.push(format!("{}: {problem}", server.name));
            }
        }
    }
    if failed.len() == servers.len() {
        return Err(Fault::Failed(failed.join("; ")));
    }
    Ok(Reply::new(listed(&found, query)))
}

fn listed(found: &[FoundSymbol], query: &str) -> String {
    if found.is_empty() {
        return format!("No symbols matching \"{query}\"");
    }
    let mut rows = vec![format!("Found {} symbol(s) matching \"{query}\":", found.len())];
    rows.extend(
        found.iter().take(MOST_SHOWN).map(|one| format!("  {} {} @ {}", one.kind, one.name, one.place)),
    );
    if found.len() > MOST_SHOWN {
        rows.push(format!("... {} additional symbol(s) omitted", found.len() - MOST_SHOWN));
    }
    rows.join("\n")
}

/// Those of an answer whose name really has the text; servers are generous.
fn matching(call: &Call<'_>, answer: &Value, query: &str) -> Vec<FoundSymbol> {
    let wanted = query.to_lowercase();
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    let read = |item: &Value| {
        let (name, location) = (name(item), Location::parse(&item["location"])?);
        let file = location.path().map_or_else(|| location.uri.clone(), |path| call.shown(&path));
        let start = location.range.start;
        let place = format!("{file}:{}:{}", u64::from(start.line) + 1, u64::from(start.character) + 1);
        name.to_lowercase().contains(&wanted).then(|| FoundSymbol { name, kind: kind(item), place })
    };
    items.iter().filter_map(read).collect()
}
