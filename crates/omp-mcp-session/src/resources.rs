//! `mcp://<address>`: resources of servers, and news about them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_config::settings::{Settings, keys};
use omp_mcp::{CallOptions, ResourceData, ServerStatus};
use omp_tools::{Completion, InternalUrl, Resource, Scheme};
use tokio_util::sync::CancellationToken;

use crate::output::plain;
use crate::session::SessionMcp;

/// The kind of the message about changed resources in session files.
const UPDATED: &str = "mcp-resource-updated";
/// Addresses that an error lists.
const LISTED: usize = 30;
/// How long a reader waits for servers that are not connected.
const PATIENCE: Duration = Duration::from_secs(5);
/// Resources of one server that changes are asked about.
const SUBSCRIBED: usize = 200;

/// The scheme.
pub struct McpScheme(pub Arc<SessionMcp>);

impl Scheme for McpScheme {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        async move {
            let address = url.rest();
            let server = match find(&self.0.servers.status(), address) {
                Ok(server) => server,
                Err(_) => {
                    // It may be of a server that nobody has needed so far.
                    self.0.servers.start_all();
                    let ready = async {
                        self.0.servers.settled(PATIENCE).await;
                        self.0.servers.listed(PATIENCE).await;
                    };
                    let _ = cancel.run_until_cancelled(ready).await;
                    find(&self.0.servers.status(), address)?
                }
            };
            let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
            let read = self.0.servers.read_resource(&server, address, &options).await;
            let (bodies, notes) = read.map_err(|error| format!("{server}: {}", plain(&error.to_string())))?;
            let mime = bodies.first().and_then(|body| body.mime_type.clone());
            let mut texts: Vec<String> = bodies
                .iter()
                .map(|body| match &body.data {
                    ResourceData::Text(text) => plain(text),
                    ResourceData::Blob(_) => body.text(),
                })
                .collect();
            texts.extend(notes.into_iter().map(|note| format!("[{note}]")));
            Ok(Resource::text(texts.join("\n\n"), mime.unwrap_or_else(|| "text/plain".to_owned())))
        }
        .boxed()
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let all = self.0.servers.status();
        let resources = all.iter().flat_map(|status| status.offer.resources.iter());
        let matching = resources.filter(|resource| resource.uri.contains(typed));
        let completion = |resource: &omp_mcp::Resource| Completion {
            url: format!("mcp://{}", resource.uri),
            description: plain(resource.title.as_deref().unwrap_or(&resource.name)),
        };
        matching.map(completion).collect()
    }
}

/// The server that has a resource: the one that lists the address, else the one whose template fits it best.
fn find(all: &[ServerStatus], address: &str) -> Result<String, String> {
    let listing = all.iter().find(|status| status.offer.resources.iter().any(|one| one.uri == address));
    if let Some(status) = listing {
        return Ok(status.definition.name.clone());
    }
    let mut best: Option<(usize, usize, &str)> = None;
    for status in all {
        for template in status.offer.templates.iter() {
            let Some((literal, variables)) = fits(&template.uri_template, address) else { continue };
            let better = best
                .is_none_or(|(most, fewest, _)| literal > most || (literal == most && variables < fewest));
            if better {
                best = Some((literal, variables, &status.definition.name));
            }
        }
    }
    if let Some((_, _, server)) = best {
        return Ok(server.to_owned());
    }
    let resources = all.iter().flat_map(|status| status.offer.resources.iter().map(|one| one.uri.as_str()));
    let templates =
        all.iter().flat_map(|status| status.offer.templates.iter().map(|one| one.uri_template.as_str()));
    let known: Vec<String> = resources.chain(templates).take(LISTED).map(plain).collect();
    Err(match known.is_empty() {
        true => format!("No MCP server offers '{address}': no resources are available."),
        false => format!("No MCP server offers '{address}'. Available resources:\n{}", known.join("\n")),
    })
}

