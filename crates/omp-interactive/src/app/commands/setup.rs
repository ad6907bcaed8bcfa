//! The set-up: the wizard of the first run, and parts of it on demand.

use std::sync::Arc;

use omp_panels::wizard::{Answer, Question, Scene, VERSION, Wish, Wizard as Machine};
use omp_sdk::settings::{Layer, Setting, Settings, find, keys};
use omp_sdk::{LoginRow, ProviderAdded, ProviderPreset, add_provider};
use omp_theme::{Preset, Symbol, Token};
use omp_tui::ui::Id;
use omp_view::message::Level;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::login::{Pending, logins};
use crate::app::{App, Task};
use crate::panels::wizard::{Whole, Wizard};
use crate::run::SetUp;

/// The setting that a scene is about, and that nothing reads yet.
const SEARCH: &str = "providers.webSearch";

/// What is under way of the set-up.
#[derive(Default)]
pub(in crate::app) struct Setup {
    /// A login that is not over.
    pub(in crate::app) login: Option<Pending>,
    /// The lane that lies over everything, while there is one.
    pub(in crate::app) cover: Option<Id>,
    /// Settings on their way to the file.
    pub(in crate::app) saves: JoinSet<()>,
    /// One after the other.
    pub(in crate::app) turn: Arc<Mutex<()>>,
}

impl App {
    /// `/setup`: everything, or the providers.
    pub(in crate::app) fn set_up(&mut self, part: &str) {
        match part {
            "" => self.open_wizard(Scene::ALL.to_vec(), Whole::Yes),
            "providers" => self.open_wizard(vec![Scene::Providers, Scene::Search], Whole::No),
            _ => self.hint(Token::Warning, "Usage: /setup [providers]"),
        }
    }

    /// Shows what of the set-up comes before the first prompt.
    pub(crate) fn begin_set_up(&mut self, set_up: SetUp) {
        let settings = self.session().settings();
        let provided = !self.session().fell_back_to_demo();
        let left = |scene: &Scene| !is_done(*scene, &settings, provided);
        let scenes: Vec<Scene> = match set_up {
            SetUp::Nothing => Vec::new(),
            SetUp::Rest => Scene::ALL.into_iter().filter(left).collect(),
            SetUp::Whole => Scene::ALL.to_vec(),
        };
        if !scenes.is_empty() {
            self.open_wizard(scenes, Whole::Yes);
        }
    }

    /// Is the set-up on the screen? Prompts wait for its end.
    pub(in crate::app) fn is_setting_up(&mut self) -> bool {
        self.panel::<Wizard>().is_some()
    }

    fn open_wizard(&mut self, scenes: Vec<Scene>, whole: Whole) {
        let questions = scenes.into_iter().map(|scene| self.question(scene, &[])).collect();
        self.open_in_front(Wizard { machine: Machine::new(questions), whole });
        self.renew_providers();
    }

    /// Looks again what can be signed in to, and what is.
    pub(in crate::app) fn renew_providers(&mut self) {
        let Some(sign_in) = self.sign_in() else { return };
        self.spawn(async move {
            let rows = tokio::task::spawn_blocking(move || logins(&sign_in)).await.unwrap_or_default();
            Box::new(move |app: &mut Self| {
                let question = app.question(Scene::Providers, &rows);
                if let Some(wizard) = app.panel::<Wizard>() {
                    wizard.machine.update(question);
                }
                app.changed();
            }) as Task
        });
    }

    fn question(&self, scene: Scene, logins: &[(LoginRow, bool)]) -> Question {
        let settings = self.session().settings();
        let mut remark = String::new();
        let current;
        let answers = match scene {
            Scene::Providers => {
                let stored: Vec<&str> =
                    logins.iter().filter(|(_, stored)| *stored).map(|(row, _)| row.id.as_str()).collect();
                current = stored.join(", ");
                let answer = |(row, stored): &(LoginRow, bool)| {
                    let signed = if *stored { ", signed in" } else { "" };
                    Answer::new(&row.id, format!("{}{signed}", row.name))
                };
                logins.iter().map(answer).collect()
            }
            Scene::Search => {
                let setting = find(SEARCH);
                let value = setting.map(|setting| settings.value(setting)).unwrap_or_default();
                current = value.as_str().unwrap_or_default().to_owned();
                if let Some(part) = setting.and_then(|setting| setting.waits_for) {
                    remark = format!("Saved, but {part} isn't available yet");
                }
                let words = setting.map(Setting::choices).unwrap_or_default();
                words.iter().map(|word| Answer::new(*word, "")).collect()
            }
            Scene::Symbols => {
                current = self.surface.theme.theme().preset().name().to_owned();
                Preset::ALL.into_iter().map(|preset| Answer::new(preset.name(), sample(preset))).collect()
            }
            Scene::Theme => {
                current = self.surface.theme.slots().get(self.surface.theme.appearance()).to_owned();
                self.theme_items().into_iter().map(|item| Answer::new(item.name, item.made_for)).collect()
            }
        };
        Question { scene, answers, current, remark }
    }

