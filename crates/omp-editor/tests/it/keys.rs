//! Bytes of a terminal, through the decoder and the default key bindings, to the text.

use std::time::Duration;

use omp_editor::{Command, CommandInfo, Editor, Outcome};
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::{Decoder, Event};

use crate::support::{draw, editor, shown};

/// What the editor answers to bytes; keys go to the editor's actions first, then to what they type.
fn press(editor: &mut Editor, bytes: &str) -> Vec<Outcome> {
    let bindings = Bindings::default();
    let mut events = Vec::new();
    let mut decoder = Decoder::new();
    decoder.feed(bytes.as_bytes(), Duration::ZERO, &mut events);
    decoder.expire(Duration::from_secs(60), &mut events);
    let command = |event| match event {
        Event::Key(key) => {
            let action = bindings.action(Context::Editor, Chord::from(key));
            action.and_then(|action| Command::of_action(action.id())).or_else(|| Command::of_key(key))
        }
        Event::Paste(text) => Some(Command::Paste(text)),
        _ => None,
    };
    events.into_iter().filter_map(command).map(|command| editor.apply(command)).collect()
}

/// Several lines, earlier prompts, completion that waits for the next key, words, killed texts, undo; and every default
/// key, as terminals send it.
///
/// proves: TUI-081
#[test]
fn default_keys_edit() {
    let table = [
        // Lines.
        ("a|b", "\x1b[13;2u", "a\n|b"),
        ("a|b", "\n", "a\n|b"),
        ("one\ntw|o", "\x1b[A", "on|e\ntwo"),
        ("on|e\ntwo", "\x1b[B", "one\ntw|o"),
        ("ab|", "\x1b[D\x02", "|ab"),
        ("|ab", "\x1b[C\x06", "ab|"),
        ("a\nbc|d", "\x01", "a\n|bcd"),
        ("a\nbc|d", "\x1b[H", "a\n|bcd"),
        ("a|b\nc", "\x05", "ab|\nc"),
        ("a|b\nc", "\x1b[F", "ab|\nc"),
        // Words.
        ("one two|", "\x1b[1;3D", "one |two"),
        ("one two|", "\x1b[1;5D", "one |two"),
        ("one two|", "\x1bb", "one |two"),
        ("|one two", "\x1b[1;3C", "one| two"),
        ("|one two", "\x1b[1;5C", "one| two"),
        ("|one two", "\x1bf", "one| two"),
        // Removing.
        ("ab|c", "\x7f", "a|c"),
        ("a|bc", "\x1b[3~", "a|c"),
        ("a|bc", "\x04", "a|c"),
        ("one two|", "\x17", "one |"),
        ("one two|", "\x1b\x7f", "one |"),
        ("one two|", "\x1b[127;5u", "one |"),
        ("one two|", "\x1b[127;11u", "one |"),
        ("|one two", "\x1bd", "| two"),
        ("|one two", "\x1b[3;3~", "| two"),
        ("a\none| two", "\x15", "a\n| two"),
        ("one| two\nb", "\x0b", "one|\nb"),
        // Killed texts and undo.
        ("one two|", "\x17\x01\x19", "two|one "),
        ("one two|", "\x17\x01\x0b\x19\x1by", "two|"),
        ("one|", "\x17\x1b[45;5u", "one|"),
        ("one|", "\x17\x1f", "one|"),
        // Jumps.
        ("|abcb", "\x1db", "a|bcb"),
        ("abcb|", "\x1b\x1db", "abc|b"),
        // Typing.
        ("|", "Hé 日", "Hé 日|"),
    ];
    for (before, bytes, after) in table {
        let mut editor = editor(before);
        draw(&mut editor, 40, 5);
        press(&mut editor, bytes);
        assert_eq!(shown(&editor), after, "{before} {bytes:?}");
    }
    let text: String = (0..12).map(|n| format!("{n}\n")).collect();
    let mut long = editor(&format!("|{text}"));
    draw(&mut long, 40, 5);
    press(&mut long, "\x1b[6~\x1b[6~\x1b[5~");
    assert_eq!(long.cursor().line, 5);

    let mut recalled = editor("|");
    recalled.set_history(Box::new(vec!["the last one".into(), "before".into()]));
    press(&mut recalled, "\x1b[A\x1b[A\x1b[B");
    assert_eq!(shown(&recalled), "the last one|");

    let mut completed = editor("|");
    completed.set_commands(vec![CommandInfo { name: "compact".to_owned(), ..CommandInfo::default() }]);
    press(&mut completed, "/co\t");
    assert_eq!(shown(&completed), "/compact|");
    press(&mut completed, "\x15@src");
    let request = completed.take_request().expect("a question");
    assert!(request.patience() > Duration::ZERO, "the disk is not walked for every letter");
    assert_eq!(completed.take_request(), None, "one question for all letters");
}

/// A paste is one event; what looks like Enter in it is a line end.
///
/// proves: TUI-058
#[test]
fn a_paste_does_not_submit() {
    let mut editor = editor("|");
    let outcomes = press(&mut editor, "\x1b[200~one\ntwo\r\nthree\rfour\x1b[201~");
    assert_eq!(outcomes, [Outcome::Handled]);
    assert_eq!((shown(&editor).as_str(), editor.line_count()), ("one\ntwo\nthree\nfour|", 4));
    assert!(matches!(press(&mut editor, "\r")[..], [Outcome::Submit(_)]), "Enter does");
}

#[test]
fn selections_are_copied_by_key() {
    let mut editor = editor("one two|");
    assert_eq!(press(&mut editor, "\x03"), [Outcome::Ignored]);
    let outcomes = press(&mut editor, "\x1b[1;6D\x03");
    assert_eq!(outcomes.last(), Some(&Outcome::Copy("two".to_owned())));
}
