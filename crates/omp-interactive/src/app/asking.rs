//! Questions of the model.

use omp_sdk::{AskAnswer, AskQuestion};
use omp_theme::Token;
use omp_tui::text::Line;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};
use tokio::sync::mpsc::UnboundedSender;

use super::{App, Dialog};
use crate::link::AskWord;

/// A question on the screen.
pub(super) struct Asked {
    question: AskQuestion,
    selector: Selector,
    /// Options in the order in which they were chosen.
    chosen: Vec<usize>,
    pub(super) answer: UnboundedSender<AskWord>,
}

impl Asked {
    pub(super) fn rows(&self, look: &Look) -> Vec<Line> {
        self.selector.draw(look)
    }
}

impl App {
    /// Puts a question of the model in the place of the editor.
    pub(super) fn put_question(
        &mut self,
        question: AskQuestion,
        (this, all): (usize, usize),
        answer: UnboundedSender<AskWord>,
    ) {
        let entries = question.entries();
        let choice = |(place, entry): (usize, &String)| {
            let detail = question.options.get(place).and_then(|option| option.description.clone());
            Choice::new(entry.clone()).detail(detail.unwrap_or_default())
        };
        let choices: Vec<Choice> = entries.iter().enumerate().map(choice).collect();
        let title =
            if all > 1 { format!("{} ({this}/{all})", question.question) } else { question.question.clone() };
        let mut selector = Selector::new(title, choices);
        let mut hint = "Enter chooses, Esc stops the turn".to_owned();
        if question.multi {
            selector = selector.several([]);
            hint = "Space marks, Enter is done, Esc stops the turn".to_owned();
        }
        if all > 1 {
            hint.push_str(", Left and Right go to other questions");
        }
        let selector = selector.hint(hint).at(question.recommended.unwrap_or(0));
        self.notify("The model asks a question");
        self.dialogs.push(Dialog::Asked(Box::new(Asked { question, selector, chosen: Vec::new(), answer })));
        self.changed();
    }

    /// A step in the question that is on the screen.
    pub(super) fn step_in_question(&mut self, step: Step) {
        let Some(Dialog::Asked(asked)) = self.dialogs.first_mut() else { return };
        let toggled = (step == Step::Toggle).then(|| asked.selector.current()).flatten();
        let outcome = asked.selector.step(step);
        if let Some(place) = toggled {
            asked.chosen.retain(|chosen| *chosen != place);
            if asked.selector.marked().contains(&place) {
                asked.chosen.push(place);
            }
        }
        let other = asked.question.options.len();
        match outcome {
            Outcome::Chosen(places) => {
                let chosen = if asked.question.multi { asked.chosen.clone() } else { places };
                match chosen.contains(&other) {
                    true => self.ask_for_words(chosen),
                    false => {
                        self.answer_question(AskWord::Given(AskAnswer { selected: chosen, custom: None }));
                    }
                }
            }
            Outcome::Cancelled => self.answer_question(AskWord::Cancelled),
            _ => {}
        }
    }

    /// The question is done with.
    pub(super) fn answer_question(&mut self, word: AskWord) {
        if !matches!(self.dialogs.first(), Some(Dialog::Asked(_))) {
            return;
        }
        if let Dialog::Asked(asked) = self.dialogs.remove(0) {
            // Nobody waits any more if the time was up.
            let _ = asked.answer.send(word);
        }
        self.changed();
    }

    fn ask_for_words(&mut self, chosen: Vec<usize>) {
        let Dialog::Asked(asked) = self.dialogs.remove(0) else { return };
        let _ = asked.answer.send(AskWord::Typing);
        let other = asked.question.options.len();
        let selected: Vec<usize> = chosen.into_iter().filter(|place| *place != other).collect();
        let question = asked.question.question.clone();
        self.ask_text(question, "", move |app, words| {
            let word = match words.filter(|words| !words.trim().is_empty()) {
                Some(words) => AskWord::Given(AskAnswer { selected, custom: Some(words) }),
                None => AskWord::Cancelled,
            };
            if asked.answer.send(word).is_err() {
                app.hint(Token::Muted, "The question was no longer open.");
            }
        });
    }
}
