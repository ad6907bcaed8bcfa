//! What a session is given to be recorded or played.

use std::sync::Arc;

use omp_agent::{Clock, Control, Listener, Prompt, Tool, Upkeep};
use omp_llm::Tape;
use omp_types::{CustomMessage, ToolDefinition};
use tokio_util::sync::CancellationToken;

use crate::call_order::Order;
use crate::play::Player;
use crate::record::Recorder;
use crate::{clock, events, network, tool, turn_boundaries};

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
            Self::Record(recorder) => Arc::new(network::Recording(Arc::clone(recorder))),
            Self::Play(player) => Arc::new(network::Playing(Arc::clone(player))),
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
                let order = Arc::new(Order::default());
                let play = |definition: &ToolDefinition| -> Arc<dyn Tool> {
                    let inner = tools.iter().find(|tool| tool.definition().name == definition.name).cloned();
                    Arc::new(tool::Played {
                        definition: definition.clone(),
                        inner,
                        player: Arc::clone(player),
                        order: Arc::clone(&order),
                    })
                };
                player.world().tools.iter().map(play).collect()
            }
        }
    }

    /// Who looks at the conversation at the borders of turns.
    pub fn upkeep(&self, inner: Arc<dyn Upkeep>) -> Arc<dyn Upkeep> {
        match self {
            Self::Record(_) => inner,
            Self::Play(player) => Arc::new(turn_boundaries::Played { inner, player: Arc::clone(player) }),
        }
    }

    /// Something is said. What was said then, if a recording plays.
    pub fn prompt(&self, prompt: Prompt) -> Prompt {
        match self {
            Self::Record(recorder) => {
                recorder.prompt(&prompt);
                prompt
            }
            Self::Play(player) => player.take_prompt(prompt),
        }
    }

    /// The last turn is tried again.
    pub fn retry(&self) {
        match self {
            Self::Record(recorder) => recorder.retry(),
            Self::Play(player) => player.take_retry(),
        }
    }

    /// A message becomes part of the conversation without a turn, or waits for the next prompt.
    pub fn note(&self, message: CustomMessage, later: bool) -> (CustomMessage, bool) {
        match self {
            Self::Record(recorder) => {
                recorder.note(&message, later);
                (message, later)
            }
            Self::Play(player) => player.take_note().unwrap_or((message, later)),
        }
    }

    /// A run begins in the session with this id; what stops it.
    pub fn run(&self, session: &str, control: Control, cancel: CancellationToken) -> CancellationToken {
        match self {
            Self::Record(_) => cancel,
            Self::Play(player) => player.begin_run(session, control, cancel),
        }
    }

    /// The session itself keeps a text as an artifact: `save` does that, under this number if one is given. Tools keep none
    /// when they are played, so in a playback it is not the next that is free.
    pub fn artifact<E>(&self, save: impl FnOnce(Option<u64>) -> Result<u64, E>) -> Result<u64, E> {
        match self {
            Self::Record(recorder) => {
                let id = save(None)?;
                recorder.artifact(id);
                Ok(id)
            }
            Self::Play(player) => {
                let id = player.state().artifacts.pop_front();
                save(id)
            }
        }
    }

    /// The player, if a recording plays.
    pub fn player(&self) -> Option<&Arc<Player>> {
        match self {
            Self::Record(_) => None,
            Self::Play(player) => Some(player),
        }
    }
}
