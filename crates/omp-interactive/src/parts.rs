//! Parts of the conversation that extensions draw: calls and results of their tools, their messages, what stands below
//! thinking. A block shows the rows that it has and asks for others; it is not final before they have come.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use omp_sdk::extensions::{Extensions, PartRequest};
use omp_tui::text::{Line, parse_ansi};
use serde_json::Value;

/// Rows of one part.
const MOST_ROWS: usize = 2_000;

/// Who draws what: extensions by the names of tools and of message types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawers {
    calls: HashMap<String, u64>,
    results: HashMap<String, u64>,
    messages: HashMap<String, u64>,
    /// In the order in which they were registered: the extension, and the number there.
    thinking: Vec<(u64, usize)>,
}

impl Drawers {
    /// What extensions say of themselves. Of two that draw one kind of message the first does.
    pub(crate) fn of(set: &Extensions) -> Self {
        let mut drawers = Self::default();
        for extension in set.list().iter().filter(|extension| extension.ended().is_none()) {
            let registered = extension.registered();
            for tool in registered.tools {
                if tool.renders_call {
                    drawers.calls.entry(tool.name.clone()).or_insert(extension.id);
                }
                if tool.renders_result {
                    drawers.results.entry(tool.name).or_insert(extension.id);
                }
            }
            for kind in registered.message_renderers {
                drawers.messages.entry(kind).or_insert(extension.id);
            }
            drawers.thinking.extend((0..registered.thinking_renderers).map(|index| (extension.id, index)));
        }
        drawers
    }
}

/// A drawing that is wanted.
pub(crate) struct PartWish {
    pub(crate) part: u64,
    pub(crate) extension: u64,
    pub(crate) request: PartRequest,
}

/// Parts that are drawn, and who draws.
#[derive(Clone, Default)]
pub(crate) struct Parts(Rc<RefCell<Inner>>);

#[derive(Default)]
struct Inner {
    drawers: Drawers,
    next: u64,
    open: HashMap<u64, Part>,
    wishes: Vec<PartWish>,
}

/// One part. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Part(Rc<RefCell<Drawn>>);

struct Drawn {
    id: u64,
    extension: u64,
    kind: &'static str,
    name: String,
    /// What a `ui.render` of the extension calls it.
    surface: String,
    rows: Option<Vec<Line>>,
    has_failed: bool,
    /// What the rows, or those on their way, were made from.
    version: Option<(u64, usize)>,
    is_waiting: bool,
}

impl Parts {
    pub(crate) fn set_drawers(&self, drawers: Drawers) {
        self.0.borrow_mut().drawers = drawers;
    }

    fn part(&self, extension: u64, kind: &'static str, name: &str, surface: String) -> Part {
        let mut inner = self.0.borrow_mut();
        inner.next += 1;
        let part = Part(Rc::new(RefCell::new(Drawn {
            id: inner.next,
            extension,
            kind,
            name: name.to_owned(),
            surface,
            rows: None,
            has_failed: false,
            version: None,
            is_waiting: false,
        })));
        let id = inner.next;
        inner.open.insert(id, part.clone());
        part
    }

    /// The drawing of a call, if somebody draws it.
    pub(crate) fn call(&self, name: &str, id: &str) -> Option<Part> {
        let extension = self.0.borrow().drawers.calls.get(name).copied()?;
        Some(self.part(extension, "call", name, format!("call:{id}")))
    }

    /// The same for its result.
    pub(crate) fn result(&self, name: &str, id: &str) -> Option<Part> {
        let extension = self.0.borrow().drawers.results.get(name).copied()?;
        Some(self.part(extension, "result", name, format!("call:{id}")))
    }

    /// The same for a message.
    pub(crate) fn message(&self, kind: &str) -> Option<Part> {
        let extension = self.0.borrow().drawers.messages.get(kind).copied()?;
        Some(self.part(extension, "message", kind, String::new()))
    }

    /// What stands below thinking, each with its number in its extension.
    pub(crate) fn thinking(&self) -> Vec<(Part, usize)> {
        let drawers = self.0.borrow().drawers.thinking.clone();
        let part = |(extension, index)| (self.part(extension, "thinking", "", String::new()), index);
        drawers.into_iter().map(part).collect()
    }

    /// The rows of a part at a width, for a version of what it is drawn from; `None` where the program draws by itself.
    pub(crate) fn rows(
        &self,
        part: &Part,
        version: u64,
        width: usize,
        values: impl FnOnce() -> Value,
    ) -> Option<Vec<Line>> {
        let mut drawn = part.0.borrow_mut();
        if drawn.has_failed {
            return None;
        }
        if !drawn.is_waiting && drawn.version != Some((version, width)) {
            drawn.is_waiting = true;
            drawn.version = Some((version, width));
            let request = PartRequest { part: drawn.kind, name: drawn.name.clone(), values: values(), width };
            let wish = PartWish { part: drawn.id, extension: drawn.extension, request };
            let mut inner = self.0.borrow_mut();
            inner.open.insert(drawn.id, part.clone());
            inner.wishes.push(wish);
        }
        let rows = drawn.rows.clone().unwrap_or_default();
        Some(rows.into_iter().map(|row| row.truncate(width)).collect())
    }

    /// Drawings that are wanted since the last time.
    pub(crate) fn take_wishes(&self) -> Vec<PartWish> {
        std::mem::take(&mut self.0.borrow_mut().wishes)
    }

    /// A drawing has come, or will not.
    pub(crate) fn set(&self, part: u64, rows: Option<Vec<String>>) {
        let Some(part) = self.0.borrow().open.get(&part).cloned() else { return };
        let mut drawn = part.0.borrow_mut();
        drawn.is_waiting = false;
        match rows {
            Some(rows) => {
                drawn.rows = Some(rows.iter().take(MOST_ROWS).flat_map(|row| parse_ansi(row)).collect());
            }
            None => drawn.has_failed = true,
        }
    }

    /// An extension wants one of its parts to be drawn again.
    pub(crate) fn invalidate(&self, extension: u64, surface: &str) {
        for part in self.0.borrow().open.values() {
            let mut drawn = part.0.borrow_mut();
            if drawn.extension == extension && drawn.surface == surface && !drawn.is_waiting {
                drawn.version = None;
            }
        }
    }
}

impl Part {
    /// Are the rows those of this version, at whatever width? Then nothing changes any more.
    pub(crate) fn is_settled(&self, version: u64) -> bool {
        let drawn = self.0.borrow();
        drawn.has_failed || (!drawn.is_waiting && drawn.version.is_some_and(|(known, _)| known == version))
    }
}
