//! `/plan-review` and `/guided-goal`.

use std::sync::Arc;

use omp_sdk::PlanState;
use omp_theme::Token;

use crate::app::App;

/// Opens the review of the newest plan again.
pub(crate) fn reopen_review(app: &mut App) {
    if app.session().plan().state() != PlanState::Planning {
        app.hint(Token::Warning, "plan mode is off: turn it on with /plan");
    } else if app.turn.run.is_some() {
        app.busy();
    } else {
        let driver = Arc::clone(&app.shown.driver);
        app.go("Reviewing", move |cancel| async move { driver.review_plan(cancel).await.map(|()| None) });
    }
}

/// Finds a goal by asking, and works on it.
pub(crate) fn guided_goal(app: &mut App, wish: &str) {
    if app.turn.run.is_some() {
        app.busy();
        return;
    }
    if wish.is_empty() {
        app.ask_text("What do you want to achieve, roughly?".to_owned(), "", |app, words| {
            if let Some(wish) = words.filter(|words| !words.trim().is_empty()) {
                guided_goal(app, &wish);
            }
        });
        return;
    }
    let (driver, wish) = (Arc::clone(&app.shown.driver), wish.to_owned());
    app.go("Finding a goal", move |cancel| async move { driver.guided_goal(&wish, cancel).await });
}
