//! Keys in, rows and wishes out.

use omp_keys::Bindings;
use omp_tui::input::{Code, Key};

use super::{Canonical, ModelItem, ModelOffer, ModelsPanel, ModelsRequest, Purpose, Role};
use crate::Machine;
use crate::testing::{assert_fits, letters, look, plain, size, text};

fn item(selector: &str, levels: &[&str]) -> ModelItem {
    let provider = selector.split_once('/').map_or("", |(provider, _)| provider).to_owned();
    let levels = levels.iter().map(|level| (*level).to_owned()).collect();
    ModelItem { selector: selector.to_owned(), provider, facts: "200k".to_owned(), levels }
}

fn offer() -> ModelOffer {
    let variants = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
    ModelOffer {
        items: vec![item("one/large", &["low", "high"]), item("one/small", &[]), item("two/large", &["low"])],
        canonical: vec![
            Canonical { id: "large".to_owned(), variants: variants(&["one/large", "two/large"]) },
            Canonical { id: "small".to_owned(), variants: variants(&["one/small"]) },
        ],
        scope: Vec::new(),
        roles: vec![
            Role { name: "default".to_owned(), model: "one/small".to_owned() },
            Role { name: "slow".to_owned(), model: "one/large:high".to_owned() },
        ],
        current: "one/small".to_owned(),
        note: None,
    }
}

/// What a change costs is said before it, in the list and in the questions after it.
#[test]
fn the_cost_of_a_change_is_said_first() {
    let note = "one/small has 41000 tokens of this conversation in its cache".to_owned();
    let mut panel = ModelsPanel::new(ModelOffer { note: Some(note.clone()), ..offer() }, Purpose::Roles);
    assert!(shown(&mut panel).contains(&note));
    press(&mut panel, &[plain(Code::Tab)]);
    assert!(shown(&mut panel).contains(&note));
    assert_fits(|look, size| panel.draw(look, size));
}

fn press(panel: &mut ModelsPanel, keys: &[Key]) -> Option<ModelsRequest> {
    keys.iter().filter_map(|key| panel.key(*key, &Bindings::default())).last()
}

fn shown(panel: &mut ModelsPanel) -> String {
    text(&panel.draw(&look(100), size(100, 40)))
}

fn assigned(role: &str, selector: &str) -> Option<ModelsRequest> {
    Some(ModelsRequest::Assign { role: role.to_owned(), selector: selector.to_owned() })
}

#[test]
fn offers_and_models_are_chosen_as_they_are_written() {
    let mut panel = ModelsPanel::new(offer(), Purpose::Roles);
    let all = shown(&mut panel);
    assert!(
        all.starts_with("Choose a model") && all.lines().nth(1).is_some_and(|row| row.contains("Canonical")),
        "{all}"
    );
    assert!(all.contains("one/small") && all.contains("[default]") && all.contains("[slow:high]"), "{all}");
    assert_eq!(press(&mut panel, &[plain(Code::Enter)]), assigned("default", "one/small"), "the current one");
    press(&mut panel, &[plain(Code::Right)]);
    let canonical = shown(&mut panel);
    assert!(canonical.contains("one/large and 1 more"), "{canonical}");
    assert_eq!(press(&mut panel, &[plain(Code::Up), plain(Code::Enter)]), assigned("default", "large"));
    press(&mut panel, &[plain(Code::Right), plain(Code::Right)]);
    let provider = shown(&mut panel);
    assert!(provider.contains("❯ large") && !provider.contains("small"), "{provider}");
    assert_eq!(press(&mut panel, &[plain(Code::Enter)]), assigned("default", "two/large"));
}

#[test]
fn a_role_is_given_a_model_and_a_level() {
    let mut panel = ModelsPanel::new(offer(), Purpose::Roles);
    press(&mut panel, &letters("onelarge"));
    press(&mut panel, &[plain(Code::Tab)]);
    assert!(shown(&mut panel).contains("Use one/large for which role?"));
    press(&mut panel, &[plain(Code::Down), plain(Code::Enter)]);
    assert!(shown(&mut panel).contains("default"));
    let chosen = press(&mut panel, &[plain(Code::Down), plain(Code::Enter)]);
    assert_eq!(chosen, assigned("slow", "one/large:low"));
    // What does not think is not asked how hard.
    let mut panel = ModelsPanel::new(offer(), Purpose::Roles);
    let chosen = press(&mut panel, &[plain(Code::Tab), plain(Code::Down), plain(Code::Enter)]);
    assert_eq!(chosen, assigned("slow", "one/small"));
}

#[test]
fn a_choice_for_the_session_has_no_role() {
    let mut panel = ModelsPanel::new(offer(), Purpose::Once);
    press(&mut panel, &[plain(Code::Tab)]);
    assert_eq!(press(&mut panel, &[plain(Code::Enter)]), Some(ModelsRequest::Use("one/small".to_owned())));
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(ModelsRequest::Close));
}

#[test]
fn a_scope_is_shown_first() {
    let offer = ModelOffer { scope: vec!["two/large".to_owned()], ..offer() };
    let mut panel = ModelsPanel::new(offer, Purpose::Roles);
    let scope = shown(&mut panel);
    assert!(scope.contains("two/large") && !scope.contains("one/small"), "{scope}");
}

#[test]
fn it_fits_every_screen() {
    let mut panel = ModelsPanel::new(offer(), Purpose::Roles);
    assert_fits(|look, size| panel.draw(look, size));
}
