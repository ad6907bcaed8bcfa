//! An interview that finds out what is to be reached.

use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::Model;
use omp_types::{Message, ModelRequest, RequestOptions, StreamEvent};
use tokio_util::sync::CancellationToken;

use crate::ui::Ui;

const INTERVIEW: &str = include_str!("../prompts/guided-goal.md");
/// Most questions of an interview.
const MOST: usize = 6;
/// Room for an answer.
const MAX_TOKENS: u32 = 2_000;

/// The model that interviews could not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InterviewError(String);

/// A model asks a person, and words an objective.
pub struct Interview<'a> {
    /// Who asks.
    pub model: &'a dyn Model,
    /// Who answers.
    pub ui: &'a dyn Ui,
}

impl Interview<'_> {
    /// At most six questions. `None` if the person gave up.
    pub async fn objective(
        &self,
        wish: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<String>, InterviewError> {
        let mut talk = vec![format!("The user wants: {}", wish.trim())];
        let mut asked = 0;
        loop {
            match interview(self.model, &talk, cancel.clone()).await? {
                Said::Objective(objective) => return Ok(Some(objective)),
                Said::Question(question) if asked < MOST => {
                    asked += 1;
                    let Some(answer) = self.ui.question(&question).await else { return Ok(None) };
                    talk.push(format!("You asked: {question}\nThe user answered: {answer}"));
                    if asked == MOST {
                        talk.push("No more questions: give the OBJECTIVE now.".to_owned());
                    }
                }
                // One question too many is better than none of the user's words.
                Said::Question(_) => return Ok(Some(talk.join("\n"))),
            }
        }
    }
}

/// What the interviewer says.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Question(String),
    Objective(String),
}

impl Said {
    /// Reads an answer. One without a mark is taken for what it looks like.
    fn parse(answer: &str) -> Self {
        let answer = answer.trim();
        let marked = |mark: &str| answer.split_once(mark).map(|(_, rest)| rest.trim().to_owned());
        match (marked("OBJECTIVE:"), marked("QUESTION:")) {
            (Some(objective), _) => Self::Objective(objective),
            (None, Some(question)) => Self::Question(question),
            (None, None) if answer.ends_with('?') => Self::Question(answer.to_owned()),
            (None, None) => Self::Objective(answer.to_owned()),
        }
    }
}

async fn interview(
    model: &dyn Model,
    talk: &[String],
    cancel: CancellationToken,
) -> Result<Said, InterviewError> {
    let request = ModelRequest {
        system: Arc::from([INTERVIEW.trim_end().to_owned()]),
        messages: vec![Arc::new(Message::user(talk.join("\n\n"), 0))],
        options: RequestOptions { max_tokens: Some(MAX_TOKENS), ..RequestOptions::default() },
        ..ModelRequest::default()
    };
    let mut stream = model.stream(request, cancel);
    while let Some(batch) = stream.next().await {
        for event in batch {
            match event {
                StreamEvent::Done { message, .. } => {
                    return Ok(Said::parse(&message.texts().collect::<String>()));
                }
                StreamEvent::Error { failure, .. } => return Err(InterviewError(failure.message)),
                _ => {}
            }
        }
    }
    Err(InterviewError("the model's answer was cut off; try again".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_questions_or_objectives() {
        let question = |text: &str| Said::Question(text.to_owned());
        let objective = |text: &str| Said::Objective(text.to_owned());
        assert_eq!(Said::parse("QUESTION: Which tests?\n"), question("Which tests?"));
        assert_eq!(Said::parse("Sure.\nOBJECTIVE: All\ngreen."), objective("All\ngreen."));
        assert_eq!(Said::parse("Which tests?"), question("Which tests?"));
        assert_eq!(Said::parse("Make all tests green."), objective("Make all tests green."));
    }
}
