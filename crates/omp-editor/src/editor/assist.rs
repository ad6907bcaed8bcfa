//! The list of completions and the text.

use super::Editor;
use super::dispatch::Assist;
use crate::command::Outcome;
use crate::complete::{
    self, Fit, MAX_URLS, Offer, Request, Sight, Source, Then, Trigger, TriggerKind, complete_action,
    complete_argument, complete_emoji, complete_name,
};
use crate::mode::Prefix;
use crate::text::Position;

impl Editor {
    /// The question to the application, if the last command raised one.
    pub fn take_request(&mut self) -> Option<Request> {
        self.request.take()
    }

    /// Is the answer to this question still wanted?
    pub fn awaits(&self, generation: u64) -> bool {
        self.list.at.is_some() && self.list.generation == generation
    }

    /// An answer. One to an earlier question is dropped.
    pub fn offer(&mut self, generation: u64, mut offers: Vec<Offer>) -> Outcome {
        let Some((_, trigger)) = self.list.at.as_ref().filter(|_| self.awaits(generation)) else {
            return Outcome::Ignored;
        };
        if matches!(trigger.kind, TriggerKind::Url { .. }) {
            offers.truncate(MAX_URLS);
        }
        let is_path = trigger.kind == TriggerKind::Path;
        self.list.set(offers);
        // Tab asked for a path, and there is only one.
        if is_path && self.list.offers().len() == 1 { self.accept() } else { Outcome::Handled }
    }

    pub(super) fn assist(&mut self, assist: Assist) {
        match assist {
            Assist::Leave => {}
            Assist::Close => {
                self.list.dismissed = None;
                self.close_list();
            }
            Assist::Look => self.look(),
            Assist::Check => {
                let stays = self.list.at.as_ref().is_some_and(|(line, trigger)| {
                    *line == self.cursor.line && self.cursor.byte > trigger.start
                });
                if stays {
                    self.look();
                } else {
                    self.close_list();
                }
            }
        }
    }

