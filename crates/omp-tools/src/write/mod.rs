//! `write`: a whole file, in one step.

mod container;
mod internal;
mod notebook;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_edits::hashline::Tag;
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use omp_workspace::conflicts::ConflictAddress;
use omp_workspace::open::OpenedPath;
use omp_workspace::sniff::{self, FileKind};
use omp_workspace::text::{Charset, LineEnding, Unencodable};
use omp_workspace::turn::Turn;
use omp_workspace::write::{Mode, Outcome, WriteError};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::edit::placeholder;
use crate::output::{Details, Meta};
use crate::plan::Change;
use crate::reach::Closing;
use crate::read::selector;
use crate::resources::InternalUrl;
use crate::{Context, approval, conflicts, generated, lsp};

pub(crate) const TOOL: &BuiltinTool = &builtin::WRITE;

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
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
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

    fn files(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let typed = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        targets(&self.context, typed).iter().map(|path| path.display().to_string()).collect()
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        let typed = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        Some(match approval::of_url(typed) {
            Some(approval) => approval,
            None => self.context.agree(TOOL.name, arguments, &targets(&self.context, typed)),
        })
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let typed = arguments.get("path").and_then(Value::as_str);
        let mut details = approval::paths(&self.context, typed.map(|typed| ("Path", typed)));
        details.extend(match difference(&self.context, arguments) {
            Some(value) => vec![ApprovalDetail { label: ApprovalDetail::DIFFERENCE, value }],
            None => approval::details(arguments, &[("content", "Content")]),
        });
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let context = self.context.clone();
        async move {
            let arguments: Arguments = crate::arguments(call.arguments)?;
            let _agreed = Closing(&self.context);
            if let Some(address) = ConflictAddress::parse(&arguments.path) {
                let address = address.map_err(ToolError::new)?;
                let result = crate::blocking(move || {
                    let Arguments { path, content } = arguments;
                    context.may_change_tree()?;
                    // `3: @ours` in a list looks like a line of a read and is none.
                    let cleans = context.shows_anchors() && address != ConflictAddress::All;
                    let pasted = cleans.then(|| without_anchors(&content)).flatten();
                    conflicts::write(&context, &path, address, &pasted.unwrap_or(content))
                })
                .await;
                lsp::tell(&self.context).await;
                return result;
            }
            if let Some(url) = InternalUrl::parse(&arguments.path) {
                return internal::write(&context, &url, &arguments.content, &call.cancel).await;
            }
            let cancel = call.cancel.clone();
            let result = crate::blocking(move || run(&context, &arguments, &call.cancel)).await;
            lsp::after(&self.context, lsp::Occasion::Write, result, &cancel).await
        }
        .boxed()
    }
}

/// What a call would change in a text file that is there; `None` if there is none, or nothing would change.
fn difference(context: &Context, arguments: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let (typed, content) = (text("path")?, text("content")?);
    let [path] = targets(context, typed).try_into().ok()?;
    if container::file(context, typed).is_some() || crate::notebook::is_notebook(&path) {
        return None;
    }
    let pasted = context.shows_anchors().then(|| without_anchors(content)).flatten();
    crate::edit::difference_to(context, &path, pasted.as_deref().unwrap_or(content))
}

/// The files that a call changes.
fn targets(context: &Context, typed: &str) -> Vec<PathBuf> {
    if let Some(address) = ConflictAddress::parse(typed) {
        return address.map(|address| context.seen.conflicts.files(address)).unwrap_or_default();
    }
    if InternalUrl::parse(typed).is_some() {
        return Vec::new();
    }
    let inside = container::file(context, typed);
    inside.or_else(|| context.base().resolve(typed).ok()).into_iter().collect()
}

