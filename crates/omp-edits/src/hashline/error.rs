//! Why a patch was refused. The sentences are for the model: each says what to write instead.

use thiserror::Error;

use crate::hashline::patch::Operation;
use crate::hashline::tag::Tag;

const VERBS: &str = "Use `SWAP N.=M:`, `DEL N.=M`, or `INS.PRE|POST|HEAD|TAIL:`";

/// The patch itself cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    #[error(
        "input must begin with \"[PATH#HASH]\" on the first non-blank line for anchored edits; got: {}. {}",
        quoted(.0),
        first_line_hint(.0)
    )]
    NoHeader(String),
    #[error(
        "Input header must be [PATH] or [PATH#TAG] with a 4-hex content-hash tag; got {}. {}",
        quoted(.0),
        header_hint(.0)
    )]
    BadHeader(String),
    #[error(
        "Missing hashline snapshot tag for edit to {0}; use `[{0}#tag]` from your latest read/search output. \
         To create a new file, use the write tool."
    )]
    NoTag(String),
    #[error(
        "{path} is named with two tags, #{first} and #{second}. All hunks for one file must use the tag of one \
         read: keep the newest."
    )]
    TwoTags { path: String, first: Tag, second: Tag },
    #[error(
        "The input is one line with `\\n` written out as two characters. Send real line breaks, and escape the text \
         once, not twice."
    )]
    Escaped,
    #[error(
        "line {at}: there is text behind the closing ``` of the patch. Send the patch alone, without a code block."
    )]
    BehindFence { at: usize },
    #[error(
        "No hashline sections found in input. Write hunks such as `SWAP N.=M:` below the `[PATH#TAG]` line."
    )]
    Empty,
    #[error("line {at}: payload line has no preceding hunk header. {VERBS} above the body. Got {}.", quoted(.text))]
    Stray { at: usize, text: String },
    #[error(
        "line {at}: `-` rows are not valid; hashline ranges already name the lines being changed. To insert a \
         literal line starting with `-`, write `+-…`."
    )]
    MinusRow { at: usize },
    #[error(
        "line {at}: SEARCH/REPLACE marker {} is not valid in hashline. The range already names the old lines: write \
         only the new ones, as `+TEXT` rows.",
        quoted(.text)
    )]
    SearchReplace { at: usize, text: String },
    #[error(
        "line {at}: {} is not a hunk header. {VERBS} alone on a line, with the rows below it. As text of the file the \
         line needs its `+`.",
        quoted(.text)
    )]
    NotAHeader { at: usize, text: String },
    #[error("line {at}: {}", empty_body(.operation))]
    EmptyBody { at: usize, operation: Operation },
    #[error("line {at}: {}", unwanted_body(.operation))]
    UnwantedBody { at: usize, operation: Operation },
    #[error("line {at}: `{shown}` does not end with a colon and takes no body rows. Write `{shown}` alone.")]
    ColonOnDelete { at: usize, shown: String },
    #[error("line {at}: range {first}.={last} ends before it starts.")]
    Reversed { at: usize, first: usize, last: usize },
    #[error("line {at}: lines are counted from 1; there is no line 0.")]
    LineZero { at: usize },
    #[error("line {at}: {text} is no line number of any file.")]
    HugeNumber { at: usize, text: String },
    #[error(
        "line {at}: range {first}.={last} covers more than 100,000 lines. Split it, or use the write tool."
    )]
    HugeRange { at: usize, first: usize, last: usize },
    #[error(
        "line {at}: apply_patch sentinel {} is not valid in hashline. File sections start with `[path#HASH]` (no \
         `Update File:` / `Add File:` keyword). {VERBS} ops.",
        quoted(.text)
    )]
    ApplyPatch { at: usize, text: String },
    #[error("line {at}: unified-diff hunk header (`@@ -N,M +N,M @@`) is not valid in hashline. {VERBS} ops.")]
    UnifiedDiff { at: usize },
    #[error(
        "line {at}: `@@`-bracketed hunk header {} is not valid in hashline. Drop the `@@ ... @@` brackets and \
         write a verb header such as `SWAP N.=M:`.",
        quoted(.text)
    )]
    Bracketed { at: usize, text: String },
    #[error(
        "line {at}: hunk headers need a verb. Use `SWAP {line}.={line}:` to replace, or `DEL {line}` to delete."
    )]
    BareNumber { at: usize, line: String },
    #[error(
        "line {at}: bare range hunk header {} is not valid. Hunk headers need a verb: write `SWAP {first}.={last}:` \
         or `DEL {first}.={last}`.",
        quoted(.text)
    )]
    BareRange { at: usize, text: String, first: String, last: String },
}

