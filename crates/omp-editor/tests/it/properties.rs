//! Whatever is typed, what must hold holds.

use omp_editor::{
    Command, Content, ContentPart, Editor, Frame, ImageHandle, Look, Motion, Operator, Options, Outcome,
    Side, Target,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{bare, styles};

/// Pieces that break naive editors.
const PIECES: &[&str] = &[
    "a",
    "Z9_",
    " ",
    "  ",
    "\n",
    "\t",
    "word ",
    ".",
    "/",
    "@",
    ":",
    "#",
    "!",
    "$",
    "日本",
    "한",
    "e\u{301}",
    "\u{301}",
    "\u{200d}",
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇩",
    "🇩🇪",
    "❤️",
    "\u{fe0f}",
    "שלום",
    "مرحبا",
    "\u{202e}",
    "\u{200b}",
    "\u{1b}",
    "\r\n",
    "\u{600}",
    "\u{100000}",
    "नि",
    "\u{2028}",
    "\0",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 0..12).prop_map(|pieces| pieces.concat())
}

fn motion() -> impl Strategy<Value = Motion> {
    let find = |forward: bool, till: bool| {
        let target = "a".to_owned();
        if forward {
            Motion::FindForward { target, till, line_only: till }
        } else {
            Motion::FindBackward { target, till, line_only: till }
        }
    };
    prop_oneof![
        select(vec![
            Motion::Left,
            Motion::Right,
            Motion::Up,
            Motion::Down,
            Motion::WordLeft,
            Motion::WordRight,
            Motion::NextWord,
            Motion::WordEnd,
            Motion::LineStart,
            Motion::LineText,
            Motion::LineEnd,
            Motion::TextStart,
            Motion::TextEnd,
            Motion::PageUp,
            Motion::PageDown,
            Motion::Line(2),
            Motion::LeftInLine,
            Motion::RightInLine,
        ]),
        (any::<bool>(), any::<bool>()).prop_map(move |(forward, till)| find(forward, till)),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let simple = select(vec![
        Command::NewLine,
        Command::DeleteBackward,
        Command::DeleteForward,
        Command::DeleteWordBackward,
        Command::DeleteWordForward,
        Command::DeleteToLineStart,
        Command::DeleteToLineEnd,
        Command::Transpose,
        Command::Yank,
        Command::YankPop,
        Command::Undo,
        Command::Redo,
        Command::JumpForward,
        Command::Tab,
        Command::Submit,
        Command::Cancel,
        Command::SelectNext,
        Command::SelectPrevious,
        Command::SelectAll,
        Command::SelectHere,
        Command::Copy,
        Command::Clear,
        Command::Put(Side::After),
        Command::Put(Side::Before),
        Command::OpenLine(Side::Before),
        Command::OpenLine(Side::After),
        Command::StayInLine,
        Command::Operate(Operator::Delete, Target::Lines(2)),
        Command::Operate(Operator::Change, Target::LinesAbove(1)),
        Command::Operate(Operator::Delete, Target::Selection { lines: true }),
        Command::Operate(Operator::Yank, Target::Selection { lines: false }),
    ]);
    prop_oneof![
        4 => text().prop_map(Command::Insert),
        1 => text().prop_map(Command::Paste),
        1 => text().prop_map(|text| Command::Paste(text.repeat(20))),
        4 => motion().prop_map(Command::Move),
        1 => motion().prop_map(Command::Select),
        1 => motion().prop_map(|motion| Command::Operate(Operator::Delete, Target::To(motion))),
        6 => simple,
    ]
}

fn holds(editor: &mut Editor, width: usize, height: usize, frame: Frame) -> Result<(), TestCaseError> {
    // Going left and right again leads back: the cursor is between two characters.
    let place = editor.cursor();
    let draft = editor.draft();
    let mut copy = Editor::new(Options { ask_lines: 0, ..Options::default() });
    copy.restore(&draft);
    prop_assert_eq!(copy.draft(), draft.clone(), "a draft comes back as it was");
    if copy.apply(Command::Move(Motion::Left)) == Outcome::Handled {
        copy.apply(Command::Move(Motion::Right));
        prop_assert_eq!(copy.cursor(), place);
    }
    let styles = styles();
    // Rows that were kept are those that would be made.
    let whole = Look { placeholder: "type here", ..bare(width, 20_000, &styles) };
    let texts =
        |editor: &mut Editor| editor.render(&whole).rows.iter().map(|row| row.text()).collect::<Vec<_>>();
    copy.restore(&draft);
    if !draft.content.parts().iter().any(|part| matches!(part, ContentPart::Paste { .. })) {
        prop_assert_eq!(texts(editor), texts(&mut copy));
    }
    let look = Look { frame, placeholder: "type here", ..bare(width, height, &styles) };
    let rendered = editor.render(&look);
    prop_assert!(!rendered.rows.is_empty() && rendered.rows.len() <= height.max(1));
    for row in rendered.rows.iter().chain(&rendered.popup) {
        prop_assert!(row.width() <= width, "{:?} is wider than {}", row.text(), width);
        prop_assert!(!row.text().chars().any(char::is_control));
    }
    prop_assert!(rendered.cursor.row < rendered.rows.len());
    prop_assert!(rendered.cursor.column < width.max(1));
    prop_assert!(rendered.popup.len() <= 5);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_commands_keep_what_must_hold(
        commands in prop::collection::vec(command(), 1..30),
        width in 1_usize..40,
        height in 1_usize..8,
        frame in select(vec![Frame::Box, Frame::Rules, Frame::None]),
    ) {
        let mut editor = Editor::new(Options { ask_lines: 0, ..Options::default() });
        editor.set_history(Box::new(vec!["earlier".into(), "a\nb".into()]));
        editor.insert_image(ImageHandle("picture".into()));
        for command in commands {
            editor.apply(command);
            holds(&mut editor, width, height, frame)?;
        }
    }

    /// Everything can be taken back to the beginning, and done again to the end.
    #[test]
    fn everything_can_be_taken_back(start in text(), commands in prop::collection::vec(command(), 1..30)) {
        let mut editor = Editor::new(Options { ask_lines: 0, ..Options::default() });
        editor.restore(&omp_editor::Draft { content: Content::from(start.as_str()), cursor: 0 });
        let first = editor.content();
        for command in commands {
            editor.apply(command);
        }
        while editor.apply(Command::Redo) == Outcome::Handled {}
        let end = editor.content();
        while editor.apply(Command::Undo) == Outcome::Handled {}
        prop_assert_eq!(editor.content(), first);
        while editor.apply(Command::Redo) == Outcome::Handled {}
        prop_assert_eq!(editor.content(), end);
    }

    /// What is typed appears in the cell of the cursor, whatever stands around it.
    #[test]
    fn the_cursor_is_where_text_appears(content in text(), steps in 0_usize..12, width in 2_usize..30) {
        let mut editor = Editor::new(Options { emoji: false, ..Options::default() });
        editor.restore(&omp_editor::Draft { content: Content::from(content.as_str()), cursor: 0 });
        for _ in 0..steps {
            editor.apply(Command::Move(Motion::Right));
        }
        let styles = styles();
        editor.apply(Command::Insert("X".to_owned()));
        let end = editor.cursor();
        let after = editor.render(&bare(width, 50, &styles));
        editor.apply(Command::Move(Motion::Left));
        // Some characters join the one behind them.
        prop_assume!(end.byte == editor.cursor().byte + 1);
        let before = editor.render(&bare(width, 50, &styles));
        let row = &before.rows[before.cursor.row];
        let cell = row.slice(before.cursor.column, before.cursor.column + 1).text();
        prop_assert!(cell.starts_with('X'), "{cell:?} in {:?} at {:?}", row.text(), before.cursor);
        if after.cursor.row == before.cursor.row {
            prop_assert_eq!(after.cursor.column, before.cursor.column + 1);
        }
    }

    /// Up and down lead back to the row they began in.
    #[test]
    fn up_undoes_down(content in text(), width in 4_usize..20) {
        let mut editor = Editor::default();
        editor.restore(&omp_editor::Draft { content: Content::from(content.as_str()), cursor: 0 });
        let styles = styles();
        editor.render(&bare(width, 8, &styles));
        let start = editor.cursor();
        editor.apply(Command::Move(Motion::Down));
        if editor.cursor().line > start.line {
            editor.apply(Command::Move(Motion::Up));
            prop_assert_eq!(editor.cursor().line, start.line);
        }
    }
}
