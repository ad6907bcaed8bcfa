//! Choosing a model and how hard it thinks.

use omp_theme::Token;
use omp_types::ThinkingLevel;
use omp_view::select::{Choice, Selector};

use crate::app::{App, Task};

impl App {
    pub(in crate::app) fn choose_model(&mut self, name: &'static str, wanted: &str) {
        if !wanted.is_empty() {
            self.use_model(name, wanted.to_owned());
            return;
        }
        let choices = self.session().model_choices();
        if choices.is_empty() {
            self.hint(
                Token::Warning,
                "No model can be used. Sign in with omp login, or set a provider's key.",
            );
            return;
        }
        let current = self.session().model_selector();
        let at = choices.iter().position(|choice| choice.selector == current).unwrap_or(0);
        let option = |choice: &omp_sdk::ModelChoice| {
            let thinks = if choice.reasoning { ", thinks" } else { "" };
            let detail = format!("{} ({}k{thinks})", choice.name, choice.context_window / 1000);
            Choice::new(choice.selector.clone()).detail(detail)
        };
        let menu = Selector::new("Choose a model", choices.iter().map(option).collect()).at(at);
        self.pick(menu, move |app, chosen| {
            if let Some(choice) = chosen.and_then(|place| choices.get(place)) {
                app.use_model(name, choice.selector.clone());
            }
        });
    }

    fn use_model(&mut self, name: &'static str, selector: String) {
        let session = self.session();
        self.spawn(async move {
            let outcome = match name {
                "model" => session.assign_role("default", &selector).await,
                _ => session.use_model(&selector).await,
            };
            Box::new(move |app: &mut Self| {
                match outcome {
                    Ok(()) => app.hint(Token::Muted, format!("Model: {}", app.session().model_selector())),
                    Err(error) => app.complain(&error.to_string()),
                }
                app.refresh();
            }) as Task
        });
    }

    pub(in crate::app) fn cycle_model(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let outcome = session.cycle_role().await;
            Box::new(move |app: &mut Self| {
                match outcome {
                    Ok(Some(role)) => {
                        let model = app.session().model_selector();
                        app.hint(Token::Muted, format!("{role}: {model}"));
                    }
                    Ok(None) => app.hint(Token::Muted, "There is no other model to go to."),
                    Err(error) => app.complain(&error.to_string()),
                }
                app.refresh();
            }) as Task
        });
    }

    pub(in crate::app) fn cycle_thinking(&mut self) {
        let session = self.session();
        let levels = session.thinking_levels();
        let at = levels.iter().position(|level| *level == self.thinking).map_or(0, |at| at + 1);
        let next = levels.get(at % levels.len().max(1)).copied().unwrap_or(ThinkingLevel::Off);
        if levels.len() < 2 {
            self.hint(Token::Muted, "This model does not think.");
            return;
        }
        self.thinking = next;
        self.hint(Token::Muted, format!("Thinking: {}", next.name()));
        self.spawn(async move {
            let outcome = session.set_thinking(next).await;
            Box::new(move |app: &mut Self| {
                if let Err(error) = outcome {
                    app.complain(&error.to_string());
                }
            }) as Task
        });
    }
}
