//! New sizes.

use std::time::Duration;

use omp_tui::ledger::Seam;
use omp_tui::render::Intent;
use omp_tui::schedule::Scheduler;
use omp_tui::text::Line;

use super::desk::{Desk, count};

fn paragraphs(width: usize) -> Vec<Line> {
    let text = "a paragraph that is long enough to be wrapped at any width that a terminal of our days may have, and then some";
    (0..40).flat_map(|number| Line::plain(&format!("{number} {text}")).wrap(width, 0)).collect()
}

/// proves: TUI-087
#[test]
fn history_is_wrapped_anew() {
    let mut desk = Desk::direct(120, 30);
    desk.paint(&paragraphs(120), Seam::default());
    desk.resize(60, 30);
    let painted = desk.paint(&paragraphs(60), Seam::default());
    assert_eq!(painted.intent, Intent::FullPaint);
    assert_eq!(count(&painted.bytes, "\x1b[2J\x1b[H\x1b[3J"), 1);
    let mut fresh = Desk::direct(60, 30);
    fresh.paint(&paragraphs(60), Seam::default());
    assert_eq!(desk.tape(), fresh.tape());
    assert_eq!(desk.renderer.ledger(), fresh.renderer.ledger());
}

/// proves: TUI-088
#[test]
fn a_storm_in_a_multiplexer_is_one_repaint_in_place() {
    let mut desk = Desk::multiplexer(60, 20);
    let mut scheduler = Scheduler::new();
    let frame = paragraphs(60);
    desk.paint(&frame, Seam::default());
    let mut frames = Vec::new();
    for step in 0..60u64 {
        let now = Duration::from_millis(step * 10);
        if step < 30 {
            desk.resize(60, 10 + (step as usize * 7) % 13);
            scheduler.resized(now);
        }
        if scheduler.take(now).is_some() {
            frames.push((step, desk.paint(&frame, Seam::default())));
        }
    }
    let [(step, painted)] = &frames[..] else { panic!("{} frames", frames.len()) };
    assert_eq!(*step, 34);
    assert_eq!(painted.intent, Intent::SeamRewrite);
    assert_eq!(count(&painted.bytes, "\x1b[2J") + count(&painted.bytes, "\x1b[3J"), 0);
    let top = desk.renderer.ledger().top;
    let expected: Vec<String> = frame[top..].iter().take(desk.size.height).map(Line::text).collect();
    assert_eq!(desk.screen()[..expected.len()], expected);
}

/// A thousand sizes while text streams in: every row of the end is there once, in order.
#[test]
fn a_thousand_sizes() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut desk = Desk::direct(80, 24);
    let mut text = Vec::new();
    for step in 0..1000 {
        if step % 25 == 0 {
            text.push(format!("{step} streamed words that wrap"));
        }
        let (width, height) = (random.usize(2..60), random.usize(1..20));
        desk.resize(width, height);
        let rows: Vec<Line> = text.iter().flat_map(|text| Line::plain(text).wrap(width, 0)).collect();
        desk.paint(&rows, Seam::default());
        if step % 100 == 99 {
            let expected: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
            assert_eq!(desk.tape(), expected, "step {step}");
        }
    }
}
