//! One server between its connections.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{ServerEvent, ServerState, ServerStatus};
use crate::auth::{Authorization, Consent, LoginError};
use crate::connection::Connection;
use crate::definition::{Revision, ServerDefinition};
use crate::error::CallError;
use crate::items::{Offer, Tool};
use crate::log::Log;
use crate::surroundings::Wires;

/// What somebody who waits for a server sees.
#[derive(Clone, Default)]
pub(super) struct Held {
    pub(super) state: ServerState,
    pub(super) connection: Option<Arc<Connection>>,
}

/// What changes while a server lives.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) offer: Offer,
    /// The revision that it spoke last time.
    pub(super) revision: Option<Revision>,
    /// What it said when it refused us.
    pub(super) challenge: Option<String>,
    pub(super) connected_in: Option<Duration>,
    pub(super) latency: Option<Duration>,
    pub(super) used: Option<Instant>,
    pub(super) subscribed: Vec<String>,
    /// Resources and prompts have been asked for since it was connected.
    pub(super) listed: bool,
    /// Ends the task that keeps it connected.
    running: Option<CancellationToken>,
}

pub(super) struct Server {
    pub(super) definition: ServerDefinition,
    pub(super) wires: Arc<Wires>,
    pub(super) authorization: Option<Authorization>,
    pub(super) log: Log,
    pub(super) held: watch::Sender<Held>,
    pub(super) busy: AtomicUsize,
    /// Somebody wants it to connect now.
    pub(super) kick: Notify,
    memory: Mutex<Memory>,
    news: broadcast::Sender<ServerEvent>,
}

