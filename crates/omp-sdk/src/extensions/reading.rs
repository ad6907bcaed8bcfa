//! What extensions read of a session. Nothing here changes anything, and most of it is still there when the session is over.

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};

use omp_session::{Entry, EntryKind, Header, Loaded, SessionWriter};
use omp_types::Message;
use serde_json::{Value, json};

use crate::extensions::models;
use crate::extensions::port::SessionPort;
use crate::session::Session;

/// What is read of a session that is over. Of a saved one the file has the entries.
pub(crate) struct EndedRecord {
    header: Header,
    path: Option<PathBuf>,
    leaf: Option<String>,
    unsaved: Option<Loaded>,
}

impl EndedRecord {
    pub(crate) fn of(writer: &SessionWriter) -> Self {
        let path = writer.path().filter(|_| writer.is_saved()).map(Path::to_owned);
        Self {
            header: writer.header().clone(),
            leaf: writer.leaf().map(str::to_owned),
            unsaved: path.is_none().then(|| writer.snapshot()),
            path,
        }
    }
}

/// The record of a session, as long as somebody looks at it.
pub(crate) enum RecordView<'p> {
    Living(MutexGuard<'p, SessionWriter>),
    Ended(&'p EndedRecord),
}

impl RecordView<'_> {
    fn header(&self) -> &Header {
        match self {
            Self::Living(writer) => writer.header(),
            Self::Ended(ended) => &ended.header,
        }
    }

    /// The file, once there is one.
    fn file(&self) -> Option<&Path> {
        match self {
            Self::Living(writer) => writer.path().filter(|_| writer.is_saved()),
            Self::Ended(ended) => ended.path.as_deref(),
        }
    }

    fn directory(&self) -> Option<&Path> {
        match self {
            Self::Living(writer) => writer.path().and_then(Path::parent),
            Self::Ended(ended) => ended.path.as_deref().and_then(Path::parent),
        }
    }

    fn leaf(&self) -> Option<&str> {
        match self {
            Self::Living(writer) => writer.leaf(),
            Self::Ended(ended) => ended.leaf.as_deref(),
        }
    }

    /// The whole conversation.
    fn loaded(&self) -> Option<Loaded> {
        match self {
            Self::Living(writer) => writer.conversation().ok(),
            Self::Ended(EndedRecord { path: Some(path), .. }) => omp_session::load(path).ok().flatten(),
            Self::Ended(ended) => ended.unsaved.clone(),
        }
    }

    fn entries(&self) -> Vec<Entry> {
        self.loaded().map(|loaded| loaded.entries().to_vec()).unwrap_or_default()
    }

    /// What the model is told of it.
    fn messages(&self) -> Vec<Arc<Message>> {
        self.loaded().map(|loaded| loaded.context_at(self.leaf()).messages).unwrap_or_default()
    }
}

pub(crate) fn read(port: &SessionPort, operation: &str, arguments: &Value) -> Result<Value, String> {
    let record = port.view();
    Ok(match operation {
        "session.id" => json!(record.header().id),
        "session.header" => serde_json::to_value(record.header()).unwrap_or_default(),
        "session.file" => json!(record.file()),
        "session.directory" => json!(record.directory()),
        "session.name" => json!(record.header().title),
        "session.cwd" => json!(port.cwd),
        "entries.leaf" => json!(record.leaf()),
        "entries.all" => json!(record.entries()),
        "entries.branch" => {
            let from = arguments["from"].as_str().map(str::to_owned).or(record.leaf().map(str::to_owned));
            json!(branch(record.entries(), from))
        }
        "session.messages" => json!(record.messages()),
        "session.model" => models::value(&port.live.model()),
        "session.isIdle" => json!(!port.control.is_running()),
        "session.hasPendingMessages" => {
            let (steering, following) = port.control.queued();
            json!(steering + following > 0)
        }
        "session.systemPrompt" => json!(omp_agent::Setup::system(&*port.setup)),
        _ => {
            drop(record);
            return of_living(port, operation);
        }
    })
}

/// What only a session that still runs can say.
fn of_living(port: &SessionPort, operation: &str) -> Result<Value, String> {
    let Ok(session) = port.session() else { return Ok(Value::Null) };
    Ok(match operation {
        "session.thinkingLevel" => json!(thinking(&session)),
        "session.scopedModels" => {
            let scope = session.models().scope();
            let known = scope.iter().filter_map(|scoped| {
                let model = session.models.select(&scoped.selector).ok()?.model;
                Some(json!({"model": models::value(&model), "thinkingLevel": scoped.thinking.map(|level| level.name())}))
            });
            Value::Array(known.collect())
        }
        "session.isProjectTrusted" => json!(session.trust().code().is_ok()),
        "session.contextUsage" => {
            let window = session.compactor.window(&session.model());
            let messages = port.view().messages();
            let tokens = session.compactor.measured(&messages).tokens;
            let percent = tokens as f64 * 100.0 / window.max(1) as f64;
            json!({"tokens": tokens, "contextWindow": window, "percent": percent})
        }
        "session.jobs" => json!({"running": session.jobs().list().len()}),
        other => return Err(format!("{other} is not offered by omp")),
    })
}

pub(crate) fn commands(port: &SessionPort) -> Value {
    let Ok(session) = port.session() else { return json!([]) };
    let set = session.extensions.set.as_ref();
    let of_extensions = set.map(|set| set.list()).unwrap_or_default().into_iter().flat_map(|extension| {
        let path = extension.spec.path.display().to_string();
        let source = extension.spec.source.name().to_owned();
        extension.registered().commands.into_iter().map(move |command| {
            json!({
                "name": command.name, "description": command.description, "source": "extension", "location": source,
                "path": path,
            })
        })
    });
    let files = session.input().commands();
    let of_files = files
        .all()
        .iter()
        .filter(|row| row.shadowed_by.is_none())
        .map(|row| json!({"name": row.name, "description": row.description, "source": "prompt"}));
    let skills = session.input().skill_commands();
    let of_skills = skills.into_iter().map(
        |(name, description)| json!({"name": format!("skill:{name}"), "description": description, "source": "skill"}),
    );
    let all: Vec<Value> = of_extensions.chain(of_files).chain(of_skills).collect();
    json!(all)
}

/// How hard the model thinks, as the session remembers it.
fn thinking(session: &Session) -> String {
    let entries = RecordView::Living(session.record.lock()).entries();
    let change = entries.into_iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::ThinkingLevelChange(change) => Some(change.chosen().to_owned()),
        _ => None,
    });
    change.unwrap_or_else(|| session.preferences.effort.start().name().to_owned())
}

/// The way from the first entry to one of them.
fn branch(entries: Vec<Entry>, from: Option<String>) -> Vec<Entry> {
    let mut way = Vec::new();
    let mut wanted = from;
    for entry in entries.into_iter().rev() {
        if wanted.as_deref() == Some(entry.id.as_str()) {
            wanted.clone_from(&entry.parent_id);
            way.push(entry);
        }
    }
    way.reverse();
    way
}
