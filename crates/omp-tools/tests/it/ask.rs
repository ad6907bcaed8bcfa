//! Questions to a person.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Clock, Invocation, Tool, ToolError, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{AskAnswer, Asking, Context, Dialog, Ended, Modes, Questioner, builtin};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{invocation, text};

type Behaviour = Box<dyn for<'a> Fn(&'a Dialog) -> BoxFuture<'a, Ended> + Send + Sync>;

/// Does what a test says.
struct Person(Behaviour);

impl Questioner for Person {
    fn ask<'a>(&'a self, dialog: &'a Dialog) -> BoxFuture<'a, Ended> {
        (self.0)(dialog)
    }
}

/// Tokio's clock, which a test stops.
struct Paused;

impl Clock for Paused {
    fn now_ms(&self) -> u64 {
        0
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed()
    }

    fn random(&self) -> f64 {
        0.0
    }
}

struct Setting {
    context: Arc<Context>,
}

fn setting(timeout: Option<u64>, behaviour: Option<Behaviour>) -> Setting {
    let asking = behaviour.map(|behaviour| Asking {
        questioner: Arc::new(Person(behaviour)),
        timeout: timeout.map(Duration::from_secs),
        notify: false,
        clock: Arc::new(Paused),
    });
    let environment: Environment = std::iter::empty::<(String, String)>().collect();
    let mut context = Context::new("/".into(), None, Arc::new(Scope::new()), environment);
    context.modes = Arc::new(Modes::of_session(asking));
    Setting { context: Arc::new(context) }
}

impl Setting {
    fn tool(&self) -> Arc<dyn Tool> {
        let tools = builtin(&self.context);
        tools.into_iter().find(|tool| tool.definition().name == "ask").unwrap()
    }

    async fn ask(&self, questions: Value) -> Result<ToolOutput, ToolError> {
        self.tool().run(call(&questions, CancellationToken::new())).await
    }
}

fn call(questions: &Value, cancel: CancellationToken) -> Invocation {
    invocation(&json!({ "questions": questions }), cancel, Updates::ignored())
}

fn colour() -> Value {
    json!({"id": "colour", "question": "Which?", "options": [{"label": "Red"}, {"label": "Green"}, {"label": "Blue"}]})
}

fn with(mut question: Value, field: &str, value: Value) -> Value {
    question[field] = value;
    question
}

/// Gives these answers at once.
fn answering(answers: Vec<AskAnswer>) -> Option<Behaviour> {
    Some(Box::new(move |dialog| {
        for (index, answer) in answers.iter().enumerate() {
            dialog.answer(index, answer.clone());
        }
        std::future::ready(Ended::Answered).boxed()
    }))
}

fn chose(selected: &[usize]) -> AskAnswer {
    AskAnswer { selected: selected.to_vec(), custom: None }
}

fn typed(words: &str) -> AskAnswer {
    AskAnswer { selected: Vec::new(), custom: Some(words.to_owned()) }
}

