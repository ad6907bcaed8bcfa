//! The keys of vi: text, keys, text.

use omp_editor::vi::{Key, Mode, Reply, Vi};
use omp_editor::{Command, Editor};

use crate::support::{draw, editor, shown};

/// `<` is Escape, `^R` is written `®`; the text begins in normal mode.
fn keys(editor: &mut Editor, vi: &mut Vi, keys: &str) {
    for character in keys.chars() {
        let key = match character {
            '<' => Key::Escape,
            '®' => Key::Control('r'),
            other => Key::Char(other),
        };
        match vi.key(key) {
            Reply::Commands(commands) => commands.into_iter().for_each(|command| {
                editor.apply(command);
            }),
            Reply::Pass => {
                if let Key::Char(text) = key {
                    editor.apply(Command::Insert(text.to_string()));
                }
            }
        }
    }
}

fn normal() -> Vi {
    let mut vi = Vi::default();
    assert!(matches!(vi.key(Key::Escape), Reply::Commands(_)));
    assert_eq!(vi.mode(), Mode::Normal);
    vi
}

#[track_caller]
fn check(before: &str, typed: &str, after: &str) {
    let mut editor = editor(before);
    draw(&mut editor, 60, 20);
    keys(&mut editor, &mut normal(), typed);
    assert_eq!(shown(&editor), after, "{before} {typed}");
}

#[test]
fn motions() {
    check("one |two", "h", "one| two");
    check("|one", "lllll", "on|e");
    check("|one two.three", "w", "one |two.three");
    check("|one two.three", "3w", "one two.|three");
    check("|one\n  two", "w", "one\n  |two");
    check("one t|wo", "bb", "|one two");
    check("|one two", "e", "on|e two");
    check("on|e two", "e", "one tw|o");
    check("  on|e", "0", "|  one");
    check("  on|e", "^", "  |one");
    check("|  one", "$", "  on|e");
    check("a\nb\n|c", "gg", "|a\nb\nc");
    check("|a\nb\nc", "G", "a\nb\n|c");
    check("|a\nb\nc", "2G", "a\n|b\nc");
    check("|a\nb\nc", "jj", "a\nb\n|c");
    check("|abcabc", "fc", "ab|cabc");
    check("|abcabc", "fc;", "abcab|c");
    check("|abcabc", "2fc,", "ab|cabc");
    check("|abcabc", "tc", "a|bcabc");
    check("abcab|c", "Fa", "abc|abc");
    check("abcab|c", "Ta", "abca|bc");
}

#[test]
fn text_is_typed() {
    check("a|b", "ix<", "a|xb");
    check("a|b", "ax<", "ab|x");
    check("a b|c", "Ix<", "|xa bc");
    check("|abc", "Ax<", "abc|x");
    check("a|b\nc", "ox<", "ab\n|x\nc");
    check("a|b\nc", "Ox<", "|x\nab\nc");
}

#[test]
fn text_is_removed_and_put_back() {
    check("a|bc", "x", "a|c");
    check("ab|c", "x", "a|b");
    check("|abcd", "3x", "|d");
    check("a|bc", "X", "|bc");
    check("a\n|b\nc", "dd", "a\n|c");
    check("a\nb\n|c", "dd", "a\n|b");
    check("|a\nb\nc", "2dd", "|c");
    check("|a\nb\nc", "dj", "|c");
    check("a\nb\n|c", "dk", "|a");
    check("a\n|b\nc", "dG", "|a");
    check("a\n|b\nc", "dgg", "|c");
    check("one |two three", "dw", "one |three");
    check("one |two\nthree", "dw", "one| \nthree");
    check("|one two", "d2w", "|");
    check("|one two", "de", "| two");
    check("one |two", "db", "|two");
    check("on|e two", "D", "o|n");
    check("|a(b)c", "dt)", "|)c");
    check("|a(b)c", "df)", "|c");
    check("a\n|b\nc", "ddp", "a\nc\n|b");
    check("a\n|b\nc", "ddP", "a\n|b\nc");
    check("|ab", "xp", "b|a");
    check("|one\ntwo", "yyjp", "one\ntwo\n|one");
    check("|one two", "ywP", "one| one two");
    check("|ab", "rx", "|xb");
}

#[test]
fn text_is_changed() {
    check("|one two", "cwx<", "|x two");
    check("one |two", "Cx<", "one |x");
    check("a\nb|b\nc", "ccx<", "a\n|x\nc");
    check("a|bc", "sx<", "a|xc");
}

#[test]
fn changes_are_taken_back_and_repeated() {
    check("|abc", "xxu", "|bc");
    check("|abc", "xxuu®", "|bc");
    check("|a b c d", "dw.", "|c d");
    check("|a b c d", "cwx<w.", "x |x c d");
    check("|abcdef", "x2.", "|def");
}

#[test]
fn selections() {
    check("|one two", "vly", "|one two");
    check("|one two", "vlld", "| two");
    check("a\n|b\nc\nd", "Vjd", "a\n|d");
    check("|one two", "vecx<", "|x two");
    let mut vi = normal();
    let mut editor = editor("|ab");
    keys(&mut editor, &mut vi, "v");
    assert_eq!(vi.mode(), Mode::Visual);
    keys(&mut editor, &mut vi, "<");
    assert_eq!((vi.mode(), editor.selection()), (Mode::Normal, None));
}

/// Keys that are not vi's pass, so that Enter sends and Escape reaches the program.
#[test]
fn other_keys_pass() {
    use omp_tui::input::{Code, Key as Pressed, Modifiers};
    assert_eq!(Key::from(Pressed::typed('G', Modifiers::NONE)), Key::Char('G'));
    assert_eq!(Key::from(Pressed::new(Code::Char('r'), Modifiers::CTRL)), Key::Control('r'));
    assert_eq!(Key::from(Pressed::new(Code::Enter, Modifiers::NONE)), Key::Other);
    let mut vi = normal();
    assert_eq!(vi.key(Key::Escape), Reply::Pass);
    assert_eq!(vi.key(Key::Other), Reply::Pass);
    assert_eq!(vi.key(Key::Char('d')), Reply::Commands(Vec::new()));
    assert!(matches!(vi.key(Key::Escape), Reply::Commands(_)), "a half command is dropped first");
    assert_eq!(vi.key(Key::Char('i')), Reply::Commands(vec![Command::Checkpoint]));
    assert_eq!(vi.key(Key::Char('x')), Reply::Pass);
    vi.key(Key::Escape);
    vi.reset();
    assert_eq!(vi.mode(), Mode::Insert);
}
