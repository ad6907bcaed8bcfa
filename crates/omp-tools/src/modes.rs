//! What the modes of a session and its tools share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use omp_agent::Clock;

use crate::ask::Questioner;
use crate::checkpoint::Checkpoints;
use crate::goal::GoalKeeper;
use crate::named_addresses::NamedAddresses;
use crate::plan::Planning;
use crate::reach::Reach;

/// State that tools change and the session's modes act on. The default is a session in which nobody can be asked.
#[derive(Default)]
pub struct Modes {
    /// `None` for a sub-agent, which has no conversation to go back in.
    pub checkpoints: Option<Checkpoints>,
    /// Who answers the questions of the model.
    pub asking: Option<Asking>,
    /// Is the working tree closed because a plan is being made?
    pub planning: Planning,
    /// What tools may change without having asked.
    pub reach: Reach,
    /// Addresses that the user has named.
    pub named: NamedAddresses,
    /// What the session works towards.
    pub goal: GoalKeeper,
    /// The user took part in a call in a way that ends the turn.
    ends: AtomicBool,
}

/// How questions reach a person.
pub struct Asking {
    pub questioner: Arc<dyn Questioner>,
    /// `ask.timeout`: after this long the recommended answer counts.
    pub timeout: Option<Duration>,
    /// `ask.notify`: tell the person that input is awaited.
    pub notify: bool,
    pub clock: Arc<dyn Clock>,
}

impl Modes {
    /// The modes of a session that a person talks to.
    pub fn of_session(asking: Option<Asking>) -> Self {
        Self { checkpoints: Some(Checkpoints::default()), asking, ..Self::default() }
    }

    /// The turn ends with the tools that run.
    pub fn end_turn(&self) {
        self.ends.store(true, Ordering::Release);
    }

    /// Does the turn end here? Asked once.
    pub fn take_end(&self) -> bool {
        self.ends.swap(false, Ordering::AcqRel)
    }
}

/// A time as session files write it.
pub(crate) fn iso(time: SystemTime) -> String {
    match jiff::Timestamp::try_from(time) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        Err(_) => String::new(),
    }
}