fn run(
    context: &Context,
    Arguments { path: typed, content }: &Arguments,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    refuse_web(typed)?;
    let pasted = context.shows_anchors().then(|| without_anchors(content)).flatten();
    let content = pasted.as_deref().unwrap_or(content);
    if let Some(output) = container::write(context, typed, content, cancel)? {
        return Ok(output);
    }
    let path = context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))?;
    if typed.ends_with('/') {
        return Err(ToolError::new(format!("'{typed}' names a directory. Add a file name.")));
    }
    refuse_selector(context, typed, &path)?;
    context.may_change(&path, Change::Write)?;
    let _turn = Turn::wait(&path);
    if crate::notebook::is_notebook(&path) && !path.is_dir() {
        return notebook::put(context, &path, content);
    }
    let old = Old::look(context, &path);
    if old.is_sqlite {
        let shown = context.base().display(&path);
        return Err(ToolError::new(format!(
            "{shown} is a SQLite database; writing text would destroy it. Use bash with sqlite3."
        )));
    }
    if path.exists() {
        generated::refuse(context, &path, &old.start)?;
        placeholder::refuse(&context.base().display(&path), &old.start, content.lines())?;
    }
    let mode = if content.starts_with("#!") { Mode::Executable } else { Mode::Keep };
    let bytes = old.encode(content).map_err(|error| {
        ToolError::new(format!(
            "{} was not changed: {error}. Omit the character, or convert the file to UTF-8 first, e.g. with \
             iconv.",
            context.base().display(&path)
        ))
    })?;
    let written = context.put(&path, &bytes, mode).map_err(|error| explain(context, &error))?;
    context.changed(&path, written.outcome.into());
    let done =
        Done { path: &path, content, old: &old, mode, outcome: written.outcome, cleaned: pasted.is_some() };
    Ok(done.answer(context))
}

/// Content that was pasted from a read, without its header and line numbers. Only where every line has them.
fn without_anchors(content: &str) -> Option<String> {
    let is_header = |line: &str| {
        let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let inner = inner.or_else(|| line.strip_prefix('¶'));
        inner.and_then(|inner| inner.rsplit_once('#')).is_some_and(|(_, tag)| tag.parse::<Tag>().is_ok())
    };
    let (mut rows, mut headed) = (Vec::new(), false);
    for line in content.split_inclusive('\n') {
        if is_header(line.trim_end()) {
            headed = true;
            continue;
        }
        let (number, rest) = line.split_once(':')?;
        let plain = number.bytes().all(|byte| byte.is_ascii_digit());
        rows.push((number.parse::<u64>().ok().filter(|_| plain)?, rest));
    }
    let pasted = !rows.is_empty() && (headed || are_lines_of_a_read(&rows));
    pasted.then(|| rows.iter().map(|(_, rest)| *rest).collect())
}

/// Numbers can be the content itself, as in a table of ports or status codes. Lines of a read follow each other, and not
/// all of them are a word behind a single space.
fn are_lines_of_a_read(rows: &[(u64, &str)]) -> bool {
    let is_value =
        |text: &str| text.strip_prefix(' ').is_some_and(|rest| !rest.starts_with(char::is_whitespace));
    let follow = rows.windows(2).all(|pair| pair[0].0.checked_add(1) == Some(pair[1].0));
    let begins = rows.len() > 1 || rows.first().is_some_and(|(number, _)| *number == 1);
    follow && begins && !rows.iter().all(|(_, text)| is_value(text))
}

/// `a.txt:5-9` is a way to read. A file of that name would surprise, unless it is there.
fn refuse_selector(context: &Context, typed: &str, path: &Path) -> Result<(), ToolError> {
    let file = selector::without(typed);
    let meant = || context.base().resolve(file).is_ok_and(|file| file.is_file());
    if file == typed || path.symlink_metadata().is_ok() || !meant() {
        return Ok(());
    }
    let part = &typed[file.len()..];
    Err(ToolError::new(format!(
        "{file} exists, and '{part}' selects part of it, but write replaces whole files. Use edit to change \
         lines, or write to {file}."
    )))
}

/// A file of that name instead would surprise.
fn refuse_web(typed: &str) -> Result<(), ToolError> {
    if ["http://", "https://"].iter().any(|web| typed.to_ascii_lowercase().starts_with(web)) {
        return Err(ToolError::new(format!("'{typed}' is a URL; only files can be written.")));
    }
    Ok(())
}

/// What has to survive of the file that is replaced.
struct Old {
    charset: Charset,
    /// It begins with the byte order mark of its encoding, if that has one.
    marked: bool,
    line_ending: LineEnding,
    is_sqlite: bool,
    /// The beginning, as far as it is text.
    start: String,
}

impl Old {
    /// Looks at the start of the file. Whatever is wrong with it, the write itself will tell.
    fn look(context: &Context, path: &Path) -> Self {
        let mut start = Vec::new();
        if let Ok(OpenedPath::File(file, _)) = context.open(path) {
            let _ = file.take(LINE_END_SAMPLE).read_to_end(&mut start);
        }
        let kind = sniff::kind(&start[..start.len().min(sniff::HEAD)]);
        let charset = match kind {
            FileKind::Text(charset) => charset,
            _ => Charset::Utf8,
        };
        let text = match kind {
            FileKind::Text(charset) => charset.decode(&start),
            _ => String::new(),
        };
        Self {
            charset,
            marked: start.starts_with(charset.mark()),
            line_ending: LineEnding::detect(&text),
            is_sqlite: kind == FileKind::Sqlite || context.is_database(path),
            start: text,
        }
    }

