//! `agent://<id>`: what a sub-agent said at its end, or a part of it if that is JSON.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_session::{Artifacts, find_output};
use omp_tools::{InternalUrl, Paging, Resource, Scheme};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::extract::{Step, extract, parse_query};

/// An output that is larger is not taken apart.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

pub(crate) struct Agent(pub(crate) Arc<Artifacts>);

impl Scheme for Agent {
    fn name(&self) -> &'static str {
        "agent"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        let (artifacts, url) = (Arc::clone(&self.0), url.clone());
        crate::blocking(move || open(&artifacts, &url)).boxed()
    }

    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        let wanted = Wanted::parse(url)?;
        match wanted.steps {
            None => find(&self.0, &wanted.id),
            Some(_) => Err(format!("'{url}' is a part of an output and has no file behind it.")),
        }
    }
}

/// The output and the part of it that a URL names.
struct Wanted {
    id: String,
    steps: Option<Vec<Step>>,
}

impl Wanted {
    fn parse(url: &InternalUrl) -> Result<Self, String> {
        let (id, path) = url.target().split_once('/').unwrap_or((url.target(), ""));
        let path = path.trim_end_matches('/');
        let query = url.query("q").transpose()?;
        let steps = match (path, query) {
            ("", None) => None,
            ("", Some(query)) => Some(parse_query(&query).map_err(|problem| format!("'{url}': {problem}"))?),
            (path, None) => {
                let names = path.split('/').map(|name| url.decode(name).map(Step::Named));
                Some(names.collect::<Result<_, _>>()?)
            }
            (_, Some(_)) => {
                return Err(format!("'{url}': a path and ?q= cannot be combined. Use one of the two."));
            }
        };
        Ok(Self { id: url.decode(id)?, steps })
    }
}

fn open(artifacts: &Artifacts, url: &InternalUrl) -> Result<Resource, String> {
    let Wanted { id, steps } = Wanted::parse(url)?;
    let path = find(artifacts, &id)?;
    let Some(steps) = steps else { return Ok(Resource::path(path, "text/markdown")) };
    let unreadable = |error: std::io::Error| format!("'{url}' cannot be read: {error}.");
    if path.metadata().map_err(unreadable)?.len() > MOST_BYTES {
        return Err(format!("The output of {id} is too large to be taken apart. Read it by lines."));
    }
    let text = std::fs::read_to_string(&path).map_err(unreadable)?;
    let output: Value = serde_json::from_str(&text).map_err(|error| {
        format!("The output of {id} is not JSON ({error}), so no part of it can be named. Read agent://{id}.")
    })?;
    let part = extract(&output, &steps).map_err(|problem| format!("'{url}': {problem}"))?;
    let text = match part {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).map_err(|error| format!("'{url}': {error}."))?,
    };
    Ok(Resource::text(text, "application/json").paged(Paging::Extract))
}

fn find(artifacts: &Artifacts, id: &str) -> Result<PathBuf, String> {
    let directories: Vec<PathBuf> = artifacts.directory().map(PathBuf::from).into_iter().collect();
    find_output(&directories, id).map_err(|error| error.to_string())
}
