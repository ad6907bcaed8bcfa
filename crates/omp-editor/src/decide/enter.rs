//! What Enter and the follow-up key do.

use crate::mode::{Meaning, Visibility};

/// The key that sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendKey {
    /// Enter.
    Enter,
    /// The follow-up key.
    FollowUp,
}

/// What the program is doing when a text is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnterState {
    /// A turn runs.
    pub streaming: bool,
    /// The conversation is being compacted.
    pub compacting: bool,
    /// Messages wait in a queue.
    pub queued: bool,
    /// A command of `!` runs.
    pub shell_running: bool,
    /// Code of `$` runs.
    pub python_running: bool,
}

/// When a queued message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// As soon as the model can be told.
    Steer,
    /// When the turn is over.
    FollowUp,
}

/// Why a text stays in the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StillBusy {
    /// A shell command runs already.
    ShellBusy,
    /// Code runs already.
    PythonBusy,
}

impl StillBusy {
    /// For the user.
    pub fn message(self) -> &'static str {
        match self {
            Self::ShellBusy => "a shell command is still running: wait, or press Esc to stop it",
            Self::PythonBusy => "Python code is still running: wait, or press Esc to stop it",
        }
    }
}

/// What sending means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enter {
    /// Nothing.
    Nothing,
    /// A turn begins with the text.
    Prompt,
    /// The work continues without a visible message.
    Continue,
    /// The text joins a queue of the running turn.
    Queue(Queue),
    /// The text is kept until the compaction is over and then delivered so.
    AfterCompaction(Queue),
    /// The turn is interrupted, and what is queued is delivered.
    DeliverQueue,
    /// A shell command runs.
    Shell {
        /// The command.
        command: String,
        /// Whether the model sees it.
        visibility: Visibility,
    },
    /// Python code runs.
    Python {
        /// The code.
        code: String,
        /// Whether the model sees it.
        visibility: Visibility,
    },
    /// It cannot be done now; the text stays.
    Keep(StillBusy),
}

/// What sending a text of this meaning does. Slash commands that run at once are looked for before.
pub fn enter(key: SendKey, meaning: &Meaning, state: EnterState) -> Enter {
    match meaning {
        Meaning::Empty if key == SendKey::Enter && state.streaming && state.queued => Enter::DeliverQueue,
        Meaning::Empty => Enter::Nothing,
        Meaning::Shell { command, .. } if command.is_empty() => Enter::Nothing,
        Meaning::Shell { .. } if state.shell_running => Enter::Keep(StillBusy::ShellBusy),
        Meaning::Shell { command, visibility } => {
            Enter::Shell { command: command.clone(), visibility: *visibility }
        }
        Meaning::Python { code, .. } if code.is_empty() => Enter::Nothing,
        Meaning::Python { .. } if state.python_running => Enter::Keep(StillBusy::PythonBusy),
        Meaning::Python { code, visibility } => Enter::Python { code: code.clone(), visibility: *visibility },
        Meaning::Continue => queue_or(Enter::Continue, key, state),
        Meaning::Prompt => queue_or(Enter::Prompt, key, state),
    }
}

/// What waits while something runs, and happens at once otherwise.
fn queue_or(now: Enter, key: SendKey, state: EnterState) -> Enter {
    let queue = match key {
        SendKey::Enter => Queue::Steer,
        SendKey::FollowUp => Queue::FollowUp,
    };
    match state {
        EnterState { compacting: true, .. } => Enter::AfterCompaction(queue),
        EnterState { streaming: true, .. } => Enter::Queue(queue),
        _ => now,
    }
}
