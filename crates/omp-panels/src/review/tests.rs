use omp_keys::Bindings;
use omp_tui::input::{Code, Key, Modifiers};

use super::*;

const PLAN: &str = "Before.\n# One\na\n## Two\n```\n# no heading\n```\n# Three #\nc\n";

fn review() -> Review {
    let decision = |label: &str, enabled| Decision { label: label.to_owned(), enabled };
    let roles = ["smol", "default"].map(|role| (role.to_owned(), format!("model-of-{role}")));
    Review::new("p", PLAN, vec![decision("Go", true), decision("Keep", false)], roles.to_vec())
}

fn press(review: &mut Review, code: Code) -> ReviewRequest {
    review.key(Key::new(code, Modifiers::NONE), &Bindings::default())
}

#[test]
fn sections_are_cut_at_headings_and_joined_again() {
    let review = review();
    let titles: Vec<&str> = review.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["", "One", "Two", "Three"]);
    assert_eq!(review.text(), PLAN);
}

#[test]
fn sections_are_taken_out_and_come_back() {
    let mut review = review();
    press(&mut review, Code::Up);
    press(&mut review, Code::Char('d'));
    press(&mut review, Code::Char('d'));
    assert_eq!(review.text(), "Before.\n# One\na\n");
    assert!(review.is_changed());
    press(&mut review, Code::Char('u'));
    press(&mut review, Code::Char('u'));
    assert_eq!(review.text(), PLAN);
    for _ in 0..9 {
        press(&mut review, Code::Char('d'));
    }
    assert!(!review.text().is_empty(), "a plan is never empty");
}

#[test]
fn notes_become_words_for_the_model() {
    let mut review = review();
    assert_eq!(review.notes(), None);
    press(&mut review, Code::Up);
    assert_eq!(
        press(&mut review, Code::Char('a')),
        ReviewRequest::Annotate("Three".to_owned(), String::new())
    );
    review.annotate(" shorter \n");
    assert_eq!(review.notes().as_deref(), Some("Change the plan:\n\nThree:\nshorter"));
    review.replace("# Three\nother\n");
    assert!(review.notes().is_some(), "the note stays with its section");
}

#[test]
fn what_cannot_be_decided_now_is_not_decided() {
    let mut review = review();
    assert_eq!(press(&mut review, Code::Enter), ReviewRequest::Decide(0));
    assert_eq!(press(&mut review, Code::Char('2')), ReviewRequest::Stay);
    assert_eq!(press(&mut review, Code::Char('7')), ReviewRequest::Stay);
    assert_eq!(press(&mut review, Code::Escape), ReviewRequest::Leave);
}

#[test]
fn the_role_begins_with_the_default_one() {
    let mut review = review();
    assert_eq!(review.role(), Some("default"));
    press(&mut review, Code::Right);
    assert_eq!(review.role(), Some("smol"));
    press(&mut review, Code::Left);
    assert_eq!(review.role(), Some("default"));
    let alone = Review::new("p", PLAN, Vec::new(), vec![("default".to_owned(), "m".to_owned())]);
    assert_eq!(alone.role(), None);
}
