//! One outermost block with everything inside it.

use std::borrow::Cow;
use std::collections::VecDeque;

use omp_syntax::Language;
use omp_theme::{Symbol, Token};
use omp_tui::text::{Attributes, Line, Style};
use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, Parser, Tag, TagEnd};

use super::cuts::{Around, ListPlace};
use super::inline::Inline;
use super::{Definitions, fence, list, options, table};
use crate::Look;
use crate::look::behind;

/// Blocks within blocks that are drawn as such; what is deeper is drawn flat, so that no text exhausts the stack.
const MAX_DEPTH: usize = 12;

/// A block within less room than this is drawn flat, too.
const MIN_WIDTH: usize = 6;

/// A piece of text as rows.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    pub(super) rows: Vec<Line>,
    /// The link definitions in it, which are shown below.
    pub(super) definitions: Definitions,
    /// Where the lists stand that the text ends in, outermost first.
    pub(super) places: Vec<ListPlace>,
    /// If it is one table: the row behind each row of the table that more text cannot change, once it is complete.
    pub(super) table_ends: Option<Vec<usize>>,
}

/// The rows of a piece of text with its blocks, which stands in the lists `around` it.
pub(super) fn render(
    look: &Look,
    source: &str,
    base: Style,
    known: &Definitions,
    around: &Around,
) -> Rendered {
    let resolve = |link: BrokenLink<'_>| {
        let address = known.find(&link.reference)?;
        Some((CowStr::from(address.to_owned()), CowStr::from("")))
    };
    let whole = match around.is_empty() {
        true => Cow::Borrowed(source),
        false => Cow::Owned(format!("{}{source}", around.scaffold)),
    };
    let parser = Parser::new_with_broken_link_callback(&whole, options(), Some(resolve));
    let defined = parser.reference_definitions().iter();
    let mut defined: Vec<(usize, String, String)> =
        defined.map(|(label, one)| (one.span.start, label.to_owned(), one.dest.to_string())).collect();
    defined.sort_unstable();
    let mut blocks = Blocks {
        look,
        events: parser.collect(),
        depth: 0,
        lists: 0,
        resumed: around.places.iter().copied().collect(),
        places: Vec::new(),
        table_ends: None,
    };
    let mut rows = blocks.all(look.width, base);
    let (places, table_ends) = (blocks.places, blocks.table_ends);
    // The scaffold's rows: one for each list.
    rows.drain(..around.places.len().min(rows.len()));
    if !defined.is_empty() && !rows.is_empty() {
        rows.push(Line::new());
    }
    let mut definitions = Definitions::default();
    for (_, label, address) in defined {
        definitions.add(&label, &address);
        let text = format!("[{label}]: {address}");
        rows.extend(Line::styled(look.fg(Token::MdLinkUrl), &text).wrap(look.width, 2));
    }
    // Numbers and labels can be wider than the room.
    let rows = rows.iter().map(|row| row.clamp(look.width)).collect();
    Rendered { rows, definitions, places, table_ends }
}

/// The events that are still to be drawn.
pub(super) struct Blocks<'a> {
    pub(super) look: &'a Look,
    events: VecDeque<Event<'a>>,
    depth: usize,
    /// How many lists are around the next event.
    pub(super) lists: usize,
    /// Where the lists of the scaffold stand.
    pub(super) resumed: VecDeque<ListPlace>,
    pub(super) places: Vec<ListPlace>,
    table_ends: Option<Vec<usize>>,
}

