//! An interview that leads to a goal.

use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::{Model, Prompt};
use omp_types::{Message, ModelRequest, RequestOptions, StreamEvent};
use tokio_util::sync::CancellationToken;

use super::error::ModeError;
use super::ui::Ui;
use crate::session::Session;
use omp_models::model_of_role;

const INTERVIEW: &str = include_str!("../../prompts/guided-goal.md");
/// Most questions of an interview.
const MOST: usize = 6;
/// The roles that may lead it, the best first.
const ROLES: [&str; 2] = ["plan", "slow"];
/// Room for an answer.
const MAX_TOKENS: u32 = 2_000;

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

impl Session {
    /// Asks the user what is to be reached, at most six questions, lets the user change the objective that comes of it,
    /// and sets it as the goal. `None` if the user gave up.
    pub async fn guided_goal(
        &self,
        wish: &str,
        ui: &dyn Ui,
        cancel: CancellationToken,
    ) -> Result<Option<Prompt>, ModeError> {
        self.may_have_goal()?;
        let model = self.interviewer()?;
        let mut talk = vec![format!("The user wants: {}", wish.trim())];
        let mut asked = 0;
        let objective = loop {
            match interview(model.as_ref(), &talk, cancel.clone()).await? {
                Said::Objective(objective) => break objective,
                Said::Question(question) if asked < MOST => {
                    asked += 1;
                    let Some(answer) = ui.question(&question).await else { return Ok(None) };
                    talk.push(format!("You asked: {question}\nThe user answered: {answer}"));
                    if asked == MOST {
                        talk.push("No more questions: give the OBJECTIVE now.".to_owned());
                    }
                }
                // One question too many is better than none of the user's words.
                Said::Question(_) => break talk.join("\n"),
            }
        };
        match ui.edit(&objective).await {
            Some(objective) => Ok(Some(self.start_goal(&objective, None).await?)),
            None => Ok(None),
        }
    }

    /// The model of the role `plan`, else of `slow`, else the session's own.
    fn interviewer(&self) -> Result<Arc<dyn Model>, ModeError> {
        let settings = self.settings();
        let role = ROLES.into_iter().find(|role| model_of_role(&settings, role).is_some());
        let model = match role {
            Some(role) => Arc::new(self.find_model(&format!("pi/{role}"))?.model),
            None => self.model(),
        };
        Ok(self.models.serve(model))
    }
}

async fn interview(model: &dyn Model, talk: &[String], cancel: CancellationToken) -> Result<Said, ModeError> {
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
                StreamEvent::Error { failure, .. } => return Err(ModeError::Goal(failure.message)),
                _ => {}
            }
        }
    }
    Err(ModeError::Goal("The model's answer broke off. Try again.".to_owned()))
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
