//! Texts with a marked cursor: `ab|c`.

use omp_editor::{
    Command, Content, ContentPart, Draft, Editor, Frame, Glyphs, Look, Motion, Options, Styles,
};
use omp_tui::text::{Attributes, Color, Style};

/// An editor with `marked` in it; the cursor is at `|`.
pub(crate) fn editor(marked: &str) -> Editor {
    let mut editor = Editor::new(Options::default());
    fill(&mut editor, marked);
    editor
}

/// Puts `marked` into an editor.
pub(crate) fn fill(editor: &mut Editor, marked: &str) {
    let (before, after) = marked.split_once('|').expect("a cursor");
    let draft =
        Draft { content: Content::from(format!("{before}{after}").as_str()), cursor: before.chars().count() };
    editor.restore(&draft);
}

/// The text of an editor with its cursor; pastes as `‹paste›`, pictures as `‹image›`.
pub(crate) fn shown(editor: &Editor) -> String {
    let draft = editor.draft();
    let mut left = draft.cursor;
    let mut text = String::new();
    let mut put = |piece: &str, text: &mut String| {
        if left == 0 {
            text.push('|');
        }
        left = left.wrapping_sub(1);
        text.push_str(piece);
    };
    for part in draft.content.parts() {
        match part {
            ContentPart::Text(typed) => {
                typed.chars().for_each(|c| put(c.encode_utf8(&mut [0; 4]), &mut text));
            }
            ContentPart::Paste { .. } => put("‹paste›", &mut text),
            ContentPart::Image(_) => put("‹image›", &mut text),
        }
    }
    put("", &mut text);
    text
}

/// Applies commands to a marked text and compares.
#[track_caller]
pub(crate) fn check(before: &str, commands: &[Command], after: &str) {
    let mut editor = editor(before);
    for command in commands {
        editor.apply(command.clone());
    }
    assert_eq!(shown(&editor), after, "{before} {commands:?}");
}

pub(crate) fn to(motion: Motion) -> Command {
    Command::Move(motion)
}

pub(crate) fn typed(editor: &mut Editor, text: &str) {
    for character in text.chars() {
        editor.apply(Command::Insert(character.to_string()));
    }
}

/// Styles that can be told apart.
pub(crate) fn styles() -> Styles<'static> {
    let color = |index| Style::PLAIN.foreground(Color::Indexed(index));
    Styles {
        text: Style::PLAIN,
        border: color(1),
        placeholder: color(2),
        ghost: color(3),
        marker: color(4),
        keyword: color(5),
        selection: Style::PLAIN.with(Attributes::REVERSE),
        popup: Style::PLAIN,
        popup_selected: color(6),
        popup_detail: color(7),
        popup_topic: color(7),
        glyphs: Glyphs::UNICODE,
    }
}

/// A look without a frame.
pub(crate) fn bare<'a>(width: usize, height: usize, styles: &'a Styles<'a>) -> Look<'a> {
    Look {
        width,
        height,
        command_rows: 0,
        styles,
        frame: Frame::None,
        title: None,
        title_right: None,
        placeholder: "",
        keywords: &|_| Vec::new(),
    }
}

/// Draws without a frame, so that rows are known.
pub(crate) fn draw(editor: &mut Editor, width: usize, height: usize) -> (Vec<String>, (usize, usize)) {
    let styles = styles();
    let rendered = editor.render(&bare(width, height, &styles));
    let rows = rendered.rows.iter().map(|row| row.text()).collect();
    (rows, (rendered.cursor.row, rendered.cursor.column))
}
