//! Choosing a model and how hard it thinks.

use omp_panels::models::{Canonical, ModelItem, ModelOffer, ModelsPanel, Purpose, Role};
use omp_sdk::settings::keys;
use omp_sdk::{CacheAtStake, Direction, ModelChoice, Session, role_names};
use omp_theme::Token;
use omp_types::ThinkingLevel;
use omp_view::message::Level;

use super::model_change::{Change, DEFAULT};
use crate::app::commands::model_change;
use crate::app::{App, Task};
use crate::panels::covering::Covering;
use crate::panels::opening::Opening;

/// `/model`: the choice is kept.
pub(crate) fn choose_model(app: &mut App, wanted: &str) {
    match wanted {
        "" => open_models(app, Purpose::Roles),
        wanted => assign_model(app, DEFAULT.to_owned(), wanted.to_owned()),
    }
}

/// `/switch`: the choice is for this session.
pub(crate) fn switch_model(app: &mut App, wanted: &str) {
    match wanted {
        "" => open_models(app, Purpose::Once),
        wanted => use_model(app, wanted.to_owned()),
    }
}

fn open_models(app: &mut App, purpose: Purpose) {
    app.open_soon("Choose a model");
    let session = app.session();
    app.spawn(async move {
        // Keys may be printed by commands, and credentials lie in a database.
        let offer = tokio::task::spawn_blocking(move || offer(&session)).await;
        Box::new(move |app: &mut App| match offer {
            Ok(offer) if !offer.items.is_empty() => app.opened(Covering(ModelsPanel::new(offer, purpose))),
            _ => {
                app.close::<Opening>();
                let text = "no other model is available: sign in with /login or set a provider's API key";
                app.hint(Token::Warning, text);
            }
        }) as Task
    });
}

/// Lets a model answer in this session.
pub(crate) fn use_model(app: &mut App, selector: String) {
    model_change::change(app, Change::Use(selector));
}

/// Gives a role a model.
pub(crate) fn assign_model(app: &mut App, role: String, selector: String) {
    model_change::change(app, Change::Assign { role, selector });
}

pub(crate) fn cycle_model(app: &mut App, direction: Direction) {
    model_change::change(app, Change::Cycle(direction));
}

/// Says which models this run is limited to, if it is.
pub(crate) fn tell_scope(app: &mut App) {
    let session = app.session();
    let scope = session.models().scope();
    if scope.is_empty() || session.settings().get(keys::STARTUP_QUIET) {
        return;
    }
    let name = |model: &omp_sdk::ScopedModel| match model.thinking {
        Some(level) => format!("{}:{}", model.selector, level.name()),
        None => model.selector.clone(),
    };
    let names: Vec<String> = scope.iter().map(name).collect();
    app.say(Level::Info, &format!("Model scope: {}", names.join(", ")));
}

pub(crate) fn cycle_thinking(app: &mut App) {
    let session = app.session();
    let levels = session.models().thinking_levels();
    let at = levels.iter().position(|level| *level == app.status.thinking).map_or(0, |at| at + 1);
    let next = levels.get(at % levels.len().max(1)).copied().unwrap_or(ThinkingLevel::Off);
    if levels.len() < 2 {
        app.hint(Token::Muted, "This model has no thinking levels");
        return;
    }
    app.status.thinking = next;
    app.hint(Token::Muted, format!("Thinking: {}", next.name()));
    model_change::change(app, Change::Think(next));
}

/// Everything that a person could choose in a session.
fn offer(session: &Session) -> ModelOffer {
    let settings = session.settings();
    let given = settings.get(keys::MODEL_ROLES);
    let role = |name: String| {
        let model = given.get(&name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        Role { name, model }
    };
    let canonical = session.models().canonical_choices().into_iter();
    ModelOffer {
        items: session.models().choices().iter().map(item).collect(),
        canonical: canonical.map(|model| Canonical { id: model.id, variants: model.variants }).collect(),
        scope: session.models().scope().into_iter().map(|model| model.selector).collect(),
        roles: role_names(&settings).into_iter().map(role).collect(),
        current: session.model_selector(),
        note: session.prompt_cache().at_stake().map(|stake| {
            let CacheAtStake { model, tokens } = stake;
            format!("{model} has {tokens} tokens of this conversation cached; switching models re-sends them")
        }),
    }
}

fn item(choice: &ModelChoice) -> ModelItem {
    let provider = choice.selector.split_once('/').map_or("", |(provider, _)| provider).to_owned();
    let thinks = if choice.reasoning { ", reasoning" } else { "" };
    let window = match choice.context_window / 1000 {
        0 => String::new(),
        thousands @ 1..1000 => format!("{thousands}k"),
        thousands => format!("{:.1}M", thousands as f64 / 1000.0).replace(".0M", "M"),
    };
    ModelItem {
        selector: choice.selector.clone(),
        provider,
        facts: format!("{} ({window}{thinks})", choice.name),
        levels: choice.levels.iter().map(|level| level.name().to_owned()).collect(),
    }
}
