//! `/plan-review` and `/guided-goal`.

use std::sync::Arc;

use omp_sdk::PlanState;
use omp_theme::Token;

use crate::app::App;

impl App {
    /// Opens the review of the newest plan again.
    pub(in crate::app) fn reopen_review(&mut self) {
        if self.session().plan_state() != PlanState::Planning {
            self.hint(Token::Warning, "plan mode is off: turn it on with /plan");
        } else if self.turn.run.is_some() {
            self.busy();
        } else {
            let driver = Arc::clone(&self.shown.driver);
            self.go(
                "Reviewing",
                move |cancel| async move { driver.review_plan(cancel).await.map(|()| None) },
            );
        }
    }

    /// Finds a goal by asking, and works on it.
    pub(in crate::app) fn guided_goal(&mut self, wish: &str) {
        if self.turn.run.is_some() {
            self.busy();
            return;
        }
        if wish.is_empty() {
            self.ask_text("What do you want to achieve, roughly?".to_owned(), "", |app, words| {
                if let Some(wish) = words.filter(|words| !words.trim().is_empty()) {
                    app.guided_goal(&wish);
                }
            });
            return;
        }
        let (driver, wish) = (Arc::clone(&self.shown.driver), wish.to_owned());
        self.go("Finding a goal", move |cancel| async move { driver.guided_goal(&wish, cancel).await });
    }
}
