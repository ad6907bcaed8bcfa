//! Questions that are answered by a line.

use omp_sdk::{ApprovalRequest, AskAnswer, AskQuestion, PlanReview, PlanVerdict, Reply, Scope};
use omp_view::select::Choice;
use omp_view::select::numbered::{self, Count};
use tokio::sync::oneshot;

/// A question and who waits for its answer. Dropping it is no answer.
pub(crate) struct Asked {
    title: String,
    choices: Vec<Choice>,
    count: Count,
    /// Taken with the answer.
    waiting: Option<Waiting>,
    /// Nobody called for it, so that a line may be meant for something else.
    pub(crate) is_unasked: bool,
}

/// Who waits, and for what the places of the choices stand.
enum Waiting {
    Reply(Vec<Reply>, oneshot::Sender<Reply>),
    Plan(Vec<PlanVerdict>, oneshot::Sender<PlanVerdict>),
    YesOrNo(oneshot::Sender<bool>),
    Place(oneshot::Sender<Option<usize>>),
    Options(oneshot::Sender<Option<AskAnswer>>),
    Words(oneshot::Sender<Option<String>>),
}

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The question is answered.
    Answered,
    /// The line was no answer; the text says why.
    Again(String),
}

impl Asked {
    fn new(title: &str, choices: Vec<Choice>, count: Count, waiting: Waiting) -> Self {
        Self { title: title.to_owned(), choices, count, waiting: Some(waiting), is_unasked: false }
    }

    fn unasked(self) -> Self {
        Self { is_unasked: true, ..self }
    }

    /// May this call run?
    pub(crate) fn approval(request: &ApprovalRequest, answer: oneshot::Sender<Reply>) -> Self {
        let (mut choices, mut replies) = (vec![Choice::new("Yes, this once")], vec![Reply::Once]);
        if let Some(rules) = &request.always {
            for scope in Scope::ALL {
                choices.push(Choice::new(scope.answer()).detail(rules.join(", ")));
                replies.push(Reply::Always(scope));
            }
        }
        choices.extend([Choice::new("No"), Choice::new("Refuse and tell the model why")]);
        replies.extend([Reply::No, Reply::NoBecause(String::new())]);
        Self::new(&request.question.text(), choices, Count::One, Waiting::Reply(replies, answer)).unasked()
    }

    /// What becomes of this plan?
    pub(crate) fn plan(review: &PlanReview, answer: oneshot::Sender<PlanVerdict>) -> Self {
        let enabled = || review.choices.iter().filter(|choice| choice.enabled);
        let choices = enabled().map(|choice| Choice::new(choice.label.clone())).collect();
        let verdicts = enabled().map(|choice| choice.verdict.clone()).collect();
        let title = format!("{}\n\nPlan: {}", review.text.trim_end(), review.title);
        Self::new(&title, choices, Count::One, Waiting::Plan(verdicts, answer)).unasked()
    }

    /// Yes or no?
    pub(crate) fn yes_or_no(question: &str, answer: oneshot::Sender<bool>) -> Self {
        let choices = vec![Choice::new("Yes"), Choice::new("No")];
        Self::new(question, choices, Count::One, Waiting::YesOrNo(answer))
    }

    /// Which of several things?
    pub(crate) fn pick(title: &str, choices: Vec<Choice>, answer: oneshot::Sender<Option<usize>>) -> Self {
        Self::new(title, choices, Count::One, Waiting::Place(answer))
    }

    /// Which of the model's options? The last is for other words.
    pub(crate) fn options(
        question: &AskQuestion,
        (this, all): (usize, usize),
        answer: oneshot::Sender<Option<AskAnswer>>,
    ) -> Self {
        let detail = |place: usize| {
            question.options.get(place).and_then(|option| option.description.clone()).unwrap_or_default()
        };
        let entries = question.entries().into_iter().enumerate();
        let choices = entries.map(|(place, entry)| Choice::new(entry).detail(detail(place))).collect();
        let count = if question.multi { Count::Several } else { Count::One };
        let title = match all {
            1 => question.question.clone(),
            _ => format!("Question {this} of {all}: {}", question.question),
        };
        Self::new(&title, choices, count, Waiting::Options(answer)).unasked()
    }

    /// A question that is answered in words.
    pub(crate) fn words(question: &str, answer: oneshot::Sender<Option<String>>) -> Self {
        Self::new(question, Vec::new(), Count::One, Waiting::Words(answer))
    }

    /// The question as lines; the answer is typed behind the last.
    pub(crate) fn text(&self) -> String {
        match self.choices.is_empty() {
            true => format!("{}\n? ", self.title),
            false => numbered::ask(&self.title, &self.choices, self.count),
        }
    }

    /// Does nobody wait for the answer any more?
    pub(crate) fn is_stale(&self) -> bool {
        self.waiting.as_ref().is_none_or(|waiting| match waiting {
            Waiting::Reply(_, answer) => answer.is_closed(),
            Waiting::Plan(_, answer) => answer.is_closed(),
            Waiting::YesOrNo(answer) => answer.is_closed(),
            Waiting::Place(answer) => answer.is_closed(),
            Waiting::Options(answer) => answer.is_closed(),
            Waiting::Words(answer) => answer.is_closed(),
        })
    }

    /// Takes a line as the answer. What nobody waits for any more is answered as well.
    pub(crate) fn take(&mut self, line: &str) -> Taken {
        let chosen = match self.choices.is_empty() {
            true => Vec::new(),
            false => match numbered::answer(line, &self.choices, self.count) {
                Ok(chosen) => chosen,
                Err(problem) => return Taken::Again(problem),
            },
        };
        let first = chosen.first().copied().unwrap_or_default();
        // Nobody may wait any more; then the answer is for nobody.
        match self.waiting.take() {
            Some(Waiting::Reply(replies, answer)) => {
                _ = answer.send(replies.get(first).cloned().unwrap_or(Reply::No));
            }
            Some(Waiting::Plan(verdicts, answer)) => {
                _ = answer.send(verdicts.get(first).cloned().unwrap_or(PlanVerdict::Refine(None)));
            }
            Some(Waiting::YesOrNo(answer)) => _ = answer.send(first == 0),
            Some(Waiting::Place(answer)) => _ = answer.send(Some(first)),
            Some(Waiting::Options(answer)) => {
                _ = answer.send(Some(AskAnswer { selected: chosen, custom: None }));
            }
            Some(Waiting::Words(answer)) => _ = answer.send(Some(line.trim().to_owned())),
            None => {}
        }
        Taken::Answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_answers_by_number_or_name() {
        for (line, expected) in [("2", Some(false)), ("yes", Some(true)), ("n", Some(false))] {
            let (answer, mut answered) = oneshot::channel();
            let mut asked = Asked::yes_or_no("Really?", answer);
            assert_eq!(asked.text(), "Really?\n  1. Yes\n  2. No\nNumber or name: ");
            assert_eq!(asked.take(line), Taken::Answered);
            assert_eq!(answered.try_recv().ok(), expected);
        }
        let (answer, _answered) = oneshot::channel();
        let mut asked = Asked::yes_or_no("Really?", answer);
        assert_eq!(asked.take("7"), Taken::Again("no option 7: choose from 1 to 2".to_owned()));
        assert!(!asked.is_stale());
    }

    #[test]
    fn a_question_nobody_waits_for_is_stale() {
        let (answer, answered) = oneshot::channel();
        let asked = Asked::words("Why?", answer);
        assert_eq!(asked.text(), "Why?\n? ");
        drop(answered);
        assert!(asked.is_stale());
    }
}
