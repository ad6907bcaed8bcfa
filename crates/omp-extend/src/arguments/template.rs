//! Renders the tags about our arguments.

use std::io::{self, Write};

use handlebars::Handlebars;
use serde_json::json;

use super::MAXIMUM;
use super::tags::{Piece, SpanKind};

/// Blocks in blocks that are rendered.
const DEEPEST: usize = 8;
/// How often nested repetitions may run.
const REPETITIONS: usize = 100_000;

/// What became of a text.
pub(super) enum Rendered {
    /// It has nothing to render.
    Plain,
    Text(String),
    /// It stays as written, because of this.
    Broken(String),
}

/// Renders `sealed`, whose tags are those of `pieces`.
pub(super) fn render(sealed: &str, pieces: &[Piece], arguments: &[String]) -> Rendered {
    let tags: Vec<&str> = pieces
        .iter()
        .filter(|piece| matches!(piece.kind, SpanKind::Template { .. }))
        .map(|piece| piece.text)
        .collect();
    if tags.is_empty() {
        return Rendered::Plain;
    }
    if let Some(reason) = too_deep(&tags, arguments.len()) {
        return Rendered::Broken(reason);
    }
    let mut engine = Handlebars::new();
    // Arguments go to a model, not into a page.
    engine.register_escape_fn(handlebars::no_escape);
    let joined = arguments.join(" ");
    let data = json!({ "args": arguments, "ARGUMENTS": joined, "arguments": joined });
    let mut output = Bounded::default();
    let result = engine.render_template_to_write(sealed, &data, &mut output);
    if output.full {
        return Rendered::Broken(format!("it grows beyond {MAXIMUM} bytes"));
    }
    match result.map(|()| String::from_utf8(output.bytes)) {
        Ok(Ok(text)) => Rendered::Text(text),
        Ok(Err(error)) => Rendered::Broken(error.to_string()),
        Err(error) => Rendered::Broken(first_line(&error.to_string())),
    }
}

/// Why these tags would keep the engine busy for too long.
fn too_deep(tags: &[&str], arguments: usize) -> Option<String> {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for tag in tags {
        let inner = tag.trim_start_matches(['{', '~']);
        if inner.starts_with('#') {
            depth += 1;
        } else if inner.starts_with('/') {
            depth = depth.saturating_sub(1);
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        return Some(format!("its blocks are nested {deepest} deep, more than {DEEPEST}"));
    }
    let repetitions = arguments.max(1).saturating_pow(u32::try_from(deepest).unwrap_or(u32::MAX));
    (repetitions > REPETITIONS).then(|| format!("it could repeat {repetitions} times"))
}

fn first_line(error: &str) -> String {
    let line = error.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it is not valid");
    line.trim_end_matches('.').to_owned()
}

/// Takes what is written until it is too much.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAXIMUM {
            self.full = true;
            return Err(io::Error::other("too much"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
