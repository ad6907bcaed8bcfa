//! The table of actions: the one place where their names, chords and descriptions are.

use crate::action::{Action, Context};

/// One action.
pub(crate) struct Row {
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

        pub(crate) const ROWS: &[Row] = &[$($(Row {
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
        INTERRUPT "app.interrupt" ["Escape"] ("interrupt") "Stop what is running, or close what is open";
        CLEAR "app.clear" ["Ctrl+C"] ("clear") "Clear the prompt; twice to leave";
        EXIT "app.exit" ["Ctrl+D"] ("exit") "Leave, when the prompt is empty";
        SUSPEND "app.suspend" ["Ctrl+Z"] ("suspend") "Put the program to sleep, back to the shell";
        DISPLAY_RESET "app.display.reset" ["Ctrl+L"] ("resetDisplay") "Draw everything anew";
        THINKING_CYCLE "app.thinking.cycle" ["Shift+Tab"] ("cycleThinkingLevel") "Next thinking level";
        THINKING_TOGGLE "app.thinking.toggle" ["Ctrl+T"] ("toggleThinking") "Show or hide thinking";
        MODEL_CYCLE_FORWARD "app.model.cycleForward" ["Ctrl+P"] ("cycleModelForward") "Next model";
        MODEL_CYCLE_BACKWARD "app.model.cycleBackward" ["Ctrl+Shift+P"] ("cycleModelBackward") "Previous model";
        MODEL_SELECT "app.model.select" ["Alt+M"] ("selectModel") "Choose models and their roles";
        MODEL_SELECT_TEMPORARY "app.model.selectTemporary" ["Alt+P"] ("selectModelTemporary") "Choose a model for this session";
        TOOLS_EXPAND "app.tools.expand" ["Ctrl+O"] ("expandTools") "Show tool output in full or in short";
        EDITOR_EXTERNAL "app.editor.external" ["Ctrl+G"] ("externalEditor") "Edit the prompt in your editor";
        PLAN_TOGGLE "app.plan.toggle" ["Alt+Shift+P"] ("togglePlanMode") "Plan mode on or off";
        HISTORY_SEARCH "app.history.search" ["Ctrl+R"] ("historySearch") "Search earlier prompts";
        MESSAGE_FOLLOW_UP "app.message.followUp" ["Ctrl+Enter", "Ctrl+Q"] ("followUp") "Send when the turn is over";
        MESSAGE_DEQUEUE "app.message.dequeue" ["Alt+Up"] ("dequeue") "Take waiting messages back into the prompt";
        RETRY "app.retry" ["Alt+R"] ("retry") "Try the last turn again";
        CLIPBOARD_PASTE_IMAGE "app.clipboard.pasteImage" ["Ctrl+V"] ("pasteImage") "Paste an image, or text";
        CLIPBOARD_PASTE_TEXT_RAW "app.clipboard.pasteTextRaw" ["Ctrl+Shift+V", "Alt+Shift+V"] ("pasteTextRaw") "Paste text as it is";
        CLIPBOARD_COPY_LINE "app.clipboard.copyLine" ["Alt+Shift+L"] ("copyLine") "Copy the line of the cursor";
        CLIPBOARD_COPY_PROMPT "app.clipboard.copyPrompt" ["Alt+Shift+C"] ("copyPrompt") "Copy the whole prompt";
        AGENTS_HUB "app.agents.hub" ["Alt+A"] ("agentsHub") "Look at agents";
        SESSION_OBSERVE "app.session.observe" ["Ctrl+S"] ("observeSessions") "Watch running agents";
        SESSION_NEW "app.session.new" [] ("newSession") "Begin a new session";
        SESSION_TREE "app.session.tree" [] ("tree") "Open the tree of the session";
        SESSION_FORK "app.session.fork" [] ("fork") "Go on in a copy of the session";
        SESSION_RESUME "app.session.resume" [] ("resume") "Choose a session to go on with";
        STT_TOGGLE "app.stt.toggle" ["Alt+H"] ("toggleSTT") "Begin or end dictation";
        DEBUG "app.debug" ["Ctrl+Shift+D"] () "Look inside the program";
    }
    Editor {
        CURSOR_UP "tui.editor.cursorUp" ["Up"] ("cursorUp") "Up, or an earlier prompt";
        CURSOR_DOWN "tui.editor.cursorDown" ["Down"] ("cursorDown") "Down, or a later prompt";
        CURSOR_LEFT "tui.editor.cursorLeft" ["Left", "Ctrl+B"] ("cursorLeft") "Left";
        CURSOR_RIGHT "tui.editor.cursorRight" ["Right", "Ctrl+F"] ("cursorRight") "Right";
        CURSOR_WORD_LEFT "tui.editor.cursorWordLeft" ["Alt+Left", "Ctrl+Left", "Alt+B"] ("cursorWordLeft") "To the beginning of a word";
        CURSOR_WORD_RIGHT "tui.editor.cursorWordRight" ["Alt+Right", "Ctrl+Right", "Alt+F"] ("cursorWordRight") "To the end of a word";
        CURSOR_LINE_START "tui.editor.cursorLineStart" ["Home", "Ctrl+A"] ("cursorLineStart") "To the beginning of the line";
        CURSOR_LINE_END "tui.editor.cursorLineEnd" ["End", "Ctrl+E"] ("cursorLineEnd") "To the end of the line";
        JUMP_FORWARD "tui.editor.jumpForward" ["Ctrl+]"] ("jumpForward") "To the next place of a character";
        JUMP_BACKWARD "tui.editor.jumpBackward" ["Ctrl+Alt+]"] ("jumpBackward") "To the last place of a character";
        PAGE_UP "tui.editor.pageUp" ["PageUp"] ("pageUp") "A page up";
        PAGE_DOWN "tui.editor.pageDown" ["PageDown"] ("pageDown") "A page down";
        DELETE_CHAR_BACKWARD "tui.editor.deleteCharBackward" ["Backspace"] ("deleteCharBackward") "Delete the character before";
        DELETE_CHAR_FORWARD "tui.editor.deleteCharForward" ["Delete", "Ctrl+D"] ("deleteCharForward") "Delete the character behind";
        DELETE_WORD_BACKWARD "tui.editor.deleteWordBackward" ["Ctrl+W", "Alt+Backspace", "Ctrl+Backspace", "Super+Alt+Backspace"] ("deleteWordBackward") "Delete the word before";
        DELETE_WORD_FORWARD "tui.editor.deleteWordForward" ["Alt+Delete", "Alt+D", "Super+Alt+Delete", "Super+Alt+D"] ("deleteWordForward") "Delete the word behind";
        DELETE_TO_LINE_START "tui.editor.deleteToLineStart" ["Ctrl+U"] ("deleteToLineStart") "Delete to the beginning of the line";
        DELETE_TO_LINE_END "tui.editor.deleteToLineEnd" ["Ctrl+K"] ("deleteToLineEnd") "Delete to the end of the line";
        YANK "tui.editor.yank" ["Ctrl+Y"] ("yank") "Put back what was deleted";
        YANK_POP "tui.editor.yankPop" ["Alt+Y"] ("yankPop") "Put back what was deleted before that";
        UNDO "tui.editor.undo" ["Ctrl+-", "Ctrl+_"] ("undo") "Undo";
        NEW_LINE "tui.input.newLine" ["Shift+Enter", "Ctrl+J"] ("newLine") "New line";
        SUBMIT "tui.input.submit" ["Enter"] ("submit") "Send";
        TAB "tui.input.tab" ["Tab"] ("tab") "Complete";
        COPY "tui.input.copy" ["Ctrl+C"] ("copy") "Copy what is selected";
    }
    Select {
        SELECT_UP "tui.select.up" ["Up"] ("selectUp") "Up";
        SELECT_DOWN "tui.select.down" ["Down"] ("selectDown") "Down";
        SELECT_PAGE_UP "tui.select.pageUp" ["PageUp"] ("selectPageUp") "A page up";
        SELECT_PAGE_DOWN "tui.select.pageDown" ["PageDown"] ("selectPageDown") "A page down";
        SELECT_CONFIRM "tui.select.confirm" ["Enter"] ("selectConfirm") "Choose";
        SELECT_CANCEL "tui.select.cancel" ["Escape", "Ctrl+C"] ("selectCancel") "Close without choosing";
    }
    Sessions {
        SESSION_TOGGLE_PATH "app.session.togglePath" ["Ctrl+P"] ("toggleSessionPath") "Show or hide where sessions are";
        SESSION_TOGGLE_SORT "app.session.toggleSort" ["Ctrl+S"] ("toggleSessionSort") "Sort differently";
        SESSION_RENAME "app.session.rename" ["Ctrl+R"] ("renameSession") "Rename the session";
        SESSION_DELETE "app.session.delete" ["Ctrl+D"] ("deleteSession") "Delete the session";
        SESSION_DELETE_NONINVASIVE "app.session.deleteNoninvasive" ["Ctrl+Backspace"] ("deleteSessionNoninvasive") "Delete the session, unless text is being typed";
    }
    Tree {
        TREE_FOLD_OR_UP "app.tree.foldOrUp" ["Ctrl+Left", "Alt+Left"] ("treeFoldOrUp") "Fold the branch, or go up";
        TREE_UNFOLD_OR_DOWN "app.tree.unfoldOrDown" ["Ctrl+Right", "Alt+Right"] ("treeUnfoldOrDown") "Unfold the branch, or go down";
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
