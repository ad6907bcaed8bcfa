//! The setup: the wizard of the first run, and parts of it on demand.

use std::sync::Arc;

use omp_panels::wizard::{Scene, VERSION, Wizard as Machine, WizardAnswer, WizardQuestion, WizardRequest};
use omp_sdk::settings::{Layer, Setting, Settings, find, keys};
use omp_sdk::{ApprovalMode, LoginRow, NO_SANDBOX, ProviderAdded, ProviderPreset};
use omp_theme::{Preset, Symbol, Token};
use omp_tui::ui::Id;
use omp_view::message::Level;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::login::{Pending, logins};
use crate::app::commands::{login, settings, theme};
use crate::app::panels::Panels;
use crate::app::{App, Task};
use crate::panels::wizard::{Wizard, WizardEnd};
use crate::run::SetUp;

/// The setting that a scene is about. While nothing reads it, nobody is asked about it.
const SEARCH: &str = "providers.webSearch";

/// What is under way of the setup.
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

impl Panels {
    /// Is the setup on the screen? Prompts wait for its end.
    pub(in crate::app) fn is_setting_up(&mut self) -> bool {
        self.panel::<Wizard>().is_some()
    }
}

/// `/setup`: everything, or the providers.
pub(crate) fn set_up(app: &mut App, part: &str) {
    match part {
        "" => open_wizard(app, scenes(), WizardEnd::Yes),
        "providers" => {
            let about_providers = |scene: &Scene| matches!(scene, Scene::Providers | Scene::Search);
            open_wizard(app, scenes().into_iter().filter(about_providers).collect(), WizardEnd::No);
        }
        _ => app.hint(Token::Warning, "Usage: /setup [providers]"),
    }
}

/// The scenes about parts that exist.
fn scenes() -> Vec<Scene> {
    let waits = find(SEARCH).is_some_and(|setting| setting.waits_for.is_some());
    Scene::ALL.into_iter().filter(|scene| !(waits && *scene == Scene::Search)).collect()
}

/// Shows what of the setup comes before the first prompt.
pub(crate) fn begin_set_up(app: &mut App, set_up: SetUp) {
    let settings = app.session().settings();
    let provided = !app.session().models().fell_back_to_demo();
    let left = |scene: &Scene| !is_done(*scene, &settings, provided);
    let scenes: Vec<Scene> = match set_up {
        SetUp::Nothing => Vec::new(),
        SetUp::Rest => scenes().into_iter().filter(left).collect(),
        SetUp::Whole => scenes(),
    };
    if !scenes.is_empty() {
        open_wizard(app, scenes, WizardEnd::Yes);
    }
}

fn open_wizard(app: &mut App, scenes: Vec<Scene>, whole: WizardEnd) {
    let questions = scenes.into_iter().map(|scene| question(app, scene, &[])).collect();
    app.open_in_front(Wizard { machine: Machine::new(questions), whole });
    renew_providers(app);
}

/// Looks again what can be signed in to, and what is.
pub(crate) fn renew_providers(app: &mut App) {
    let Some(sign_in) = login::sign_in(app) else { return };
    app.spawn(async move {
        let rows = tokio::task::spawn_blocking(move || logins(&sign_in)).await.unwrap_or_default();
        Box::new(move |app: &mut App| {
            let question = question(app, Scene::Providers, &rows);
            if let Some(wizard) = app.panels.panel::<Wizard>() {
                wizard.machine.update(question);
            }
            app.surface.changed();
        }) as Task
    });
}

/// What confines commands is known now.
pub(crate) fn renew_approval(app: &mut App) {
    let question = question(app, Scene::Approval, &[]);
    if let Some(wizard) = app.panels.panel::<Wizard>() {
        wizard.machine.update(question);
    }
}

