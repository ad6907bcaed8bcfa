//! The list of sessions, as somebody at the keyboard has it.

use omp_keys::Bindings;
use omp_theme::{Adjustments, Preset, Theme};
use omp_tui::input::{Code, Key, Modifiers};
use omp_tui::render::Size;
use omp_view::Look;

use super::{News, Picker, Scope, SessionItem, SessionsRequest};

fn item(name: &str, age: &str) -> SessionItem {
    SessionItem {
        name: name.to_owned(),
        directory: "~/project".to_owned(),
        path: format!("/sessions/{name}.jsonl").into(),
        age: age.to_owned(),
        created: name.to_owned(),
        messages: 3,
        remark: "",
    }
}

fn three() -> Picker {
    let mut picker = Picker::new(Scope::Folder, &Bindings::default());
    let items = vec![item("beta", "1m ago"), item("alpha", "2h ago"), item("gamma", "3d ago")];
    assert_eq!(picker.news(News::Listed(Scope::Folder, items)), None);
    picker
}

fn texts(picker: &mut Picker, width: usize) -> Vec<String> {
    let look = Look::new(Theme::built_in("titanium").unwrap(), width);
    drawn(picker, &look)
}

fn drawn(picker: &mut Picker, look: &Look) -> Vec<String> {
    let size = Size { width: look.width, height: 24 };
    let drawn = picker.draw(look, size);
    assert!(drawn.rows.iter().all(|row| row.width() <= look.width));
    drawn.rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn press(picker: &mut Picker, code: Code) -> Option<SessionsRequest> {
    picker.key(Key::new(code, Modifiers::NONE), &Bindings::default())
}

fn ctrl(picker: &mut Picker, letter: char) -> Option<SessionsRequest> {
    picker.key(Key::new(Code::Char(letter), Modifiers::CTRL), &Bindings::default())
}

fn type_in(picker: &mut Picker, text: &str) -> Vec<SessionsRequest> {
    text.chars().filter_map(|letter| press(picker, Code::Char(letter))).collect()
}

fn chosen(name: &str) -> Option<SessionsRequest> {
    Some(SessionsRequest::Choose(format!("/sessions/{name}.jsonl").into()))
}

#[test]
fn the_list_is_gone_through_and_chosen_from() {
    let mut picker = three();
    assert_eq!(
        texts(&mut picker, 60),
        [
            "Resume a session · this folder  3",
            "⌕ type to search",
            "❯ beta                                  3 messages · 1m ago",
            "  alpha                                 3 messages · 2h ago",
            "  gamma                                 3 messages · 3d ago",
            "  Enter: resume · Esc: cancel · Tab: all folders",
            "  Ctrl+D: delete · Ctrl+R: rename · Ctrl+S: sort (last used)",
        ]
    );
    press(&mut picker, Code::Down);
    assert_eq!(press(&mut picker, Code::Enter), chosen("alpha"));
    press(&mut picker, Code::Up);
    press(&mut picker, Code::Up);
    assert_eq!(press(&mut picker, Code::Enter), chosen("gamma"), "from the first to the last");
    press(&mut picker, Code::PageUp);
    assert_eq!(press(&mut picker, Code::Enter), chosen("beta"));
    assert_eq!(press(&mut picker, Code::Escape), Some(SessionsRequest::Cancel));
    assert_eq!(ctrl(&mut picker, 'c'), Some(SessionsRequest::Exit));
}

#[test]
fn narrow_screens_and_ascii_have_room_for_names() {
    let mut picker = three();
    let rows = texts(&mut picker, 40);
    assert_eq!(rows[2], "❯ beta                           1m ago");
    let theme = Theme::built_in("titanium").unwrap();
    let theme =
        (*theme).clone().adjusted(Adjustments { symbols: Some(Preset::Ascii), ..Adjustments::default() });
    let rows = drawn(&mut picker, &Look::new(theme.into(), 40));
    assert!(rows.iter().all(|row| row.is_ascii()), "{rows:?}");
    texts(&mut picker, 1);
}

#[test]
fn enter_waits_for_what_was_typed() {
    let mut picker = three();
    assert_eq!(
        type_in(&mut picker, "ga"),
        [SessionsRequest::Search(Scope::Folder, "g".to_owned())],
        "one question at a time"
    );
    assert_eq!(press(&mut picker, Code::Enter), None, "the answer is not there");
    let next = picker.news(News::Found(Scope::Folder, "g".to_owned(), vec![2, 0]));
    assert_eq!(next, Some(SessionsRequest::Search(Scope::Folder, "ga".to_owned())));
    assert_eq!(texts(&mut picker, 60)[0], "Resume a session · this folder  2 of 3");
    assert_eq!(picker.news(News::Found(Scope::Folder, "ga".to_owned(), vec![2])), chosen("gamma"));
    let mut early = Picker::new(Scope::Folder, &Bindings::default());
    assert_eq!(press(&mut early, Code::Enter), None, "not even the list is there");
    assert_eq!(early.news(News::Listed(Scope::Folder, vec![item("only", "")])), chosen("only"));
    // Nothing typed: the whole list, at once.
    ctrl(&mut picker, 'u');
    assert_eq!(texts(&mut picker, 60)[0], "Resume a session · this folder  3");
}

#[test]
fn tab_shows_the_sessions_of_all_folders() {
    let mut picker = Picker::new(Scope::Folder, &Bindings::default());
    assert_eq!(texts(&mut picker, 60)[2], "  Loading sessions…");
    let elsewhere = picker.news(News::Listed(Scope::Folder, Vec::new()));
    assert_eq!(elsewhere, Some(SessionsRequest::Load(Scope::All)), "none here");
    picker.news(News::Listed(Scope::All, Vec::new()));
    assert_eq!(texts(&mut picker, 60)[2], "  No sessions found");
    for (code, wish) in [(Code::Enter, None), (Code::Delete, None), (Code::Tab, None)] {
        assert_eq!(press(&mut picker, code), wish);
    }
    assert_eq!(texts(&mut picker, 60)[2], "  No sessions in current folder. Press Tab to view all.");
    press(&mut picker, Code::Tab);
    picker.news(News::Listed(Scope::All, vec![item("far", "1m ago")]));
    assert!(texts(&mut picker, 70)[2].ends_with("~/project · 3 messages · 1m ago"));
    assert_eq!(press(&mut picker, Code::Escape), Some(SessionsRequest::Cancel));
}

#[test]
fn deleting_needs_a_yes() {
    let mut picker = three();
    assert_eq!(press(&mut picker, Code::Delete), None);
    assert_eq!(texts(&mut picker, 60)[1], "Delete \"beta\" and its artifacts?");
    assert_eq!(press(&mut picker, Code::Char('n')), None);
    assert_eq!(texts(&mut picker, 60)[1], "⌕ type to search");
    ctrl(&mut picker, 'd');
    assert_eq!(press(&mut picker, Code::Escape), None, "the question goes, not the list");
    ctrl(&mut picker, 'd');
    let path = item("beta", "").path;
    assert_eq!(press(&mut picker, Code::Enter), Some(SessionsRequest::Delete(path.clone())));
    picker.news(News::Deleted(path));
    assert_eq!(texts(&mut picker, 60)[2], "❯ alpha                                 3 messages · 2h ago");
    // Beside a search the same key takes a word back.
    let noninvasive = Key::new(Code::Backspace, Modifiers::CTRL);
    type_in(&mut picker, "x");
    picker.key(noninvasive, &Bindings::default());
    assert_eq!(texts(&mut picker, 60)[1], "⌕ type to search");
    picker.key(noninvasive, &Bindings::default());
    assert_eq!(texts(&mut picker, 60)[1], "Delete \"alpha\" and its artifacts?");
}

#[test]
fn sessions_are_renamed_sorted_and_located() {
    let mut picker = three();
    ctrl(&mut picker, 'r');
    assert_eq!(texts(&mut picker, 60)[1], "✎ New name: beta");
    ctrl(&mut picker, 'u');
    type_in(&mut picker, "delta q");
    let path = item("beta", "").path;
    let wish = press(&mut picker, Code::Enter);
    assert_eq!(wish, Some(SessionsRequest::Rename(path.clone(), "delta q".to_owned())));
    picker.news(News::Renamed(path, "delta q".to_owned()));
    let names = |picker: &mut Picker| -> Vec<String> {
        texts(picker, 60)[2..5].iter().map(|row| row[4..12].trim().to_owned()).collect()
    };
    assert!(texts(&mut picker, 60)[2].starts_with("❯ delta q "));
    ctrl(&mut picker, 's');
    ctrl(&mut picker, 's');
    assert_eq!(names(&mut picker), ["pha", "delta q", "mma"], "by name, and the cursor stays");
    ctrl(&mut picker, 's');
    ctrl(&mut picker, 'p');
    assert_eq!(texts(&mut picker, 60)[3], "    /sessions/beta.jsonl");
    picker.news(News::Failed("not\ndeleted".to_owned()));
    assert_eq!(texts(&mut picker, 60).last().unwrap(), "  not deleted");
}

#[test]
fn long_lists_scroll() {
    let mut picker = Picker::new(Scope::All, &Bindings::default());
    let items = (0..5000).map(|number| item(&format!("session {number}"), "1m ago")).collect();
    picker.news(News::Listed(Scope::All, items));
    assert_eq!(texts(&mut picker, 60)[14], "  ↓ 4,988 more");
    for _ in 0..3 {
        press(&mut picker, Code::PageDown);
        texts(&mut picker, 60);
    }
    assert_eq!(press(&mut picker, Code::Enter), chosen("session 36"));
    press(&mut picker, Code::End);
    assert!(texts(&mut picker, 60)[13].starts_with("❯ session 4999"));
}
