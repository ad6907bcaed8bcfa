//! Finding what the editor wants to offer, beside everything else: typing never waits for a disk or a server.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_editor::{Offer, Source};
use omp_sdk::Session;
use omp_sdk::mcp::{PromptOffer, ServerEvent};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::surroundings::paths;
use super::{App, Task, arguments};

/// How long to wait for another key before a server is asked.
const PAUSE: Duration = Duration::from_millis(150);
/// Prompts that arrive one after the other are taken up together.
const SETTLE: Duration = Duration::from_millis(50);

/// A search for offers; dropping it ends it.
pub(super) struct Lookup {
    generation: u64,
    _running: DropGuard,
}

impl App {
    /// Asks for what the editor wants to offer.
    pub(super) fn complete(&mut self) {
        let Some(request) = self.composer.editor.take_request() else {
            let editor = &self.composer.editor;
            self.composer.lookup.take_if(|lookup| !editor.awaits(lookup.generation));
            return;
        };
        let (generation, pause) = (request.generation, request.patience());
        let cancel = CancellationToken::new();
        let running = cancel.clone().drop_guard();
        self.composer.lookup = Some(Lookup { generation, _running: running });
        let Some((pause, look)) = self.looking(request.source, pause) else { return };
        self.spawn(async move {
            let found = cancel.run_until_cancelled(async {
                tokio::time::sleep(pause).await;
                look.await
            });
            match found.await {
                Some(offers) => Box::new(move |app: &mut Self| app.offered(generation, offers)) as Task,
                None => Box::new(|_: &mut Self| {}) as Task,
            }
        });
    }

    /// Looks for offers, after a pause.
    fn looking(
        &mut self,
        source: Source,
        pause: Duration,
    ) -> Option<(Duration, BoxFuture<'static, Vec<Offer>>)> {
        let (session, finder) = (self.session(), self.composer.finder.clone());
        let plain = |texts: Vec<String>| texts.into_iter().map(Offer::new).collect();
        let look: Box<dyn FnOnce() -> Vec<Offer> + Send> = match source {
            Source::Files { query } => Box::new(move || plain(finder.find(&query))),
            Source::Paths { prefix } => Box::new(move || plain(paths(&session.cwd(), &prefix))),
            Source::Url { scheme, query } => Box::new(move || {
                let found = session.input().complete_url(&format!("{scheme}://{query}"));
                found.into_iter().map(|(url, about)| Offer::new(url).with_detail(about)).collect()
            }),
            Source::Argument { command, text } if session.mcp().is_prompt(&command) => {
                // A recording cannot ask the server again.
                let asks = self.recording.may_do("a value that a server offered");
                return asks.then(|| (pause.max(PAUSE), offered_by_server(session, command, text).boxed()));
            }
            Source::Argument { command, text } => {
                Box::new(move || arguments::offers(&session, &command, &text))
            }
        };
        // The disk may be slow.
        let look = async { tokio::task::spawn_blocking(look).await.unwrap_or_default() };
        Some((pause, look.boxed()))
    }
}

async fn offered_by_server(session: Arc<Session>, command: String, text: String) -> Vec<Offer> {
    let offers = session.mcp().prompt_offers(&command, &text).await;
    let offer = |found: PromptOffer| {
        let offer = Offer::new(found.text).with_label(found.label).with_detail(found.description);
        if found.is_name { offer.continued() } else { offer }
    };
    offers.into_iter().map(offer).collect()
}

/// Prompts of servers are commands as soon as they are known.
pub(super) fn watch_prompts(app: &mut App) {
    let (tasks, mut events) = (app.tasks.clone(), app.session().mcp().events());
    let gone = CancellationToken::new();
    app.composer.prompt_watch = Some(gone.clone().drop_guard());
    tokio::spawn(gone.run_until_cancelled_owned(async move {
        loop {
            match events.recv().await {
                Ok(ServerEvent::Prompts { .. }) | Err(RecvError::Lagged(_)) => {}
                Ok(_) => continue,
                Err(RecvError::Closed) => return,
            }
            tokio::time::sleep(SETTLE).await;
            let task: Task = Box::new(|app: &mut App| {
                app.renew_commands();
                app.surface.changed();
            });
            // The program has ended if nobody takes it.
            if tasks.send(task).is_err() {
                return;
            }
        }
    }));
}
