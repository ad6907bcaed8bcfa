//! Known secrets in what is shown and kept, and in what a model wants to write.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_agent::{Arguments, Gate, Listener, Passed, Tool, ToolError};
use omp_guard::secrets::Secrets;
use omp_types::{AgentEvent, Message, ToolCall, ToolTrait, UserBlock, tool_has};
use serde_json::Value;

use crate::secrets::artifacts;
use crate::session::Session;

/// Masks what a text holds; `None` if there is nothing to mask.
pub type Masking = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl Session {
    /// What masks secrets in messages of the program itself.
    pub fn masking(&self) -> Option<Masking> {
        let masks = Arc::clone(self.masks.as_ref()?);
        Some(Arc::new(move |text: &str| masks.obfuscate(text)))
    }
}

/// Writes lines with secrets masked.
pub(crate) struct MaskedWriter<'s, W> {
    out: W,
    masks: Option<&'s Secrets>,
    line: Vec<u8>,
}

impl<'s, W: Write> MaskedWriter<'s, W> {
    pub(crate) fn new(out: W, masks: Option<&'s Secrets>) -> Self {
        Self { out, masks, line: Vec::new() }
    }

    pub(crate) fn inner(&self) -> &W {
        &self.out
    }

    fn pass(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        match self.masks.zip(std::str::from_utf8(&line).ok()) {
            Some((masks, text)) => self.out.write_all(masks.masked(text).as_bytes()),
            None => self.out.write_all(&line),
        }
    }
}

impl<W: Write> Write for MaskedWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.out.flush()
    }
}

/// Passes on what happens without secrets, to the file as well as to whoever looks.
pub(crate) struct MaskedListener {
    pub(crate) masks: Arc<Secrets>,
    /// Where outputs are kept whole.
    pub(crate) artifacts: Option<PathBuf>,
    pub(crate) inner: Box<dyn Listener>,
}

impl Listener for MaskedListener {
    fn event(&mut self, event: AgentEvent) {
        if let (AgentEvent::MessageEnd { message }, Some(directory)) = (&event, &self.artifacts) {
            match &**message {
                Message::ToolResult(result) => {
                    let texts = result.content.iter().filter_map(UserBlock::as_text);
                    texts.for_each(|text| artifacts::named_in(text, directory, &self.masks));
                }
                Message::Custom(custom) => {
                    artifacts::named_in(&custom.content.text(), directory, &self.masks);
                }
                Message::User(_) | Message::Assistant(_) => {}
            }
        }
        self.inner.event(self.masks.event(event));
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.inner.backlog()
    }
}

/// Calls in which a mask stands where a model wants the value that it never saw: written to a file, it would take the
/// place of the secret.
pub(crate) struct MaskedGate {
    pub(crate) masks: Arc<Secrets>,
    pub(crate) inner: Arc<dyn Gate>,
}

pub(crate) fn gate(inner: Arc<dyn Gate>, masks: Option<&Arc<Secrets>>) -> Arc<dyn Gate> {
    match masks {
        Some(masks) => Arc::new(MaskedGate { masks: Arc::clone(masks), inner }),
        None => inner,
    }
}

pub(crate) fn listener(
    inner: Box<dyn Listener>,
    masks: Option<&Arc<Secrets>>,
    artifacts: Option<&Path>,
) -> Box<dyn Listener> {
    let artifacts = artifacts.map(Path::to_owned);
    match masks {
        Some(masks) => Box::new(MaskedListener { masks: Arc::clone(masks), artifacts, inner }),
        None => inner,
    }
}

impl Gate for MaskedGate {
    fn before<'a>(&'a self, tool: &'a Arc<dyn Tool>, call: &'a ToolCall, arguments: Arguments) -> Passed<'a> {
        let text = match tool_has(&call.name, ToolTrait::WritesItsArguments) {
            true => Value::Object(arguments.clone()).to_string(),
            false => String::new(),
        };
        if let Some(mask) = self.masks.mask_in(&text) {
            let reason = format!(
                "{mask} stands for a secret that omp masks, so this call would write the mask in its place. Leave such \
                 lines as they are, or use the variable or file that holds the value."
            );
            return Box::pin(std::future::ready(Err(ToolError::new(reason))));
        }
        self.inner.before(tool, call, arguments)
    }

    fn behind(&self) -> Option<&dyn Gate> {
        Some(&*self.inner)
    }
}
