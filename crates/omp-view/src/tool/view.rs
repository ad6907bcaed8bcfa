//! A call on the screen.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use omp_theme::Token;
use omp_tui::text::{Attributes, Line};
use omp_types::ToolOutput;
use serde_json::{Map, Value};

use super::header::header;
use super::{Call, Drawing, Drawn, Expansion, Phase, draw, generic};
use crate::look::behind;
use crate::{Cached, Look};

/// The cells before the rows below a header.
const INDENT: usize = 2;

/// Draws the body of a call for a tool that is not built in.
pub trait Renderer: Send + Sync {
    /// The rows below the header, at most as wide as the look says, or why there are none.
    fn render(&self, call: &Call, look: &Look, expansion: Expansion) -> Result<Vec<Line>, String>;
}

/// A call on the screen: what is known about it, and the rows that were last drawn of it.
#[derive(Clone)]
pub struct ToolView {
    call: Call,
    started: Option<Duration>,
    version: u64,
    drawn: Option<Arc<Drawn>>,
    body: Cached,
    renderer: Option<Arc<dyn Renderer>>,
    complaint: Option<String>,
}

impl fmt::Debug for ToolView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolView").field("call", &self.call).finish_non_exhaustive()
    }
}

impl ToolView {
    /// A view of a call.
    pub fn new(call: Call) -> Self {
        Self {
            call,
            started: None,
            version: 0,
            drawn: None,
            body: Cached::default(),
            renderer: None,
            complaint: None,
        }
    }

    /// A view whose body somebody else draws.
    #[must_use]
    pub fn with_renderer(mut self, renderer: Arc<dyn Renderer>) -> Self {
        self.renderer = Some(renderer);
        self
    }

    /// The call.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Takes the arguments as far as they can be read.
    pub fn arguments_so_far(&mut self, arguments: Map<String, Value>) {
        if self.call.phase == Phase::Pending {
            self.call.arguments = arguments;
            self.version += 1;
        }
    }

    /// Takes the complete arguments.
    pub fn arguments_complete(&mut self, arguments: Map<String, Value>, intent: Option<String>) {
        self.call.arguments = arguments;
        self.call.intent = intent;
        if self.call.phase == Phase::Pending {
            self.call.phase = Phase::Ready;
        }
        self.version += 1;
    }

    /// The call begins to run at `now`, a time since any fixed moment.
    pub fn start(&mut self, now: Duration) {
        self.call.phase = Phase::Running;
        self.started = Some(now);
        self.version += 1;
    }

    /// Takes a result that is not complete.
    pub fn update(&mut self, output: ToolOutput) {
        if !self.call.phase.is_over() {
            self.call.output = output;
            self.version += 1;
        }
    }

    /// Takes the result. Of a call that was stopped, what it had said so far stays.
    pub fn finish(&mut self, output: ToolOutput, phase: Phase, now: Duration) {
        let says_less = phase == Phase::Aborted && output.details.is_none() && !self.call.text().is_empty();
        if !says_less {
            self.call.output = output;
        }
        self.call.phase = phase;
        self.call.took = self.started.map(|started| now.saturating_sub(started));
        self.version += 1;
    }

    /// Grows with every change, so that whoever keeps rows knows when they are old.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether the rows change by themselves as time goes by.
    pub fn is_animated(&self) -> bool {
        self.call.phase == Phase::Running
    }

    /// Why somebody else's drawing was not used, once.
    pub fn take_complaint(&mut self) -> Option<String> {
        self.complaint.take()
    }

    /// How often the body was drawn: what a test of the work counts.
    pub fn bodies_drawn(&self) -> usize {
        self.body.drawn()
    }

    /// The rows. Of a call that did not change only the header is made again.
    pub fn rows(&mut self, look: &Look, expansion: Expansion, now: Duration) -> Vec<Line> {
        let version = self.version * 2 + u64::from(expansion == Expansion::Expanded);
        let (call, renderer) = (&self.call, &self.renderer);
        let mut fresh = None;
        let mut complaint = None;
        let rows = self.body.rows(look, version, || {
            let inner = look.narrower(INDENT);
            let call = &*call.visible();
            let mut drawn = draw_with(renderer.as_deref(), call, &inner, expansion, &mut complaint);
            let why = call.intent.iter().map(|intent| label(&inner, intent));
            let body: Vec<Line> = why.chain(std::mem::take(&mut drawn.body)).collect();
            let rows = indented(look, &body);
            fresh = Some(drawn);
            rows
        });
        if let Some(drawn) = fresh {
            self.drawn = Some(Arc::new(drawn));
            self.complaint = complaint;
        }
        let running = self.running(now);
        let head = self.drawn.as_ref().map(|drawn| header(look, &self.call, drawn, running));
        head.into_iter().chain(rows.iter().cloned()).collect()
    }

    /// For how long it has been running.
    pub(super) fn running(&self, now: Duration) -> Option<Duration> {
        self.started.map(|started| now.saturating_sub(started))
    }
}

/// The drawing of `renderer`, or ours if there is none or it fails.
fn draw_with(
    renderer: Option<&dyn Renderer>,
    call: &Call,
    look: &Look,
    expansion: Expansion,
    complaint: &mut Option<String>,
) -> Drawn {
    let drawing = Drawing { look, call, expansion };
    let Some(renderer) = renderer else { return draw(&drawing) };
    let outcome = catch_unwind(AssertUnwindSafe(|| renderer.render(call, look, expansion)));
    let reason = match outcome {
        Ok(Ok(body)) => {
            let body = body.iter().map(|row| row.clamp(look.width)).collect();
            return Drawn { body, ..generic::draw(&drawing) };
        }
        Ok(Err(reason)) => reason,
        Err(_) => "it panicked".to_owned(),
    };
    *complaint =
        Some(format!("The view of tool {} failed: {reason}. Its result is shown as text.", call.name));
    generic::draw(&drawing)
}

/// Why the model makes the call, in its own words.
fn label(look: &Look, intent: &str) -> Line {
    let style = look.fg(Token::Muted).with(Attributes::ITALIC);
    look.shortened(&Line::styled(style, &intent.split_whitespace().collect::<Vec<_>>().join(" ")), look.width)
}

fn indented(look: &Look, rows: &[Line]) -> Vec<Line> {
    let blank = Line::plain(&" ".repeat(INDENT.min(look.width.saturating_sub(1))));
    rows.iter().map(|row| behind(&blank, row).clamp(look.width)).collect()
}