/// Does an address fit a template? Then: its literal characters, and its variables.
fn fits(template: &str, address: &str) -> Option<(usize, usize)> {
    let (mut literal, mut variables) = (0, 0);
    let mut rest = address;
    let mut open = false;
    let mut template = template;
    loop {
        let (text, after) = match template.find('{') {
            Some(at) => (&template[..at], Some(&template[at + 1..])),
            None => (template, None),
        };
        if !text.is_empty() {
            // A variable takes as little as possible, and something.
            let at = match (open, after) {
                (false, _) => rest.starts_with(text).then_some(0)?,
                (true, Some(_)) => rest.get(1..)?.find(text)? + 1,
                (true, None) => {
                    rest.len().checked_sub(text.len()).filter(|at| *at > 0 && rest[*at..] == *text)?
                }
            };
            literal += text.len();
            rest = &rest[at + text.len()..];
            open = false;
        }
        match after {
            Some(after) => {
                template = &after[after.find('}')? + 1..];
                variables += 1;
                open = true;
            }
            None => return (open != rest.is_empty()).then_some((literal, variables)),
        }
    }
}

/// Whether changes of resources are told to the model, and how long they are collected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notifications {
    pub(crate) enabled: bool,
    collected: Duration,
}

impl Notifications {
    pub(crate) fn of(settings: &Settings) -> Self {
        let milliseconds = settings.get(keys::MCP_NOTIFICATION_DEBOUNCE_MS).clamp(0.0, 3_600_000.0);
        Self {
            enabled: settings.get(keys::MCP_NOTIFICATIONS),
            collected: Duration::from_secs_f64(milliseconds / 1000.0),
        }
    }
}

impl SessionMcp {
    /// The server's list of resources is known, or has changed.
    pub(crate) fn resources_changed(self: &Arc<Self>, server: &str) {
        if self.notifications().enabled {
            self.subscribe(server, true);
        }
    }

    /// Wants to hear of changes of a server's resources, or no longer.
    pub(crate) fn subscribe(self: &Arc<Self>, server: &str, wanted: bool) {
        let Some(status) = self.servers.status_of(server) else { return };
        let uris = status.offer.resources.iter().filter(|_| wanted).take(SUBSCRIBED);
        let uris: Vec<String> = uris.map(|resource| resource.uri.clone()).collect();
        let (mcp, server) = (Arc::clone(self), server.to_owned());
        tokio::spawn(async move {
            // A server that has no subscriptions never tells of changes.
            let _ = mcp.servers.subscribe(&server, uris).await;
        });
    }

    /// A resource has new content: the model is told with whatever else changes in the next moment.
    pub(crate) fn resource_updated(self: &Arc<Self>, server: &str, uri: &str) {
        let notifications = self.notifications();
        if !notifications.enabled {
            return;
        }
        let line = format!("- mcp://{} ({server})", plain(uri));
        let mut waiting = self.updates();
        let first = waiting.is_empty();
        if !waiting.contains(&line) {
            waiting.push(line);
        }
        drop(waiting);
        if !first {
            return;
        }
        let mcp = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(notifications.collected).await;
            let Some(mcp) = mcp.upgrade() else { return };
            let lines = std::mem::take(&mut *mcp.updates());
            let Some(live) = mcp.live.get().filter(|_| !lines.is_empty()) else { return };
            let text = format!("MCP resources have changed:\n{}", lines.join("\n"));
            live.tell_model(UPDATED, text, true);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_fit_or_not() {
        let table = [
            ("file:///{path}", "file:///a/b", Some((8, 1))),
            ("db://{table}/{id}", "db://users/7", Some((6, 2))),
            ("db://users/{id}", "db://users/7", Some((11, 1))),
            ("db://{table}/rows", "db://users/rows", Some((10, 1))),
            ("db://{table}/rows", "db://users/row", None),
            ("db://{table}", "db://", None),
            ("db://x", "db://x", Some((6, 0))),
            ("db://x", "db://xy", None),
            ("db://{broken", "db://x", None),
        ];
        for (template, address, expected) in table {
            assert_eq!(fits(template, address), expected, "{template} {address}");
        }
    }
}
