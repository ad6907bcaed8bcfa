//! The first run: who answers, what is drawn with, in which colours.
//!
//! Each scene is a list. What is chosen in it is kept at once, so leaving early loses nothing but the scenes to come.

mod draw;
#[cfg(test)]
mod tests;

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::Key;
use omp_view::select::{Choice, Outcome, Selector, Step};

use crate::listing::step;

/// The version of the scenes; a user who finished an earlier one is asked again.
pub const VERSION: u32 = 1;

/// A question of the wizard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Signing in to providers.
    Providers,
    /// What runs without a question.
    Approval,
    /// Who searches the web.
    Search,
    /// What is drawn with.
    Symbols,
    /// In which colours.
    Theme,
}

impl Scene {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [Self::Providers, Self::Approval, Self::Search, Self::Symbols, Self::Theme];

    fn title(self) -> &'static str {
        match self {
            Self::Providers => "Choose a model provider",
            Self::Approval => "Choose what omp may do without asking",
            Self::Search => "Choose a web search provider",
            Self::Symbols => "Choose the symbols that display correctly",
            Self::Theme => "Choose a theme",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Providers => {
                "Sign in to as many providers as you like. Keys in the environment, such as ANTHROPIC_API_KEY, work without \
                 signing in."
            }
            Self::Approval => {
                "The status line always shows the mode. /approval changes it for a session, --approval-mode for a run."
            }
            Self::Search => "auto uses the first service you have a key for.",
            Self::Symbols => "nerd needs a Nerd Font; ascii works everywhere.",
            Self::Theme => "Use the arrow keys to preview.",
        }
    }

    /// Is what is under the cursor tried out?
    fn tries(self) -> bool {
        matches!(self, Self::Symbols | Self::Theme)
    }
}

/// An answer to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WizardAnswer {
    /// What is kept if it is chosen.
    pub value: String,
    /// What is shown beside it.
    pub detail: String,
    /// It is in the list only for who searches.
    pub is_rare: bool,
}

impl WizardAnswer {
    /// An answer with something beside it.
    pub fn new(value: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { value: value.into(), detail: detail.into(), is_rare: false }
    }

    /// An answer that few want: it is found by searching.
    #[must_use]
    pub fn rare(self) -> Self {
        Self { is_rare: true, ..self }
    }
}

/// A scene with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WizardQuestion {
    /// Which one.
    pub scene: Scene,
    /// What can be answered.
    pub answers: Vec<WizardAnswer>,
    /// What holds at the moment.
    pub current: String,
    /// What should be known about it; empty for nothing.
    pub remark: String,
}

/// What the wizard wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WizardRequest {
    /// A login begins.
    SignIn(String),
    /// An answer is to be kept.
    Keep(Scene, String),
    /// An answer is to be tried out.
    Try(Scene, String),
    /// What was tried out is to be undone.
    StopTrying,
    /// The wizard is over before its end.
    Leave,
    /// All scenes were seen.
    Finish,
}

/// The wizard.
#[derive(Debug)]
pub struct Wizard {
    questions: Vec<WizardQuestion>,
    at: usize,
    list: Selector,
}

impl Wizard {
    /// A wizard with these scenes.
    pub fn new(questions: Vec<WizardQuestion>) -> Self {
        let mut wizard = Self { questions, at: 0, list: Selector::new("", Vec::new()) };
        wizard.enter();
        wizard
    }

    /// The scene that is shown.
    pub fn scene(&self) -> Option<Scene> {
        self.question().map(|question| question.scene)
    }

    fn question(&self) -> Option<&WizardQuestion> {
        self.questions.get(self.at)
    }

    /// Other answers to a question, such as providers that were signed in to meanwhile.
    pub fn update(&mut self, question: WizardQuestion) {
        let shown = self.scene() == Some(question.scene);
        if let Some(old) = self.questions.iter_mut().find(|old| old.scene == question.scene) {
            *old = question;
        }
        if shown {
            let choices = self.choices();
            self.list.replace(choices);
        }
    }

    fn enter(&mut self) {
        let choices = self.choices();
        let current = self.question().map(|question| question.current.clone()).unwrap_or_default();
        let at = choices.iter().position(|choice| choice.label == current).unwrap_or(0);
        let title = self.scene().map_or("", Scene::title);
        self.list = Selector::new(title, choices).at(at);
    }

    fn choices(&self) -> Vec<Choice> {
        let Some(question) = self.question() else { return Vec::new() };
        let go_on = match question.scene {
            Scene::Providers if question.current.is_empty() => {
                Some(Choice::new("Skip for now (use /login later)"))
            }
            Scene::Providers => {
                Some(Choice::new("Continue").detail(format!("signed in to {}", question.current)))
            }
            _ => None,
        };
        let answer = |answer: &WizardAnswer| {
            let choice = Choice::new(&answer.value).detail(&answer.detail);
            if answer.is_rare { choice.on_search() } else { choice }
        };
        let rare = question.answers.iter().filter(|answer| answer.is_rare).count();
        let more = (rare > 0)
            .then(|| Choice::all_options(format!("{rare} more providers")).detail("or type to search"));
        go_on.into_iter().chain(question.answers.iter().map(answer)).chain(more).collect()
    }

    /// Takes a key; it may lead to wishes.
    pub fn key(&mut self, key: Key, keys: &Bindings) -> Vec<WizardRequest> {
        if keys.action(Context::Editor, Chord::from(key)) == Some(actions::CURSOR_LEFT) && self.at > 0 {
            let taken_back = self.stop_trying();
            self.at -= 1;
            self.enter();
            return taken_back;
        }
        match step(key, keys) {
            Some(step) => self.step(step),
            None => Vec::new(),
        }
    }

    /// Takes pasted text: it searches.
    pub fn paste(&mut self, text: &str) -> Vec<WizardRequest> {
        self.step(Step::Text(text.to_owned()))
    }

    fn step(&mut self, step: Step) -> Vec<WizardRequest> {
        let Some(scene) = self.scene() else { return vec![WizardRequest::Finish] };
        let outcome = self.list.step(step);
        let label = self.list.current().map(|place| self.list.choices()[place].label.clone());
        match (outcome, label) {
            (Outcome::Moved(_), Some(label)) if scene.tries() => vec![WizardRequest::Try(scene, label)],
            (Outcome::Chosen(chosen), Some(label)) => match (scene, chosen.first()) {
                (Scene::Providers, Some(0)) => self.next(),
                (Scene::Providers, _) => vec![WizardRequest::SignIn(label)],
                _ => std::iter::once(WizardRequest::Keep(scene, label)).chain(self.next()).collect(),
            },
            (Outcome::Cancelled, _) => {
                let mut wishes = self.stop_trying();
                wishes.push(WizardRequest::Leave);
                wishes
            }
            _ => Vec::new(),
        }
    }

    fn stop_trying(&self) -> Vec<WizardRequest> {
        self.scene().filter(|scene| scene.tries()).map(|_| WizardRequest::StopTrying).into_iter().collect()
    }

    fn next(&mut self) -> Vec<WizardRequest> {
        self.at += 1;
        if self.at >= self.questions.len() {
            return vec![WizardRequest::Finish];
        }
        self.enter();
        Vec::new()
    }
}
