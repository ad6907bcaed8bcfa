//! The review of a plan.

use omp_keys::Bindings;
use omp_panels::review::{Decision, Review, ReviewRequest};
use omp_sdk::{PlanChoice, PlanReview, PlanVerdict};
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use tokio::sync::oneshot;

use super::text::Text;
use super::{Drawn, Panel, Reaction};
use crate::app::drafting;
use crate::app::{App, Task};

/// A plan that waits for a decision.
pub(crate) struct Plan {
    review: Review,
    choices: Vec<PlanChoice>,
    answer: Option<oneshot::Sender<PlanVerdict>>,
    /// The plan is in the user's own editor.
    pub(crate) is_edited: bool,
}

impl Plan {
    /// What the user's own editor left.
    pub(crate) fn edited(&mut self, text: &str) {
        self.is_edited = false;
        if !text.trim().is_empty() {
            self.review.replace(text);
        }
    }

    /// Nothing is decided: the turn ends, and the notes wait in the editor.
    fn leave(&mut self) -> Reaction {
        let Some(answer) = self.answer.take() else { return Reaction::Close(Box::new(|_| {})) };
        let text = self.review.is_changed().then(|| self.review.text());
        let notes = self.review.notes();
        Reaction::Close(Box::new(move |app| {
            if let Some(notes) = notes {
                drafting::add_to_draft(app, &notes);
            }
            decide_plan(app, answer, PlanVerdict::Refine(None), text, None);
        }))
    }

    /// The decision goes to the session, after everything that was changed here.
    fn decide(&mut self, verdict: PlanVerdict) -> Reaction {
        let Some(answer) = self.answer.take() else { return Reaction::Close(Box::new(|_| {})) };
        let text = self.review.is_changed().then(|| self.review.text());
        let role = self.review.role().map(str::to_owned);
        match (verdict, self.review.notes()) {
            (PlanVerdict::Refine(None), Some(notes)) => Reaction::Close(Box::new(|app| {
                decide_plan(app, answer, PlanVerdict::Refine(Some(notes)), text, role);
            })),
            (PlanVerdict::Refine(None), None) => Reaction::Close(Box::new(|app| {
                app.ask_text("What should change?".to_owned(), "", move |app, words| {
                    decide_plan(app, answer, PlanVerdict::Refine(words), text, role);
                });
            })),
            (verdict, _) => Reaction::Close(Box::new(|app| decide_plan(app, answer, verdict, text, role))),
        }
    }
}

impl Panel for Plan {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.review.draw(look, size)
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        match self.review.key(key, keys) {
            ReviewRequest::Stay => Reaction::Stay,
            ReviewRequest::Annotate(title, note) => {
                let text = Text::new(format!("Note on \"{title}\""), &note, |app, note| {
                    if let (Some(panel), Some(note)) = (app.panels.panel::<Self>(), note) {
                        panel.review.annotate(&note);
                    }
                });
                Reaction::Do(Box::new(move |app| app.open_in_front(text)))
            }
            ReviewRequest::Edit => {
                self.is_edited = true;
                let text = self.review.text();
                Reaction::Do(Box::new(move |app| app.surface.edit_elsewhere(text)))
            }
            ReviewRequest::Decide(place) => match self.choices.get(place) {
                Some(choice) => self.decide(choice.verdict.clone()),
                None => Reaction::Stay,
            },
            ReviewRequest::Leave => self.leave(),
        }
    }

    fn is_unasked(&self) -> bool {
        true
    }

    fn is_stale(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

/// Shows a plan and asks what becomes of it.
pub(crate) fn show_plan(app: &mut App, review: PlanReview, answer: oneshot::Sender<PlanVerdict>) {
    show_markdown(app, review.text.clone());
    let decision = |choice: &PlanChoice| Decision { label: choice.label.clone(), enabled: choice.enabled };
    let decisions = review.choices.iter().map(decision).collect();
    let roles = app.session().plan().executors();
    let panel = Review::new(&review.title, &review.text, decisions, roles);
    app.surface.notify("A plan needs your decision");
    app.open(Plan { review: panel, choices: review.choices, answer: Some(answer), is_edited: false });
}

/// A text of the program in the conversation.
fn show_markdown(app: &mut App, text: String) {
    app.show_rows(move |look| omp_view::markdown::render(look, &text));
}

/// Tells the session what was decided, with what was changed before.
fn decide_plan(
    app: &mut App,
    answer: oneshot::Sender<PlanVerdict>,
    verdict: PlanVerdict,
    text: Option<String>,
    role: Option<String>,
) {
    let session = app.session();
    app.spawn(async move {
        let mut problems = Vec::new();
        if let Some(role) = role {
            problems.extend(session.plan().choose_executor(&role).err().map(|error| error.to_string()));
        }
        if let Some(text) = text {
            problems.extend(session.plan().edit(&text).await.err().map(|error| error.to_string()));
        }
        // Nobody waits any more if the turn was stopped.
        let _ = answer.send(verdict);
        Box::new(move |app: &mut App| {
            problems.iter().for_each(|problem| app.hint(Token::Warning, problem));
        }) as Task
    });
}