    /// Does what the wizard wants.
    pub(crate) fn grant_wizard(&mut self, wish: Wish, whole: Whole) {
        match wish {
            Wish::SignIn(id) => self.find_login(id, true),
            Wish::Try(Scene::Symbols, word) => self.try_symbols(Preset::find(&word)),
            Wish::Try(_, name) => self.try_theme(&name),
            Wish::StopTrying => self.stop_trying(),
            Wish::Keep(Scene::Theme, name) => self.keep_theme(&name),
            Wish::Keep(Scene::Symbols, word) => self.change_setting(keys::SYMBOL_PRESET.path(), &word),
            Wish::Keep(_, word) => self.change_setting(SEARCH, &word),
            Wish::Leave => {
                self.hint(Token::Muted, "Run /setup to continue setup at any time");
                self.send_waiting();
            }
            Wish::Finish => {
                if whole == Whole::Yes {
                    self.store_setting(keys::SETUP_VERSION.path(), Value::from(VERSION));
                }
                self.hint(Token::Muted, "Setup complete. See /settings for more options.");
                self.send_waiting();
            }
        }
    }

    /// `/provider add --preset <name>`: describes a provider in the models file.
    pub(in crate::app) fn add_provider(&mut self, arguments: &str) {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let preset = match words.as_slice() {
            ["add", "--preset", name] => ProviderPreset::from_word(name),
            ["add", flag] => flag.strip_prefix("--preset=").and_then(ProviderPreset::from_word),
            _ => None,
        };
        let Some(preset) = preset else {
            self.hint(Token::Warning, "Usage: /provider add --preset minimax|minimax-cn|glm");
            return;
        };
        let directories = self.session().directories().clone();
        self.spawn(async move {
            let added = tokio::task::spawn_blocking(move || add_provider(&directories, preset)).await;
            Box::new(move |app: &mut Self| match added {
                Ok(Ok(added)) => app.say(Level::Info, &described(preset, &added)),
                Ok(Err(error)) => app.complain(&error.to_string()),
                Err(_) => {}
            }) as Task
        });
    }
}

/// Was a scene answered before, here or in another way?
fn is_done(scene: Scene, settings: &Settings, provided: bool) -> bool {
    let set = |path: &str| settings.origin(path) != Layer::Default;
    match scene {
        Scene::Providers => provided,
        Scene::Search => set(SEARCH),
        Scene::Symbols => set(keys::SYMBOL_PRESET.path()),
        Scene::Theme => set(keys::THEME_DARK.path()) || set(keys::THEME_LIGHT.path()),
    }
}

/// A few signs of a preset.
fn sample(preset: Preset) -> String {
    let signs = [
        Symbol::StatusSuccess,
        Symbol::StatusError,
        Symbol::StatusWarning,
        Symbol::IconModel,
        Symbol::IconBranch,
        Symbol::IconFolder,
        Symbol::TreeBranch,
        Symbol::NavCursor,
    ];
    signs.map(|sign| sign.in_preset(preset)).join("  ")
}

fn described(preset: ProviderPreset, added: &ProviderAdded) -> String {
    let (provider, variable) = (preset.provider(), preset.variable());
    match added {
        ProviderAdded::Written(file) => format!(
            "Added provider {provider} to {}. Set {variable} to its API key; new sessions use it.",
            file.display()
        ),
        ProviderAdded::AlreadyThere(file) => {
            format!("{} already has a provider {provider}; left unchanged", file.display())
        }
    }
}
