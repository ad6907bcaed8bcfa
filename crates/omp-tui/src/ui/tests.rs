//! Focus, overlays, listeners, and how little is laid out.

use std::collections::BTreeSet;

use super::*;
use crate::component::{Fixed, Handled};
use crate::input::{Code, Event, Key, KeyEventKind, Modifiers};
use crate::render::{Position, Rows as _, Size};
use crate::schedule::Extent;
use crate::text::Line;

const SIZE: Size = Size { width: 40, height: 10 };

/// Collects what is typed and counts how often it is laid out.
#[derive(Default)]
struct Probe {
    typed: String,
    releases: usize,
    wants_release: bool,
    layouts: usize,
    focused: bool,
    line: Line,
}

impl Component for Probe {
    fn layout(&mut self, _width: usize) -> Layout {
        self.layouts += 1;
        if self.line.text() != self.typed {
            self.line = Line::plain(&self.typed);
        }
        let cursor = self.focused.then_some(Position { row: 0, column: self.typed.len() });
        Layout { rows: 1, cursor, ..Layout::default() }
    }

    fn row(&self, _index: usize) -> Line {
        self.line.clone()
    }

    fn input(&mut self, event: &Event) -> Handled {
        let Event::Key(key) = event else { return Handled::No };
        self.releases += usize::from(key.kind == KeyEventKind::Release);
        self.typed.extend(key.text());
        Handled::Yes
    }

    fn wants_release(&self) -> bool {
        self.wants_release
    }

    fn set_focused(&mut self, focused: bool) {
        self.focused = focused;
    }
}

fn typed(character: char) -> Event {
    Event::Key(Key::typed(character, Modifiers::NONE))
}

fn text(ui: &mut Ui, id: Id) -> String {
    ui.get_mut::<Probe>(id).unwrap().typed.clone()
}

/// proves: TUI-073
#[test]
fn listeners_come_first() {
    let mut ui = Ui::new();
    let editor = ui.push(Probe::default());
    ui.focus(editor);
    ui.listen(|event| if *event == typed('x') { Verdict::Consume } else { Verdict::Pass });
    ui.listen(|event| if *event == typed('a') { Verdict::Replace(typed('b')) } else { Verdict::Pass });
    assert_eq!(ui.dispatch(typed('x')), Dispatch::Consumed);
    assert_eq!(ui.dispatch(typed('a')), Dispatch::Handled);
    assert_eq!(ui.dispatch(typed('c')), Dispatch::Handled);
    assert_eq!(text(&mut ui, editor), "bc");
}

/// proves: TUI-074
#[test]
fn the_debug_key_reaches_no_component() {
    let mut ui = Ui::new();
    let editor = ui.push(Probe::default());
    let debug = Event::Key(Key::new(Code::Char('d'), Modifiers::CTRL | Modifiers::SHIFT));
    assert_eq!(ui.dispatch(debug.clone()), Dispatch::Debug);
    ui.focus(editor);
    assert_eq!(ui.dispatch(debug.clone()), Dispatch::Debug);
    ui.show_overlay(Probe::default(), OverlayOptions::default());
    assert_eq!(ui.dispatch(debug), Dispatch::Debug);
    assert_eq!(text(&mut ui, editor), "");
}

/// proves: TUI-075, TUI-089
#[test]
fn a_hidden_overlay_takes_no_keys() {
    let mut ui = Ui::new();
    let editor = ui.push(Probe::default());
    ui.focus(editor);
    let small = ui.show_overlay(Probe::default(), OverlayOptions::default());
    let least = Size { width: 30, height: 8 };
    let large = ui.show_overlay(Probe::default(), OverlayOptions { least, ..OverlayOptions::default() });
    assert_eq!(ui.compose(SIZE, &Extent::Everything).view().covers.len(), 2);
    ui.dispatch(typed('1'));
    // Too small for the upper one: the next one that can be seen has the focus.
    assert_eq!(ui.compose(Size { width: 20, height: 5 }, &Extent::Everything).view().covers.len(), 1);
    assert_eq!(ui.focused(), Some(small));
    ui.dispatch(typed('2'));
    // And without that one, what had it before.
    ui.hide_overlay(small, true);
    ui.dispatch(typed('3'));
    assert_eq!(
        (text(&mut ui, large), text(&mut ui, small), text(&mut ui, editor)),
        ("1".into(), "2".into(), "3".into())
    );
    // A key that comes before the frame for the new size finds the right place, too.
    ui.hide_overlay(small, false);
    ui.focus(small);
    ui.close_overlay(small);
    ui.dispatch(typed('4'));
    assert_eq!(text(&mut ui, editor), "34");
}

