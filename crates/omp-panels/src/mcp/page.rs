//! The page of one server, and texts over the whole panel.

use omp_keys::Bindings;
use omp_theme::Token;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_tui::text::neutral;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};

use super::{Report, ServerItem};
use crate::Drawn;
use crate::list_rows::one_line;
use crate::listing::{Tabs, step};
use crate::pager::{Pager, PagerRequest};

pub(super) const OVERVIEW: &str = "Overview";
pub(super) const TOOLS: &str = "Tools";
pub(super) const RESOURCES: &str = "Resources";
pub(super) const PROMPTS: &str = "Prompts";
pub(super) const LOG: &str = "Log";

/// What was chosen: the place in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Back,
    /// Another tab.
    Turned,
    Action(usize),
    Tool(usize),
    Resource(usize),
    Prompt(usize),
}

/// The page.
#[derive(Debug)]
pub(super) struct ServerPage {
    name: String,
    pub(super) tabs: Tabs,
    pub(super) list: Selector,
    log: Vec<String>,
    /// The log as rows of a width; made when it is drawn.
    pager: Option<(usize, Pager)>,
}

impl ServerPage {
    pub(super) fn new(server: &ServerItem) -> Self {
        let names = [OVERVIEW, TOOLS, RESOURCES, PROMPTS, LOG].map(str::to_owned).to_vec();
        let mut page = Self {
            name: server.name.clone(),
            tabs: Tabs::new(names),
            list: Selector::new("", Vec::new()),
            log: server.log.clone(),
            pager: None,
        };
        page.list = page.listed(server);
        page
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The list of the current tab.
    fn listed(&self, server: &ServerItem) -> Selector {
        let list = Selector::new(one_line(&self.name), self.choices(server));
        // What can be done is read whole; everything else is searched.
        if self.tabs.current() == OVERVIEW { list.question() } else { list }
    }

    fn choices(&self, server: &ServerItem) -> Vec<Choice> {
        let named = |list: &[(String, String)]| {
            list.iter().map(|(name, detail)| Choice::new(one_line(name)).detail(one_line(detail))).collect()
        };
        match self.tabs.current() {
            OVERVIEW => {
                let words = server.actions.iter().map(|action| action.words());
                words.map(|(label, detail)| Choice::new(label).detail(detail)).collect()
            }
            TOOLS => {
                let tools = server.tools.iter();
                tools
                    .map(|tool| Choice::new(one_line(&tool.name)).detail(one_line(&tool.description)))
                    .collect()
            }
            RESOURCES => named(&server.resources),
            PROMPTS => named(&server.prompts),
            _ => Vec::new(),
        }
    }

    pub(super) fn update(&mut self, server: &ServerItem) {
        let choices = self.choices(server);
        // Without a change the list stays as it is, with what was typed.
        if choices != self.list.choices() {
            self.list.replace(choices);
        }
        if self.log != server.log {
            self.log.clone_from(&server.log);
            let log = &self.log;
            if let Some((width, pager)) = &mut self.pager {
                pager.follow(log_rows(log, *width));
            }
        }
    }

    /// Is the log looked at?
    pub(super) fn shows_log(&self) -> bool {
        self.tabs.current() == LOG
    }

    /// The log on a screen of this size.
    pub(super) fn draw_log(&mut self, look: &Look, size: Size) -> Drawn {
        let log = &self.log;
        let fresh = || (look.width, Pager::new(LOG, log_rows(log, look.width)).from_end());
        let (width, pager) = self.pager.get_or_insert_with(fresh);
        if *width != look.width {
            (*width, *pager) = fresh();
        }
        pager.draw(look, size)
    }

    pub(super) fn key(&mut self, key: Key, keys: &Bindings) -> Option<Chosen> {
        if self.tabs.key(key, keys) {
            return Some(Chosen::Turned);
        }
        if self.shows_log() {
            let (_, pager) = self.pager.as_mut()?;
            return (pager.key(key, keys) == Some(PagerRequest::Close)).then_some(Chosen::Back);
        }
        match self.list.step(step(key, keys)?) {
            Outcome::Cancelled => Some(Chosen::Back),
            Outcome::Chosen(chosen) => {
                let place = *chosen.first()?;
                match self.tabs.current() {
                    OVERVIEW => Some(Chosen::Action(place)),
                    TOOLS => Some(Chosen::Tool(place)),
                    RESOURCES => Some(Chosen::Resource(place)),
                    PROMPTS => Some(Chosen::Prompt(place)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Another tab is shown.
    pub(super) fn turned(&mut self, server: &ServerItem) {
        self.list = self.listed(server);
    }

    pub(super) fn paste(&mut self, text: &str) {
        if !self.shows_log() {
            self.list.step(Step::Text(text.to_owned()));
        }
    }
}

fn log_rows(log: &[String], width: usize) -> Vec<Line> {
    if log.is_empty() {
        return vec![Line::plain("Nothing logged")];
    }
    log.iter().flat_map(|line| Line::plain(&neutral::prose(line)).wrap(width, 2)).collect()
}

/// A text that is read to its end.
#[derive(Debug)]
pub(super) struct Output {
    report: Report,
    pager: Option<(usize, Pager)>,
}

impl Output {
    pub(super) fn new(report: Report) -> Self {
        Self { report, pager: None }
    }

    pub(super) fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        let report = &self.report;
        let rows = || -> Vec<Line> {
            let text = neutral::prose(&report.text);
            text.lines().flat_map(|line| look.wrapped(Token::Text, line, 0)).collect()
        };
        let (width, pager) = self.pager.get_or_insert_with(|| {
            let hints = ["↑↓: scroll", "Esc: close"].map(str::to_owned).to_vec();
            (look.width, Pager::new(one_line(&report.title), rows()).hints(hints))
        });
        if *width != look.width {
            *width = look.width;
            pager.replace(rows());
        }
        pager.draw(look, size)
    }

    /// Takes a key. Says whether the reader has enough.
    pub(super) fn is_closed_by(&mut self, key: Key, keys: &Bindings) -> bool {
        let closes = |(_, pager): &mut (usize, Pager)| pager.key(key, keys) == Some(PagerRequest::Close);
        self.pager.as_mut().is_none_or(closes)
    }
}
