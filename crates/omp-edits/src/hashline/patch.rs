//! What a patch says, before any file is looked at.

use crate::hashline::tag::Tag;

/// A parsed patch: the files it changes, in the order in which they were first named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    pub sections: Vec<Section>,
    /// What was put right while reading.
    pub warnings: Vec<String>,
}

/// Everything a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// As written, without quotes and noise; relative where it lies in the working directory.
    pub path: String,
    /// Names the text that the line numbers count in.
    pub tag: Tag,
    pub hunks: Vec<Hunk>,
}

/// One operation with its new lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub operation: Operation,
    pub body: Vec<String>,
    /// The line of the patch that holds the hunk's header.
    pub at: usize,
}

/// What a hunk does. Lines count from one, in the tagged text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Swap { first: usize, last: usize },
    SwapBlock { line: usize },
    Delete { first: usize, last: usize },
    DeleteBlock { line: usize },
    InsertBefore { line: usize },
    InsertAfter { line: usize },
    InsertAfterBlock { line: usize },
    InsertHead,
    InsertTail,
}

impl Operation {
    /// Does it bring lines of its own?
    pub(crate) fn takes_body(self) -> bool {
        !matches!(self, Self::Delete { .. } | Self::DeleteBlock { .. })
    }

    /// The line whose syntactic block is meant.
    pub(crate) fn block_line(self) -> Option<usize> {
        match self {
            Self::SwapBlock { line } | Self::DeleteBlock { line } | Self::InsertAfterBlock { line } => {
                Some(line)
            }
            _ => None,
        }
    }

    /// The lines that must be as they were for the operation to make sense.
    pub(crate) fn anchors(self) -> Option<(usize, usize)> {
        match self {
            Self::Swap { first, last } | Self::Delete { first, last } => Some((first, last)),
            Self::SwapBlock { line }
            | Self::DeleteBlock { line }
            | Self::InsertBefore { line }
            | Self::InsertAfter { line }
            | Self::InsertAfterBlock { line } => Some((line, line)),
            Self::InsertHead | Self::InsertTail => None,
        }
    }

    /// As a person would write it.
    pub(crate) fn shown(self) -> String {
        match self {
            Self::Swap { first, last } => format!("SWAP {first}.={last}:"),
            Self::SwapBlock { line } => format!("SWAP.BLK {line}:"),
            Self::Delete { first, last } => format!("DEL {first}.={last}"),
            Self::DeleteBlock { line } => format!("DEL.BLK {line}"),
            Self::InsertBefore { line } => format!("INS.PRE {line}:"),
            Self::InsertAfter { line } => format!("INS.POST {line}:"),
            Self::InsertAfterBlock { line } => format!("INS.BLK.POST {line}:"),
            Self::InsertHead => "INS.HEAD:".to_owned(),
            Self::InsertTail => "INS.TAIL:".to_owned(),
        }
    }
}
