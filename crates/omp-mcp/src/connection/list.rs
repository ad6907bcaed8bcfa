//! What a server offers, page by page.

// Subscriptions of single resources are gone in the newest revision; the servers in use have them.
#![allow(deprecated)]

use std::sync::PoisonError;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, ServerResult, SubscribeRequest, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequest, UnsubscribeRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Ask, Connection};
use crate::error::CallError;
use crate::items::{Prompt, Resource, ResourceTemplate, Tool};
use crate::limits;

/// A list, and what is missing in it.
pub(crate) type Listed<T> = (Vec<T>, Vec<String>);

/// One page as the server sent it.
struct Page<W> {
    items: Vec<W>,
    /// Entries that could not be read.
    broken: usize,
    next: Option<String>,
    /// For how many milliseconds it stays as it is.
    fresh: Option<u64>,
}

impl<W: DeserializeOwned> Page<W> {
    /// From a result that is not quite a list: one entry that cannot be read does not spoil the others.
    fn lenient(value: Value, key: &str) -> Option<Self> {
        let Value::Object(mut map) = value else { return None };
        let Some(Value::Array(values)) = map.remove(key) else { return None };
        let count = values.len();
        let items: Vec<W> =
            values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect();
        let next = map.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        let fresh = map.get("ttlMs").and_then(Value::as_u64);
        Some(Self { broken: count - items.len(), items, next, fresh })
    }
}

macro_rules! pages {
    ($request:ident, $result:ident, $items:ident, $key:literal) => {
        |cursor| {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::$request($request::with_param(params));
            let read = |result| match result {
                ServerResult::$result(list) => {
                    let (next, fresh) = (list.next_cursor.map(Into::into), list.ttl_ms);
                    Some(Page { items: list.$items, broken: 0, next, fresh })
                }
                ServerResult::CustomResult(custom) => Page::lenient(custom.0, $key),
                _ => None,
            };
            (request, read)
        }
    };
}

impl Connection {
    async fn pages<W, T, R>(
        &self,
        what: &str,
        page: impl Fn(Option<String>) -> (ClientRequest, R),
        take: impl Fn(W) -> Result<T, String>,
    ) -> Result<Listed<T>, CallError>
    where
        R: FnOnce(ServerResult) -> Option<Page<W>>,
    {
        let (mut found, mut notes, mut cursor) = (Vec::new(), Vec::new(), None);
        for number in 0..limits::PAGES {
            let (request, read) = page(cursor.clone());
            let result = self.request(request, &Ask::default()).await?;
            let page =
                read(result).ok_or_else(|| CallError::Nonsense(format!("the list of {what} is not one")))?;
            self.stays_fresh(page.fresh);
            if page.broken > 0 {
                notes.push(format!("{} of the {what} were left out: they are not valid", page.broken));
            }
            for item in page.items {
                match take(item) {
                    Ok(item) => found.push(item),
                    Err(note) => notes.push(note),
                }
            }
            if found.len() > limits::ENTRIES {
                found.truncate(limits::ENTRIES);
                notes.push(format!("more than {} {what}: the rest was left out", limits::ENTRIES));
                break;
            }
            // A server that repeats a page would never finish.
            if page.next.is_none() || page.next == cursor {
                break;
            }
            if number + 1 == limits::PAGES {
                notes.push(format!("more than {} pages of {what}: the rest was left out", limits::PAGES));
            }
            cursor = page.next;
        }
        notes.truncate(100);
        Ok((found, notes))
    }

    /// A list that the server calls fresh for a while is old after that.
    fn stays_fresh(&self, milliseconds: Option<u64>) {
        let Some(hint) = milliseconds.filter(|hint| *hint > 0).map(Duration::from_millis) else { return };
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        *fresh = Some(fresh.map_or(hint, |known| known.min(hint)));
    }

    /// Completes when the lists have to be read again although nobody said that they changed. Never for a server that tells
    /// about changes, or gave no hint.
    pub(crate) async fn stale(&self) {
        let tells = self.peer_info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        let hint = *self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        match hint.filter(|_| tells != Some(true)) {
            Some(hint) => tokio::time::sleep(hint.max(limits::FRESH)).await,
            None => std::future::pending().await,
        }
    }

