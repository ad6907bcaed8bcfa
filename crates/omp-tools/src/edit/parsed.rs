//! What a call of `edit` says, parsed once. Its text is looked at for the approval, for the question about it, and when it is
//! carried out; whoever comes first parses it, the others are handed the result.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use omp_agent::ToolError;
use omp_edits::hashline::{ParseError, Patch, parse};
use omp_edits::patch::{FileChange, PatchError, parse_envelope};

use super::mode::EditMode;

/// The text of a call in the language of the session's mode.
pub(super) enum ParsedEdit {
    Lines(Result<Patch, ParseError>),
    Envelope(Result<Vec<FileChange>, PatchError>),
}

impl ParsedEdit {
    fn parse(mode: EditMode, input: &str, cwd: &Path) -> Self {
        match mode {
            EditMode::Hashline => Self::Lines(parse(input, cwd)),
            EditMode::ApplyPatch | EditMode::Patch | EditMode::Replace => {
                Self::Envelope(parse_envelope(input))
            }
        }
    }

    /// The files that the text names; none if it cannot be understood.
    pub(super) fn paths(&self) -> Vec<String> {
        match self {
            Self::Lines(Ok(patch)) => patch.sections.iter().map(|section| section.path.clone()).collect(),
            Self::Envelope(Ok(files)) => {
                files.iter().flat_map(|file| file.paths()).map(str::to_owned).collect()
            }
            Self::Lines(Err(_)) | Self::Envelope(Err(_)) => Vec::new(),
        }
    }

    /// Lines by number, or why they are none.
    pub(super) fn lines(&self) -> Result<&Patch, ToolError> {
        match self {
            Self::Lines(Ok(patch)) => Ok(patch),
            Self::Lines(Err(error)) => Err(ToolError::new(error.to_string())),
            Self::Envelope(_) => {
                Err(ToolError::new("Expected hunks with line numbers, got a patch envelope."))
            }
        }
    }

    /// The files of an envelope, or why it is none.
    pub(super) fn files(&self) -> Result<&[FileChange], ToolError> {
        match self {
            Self::Envelope(Ok(files)) => Ok(files),
            Self::Envelope(Err(error)) => Err(ToolError::new(error.to_string())),
            Self::Lines(_) => Err(ToolError::new("Expected a patch envelope, got hunks with line numbers.")),
        }
    }
}

/// The text that was parsed last. Calls of `edit` run one at a time.
#[derive(Default)]
pub(super) struct LastParsed {
    last: Mutex<Option<(String, Arc<ParsedEdit>)>>,
    #[cfg(test)]
    parses: std::sync::atomic::AtomicUsize,
}

impl LastParsed {
    /// What a text says, from memory if it is the one before.
    pub(super) fn of(&self, mode: EditMode, input: &str, cwd: &Path) -> Arc<ParsedEdit> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, parsed)) = last.as_ref().filter(|(text, _)| text == input) {
            return Arc::clone(parsed);
        }
        #[cfg(test)]
        self.parses.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let parsed = Arc::new(ParsedEdit::parse(mode, input, cwd));
        *last = Some((input.to_owned(), Arc::clone(&parsed)));
        parsed
    }

    /// The call is over.
    pub(super) fn forget(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use omp_agent::{Invocation, Tool, Updates};
    use omp_shell::{Environment, Scope};
    use serde_json::{Value, json};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::Context;
    use crate::edit::Edit;

    /// Approval, the details of the question and the change itself share one parse.
    #[tokio::test]
    async fn one_call_parses_its_text_once() {
        let inputs = [
            (EditMode::ApplyPatch, "*** Begin Patch\n*** Add File: new.txt\n+text\n*** End Patch\n"),
            (EditMode::Hashline, "[missing.txt#ABCD]\nSWAP 1\n+text\n"),
        ];
        for (mode, input) in inputs {
            let scratch = tempfile::tempdir().unwrap();
            let cwd = scratch.path().to_owned();
            let mut context = Context::new(cwd, None, Arc::new(Scope::new()), Environment::inherited());
            context.settings.edit.mode = mode;
            let edit = Edit::new(Arc::new(context));
            let arguments = json!({ "input": input }).as_object().cloned().unwrap();
            edit.approval(&arguments);
            edit.approval_details(&arguments);
            let parses = || edit.parsed.parses.load(Ordering::Relaxed);
            let call = Invocation {
                id: "c".to_owned(),
                arguments: arguments.clone(),
                cancel: CancellationToken::new(),
                updates: Updates::ignored(),
            };
            let result = edit.run(call).await;
            assert_eq!(parses(), 1, "{input}: {result:?}");
            edit.approval(&arguments);
            assert_eq!(parses(), 2, "another call is parsed again");
            assert_eq!(arguments["input"], Value::from(input));
        }
    }
}
