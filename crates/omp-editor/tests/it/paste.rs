//! Pastes, pictures, drafts.

use omp_editor::{
    Command, Content, ContentPart, Draft, Editor, ImageHandle, Meaning, Motion, Options, Outcome,
    PASTE_CHOICES, PasteChoice, dropped,
};

use crate::support::{draw, editor, fill, shown, to, typed};

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n")
}

fn image(name: &str) -> ImageHandle {
    ImageHandle(name.into())
}

fn paste(text: &str) -> Command {
    Command::Paste(text.to_owned())
}

#[test]
fn a_short_paste_is_text() {
    let mut editor = editor("a|b");
    assert_eq!(editor.apply(paste("1\r\n2\r3")), Outcome::Handled);
    assert_eq!(shown(&editor), "a1\n2\n3|b");
    editor.apply(Command::Undo);
    assert_eq!(shown(&editor), "a|b");
}

/// A longer one is folded into one unit that is moved over, removed and unfolded as a whole.
#[test]
fn a_longer_paste_is_folded() {
    let mut editor = editor("see |");
    editor.apply(paste(&lines(20)));
    assert_eq!(editor.shown_line(0), "see [Paste #1, 20 lines]");
    editor.apply(paste(&"x".repeat(1500)));
    assert_eq!(editor.shown_line(0), "see [Paste #1, 20 lines][Paste #2, 1500 characters]");
    editor.apply(to(Motion::Left));
    assert_eq!(shown(&editor), "see ‹paste›|‹paste›");
    editor.apply(Command::DeleteForward);
    assert_eq!(editor.content().text(), format!("see {}", lines(20)));
    assert_eq!(editor.apply(Command::CopyPrompt), Outcome::Copy(format!("see {}", lines(20))));
    // Killed and put back it is still the paste, even in the next prompt.
    editor.apply(Command::DeleteWordBackward);
    editor.take();
    editor.apply(Command::Yank);
    assert_eq!(editor.content().text(), lines(20));
    editor.apply(paste(&lines(30)));
    assert_eq!(editor.shown_line(0), "[Paste #1, 20 lines][Paste #2, 30 lines]");
}

/// What becomes of a large paste is asked for, and each answer does what it says.
#[test]
fn large_pastes_are_asked_about() {
    let text = lines(100);
    let ask = || {
        let mut editor = editor("|");
        assert_eq!(editor.apply(paste(&text)), Outcome::AskPaste);
        assert_eq!(editor.large_paste().map(|large| large.lines), Some(100));
        assert!(editor.is_empty());
        editor
    };
    assert_eq!(PASTE_CHOICES.len(), 3);
    let mut wrapped = ask();
    wrapped.choose_paste(PasteChoice::Attachment);
    assert_eq!(wrapped.content().text(), format!("<attachment>\n{text}\n</attachment>"));
    assert_eq!(wrapped.line_count(), 1);
    let mut file = ask();
    assert_eq!(file.choose_paste(PasteChoice::File), Outcome::SavePaste(text.as_str().into()));
    assert!(file.is_empty() && file.large_paste().is_none());
    let mut inline = ask();
    inline.choose_paste(PasteChoice::Inline);
    assert_eq!(inline.line_count(), 100);
    let mut escaped = ask();
    escaped.choose_paste(PasteChoice::Folded);
    assert_eq!(escaped.shown_line(0), "[Paste #1, 100 lines]");
    assert_eq!(escaped.content().text(), text);

    let mut fewer = editor("|");
    assert_eq!(fewer.apply(paste(&lines(99))), Outcome::Handled);
    let mut never = Editor::new(Options { ask_lines: 0, ..Options::default() });
    assert_eq!(never.apply(paste(&lines(5000))), Outcome::Handled);
}

