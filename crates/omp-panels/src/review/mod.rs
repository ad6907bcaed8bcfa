//! The review of a plan: its sections, notes about them, who carries it out, and what becomes of it.

mod draw;
mod sections;
#[cfg(test)]
mod tests;

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_tui::input::{Code, Key, Modifiers};

pub use sections::Section;

/// Something that can be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it is called.
    pub label: String,
    /// Shown, but not to be taken now.
    pub enabled: bool,
}

/// What the review wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewRequest {
    /// Nothing but drawing.
    Stay,
    /// The reader wants to write about a section: its title, and the note so far.
    Annotate(String, String),
    /// The plan is to be changed in another program.
    Edit,
    /// This decision, by its place.
    Decide(usize),
    /// The reader leaves without one.
    Leave,
}

/// A plan in front of its reader.
#[derive(Clone, Debug)]
pub struct Review {
    title: String,
    sections: Vec<Section>,
    /// Sections that were taken out, with their places, the last one last.
    removed: Vec<(usize, Section)>,
    decisions: Vec<Decision>,
    /// Who could carry it out: roles with their models.
    roles: Vec<(String, String)>,
    role: usize,
    /// The place in the list: sections first, then decisions.
    cursor: usize,
    top: usize,
    changed: bool,
}

impl Review {
    /// A plan with what can be decided about it. Of fewer than two roles none can be chosen. The first decision is looked at.
    pub fn new(title: &str, text: &str, decisions: Vec<Decision>, roles: Vec<(String, String)>) -> Self {
        let role = roles.iter().position(|(role, _)| role == "default").unwrap_or(0);
        let mut review = Self {
            title: title.to_owned(),
            sections: sections::split(text),
            removed: Vec::new(),
            decisions,
            roles,
            role,
            cursor: 0,
            top: 0,
            changed: false,
        };
        review.cursor = review.sections.len();
        review
    }

    /// The plan as it is now.
    pub fn text(&self) -> String {
        self.sections.iter().map(|section| section.text.as_str()).collect()
    }

    /// Is it another one than was handed in?
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// The role that carries it out; `None` where there is no choice.
    pub fn role(&self) -> Option<&str> {
        self.roles.get(self.role).filter(|_| self.roles.len() > 1).map(|(role, _)| role.as_str())
    }

    /// What the notes ask for, as words to the model; `None` without notes.
    pub fn notes(&self) -> Option<String> {
        let noted: Vec<String> = self
            .sections
            .iter()
            .filter(|section| !section.note.trim().is_empty())
            .map(|section| format!("{}:\n{}", named(section), section.note.trim()))
            .collect();
        (!noted.is_empty()).then(|| format!("Change the plan:\n\n{}", noted.join("\n\n")))
    }

    /// The note about the section that is looked at.
    pub fn annotate(&mut self, note: &str) {
        if let Some(section) = self.sections.get_mut(self.cursor) {
            section.note = note.trim().to_owned();
        }
    }

    /// The plan was changed elsewhere. Notes about sections that kept their titles stay.
    pub fn replace(&mut self, text: &str) {
        if text == self.text() {
            return;
        }
        let before = std::mem::replace(&mut self.sections, sections::split(text));
        for section in &mut self.sections {
            if let Some(known) = before.iter().find(|known| known.title == section.title) {
                section.note.clone_from(&known.note);
            }
        }
        self.removed.clear();
        self.changed = true;
        self.cursor = self.sections.len();
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key, keys: &Bindings) -> ReviewRequest {
        let chord = Chord::from(key);
        let count = self.sections.len() + self.decisions.len();
        match keys.action(Context::Select, chord) {
            Some(actions::SELECT_UP) => {
                self.cursor = self.cursor.checked_sub(1).unwrap_or(count.saturating_sub(1));
            }
            Some(actions::SELECT_DOWN) => self.cursor = (self.cursor + 1) % count.max(1),
            Some(actions::SELECT_PAGE_UP) => self.cursor = 0,
            Some(actions::SELECT_PAGE_DOWN) => self.cursor = count.saturating_sub(1),
            Some(actions::SELECT_CONFIRM) => return self.confirm(),
            Some(actions::SELECT_CANCEL) => return ReviewRequest::Leave,
            _ if keys.is(chord, actions::EDITOR_EXTERNAL) => return ReviewRequest::Edit,
            _ if keys.is(chord, actions::UNDO) => self.undo(),
            _ => return self.letter(key),
        }
        ReviewRequest::Stay
    }

    fn letter(&mut self, key: Key) -> ReviewRequest {
        match (key.code, key.text()) {
            (Code::Left, _) if key.modifiers == Modifiers::NONE => self.slide(self.roles.len().max(1) - 1),
            (Code::Right, _) if key.modifiers == Modifiers::NONE => self.slide(1),
            (Code::Delete, _) | (_, Some('d')) => self.remove(),
            (_, Some('u')) => self.undo(),
            (_, Some('a')) => return self.note(),
            (_, Some('e')) => return ReviewRequest::Edit,
            (_, Some(digit)) => {
                let place = digit.to_digit(10).and_then(|number| usize::try_from(number).ok());
                return place
                    .and_then(|place| place.checked_sub(1))
                    .map_or(ReviewRequest::Stay, |place| self.decide(place));
            }
            _ => {}
        }
        ReviewRequest::Stay
    }

    fn confirm(&mut self) -> ReviewRequest {
        match self.cursor.checked_sub(self.sections.len()) {
            Some(place) => self.decide(place),
            None => self.note(),
        }
    }

    fn decide(&self, place: usize) -> ReviewRequest {
        match self.decisions.get(place) {
            Some(decision) if decision.enabled => ReviewRequest::Decide(place),
            _ => ReviewRequest::Stay,
        }
    }

    fn note(&self) -> ReviewRequest {
        let section = self.sections.get(self.cursor);
        section.map_or(ReviewRequest::Stay, |section| {
            ReviewRequest::Annotate(named(section).to_owned(), section.note.clone())
        })
    }

    fn slide(&mut self, by: usize) {
        if self.roles.len() > 1 {
            self.role = (self.role + by) % self.roles.len();
        }
    }

    /// Takes the section out; the last one stays, because a plan is never empty.
    fn remove(&mut self) {
        if self.cursor < self.sections.len() && self.sections.len() > 1 {
            self.removed.push((self.cursor, self.sections.remove(self.cursor)));
            self.cursor = self.cursor.min(self.sections.len() - 1);
            self.changed = true;
        }
    }

    fn undo(&mut self) {
        if let Some((place, section)) = self.removed.pop() {
            let place = place.min(self.sections.len());
            self.sections.insert(place, section);
            self.cursor = place;
        }
    }
}

/// What a section is called.
fn named(section: &Section) -> &str {
    if section.title.is_empty() { "(beginning)" } else { &section.title }
}
