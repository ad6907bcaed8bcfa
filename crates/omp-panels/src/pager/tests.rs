use omp_keys::{Bindings, Platform};
use omp_tui::input::Code;
use omp_tui::text::Line;

use super::{Pager, PagerRequest};
use crate::testing::{assert_fits, look, plain, size, text};

fn pager(lines: usize) -> Pager {
    let rows = (1..=lines).map(|line| Line::plain(&format!("row {line}"))).collect();
    Pager::new("A text", rows).hints(vec!["Esc: close".to_owned()])
}

fn press(pager: &mut Pager, code: Code) -> Option<PagerRequest> {
    pager.key(plain(code), &Bindings::new(Platform::current(), &Default::default()))
}

fn shown(pager: &mut Pager) -> String {
    text(&pager.draw(&look(40), size(40, 8)))
}

#[test]
fn every_row_can_be_reached() {
    let mut pager = pager(20);
    assert_eq!(
        shown(&mut pager),
        "── A text ──────────────────────────────\nrow 1\nrow 2\nrow 3\nrow 4\nrow 5\n  ↓ 15 more\n  Esc: close · /: search\n"
    );
    press(&mut pager, Code::Down);
    assert!(shown(&mut pager).contains("row 6\n  ↑ 1  ↓ 14 more"), "{}", shown(&mut pager));
    press(&mut pager, Code::PageDown);
    assert!(
        shown(&mut pager).starts_with("── A text ──────────────────────────────\nrow 6\n"),
        "a row of the page before stays"
    );
    press(&mut pager, Code::End);
    assert!(shown(&mut pager).contains("row 20\n  ↑ 15 more"), "{}", shown(&mut pager));
    press(&mut pager, Code::Down);
    press(&mut pager, Code::Up);
    assert!(shown(&mut pager).contains("row 19\n") && !shown(&mut pager).contains("row 20"));
    press(&mut pager, Code::Home);
    assert!(shown(&mut pager).contains("row 1\n"));
}

#[test]
fn the_place_stays_when_the_rows_are_others() {
    let mut pager = pager(100);
    shown(&mut pager);
    press(&mut pager, Code::End);
    pager.replace((1..=200).map(|line| Line::plain(&format!("half {line}"))).collect());
    assert!(shown(&mut pager).contains("half 191\n"), "{}", shown(&mut pager));
    pager.replace(vec![Line::plain("short")]);
    assert_eq!(
        shown(&mut pager),
        "── A text ──────────────────────────────\nshort\n  Esc: close · /: search\n"
    );
}

#[test]
fn the_reader_goes_to_others_and_leaves() {
    let mut pager = pager(3);
    let wishes = [Code::Left, Code::Right, Code::Escape, Code::Char('x')].map(|code| press(&mut pager, code));
    assert_eq!(
        wishes,
        [Some(PagerRequest::Older), Some(PagerRequest::Newer), Some(PagerRequest::Close), None]
    );
    assert_fits(|look, size| pager.draw(look, size));
}

#[test]
fn words_are_found_and_counted() {
    let mut pager = pager(120);
    shown(&mut pager);
    for character in "/row 11".chars() {
        press(&mut pager, Code::Char(character));
    }
    let found = shown(&mut pager);
    assert!(found.contains("row 11\n") && found.contains("/row 11  1 of 11"), "{found}");
    press(&mut pager, Code::Enter);
    press(&mut pager, Code::Char('n'));
    let next = shown(&mut pager);
    assert!(next.contains("row 110\n") && next.contains("2 of 11"), "{next}");
    for character in "/nowhere".chars() {
        press(&mut pager, Code::Char(character));
    }
    assert!(shown(&mut pager).contains("No matches"), "{}", shown(&mut pager));
    assert_fits(|look, size| pager.draw(look, size));
    assert_eq!(press(&mut pager, Code::Escape), None, "the search ends first");
    assert!(!shown(&mut pager).contains("No matches"));
    assert_eq!(press(&mut pager, Code::Escape), Some(PagerRequest::Close));
}