    pub(crate) async fn tools(&self) -> Result<Listed<Tool>, CallError> {
        if self.peer_info.capabilities.tools.is_none() {
            return Ok(Listed::default());
        }
        let page = pages!(ListToolsRequest, ListToolsResult, tools, "tools");
        self.pages("tools", page, |tool| Tool::of_wire(&self.server, tool)).await
    }

    pub(crate) async fn resources(&self) -> Result<Listed<Resource>, CallError> {
        if self.peer_info.capabilities.resources.is_none() {
            return Ok(Listed::default());
        }
        let page = pages!(ListResourcesRequest, ListResourcesResult, resources, "resources");
        self.pages("resources", page, Resource::of_wire).await
    }

    pub(crate) async fn templates(&self) -> Result<Listed<ResourceTemplate>, CallError> {
        if self.peer_info.capabilities.resources.is_none() {
            return Ok(Listed::default());
        }
        let page = pages!(
            ListResourceTemplatesRequest,
            ListResourceTemplatesResult,
            resource_templates,
            "resourceTemplates"
        );
        match self.pages("resource templates", page, ResourceTemplate::of_wire).await {
            // Not every server with resources has families of them.
            Err(CallError::Answer { .. }) => Ok(Listed::default()),
            other => other,
        }
    }

    pub(crate) async fn prompts(&self) -> Result<Listed<Prompt>, CallError> {
        if self.peer_info.capabilities.prompts.is_none() {
            return Ok(Listed::default());
        }
        let page = pages!(ListPromptsRequest, ListPromptsResult, prompts, "prompts");
        self.pages("prompts", page, Prompt::of_wire).await
    }

    /// What has to be asked for in order to hear of changes; older servers say it unasked.
    fn filter(&self) -> SubscriptionFilter {
        let offered = &self.peer_info.capabilities;
        let mut filter = SubscriptionFilter::new();
        let wanted = |changes: Option<bool>| changes.filter(|changes| *changes);
        filter.tools_list_changed = offered.tools.as_ref().and_then(|it| wanted(it.list_changed));
        filter.prompts_list_changed = offered.prompts.as_ref().and_then(|it| wanted(it.list_changed));
        filter.resources_list_changed = offered.resources.as_ref().and_then(|it| wanted(it.list_changed));
        filter
    }

    /// Listens for changes as long as the connection lives. `resources` are watched besides the lists.
    pub(crate) async fn listen(&self, resources: &[String]) {
        let mut filter = self.filter();
        if !resources.is_empty() {
            filter.resource_subscriptions = Some(resources.to_vec());
        }
        if !self.info.revision.is_stateless() || filter == SubscriptionFilter::new() {
            return std::future::pending().await;
        }
        let mut pause = std::time::Duration::from_secs(1);
        loop {
            if let Ok(mut subscription) = self.peer.listen(filter.clone()).await {
                while let Ok(Some(notification)) = subscription.next().await {
                    pause = std::time::Duration::from_secs(1);
                    self.handler.notified(notification);
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(std::time::Duration::from_secs(300));
        }
    }

    pub(crate) fn can_subscribe(&self) -> bool {
        let resources = self.peer_info.capabilities.resources.as_ref();
        resources.and_then(|resources| resources.subscribe).unwrap_or(false)
    }

    /// Asks an older server to tell about new content of a resource.
    pub(crate) async fn subscribe(&self, uri: &str) -> Result<(), CallError> {
        let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
        self.request(ClientRequest::SubscribeRequest(request), &Ask::default()).await.map(drop)
    }

    pub(crate) async fn unsubscribe(&self, uri: &str) -> Result<(), CallError> {
        let request = UnsubscribeRequest::new(UnsubscribeRequestParams::new(uri));
        self.request(ClientRequest::UnsubscribeRequest(request), &Ask::default()).await.map(drop)
    }
}
