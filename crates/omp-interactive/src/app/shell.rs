//! Commands that the user runs with `!`, and the user's own editor.

use omp_editor::Visibility;
use omp_theme::Token;

use super::App;

impl App {
    pub(super) fn run_shell(&mut self, _command: String, _visibility: Visibility) {
        self.hint(Token::Warning, "Shell commands with ! are not available yet.");
    }

    pub(super) fn abort_shell(&mut self) {
        if let Some(shell) = &self.shell {
            shell.cancel();
        }
    }

    /// Changes the prompt in the user's editor.
    pub(crate) fn edit_elsewhere(&mut self, _text: &str) {
        self.hint(Token::Warning, "The external editor is not available yet.");
    }
}