fn question(app: &App, scene: Scene, logins: &[(LoginRow, bool)]) -> WizardQuestion {
    let settings = app.session().settings();
    let mut remark = String::new();
    let current;
    let answers = match scene {
        Scene::Providers => {
            let stored: Vec<&str> =
                logins.iter().filter(|(_, stored)| *stored).map(|(row, _)| row.id.as_str()).collect();
            current = stored.join(", ");
            let answer = |(row, stored): &(LoginRow, bool)| {
                let signed = if *stored { ", signed in" } else { "" };
                let answer = WizardAnswer::new(&row.id, format!("{}{signed}", row.name));
                if row.is_common() || *stored { answer } else { answer.rare() }
            };
            logins.iter().map(answer).collect()
        }
        Scene::Approval => {
            current = app.session().approval_mode().to_owned();
            if app.session().sandbox_rung() == Some(NO_SANDBOX) {
                remark = "No sandbox is available on this system, so auto acts like write".to_owned();
            }
            let answer = |mode: ApprovalMode| WizardAnswer::new(mode.word(), mode.about());
            ApprovalMode::ALL.map(answer).into()
        }
        Scene::Search => {
            let setting = find(SEARCH);
            let value = setting.map(|setting| settings.value(setting)).unwrap_or_default();
            current = value.as_str().unwrap_or_default().to_owned();
            let words = setting.map(Setting::choices).unwrap_or_default();
            words.iter().map(|word| WizardAnswer::new(*word, "")).collect()
        }
        Scene::Symbols => {
            current = app.surface.theme.theme().preset().name().to_owned();
            Preset::ALL.into_iter().map(|preset| WizardAnswer::new(preset.name(), sample(preset))).collect()
        }
        Scene::Theme => {
            current = app.surface.theme.slots().get(app.surface.theme.appearance()).to_owned();
            app.surface
                .theme_items()
                .into_iter()
                .map(|item| WizardAnswer::new(item.name, item.made_for))
                .collect()
        }
    };
    WizardQuestion { scene, answers, current, remark }
}

/// Does what the wizard wants.
pub(crate) fn grant_wizard(app: &mut App, wish: WizardRequest, whole: WizardEnd) {
    match wish {
        WizardRequest::SignIn(id) => login::find_login(app, id, true),
        WizardRequest::Try(Scene::Symbols, word) => theme::try_symbols(app, Preset::find(&word)),
        WizardRequest::Try(_, name) => theme::try_theme(app, &name),
        WizardRequest::StopTrying => theme::stop_trying(app),
        WizardRequest::Keep(Scene::Theme, name) => theme::keep_theme(app, &name),
        WizardRequest::Keep(Scene::Symbols, word) => {
            settings::change_setting(app, keys::SYMBOL_PRESET.path(), &word);
        }
        WizardRequest::Keep(Scene::Approval, word) => {
            settings::change_setting(app, keys::TOOLS_APPROVAL_MODE.path(), &word);
        }
        WizardRequest::Keep(_, word) => settings::change_setting(app, SEARCH, &word),
        WizardRequest::Leave => {
            app.hint(Token::Muted, "Run /setup to continue setup at any time");
            app.send_waiting();
        }
        WizardRequest::Finish => {
            if whole == WizardEnd::Yes {
                settings::store_setting(app, keys::SETUP_VERSION.path(), Value::from(VERSION));
            }
            match app.session().models().fell_back_to_demo() {
                true => app.hint(Token::Warning, "No model is connected yet: /login signs in to a provider"),
                false => app.hint(Token::Muted, "Setup complete. See /settings for more options."),
            }
            app.send_waiting();
        }
    }
}

/// `/provider add --preset <name>`: describes a provider in the models file.
pub(crate) fn add_provider(app: &mut App, arguments: &str) {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let preset = match words.as_slice() {
        ["add", "--preset", name] => ProviderPreset::from_word(name),
        ["add", flag] => flag.strip_prefix("--preset=").and_then(ProviderPreset::from_word),
        _ => None,
    };
    let Some(preset) = preset else {
        app.hint(Token::Warning, "Usage: /provider add --preset minimax|minimax-cn|glm");
        return;
    };
    let directories = app.session().directories().clone();
    app.spawn(async move {
        let added = tokio::task::spawn_blocking(move || omp_sdk::add_provider(&directories, preset)).await;
        Box::new(move |app: &mut App| match added {
            Ok(Ok(added)) => app.say(Level::Info, &described(preset, &added)),
            Ok(Err(error)) => app.complain(&error.to_string()),
            Err(_) => {}
        }) as Task
    });
}

/// Was a scene answered before, here or in another way?
fn is_done(scene: Scene, settings: &Settings, provided: bool) -> bool {
    let set = |path: &str| settings.origin(path) != Layer::Default;
    match scene {
        Scene::Providers => provided,
        Scene::Approval => set(keys::TOOLS_APPROVAL_MODE.path()),
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
