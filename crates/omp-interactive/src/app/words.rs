//! What the session says and asks.

use omp_sdk::{ApprovalRequest, PlanReview, PlanVerdict, Reply};
use omp_theme::Token;
use omp_tui::transcript::Transcript;
use omp_types::{AgentEvent, Message};
use tokio::sync::oneshot;

use super::{App, Wish};
use crate::link::Word;
use crate::menu::{Menu, MenuOption};

impl App {
    /// Takes a word of a session; those of sessions that were left are dropped.
    pub(crate) fn word(&mut self, session: u64, word: Word) {
        if session != self.session {
            return;
        }
        match word {
            Word::Event(event) => self.event(&event),
            Word::Approve(request, answer) => self.approve(request, answer),
            Word::Review(review, answer) => self.review(review, answer),
            Word::Confirm(question, answer) => {
                let options = vec![MenuOption::new("Yes"), MenuOption::new("No")];
                self.ask(Menu::new(question, options), move |_, chosen| {
                    let _ = answer.send(chosen == Some(0));
                });
            }
            Word::Text(question, begun, answer) => {
                self.ask_text(question, &begun, move |_, text| {
                    let _ = answer.send(text);
                });
            }
        }
    }

    /// Shows a plan and asks what becomes of it.
    fn review(&mut self, review: PlanReview, answer: oneshot::Sender<PlanVerdict>) {
        let text = review.text.clone();
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            self.conversation.show(transcript, move |look| omp_view::markdown::render(look, &text));
        }
        let choices: Vec<_> = review.choices.into_iter().filter(|choice| choice.enabled).collect();
        let options = choices.iter().map(|choice| MenuOption::new(choice.label.clone())).collect();
        self.ask(Menu::new(format!("Plan: {}", review.title), options), move |app, chosen| {
            match chosen.and_then(|place| choices.into_iter().nth(place)).map(|choice| choice.verdict) {
                Some(PlanVerdict::Refine(_)) | None => {
                    app.ask_text("What should be different?".to_owned(), "", move |_, words| {
                        let _ = answer.send(PlanVerdict::Refine(words));
                    });
                }
                Some(verdict) => {
                    let _ = answer.send(verdict);
                }
            }
        });
    }

    fn event(&mut self, event: &AgentEvent) {
        let now = self.now();
        match event {
            AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                self.retrying = true;
                let seconds = delay_ms.div_ceil(1000);
                let text = format!("Retrying ({attempt}/{max_attempts}) in {seconds} s: {error_message} (Esc cancels)");
                self.banner = Some((Token::Warning, text));
            }
            AgentEvent::AutoRetryEnd { .. } => {
                self.retrying = false;
                self.banner = None;
            }
            AgentEvent::MessageEnd { message } => {
                if let Message::Assistant(answer) = &**message {
                    self.spent += answer.usage.cost.total;
                    if answer.usage.total_tokens > 0 {
                        self.context = answer.usage.total_tokens;
                    }
                }
            }
            AgentEvent::AgentEnd { .. } => self.retrying = false,
            _ => {}
        }
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            self.conversation.event(transcript, event, now);
        }
        self.changed();
    }

    /// Asks whether a call may run.
    fn approve(&mut self, request: ApprovalRequest, answer: oneshot::Sender<Reply>) {
        let mut options = vec![MenuOption::new("Yes, this once")];
        if let Some(rules) = &request.always {
            options.push(MenuOption::new("Yes, always").with_detail(rules.join(", ")));
        }
        options.push(MenuOption::new("No"));
        let always = request.always.is_some();
        let mut text = request.question.text().lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
        let mut menu = Menu::new(text.next().unwrap_or_default(), options);
        for line in text {
            menu = menu.with_text(Token::Text, line);
        }
        if !self.focused {
            self.wishes.push(Wish::Write(b"\x07".to_vec()));
        }
        self.ask(menu, move |_, chosen| {
            let reply = match chosen {
                Some(0) => Reply::Once,
                Some(1) if always => Reply::Always,
                _ => Reply::No,
            };
            // The run was stopped meanwhile if nobody waits.
            let _ = answer.send(reply);
        });
    }
}
