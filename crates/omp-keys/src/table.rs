//! The table of actions: the one place where their names, chords and descriptions are.

use crate::action::{Action, Context};

/// One action.
pub(crate) struct ActionRow {
    pub(crate) action: Action,
    pub(crate) context: Context,
    pub(crate) chords: &'static [&'static str],
    pub(crate) description: &'static str,
    /// What it was called in keybindings files of old.
    pub(crate) old_names: &'static [&'static str],
}

macro_rules! actions {
    ($($context:ident { $($name:ident $id:literal [$($chord:literal),*] ($($old:literal),*) $description:literal;)* })*) => {
        $($(#[doc = concat!("`", $id, "`: ", $description, ".")] pub const $name: Action = Action($id);)*)*

        pub(crate) const ROWS: &[ActionRow] = &[$($(ActionRow {
            action: $name,
            context: Context::$context,
            chords: &[$($chord),*],
            description: $description,
            old_names: &[$($old),*],
        },)*)*];
    };
}

actions! {
    App {
        INTERRUPT "app.interrupt" ["Escape"] ("interrupt") "Stop or close";
        CLEAR "app.clear" ["Ctrl+C"] ("clear") "Clear the prompt; twice to exit";
        EXIT "app.exit" ["Ctrl+D"] ("exit") "Exit, when the prompt is empty";
        SUSPEND "app.suspend" ["Ctrl+Z"] ("suspend") "Suspend to the shell";
        DISPLAY_RESET "app.display.reset" ["Ctrl+L"] ("resetDisplay") "Redraw the screen";
        THINKING_CYCLE "app.thinking.cycle" ["Shift+Tab"] ("cycleThinkingLevel") "Next thinking level";
        THINKING_TOGGLE "app.thinking.toggle" ["Ctrl+T"] ("toggleThinking") "Show or hide thinking";
        MODEL_CYCLE_FORWARD "app.model.cycleForward" ["Ctrl+P"] ("cycleModelForward") "Next model";
        MODEL_CYCLE_BACKWARD "app.model.cycleBackward" ["Ctrl+Shift+P"] ("cycleModelBackward") "Previous model";
        MODEL_SELECT "app.model.select" ["Alt+M"] ("selectModel") "Choose models and roles";
        MODEL_SELECT_TEMPORARY "app.model.selectTemporary" ["Alt+P"] ("selectModelTemporary") "Choose a model for this session";
        TOOLS_EXPAND "app.tools.expand" ["Ctrl+O"] ("expandTools") "Expand or collapse tool output";
        EDITOR_EXTERNAL "app.editor.external" ["Ctrl+G"] ("externalEditor") "Edit the prompt in your editor";
        PLAN_TOGGLE "app.plan.toggle" ["Alt+Shift+P"] ("togglePlanMode") "Toggle plan mode";
        HISTORY_SEARCH "app.history.search" ["Ctrl+R"] ("historySearch") "Search prompt history";
        MESSAGE_FOLLOW_UP "app.message.followUp" ["Ctrl+Enter", "Ctrl+Q"] ("followUp") "Queue for the end of the turn";
        MESSAGE_DEQUEUE "app.message.dequeue" ["Alt+Up"] ("dequeue") "Edit queued messages";
        RETRY "app.retry" ["Alt+R"] ("retry") "Retry the last turn";
        CLIPBOARD_PASTE_IMAGE "app.clipboard.pasteImage" ["Ctrl+V"] ("pasteImage") "Paste an image or text";
        CLIPBOARD_PASTE_TEXT_RAW "app.clipboard.pasteTextRaw" ["Ctrl+Shift+V", "Alt+Shift+V"] ("pasteTextRaw") "Paste plain text";
        CLIPBOARD_COPY_LINE "app.clipboard.copyLine" ["Alt+Shift+L"] ("copyLine") "Copy the current line";
        CLIPBOARD_COPY_PROMPT "app.clipboard.copyPrompt" ["Alt+Shift+C"] ("copyPrompt") "Copy the whole prompt";
        AGENTS_HUB "app.agents.hub" ["Alt+A"] ("agentsHub") "Show agents";
        SESSION_OBSERVE "app.session.observe" ["Ctrl+S"] ("observeSessions") "Watch running agents";
        SESSION_NEW "app.session.new" [] ("newSession") "Start a new session";
        SESSION_TREE "app.session.tree" [] ("tree") "Open the session tree";
        SESSION_FORK "app.session.fork" [] ("fork") "Fork the session";
        SESSION_RESUME "app.session.resume" [] ("resume") "Resume a session";
        STT_TOGGLE "app.stt.toggle" ["Alt+H"] ("toggleSTT") "Start or stop dictation";
        DEBUG "app.debug" ["Ctrl+Shift+D"] () "Debug tools";
    }
    Editor {
        CURSOR_UP "tui.editor.cursorUp" ["Up"] ("cursorUp") "Up, or previous prompt";
        CURSOR_DOWN "tui.editor.cursorDown" ["Down"] ("cursorDown") "Down, or next prompt";
        CURSOR_LEFT "tui.editor.cursorLeft" ["Left", "Ctrl+B"] ("cursorLeft") "Left";
        CURSOR_RIGHT "tui.editor.cursorRight" ["Right", "Ctrl+F"] ("cursorRight") "Right";
        CURSOR_WORD_LEFT "tui.editor.cursorWordLeft" ["Alt+Left", "Ctrl+Left", "Alt+B"] ("cursorWordLeft") "Previous word";
        CURSOR_WORD_RIGHT "tui.editor.cursorWordRight" ["Alt+Right", "Ctrl+Right", "Alt+F"] ("cursorWordRight") "Next word";
        CURSOR_LINE_START "tui.editor.cursorLineStart" ["Home", "Ctrl+A"] ("cursorLineStart") "Start of line";
        CURSOR_LINE_END "tui.editor.cursorLineEnd" ["End", "Ctrl+E"] ("cursorLineEnd") "End of line";
        JUMP_FORWARD "tui.editor.jumpForward" ["Ctrl+]"] ("jumpForward") "Jump forward to a character";
        JUMP_BACKWARD "tui.editor.jumpBackward" ["Ctrl+Alt+]"] ("jumpBackward") "Jump back to a character";
        PAGE_UP "tui.editor.pageUp" ["PageUp"] ("pageUp") "Page up";
        PAGE_DOWN "tui.editor.pageDown" ["PageDown"] ("pageDown") "Page down";
        DELETE_CHAR_BACKWARD "tui.editor.deleteCharBackward" ["Backspace"] ("deleteCharBackward") "Delete previous character";
        DELETE_CHAR_FORWARD "tui.editor.deleteCharForward" ["Delete", "Ctrl+D"] ("deleteCharForward") "Delete next character";
        DELETE_WORD_BACKWARD "tui.editor.deleteWordBackward" ["Ctrl+W", "Alt+Backspace", "Ctrl+Backspace", "Super+Alt+Backspace"] ("deleteWordBackward") "Delete previous word";
        DELETE_WORD_FORWARD "tui.editor.deleteWordForward" ["Alt+Delete", "Alt+D", "Super+Alt+Delete", "Super+Alt+D"] ("deleteWordForward") "Delete next word";
        DELETE_TO_LINE_START "tui.editor.deleteToLineStart" ["Ctrl+U"] ("deleteToLineStart") "Delete to start of line";
        DELETE_TO_LINE_END "tui.editor.deleteToLineEnd" ["Ctrl+K"] ("deleteToLineEnd") "Delete to end of line";
        YANK "tui.editor.yank" ["Ctrl+Y"] ("yank") "Paste deleted text";
        YANK_POP "tui.editor.yankPop" ["Alt+Y"] ("yankPop") "Paste earlier deleted text";
        UNDO "tui.editor.undo" ["Ctrl+-", "Ctrl+_"] ("undo") "Undo";
        NEW_LINE "tui.input.newLine" ["Shift+Enter", "Ctrl+J"] ("newLine") "New line";
        SUBMIT "tui.input.submit" ["Enter"] ("submit") "Send";
        TAB "tui.input.tab" ["Tab"] ("tab") "Complete";
        COPY "tui.input.copy" ["Ctrl+C"] ("copy") "Copy the selection";
    }
    Select {
        SELECT_UP "tui.select.up" ["Up"] ("selectUp") "Up";
        SELECT_DOWN "tui.select.down" ["Down"] ("selectDown") "Down";
        SELECT_PAGE_UP "tui.select.pageUp" ["PageUp"] ("selectPageUp") "Page up";
        SELECT_PAGE_DOWN "tui.select.pageDown" ["PageDown"] ("selectPageDown") "Page down";
        SELECT_CONFIRM "tui.select.confirm" ["Enter"] ("selectConfirm") "Select";
        SELECT_CANCEL "tui.select.cancel" ["Escape", "Ctrl+C"] ("selectCancel") "Cancel";
    }
    Sessions {
        SESSION_TOGGLE_PATH "app.session.togglePath" ["Ctrl+P"] ("toggleSessionPath") "Show or hide session paths";
        SESSION_TOGGLE_SORT "app.session.toggleSort" ["Ctrl+S"] ("toggleSessionSort") "Change sort order";
        SESSION_RENAME "app.session.rename" ["Ctrl+R"] ("renameSession") "Rename the session";
        SESSION_DELETE "app.session.delete" ["Ctrl+D"] ("deleteSession") "Delete the session";
        SESSION_DELETE_NONINVASIVE "app.session.deleteNoninvasive" ["Ctrl+Backspace"] ("deleteSessionNoninvasive") "Delete the session, unless typing";
    }
    Tree {
        TREE_FOLD_OR_UP "app.tree.foldOrUp" ["Ctrl+Left", "Alt+Left"] ("treeFoldOrUp") "Fold, or go up";
        TREE_UNFOLD_OR_DOWN "app.tree.unfoldOrDown" ["Ctrl+Right", "Alt+Right"] ("treeUnfoldOrDown") "Unfold, or go down";
    }
}

/// Chords that only Windows has, because its terminals keep the others.
pub(crate) const ON_WINDOWS: &[(Action, &str)] = &[(CLIPBOARD_PASTE_IMAGE, "Alt+V")];

/// Chords that extensions cannot have: without them a user could be locked in.
pub(crate) const RESERVED: &[&str] = &[
    "Ctrl+C",
    "Ctrl+D",
    "Ctrl+Z",
    "Ctrl+K",
    "Ctrl+P",
    "Ctrl+L",
    "Ctrl+O",
    "Ctrl+T",
    "Ctrl+G",
    "Ctrl+Q",
    "Alt+M",
    "Shift+Tab",
    "Ctrl+Shift+P",
    "Alt+Enter",
    "Escape",
    "Enter",
];