    fn sight(&self) -> Sight<'_> {
        Sight {
            before: &self.text.line(self.cursor.line)[..self.cursor.byte],
            is_first: self.cursor.line == 0,
            is_prompt: self.prefix() == Prefix::None,
            schemes: &self.options.schemes,
            commands: &self.commands,
            emoji: self.options.emoji,
        }
    }

    /// Looks for something to complete at the cursor.
    pub(super) fn look(&mut self) {
        let line = self.cursor.line;
        let Some(trigger) = complete::find(self.sight()).filter(|_| self.anchor.is_none()) else {
            self.list.dismissed = None;
            return self.close_list();
        };
        if self.list.dismissed == Some((line, trigger.start)) {
            return self.close_list();
        }
        self.list.dismissed = None;
        self.open(line, trigger);
    }

    fn open(&mut self, line: usize, trigger: Trigger) {
        let same =
            self.list.at.as_ref().is_some_and(|(at, old)| {
                *at == line && old.start == trigger.start && old.kind == trigger.kind
            });
        self.list.generation += 1;
        let query = trigger.query.clone();
        let (offers, source) = match &trigger.kind {
            TriggerKind::Name => (Some(complete_name(&query, &self.commands)), None),
            TriggerKind::Emoji => (Some(complete_emoji(&query)), None),
            TriggerKind::Action => (Some(complete_action(&query)), None),
            TriggerKind::Argument { command } => {
                let info = self.commands.iter().find(|info| info.name == *command);
                let offers = info.map(|info| complete_argument(&query, info)).unwrap_or_default();
                if offers.is_empty() {
                    (None, Some(Source::Argument { command: command.clone(), text: query }))
                } else {
                    (Some(offers), None)
                }
            }
            TriggerKind::File { .. } => (None, Some(Source::Files { query })),
            TriggerKind::Path => (None, Some(Source::Paths { prefix: query })),
            TriggerKind::Url { scheme } => (None, Some(Source::Url { scheme: scheme.clone(), query })),
        };
        // What stands behind a subcommand is not another spelling of it.
        let outgrown = match (&trigger.kind, self.list.selected()) {
            (TriggerKind::Argument { command }, Some(offer)) => self.is_subcommand(command, offer),
            _ => false,
        };
        match offers {
            Some(offers) => self.list.set(offers),
            None if same && !outgrown => self.list.narrow(&trigger.query),
            None => self.list.set(Vec::new()),
        }
        self.list.at = Some((line, trigger));
        let generation = self.list.generation;
        self.request = source.map(|source| Request { generation, source });
    }

    pub(super) fn close_list(&mut self) {
        self.list.close();
        self.request = None;
    }

    /// Closes the list and keeps it closed for this word.
    pub(super) fn dismiss_list(&mut self) -> bool {
        if !self.list.is_open() {
            return false;
        }
        self.list.dismissed = self.list.at.as_ref().map(|(line, trigger)| (*line, trigger.start));
        self.close_list();
        true
    }

    pub(super) fn step_list(&mut self, by: isize) -> Outcome {
        if !self.list.is_open() {
            return Outcome::Ignored;
        }
        self.list.step(by);
        Outcome::Handled
    }

    pub(super) fn page_list(&mut self, direction: isize) -> Outcome {
        let page = isize::try_from(self.options.max_offers).unwrap_or(isize::MAX).max(2);
        self.step_list(page.saturating_mul(direction))
    }

    pub(super) fn confirm(&mut self) -> Outcome {
        if self.list.is_open() { self.accept() } else { Outcome::Ignored }
    }

    /// Tab: takes the selected offer, or asks for paths that begin with the word before the cursor.
    pub(super) fn tab(&mut self) -> Outcome {
        if self.list.is_open() {
            return self.accept();
        }
        let before = &self.text.line(self.cursor.line)[..self.cursor.byte];
        let is_command = self.prefix() != Prefix::None;
        let first = if self.cursor.line == 0 { self.prefix().signs().min(before.len()) } else { 0 };
        let path = complete::path_token(before, first);
        let trigger = complete::find(self.sight()).unwrap_or(path);
        if !is_command && trigger.kind == TriggerKind::Path && trigger.query.is_empty() {
            return Outcome::Ignored;
        }
        self.list.dismissed = None;
        self.open(self.cursor.line, trigger);
        Outcome::Handled
    }

    /// Enter: takes the selected offer where one is meant, else sends the text.
    pub(super) fn submit(&mut self) -> Outcome {
        let Some((offer, trigger)) = self.meant() else { return self.send() };
        let is_command = matches!(trigger.kind, TriggerKind::Name | TriggerKind::Argument { .. });
        if self.is_typed_out(&offer, &trigger) {
            return self.send();
        }
        let certain = offer.fit == Fit::Prefix || self.list.moved;
        let outcome = self.accept();
        let line = self.text.line(0).trim_end();
        if certain && is_command && self.text.len() == 1 && complete::is_exact(line, &self.commands) {
            return self.send();
        }
        outcome
    }

    /// The offer that Enter means, if it means one: text that only looks like an emoji or an action is sent.
    fn meant(&self) -> Option<(Offer, Trigger)> {
        let (_, trigger) = self.list.at.as_ref()?;
        let offer = self.list.selected()?.clone();
        let meant = match &trigger.kind {
            TriggerKind::Emoji => self.list.moved,
            // An unknown word is no command: it goes to the model.
            TriggerKind::Name => self.list.moved || offer.fit != Fit::Description,
            TriggerKind::Action => self.list.moved || !trigger.query.is_empty(),
            // A value that the application offers may come late: what Enter does must not depend on that.
            TriggerKind::Argument { command } => self.list.moved || self.is_subcommand(command, &offer),
            _ => true,
        };
        meant.then(|| (offer, trigger.clone()))
    }

    fn is_subcommand(&self, command: &str, offer: &Offer) -> bool {
        let command = self.commands.iter().find(|info| info.name == *command);
        command.is_some_and(|info| info.subcommands.iter().any(|sub| sub.name == offer.insert))
    }

    fn is_typed_out(&self, offer: &Offer, trigger: &Trigger) -> bool {
        let typed = &self.text.line(self.cursor.line)[trigger.start..self.cursor.byte];
        offer.then != Then::GoOn && typed == replacement(offer, &trigger.kind).trim_end()
    }

    /// Takes the selected offer.
    fn accept(&mut self) -> Outcome {
        let (Some((line, trigger)), Some(offer)) = (self.list.at.clone(), self.list.selected().cloned())
        else {
            return Outcome::Ignored;
        };
        let from = Position::new(line, trigger.start);
        let to = self.cursor.max(from);
        let text = replacement(&offer, &trigger.kind);
        let own = self.atoms.admit(&text);
        self.change(from, to, &own, false);
        self.close_list();
        match offer.then {
            Then::Do(command) => self.apply(command),
            Then::GoOn => {
                self.look();
                Outcome::Handled
            }
            Then::Space | Then::Close => Outcome::Handled,
        }
    }

    /// A second colon turns `:name:` into its emoji.
    pub(super) fn closes_emoji(&mut self) -> bool {
        if !self.options.emoji || self.prefix() != Prefix::None {
            return false;
        }
        let before = &self.text.line(self.cursor.line)[..self.cursor.byte];
        let found = complete::closed_emoji(before);
        let Some((start, emoji)) = found.and_then(|(at, name)| Some((at, complete::emoji_by_name(name)?)))
        else {
            return false;
        };
        self.change(Position::new(self.cursor.line, start), self.cursor, emoji, false);
        true
    }

    /// What can be typed behind the cursor, shown faintly.
    pub(crate) fn ghost(&self) -> Option<String> {
        let line = self.text.line(0);
        let at_end = self.text.len() == 1 && self.cursor.byte == line.len();
        if at_end { complete::ghost(line, &self.commands) } else { None }
    }
}

/// The text that an offer puts in the place of what was typed.
fn replacement(offer: &Offer, kind: &TriggerKind) -> String {
    let goes_on = offer.then == Then::GoOn;
    let space = if offer.then == Then::Space { " " } else { "" };
    let insert = &offer.insert;
    match kind {
        TriggerKind::File { quoted } if *quoted || insert.contains(char::is_whitespace) => {
            let close = if goes_on { "" } else { "\"" };
            format!("@\"{insert}{close}{space}")
        }
        TriggerKind::File { .. } => format!("@{insert}{space}"),
        TriggerKind::Path => {
            let escaped: String = insert.chars().flat_map(|c| escape(c).into_iter().flatten()).collect();
            format!("{escaped}{space}")
        }
        TriggerKind::Name if goes_on => format!("{insert} "),
        _ => format!("{insert}{space}"),
    }
}

/// A character as a shell wants it in a path.
fn escape(character: char) -> [Option<char>; 2] {
    let special = character.is_whitespace() || "\\'\"$&();<>|*?[]{}`!#".contains(character);
    [special.then_some('\\'), Some(character)]
}
