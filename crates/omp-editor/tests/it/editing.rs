//! Moving and changing.

use omp_editor::{Command, Motion, Outcome};
use omp_tui::input::{Code, Key, Modifiers};

use crate::support::{check, draw, editor, shown, to, typed};

use Command::{
    DeleteBackward, DeleteForward, DeleteToLineEnd, DeleteToLineStart, DeleteWordBackward, DeleteWordForward,
    Undo, Yank, YankPop,
};

#[test]
fn the_cursor_moves() {
    let table = [
        ("ab|c", Motion::Left, "a|bc"),
        ("ab\n|c", Motion::Left, "ab|\nc"),
        ("ab|\nc", Motion::Right, "ab\n|c"),
        ("|", Motion::Right, "|"),
        ("👩‍👩‍👧‍👦|x", Motion::Left, "|👩‍👩‍👧‍👦x"),
        ("|🇩🇪🇫🇷", Motion::Right, "🇩🇪|🇫🇷"),
        ("e\u{301}|", Motion::Left, "|e\u{301}"),
        ("one two.three|", Motion::WordLeft, "one two.|three"),
        ("one two.|three", Motion::WordLeft, "one two|.three"),
        ("one\n|two", Motion::WordLeft, "one|\ntwo"),
        ("|one  two", Motion::WordRight, "one|  two"),
        ("one|  two", Motion::WordRight, "one  two|"),
        ("größe|n", Motion::WordLeft, "|größen"),
        ("a\nb c|d\ne", Motion::LineStart, "a\n|b cd\ne"),
        ("a\nb| cd\ne", Motion::LineEnd, "a\nb cd|\ne"),
        ("a\nb| cd\ne", Motion::TextStart, "|a\nb cd\ne"),
        ("a\nb| cd\ne", Motion::TextEnd, "a\nb cd\ne|"),
    ];
    for (before, motion, after) in table {
        check(before, &[to(motion)], after);
    }
}

/// Up and down go by rows as they are seen, and keep to the column they began in.
#[test]
fn up_and_down_go_by_rows() {
    let mut editor = editor("aaaa bbbb cccc\nx\nlonger| line");
    draw(&mut editor, 10, 20);
    let path: Vec<String> = (0..4)
        .map(|_| {
            editor.apply(to(Motion::Up));
            shown(&editor)
        })
        .collect();
    assert_eq!(
        path,
        [
            "aaaa bbbb cccc\nx|\nlonger line",
            "aaaa bbbb cccc|\nx\nlonger line",
            "aaaa b|bbb cccc\nx\nlonger line",
            "|aaaa bbbb cccc\nx\nlonger line",
        ]
    );
}

#[test]
fn wide_characters_keep_the_column() {
    let mut editor = editor("日本語\nabcd|ef");
    draw(&mut editor, 20, 20);
    editor.apply(to(Motion::Up));
    assert_eq!(shown(&editor), "日本|語\nabcdef");
    editor.apply(to(Motion::Down));
    assert_eq!(shown(&editor), "日本語\nabcd|ef");
}

#[test]
fn pages_are_as_high_as_what_is_seen() {
    let text: Vec<String> = (0..30).map(|n| n.to_string()).collect();
    let mut editor = editor(&format!("|{}", text.join("\n")));
    draw(&mut editor, 20, 10);
    editor.apply(to(Motion::PageDown));
    assert_eq!(editor.cursor().line, 10);
    editor.apply(to(Motion::PageUp));
    editor.apply(to(Motion::PageUp));
    assert_eq!(editor.cursor().line, 0);
}

#[test]
fn text_is_removed() {
    let table = [
        ("ab|c", DeleteBackward, "a|c"),
        ("a\n|b", DeleteBackward, "a|b"),
        ("a|\nb", DeleteForward, "a|b"),
        ("x👩‍👩‍👧‍👦|y", DeleteBackward, "x|y"),
        ("one two  |x", DeleteWordBackward, "one |x"),
        ("one| two", DeleteWordForward, "one|"),
        ("a\none| two\nb", DeleteToLineStart, "a\n| two\nb"),
        ("a\none| two\nb", DeleteToLineEnd, "a\none|\nb"),
        ("a|\nb", DeleteToLineEnd, "a|b"),
        ("a\n|b", DeleteToLineStart, "a|b"),
        ("ab|c", Command::Transpose, "acb|"),
        ("abc|", Command::Transpose, "acb|"),
    ];
    for (before, command, after) in table {
        check(before, &[command], after);
    }
}

