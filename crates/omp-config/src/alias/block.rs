//! The block of one alias in a file: from its first marker to its last.

use std::ops::Range;

use super::{AliasName, Change};

const BEGIN: &str = "# >>> omp profile alias: ";
const BEGIN_END: &str = " >>>";
const END: &str = "# <<< omp profile alias: ";
const END_END: &str = " <<<";

/// Markers that do not belong together. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenBlock {
    #[error(
        "the block of {name:?} that starts on line {line} has no end; remove what is left of it and try \
         again"
    )]
    NoEnd { name: String, line: usize },
    #[error("line {line} ends a block of {name:?} that has no start; remove the line and try again")]
    NoBegin { name: String, line: usize },
    #[error("{name:?} has a second block on line {line}; remove one of them and try again")]
    Twice { name: String, line: usize },
}

/// One block of ours in a file.
struct Block {
    name: String,
    line: usize,
    bytes: Range<usize>,
}

enum Marker<'a> {
    Begin(&'a str),
    End(&'a str),
}

/// The file with `function` as the block of `name`: in the place of the old block, or at the end.
pub(super) fn put(file: &[u8], name: &AliasName, function: &str) -> Result<(Vec<u8>, Change), BrokenBlock> {
    let name = name.as_str();
    let block = format!("{BEGIN}{name}{BEGIN_END}\n{function}{END}{name}{END_END}\n");
    let old = blocks(file)?.into_iter().find(|block| block.name == name);
    let mut new = Vec::with_capacity(file.len() + block.len() + 1);
    let Some(Block { bytes, .. }) = old else {
        new.extend_from_slice(file);
        if !file.is_empty() && !file.ends_with(b"\n") {
            new.push(b'\n');
        }
        new.extend_from_slice(block.as_bytes());
        return Ok((new, Change::Added));
    };
    new.extend_from_slice(&file[..bytes.start]);
    new.extend_from_slice(block.as_bytes());
    new.extend_from_slice(&file[bytes.end..]);
    let change = if new == file { Change::None } else { Change::Replaced };
    Ok((new, change))
}

/// Every block of ours, each with a beginning and an end.
fn blocks(file: &[u8]) -> Result<Vec<Block>, BrokenBlock> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut at = 0;
    for (index, text) in file.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (line, start) = (index + 1, at);
        at += text.len();
        match (marker(text), open.take()) {
            (None, block) => open = block,
            (Some(Marker::Begin(_)), Some(block)) => return Err(block.unfinished()),
            (Some(Marker::Begin(name)), None) => {
                let name = name.to_owned();
                if found.iter().any(|block| block.name == name) {
                    return Err(BrokenBlock::Twice { name, line });
                }
                open = Some(Block { name, line, bytes: start..at });
            }
            (Some(Marker::End(name)), Some(block)) if block.name == name => {
                found.push(Block { bytes: block.bytes.start..at, ..block });
            }
            (Some(Marker::End(_)), Some(block)) => return Err(block.unfinished()),
            (Some(Marker::End(name)), None) => {
                return Err(BrokenBlock::NoBegin { name: name.to_owned(), line });
            }
        }
    }
    match open {
        Some(block) => Err(block.unfinished()),
        None => Ok(found),
    }
}

impl Block {
    fn unfinished(self) -> BrokenBlock {
        BrokenBlock::NoEnd { name: self.name, line: self.line }
    }
}

fn marker(line: &[u8]) -> Option<Marker<'_>> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let within = |start: &str, end: &str| line.strip_prefix(start)?.strip_suffix(end);
    within(BEGIN, BEGIN_END).map(Marker::Begin).or_else(|| within(END, END_END).map(Marker::End))
}