/// Ten megabytes are one unit; what does not fit at all is refused in a sentence.
#[test]
fn a_huge_paste_is_one_unit() {
    let mut editor = Editor::new(Options { ask_lines: 0, ..Options::default() });
    let text = "0123456789\n".repeat(1 << 20);
    editor.apply(Command::PasteRaw(text.clone()));
    typed(&mut editor, "abc");
    assert_eq!(draw(&mut editor, 60, 10).0, ["[Paste #1, 1048576 lines]abc"]);
    assert_eq!(editor.content().text().len(), text.len() + 3);
    let refused = editor.apply(paste(&"x".repeat(60 << 20)));
    assert!(matches!(&refused, Outcome::Refused(sentence) if sentence.contains("60 MB")), "{refused:?}");
}

/// Characters that look like our own marks are kept as they are.
#[test]
fn private_characters_survive() {
    let odd = "a\u{100000}b\u{10fffd}c";
    let mut editor = editor("|");
    editor.apply(paste(odd));
    assert_eq!(editor.content().text(), odd);
    let many = "\u{10abcd}".repeat(60_000);
    editor.apply(Command::PasteRaw(many.clone()));
    assert_eq!(editor.content().text(), format!("{odd}{many}"));
}

#[test]
fn dropped_paths_are_read() {
    let is_image = |path: &str| path.ends_with(".png");
    let images = |text: &str| dropped(text, &is_image).map(|found| found.images);
    let one = |path: &str| Some(vec![path.to_owned()]);
    assert_eq!(images("/a/b.png"), one("/a/b.png"));
    assert_eq!(images("'/a/my pic.png' "), one("/a/my pic.png"));
    assert_eq!(images("\"/a/my pic.png\""), one("/a/my pic.png"));
    assert_eq!(images("/a/my\\ pic\\(1\\).png"), one("/a/my pic(1).png"));
    assert_eq!(images("/a/my pic.png"), one("/a/my pic.png"));
    assert_eq!(images("file:///a/my%20pic.png"), one("/a/my pic.png"));
    assert_eq!(images("file://localhost/a/b.png\n"), one("/a/b.png"));
    assert_eq!(images("C:\\pics\\a.png"), one("C:\\pics\\a.png"));
    assert_eq!(images("~/a.png ./b.png"), Some(vec!["~/a.png".to_owned(), "./b.png".to_owned()]));
    for text in ["", "see /a/b.png", "/a/b.txt", "a.png", "'/a/b.png", "http://x/a.png"] {
        assert_eq!(images(text), None, "{text}");
    }
    let mixed = dropped("/a.png /b.txt", &is_image).unwrap();
    assert_eq!(mixed.others, ["/b.txt"]);
}

/// A pasted path of a picture asks for the picture; in a shell command it stays a path.
#[test]
fn pasted_paths_attach_pictures() {
    let options = || Options { is_image: Box::new(|path| path.ends_with(".png")), ..Options::default() };
    let mut editor = Editor::new(options());
    assert_eq!(editor.apply(paste("'/a/b c.png' /n.txt")), Outcome::Attach(vec!["/a/b c.png".to_owned()]));
    assert_eq!(shown(&editor), "/n.txt |");
    editor.insert_image(image("one"));
    assert_eq!(editor.shown_line(0), "/n.txt [Image #1] ");
    let mut shell = Editor::new(options());
    fill(&mut shell, "!file |");
    shell.apply(paste("/a/b.png"));
    assert_eq!(shown(&shell), "!file /a/b.png|");
}

/// Pictures are numbered by their place, whatever is removed, put back or merged.
#[test]
fn pictures_count_through() {
    let mut editor = editor("|");
    editor.insert_image(image("one"));
    editor.insert_image(image("two"));
    assert_eq!(editor.shown_line(0), "[Image #1] [Image #2] ");
    editor.apply(to(Motion::LineStart));
    editor.insert_image(image("zero"));
    assert_eq!(editor.shown_line(0), "[Image #1] [Image #2] [Image #3] ");
    assert_eq!(editor.content().images(), [image("zero"), image("one"), image("two")]);
    editor.apply(to(Motion::LineStart));
    editor.apply(Command::DeleteForward);
    assert_eq!(editor.shown_line(0), " [Image #1] [Image #2] ");
    editor.apply(Command::Undo);
    assert_eq!(editor.content().text(), "[Image #1] [Image #2] [Image #3] ");
    editor.apply(Command::DeleteToLineEnd);
    editor.apply(Command::Yank);
    editor.apply(Command::Yank);
    let six: String = (1..=6).map(|n| format!("[Image #{n}] ")).collect();
    assert_eq!(editor.shown_line(0), six);
    assert_eq!(editor.content().images().len(), 6);
}

