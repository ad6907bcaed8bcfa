//! What can be done again when a screen is played: what changes nothing but the conversation and the screen.

use omp_keys::Action;
use omp_keys::table as actions;

use crate::app::screen_recording::ScreenRecording;
use crate::panels::Panel;
use crate::panels::approval::Approval;
use crate::panels::choice::Choice;
use crate::panels::full_output::FullOutput;
use crate::panels::model_question::ModelQuestion;
use crate::panels::review::Plan;
use crate::panels::text::Text;

/// Commands that change nothing but the conversation and the screen.
const PLAYED: [&str; 7] = ["btw", "cache", "compact", "exit", "hotkeys", "plan", "retry"];

/// Actions of the same kind.
const ACTIONS: [Action; 12] = [
    actions::INTERRUPT,
    actions::EXIT,
    actions::SUSPEND,
    actions::DISPLAY_RESET,
    actions::THINKING_TOGGLE,
    actions::THINKING_CYCLE,
    actions::RETRY,
    actions::PLAN_TOGGLE,
    actions::CLEAR,
    actions::MESSAGE_FOLLOW_UP,
    actions::MESSAGE_DEQUEUE,
    actions::TOOLS_EXPAND,
];

impl ScreenRecording {
    /// May a command be done again? The tape is left if it may not; `false` if it must not be done at all.
    pub(super) fn may_run(&mut self, name: &str) -> bool {
        PLAYED.contains(&name) || self.may_do(&format!("/{name}"))
    }

    /// The same for an action.
    pub(super) fn may_act(&mut self, action: Action) -> bool {
        ACTIONS.contains(&action) || is_editing(action) || self.may_do(action.id())
    }

    /// The tape is left before something that cannot be done again; `false` if it must not be done at all.
    pub(super) fn may_do(&mut self, what: &str) -> bool {
        self.leave_tape(what);
        !self.is_playing()
    }
}

/// Actions of the editor itself stay in the editor.
fn is_editing(action: Action) -> bool {
    omp_editor::Command::of_action(action.id()).is_some()
        && action != actions::CLIPBOARD_COPY_LINE
        && action != actions::CLIPBOARD_COPY_PROMPT
}

/// Is what is typed into a panel done again?
pub(super) fn is_played(panel: &dyn Panel) -> bool {
    let panel: &dyn std::any::Any = panel;
    let asks = panel.is::<Approval>() || panel.is::<ModelQuestion>() || panel.is::<Plan>();
    asks || panel.is::<Choice>() || panel.is::<Text>() || panel.is::<FullOutput>()
}
