//! The modes of a session that is being opened.

use std::sync::Arc;
use std::time::Duration;

use omp_agent::Clock;
use omp_config::settings::{Settings, keys};
use omp_modes::{ModeParts, SessionModes};
use omp_session::SharedWriter;
use omp_session::{Context, ModeChange};
use omp_tools::Asking;
use omp_types::{ToolNeeds, builtin_tool};

use crate::clock::SystemClock;
use crate::configure;
use crate::modes::ModeChanges;
use crate::session::options::{Persistence, SessionOptions};

/// The clock that a session goes by.
fn clock(options: &SessionOptions) -> Arc<dyn Clock> {
    options.clock.clone().unwrap_or_else(|| Arc::new(SystemClock))
}

/// What tools know of the modes.
pub(crate) fn for_tools(options: &SessionOptions, settings: &Settings) -> Arc<omp_tools::Modes> {
    let seconds = settings.get(keys::ASK_TIMEOUT);
    let asking = options.people.questioner.clone().map(|questioner| Asking {
        questioner,
        timeout: Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()),
        notify: settings.get(keys::ASK_NOTIFY) == "on",
        clock: clock(options),
    });
    Arc::new(omp_tools::Modes::of_session(asking))
}

/// Does a session have this tool? Questions need somebody to answer them.
pub(crate) fn is_offered(options: &SessionOptions, settings: &Settings, tool: &str) -> bool {
    let asks = builtin_tool(tool).is_some_and(|tool| tool.needs == ToolNeeds::Answerer);
    let answered = !asks || options.people.questioner.is_some();
    answered && !configure::is_switched_off(settings, tool)
}

/// The modes themselves.
pub(crate) fn of_session(
    options: &SessionOptions,
    context: &Arc<omp_tools::Context>,
    record: &SharedWriter,
) -> Arc<SessionModes> {
    SessionModes::new(ModeParts {
        context: Arc::clone(context),
        record: record.clone(),
        clock: clock(options),
        attended: options.people.ui.is_some(),
    })
}

/// Whether the conversation of a session begins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    New,
    Resumed,
}

impl Beginning {
    /// A session that takes up the work of another is not new.
    pub(crate) fn of(context: &Context, persistence: &Persistence) -> Self {
        match context.messages.is_empty() && !matches!(persistence, Persistence::NewFrom(_)) {
            true => Self::New,
            false => Self::Resumed,
        }
    }
}

impl ModeChanges<'_> {
    /// The mode that the conversation was left in, or that new ones begin in. What could not be taken up is said.
    pub(crate) async fn begin(self, mode: Option<&ModeChange>, beginning: Beginning) -> Vec<String> {
        let plans = self.session.settings().get(keys::PLAN_DEFAULT_ON_STARTUP);
        match (mode, beginning) {
            (None, Beginning::New) if plans && self.session.modes.attended => {
                match self.session.plan().enter().await {
                    Ok(()) => Vec::new(),
                    Err(error) => vec![format!("plan.defaultOnStartup: {error}")],
                }
            }
            (None, _) => Vec::new(),
            (mode, _) => self.restore(mode).await,
        }
    }
}
