use crate::support::*;
use omp_editor::*;
#[test]
fn speed() {
    for (name, text) in [
        ("10 MB folded", "0123456789\n".repeat(1 << 20)),
        ("250 KB in lines", "some words in a line of text\n".repeat(9000)),
        ("250 KB one line", "words ".repeat(42000)),
        ("250 KB wide line", "日本".repeat(42000)),
        ("small", "hello".to_owned()),
    ] {
        let mut editor = Editor::new(Options { ask_lines: 0, ..Options::default() });
        editor.apply(Command::PasteRaw(text));
        draw(&mut editor, 80, 10);
        let start = std::time::Instant::now();
        for _ in 0..100 {
            editor.apply(Command::Insert("x".to_owned()));
            draw(&mut editor, 80, 10);
        }
        println!("{name}: {:?} a key", start.elapsed() / 100);
    }
}
