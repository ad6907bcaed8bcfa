//! Questions of the model.

use omp_keys::Bindings;
use omp_sdk::settings::keys;
use omp_sdk::{AskAnswer, AskQuestion};
use omp_theme::Token;
use omp_tui::input::{Code, Key};
use omp_tui::render::Size;
use omp_tui::text::neutral;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};
use tokio::sync::mpsc::UnboundedSender;

use super::text::Text;
use super::{Drawn, Panel, Reaction, step};
use crate::app::App;
use crate::session_channel::AskReply;

/// The entry that sends what was marked.
const DONE: &str = "Done selecting";

/// A question on the screen.
pub(crate) struct ModelQuestion {
    question: AskQuestion,
    selector: Selector,
    /// Options in the order in which they were chosen.
    chosen: Vec<usize>,
    answer: UnboundedSender<AskReply>,
}

impl ModelQuestion {
    /// The question, the `this`th of `all`.
    pub(crate) fn new(
        question: AskQuestion,
        (this, all): (usize, usize),
        answer: UnboundedSender<AskReply>,
    ) -> Self {
        let entries = question.entries();
        let choice = |(place, entry): (usize, &String)| {
            let detail = question.options.get(place).and_then(|option| option.description.clone());
            let visible = |text: &str| neutral::exact(text).into_owned();
            Choice::new(visible(entry)).detail(visible(&detail.unwrap_or_default()))
        };
        let mut choices: Vec<Choice> = entries.iter().enumerate().map(choice).collect();
        if question.multi {
            choices.push(Choice::new(DONE).acts());
        }
        let asked = neutral::exact(&question.question).into_owned();
        let title = if all > 1 { format!("{asked} ({this}/{all})") } else { asked };
        let mut selector = Selector::new(title, choices).question();
        let mut hint = "Enter: select · Esc: stop the turn".to_owned();
        if question.multi {
            selector = selector.several([]);
            hint = "Space or Enter: toggle · Done: send · Esc: stop the turn".to_owned();
        }
        if all > 1 {
            hint.push_str(" · Left/Right: other questions");
        }
        let selector = selector.hint(hint).at(question.recommended.unwrap_or(0));
        Self { question, selector, chosen: Vec::new(), answer }
    }

    fn step(&mut self, step: Step) -> Reaction {
        // Where several can be chosen, Enter marks too, until it stands on the last entry.
        let done = self.selector.current() == Some(self.question.options.len() + 1);
        let step = match step {
            Step::Confirm if self.question.multi && !done => Step::Toggle,
            Step::Toggle if done => Step::Confirm,
            other => other,
        };
        let toggled = (step == Step::Toggle).then(|| self.selector.current()).flatten();
        let outcome = self.selector.step(step);
        if let Some(place) = toggled {
            self.chosen.retain(|chosen| *chosen != place);
            if self.selector.marked().contains(&place) {
                self.chosen.push(place);
            }
        }
        match outcome {
            Outcome::Chosen(places) => {
                let chosen = if self.question.multi { self.chosen.clone() } else { places };
                match chosen.contains(&self.question.options.len()) {
                    true => self.ask_for_words(chosen),
                    false => self.give(AskReply::Given(AskAnswer { selected: chosen, custom: None })),
                }
            }
            Outcome::Cancelled => self.give(AskReply::Cancelled),
            _ => Reaction::Stay,
        }
    }

    /// The question is done with.
    fn give(&self, word: AskReply) -> Reaction {
        // Nobody waits any more if the time was up.
        let _ = self.answer.send(word);
        Reaction::Close(Box::new(|_| {}))
    }

    fn ask_for_words(&self, chosen: Vec<usize>) -> Reaction {
        let answer = self.answer.clone();
        let _ = answer.send(AskReply::Typing);
        let other = self.question.options.len();
        let selected: Vec<usize> = chosen.into_iter().filter(|place| *place != other).collect();
        let answered = move |app: &mut App, words: Option<String>| {
            let word = match words.filter(|words| !words.trim().is_empty()) {
                Some(words) => AskReply::Given(AskAnswer { selected, custom: Some(words) }),
                None => AskReply::Cancelled,
            };
            if answer.send(word).is_err() {
                app.hint(Token::Muted, "The question is no longer open");
            }
        };
        let text = Text::new(self.question.question.clone(), "", answered).stops_turn();
        Reaction::Close(Box::new(move |app| app.open_in_front(text)))
    }
}

impl Panel for ModelQuestion {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.selector.draw_within(look, size.height.saturating_sub(4).max(5)).into()
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        match key.code {
            Code::Left => self.give(AskReply::Back),
            Code::Right => self.give(AskReply::Forward),
            Code::Char(' ') => self.step(Step::Toggle),
            _ => step(key, keys).map_or(Reaction::Stay, |step| self.step(step)),
        }
    }

    fn is_unasked(&self) -> bool {
        true
    }

    fn is_stale(&self) -> bool {
        self.answer.is_closed()
    }
}

/// Puts a question of the model in the place of the editor.
pub(crate) fn put_question(
    app: &mut App,
    question: AskQuestion,
    place: (usize, usize),
    answer: UnboundedSender<AskReply>,
) {
    if app.session().settings().get(keys::ASK_NOTIFY) == "on" {
        app.surface.notify("The model has a question");
    }
    app.open(ModelQuestion::new(question, place, answer));
}
