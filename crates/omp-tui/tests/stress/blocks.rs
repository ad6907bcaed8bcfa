//! The transcript: when the rows of a block become part of history.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use omp_tui::component::Fixed;
use omp_tui::render::Rows as _;
use omp_tui::schedule::Extent;
use omp_tui::text::{Color, Line, Style};
use omp_tui::transcript::{Block, Transcript};
use omp_tui::ui::{Id, Ui};

use super::desk::Desk;

/// A block whose rows are set from outside.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    texts: Vec<String>,
    style: Style,
    done: bool,
}

impl Shared {
    fn new(texts: Vec<String>, done: bool) -> Self {
        let shared = Self::default();
        shared.set(texts);
        shared.0.borrow_mut().done = done;
        shared
    }

    fn set(&self, texts: Vec<String>) {
        self.0.borrow_mut().texts = texts;
    }

    fn finish(&self) {
        self.0.borrow_mut().done = true;
    }
}

impl Block for Shared {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let state = self.0.borrow();
        state.texts.iter().flat_map(|text| Line::styled(state.style, text).wrap(width, 0)).collect()
    }

    fn is_final(&self) -> bool {
        self.0.borrow().done
    }
}

struct Stage {
    ui: Ui,
    transcript: Id,
    desk: Desk,
}

impl Stage {
    fn new() -> Self {
        let mut ui = Ui::new();
        let transcript = ui.push(Transcript::new());
        ui.push(Fixed::live(vec![Line::plain("> editor"), Line::plain("status")]));
        Self { ui, transcript, desk: Desk::direct(40, 24) }
    }

    fn push(&mut self, block: &Shared) {
        self.ui.get_mut::<Transcript>(self.transcript).unwrap().push(Box::new(block.clone()));
    }

    fn show(&mut self) {
        let frame = self.ui.compose(self.desk.size, &Extent::Everything);
        let view = frame.view();
        self.desk.paint(view.rows, view.seam);
    }
}

fn texts(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|row| format!("{name} {row}")).collect()
}

/// proves: TUI-030
#[test]
fn a_finished_block_is_frozen() {
    let mut stage = Stage::new();
    let first = Shared::new(texts("first", 60), true);
    stage.push(&first);
    stage.show();
    let history = stage.desk.history();
    assert!(history.len() >= 38);
    // Another theme, and more rows because of an expanded view.
    first.0.borrow_mut().style = Style::PLAIN.foreground(Color::Indexed(2));
    first.set(texts("expanded", 90));
    stage.ui.invalidate();
    let before = stage.desk.bytes.len();
    stage.show();
    assert_eq!(stage.desk.bytes.len(), before);
    stage.push(&Shared::new(texts("second", 5), true));
    stage.show();
    assert_eq!(stage.desk.history()[..history.len()], history);
    // The same holds for one that is finished before an older one is.
    let live = Shared::new(texts("live", 3), false);
    let third = Shared::new(texts("third", 3), true);
    stage.push(&live);
    stage.push(&third);
    stage.show();
    third.set(texts("expanded", 9));
    stage.show();
    live.finish();
    stage.show();
    let tape = stage.desk.tape();
    assert!(tape.contains(&"first 59".to_owned()) && tape.contains(&"third 2".to_owned()));
    assert!(!tape.iter().any(|row| row.contains("expanded")));
}

/// proves: TUI-031
#[test]
fn a_block_that_changes_stays_out_of_history() {
    let mut stage = Stage::new();
    stage.push(&Shared::new(texts("before", 5), true));
    let tool = Shared::new(Vec::new(), false);
    stage.push(&tool);
    for tick in 0..100 {
        let mut rows = texts("output", 40);
        rows[0] = format!("running {tick}");
        tool.set(rows);
        stage.show();
        let history = stage.desk.history();
        assert!(history.iter().all(|row| row.starts_with("before")), "{history:?}");
    }
    tool.finish();
    stage.show();
    let tape = stage.desk.tape();
    assert_eq!(tape.iter().filter(|row| row.starts_with("running")).count(), 1);
    let mut expected = texts("before", 5);
    expected.push("running 99".to_owned());
    expected.extend(texts("output", 40).split_off(1));
    expected.extend(["> editor".to_owned(), "status".to_owned()]);
    assert_eq!(tape, expected);
}

/// proves: TUI-032
#[test]
fn a_growing_answer_scrolls_while_it_grows() {
    let mut stage = Stage::new();
    let answer = Shared::new(Vec::new(), false);
    stage.push(&answer);
    let mut reached = Vec::new();
    for length in 1..=300 {
        answer.set(texts("line", length));
        stage.show();
        reached.push(stage.desk.history().len());
    }
    assert!(reached[299] >= 270, "{}", reached[299]);
    assert!(reached[100] >= 70 && reached[200] >= 170);
    answer.finish();
    stage.show();
    let mut expected = texts("line", 300);
    expected.extend(["> editor".to_owned(), "status".to_owned()]);
    assert_eq!(stage.desk.tape(), expected);
}

/// proves: TUI-034
#[test]
fn the_head_of_a_tall_block_is_not_cut_off() {
    let mut stage = Stage::new();
    let task = Shared::new(Vec::new(), false);
    stage.push(&task);
    for tick in 0..200 {
        let mut rows = texts("prompt", 60);
        rows.push(format!("spinner {tick}"));
        task.set(rows);
        stage.show();
    }
    let history = stage.desk.history();
    assert_eq!(history[0], "prompt 0");
    let tape = stage.desk.tape();
    for row in texts("prompt", 60) {
        assert_eq!(tape.iter().filter(|shown| **shown == row).count(), 1, "{row}");
    }
    assert_eq!(tape.iter().filter(|shown| shown.starts_with("spinner")).count(), 1);
}

/// proves: TUI-086
#[test]
fn a_frame_costs_what_is_not_finished() {
    let mut stage = Stage::new();
    for block in 0..2000 {
        stage.push(&Shared::new(texts(&format!("block {block}"), 2), true));
    }
    stage.show();
    let live = Shared::new(texts("live", 1), false);
    stage.push(&live);
    let renders = |stage: &mut Stage| stage.ui.get_mut::<Transcript>(stage.transcript).unwrap().renders();
    let before = renders(&mut stage);
    for length in 1..=50 {
        live.set(texts("live", length));
        stage.show();
    }
    assert_eq!(renders(&mut stage), before + 50);
    let frame = stage.ui.compose(stage.desk.size, &Extent::Everything);
    let first = frame.row(0);
    assert!(first.is_same(&frame.row(0)));
}