/// proves: LOP-095
#[test]
fn questions_have_the_documented_fields() {
    let tool = setting(None, None).tool();
    let parameters = &tool.definition().parameters;
    let questions = &parameters["properties"]["questions"];
    assert_eq!((&parameters["required"], &questions["minItems"]), (&json!(["questions"]), &json!(1)));
    let fields =
        |object: &Value| object["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let question = &questions["items"];
    assert_eq!(fields(question), ["id", "question", "options", "multi", "recommended"]);
    assert_eq!(question["required"], json!(["id", "question", "options"]));
    let option = &question["properties"]["options"]["items"];
    assert_eq!(
        (fields(option), &option["required"]),
        (vec!["label".into(), "description".into()], &json!(["label"]))
    );
    let validators = omp_agent::Validators::default();
    let check = |value: Value| validators.check(tool.as_ref(), value.as_object().unwrap().clone());
    assert!(check(json!({"questions": []})).is_err(), "at least one");
    assert!(check(json!({"questions": [colour()]})).is_ok());
}

/// One question and several, chosen and typed, in the order of choosing.
/// proves: LOP-099
#[tokio::test]
async fn answers_are_told_in_words_and_details() {
    let one = setting(None, answering(vec![chose(&[1])])).ask(json!([colour()])).await.unwrap();
    assert_eq!(text(&one), "User selected: Green");
    assert_eq!(
        one.details,
        Some(json!({"question": "Which?", "options": ["Red", "Green", "Blue"], "multi": false,
                    "selectedOptions": ["Green"]}))
    );
    let own = setting(None, answering(vec![typed("violet")])).ask(json!([colour()])).await.unwrap();
    assert_eq!(text(&own), "User provided custom input: violet");
    assert_eq!(own.details.as_ref().unwrap()["customInput"], "violet");

    let multi = with(colour(), "multi", json!(true));
    let both = AskAnswer { selected: vec![2, 0], custom: Some("and gold".to_owned()) };
    let many = setting(None, answering(vec![both.clone()])).ask(json!([multi.clone()])).await.unwrap();
    assert_eq!(text(&many), "User selected: Blue, Red\nUser provided custom input: and gold");
    assert_eq!(
        many.details.as_ref().unwrap()["selectedOptions"],
        json!(["Blue", "Red"]),
        "as they were chosen"
    );

    let other = with(colour(), "id", json!("other"));
    let last = with(colour(), "id", json!("last"));
    let answers = answering(vec![chose(&[0]), both, typed("none")]);
    let several =
        setting(None, answers).ask(json!([colour(), with(multi, "id", json!("many")), other, last])).await;
    let several = several.unwrap();
    assert_eq!(
        text(&several),
        "User answers:\ncolour: Red\nmany: [Blue, Red], \"and gold\"\nother: \"none\"\nlast: (no answer)"
    );
    let results = several.details.as_ref().unwrap()["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|one| &one["id"]).collect::<Vec<_>>(), ["colour", "many", "other", "last"]);
    assert_eq!(results[1]["multi"], true);
}

/// A person who thinks: some seconds, then the answers.
fn thinking(seconds: &'static [u64], types: bool) -> Option<Behaviour> {
    Some(Box::new(move |dialog| {
        async move {
            for (index, seconds) in seconds.iter().enumerate() {
                if types {
                    dialog.typing();
                }
                tokio::time::sleep(Duration::from_secs(*seconds)).await;
                dialog.answer(index, if types { typed("mine") } else { chose(&[2]) });
            }
            Ended::Answered
        }
        .boxed()
    }))
}

/// When the time is up the recommended option counts, else the first; what was answered stays. Typing stops the clock, and
/// a plan waits for ever.
/// proves: LOP-100
#[tokio::test(start_paused = true)]
async fn time_answers_in_place_of_a_person() {
    let late = || setting(Some(5), thinking(&[60], false));
    let first = late().ask(json!([colour()])).await.unwrap();
    assert_eq!(text(&first), "User selected: Red (auto-selected after timeout)");
    assert_eq!(first.details.as_ref().unwrap()["timedOut"], true);
    let recommended = late().ask(json!([with(colour(), "recommended", json!(1))])).await.unwrap();
    assert_eq!(text(&recommended), "User selected: Green (auto-selected after timeout)");

    let each = setting(Some(5), thinking(&[4, 4, 60], false));
    let other = |id: &str| with(colour(), "id", json!(id));
    let some = each.ask(json!([other("a"), other("b"), other("c")])).await.unwrap();
    assert_eq!(text(&some), "User answers:\na: Blue\nb: Blue\nc: Red (auto-selected after timeout)");

    let typing = setting(Some(5), thinking(&[60], true)).ask(json!([colour()])).await.unwrap();
    assert_eq!(text(&typing), "User provided custom input: mine");
    let without = setting(None, thinking(&[6_000], false)).ask(json!([colour()])).await.unwrap();
    assert_eq!(text(&without), "User selected: Blue");
    let planning = late();
    planning.context.modes.planning.set(true);
    assert_eq!(text(&planning.ask(json!([colour()])).await.unwrap()), "User selected: Blue");
}

/// proves: LOP-102
#[tokio::test(start_paused = true)]
async fn questions_that_are_not_answered_fail() {
    let cancelled = setting(None, Some(Box::new(|_| std::future::ready(Ended::Cancelled).boxed())));
    let error = cancelled.ask(json!([colour()])).await.unwrap_err();
    assert_eq!(error.message, "Ask tool was cancelled by the user");
    assert!(cancelled.context.modes.take_end(), "the turn ends");

    let dropped = Arc::new(Mutex::new(false));
    struct Closing(Arc<Mutex<bool>>);
    impl Drop for Closing {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    let mark = Arc::clone(&dropped);
    let waiting: Behaviour = Box::new(move |_| {
        let closing = Closing(Arc::clone(&mark));
        async move {
            let _closing = closing;
            std::future::pending().await
        }
        .boxed()
    });
    let aborted = setting(None, Some(waiting));
    let cancel = CancellationToken::new();
    let tool = aborted.tool();
    let (result, ()) =
        tokio::join!(tool.run(call(&json!([colour()]), cancel.clone())), async { cancel.cancel() });
    assert_eq!(result.unwrap_err().message, "Ask input was cancelled");
    assert!(*dropped.lock().unwrap(), "the dialog is closed");
    assert!(!aborted.context.modes.take_end());

    let alone = setting(None, None).ask(json!([colour()])).await.unwrap_err();
    assert_eq!(alone.message, "Ask tool requires interactive mode");
}
