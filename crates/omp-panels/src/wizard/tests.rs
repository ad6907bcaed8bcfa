//! Keys in, rows and wishes out.

use omp_keys::Bindings;
use omp_tui::input::{Code, Key};

use super::{Scene, Wizard, WizardAnswer, WizardQuestion, WizardRequest};
use crate::testing::{assert_fits, letters, look, plain, size, text};

fn question(scene: Scene, answers: &[&str], current: &str) -> WizardQuestion {
    let answers = answers.iter().map(|answer| WizardAnswer::new(*answer, "")).collect();
    WizardQuestion { scene, answers, current: current.to_owned(), remark: String::new() }
}

fn wizard() -> Wizard {
    Wizard::new(vec![
        question(Scene::Providers, &["anthropic", "groq"], ""),
        question(Scene::Search, &["auto", "brave"], "auto"),
        question(Scene::Symbols, &["unicode", "nerd", "ascii"], "unicode"),
        question(Scene::Theme, &["dark", "titanium"], "titanium"),
    ])
}

fn press(wizard: &mut Wizard, keys: &[Key]) -> Vec<WizardRequest> {
    keys.iter().flat_map(|key| wizard.key(*key, &Bindings::default())).collect()
}

fn shown(wizard: &mut Wizard) -> String {
    text(&wizard.draw(&look(80), size(80, 24)))
}

#[test]
fn scenes_follow_each_other_and_are_kept_one_by_one() {
    let (enter, down) = (plain(Code::Enter), plain(Code::Down));
    let mut wizard = wizard();
    assert!(shown(&mut wizard).contains("1 of 4"));
    assert_eq!(press(&mut wizard, &[down, enter]), [WizardRequest::SignIn("anthropic".to_owned())]);
    wizard.update(question(Scene::Providers, &["anthropic", "groq"], "anthropic"));
    assert!(shown(&mut wizard).contains("signed in to anthropic"), "{}", shown(&mut wizard));
    press(&mut wizard, &[plain(Code::Home)]);
    assert_eq!(press(&mut wizard, &[enter]), []);
    assert_eq!(press(&mut wizard, &[enter]), [WizardRequest::Keep(Scene::Search, "auto".to_owned())]);
    let tried = press(&mut wizard, &[plain(Code::End)]);
    assert_eq!(tried, [WizardRequest::Try(Scene::Symbols, "ascii".to_owned())]);
    assert_eq!(press(&mut wizard, &[enter]), [WizardRequest::Keep(Scene::Symbols, "ascii".to_owned())]);
    let last = press(&mut wizard, &[enter]);
    assert_eq!(last, [WizardRequest::Keep(Scene::Theme, "titanium".to_owned()), WizardRequest::Finish]);
}

/// Escape leaves from every scene; what was tried out is undone.
#[test]
fn every_scene_can_be_left() {
    for scenes in 0..4 {
        let mut wizard = wizard();
        press(&mut wizard, &vec![plain(Code::Enter); scenes]);
        let left = press(&mut wizard, &[plain(Code::Escape)]);
        assert_eq!(left.last(), Some(&WizardRequest::Leave));
        assert_eq!(left.len(), if scenes < 2 { 1 } else { 2 });
    }
}

#[test]
fn one_can_go_back() {
    let mut wizard = wizard();
    press(&mut wizard, &[plain(Code::Left)]);
    assert_eq!(wizard.scene(), Some(Scene::Providers));
    press(&mut wizard, &[plain(Code::Enter), plain(Code::Left)]);
    assert_eq!(wizard.scene(), Some(Scene::Providers));
    press(&mut wizard, &letters("groq"));
    assert_eq!(press(&mut wizard, &[plain(Code::Enter)]), [WizardRequest::SignIn("groq".to_owned())]);
}

#[test]
fn it_takes_the_whole_screen() {
    let mut wizard = wizard();
    assert_eq!(wizard.draw(&look(80), size(80, 24)).rows.len(), 24);
    assert_fits(|look, size| wizard.draw(look, size));
}
