//! What a session is given to be recorded or played.

use std::sync::Arc;

use omp_agent::{Clock, Listener, Prompt, Tool};
use omp_llm::Tape;
use omp_types::ToolDefinition;

use crate::play::Player;
use crate::record::Recorder;
use crate::{clock, events, sound, tool};

/// A recorder or a player.
#[derive(Clone, Debug)]
pub enum Deck {
    /// The session is written down.
    Record(Arc<Recorder>),
    /// The session is one that was written down.
    Play(Arc<Player>),
}

impl Deck {
    /// What stands before the network.
    pub fn tape(&self) -> Arc<dyn Tape> {
        match self {
            Self::Record(recorder) => Arc::new(sound::Recording(Arc::clone(recorder))),
            Self::Play(player) => Arc::new(sound::Playing(Arc::clone(player))),
        }
    }

    /// Time and chance of the session.
    pub fn clock(&self, inner: Arc<dyn Clock>) -> Arc<dyn Clock> {
        match self {
            Self::Record(recorder) => Arc::new(clock::Recorded { inner, recorder: Arc::clone(recorder) }),
            Self::Play(player) => Arc::new(clock::Played(Arc::clone(player))),
        }
    }

    /// Who listens to the session.
    pub fn listener(&self, inner: Box<dyn Listener>) -> Box<dyn Listener> {
        match self {
            Self::Record(recorder) => Box::new(events::Recorded { inner, recorder: Arc::clone(recorder) }),
            Self::Play(player) => Box::new(events::Played { inner, player: Arc::clone(player) }),
        }
    }

    /// The tools of the session: these, written down; or those of the recording, with what these know of themselves.
    pub fn tools(&self, tools: Vec<Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
        match self {
            Self::Record(recorder) => {
                let wrap = |inner| -> Arc<dyn Tool> {
                    Arc::new(tool::Recorded { inner, recorder: Arc::clone(recorder) })
                };
                tools.into_iter().map(wrap).collect()
            }
            Self::Play(player) => {
                let play = |definition: &ToolDefinition| -> Arc<dyn Tool> {
                    let inner = tools.iter().find(|tool| tool.definition().name == definition.name).cloned();
                    Arc::new(tool::Played {
                        definition: definition.clone(),
                        inner,
                        player: Arc::clone(player),
                    })
                };
                player.world().tools.iter().map(play).collect()
            }
        }
    }

    /// Something is said.
    pub fn prompt(&self, prompt: &Prompt) {
        if let Self::Record(recorder) = self {
            recorder.prompt(prompt);
        }
    }

    /// The last turn is tried again.
    pub fn retry(&self) {
        if let Self::Record(recorder) = self {
            recorder.retry();
        }
    }
}
