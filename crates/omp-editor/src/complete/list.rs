//! The list of offers: which one is selected, which ones are seen.

use super::rank::Ranker;
use super::{Offer, Trigger};

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListRow {
    /// The topic of the offer at this place.
    Topic(usize),
    /// The offer at this place.
    Offer(usize),
}

/// Whether offers stand under the names of their topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topics {
    Shown,
    Hidden,
}

/// The list of offers below the editor.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    /// The line of the trigger, and the trigger.
    pub(crate) at: Option<(usize, Trigger)>,
    offers: Vec<Offer>,
    selected: usize,
    /// The list in rows, and the first one that is seen.
    rows: Vec<ListRow>,
    first: usize,
    /// Whether the user has moved in the list.
    pub(crate) moved: bool,
    /// Counts questions, so that late answers are known.
    pub(crate) generation: u64,
    /// Where the user closed the list: it stays closed there.
    pub(crate) dismissed: Option<(usize, usize)>,
}

impl List {
    pub(crate) fn is_open(&self) -> bool {
        self.at.is_some() && !self.offers.is_empty()
    }

    pub(crate) fn offers(&self) -> &[Offer] {
        &self.offers
    }

    pub(crate) fn selected(&self) -> Option<&Offer> {
        self.offers.get(self.selected).filter(|_| self.at.is_some())
    }

    pub(crate) fn selected_index(&self) -> usize {
        self.selected
    }

    /// What is seen when `rows` fit: offers, and the names of their topics if `topics` are shown.
    pub(crate) fn seen(&mut self, rows: usize, topics: Topics) -> &[ListRow] {
        let rows = rows.max(1);
        self.rows.clear();
        let mut topic = "";
        for (place, offer) in self.offers.iter().enumerate() {
            if topics == Topics::Shown && offer.topic != topic {
                self.rows.push(ListRow::Topic(place));
                topic = &offer.topic;
            }
            self.rows.push(ListRow::Offer(place));
        }
        let at = self.rows.iter().position(|row| *row == ListRow::Offer(self.selected)).unwrap_or(0);
        // A topic comes into sight with its first command.
        let above =
            at.checked_sub(1).filter(|above| rows > 1 && matches!(self.rows[*above], ListRow::Topic(_)));
        let last = self.rows.len().saturating_sub(rows);
        self.first = self.first.clamp((at + 1).saturating_sub(rows), above.unwrap_or(at)).min(last);
        &self.rows[self.first..(self.first + rows).min(self.rows.len())]
    }

    /// Other offers. One that the user went to stays selected if it is among them.
    pub(crate) fn set(&mut self, mut offers: Vec<Offer>) {
        offers.truncate(super::MAX_OFFERS);
        let chosen = self.offers.get(self.selected).filter(|_| self.moved);
        let kept = chosen.and_then(|chosen| offers.iter().position(|offer| offer.insert == chosen.insert));
        self.moved = kept.is_some();
        self.selected = kept.unwrap_or(0);
        self.first = 0;
        self.offers = offers;
    }

    /// Until new offers come, only those are shown that fit what has been typed since: what Enter takes must fit.
    pub(crate) fn narrow(&mut self, query: &str) {
        let mut ranker = Ranker::new(query);
        let fitting = self.offers.iter().filter(|offer| ranker.name(&offer.insert).is_some()).cloned();
        let fitting = fitting.collect();
        self.set(fitting);
    }

    /// Moves the selection; a single step goes around.
    pub(crate) fn step(&mut self, by: isize) {
        let count = self.offers.len();
        if count == 0 {
            return;
        }
        self.moved = true;
        let last = count - 1;
        self.selected = match by {
            -1 if self.selected == 0 => last,
            1 if self.selected == last => 0,
            _ => self.selected.saturating_add_signed(by).min(last),
        };
    }

    /// Closes the list; answers that are under way are dropped.
    pub(crate) fn close(&mut self) {
        self.at = None;
        self.offers.clear();
        self.generation += 1;
        self.moved = false;
    }
}
