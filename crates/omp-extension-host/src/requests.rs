//! Requests to providers, as extensions see them and want them.

use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use omp_guard::secrets::Secrets;
use omp_llm::Interceptor;
use serde_json::{Value, json};

use crate::event::EventName;
use crate::extensions::Extensions;

/// Shows requests to extensions. What they see has no secrets any more, and neither has what they return.
pub struct RequestWatch {
    extensions: Arc<Extensions>,
    secrets: OnceLock<Arc<Secrets>>,
}

impl fmt::Debug for RequestWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestWatch").finish_non_exhaustive()
    }
}

impl RequestWatch {
    pub fn new(extensions: Arc<Extensions>) -> Arc<Self> {
        Arc::new(Self { extensions, secrets: OnceLock::new() })
    }

    /// What must not be sent, once it is known.
    pub fn hide(&self, secrets: Arc<Secrets>) {
        let _ = self.secrets.set(secrets);
    }
}

impl Interceptor for RequestWatch {
    fn wants_requests(&self) -> bool {
        self.extensions.listens(EventName::BeforeProviderRequest)
    }

    fn request(&self, body: Value) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + '_>> {
        Box::pin(async move {
            let changed = self.extensions.provider_request(body.clone()).await?;
            Some(match self.secrets.get() {
                Some(secrets) => masked(secrets, &body, changed),
                None => changed,
            })
        })
    }

    fn wants_answers(&self) -> bool {
        self.extensions.listens(EventName::AfterProviderResponse)
    }

    fn answered(&self, status: u16, headers: Vec<(String, String)>) {
        let headers: serde_json::Map<String, Value> =
            headers.into_iter().map(|(name, value)| (name, value.into())).collect();
        self.extensions
            .announce(EventName::AfterProviderResponse, || json!({"status": status, "headers": headers}));
    }
}

/// Texts that stood in the request already have been looked through, by rules that know who said them.
fn masked(secrets: &Secrets, before: &Value, changed: Value) -> Value {
    let mut known = HashSet::new();
    collect(before, &mut known);
    secrets.obfuscate_value(changed, &|text| known.contains(text))
}

fn collect<'v>(value: &'v Value, texts: &mut HashSet<&'v str>) {
    match value {
        Value::String(text) => drop(texts.insert(text)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            texts.insert(name);
            collect(value, texts);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use omp_guard::secrets::{Known, masks};

    use super::*;

    #[test]
    fn what_an_extension_adds_is_masked() {
        let known = vec![Known { name: "TOKEN".to_owned(), value: "s3cret-value-of-a-token".to_owned() }];
        let secrets = Secrets::new(masks(known), "session");
        let typed = "use s3cret-value-of-a-token here";
        let before = json!({"messages": [{"content": typed}]});
        let changed = json!({"messages": [{"content": typed}, {"content": "also s3cret-value-of-a-token"}]});
        let sent = masked(&secrets, &before, changed);
        assert_eq!(sent["messages"][0]["content"], typed, "what a person typed is meant to be read");
        assert!(!sent["messages"][1].to_string().contains("s3cret"), "{sent}");
    }
}