    /// The old file ends its lines with CRLF and the new text was written without knowing.
    fn restores_returns(&self, content: &str) -> bool {
        self.line_ending == LineEnding::CrLf && content.contains('\n') && !content.contains('\r')
    }

    fn encode(&self, content: &str) -> Result<Vec<u8>, Unencodable> {
        let mut bytes = match self.restores_returns(content) {
            true => self.charset.encode(&content.replace('\n', "\r\n"))?,
            false => self.charset.encode(content)?,
        };
        if !self.marked {
            bytes.drain(..self.charset.mark().len());
        }
        Ok(bytes)
    }
}

/// A file that was written.
struct Done<'a> {
    path: &'a Path,
    content: &'a str,
    old: &'a Old,
    mode: Mode,
    outcome: Outcome,
    /// The content came with the anchors of a read.
    cleaned: bool,
}

impl Done<'_> {
    fn answer(&self, context: &Context) -> ToolOutput {
        let Self { path, content, old, .. } = self;
        let shown = context.base().display(path);
        let mut text = String::new();
        if context.shows_anchors() {
            let plain = content.strip_prefix('\u{feff}').unwrap_or(content).replace("\r\n", "\n");
            let tag = context.seen.record(path, &plain, &[(1, usize::MAX)]);
            text.push_str(&format!("[{shown}#{tag}]\n"));
        }
        // The unit of the interface is the UTF-16 code unit, whatever the file's encoding.
        let units = content.encode_utf16().count();
        text.push_str(&format!("Successfully wrote {units} bytes to {shown}"));
        if self.cleaned {
            text.push_str("\n[Removed the header and line numbers copied from read]");
        }
        if old.restores_returns(content) {
            text.push_str("\n[Kept the file's CRLF line endings]");
        }
        if old.charset != Charset::Utf8 {
            text.push_str(&format!("\n[Kept the file's encoding: {}]", old.charset.name()));
        }
        let mut details = Details::default().with("created", self.outcome == Outcome::Created);
        if self.mode == Mode::Executable {
            details = details.with("madeExecutable", true);
        }
        ToolOutput::text(text).with_details(details.finish(&Meta::of_path(path)))
    }
}

pub(crate) fn explain(context: &Context, error: &WriteError) -> ToolError {
    let shown = |path: &PathBuf| context.base().display(path);
    ToolError::new(match error {
        WriteError::Directory(path) => {
            format!("{} is a directory. Name a file inside it.", shown(path))
        }
        WriteError::Special { path, kind } => {
            format!("{} is {}, not a file, and was left alone.", shown(path), kind.name())
        }
        WriteError::Protected(path) => format!(
            "{} is write-protected and was left unchanged. Ask the user before you change its permissions.",
            shown(path)
        ),
        WriteError::LinkLoop(path) => {
            format!("Cannot follow {}: too many levels of symbolic links.", shown(path))
        }
        WriteError::Parent { path, .. } | WriteError::Io { path, .. }
            if let Some(file) = file_above(path) =>
        {
            format!("{} is a file, not a directory.", context.base().display(file))
        }
        WriteError::Parent { path, source } => {
            format!("Cannot create the directory {}: {source}.", shown(path))
        }
        WriteError::Io { path, source } => {
            format!("Cannot write {}: {source}. The file is unchanged.", shown(path))
        }
        WriteError::Changed(path) => {
            format!(
                "{} was changed by something else in the meantime and was left alone. Try again.",
                shown(path)
            )
        }
        WriteError::Moved { reason, .. } if reason.starts_with("Nothing was changed") => reason.clone(),
        WriteError::Moved { path, reason } => {
            format!("{} was not changed: {reason} while the call ran.", shown(path))
        }
        WriteError::NoSpace(path) => {
            format!("No space left on the device for {}. The file is unchanged.", shown(path))
        }
        WriteError::ClosedDirectory { path, source } => format!(
            "Cannot write {}: atomic writes need to create a file in its directory, which failed ({source}). \
             The file is unchanged.",
            shown(path)
        ),
    })
}

/// A file where the path needs a directory.
fn file_above(path: &Path) -> Option<&Path> {
    path.ancestors()
        .find(|above| above.symlink_metadata().is_ok())
        .filter(|above| *above != path && above.is_file())
}