impl Server {
    pub(super) fn new(
        definition: ServerDefinition,
        wires: Arc<Wires>,
        news: broadcast::Sender<ServerEvent>,
    ) -> Arc<Self> {
        let state = if definition.enabled { ServerState::Idle } else { ServerState::Disabled };
        Arc::new(Self {
            authorization: Authorization::new(&definition, &wires),
            definition,
            wires,
            log: Log::default(),
            held: watch::Sender::new(Held { state, connection: None }),
            busy: AtomicUsize::new(0),
            kick: Notify::new(),
            memory: Mutex::default(),
            news,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    pub(super) fn definition(&self) -> &ServerDefinition {
        &self.definition
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tell(&self, event: ServerEvent) {
        let _ = self.news.send(event);
    }

    pub(super) fn set(&self, state: ServerState, connection: Option<Arc<Connection>>) {
        let changed = self.held.borrow().state != state;
        self.held.send_replace(Held { state: state.clone(), connection });
        if changed {
            self.tell(ServerEvent::State { server: self.name().to_owned(), state });
        }
    }

    pub(super) fn offer(&self) -> Offer {
        self.memory().offer.clone()
    }

    pub(super) fn status(&self) -> ServerStatus {
        let held = self.held.borrow().clone();
        let memory = self.memory();
        ServerStatus {
            definition: self.definition.clone(),
            state: held.state,
            info: held.connection.map(|connection| connection.info().clone()),
            offer: memory.offer.clone(),
            connected_in: memory.connected_in,
            latency: memory.latency,
            listed: memory.listed,
            log: self.log.clone(),
        }
    }

    pub(super) fn preload(&self, tools: Vec<Tool>) {
        let mut memory = self.memory();
        if memory.offer.tools.is_empty() {
            memory.offer.tools = Arc::new(tools);
            drop(memory);
            self.tell(ServerEvent::Tools { server: self.name().to_owned() });
        }
    }

    /// Whether somebody has asked for it and not taken that back.
    pub(super) fn is_wanted(&self) -> bool {
        self.memory().running.is_some()
    }

    /// Keeps it connected from now on.
    pub(super) fn start(self: &Arc<Self>) {
        if !self.definition.enabled {
            return;
        }
        let mut memory = self.memory();
        if memory.running.is_some() {
            return;
        }
        let stop = CancellationToken::new();
        memory.running = Some(stop.clone());
        drop(memory);
        self.set(ServerState::Connecting { attempt: 1, last_error: None }, None);
        tokio::spawn(Arc::clone(self).live(stop));
    }

    pub(super) fn reconnect(self: &Arc<Self>) {
        match self.is_wanted() {
            true => self.kick.notify_one(),
            false => self.start(),
        }
    }

    pub(super) fn stop(&self) {
        let running = self.memory().running.take();
        if let Some(running) = running {
            running.cancel();
            self.set(ServerState::Idle, None);
        }
    }

    pub(super) fn current(&self) -> Option<Arc<Connection>> {
        self.held.borrow().connection.clone()
    }

    pub(super) async fn settled(&self) {
        let settled = |held: &Held| !matches!(held.state, ServerState::Connecting { .. });
        let _ = self.held.subscribe().wait_for(settled).await;
    }

    /// A connection that is not `lost`, made if necessary.
    async fn connection(
        self: &Arc<Self>,
        lost: Option<&Arc<Connection>>,
    ) -> Result<Arc<Connection>, CallError> {
        if !self.definition.enabled {
            return Err(CallError::Disabled(self.name().to_owned()));
        }
        self.start();
        if self.held.borrow().state == ServerState::Parked {
            self.kick.notify_one();
        }
        let not_connected =
            |reason: String| CallError::NotConnected { server: self.name().to_owned(), reason };
        let limit = self.wires.start_timeout(&self.definition);
        let mut held = self.held.subscribe();
        let wait = async {
            loop {
                let now = held.borrow_and_update().clone();
                match (now.state, now.connection) {
                    (ServerState::Ready, Some(connection))
                        if !connection.is_closed()
                            && lost.is_none_or(|lost| !Arc::ptr_eq(lost, &connection)) =>
                    {
                        return Ok(connection);
                    }
                    (ServerState::NeedsLogin, _) => {
                        let challenge = self.memory().challenge.clone().unwrap_or_default();
                        return Err(CallError::NeedsLogin { challenge });
                    }
                    (ServerState::Failed { reason } | ServerState::Suspended { reason }, _) => {
                        return Err(not_connected(reason));
                    }
                    (ServerState::Idle | ServerState::Disabled, _) => {
                        return Err(not_connected("it was disconnected".to_owned()));
                    }
                    _ => {}
                }
                if held.changed().await.is_err() {
                    return Err(CallError::Closed);
                }
            }
        };
        match limit {
            Some(limit) => tokio::time::timeout(limit, wait)
                .await
                .unwrap_or_else(|_| Err(not_connected("it is still connecting".to_owned()))),
            None => wait.await,
        }
    }

    /// Does something with a connection, and once more with a new one if it broke.
    pub(super) async fn with_connection<'w, T>(
        self: &Arc<Self>,
        cancel: &CancellationToken,
        work: impl Fn(Arc<Connection>) -> BoxFuture<'w, Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let _busy = Busy::new(self);
        let all = async {
            let connection = self.connection(None).await?;
            let begun = Instant::now();
            let result = match work(Arc::clone(&connection)).await {
                Err(error) if error.is_connection() => {
                    self.log.add(format!("the connection was lost: {error}"));
                    connection.close();
                    let again = self.connection(Some(&connection)).await?;
                    work(again).await
                }
                other => other,
            };
            self.memory().latency = Some(begun.elapsed());
            result
        };
        let result = cancel.run_until_cancelled(all).await.unwrap_or(Err(CallError::Cancelled));
        self.refused(result.as_ref().err());
        result
    }

    /// A server that wants a login in the middle of everything.
    pub(super) fn refused(&self, error: Option<&CallError>) {
        match error {
            Some(CallError::NeedsLogin { challenge }) => {
                self.memory().challenge = Some(challenge.clone());
                let connection = self.current();
                self.set(ServerState::NeedsLogin, None);
                if let Some(connection) = connection {
                    connection.close();
                }
            }
            Some(CallError::NeedsScope { challenge, .. }) => {
                self.memory().challenge = Some(challenge.clone());
            }
            _ => {}
        }
    }

    pub(super) async fn subscribe(self: &Arc<Self>, uris: Vec<String>) -> Result<(), CallError> {
        let connection = self.connection(None).await?;
        if !connection.can_subscribe() {
            return Err(CallError::Unsupported("subscriptions"));
        }
        let before = std::mem::replace(&mut self.memory().subscribed, uris.clone());
        if connection.info().revision.is_stateless() {
            // One request stands for all subscriptions.
            self.kick.notify_one();
            return Ok(());
        }
        for gone in before.iter().filter(|uri| !uris.contains(uri)) {
            connection.unsubscribe(gone).await?;
        }
        for new in uris.iter().filter(|uri| !before.contains(uri)) {
            connection.subscribe(new).await?;
        }
        Ok(())
    }

    pub(super) async fn login(self: &Arc<Self>, consent: &dyn Consent) -> Result<(), LoginError> {
        let none = || LoginError::NoLogin(self.name().to_owned());
        let authorization = self.authorization.as_ref().ok_or_else(none)?;
        let http = self.wires.http().map_err(LoginError::Failed)?.logged(&self.log);
        let challenge = self.memory().challenge.clone();
        authorization.login(self.name(), challenge.as_deref(), http, consent).await?;
        self.memory().challenge = None;
        let connection = self.current();
        self.set(ServerState::Connecting { attempt: 1, last_error: None }, None);
        if let Some(connection) = connection {
            connection.close();
        }
        self.reconnect();
        Ok(())
    }

    pub(super) async fn logout(&self) -> Result<(), LoginError> {
        let none = || LoginError::NoLogin(self.name().to_owned());
        let authorization = self.authorization.as_ref().ok_or_else(none)?;
        self.stop();
        authorization.logout().await.map_err(LoginError::Failed)
    }

    pub(super) async fn is_logged_in(&self) -> bool {
        match &self.authorization {
            Some(authorization) => authorization.is_logged_in().await,
            None => false,
        }
    }
}

/// Somebody uses the server.
struct Busy<'s>(&'s Server);

impl<'s> Busy<'s> {
    fn new(server: &'s Server) -> Self {
        server.busy.fetch_add(1, Ordering::Relaxed);
        Self(server)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.memory().used = Some(Instant::now());
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}
