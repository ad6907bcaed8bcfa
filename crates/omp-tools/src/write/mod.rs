//! `write`: a whole file, in one step.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_types::{ToolDefinition, ToolOutput};
use omp_workspace::open::{Found, open};
use omp_workspace::sniff::{self, Kind};
use omp_workspace::text::{Charset, LineEnding};
use omp_workspace::write::{Mode, Outcome, WriteError, write};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Context;
use crate::output::{Details, Meta};

pub(crate) const NAME: &str = "write";

/// How much of an existing file tells how its lines end.
const LINE_END_SAMPLE: u64 = 64 * 1024;

pub(crate) struct Write {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    content: String,
}

impl Write {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = crate::definition(NAME, include_str!("prompt.md"), include_str!("schema.json"));
        Self { definition, context }
    }
}

impl Tool for Write {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Exclusive
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let context = self.context.clone();
        async move {
            let arguments: Arguments = crate::arguments(call.arguments)?;
            crate::blocking(move || run(&context, &arguments)).await
        }
        .boxed()
    }
}

fn run(context: &Context, Arguments { path: typed, content }: &Arguments) -> Result<ToolOutput, ToolError> {
    refuse_other_targets(typed)?;
    let path = context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))?;
    if typed.ends_with('/') {
        return Err(ToolError::new(format!(
            "'{typed}' names a directory. Add the name of the file to write."
        )));
    }
    let old = Old::look(&path);
    if old.is_sqlite {
        let shown = context.base().display(&path);
        return Err(ToolError::new(format!(
            "{shown} is a SQLite database; writing text would destroy it. Use bash with sqlite3."
        )));
    }
    let mode = if content.starts_with("#!") { Mode::Executable } else { Mode::Keep };
    let written = write(&path, &old.encode(content), mode).map_err(|error| explain(context, &error))?;
    Ok(answer(context, &path, content, &old, mode, written.outcome))
}

/// Resources that `write` will know one day. Writing a file of that name instead would surprise.
fn refuse_other_targets(typed: &str) -> Result<(), ToolError> {
    if let Some((scheme, _)) = typed.split_once("://")
        && scheme != "file"
    {
        return Err(ToolError::new(format!(
            "Writing to {scheme}:// resources is not available yet. Give a path in the file system."
        )));
    }
    if inside_of(typed, &[".zip", ".tar", ".tar.gz", ".tgz"]) {
        return Err(ToolError::new(format!(
            "Writing into an archive ('{typed}') is not available yet. Use bash with zip or tar."
        )));
    }
    if inside_of(typed, &[".sqlite", ".sqlite3", ".db", ".db3"]) {
        return Err(ToolError::new(format!(
            "Writing rows of a database ('{typed}') is not available yet. Use bash with sqlite3."
        )));
    }
    Ok(())
}

/// Whether `typed` is `container:inner` for a container whose name ends in one of `endings`.
fn inside_of(typed: &str, endings: &[&str]) -> bool {
    let typed = typed.to_lowercase();
    let mut containers = typed.match_indices(':').map(|(colon, _)| &typed[..colon]);
    containers.any(|container| endings.iter().any(|ending| container.ends_with(ending)))
}

/// What has to survive of the file that is replaced.
struct Old {
    charset: Charset,
    line_ending: LineEnding,
    is_sqlite: bool,
}

impl Old {
    /// Looks at the start of the file. Whatever is wrong with it, the write itself will tell.
    fn look(path: &Path) -> Self {
        let mut start = Vec::new();
        if let Ok(Found::File(file, _)) = open(path) {
            let _ = file.take(LINE_END_SAMPLE).read_to_end(&mut start);
        }
        let kind = sniff::kind(&start[..start.len().min(sniff::HEAD)]);
        let charset = match kind {
            Kind::Text(charset) => charset,
            _ => Charset::Utf8,
        };
        let line_ending = match kind {
            Kind::Text(charset) => LineEnding::detect(&charset.decode(&start)),
            _ => LineEnding::Unknown,
        };
        Self { charset, line_ending, is_sqlite: kind == Kind::Sqlite }
    }

    /// The old file ends its lines with CRLF and the new text was written without knowing.
    fn restores_returns(&self, content: &str) -> bool {
        self.line_ending == LineEnding::CrLf && content.contains('\n') && !content.contains('\r')
    }

    fn encode(&self, content: &str) -> Vec<u8> {
        if self.restores_returns(content) {
            return self.charset.encode(&content.replace('\n', "\r\n"));
        }
        self.charset.encode(content)
    }
}

fn answer(
    context: &Context,
    path: &Path,
    content: &str,
    old: &Old,
    mode: Mode,
    outcome: Outcome,
) -> ToolOutput {
    let shown = context.base().display(path);
    // The unit of the interface is the UTF-16 code unit, whatever the file's encoding.
    let mut text = format!("Successfully wrote {} bytes to {shown}", content.encode_utf16().count());
    if old.restores_returns(content) {
        text.push_str("\n[Kept the file's CRLF line ends]");
    }
    if old.charset != Charset::Utf8 {
        text.push_str(&format!("\n[Kept the file's encoding: {}]", old.charset.name()));
    }
    let mut details = Details::default().with("created", outcome == Outcome::Created);
    if mode == Mode::Executable {
        details = details.with("madeExecutable", true);
    }
    ToolOutput::text(text).with_details(details.finish(&Meta::of_path(path)))
}

fn explain(context: &Context, error: &WriteError) -> ToolError {
    let shown = |path: &PathBuf| context.base().display(path);
    ToolError::new(match error {
        WriteError::Directory(path) => {
            format!("{} is a directory. Name a file inside it.", shown(path))
        }
        WriteError::Special { path, kind } => {
            format!("{} is {}, not a file; it was left alone.", shown(path), kind.name())
        }
        WriteError::Protected(path) => format!(
            "{} is write-protected and was left unchanged. Ask the user before you change its permissions.",
            shown(path)
        ),
        WriteError::Parent { path, source } => {
            format!("Cannot create the directory {}: {source}.", shown(path))
        }
        other => other.to_string(),
    })
}
