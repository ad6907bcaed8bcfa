//! What Escape, the clear key and the exit key do.

use std::time::Duration;

use super::press::Presses;

/// So long after something was stopped, a second press ends the program.
const AFTER_INTERRUPT: Duration = Duration::from_secs(2);

/// What two presses of Escape in an empty editor open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoubleEscape {
    /// The tree of the session.
    #[default]
    Tree,
    /// The list of messages to branch from.
    Branch,
    /// Nothing.
    None,
}

/// What can be left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EscapeState {
    /// The list of completions, a search or a selection is open in the editor.
    pub editor_open: bool,
    /// The conversation is being compacted.
    pub compacting: bool,
    /// A handoff is being written.
    pub handing_off: bool,
    /// A failed request waits to be tried again.
    pub retrying: bool,
    /// Loop mode runs.
    pub looping: bool,
    /// A panel beside the conversation is open.
    pub panel_open: bool,
    /// A sub-agent is looked at.
    pub subagent_focused: bool,
    /// A turn runs.
    pub streaming: bool,
    /// A command of `!` runs.
    pub shell_running: bool,
    /// Code of `$` runs.
    pub python_running: bool,
    /// The editor holds something.
    pub has_text: bool,
    /// What two presses open.
    pub double: DoubleEscape,
}

/// What Escape does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// The editor deals with it: [`crate::Command::Cancel`].
    Editor,
    /// Stops the compaction.
    CancelCompaction,
    /// Stops the handoff.
    CancelHandoff,
    /// Gives up the retry.
    CancelRetry,
    /// Pauses the loop.
    PauseLoop,
    /// Closes the panel.
    ClosePanel,
    /// Goes back to the main session.
    LeaveSubagent,
    /// Stops the turn; queued messages go back into the editor.
    AbortTurn,
    /// Stops the shell command.
    AbortShell,
    /// Stops the code.
    AbortPython,
    /// Empties the editor.
    ClearText,
    /// A first press in an empty editor; nothing yet.
    Nothing,
    /// Opens the tree of the session.
    OpenTree,
    /// Opens the list of messages to branch from.
    OpenBranch,
}

/// What Escape does now: the first that applies. `presses` remembers presses that did nothing; `now` is the time since
/// any fixed moment.
pub fn escape(state: EscapeState, presses: &mut Presses, now: Duration) -> Escape {
    let order = [
        (state.editor_open, Escape::Editor),
        (state.compacting, Escape::CancelCompaction),
        (state.handing_off, Escape::CancelHandoff),
        (state.retrying, Escape::CancelRetry),
        (state.looping, Escape::PauseLoop),
        (state.panel_open, Escape::ClosePanel),
        (state.subagent_focused, Escape::LeaveSubagent),
        (state.streaming, Escape::AbortTurn),
        (state.shell_running, Escape::AbortShell),
        (state.python_running, Escape::AbortPython),
        (state.has_text, Escape::ClearText),
    ];
    if let Some((_, action)) = order.iter().find(|(applies, _)| *applies) {
        presses.forget();
        return *action;
    }
    match (presses.press(now), state.double) {
        (true, DoubleEscape::Tree) => Escape::OpenTree,
        (true, DoubleEscape::Branch) => Escape::OpenBranch,
        _ => Escape::Nothing,
    }
}

/// What the clear key (Ctrl+C) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearKey {
    /// Gives the selection to the clipboard.
    Copy,
    /// Stops what is running and keeps the text; pressed again soon, the program ends.
    Interrupt,
    /// Empties the editor; pressed again soon, the program ends.
    Clear,
    /// Ends the program.
    Exit,
}

/// What is known when the clear key is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClearState {
    /// Something in the editor is selected.
    pub has_selection: bool,
    /// A turn, a command or a compaction is running.
    pub is_running: bool,
}

/// Remembers presses of the clear key.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClearPresses {
    clears: Presses,
    interrupted: Option<Duration>,
}

/// What the clear key does: it copies a selection, stops what is running, else empties the editor. A second press within
/// the window ends the program.
pub fn clear_key(state: ClearState, presses: &mut ClearPresses, now: Duration) -> ClearKey {
    if state.has_selection {
        presses.clears.forget();
        return ClearKey::Copy;
    }
    let stopped = presses.interrupted.take();
    if stopped.is_some_and(|at| now.saturating_sub(at) <= AFTER_INTERRUPT) {
        return ClearKey::Exit;
    }
    if state.is_running {
        presses.interrupted = Some(now);
        return ClearKey::Interrupt;
    }
    if presses.clears.press(now) { ClearKey::Exit } else { ClearKey::Clear }
}

/// What the exit key (Ctrl+D) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKey {
    /// Ends the program.
    Exit,
    /// Removes what is behind the cursor.
    DeleteForward,
}

/// The exit key ends the program only if the editor is empty.
pub fn exit_key(has_text: bool) -> ExitKey {
    if has_text { ExitKey::DeleteForward } else { ExitKey::Exit }
}