/// Kills that follow each other become one text; yank-pop goes around the ring.
#[test]
fn killed_texts_come_back() {
    check("one two three|", &[DeleteWordBackward, DeleteWordBackward, Yank], "one two three|");
    check("|one two", &[DeleteWordForward, DeleteWordForward, Yank, Yank], "one twoone two|");
    let first = [DeleteWordBackward, to(Motion::LineStart), DeleteWordForward, to(Motion::LineEnd), Yank];
    check("one x two|", &first, " x one|");
    check("one x two|", &[&first[..], &[YankPop]].concat(), " x two|");
    check("one x two|", &[&first[..], &[YankPop, YankPop]].concat(), " x one|");
    check("a|b", &[YankPop], "a|b");
}

/// Typing is taken back word by word, deleting at once, and everything can be done again.
#[test]
fn changes_are_taken_back() {
    let mut editor = editor("|");
    typed(&mut editor, "one two");
    editor.apply(Command::NewLine);
    typed(&mut editor, "three");
    for _ in 0..3 {
        editor.apply(DeleteBackward);
    }
    let mut seen = Vec::new();
    while editor.apply(Undo) == Outcome::Handled {
        seen.push(shown(&editor));
    }
    assert_eq!(seen, ["one two\nthree|", "one two\n|", "one two|", "one |", "|"]);
    while editor.apply(Command::Redo) == Outcome::Handled {}
    assert_eq!(shown(&editor), "one two\nth|");
    typed(&mut editor, "x");
    editor.apply(Undo);
    typed(&mut editor, "y");
    assert_eq!(editor.apply(Command::Redo), Outcome::Ignored, "a new change ends what could be done again");
}

/// The next typed character is where to go, over line ends too.
#[test]
fn jumps_go_to_a_character() {
    let insert = |text: &str| Command::Insert(text.to_owned());
    check("|abc\nxbz", &[Command::JumpForward, insert("b")], "a|bc\nxbz");
    check("a|bc\nxbz", &[Command::JumpForward, insert("b")], "abc\nx|bz");
    check("abc\nx|bz", &[Command::JumpBackward, insert("b")], "a|bc\nxbz");
    check("|abc", &[Command::JumpForward, insert("q")], "|abc");
    check("|abc", &[Command::JumpForward, Command::Cancel, insert("c")], "c|abc");
}

#[test]
fn a_selection_is_copied_and_replaced() {
    let mut editor = editor("one| two");
    editor.apply(Command::Select(Motion::WordRight));
    assert_eq!(editor.apply(Command::Copy), Outcome::Copy(" two".to_owned()));
    typed(&mut editor, "x");
    assert_eq!(shown(&editor), "onex|");
    assert_eq!(editor.apply(Command::Copy), Outcome::Ignored);
    editor.apply(Command::SelectAll);
    editor.apply(DeleteBackward);
    assert_eq!(shown(&editor), "|");
}

/// Every action of the key bindings that concerns the editor is a command.
#[test]
fn every_action_is_a_command() {
    let editor = "cursorUp cursorDown cursorLeft cursorRight cursorWordLeft cursorWordRight cursorLineStart cursorLineEnd \
        jumpForward jumpBackward pageUp pageDown deleteCharBackward deleteCharForward deleteWordBackward \
        deleteWordForward deleteToLineStart deleteToLineEnd yank yankPop undo";
    let ids = editor.split_whitespace().map(|name| format!("tui.editor.{name}"));
    let input = ["newLine", "submit", "tab", "copy"].map(|name| format!("tui.input.{name}"));
    let select =
        ["up", "down", "pageUp", "pageDown", "confirm", "cancel"].map(|name| format!("tui.select.{name}"));
    let mut seen = Vec::new();
    for id in ids.chain(input).chain(select) {
        let command = Command::of_action(&id).unwrap_or_else(|| panic!("{id}"));
        assert!(!seen.contains(&command), "{id} does what another does");
        seen.push(command);
    }
    assert_eq!(Command::of_action("app.interrupt"), None);
    assert!(Command::actions().all(|id| Command::of_action(id).is_some()));
}

/// Keys without an action: text, and arrows with Shift that select.
#[test]
fn keys_without_an_action() {
    let key = |code, modifiers| Command::of_key(Key::new(code, modifiers));
    assert_eq!(Command::of_key(Key::typed('Ä', Modifiers::NONE)), Some(Command::Insert("Ä".to_owned())));
    assert_eq!(key(Code::Char('x'), Modifiers::CTRL), None);
    assert_eq!(key(Code::Left, Modifiers::SHIFT), Some(Command::Select(Motion::Left)));
    assert_eq!(
        key(Code::Right, Modifiers::SHIFT | Modifiers::CTRL),
        Some(Command::Select(Motion::WordRight))
    );
    assert_eq!(key(Code::End, Modifiers::CTRL), Some(to(Motion::TextEnd)));
    assert_eq!(key(Code::Home, Modifiers::CTRL | Modifiers::SHIFT), Some(Command::Select(Motion::TextStart)));
    assert_eq!(key(Code::Up, Modifiers::ALT), None);
    assert_eq!(key(Code::F(1), Modifiers::NONE), None);
}
