//! A call that waits for a word.

use omp_keys::table as actions;
use omp_keys::{Bindings, Chord, Context};
use omp_panels::pager::Pager;
use omp_sdk::{ApprovalRequest, Reply, Scope};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::{Look, approval};
use tokio::sync::oneshot;

use super::menu::Menu;
use super::text::Text;
use super::{Drawn, Panel, Reaction, choice};
use crate::app::App;

/// Rows that a difference takes: half of the screen, within these bounds.
const LEAST_ROWS: usize = 6;
const MOST_ROWS: usize = 40;

/// What an answer of the menu means.
#[derive(Clone, Debug)]
enum Meaning {
    Reply(Reply),
    /// No, with a reason that is asked for.
    Words,
}

/// The question whether a call may run: yes, always with its scopes (where a rule can be made), no, no with words.
pub(crate) struct Approval {
    request: ApprovalRequest,
    menu: Menu,
    answer: Option<oneshot::Sender<Reply>>,
    /// What the places of the menu stand for.
    meanings: Vec<Meaning>,
    /// The question in rows, for a width and a height.
    shown: Option<(usize, usize, approval::Shown)>,
    /// The whole call, while it is read.
    reading: Option<(Pager, usize)>,
}

impl Approval {
    pub(crate) fn new(request: ApprovalRequest, answer: oneshot::Sender<Reply>) -> Self {
        let mut menu = Menu::new("", ["Yes, this once"]);
        let mut meanings = vec![Meaning::Reply(Reply::Once)];
        if let Some(rules) = &request.always {
            for scope in Scope::ALL {
                menu = menu.or(scope.answer(), rules.join(", "));
                meanings.push(Meaning::Reply(Reply::Always(scope)));
            }
        }
        menu = menu.or("No", "").or("No, and tell the model why", "");
        meanings.extend([Meaning::Reply(Reply::No), Meaning::Words]);
        Self { request, menu, answer: Some(answer), meanings, shown: None, reading: None }
    }

    fn reply(&mut self, reply: Reply) {
        if let Some(answer) = self.answer.take() {
            // The run was stopped meanwhile if nobody waits.
            let _ = answer.send(reply);
        }
    }

    /// Leaves without an answer: the turn is stopped, and only then nobody waits for the answer any more. A model that
    /// got a refusal first would continue.
    fn leave(&mut self) -> Reaction {
        let answer = self.answer.take();
        Reaction::Close(Box::new(move |app| {
            app.abort();
            drop(answer);
        }))
    }

    fn ask_for_words() -> Reaction {
        let text = Text::new("What should the model do instead?".to_owned(), "", Self::words);
        Reaction::Do(Box::new(|app| app.open_in_front(text.stops_turn())))
    }

    /// The reason was typed, or not.
    fn words(app: &mut App, words: Option<String>) {
        let Some(panel) = app.panels.panel::<Self>() else { return };
        match words.map(|words| words.trim().to_owned()) {
            Some(words) if words.is_empty() => panel.reply(Reply::No),
            Some(words) => panel.reply(Reply::NoBecause(words)),
            None => {
                let answer = panel.answer.take();
                app.abort();
                drop(answer);
            }
        }
        app.close::<Self>();
    }

    fn read(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let again = keys.action(Context::App, Chord::from(key)) == Some(actions::TOOLS_EXPAND);
        let closes = self.reading.as_mut().and_then(|(pager, _)| pager.key(key, keys));
        if again || closes == Some(omp_panels::pager::PagerRequest::Close) {
            self.reading = None;
        }
        Reaction::Stay
    }

    fn draw_whole(&mut self, look: &Look, size: Size) -> Option<Drawn> {
        let (pager, width) = self.reading.as_mut()?;
        if *width != look.width {
            *width = look.width;
            pager.replace(approval::whole(look, self.request.question.values()));
        }
        Some(pager.draw(look, size))
    }
}

impl Panel for Approval {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        if let Some(drawn) = self.draw_whole(look, size) {
            return drawn;
        }
        let question = &self.request.question;
        if self.shown.as_ref().is_none_or(|(width, height, _)| (*width, *height) != (look.width, size.height))
        {
            let most = (size.height / 2).clamp(LEAST_ROWS, MOST_ROWS);
            let shown = approval::rows(look, &question.title(), question.values(), most);
            self.shown = Some((look.width, size.height, shown));
        }
        let Some((.., shown)) = &self.shown else { return Vec::new().into() };
        let mut hint = "Enter or a number: answer · Esc: stop the turn".to_owned();
        if shown.is_cut {
            hint.push_str(&format!(" · {}: show everything", look.expand_key));
        }
        self.menu.rows_with(look, &shown.rows, &hint).into()
    }

    fn has_edge(&self) -> bool {
        true
    }

    fn covers(&self) -> bool {
        self.reading.is_some()
    }

    fn is_unasked(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        if self.reading.is_some() {
            return self.read(key, keys);
        }
        if keys.action(Context::App, Chord::from(key)) == Some(actions::TOOLS_EXPAND) {
            let hints = ["↑↓: scroll", "Esc: back to the question"].map(str::to_owned).to_vec();
            self.reading = Some((Pager::new(self.request.question.title(), Vec::new()).hints(hints), 0));
            return Reaction::Stay;
        }
        let Some(chosen) = choice::answer(&mut self.menu, key, keys) else { return Reaction::Stay };
        match chosen.and_then(|place| self.meanings.get(place).cloned()) {
            None => self.leave(),
            Some(Meaning::Words) => Self::ask_for_words(),
            Some(Meaning::Reply(reply)) => {
                self.reply(reply);
                Reaction::Close(Box::new(|_| {}))
            }
        }
    }

    fn is_stale(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

/// Asks whether a call may run.
pub(crate) fn approve(app: &mut App, request: ApprovalRequest, answer: oneshot::Sender<Reply>) {
    app.surface.notify("A tool call needs your approval");
    app.open(Approval::new(request, answer));
}
