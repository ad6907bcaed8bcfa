//! The tree, as somebody at the keyboard has it.

use omp_keys::Bindings;
use omp_theme::{Adjustments, Preset, Theme};
use omp_tui::input::{Code, Key, Modifiers};
use omp_tui::render::Size;
use omp_view::Look;

use super::{Filter, Navigator, TreeRequest, TreeRow, Voice};

fn row(depth: usize, name: &str) -> TreeRow {
    let (active, name) = name.strip_prefix('*').map_or((false, name), |name| (true, name));
    TreeRow {
        id: name.to_owned(),
        voice: Voice::User,
        who: "user".to_owned(),
        text: name.to_owned(),
        label: None,
        depth,
        active,
    }
}

/// A chain that branches twice.
fn rows() -> Vec<TreeRow> {
    [
        (0, "*start"),
        (1, "*plan"),
        (2, "*try a"),
        (3, "*more of a"),
        (4, "*one end"),
        (4, "another end"),
        (2, "try b"),
        (3, "more of b"),
    ]
    .map(|(depth, name)| row(depth, name))
    .into()
}

fn navigator(rows: Vec<TreeRow>) -> Navigator {
    let mut navigator = Navigator::new(&Bindings::default());
    navigator.set_rows(rows);
    navigator
}

fn look(width: usize) -> Look {
    Look::new(Theme::built_in("titanium").unwrap(), width)
}

fn texts_at(navigator: &mut Navigator, look: &Look, height: usize) -> Vec<String> {
    let drawn = navigator.draw(look, Size { width: look.width, height });
    assert!(drawn.rows.iter().all(|row| row.width() <= look.width));
    drawn.rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

/// The rows of the tree alone.
fn tree(navigator: &mut Navigator) -> Vec<String> {
    let texts = texts_at(navigator, &look(100), 40);
    texts[2..].iter().take_while(|row| !row.contains("Enter")).cloned().collect()
}

fn press(navigator: &mut Navigator, code: Code, modifiers: Modifiers) -> Option<TreeRequest> {
    navigator.key(Key::new(code, modifiers), &Bindings::default())
}

fn plain(navigator: &mut Navigator, code: Code) -> Option<TreeRequest> {
    press(navigator, code, Modifiers::NONE)
}

#[test]
fn branches_are_indented_and_the_way_is_marked() {
    let mut navigator = navigator(rows());
    assert_eq!(
        tree(&mut navigator),
        [
            "  • user: start",
            "  • user: plan",
            "  ├─ • user: try a",
            "  │  • user: more of a",
            "❯ │  ├─ • user: one end",
            "  │  └─ user: another end",
            "  └─ user: try b",
            "     user: more of b",
        ]
    );
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("one end".to_owned())));
}

#[test]
fn several_roots_hang_below_one_that_is_none() {
    let mut navigator = navigator(vec![row(0, "*first"), row(1, "*answer"), row(0, "orphan")]);
    let shown = tree(&mut navigator);
    assert_eq!(shown, ["  (beginning)", "  ├─ • user: first", "❯ │  • user: answer", "  └─ user: orphan"]);
}

#[test]
fn the_page_is_half_the_screen_around_the_cursor() {
    let mut navigator = navigator((0..100).map(|number| row(number, &format!("{number}"))).collect());
    for _ in 0..50 {
        plain(&mut navigator, Code::Down);
    }
    let look = look(80);
    for (height, page) in [(30, 15), (12, 6), (4, 5), (25, 12)] {
        let texts = texts_at(&mut navigator, &look, height);
        let places: Vec<usize> =
            texts.iter().filter_map(|row| row.split_once("user: ")?.1.parse().ok()).collect();
        assert_eq!(places.len(), page, "{texts:?}");
        assert_eq!(places[page / 2], 50, "{texts:?}");
    }
    plain(&mut navigator, Code::Right);
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("62".to_owned())), "a page of 12");
    plain(&mut navigator, Code::Left);
    plain(&mut navigator, Code::Up);
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("49".to_owned())));
}

#[test]
fn the_cursor_goes_round() {
    let mut navigator = navigator(rows());
    for _ in 0..3 {
        plain(&mut navigator, Code::Down);
    }
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("more of b".to_owned())));
    plain(&mut navigator, Code::Down);
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("start".to_owned())));
    plain(&mut navigator, Code::Up);
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("more of b".to_owned())));
}

