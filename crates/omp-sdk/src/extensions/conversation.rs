//! What extensions do to a conversation.

use std::sync::Arc;

use omp_session::{Custom, EntryKind};
use serde_json::{Value, json};

use crate::extensions::port::{SessionPort, text};
use crate::session::Session;

/// The largest entry that an extension may keep.
const LARGEST_ENTRY: usize = 4 * 1024 * 1024;

/// Data of an extension, which no model sees.
pub(crate) fn append_entry(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    port.session()?;
    let data = arguments.get("data").filter(|data| !data.is_null()).cloned();
    if data.as_ref().is_some_and(|data| data.to_string().len() > LARGEST_ENTRY) {
        return Err(format!("an entry may have at most {} MiB", LARGEST_ENTRY / 1024 / 1024));
    }
    let custom_type = text(arguments, "customType").to_owned();
    let id = port.record.lock().append(EntryKind::Custom(Custom { custom_type, data }));
    Ok(json!(id))
}

pub(crate) fn set_label(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    port.session()?;
    let label = arguments["label"].as_str();
    let entry = text(arguments, "entryId");
    let labelled = port.record.lock().append_label(entry, label).map(|_| Value::Null);
    labelled.map_err(|error| error.to_string())
}

/// Makes the conversation shorter.
pub(crate) async fn compact(session: Arc<Session>, arguments: Value) -> Result<Value, String> {
    let focus = arguments["customInstructions"].as_str().filter(|focus| !focus.trim().is_empty());
    let done = session.context().compact(focus, tokio_util::sync::CancellationToken::new()).await;
    let done = done.map_err(|error| error.to_string())?;
    Ok(json!(done.result))
}