/// A section of a patch that was understood does not fit its file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    #[error("Line {line} does not exist (file has {count} lines){}", behind(.context))]
    NoSuchLine {
        line: usize,
        count: usize,
        /// The last rows of the file.
        context: String,
    },
    #[error(
        "line {at}: anchor line {line} is already targeted by another hunk on line {other}. Issue ONE hunk per \
         range; payload is only the final desired content, never a before/after pair."
    )]
    Overlap { at: usize, line: usize, other: usize },
    #[error("{}", no_block(.at, .operation, .context))]
    NoBlock { at: usize, operation: Operation, context: String },
    #[error(
        "line {at}: the body of `{}` begins or ends with a copy of the line next to the range, but is too short to \
         be the widened content. Widen the range to cover that line, or leave it out of the body.",
        operation.shown()
    )]
    AmbiguousEcho { at: usize, operation: Operation },
    #[error("{0}")]
    Mismatch(String),
    #[error("{0}")]
    Unseen(String),
}

/// What to write instead of a first line that is no header, by what it looks like.
fn first_line_hint(line: &str) -> String {
    let line = line.trim_start();
    let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    let other = if begins(&["--- ", "+++ ", "diff ", "@@ ", "Index: "]) {
        "Unified diffs are not taken. "
    } else if begins(&["*** "]) {
        "Patch envelopes are not taken. "
    } else if begins(&["<<<<<<<", "======="]) {
        "SEARCH/REPLACE blocks are not taken. "
    } else {
        ""
    };
    format!(
        "{other}Copy the header from a read of the file; below it goes one hunk for each range, such as `SWAP 3.=4:`, \
         with only the new lines as `+TEXT` rows."
    )
}

/// What to write instead of a header that cannot be read.
fn header_hint(header: &str) -> &'static str {
    let inner = header.trim().trim_start_matches('[').trim_end_matches(']');
    let tagged = inner.rsplit_once('#').filter(|(_, tag)| tag.parse::<Tag>().is_ok());
    match tagged {
        Some((path, _)) if path.contains('#') => {
            "A path with `#` in it cannot be named here: change that file with bash, e.g. sed, or write it whole."
        }
        _ => "A line that begins with \"[\" and is meant as text needs its `+`.",
    }
}

/// Rows of the file below a sentence.
fn behind(context: &str) -> String {
    if context.is_empty() { String::new() } else { format!("\n\n{context}") }
}

fn empty_body(operation: &Operation) -> String {
    let shown = operation.shown();
    match operation {
        Operation::Swap { first, last } => {
            format!(
                "`{shown}` needs at least one `+TEXT` body row. To delete lines, use `DEL {first}.={last}`."
            )
        }
        Operation::SwapBlock { line } => {
            format!("`{shown}` needs at least one `+TEXT` body row. To delete a block, use `DEL.BLK {line}`.")
        }
        _ => format!("`{shown}` needs at least one `+TEXT` body row; `INS` inserts what stands below it."),
    }
}

fn unwanted_body(operation: &Operation) -> String {
    let shown = operation.shown();
    match operation {
        Operation::DeleteBlock { line } => format!(
            "`{shown}` does not take body rows. Remove the body, or use `SWAP.BLK {line}:` to replace the block."
        ),
        Operation::Delete { first, last } => {
            format!("`{shown}` does not take body rows. Remove the body, or use `SWAP {first}.={last}:`.")
        }
        _ => format!("`{shown}` does not take body rows."),
    }
}

fn no_block(at: &usize, operation: &Operation, context: &str) -> String {
    let line = operation.block_line().unwrap_or_default();
    let instead = match operation {
        Operation::InsertAfterBlock { .. } => "`INS.POST M:` with the block's explicit last line".to_owned(),
        Operation::DeleteBlock { .. } => format!("`DEL {line}.=M` with the block's explicit end line"),
        _ => format!("`SWAP {line}.=M:` with the block's explicit end line"),
    };
    format!(
        "line {at}: `{}` could not resolve a syntactic block beginning on line {line}. The language may be \
         unsupported, the line may be blank or a closing delimiter, or the block may not parse. Use {instead} \
         instead.\n\n{context}",
        operation.shown()
    )
}

/// A piece of the patch in quotes, cut where it gets long.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}
