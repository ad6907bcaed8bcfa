//! Plan, goal and loop mode.

use std::sync::Arc;

use omp_sdk::{LoopLimit, ModeError, PlanState, Prompt, Ui, parse_budget};
use omp_theme::Token;
use omp_types::GoalStatus;
use omp_view::message::Level;

use super::{App, Task};
use crate::app::shown::Shown;
use crate::panels::menu::Menu;

impl App {
    /// What a command of a mode led to.
    fn told(outcome: Result<String, ModeError>) -> Task {
        Box::new(move |app: &mut Self| {
            match outcome {
                Ok(text) => app.say(Level::Info, &text),
                Err(error) => app.hint(Token::Warning, error.to_string()),
            }
            app.refresh();
        })
    }
}

impl Shown {
    fn person(&self) -> Arc<dyn Ui> {
        Arc::new(self.channel.of_session(self.number))
    }
}

/// `/plan`: on, paused, off; with words it is on and they are the first prompt.
pub(crate) fn toggle_plan(app: &mut App, prompt: &str) {
    let (session, person) = (app.session(), app.shown.person());
    let prompt = (!prompt.is_empty()).then(|| prompt.to_owned());
    app.spawn(async move {
        let entered = match (&prompt, session.plan().state()) {
            (Some(_), PlanState::Planning) => Ok(PlanState::Planning),
            (Some(_), _) => session.plan().enter().await.map(|()| PlanState::Planning),
            (None, _) => session.plan().toggle(person.as_ref()).await,
        };
        let text = |state| match state {
            PlanState::Planning => "Plan mode on: the model reads and plans without changing anything",
            PlanState::Paused => "Plan mode paused (/plan again to exit)",
            PlanState::Off => "Plan mode off",
        };
        match (entered, prompt) {
            (Ok(PlanState::Planning), Some(prompt)) => Box::new(move |app: &mut App| {
                app.say(Level::Info, text(PlanState::Planning));
                app.prompt(Prompt::text(prompt));
            }) as Task,
            (entered, _) => App::told(entered.map(|state| text(state).to_owned())),
        }
    });
}

/// `/goal`: sets a goal and works on it, or changes the one that is set.
pub(crate) fn goal_command(app: &mut App, arguments: &str) {
    let (word, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
    let rest = rest.trim().to_owned();
    let session = app.session();
    match word {
        "" if session.goal().current().is_none_or(|goal| !goal.status.is_open()) => {
            app.ask_text("What is the goal?".to_owned(), "", |app, words| {
                if let Some(objective) = words.filter(|words| !words.trim().is_empty()) {
                    start_goal(app, objective);
                }
            });
        }
        "" => ask_about_goal(app),
        "show" => show_goal(app),
        "pause" => {
            app.spawn(
                async move { App::told(session.goal().pause().await.map(|_| "Goal paused".to_owned())) },
            );
        }
        "resume" => {
            let driver = Arc::clone(&app.shown.driver);
            app.go("Working", move |cancel| async move { driver.resume_goal(cancel).await.map(Some) });
        }
        "drop" => {
            let person = app.shown.person();
            app.spawn(async move {
                let dropped = session.goal().abandon(person.as_ref()).await;
                App::told(
                    dropped.map(|dropped| if dropped { "Goal dropped" } else { "Goal kept" }.to_owned()),
                )
            });
        }
        "budget" => match parse_budget(&rest) {
            Ok(budget) => app.spawn(async move {
                App::told(session.goal().set_budget(budget).await.map(|_| "Budget set".to_owned()))
            }),
            Err(usage) => app.hint(Token::Warning, usage),
        },
        "set" => start_goal(app, rest),
        _ => start_goal(app, arguments.to_owned()),
    }
}

/// What can be done with the goal that is set.
fn ask_about_goal(app: &mut App) {
    let Some(goal) = app.session().goal().current() else { return };
    let other = if goal.status == GoalStatus::Active { "pause" } else { "resume" };
    let title = format!("Goal ({}): {}", goal.status.word(), goal.objective);
    let menu = Menu::new(title, [])
        .or("Show details", "")
        .or(
            "Change the budget",
            goal.token_budget.map_or_else(String::new, |budget| format!("{budget} tokens")),
        )
        .or(if other == "pause" { "Pause" } else { "Resume" }, "")
        .or("Drop", "cannot be resumed");
    app.ask(menu, move |app, chosen| match chosen {
        Some(0) => show_goal(app),
        Some(1) => app.ask_text("Token budget (200k, 2m, off)".to_owned(), "", |app, words| {
            if let Some(budget) = words {
                goal_command(app, &format!("budget {budget}"));
            }
        }),
        Some(2) => goal_command(app, other),
        Some(3) => goal_command(app, "drop"),
        _ => {}
    });
}

pub(crate) fn start_goal(app: &mut App, objective: String) {
    if app.turn.run.is_some() {
        app.hint(Token::Warning, "the model is still responding (Esc to stop)");
        return;
    }
    let driver = Arc::clone(&app.shown.driver);
    app.go(
        "Working",
        move |cancel| async move { driver.start_goal(&objective, None, cancel).await.map(Some) },
    );
}

fn show_goal(app: &mut App) {
    let Some(goal) = app.session().goal().current() else {
        app.hint(Token::Muted, "No goal set");
        return;
    };
    let budget = goal.token_budget.map_or_else(|| "none".to_owned(), |budget| budget.to_string());
    let text = format!(
        "Goal: {}\nStatus: {}, tokens used: {}, budget: {budget}",
        goal.objective,
        goal.status.word(),
        goal.tokens_used
    );
    app.say(Level::Info, &text);
}

/// `/loop`: repeats the next prompt, or ends that.
pub(crate) fn toggle_loop(app: &mut App, arguments: &str) {
    if app.shown.driver.is_looping() && arguments.is_empty() {
        app.shown.driver.end_loop();
        app.say(Level::Info, "Loop mode off");
        return;
    }
    let begun = match LoopLimit::parse(arguments) {
        Ok(limit) => app.shown.driver.begin_loop(limit).map_err(|error| error.to_string()),
        Err(usage) => Err(usage.to_string()),
    };
    match begun {
        Ok(()) => app.say(Level::Info, "Loop mode on: the next prompt repeats after every turn"),
        Err(error) => app.hint(Token::Warning, error),
    }
}