/// proves: TUI-076
#[test]
fn releases_are_for_those_who_ask() {
    let mut ui = Ui::new();
    let editor = ui.push(Probe::default());
    let player = ui.push(Probe { wants_release: true, ..Probe::default() });
    let release = Event::Key(Key { kind: KeyEventKind::Release, ..Key::typed('a', Modifiers::NONE) });
    let repeat = Event::Key(Key { kind: KeyEventKind::Repeat, ..Key::typed('a', Modifiers::NONE) });
    ui.focus(editor);
    for event in [typed('a'), repeat, release.clone()] {
        ui.dispatch(event);
    }
    assert_eq!(text(&mut ui, editor), "aa");
    assert_eq!(ui.get_mut::<Probe>(editor).unwrap().releases, 0);
    ui.focus(player);
    assert_eq!(ui.dispatch(release), Dispatch::Handled);
    assert_eq!((text(&mut ui, player), ui.get_mut::<Probe>(player).unwrap().releases), (String::new(), 1));
}

/// proves: TUI-084
#[test]
fn a_component_alone_leaves_the_others_alone() {
    let mut ui = Ui::new();
    let transcript = ui.push(Probe::default());
    let spinner = ui.push(Probe::default());
    let layouts = |ui: &mut Ui, size: Size, extent: &Extent| {
        drop(ui.compose(size, extent));
        ui.get_mut::<Probe>(transcript).unwrap().layouts
    };
    let alone = Extent::Components(BTreeSet::from([spinner.number()]));
    assert_eq!(layouts(&mut ui, SIZE, &alone), 1);
    for _ in 0..100 {
        assert_eq!(layouts(&mut ui, SIZE, &alone), 1);
    }
    assert_eq!(ui.get_mut::<Probe>(spinner).unwrap().layouts, 101);
    // A new size, an overlay or a full request falls back to everything.
    assert_eq!(layouts(&mut ui, Size { width: 41, height: 10 }, &alone), 2);
    assert_eq!(layouts(&mut ui, Size { width: 41, height: 10 }, &Extent::Everything), 3);
    let overlay = ui.show_overlay(Fixed::live(vec![Line::plain("x")]), OverlayOptions::default());
    assert_eq!(layouts(&mut ui, Size { width: 41, height: 10 }, &alone), 4);
    ui.close_overlay(overlay);
    // Another component in a lane is laid out in any case.
    ui.replace(transcript, Probe::default());
    assert_eq!(layouts(&mut ui, Size { width: 41, height: 10 }, &alone), 1);
}

/// proves: TUI-107
#[test]
fn rows_belong_to_the_component_and_stay_the_same_object() {
    let mut ui = Ui::new();
    let plain = ui.push(Fixed::new(vec![Line::plain("fixed")]));
    let editor = ui.push(Probe::default());
    ui.focus(editor);
    ui.dispatch(typed('a'));
    let rows = |ui: &mut Ui| {
        let frame = ui.compose(SIZE, &Extent::Everything);
        (0..frame.len()).map(|row| frame.row(row)).collect::<Vec<Line>>()
    };
    let first = rows(&mut ui);
    let second = rows(&mut ui);
    assert!(first.iter().zip(&second).all(|(old, new)| old.is_same(new)));
    ui.dispatch(typed('b'));
    ui.get_mut::<Fixed>(plain).unwrap().set(vec![Line::plain("other")]);
    let third = rows(&mut ui);
    assert!(first.iter().zip(&third).all(|(old, new)| !old.is_same(new)));
    // Asking for another type finds nothing.
    assert!(ui.get_mut::<Fixed>(editor).is_none());
}

#[test]
fn the_frame_is_the_lanes_one_below_the_other() {
    let mut ui = Ui::new();
    ui.push(Fixed::new(vec![Line::plain("a"), Line::plain("b")]));
    ui.push(Fixed::new(Vec::new()));
    let editor = ui.push(Probe::default());
    ui.push(Fixed::live(vec![Line::plain("status")]));
    ui.focus(editor);
    ui.dispatch(typed('x'));
    let frame = ui.compose(SIZE, &Extent::Everything);
    let texts: Vec<String> = (0..frame.len()).map(|row| frame.row(row).text()).collect();
    assert_eq!(texts, ["a", "b", "x", "status"]);
    let view = frame.view();
    assert_eq!(view.cursor, Some(Position { row: 2, column: 1 }));
    assert_eq!(view.seam.boundary(4), 3);
}

/// A picker stands below what there is, and over the end of it where the screen is full.
#[test]
fn an_overlay_stands_below_short_lanes() {
    for (lanes, wanted) in [(3, 3), (7, 7), (8, 7), (30, 7)] {
        let mut ui = Ui::new();
        ui.push(Fixed::new((0..lanes).map(|row| Line::plain(&format!("row {row}"))).collect::<Vec<_>>()));
        let options = OverlayOptions { anchor: Anchor::Below, ..OverlayOptions::default() };
        ui.show_overlay(Fixed::live(vec![Line::plain("picker"); 3]), options);
        let frame = ui.compose(SIZE, &Extent::Everything);
        assert_eq!(frame.view().covers[0].at, Position { row: wanted, column: 0 }, "{lanes}");
    }
}
