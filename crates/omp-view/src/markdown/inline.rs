//! Words within a block: styles, code, links.

use std::sync::Arc;

use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, Style};
use pulldown_cmark::{Event, Tag, TagEnd};

use crate::{Addresses, Look};

/// Collects the words of one block into rows that are broken only where the text says so.
pub(super) struct Inline<'a> {
    look: &'a Look,
    styles: Vec<Style>,
    link: Option<Link>,
    rows: Vec<Line>,
    /// Words that wait for a change of style: a row measures what it is given, so it is given much at a time.
    waiting: (Style, String),
}

struct Link {
    target: Arc<str>,
    clickable: Option<Arc<str>>,
    /// What was written since the link began, to see whether the address is already there.
    text: String,
}

impl<'a> Inline<'a> {
    pub(super) fn new(look: &'a Look, base: Style) -> Self {
        Self { look, styles: vec![base], link: None, rows: vec![Line::new()], waiting: Default::default() }
    }

    /// The rows so far.
    pub(super) fn finish(mut self) -> Vec<Line> {
        self.end_link();
        self.flush();
        self.rows
    }

    /// Takes an event of words. Events of blocks have no effect.
    pub(super) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.text(self.style(), text),
            Event::Code(code) => {
                let style = self.style().foreground(self.look.theme.color(Token::MdCode));
                self.text(style, code);
            }
            Event::InlineHtml(html) if is_break(html) => self.new_row(),
            Event::InlineHtml(html) | Event::Html(html) => {
                let style = self.style().foreground(self.look.theme.color(Token::Muted));
                self.text(style, html);
            }
            Event::FootnoteReference(name) => {
                let style = self.style().foreground(self.look.theme.color(Token::MdLinkUrl));
                self.text(style, &format!("[^{name}]"));
            }
            Event::SoftBreak | Event::HardBreak => self.new_row(),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(self.style(), text),
            Event::Rule | Event::TaskListMarker(_) => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Emphasis => self.styles.push(self.style().with(Attributes::ITALIC)),
            Tag::Strong => self.styles.push(self.style().with(Attributes::BOLD)),
            Tag::Strikethrough => self.styles.push(self.style().with(Attributes::STRIKE)),
            Tag::Link { dest_url, .. } => self.begin_link(dest_url),
            Tag::Image { dest_url, .. } => {
                self.begin_link(dest_url);
                let icon = format!("{} ", self.look.symbol(Symbol::IconImage));
                self.text(self.style(), &icon);
            }
            _ => {}
        }
    }

    fn end(&mut self, end: &TagEnd) {
        match end {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.pop(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn pop(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    fn begin_link(&mut self, target: &str) {
        self.end_link();
        self.flush();
        let style = self.style().foreground(self.look.theme.color(Token::MdLink)).with(Attributes::UNDERLINE);
        self.styles.push(style);
        let schemes = ["http://", "https://", "mailto:", "file://"];
        let clickable = schemes.iter().any(|scheme| target.starts_with(scheme)).then(|| Arc::from(target));
        self.link = Some(Link { target: target.into(), clickable, text: String::new() });
    }

    fn end_link(&mut self) {
        self.flush();
        let Some(link) = self.link.take() else { return };
        self.pop();
        let is_shown = self.look.addresses == Addresses::Shown || link.clickable.is_none();
        let is_there = link.target.trim_start_matches("mailto:") == link.text || link.target.is_empty();
        if is_shown && !is_there {
            let style = self.style().foreground(self.look.theme.color(Token::MdLinkUrl));
            self.text(style, &format!(" ({})", link.target));
        }
    }

    fn text(&mut self, style: Style, text: &str) {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                self.new_row();
            }
            if self.waiting.0 != style {
                self.flush();
                self.waiting.0 = style;
            }
            let part = part.trim_end_matches('\r');
            // Behind `<br>` a blank is no indent.
            let part = if self.is_at_break() { part.trim_start_matches(' ') } else { part };
            self.waiting.1.push_str(part);
        }
    }

    /// Does a row begin here that is not the first?
    fn is_at_break(&self) -> bool {
        self.rows.len() > 1
            && self.waiting.1.is_empty()
            && self.rows.last().is_some_and(|row| row.width() == 0)
    }

    /// Begins a new row, unless this one is empty.
    pub(super) fn break_row(&mut self) {
        if !self.waiting.1.is_empty() || self.rows.last().is_some_and(|row| row.width() > 0) {
            self.new_row();
        }
    }

    fn new_row(&mut self) {
        self.flush();
        self.rows.push(Line::new());
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.waiting.1);
        let clickable = self.link.as_mut().and_then(|link| {
            link.text.push_str(&text);
            link.clickable.clone()
        });
        if let Some(row) = self.rows.last_mut() {
            row.push_linked(self.waiting.0, &text, clickable);
        }
    }
}

fn is_break(html: &str) -> bool {
    matches!(html.to_ascii_lowercase().as_str(), "<br>" | "<br/>" | "<br />")
}
