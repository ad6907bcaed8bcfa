//! What is sent next: the goal and the prompts of the command line, and what waited for the end of something.

use omp_sdk::Prompt;

use super::App;
use crate::app::modes;

impl App {
    /// A goal that was given on the command line: it comes before every prompt.
    pub(crate) fn first_goal(&mut self, objective: String) {
        self.turn.objective = Some(objective);
        self.send_waiting();
    }

    /// A prompt that was given on the command line.
    pub(crate) fn first_prompt(&mut self, prompt: Prompt) {
        self.turn.waiting.push_back(prompt);
        self.send_waiting();
    }

    /// Sends what waits, unless something runs.
    pub(super) fn send_waiting(&mut self) {
        if self.turn.run.is_some() || self.panels.is_setting_up() {
            return;
        }
        if let Some(objective) = self.turn.objective.take() {
            modes::start_goal(self, objective);
        } else if let Some(prompt) = self.turn.waiting.pop_front() {
            self.prompt(prompt);
        }
    }
}
