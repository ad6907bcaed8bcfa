//! `ask`: questions to the user.

mod answer;
mod dialog;

use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, select};
use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_types::{Approval, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Context, Modes};
use answer::Answered;
pub use dialog::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};

pub(crate) const TOOL: &BuiltinTool = &builtin::ASK;

pub(crate) struct Ask {
    definition: ToolDefinition,
    modes: Arc<Modes>,
}

#[derive(Deserialize)]
struct Arguments {
    questions: Vec<AskQuestion>,
}

impl Ask {
    pub(crate) fn new(context: &Context) -> Self {
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        Self { definition, modes: Arc::clone(&context.modes) }
    }

    async fn ask(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let Arguments { questions } = crate::arguments(call.arguments)?;
        let modes = &self.modes;
        let Some(asking) = &modes.asking else {
            return Err(ToolError::new("Ask tool requires interactive mode"));
        };
        // A plan waits for its answers: a guess would be planned with.
        let timeout = asking.timeout.filter(|_| !modes.planning.is_on());
        let dialog = Dialog::new(questions, timeout, asking.notify);
        let answers = {
            let person = pin!(asking.questioner.ask(&dialog));
            let time = pin!(dialog.expired(asking.clock.as_ref()));
            let aborted = pin!(call.cancel.cancelled());
            match select(aborted, select(person, time)).await {
                Either::Left(_) => return Err(ToolError::new("Ask input was cancelled")),
                Either::Right((Either::Left((Ended::Cancelled, _)), _)) => {
                    modes.end_turn();
                    return Err(ToolError::new("Ask tool was cancelled by the user"));
                }
                Either::Right((Either::Left((Ended::Answered, _)), _)) => answers(&dialog, Missing::Left),
                Either::Right((Either::Right(_), _)) => answers(&dialog, Missing::TakenByItself),
            }
        };
        Ok(answer::result(&answers))
    }
}

/// What becomes of questions without an answer.
#[derive(Clone, Copy)]
enum Missing {
    Left,
    TakenByItself,
}

fn answers(dialog: &Dialog, missing: Missing) -> Vec<Answered<'_>> {
    let one = |(question, answer)| match (answer, missing) {
        (None, Missing::TakenByItself) => Answered::by_itself(question),
        (answer, _) => Answered::new(question, answer),
    };
    dialog.questions().iter().zip(dialog.answers()).map(one).collect()
}

impl Tool for Ask {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// One dialog at a time, and nothing happens behind it.
    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Exclusive
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        TOOL.approval()
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.ask(call).boxed()
    }
}
