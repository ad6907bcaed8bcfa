//! From a call to its answer.

use std::sync::Arc;

use omp_sdk::{Host, PageTheme, Session};

use crate::answer::Answer;
use crate::call::Call;
use crate::text::{
    about, changelog, compacting, conversation, machines, moving, permissions, provider, rewinding, roots,
    sandbox, stats, todo, trust, upkeep, usage,
};

/// What commands are answered with.
#[derive(Clone)]
pub struct Desk {
    /// The sessions, one at a time.
    pub host: Arc<Host>,
    /// The colours of pages.
    pub theme: PageTheme,
}

impl Desk {
    pub(crate) fn session(&self) -> Arc<Session> {
        self.host.session()
    }
}

/// Does what a built-in command asks for. Dropping the future stops what can be stopped.
pub async fn answer(desk: &Desk, call: &Call<'_>) -> Answer {
    let Call { command, arguments } = *call;
    if let Some(part) = command.waits_for {
        return Answer::Refused(format!("/{} needs {part}, which is not available yet.", command.name));
    }
    let session = desk.session();
    match command.name {
        "help" => about::help(&session).await,
        "tools" => about::tools(&session),
        "jobs" => about::jobs(&session),
        "session" => about::session(desk, arguments).await,
        "changelog" => changelog::run(&session, arguments).await,
        "dump" => conversation::dump(&session, arguments).await,
        "export" => conversation::export(desk, arguments).await,
        "context" => upkeep::context(&session).await,
        "shake" => upkeep::shake(&session, arguments).await,
        "cache" => upkeep::cache(&session),
        "compact" => compacting::compact(&session, arguments).await,
        "share" => conversation::share(&session).await,
        "rename" => conversation::rename(&session, arguments).await,
        "force" => conversation::force(&session, arguments).await,
        "stats" => stats::run(&desk.host, arguments).await,
        "todo" => todo::run(&session, arguments).await,
        "usage" => usage::run(&session, arguments).await,
        "ssh" => machines::run(&session, arguments).await,
        "fast" => provider::fast(&session, arguments),
        "fresh" => provider::fresh(&session).await,
        "debug" => provider::debug(&session, arguments).await,
        "model" => provider::model(&session, arguments).await,
        "trust" => trust::run(&session, arguments).await,
        "add-dir" => roots::add(&session, arguments).await,
        "remove-dir" => roots::remove(&session, arguments).await,
        "dirs" => roots::list(&session),
        "sandbox" => sandbox::status(&session).await,
        "permissions" => permissions::run(&session, arguments).await,
        "move" => moving::run(desk, arguments).await,
        "rewind" => rewinding::rewind(&session, arguments).await,
        "redo" => rewinding::redo(&session, arguments).await,
        "drop" => moving::drop_session(desk).await,
        "reload-plugins" => moving::reload(&session).await,
        _ => Answer::Screen,
    }
}
