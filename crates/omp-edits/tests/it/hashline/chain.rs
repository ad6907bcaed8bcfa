//! Sessions of reads, edits and changes from outside, beside a plain list of lines that know who they are: an edit that
//! is accepted changes exactly the lines that were meant, whatever happened to the file since they were shown.

use omp_edits::hashline::{Snapshots, Tag};
use proptest::prelude::*;

use crate::hashline::support::plan;

/// A line that is the same line wherever it moves to.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    id: usize,
    text: String,
}

/// Lines that look alike are what an edit can be mistaken about.
fn line_text() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![2 => Just(None), 1 => Just(Some("}")), 1 => Just(Some("")), 1 => Just(Some("same();"))]
}

#[derive(Clone, Debug)]
enum Event {
    Read,
    /// Somebody else inserts a line: a new one, or one that looks like others.
    Insert(usize, Option<&'static str>),
    Remove(usize),
    Change(usize, Option<&'static str>),
    /// The model edits by one of the texts that it was shown.
    Edit(usize, Aim),
}

#[derive(Clone, Debug)]
enum Aim {
    Swap(usize, usize, usize),
    Delete(usize, usize),
    Before(usize),
    After(usize),
}

fn aim() -> impl Strategy<Value = Aim> {
    let line = 0_usize..12;
    prop_oneof![
        (line.clone(), 0_usize..3, 1_usize..3).prop_map(|(line, more, rows)| Aim::Swap(line, more, rows)),
        (line.clone(), 0_usize..3).prop_map(|(line, more)| Aim::Delete(line, more)),
        line.clone().prop_map(Aim::Before),
        line.prop_map(Aim::After),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => Just(Event::Read),
        2 => (0_usize..14, line_text()).prop_map(|(at, text)| Event::Insert(at, text)),
        2 => (0_usize..14).prop_map(Event::Remove),
        1 => (0_usize..14, line_text()).prop_map(|(at, text)| Event::Change(at, text)),
        4 => (0_usize..4, aim()).prop_map(|(back, aim)| Event::Edit(back, aim)),
    ]
}

/// A file, and what the model knows of it.
struct World {
    /// A line that looks like others went. From then on none comes, and texts from before are not aimed at: where one
    /// came and another went, the text does not tell whether it is the same.
    gone: bool,
    snapshots: Snapshots,
    live: Vec<Line>,
    shown: Vec<(Tag, Vec<Line>)>,
    next: usize,
    accepted: usize,
}

fn join(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", line.text)).collect()
}

impl World {
    fn new(texts: &[Option<&'static str>]) -> Self {
        let (snapshots, live, shown) = (Snapshots::new(), Vec::new(), Vec::new());
        let mut world = Self { gone: false, snapshots, live, shown, next: 0, accepted: 0 };
        world.live = texts.iter().map(|text| world.line(*text)).collect();
        world.read();
        world
    }

    fn line(&mut self, text: Option<&str>) -> Line {
        self.next += 1;
        Line { id: self.next, text: text.map_or_else(|| format!("line {}", self.next), str::to_owned) }
    }

    fn coming(&self, text: Option<&'static str>) -> Option<&'static str> {
        text.filter(|_| !self.gone)
    }

    fn go(&mut self, lines: std::ops::Range<usize>) {
        let alike = self.live[lines].iter().any(|line| !line.text.starts_with("line "));
        if alike && !self.gone {
            self.gone = true;
            self.shown.clear();
            self.read();
        }
    }

    fn read(&mut self) {
        let tag = self.snapshots.record("f", &join(&self.live));
        self.shown.push((tag, self.live.clone()));
    }

    fn happen(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Read => self.read(),
            Event::Insert(at, text) => {
                let (at, line) = ((*at).min(self.live.len()), self.line(self.coming(*text)));
                self.live.insert(at, line);
            }
            Event::Remove(at) if *at < self.live.len() => {
                self.go(*at..at + 1);
                self.live.remove(*at);
            }
            Event::Change(at, text) if *at < self.live.len() => {
                self.go(*at..at + 1);
                self.live[*at] = self.line(self.coming(*text));
            }
            Event::Remove(_) | Event::Change(..) => {}
            Event::Edit(back, aim) => return self.edit(self.shown.len().saturating_sub(back + 1), aim),
        }
        Ok(())
    }

    /// Where the whole text that was shown is still there, in one piece and at one end of the file alone, nobody can tell
    /// that a line which looks alike came between: it is as if it came outside.
    fn know_again(&mut self, shown: &[Line]) {
        let texts = |lines: &[Line]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        let (live, known) = (texts(&self.live), texts(shown));
        let place = match (live.starts_with(&known), live.ends_with(&known)) {
            (true, false) => 0,
            (false, true) => live.len() - known.len(),
            _ => return,
        };
        // Texts that were shown with these lines known otherwise are not aimed at any more.
        if self.live[place..place + shown.len()] != *shown {
            self.shown.retain(|(_, lines)| lines == shown);
        }
        for (index, line) in (place..).zip(shown) {
            let id = std::mem::replace(&mut self.live[index].id, line.id);
            let other = self.live.iter().enumerate().position(|(at, live)| at != index && live.id == line.id);
            if let Some(other) = other {
                self.live[other].id = id;
            }
        }
    }

    fn edit(&mut self, version: usize, aim: &Aim) -> Result<(), TestCaseError> {
        let (tag, shown) = self.shown[version].clone();
        // Tags are short: where two texts have the same by chance, the newer one is meant.
        let newer = self.shown[version + 1..].iter().filter(|(other, _)| *other == tag);
        if newer.into_iter().any(|(_, lines)| join(lines) != join(&shown)) {
            return Ok(());
        }
        let (first, last, rows) = match aim {
            Aim::Swap(first, more, rows) => (*first, first + more, *rows),
            Aim::Delete(first, more) => (*first, first + more, 0),
            Aim::Before(line) | Aim::After(line) => (*line, *line, 1),
        };
        if last >= shown.len() {
            return Ok(());
        }
        let body: Vec<Line> = (0..rows).map(|_| self.line(None)).collect();
        let (one, two) = (first + 1, last + 1);
        let head = match aim {
            Aim::Swap(..) => format!("SWAP {one}.={two}:"),
            Aim::Delete(..) => format!("DEL {one}.={two}"),
            Aim::Before(_) => format!("INS.PRE {one}:"),
            Aim::After(_) => format!("INS.POST {one}:"),
        };
        let body_rows: String = body.iter().map(|line| format!("+{}\n", line.text)).collect();
        let before = join(&self.live);
        let input = format!("[f#{tag}]\n{head}\n{body_rows}");
        let Ok(planned) = plan(&mut self.snapshots, "f", &before, &input) else { return Ok(()) };
        let meant = &shown[first..=last];
        self.know_again(&shown);
        let place = self.live.iter().position(|line| line.id == meant[0].id);
        let there = place.and_then(|place| self.live.get(place..place + meant.len()));
        prop_assert_eq!(there, Some(meant), "{} was applied to\n{}\nas\n{}", input, before, planned.text);
        let place = place.unwrap_or_default();
        let range = match aim {
            Aim::Swap(..) | Aim::Delete(..) => place..place + meant.len(),
            Aim::Before(_) => place..place,
            Aim::After(_) => place + 1..place + 1,
        };
        self.go(range.clone());
        self.live.splice(range, body);
        let after = join(&self.live);
        prop_assert_eq!(&planned.text, &after, "{} of\n{}", input, before);
        let tag = self.snapshots.record_edit("f", &before, &after, planned.changes);
        self.shown.push((tag, self.live.clone()));
        self.accepted += 1;
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn an_accepted_edit_changes_the_lines_that_were_meant(
        texts in proptest::collection::vec(line_text(), 4..12),
        events in proptest::collection::vec(event(), 1..16),
    ) {
        let mut world = World::new(&texts);
        for event in &events {
            world.happen(event)?;
        }
    }
}

/// The property above is worth something only where edits are accepted.
#[test]
fn edits_are_accepted_in_spite_of_changes() {
    let mut world = World::new(&[None; 12]);
    let events = [
        Event::Insert(0, None),
        Event::Edit(0, Aim::Swap(3, 1, 2)),
        Event::Remove(12),
        Event::Edit(1, Aim::After(7)),
        Event::Insert(5, Some("}")),
        Event::Edit(0, Aim::Delete(9, 0)),
        Event::Edit(1, Aim::Before(1)),
    ];
    for event in &events {
        world.happen(event).unwrap();
    }
    assert_eq!(world.accepted, 4);
}
