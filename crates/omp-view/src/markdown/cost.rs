//! What a reply costs on its way to the terminal.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use omp_tui::component::Fixed;
use omp_tui::render::{Intent, Profile, Renderer, Size};
use omp_tui::schedule::Extent;
use omp_tui::text::{Line, Style};
use omp_tui::transcript::{Block, Transcript};
use omp_tui::ui::Ui;

use super::MarkdownStream;
use crate::testing::look;

const SIZE: Size = Size { width: 120, height: 40 };

/// Words that differ from place to place.
fn words(from: usize, count: usize) -> String {
    let all = [
        "the", "terminal", "writes", "what", "changed", "and", "nothing", "else", "so", "a", "long", "answer",
    ];
    (0..count).map(|at| all[(from * 5 + at * 7) % all.len()]).collect::<Vec<_>>().join(" ")
}

/// A part of an answer with everything in it.
fn section(number: usize) -> String {
    let mut text = format!(
        "## Step {number}\n\n{}, see `file_{number}.rs` and **{}**.\n\n",
        words(number, 30),
        words(1, 2)
    );
    for item in 0..7 {
        text += &format!("- item {number}.{item} with **{}** and `code_{item}`\n", words(item, 4));
        for inner in 0..item % 4 {
            text += &format!("  - nested {number}.{item}.{inner} says {}\n", words(inner, 14));
        }
    }
    text += "\n| name | what | number |\n|---|:--|--:|\n";
    for row in 0..6 + number % 12 {
        text += &format!("| {} {row} | {} | {} |\n", words(row, 1), words(row, 3), number * row);
    }
    text += ["\n```rust\n", "\n```python\n", "\n```\n"][number % 3];
    for row in 0..5 + number % 20 {
        text +=
            &format!("let value_{row} = call_{number}({row}, \"{}\"); // {}\n", words(row, 2), words(row, 3));
    }
    text += &format!("```\n\n{}\n\n", "终端只写改变了的内容。端末は変更された部分だけを書きます。".repeat(3));
    for at in 1..5 {
        text += &format!("{at}. ordered {number}.{at}: {}\n", words(at, 14));
    }
    text + "\n"
}

fn answer() -> String {
    (0..)
        .map(section)
        .scan(0, |size, text| {
            *size += text.len();
            (*size < 26_000).then_some(text)
        })
        .collect()
}

#[derive(Clone)]
struct Prose(Rc<RefCell<MarkdownStream>>);

impl Block for Prose {
    fn rows(&mut self, _width: usize) -> Arc<[Line]> {
        self.0.borrow_mut().rows().into()
    }

    fn is_final(&self) -> bool {
        false
    }

    fn final_rows(&mut self, _width: usize) -> usize {
        self.0.borrow_mut().final_rows()
    }
}

/// A reply with everything in it, a frame for every 24 to 36 bytes as at the pace of a fast model: less than three bytes
/// are written for each byte of text, no row that is on the screen is written whole again, nothing is erased.
#[test]
fn a_reply_with_everything_in_it_is_cheap() {
    let answer = answer();
    let mut ui = Ui::new();
    let prose = Prose(Rc::new(RefCell::new(MarkdownStream::new(look(SIZE.width), Style::PLAIN))));
    let mut transcript = Transcript::new();
    transcript.push(Box::new(prose.clone()));
    ui.push(transcript);
    let editor = "─".repeat(SIZE.width - 2);
    let below = ["", "model · 12%", &format!("╭{editor}╮"), "│ Ask anything", &format!("╰{editor}╯")];
    ui.push(Fixed::live(below.map(Line::plain).to_vec()));
    let mut renderer = Renderer::new(Profile::default());
    let (mut written, mut hidden, mut rest) = (0, 0, answer.as_str());
    let mut kinds = std::collections::BTreeMap::<String, (usize, usize)>::new();
    for frame in 0.. {
        let (piece, after) = rest.split_at(rest.floor_char_boundary((24 + frame % 13).min(rest.len())));
        rest = after;
        prose.0.borrow_mut().push(piece);
        let composed = ui.compose(SIZE, &Extent::Everything);
        let painted = renderer.paint(&composed.view(), SIZE);
        if frame > 0 {
            written += painted.bytes.len();
            assert_ne!(painted.intent, Intent::FullPaint);
            let kind = kinds.entry(format!("{:?}", painted.intent)).or_default();
            *kind = (kind.0 + 1, kind.1 + painted.bytes.len());
        }
        hidden += usize::from(painted.ledger.top > painted.ledger.committed);
        let text = String::from_utf8_lossy(&painted.bytes);
        assert!(!text.contains("\x1b[2J\x1b[H\x1b[3J") && !text.contains("\x1b[?1049h"));
        if rest.is_empty() {
            break;
        }
    }
    assert_eq!(hidden, 0, "frames in which a row was neither in history nor on the screen");
    assert!(written <= 3 * answer.len(), "{written} bytes for {}: {kinds:?}", answer.len());
}