impl<'a> Blocks<'a> {
    pub(super) fn next(&mut self) -> Option<Event<'a>> {
        self.events.pop_front()
    }

    /// Whether the block around the next event ends here.
    pub(super) fn at_end(&self) -> bool {
        matches!(self.events.front(), None | Some(Event::End(_)))
    }

    /// Whether a list comes next.
    pub(super) fn at_list(&self) -> bool {
        matches!(self.events.front(), Some(Event::Start(Tag::List(_))))
    }

    /// Takes the mark of a task, and says whether it is done. It may stand in the item's first paragraph.
    pub(super) fn task(&mut self) -> Option<bool> {
        let at = usize::from(matches!(self.events.front(), Some(Event::Start(Tag::Paragraph))));
        let Some(Event::TaskListMarker(done)) = self.events.get(at) else { return None };
        let done = *done;
        self.events.remove(at);
        Some(done)
    }

    /// All blocks up to the end of the one they are in, with a blank row between them.
    pub(super) fn all(&mut self, width: usize, base: Style) -> Vec<Line> {
        let mut rows: Vec<Line> = Vec::new();
        while let Some(event) = self.events.front() {
            if matches!(event, Event::End(_)) {
                self.events.pop_front();
                break;
            }
            let block = self.block(width, base);
            if !rows.is_empty() && !block.is_empty() {
                rows.push(Line::new());
            }
            rows.extend(block);
        }
        rows
    }

    /// The next block. Words that stand in no block (in tight lists) are one.
    pub(super) fn block(&mut self, width: usize, base: Style) -> Vec<Line> {
        let Some(Event::Start(tag)) = self.events.front() else { return self.loose(width, base) };
        if is_inline(tag) {
            return self.loose(width, base);
        }
        let Some(Event::Start(tag)) = self.events.pop_front() else { return Vec::new() };
        if self.depth >= MAX_DEPTH || (self.depth > 0 && width < MIN_WIDTH) {
            return self.flat(width, base);
        }
        self.depth += 1;
        let rows = self.container(tag, width, base);
        self.depth -= 1;
        rows
    }

    fn container(&mut self, tag: Tag<'a>, width: usize, base: Style) -> Vec<Line> {
        match tag {
            Tag::Heading { level, .. } => {
                let style = heading(self.look, level);
                self.flat(width, style)
            }
            Tag::BlockQuote(_) => self.quote(width, base),
            Tag::CodeBlock(kind) => self.code(&kind, width),
            Tag::List(start) => list::render(self, start, width, base),
            Tag::Table(alignments) => {
                let (rows, ends) = table::render(self, &alignments, width, base);
                let is_whole = self.depth == 1 && self.events.is_empty();
                self.table_ends = is_whole.then_some(ends);
                rows
            }
            Tag::FootnoteDefinition(name) => {
                let prefix = Line::styled(self.look.fg(Token::MdLinkUrl), &format!("[^{name}]: "));
                let rows = self.all(width.saturating_sub(prefix.width()).max(1), base);
                hanging(&prefix, &rows)
            }
            Tag::HtmlBlock => self.flat(width, self.look.fg(Token::Muted)),
            _ => self.flat(width, base),
        }
    }

    /// The words up to the end of this block, whatever is inside it.
    fn flat(&mut self, width: usize, base: Style) -> Vec<Line> {
        let mut inline = Inline::new(self.look, base);
        let mut depth = 0usize;
        while let Some(event) = self.events.pop_front() {
            match &event {
                Event::Start(tag) if !is_inline(tag) => {
                    depth += 1;
                    inline.break_row();
                }
                Event::End(end) if !ends_inline(end) && depth == 0 => break,
                Event::End(end) if !ends_inline(end) => depth -= 1,
                _ => {}
            }
            inline.event(&event);
        }
        let mut rows = inline.finish();
        while rows.last().is_some_and(|row| row.width() == 0) {
            rows.pop();
        }
        wrap(&rows, width)
    }

    /// Words without a block of their own, up to the next block or the end of the one around them.
    fn loose(&mut self, width: usize, base: Style) -> Vec<Line> {
        let mut inline = Inline::new(self.look, base);
        let mut rule = false;
        while let Some(event) = self.events.front() {
            let stop = match event {
                Event::Start(tag) => !is_inline(tag),
                Event::End(end) => !ends_inline(end),
                Event::Rule => {
                    rule = true;
                    true
                }
                _ => false,
            };
            if stop {
                break;
            }
            if let Some(event) = self.events.pop_front() {
                inline.event(&event);
            }
        }
        let rows = wrap(&inline.finish(), width);
        if rule && rows.iter().all(Line::is_blank) {
            self.events.pop_front();
            return vec![Line::styled(
                self.look.fg(Token::MdHr),
                &self.look.symbol(Symbol::MdHr).repeat(width),
            )];
        }
        rows
    }

    fn quote(&mut self, width: usize, base: Style) -> Vec<Line> {
        let border = format!("{} ", self.look.symbol(Symbol::MdQuoteBorder));
        let prefix = Line::styled(self.look.fg(Token::MdQuoteBorder), &border);
        let style = base.foreground(self.look.theme.color(Token::MdQuote)).with(Attributes::ITALIC);
        let rows = self.all(width.saturating_sub(prefix.width()).max(1), style);
        rows.iter().map(|row| behind(&prefix, row)).collect()
    }

    fn code(&mut self, kind: &CodeBlockKind<'a>, width: usize) -> Vec<Line> {
        let mut text = String::new();
        while let Some(event) = self.events.pop_front() {
            match event {
                Event::End(TagEnd::CodeBlock) => break,
                Event::Text(part) => text.push_str(&part),
                _ => {}
            }
        }
        let label = match kind {
            CodeBlockKind::Fenced(info) => fence::label(info),
            CodeBlockKind::Indented => "",
        };
        let look = Look { width, ..self.look.clone() };
        let mut rows = vec![fence::top(&look, label)];
        rows.extend(fence::body(&look, &text, Language::of_tag(label)));
        rows.push(fence::bottom(&look));
        rows
    }
}

fn heading(look: &Look, level: HeadingLevel) -> Style {
    let style = look.fg(Token::MdHeading);
    match level {
        HeadingLevel::H1 => style.with(Attributes::BOLD | Attributes::UNDERLINE),
        HeadingLevel::H2 => style.with(Attributes::BOLD),
        _ => style.with(Attributes::BOLD | Attributes::ITALIC),
    }
}

/// `rows` behind `prefix`, the later ones indented by its width.
pub(super) fn hanging(prefix: &Line, rows: &[Line]) -> Vec<Line> {
    if rows.is_empty() {
        return vec![prefix.clone()];
    }
    let blank = Line::plain(&" ".repeat(prefix.width()));
    let with = |(index, row): (usize, &Line)| match (index, row.is_blank()) {
        (0, _) => behind(prefix, row),
        (_, true) => Line::new(),
        _ => behind(&blank, row),
    };
    rows.iter().enumerate().map(with).collect()
}

pub(super) fn wrap(rows: &[Line], width: usize) -> Vec<Line> {
    rows.iter().flat_map(|row| row.wrap(width, 0)).collect()
}

pub(super) fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. }
    )
}

pub(super) fn ends_inline(end: &TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}
