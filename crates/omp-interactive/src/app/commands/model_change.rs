//! Another model, or more or less thinking: at once, or after the turn that runs.

use std::sync::Arc;

use omp_sdk::{Direction, Session, SessionError};
use omp_theme::Token;
use omp_types::ThinkingLevel;

use crate::app::{App, Task};

/// The role of the model that answers.
pub(super) const DEFAULT: &str = "default";

/// What is to change about who answers.
pub(in crate::app) enum Change {
    /// Another model for this session.
    Use(String),
    /// Another model for a role, kept.
    Assign { role: String, selector: String },
    /// The next model of the cycle, or the one before.
    Cycle(Direction),
    /// How hard the model thinks.
    Think(ThinkingLevel),
}

/// Changes who answers. A turn is finished by the model that began it.
pub(crate) fn change(app: &mut App, change: Change) {
    if app.turn.run.is_none() || app.turn.compacting.activity.is_some() {
        let session = app.session();
        app.spawn(async move { make(&session, change).await });
        return;
    }
    let text = match &change {
        Change::Use(selector) => format!("Switching to {selector} after this turn"),
        Change::Assign { role, selector } if role == DEFAULT => {
            format!("Switching to {selector} after this turn")
        }
        Change::Assign { role, selector } => format!("{role} will use {selector} after this turn"),
        Change::Cycle(_) => "Switching models after this turn".to_owned(),
        Change::Think(level) => format!("Thinking: {} after this turn", level.name()),
    };
    app.turn.changes.push(change);
    app.hint(Token::Muted, text);
}

/// Makes the changes that waited, then continues. `false` if there are none: nobody continues.
pub(crate) fn make_changes(app: &mut App, then: impl FnOnce(&mut App) + Send + 'static) -> bool {
    let changes = std::mem::take(&mut app.turn.changes);
    if changes.is_empty() {
        return false;
    }
    let session = app.session();
    app.spawn(async move {
        let mut made = Vec::new();
        for change in changes {
            made.push(make(&session, change).await);
        }
        Box::new(move |app: &mut App| {
            made.into_iter().for_each(|task| task(app));
            then(app);
        }) as Task
    });
    true
}

/// Says where the cycle went, and what that costs: in the row that the next key press replaces.
fn model_cycled(app: &mut App, warning: Option<String>, outcome: Result<Option<String>, SessionError>) {
    match outcome {
        Ok(Some(said)) => match warning {
            Some(warning) => app.hint(Token::Warning, format!("{said}\n{warning}")),
            None => app.hint(Token::Muted, said),
        },
        Ok(None) => app.hint(Token::Muted, "No other model to switch to"),
        Err(error) => app.complain(&error.to_string()),
    }
    app.refresh();
}

fn model_changed(app: &mut App, warning: Option<String>, outcome: Result<String, SessionError>) {
    if let Some(warning) = warning.filter(|_| outcome.is_ok()) {
        app.remark(&warning);
    }
    match outcome {
        Ok(said) if said.is_empty() => {
            app.hint(Token::Muted, format!("Switched to {}", app.session().model_selector()));
        }
        Ok(said) => app.hint(Token::Muted, said),
        Err(error) => app.complain(&error.to_string()),
    }
    app.refresh();
}

async fn make(session: &Arc<Session>, change: Change) -> Task {
    match change {
        Change::Use(selector) => {
            let warning = session.prompt_cache().switch_warning(&selector).await;
            let outcome = session.models().switch(&selector).await;
            Box::new(move |app: &mut App| model_changed(app, warning, outcome.map(|()| String::new())))
        }
        Change::Assign { role, selector } => {
            let warning =
                if role == DEFAULT { session.prompt_cache().switch_warning(&selector).await } else { None };
            let outcome = session.models().assign_role(&role, &selector).await;
            let said = if role == DEFAULT { String::new() } else { format!("{role} now uses {selector}") };
            Box::new(move |app: &mut App| model_changed(app, warning, outcome.map(|()| said)))
        }
        Change::Cycle(direction) => {
            let outcome = session.models().cycle(direction).await;
            // Nothing is lost before the next request, so the key is not held up by a question.
            let warning = match &outcome {
                Ok(Some(_)) => session.prompt_cache().switch_warning(&session.model_selector()).await,
                _ => None,
            };
            Box::new(move |app: &mut App| model_cycled(app, warning, outcome))
        }
        Change::Think(level) => {
            let outcome = session.models().set_thinking(level).await;
            Box::new(move |app: &mut App| {
                if let Err(error) = outcome {
                    app.complain(&error.to_string());
                }
            })
        }
    }
}
