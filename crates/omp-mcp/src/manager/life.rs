//! The task behind a server that somebody wants: connects, looks after the connection, connects again.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::server::Server;
use super::storm::Storm;
use super::{ServerEvent, ServerState};
use crate::auth::{Authorization, LoginError};
use crate::connection::{Connection, Opened, open};
use crate::definition::Endpoint;
use crate::error::{CallError, ConnectError};
use crate::handler::Changes;
use crate::log::Log;

/// Changes that come one after the other are looked at together.
const SETTLE: Duration = Duration::from_millis(50);

/// Why a connection is over.
#[derive(Clone, Copy)]
enum Over {
    Stopped,
    Lost,
    /// Somebody wants a new one.
    Kicked,
    Unused,
}

impl Server {
    pub(super) async fn live(self: Arc<Self>, stop: CancellationToken) {
        let mut storm = Storm::default();
        let mut last_error = None;
        loop {
            let attempt = storm.failures() + 1;
            if stop.is_cancelled() {
                return;
            }
            // Whoever wanted a connection until now gets this one.
            let _ = self.kick.notified().now_or_never();
            self.memory().listed = false;
            self.set(ServerState::Connecting { attempt, last_error: last_error.take() }, None);
            let Some(connected) = stop.run_until_cancelled(self.connect()).await else { return };
            let next = match connected {
                Ok(connection) => {
                    storm.connected();
                    let connection = Arc::new(connection);
                    if stop.is_cancelled() {
                        return;
                    }
                    self.set(ServerState::Ready, Some(Arc::clone(&connection)));
                    let over = self.attend(&connection, &stop).await;
                    connection.close();
                    self.after(over, &mut storm)
                }
                Err(error) => self.failed(&error, &mut storm),
            };
            match next {
                Next::End => return,
                Next::Now => {}
                Next::After(pause, error) => {
                    let attempt = storm.failures() + 1;
                    self.set(ServerState::Connecting { attempt, last_error: Some(error.clone()) }, None);
                    last_error = Some(error);
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = self.kick.notified() => storm = Storm::default(),
                        () = tokio::time::sleep(pause) => {}
                    }
                }
                Next::Wait(state) => {
                    self.set(state, None);
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = self.kick.notified() => storm = Storm::default(),
                    }
                }
            }
        }
    }

    /// Opens a connection and asks for the tools.
    async fn connect(&self) -> Result<Connection, ConnectError> {
        let begun = Instant::now();
        let known = self.memory().revision.clone();
        let opened = Opened {
            definition: &self.definition,
            wires: &self.wires,
            authorization: self.authorization.as_ref(),
            log: &self.log,
            known: known.as_ref(),
        };
        let all = async {
            let connection = match open(&opened).await {
                Err(ConnectError::NeedsLogin { challenge }) => {
                    self.log_in_alone(&challenge).await?;
                    open(&opened).await?
                }
                other => other?,
            };
            let tools = self.load(&connection, &Changes { tools: true, ..Changes::default() }).await;
            tools.map_err(|error| unlisted(error, &self.log))?;
            Ok(connection)
        };
        let limit = self.wires.start_timeout(&self.definition);
        let connected = match limit {
            Some(limit) => {
                tokio::time::timeout(limit, all).await.unwrap_or(Err(ConnectError::TimedOut(limit)))
            }
            None => all.await,
        };
        let mut memory = self.memory();
        match &connected {
            Ok(connection) => {
                memory.revision = Some(connection.info().revision.clone());
                memory.connected_in = Some(begun.elapsed());
            }
            // The server may have been replaced by another one.
            Err(_) => memory.revision = None,
        }
        connected
    }

    /// Logs in as the definition says, if that needs nobody.
    async fn log_in_alone(&self, challenge: &str) -> Result<(), ConnectError> {
        let needed = || ConnectError::NeedsLogin { challenge: challenge.to_owned() };
        let authorization = self.authorization.as_ref().filter(|it| it.is_unattended()).ok_or_else(needed)?;
        let http = self.wires.http().map_err(ConnectError::Login)?.logged(&self.log);
        let done = authorization.login_unattended(Some(challenge), http).await;
        done.map_err(|error| match error {
            LoginError::Failed(reason) => ConnectError::Login(reason),
            other => ConnectError::Login(other.to_string()),
        })
    }

    /// Asks for what has changed. Lists that a server cannot give are missing; a server that is gone is an error.
    async fn load(&self, connection: &Connection, changes: &Changes) -> Result<(), CallError> {
        let mut notes = Vec::new();
        let server = || self.name().to_owned();
        let mut note = |what: &str, result: Result<Vec<String>, CallError>| match result {
            Ok(more) => {
                notes.extend(more);
                Ok(())
            }
            Err(error @ (CallError::Answer { .. } | CallError::Nonsense(_))) => {
                notes.push(format!("the {what} could not be listed: {error}"));
                Ok(())
            }
            Err(error) => Err(error),
        };
        if changes.tools {
            let listed = connection.tools().await.map(|(tools, mut more)| {
                let filter = &self.definition.tools;
                let tools: Vec<_> = tools.into_iter().filter(|tool| filter.admits(&tool.name)).collect();
                more.extend(connection.promise(&tools));
                self.memory().offer.tools = Arc::new(tools);
                more
            });
            note("tools", listed)?;
            self.tell(ServerEvent::Tools { server: server() });
        }
        if changes.resources {
            let listed = connection.resources().await.map(|(resources, more)| {
                self.memory().offer.resources = Arc::new(resources);
                more
            });
            note("resources", listed)?;
            let listed = connection.templates().await.map(|(templates, more)| {
                self.memory().offer.templates = Arc::new(templates);
                more
            });
            note("resource templates", listed)?;
            self.tell(ServerEvent::Resources { server: server() });
        }
        if changes.prompts {
            let listed = connection.prompts().await.map(|(prompts, more)| {
                self.memory().offer.prompts = Arc::new(prompts);
                more
            });
            note("prompts", listed)?;
            self.tell(ServerEvent::Prompts { server: server() });
        }
        for note in &notes {
            self.log.add(note);
        }
        if changes.tools || !notes.is_empty() {
            self.memory().offer.notes = notes;
        }
        for uri in &changes.updated {
            self.tell(ServerEvent::Updated { server: server(), uri: uri.clone() });
        }
        Ok(())
    }

    /// Looks after a connection until it is over.
    async fn attend(&self, connection: &Connection, stop: &CancellationToken) -> Over {
        let subscribed = self.memory().subscribed.clone();
        if !connection.info().revision.is_stateless() {
            for uri in &subscribed {
                let _ = connection.subscribe(uri).await;
            }
        }
        let work = async {
            let rest = Changes { resources: true, prompts: true, ..Changes::default() };
            let mut loaded = self.load(connection, &rest).await;
            self.memory().listed = true;
            self.tell(ServerEvent::Prompts { server: self.name().to_owned() });
            loop {
                if let Err(error) = &loaded {
                    self.log.add(format!("the lists could not be read: {error}"));
                    self.refused(Some(error));
                }
                let all = Changes { tools: true, resources: true, prompts: true, ..Changes::default() };
                let changes = tokio::select! {
                    changes = connection.handler().changes() => changes,
                    () = connection.stale() => all,
                };
                loaded = self.load(connection, &changes).await;
                tokio::time::sleep(SETTLE).await;
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Over::Stopped,
            () = connection.closed() => Over::Lost,
            () = self.kick.notified() => Over::Kicked,
            () = self.unused() => Over::Unused,
            () = work => Over::Lost,
            () = connection.listen(&subscribed) => Over::Lost,
        }
    }

    /// Completes when nobody has used the server for long enough.
    async fn unused(&self) {
        let Some(limit) = self.wires.given.park_after else { return std::future::pending().await };
        let begun = Instant::now();
        loop {
            let used = self.memory().used.map_or(begun, |used| used.max(begun));
            let is_busy = self.busy.load(Ordering::Relaxed) > 0;
            let idle = used.elapsed();
            if !is_busy && idle >= limit {
                return;
            }
            tokio::time::sleep(limit.saturating_sub(idle).max(limit / 4)).await;
        }
    }

    fn after(&self, over: Over, storm: &mut Storm) -> Next {
        match over {
            Over::Stopped => Next::End,
            Over::Kicked => {
                *storm = Storm::default();
                Next::Now
            }
            Over::Unused => {
                self.log.add("closed: not used for a while");
                Next::Wait(ServerState::Parked)
            }
            // Whoever noticed has said so, and a login is not made by trying again.
            Over::Lost if self.held.borrow().state == ServerState::NeedsLogin => {
                let is_unattended = self.authorization.as_ref().is_some_and(Authorization::is_unattended);
                match is_unattended {
                    true => self.again("the server requires a login".to_owned(), storm),
                    false => Next::Wait(ServerState::NeedsLogin),
                }
            }
            Over::Lost => {
                let reason = match self.log.last() {
                    Some(line) => format!("the connection was lost: {line}"),
                    None => "the connection was lost".to_owned(),
                };
                self.again(reason, storm)
            }
        }
    }

    fn failed(&self, error: &ConnectError, storm: &mut Storm) -> Next {
        self.log.add(format!("cannot connect: {error}"));
        if let ConnectError::NeedsLogin { challenge } = error {
            self.memory().challenge = Some(challenge.clone());
            return Next::Wait(ServerState::NeedsLogin);
        }
        // A command that never worked does not work the next time, either.
        let never = matches!(self.definition.endpoint, Endpoint::Stdio { .. })
            && self.memory().connected_in.is_none();
        if never || !error.is_passing() {
            return Next::Wait(ServerState::Failed { reason: error.to_string() });
        }
        self.again(error.to_string(), storm)
    }

    fn again(&self, reason: String, storm: &mut Storm) -> Next {
        match storm.next(Instant::now()) {
            Some(pause) => Next::After(pause, reason),
            None => {
                self.log.add("suspended: too many failed attempts");
                Next::Wait(ServerState::Suspended { reason })
            }
        }
    }
}

/// A server whose tools cannot be asked for is not connected.
fn unlisted(error: CallError, log: &Log) -> ConnectError {
    match error {
        CallError::NeedsLogin { challenge } | CallError::NeedsScope { challenge, .. } => {
            ConnectError::NeedsLogin { challenge }
        }
        CallError::TimedOut(limit) => ConnectError::TimedOut(limit),
        CallError::Closed => {
            ConnectError::Closed { detail: log.last().map(|line| format!(": {line}")).unwrap_or_default() }
        }
        other => ConnectError::Http(other.to_string()),
    }
}

/// What comes after a connection.
enum Next {
    End,
    Now,
    /// With the reason why there is no connection.
    After(Duration, String),
    /// Until somebody wants it.
    Wait(ServerState),
}
