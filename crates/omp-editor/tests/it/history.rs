//! Earlier prompts.

use std::sync::Arc;

use omp_editor::{Command, Editor, Glyphs, HistorySearch, Motion, Outcome, SearchOutcome, Styles};

use crate::support::{draw, editor, fill, shown, styles, to, typed};

fn with_prompts(marked: &str) -> Editor {
    let mut editor = editor(marked);
    let prompts: Vec<Arc<str>> = ["newest", "older\nwith two lines", "/oldest"].map(Arc::from).to_vec();
    editor.set_history(Box::new(prompts));
    draw(&mut editor, 40, 10);
    editor
}

fn walk(editor: &mut Editor, keys: &str) -> Vec<String> {
    keys.chars()
        .map(|key| {
            editor.apply(to(if key == 'u' { Motion::Up } else { Motion::Down }));
            shown(editor)
        })
        .collect()
}

#[test]
fn up_and_down_walk_through_prompts() {
    let mut editor = with_prompts("|");
    assert_eq!(
        walk(&mut editor, "uuuudddd"),
        [
            "newest|",
            "older\nwith two lines|",
            "/oldest|",
            "/oldest|",
            "older\nwith two lines|",
            "newest|",
            "|",
            "|",
        ]
    );
    assert!(!editor.is_completing(), "a recalled command opens no list");
}

/// The draft is kept, and the cursor goes to the edge before the draft is left.
#[test]
fn the_draft_comes_back() {
    let mut editor = with_prompts("my dr|aft");
    assert_eq!(walk(&mut editor, "uuud"), ["|my draft", "newest|", "older\nwith two lines|", "newest|"]);
    assert_eq!(walk(&mut editor, "d"), ["my draft|"]);
    assert_eq!(editor.apply(to(Motion::Down)), Outcome::Ignored);
}

/// A changed prompt is a draft of its own; undo leads back to the first one.
#[test]
fn a_recalled_prompt_can_be_changed() {
    let mut editor = with_prompts("|draft");
    walk(&mut editor, "uu");
    typed(&mut editor, "!");
    assert_eq!(shown(&editor), "older\nwith two lines!|");
    assert_eq!(walk(&mut editor, "u"), ["older|\nwith two lines!"]);
    editor.apply(Command::Undo);
    editor.apply(Command::Undo);
    assert_eq!(shown(&editor), "|draft");
}

/// Moving in a recalled prompt makes up and down move in it first.
#[test]
fn inside_a_prompt_the_cursor_moves() {
    let mut editor = with_prompts("|");
    walk(&mut editor, "uu");
    editor.apply(to(Motion::Left));
    assert_eq!(walk(&mut editor, "u"), ["older|\nwith two lines"]);
    assert_eq!(walk(&mut editor, "uu"), ["|older\nwith two lines", "/oldest|"]);
}

#[test]
fn without_history_nothing_happens() {
    let mut editor = editor("|");
    assert_eq!(editor.apply(to(Motion::Up)), Outcome::Ignored);
    fill(&mut editor, "a|b");
    assert_eq!(walk(&mut editor, "uud"), ["|ab", "|ab", "ab|"]);
}

#[test]
fn the_search_asks_and_chooses() {
    let mut search = HistorySearch::new("");
    let first = search.take_request().unwrap();
    assert_eq!(first.query, "");
    search.apply(Command::Insert("fi".to_owned()));
    let second = search.take_request().unwrap();
    assert_eq!(second.query, "fi");
    let results: Vec<Arc<str>> = ["fix one", "fix\ntwo", "fix three"].map(Arc::from).to_vec();
    assert!(!search.answer(first.generation, results.clone()), "late");
    assert!(search.answer(second.generation, results));
    let styles = styles();
    let (rows, cursor) = search.render(20, 3, &styles);
    let rows: Vec<String> = rows.iter().map(|row| row.text()).collect();
    assert_eq!(rows, ["history: fi", "❯ fix one", "  fix two"]);
    assert_eq!((cursor.row, cursor.column), (0, 11));
    search.apply(Command::SelectNext);
    search.apply(Command::SelectNext);
    search.apply(Command::SelectNext);
    let (rows, _) = search.render(20, 3, &styles);
    assert_eq!(rows[2].text(), "❯ fix three");
    assert_eq!(search.apply(Command::Submit), SearchOutcome::Chosen("fix three".into()));
    assert_eq!(search.apply(Command::Cancel), SearchOutcome::Cancelled);
    search.apply(Command::DeleteWordBackward);
    assert_eq!(search.take_request().unwrap().query, "");
    let (rows, cursor) = HistorySearch::new(&"長い".repeat(30)).render(20, 5, &styles);
    assert!(rows.iter().all(|row| row.width() <= 20) && cursor.column < 20);
    let ascii = Styles { glyphs: Glyphs::ASCII, ..styles };
    let mut long = HistorySearch::new("");
    let generation = long.take_request().unwrap().generation;
    long.answer(generation, vec![Arc::from("a prompt that is longer than the row it stands in")]);
    let rows: Vec<String> = long.render(20, 3, &ascii).0.iter().map(|row| row.text()).collect();
    assert_eq!(rows[1], "> a prompt that i...");
}