#[test]
fn typing_searches_and_escape_takes_that_back_first() {
    let mut navigator = navigator(rows());
    let wish = plain(&mut navigator, Code::Char('b'));
    assert_eq!(wish, Some(TreeRequest::Rows(Filter::Default, "b".to_owned())));
    navigator.set_rows(vec![row(0, "try b"), row(1, "more of b")]);
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("try b".to_owned())));
    plain(&mut navigator, Code::Char('x'));
    let wish = plain(&mut navigator, Code::Backspace);
    assert_eq!(wish, Some(TreeRequest::Rows(Filter::Default, "b".to_owned())));
    assert_eq!(plain(&mut navigator, Code::Escape), Some(TreeRequest::Rows(Filter::Default, String::new())));
    assert_eq!(plain(&mut navigator, Code::Escape), Some(TreeRequest::Close));
    plain(&mut navigator, Code::Char('b'));
    assert_eq!(press(&mut navigator, Code::Char('c'), Modifiers::CTRL), Some(TreeRequest::Close));
}

#[test]
fn filters_follow_each_other_and_are_named() {
    let mut navigator = navigator(rows());
    let mut filter = |code: char, modifiers| match press(&mut navigator, Code::Char(code), modifiers) {
        Some(TreeRequest::Rows(filter, _)) => filter.word(),
        other => panic!("{other:?}"),
    };
    let (ctrl, back) = (Modifiers::CTRL, Modifiers::CTRL | Modifiers::SHIFT);
    let forward: Vec<&str> = (0..5).map(|_| filter('o', ctrl)).collect();
    assert_eq!(forward, ["no-tools", "user-only", "labeled-only", "all", "default"]);
    assert_eq!([filter('o', back), filter('o', back)], ["all", "labeled-only"]);
    let named = ['d', 't', 'u', 'l', 'a'].map(|letter| filter(letter, Modifiers::ALT));
    assert_eq!(named, ["default", "no-tools", "user-only", "labeled-only", "all"]);
    assert!(texts_at(&mut navigator, &look(80), 30)[0].contains("· all"));
}

#[test]
fn labels_are_typed_in_place() {
    let mut rows = rows();
    rows[4].label = Some("old".to_owned());
    let mut navigator = navigator(rows);
    assert_eq!(tree(&mut navigator)[4], "❯ │  ├─ • [old] user: one end");
    press(&mut navigator, Code::Char('l'), Modifiers::SHIFT);
    assert_eq!(texts_at(&mut navigator, &look(80), 30)[1], "✎ Label: old");
    press(&mut navigator, Code::Char('w'), Modifiers::CTRL);
    for letter in "new".chars() {
        plain(&mut navigator, Code::Char(letter));
    }
    let wish = plain(&mut navigator, Code::Enter);
    assert_eq!(wish, Some(TreeRequest::Label("one end".to_owned(), "new".to_owned())));
    press(&mut navigator, Code::Char('l'), Modifiers::SHIFT);
    assert_eq!(plain(&mut navigator, Code::Escape), None, "the label is left, not the tree");
}

#[test]
fn branches_fold() {
    let mut navigator = navigator(rows());
    navigator.select("try a");
    press(&mut navigator, Code::Left, Modifiers::CTRL);
    assert_eq!(
        tree(&mut navigator)[2..],
        ["❯ ├─ ▸ • user: (+3) try a", "  └─ user: try b", "     user: more of b"].map(str::to_owned)
    );
    // Folded already, so up.
    press(&mut navigator, Code::Left, Modifiers::ALT);
    assert_eq!(plain(&mut navigator, Code::Enter), Some(TreeRequest::Go("start".to_owned())));
    press(&mut navigator, Code::Right, Modifiers::CTRL);
    assert_eq!(
        plain(&mut navigator, Code::Enter),
        Some(TreeRequest::Go("try a".to_owned())),
        "the next branch"
    );
    press(&mut navigator, Code::Right, Modifiers::ALT);
    assert_eq!(tree(&mut navigator).len(), 8);
}

#[test]
fn deep_trees_fit_and_ascii_is_enough() {
    let mut rows = Vec::new();
    for depth in 0..60 {
        rows.extend([row(depth, &format!("*a{depth}")), row(depth + 1, &format!("b{depth}"))]);
    }
    let theme = Theme::built_in("titanium").unwrap();
    let theme =
        (*theme).clone().adjusted(Adjustments { symbols: Some(Preset::Ascii), ..Adjustments::default() });
    let mut navigator = navigator(rows);
    for width in [1, 10, 40, 200] {
        let texts = texts_at(&mut navigator, &Look::new(theme.clone().into(), width), 30);
        assert!(texts.iter().all(|row| row.is_ascii()), "{texts:?}");
    }
}
