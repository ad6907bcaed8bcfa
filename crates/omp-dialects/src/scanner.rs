//! One scanner for all dialects: words up to a marker, then whatever the marker opens.

use std::sync::Arc;

use omp_types::ToolDefinition;
use serde_json::Value;

use super::output::Output;
use super::prose::{Action, Marker, Opening, Prose};
use super::source::Source;
use super::{Dialect, Piece, gemma, glm, harmony, hermes, markers, python, sections, thought, xml};

/// The tools on offer, for the schemas of their parameters. Shared with the request: most answers never look.
#[derive(Clone)]
pub(crate) struct Schemas(Arc<[ToolDefinition]>);

impl Schemas {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|tool| tool.name == name).map(|tool| &tool.parameters)
    }
}

/// Something other than words: a call, a thought, a message with a header.
pub(crate) trait Block: Send {
    fn step(&mut self, source: &mut Source, out: &mut Output) -> Step;

    /// The answer is over and the block is still open.
    fn end(&mut self, source: &mut Source, out: &mut Output);
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Something was understood.
    Again,
    /// More input is needed.
    More,
    /// The block is closed.
    Done,
}

/// Reads one streamed answer.
pub struct Scanner {
    markers: &'static [Marker],
    schemas: Schemas,
    source: Source,
    prose: Prose,
    block: Option<Box<dyn Block>>,
    out: Output,
}

impl Scanner {
    pub fn new(dialect: Dialect, tools: impl Into<Arc<[ToolDefinition]>>) -> Self {
        Self::with(markers::of(dialect), tools.into())
    }

    /// Lifts markup that hosted models spill into ordinary answers.
    pub fn healer(tools: impl Into<Arc<[ToolDefinition]>>) -> Self {
        Self::with(&markers::HEALING, tools.into())
    }

    fn with(markers: &'static [Marker], tools: Arc<[ToolDefinition]>) -> Self {
        Self {
            markers,
            schemas: Schemas(tools),
            source: Source::default(),
            prose: Prose::default(),
            block: None,
            out: Output::default(),
        }
    }

    /// Takes the next text of the answer and returns what it completes.
    pub fn feed(&mut self, text: &str) -> Vec<Piece> {
        self.source.push(text);
        self.run();
        self.out.take()
    }

    /// The answer is over. A call that is still open is reported as truncated.
    pub fn finish(&mut self) -> Vec<Piece> {
        self.source.end();
        self.run();
        if let Some(mut block) = self.block.take()
            && !self.out.is_over()
        {
            block.end(&mut self.source, &mut self.out);
        }
        self.source.skip_all();
        self.out.take()
    }

    fn run(&mut self) {
        while !self.out.is_over() && self.step() {}
        if self.out.is_over() {
            self.source.skip_all();
        }
        self.source.compact();
    }

    /// One step forward; `false` when more input is needed.
    fn step(&mut self) -> bool {
        if let Some(block) = &mut self.block {
            let step = block.step(&mut self.source, &mut self.out);
            if step == Step::Done {
                self.block = None;
            }
            return step != Step::More;
        }
        let Some(action) = self.prose.advance(&mut self.source, self.markers, &mut self.out) else {
            return false;
        };
        match action {
            Action::Drop => {}
            Action::Fabricated => self.out.fabricated(),
            Action::Stop => self.out.stop(),
            Action::Open(opening) | Action::Reopen(opening) => self.block = Some(self.open(opening)),
        }
        true
    }

    fn open(&self, opening: Opening) -> Box<dyn Block> {
        let schemas = self.schemas.clone();
        match opening {
            Opening::Thought(end) => Box::new(thought::Thought::new(end)),
            Opening::Xml => Box::new(xml::Calls::new(schemas)),
            Opening::DeepSeek => Box::new(sections::Calls::new(&sections::DEEPSEEK)),
            Opening::Kimi => Box::new(sections::Calls::new(&sections::KIMI)),
            Opening::Glm => Box::new(glm::Call::new(schemas)),
            Opening::Hermes => Box::new(hermes::Call::default()),
            Opening::Gemma => Box::new(gemma::Call::default()),
            Opening::GemmaChannel => Box::new(gemma::Channel::default()),
            Opening::Harmony => Box::new(harmony::Message::default()),
            Opening::Python => Box::new(python::Code::default()),
            Opening::FencedThought => Box::new(thought::FencedThought::default()),
        }
    }
}