/// What comes back from the queues: steering first, then follow-ups, then what was being typed.
#[test]
fn queues_come_back_in_order() {
    let steering = vec![
        Content::from_marked("look at [Image #1]", &[image("a")]),
        Content::from_marked("[Image #2] before [Image #1], not [Image #7]", &[image("b"), image("c")]),
    ];
    let later = vec![Content::from_marked("no marker", &[image("d")])];
    let merged = Content::dequeued(steering, later, Content::from("typing"));
    assert_eq!(
        merged.text(),
        "look at [Image #1]\n\n[Image #2] before [Image #3], not [Image #7]\n\nno marker [Image #4]\n\ntyping"
    );
    assert_eq!(merged.images(), [image("a"), image("c"), image("b"), image("d")]);
    let mut editor = editor("|");
    editor.set_content(&merged);
    assert_eq!(editor.content(), merged);
    assert!(shown(&editor).ends_with("typing|"));
}

/// A draft comes back as it was: pastes folded, pictures known, the cursor in its place.
#[test]
fn drafts_come_back() {
    let mut editor = editor("first\nsec|ond");
    editor.apply(paste(&lines(30)));
    editor.insert_image(image("blob:1"));
    let draft = editor.draft();
    assert!(!draft.is_empty());
    let stored = serde_json::to_string(&draft).unwrap();
    let read: Draft = serde_json::from_str(&stored).unwrap();
    let mut other = Editor::default();
    other.restore(&read);
    assert_eq!(other.draft(), draft);
    assert_eq!(other.cursor(), editor.cursor());
    assert_eq!(other.shown_line(1), "sec[Paste #1, 30 lines] [Image #1] ond");
    assert_eq!(other.content().parts().len(), 5);
    assert!(matches!(&other.content().parts()[1], ContentPart::Paste { text, .. } if **text == *lines(30)));
    assert!(Draft::default().is_empty());
}

/// What a paste begins with makes no command of it: only typed signs do.
#[test]
fn a_folded_paste_is_no_command() {
    let mut editor = editor("|");
    editor.apply(paste(&"!rm -r x\n".repeat(20)));
    assert_eq!(editor.meaning(), Meaning::Prompt);
    editor.apply(to(Motion::LineStart));
    typed(&mut editor, "!");
    assert!(matches!(editor.meaning(), Meaning::Shell { command, .. } if command.starts_with("!rm")));
    editor.take();
    editor.apply(paste(&" \n".repeat(20)));
    assert_eq!(editor.meaning(), Meaning::Empty);
    editor.insert_image(image("x"));
    assert_eq!(editor.meaning(), Meaning::Prompt);
}

/// Text from elsewhere that is too much for the lines of an editor is folded, and comes out whole.
#[test]
fn recalled_and_restored_texts_are_folded() {
    let long = "word ".repeat(80_000);
    let mut editor = editor("|");
    editor.set_history(Box::new(vec![long.as_str().into()]));
    editor.apply(to(Motion::Up));
    assert_eq!(
        (editor.shown_line(0).as_str(), editor.content().text()),
        ("[Paste #1, 400000 characters]", long.clone())
    );
    editor.set_content(&Content::from(long.as_str()));
    assert_eq!((editor.line_count(), editor.content().text()), (1, long));
}

#[test]
fn what_is_taken_is_gone() {
    let mut editor = editor("!ls|");
    assert!(matches!(editor.apply(Command::Submit), Outcome::Submit(_)));
    assert_eq!(shown(&editor), "!ls|", "it stays until it is taken");
    let taken = editor.take();
    assert_eq!(taken.content.text(), "!ls");
    assert!(editor.is_empty());
    assert_eq!(editor.apply(Command::Undo), Outcome::Ignored);
}
