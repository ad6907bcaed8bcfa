//! `ask`: questions to the user.

mod answer;
mod dialog;

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use omp_agent::{Invocation, Scheduling, ToolError};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;

use crate::uniform::UniformTool;
use crate::{Context, Modes};
use answer::Answered;
pub use dialog::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};

pub(crate) const TOOL: &BuiltinTool = &builtin::ASK;

pub(crate) struct Ask {
    modes: Arc<Modes>,
}

#[derive(Deserialize)]
struct Arguments {
    questions: Vec<AskQuestion>,
}

impl Ask {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { modes: Arc::clone(&context.modes) }
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

impl UniformTool for Ask {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    /// One dialog at a time, and nothing happens behind it.
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.ask(call).await
    }
}
