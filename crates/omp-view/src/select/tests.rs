//! Choosing, as a user does it.

use omp_theme::{Adjustments, Preset, Theme};
use omp_tui::text::Line;

use super::numbered::{Count, answer, ask};
use super::{Choice, Outcome, Selector, Step};
use crate::Look;

fn look(width: usize) -> Look {
    Look::new(Theme::built_in("titanium").unwrap(), width)
}

fn fruits() -> Vec<Choice> {
    let names = ["apple", "apricot", "banana", "blackberry", "cherry", "date", "elderberry", "fig", "grape"];
    names.into_iter().map(Choice::new).collect()
}

fn texts(selector: &Selector, width: usize) -> Vec<String> {
    selector.draw(&look(width)).iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn type_in(selector: &mut Selector, text: &str) -> Outcome {
    selector.step(Step::Text(text.to_owned()))
}

#[test]
fn a_list_is_gone_through_by_row_and_page() {
    let mut list = Selector::new("Fruit", fruits()).rows(4);
    assert_eq!(
        texts(&list, 30),
        ["Fruit  9", "⌕ type to search", "❯ apple", "  apricot", "  banana", "  blackberry", "  ↓ 5 more"]
    );
    assert_eq!(list.step(Step::Up), Outcome::Moved(Some(8)));
    assert_eq!(
        texts(&list, 30)[2..],
        ["  date", "  elderberry", "  fig", "❯ grape", "  ↑ 5 more"].map(str::to_owned)
    );
    assert_eq!(list.step(Step::Down), Outcome::Moved(Some(0)));
    assert_eq!(list.step(Step::PageDown), Outcome::Moved(Some(4)));
    assert_eq!(
        texts(&list, 30)[2..],
        ["  apricot", "  banana", "  blackberry", "❯ cherry", "  ↑ 1  ↓ 4 more"].map(str::to_owned)
    );
    assert_eq!(list.step(Step::Last), Outcome::Moved(Some(8)));
    assert_eq!(list.step(Step::PageDown), Outcome::Nothing);
    assert_eq!(list.step(Step::PageUp), Outcome::Moved(Some(4)));
    assert_eq!(list.step(Step::First), Outcome::Moved(Some(0)));
    assert_eq!(list.step(Step::Toggle), Outcome::Nothing);
    assert_eq!(list.step(Step::Confirm), Outcome::Chosen(vec![0]));
    assert_eq!(list.step(Step::Cancel), Outcome::Cancelled);
    assert_eq!(Selector::new("", fruits()).rows(3).at(7).current(), Some(7));
}

/// A question is read whole, and so is what its answers mean; a search is shown once it is one.
#[test]
fn a_question_is_read_whole() {
    let answers = vec![
        Choice::new("SQLite").detail("One file, nothing to run, good for tests"),
        Choice::new("PostgreSQL").detail("A server"),
    ];
    let mut list = Selector::new("Which database is it to be?", answers).question();
    assert_eq!(
        texts(&list, 24),
        [
            "Which database is it to",
            "be?",
            "❯ SQLite",
            "    One file, nothing to",
            "    run, good for tests",
            "  PostgreSQL",
            "    A server"
        ]
    );
    assert_eq!(
        texts(&list, 80)[1..],
        ["❯ SQLite      One file, nothing to run, good for tests", "  PostgreSQL  A server"]
    );
    type_in(&mut list, "pos");
    assert_eq!(texts(&list, 80)[1..], ["⌕ pos", "❯ PostgreSQL  A server"]);
    list.step(Step::Cancel);
    assert!(list.draw_within(&look(24), 6).len() <= 6);
}

#[test]
fn typing_finds_and_taking_back_returns() {
    let mut list = Selector::new("Fruit", fruits()).at(2);
    assert_eq!(type_in(&mut list, "bry"), Outcome::Moved(Some(3)));
    assert_eq!(texts(&list, 30), ["Fruit  2 of 9", "⌕ bry", "❯ blackberry", "  elderberry"]);
    assert_eq!(list.step(Step::Down), Outcome::Moved(Some(6)));
    assert_eq!(list.step(Step::Confirm), Outcome::Chosen(vec![6]));
    assert_eq!(type_in(&mut list, "zzz"), Outcome::Moved(None));
    assert_eq!(texts(&list, 30)[2], "  No matches");
    for step in [Step::Up, Step::Down, Step::PageUp, Step::PageDown, Step::Last, Step::Toggle, Step::Confirm]
    {
        assert_eq!(list.step(step), Outcome::Nothing);
    }
    for _ in 0..3 {
        list.step(Step::Backspace);
    }
    assert_eq!(list.query(), "bry");
    // The first cancel clears what was typed; the option found with it stays.
    list.step(Step::Down);
    assert_eq!(list.step(Step::Cancel), Outcome::Changed);
    assert_eq!((list.query(), list.current()), ("", Some(6)));
    assert_eq!(list.step(Step::Backspace), Outcome::Nothing);
    type_in(&mut list, "one two");
    list.step(Step::BackspaceWord);
    assert_eq!(list.query(), "one ");
    list.step(Step::BackspaceWord);
    assert_eq!(list.query(), "");
    type_in(&mut list, &format!("a\nb\x1b\t{}", "x".repeat(1000)));
    assert!(list.query().starts_with("a b x") && list.query().len() <= 200, "{:?}", list.query());
}

#[test]
fn names_go_before_remarks_and_keywords_count() {
    let choices = vec![
        Choice::new("one").detail("like theme"),
        Choice::new("theme"),
        Choice::new("two").keywords("colours"),
    ];
    let mut list = Selector::new("", choices);
    type_in(&mut list, "theme");
    assert_eq!(list.found.iter().map(|found| found.choice).collect::<Vec<_>>(), [1, 0]);
    list.step(Step::Clear);
    assert_eq!(type_in(&mut list, "colours"), Outcome::Moved(Some(2)));
}

#[test]
fn several_can_be_marked() {
    let mut list = Selector::new("Fruit", fruits()).several([1, 99]).rows(3).hint("Space marks");
    assert_eq!(
        texts(&list, 40),
        [
            "Fruit  9 · 1 chosen",
            "⌕ type to search",
            "❯ □ apple",
            "  ■ apricot",
            "  □ banana",
            "  ↓ 6 more",
            "  Space marks"
        ]
    );
    type_in(&mut list, "fig");
    assert_eq!(list.step(Step::Toggle), Outcome::Changed);
    list.step(Step::Clear);
    list.step(Step::First);
    list.step(Step::Toggle);
    list.step(Step::Toggle);
    assert_eq!(list.marked(), [1, 7]);
    assert_eq!(list.step(Step::Confirm), Outcome::Chosen(vec![1, 7]));
}

#[test]
fn what_is_refused_is_seen_and_not_chosen() {
    let choices = vec![Choice::new("a").refused("no key"), Choice::new("b").detail("fine")];
    let mut list = Selector::new("Models", choices.clone());
    assert_eq!(texts(&list, 30)[2..], ["❯ a  no key", "  b  fine"].map(str::to_owned));
    assert_eq!(list.step(Step::Confirm), Outcome::Nothing);
    assert_eq!(Selector::new("Models", choices).several([]).step(Step::Toggle), Outcome::Nothing);
}

#[test]
fn headings_stand_over_their_options_until_something_is_typed() {
    let choices = vec![
        Choice::new("dark").group("Built in"),
        Choice::new("light").group("Built in"),
        Choice::new("mine").group("Yours"),
    ];
    let mut list = Selector::new("Theme", choices);
    assert_eq!(
        texts(&list, 30)[2..],
        ["  Built in", "❯ dark", "  light", "  Yours", "  mine"].map(str::to_owned)
    );
    type_in(&mut list, "i");
    assert!(!texts(&list, 30).contains(&"  Built in".to_owned()));
}

#[test]
fn options_that_come_in_later_keep_the_place() {
    let mut list = Selector::new("Fruit", fruits()).several([0, 4]).at(4);
    let mut more = vec![Choice::new("aaa")];
    more.extend(fruits());
    list.replace(more);
    assert_eq!((list.current(), list.marked()), (Some(5), vec![1, 5]));
    list.replace(vec![Choice::new("only")]);
    assert_eq!((list.current(), list.marked()), (Some(0), vec![]));
    list.replace(Vec::new());
    assert_eq!(list.current(), None);
}

#[test]
fn no_row_is_wider_than_the_screen_and_ascii_is_ascii() {
    let choices = vec![
        Choice::new("日本語のとても長い名前の選択肢").detail("x\x1b[2Jy"),
        Choice::new("a".repeat(300)).detail("d".repeat(300)).group("g".repeat(99)),
    ];
    let mut list = Selector::new("t".repeat(99), choices).several([0]).hint("h".repeat(99));
    type_in(&mut list, "a");
    for width in 1..60 {
        for row in list.draw(&look(width)) {
            assert!(row.width() <= width, "{width}: {:?}", row.text());
            assert!(!row.text().chars().any(char::is_control));
        }
    }
    let ascii = Theme::clone(&Theme::built_in("dark").unwrap())
        .adjusted(Adjustments { symbols: Some(Preset::Ascii), ..Adjustments::default() });
    let look = Look::new(ascii.into(), 40);
    let rows = Selector::new("Fruit", fruits()).several([1]).rows(3).draw(&look);
    assert!(rows.iter().map(Line::text).all(|text| text.is_ascii()), "{rows:?}");
}

#[test]
fn questions_can_be_asked_in_lines() {
    let choices = vec![
        Choice::new("Yes").detail("go on"),
        Choice::new("No"),
        Choice::new("Not now").refused("too late"),
        Choice::new("7"),
    ];
    let asked = ask("Sure?", &choices, Count::One);
    assert_eq!(asked, "Sure?\n  1. Yes - go on\n  2. No\n  3. Not now - too late\n  4. 7\nNumber or name: ");
    let one = |text: &str| answer(text, &choices, Count::One);
    assert_eq!(one("2"), Ok(vec![1]));
    assert_eq!(one(" yes "), Ok(vec![0]));
    assert_eq!(one("y"), Ok(vec![0]));
    assert_eq!(one("no"), Ok(vec![1]));
    assert_eq!(one("7"), Ok(vec![3]));
    for (text, said) in [
        ("", "choose one"),
        ("1,2", "only one"),
        ("9", "no option 9: choose from 1 to 4"),
        ("0", "no option 0"),
        ("n", "several options begin"),
        ("maybe", "no option named"),
        ("3", "Not now cannot be chosen: too late"),
    ] {
        assert!(one(text).unwrap_err().contains(said), "{text}: {:?}", one(text));
    }
    let several = |text: &str| answer(text, &fruits(), Count::Several);
    assert_eq!(several("2-4, 9,fig,2"), Ok(vec![1, 2, 3, 7, 8]));
    assert_eq!(several(""), Ok(vec![]));
    assert!(several("4-2").is_err());
}

/// A long name takes room from its own remark, not from those of the others.
#[test]
fn a_long_label_moves_no_other_detail() {
    let long = "a name that is much longer than all of the others together";
    let choices = vec![
        Choice::new("one").detail("first"),
        Choice::new(long).detail("second"),
        Choice::new("three").detail("third"),
    ];
    let list = Selector::new("Names", choices);
    assert_eq!(
        texts(&list, 50)[2..],
        ["❯ one    first", "  a name that is much longer than…  second", "  three  third"]
    );
    assert_eq!(texts(&list, 100)[3], format!("  {long}  second"));
    let plain = Selector::new("Names", vec![Choice::new(long)]);
    assert_eq!(texts(&plain, 30)[2], "❯ a name that is much longer …");
}

/// A short list of the usual, and everything else by searching or by asking for all of it.
#[test]
fn what_is_rare_is_found_by_searching_or_shown_on_demand() {
    let choices = || {
        let rare = ["groq", "mistral"].map(|name| Choice::new(name).on_search());
        let more = Choice::all_options("2 more");
        std::iter::once(Choice::new("openai")).chain(rare).chain([more]).collect::<Vec<_>>()
    };
    let labels = |list: &Selector| -> Vec<String> {
        list.found.iter().map(|found| list.choices[found.choice].label.clone()).collect()
    };
    let mut list = Selector::new("Provider", choices());
    assert_eq!(labels(&list), ["openai", "2 more"]);
    list.step(Step::Text("mis".to_owned()));
    assert_eq!(labels(&list), ["mistral"]);
    assert_eq!(list.step(Step::Confirm), Outcome::Chosen(vec![2]));
    list.step(Step::Clear);
    assert_eq!(labels(&list), ["openai", "2 more"]);
    list.step(Step::Last);
    assert_eq!(list.step(Step::Confirm), Outcome::Moved(Some(1)), "the first that was left out");
    assert_eq!(labels(&list), ["openai", "groq", "mistral"]);
}
