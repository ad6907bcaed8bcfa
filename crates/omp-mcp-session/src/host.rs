//! What servers may ask of the session: its directories, answers of the user, answers of its model.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_mcp::host::{Abilities, SamplingAnswer, SamplingRequest, Speaker};
use omp_mcp::{Content, Elicitation, ElicitationAnswer, Host};
use omp_tools::{AskAnswer, AskOption, AskQuestion, Dialog, Ended, Questioner};
use serde_json::{Map, Value, json};

use crate::link::SessionSlot;
use crate::output::plain;
use crate::session::SessionMcpOptions;

/// Fields of a form that are asked about.
const FIELDS: usize = 20;
/// Choices of a field that are listed.
const CHOICES: usize = 50;
const YES: &str = "Yes";
const NO: &str = "No";
const DECLINE: &str = "Decline";
const SKIP: &str = "Skip";

/// Answers servers for the session.
pub(crate) struct McpHost {
    roots: Vec<PathBuf>,
    questioner: Option<Arc<dyn Questioner>>,
    /// Somebody can approve that a model is asked.
    has_asker: bool,
    session: SessionSlot,
}

impl McpHost {
    pub(crate) fn new(options: &SessionMcpOptions, session: SessionSlot) -> Self {
        Self {
            roots: [options.cwd.clone()].into_iter().chain(options.roots.iter().cloned()).collect(),
            questioner: options.questioner.clone(),
            has_asker: options.has_asker,
            session,
        }
    }

    /// Puts questions to the person; `None` if they would rather not answer, which stops the turn as with every question.
    async fn put(&self, questions: Vec<AskQuestion>) -> Option<Vec<Option<AskAnswer>>> {
        let dialog = Dialog::new(questions, None, true);
        match self.questioner.as_ref()?.ask(&dialog).await {
            Ended::Answered => Some(dialog.answers()),
            Ended::Cancelled => {
                if let Some(session) = self.session.get() {
                    session.stop_turn();
                }
                None
            }
        }
    }

    async fn form(&self, server: &str, message: &str, schema: &Value) -> ElicitationAnswer {
        let fields = fields(schema);
        let head = format!("The MCP server {server} asks:\n{}", plain(message));
        if fields.is_empty() {
            let question = question("confirm", head, &[YES, DECLINE]);
            let answers = self.put(vec![question]).await;
            return match answers.and_then(|mut answers| answers.pop().flatten()) {
                Some(AskAnswer { selected, .. }) if selected == [0] => {
                    ElicitationAnswer::Accepted(Some(json!({})))
                }
                Some(_) => ElicitationAnswer::Declined,
                None => ElicitationAnswer::Cancelled,
            };
        }
        let mut values = Map::new();
        for (at, field) in fields.iter().enumerate() {
            let mut text = if at == 0 { format!("{head}\n\n") } else { String::new() };
            text.push_str(&field.asked());
            loop {
                let Some(answers) = self.put(vec![field.question(text.clone())]).await else {
                    return ElicitationAnswer::Cancelled;
                };
                let Some(answer) = answers.into_iter().next().flatten() else {
                    return ElicitationAnswer::Cancelled;
                };
                match field.value(&answer) {
                    Ok(Some(value)) => {
                        values.insert(field.name.clone(), value);
                        break;
                    }
                    Ok(None) => break,
                    Err(Refused::Declined) => return ElicitationAnswer::Declined,
                    Err(Refused::Invalid(reason)) => text = format!("{reason}\n{}", field.asked()),
                }
            }
        }
        ElicitationAnswer::Accepted(Some(Value::Object(values)))
    }

    async fn visit(&self, server: &str, message: &str, url: &str) -> ElicitationAnswer {
        let text = format!(
            "The MCP server {server} asks you to open an address in your browser:\n{}\n\n{}",
            plain(message),
            plain(url)
        );
        let answers = self.put(vec![question("visit", text, &["Done", DECLINE])]).await;
        match answers.and_then(|mut answers| answers.pop().flatten()) {
            Some(AskAnswer { selected, .. }) if selected == [0] => ElicitationAnswer::Accepted(None),
            Some(_) => ElicitationAnswer::Declined,
            None => ElicitationAnswer::Cancelled,
        }
    }
}

impl Host for McpHost {
    fn abilities(&self) -> Abilities {
        Abilities { elicitation: self.questioner.is_some(), sampling: self.has_asker }
    }

    fn roots(&self) -> Vec<PathBuf> {
        self.roots.clone()
    }

    fn wants_notifications(&self) -> bool {
        self.session.get().is_some_and(|session| session.hears_notifications())
    }

    fn notified(&self, server: &str, method: &str, params: Value) {
        if let Some(session) = self.session.get() {
            session.notified(server, method, params);
        }
    }

    fn elicit(&self, server: &str, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        let server = server.to_owned();
        Box::pin(async move {
            match question {
                Elicitation::Form { message, schema } => self.form(&server, &message, &schema).await,
                Elicitation::Url { message, url, .. } => self.visit(&server, &message, &url).await,
            }
        })
    }

    fn sample(
        &self,
        server: &str,
        request: SamplingRequest,
    ) -> BoxFuture<'_, Result<SamplingAnswer, String>> {
        let server = server.to_owned();
        Box::pin(async move {
            let session = self.session.get().ok_or("sampling is not available")?;
            session.sample(server, request).await
        })
    }
}

/// What a server wants to have answered, as one text.
pub fn conversation(request: &SamplingRequest) -> String {
    let several = request.messages.len() > 1;
    let turns = request.messages.iter().map(|turn| {
        let text: Vec<String> = turn.content.iter().filter_map(Content::text).collect();
        let text = plain(&text.join("\n"));
        match (several, turn.speaker) {
            (false, _) => text,
            (true, Speaker::User) => format!("User: {text}"),
            (true, Speaker::Assistant) => format!("Assistant: {text}"),
        }
    });
    turns.collect::<Vec<_>>().join("\n\n")
}

fn question(id: &str, text: String, options: &[&str]) -> AskQuestion {
    let option = |label: &&str| AskOption { label: (*label).to_owned(), description: None };
    AskQuestion {
        id: id.to_owned(),
        question: text,
        options: options.iter().map(option).collect(),
        multi: false,
        recommended: None,
    }
}

/// One value that a form asks for.
struct Field {
    name: String,
    title: String,
    description: Option<String>,
    required: bool,
    kind: FieldKind,
}

enum FieldKind {
    Text,
    Number {
        integer: bool,
    },
    Flag,
    /// Values with their titles.
    Choice {
        choices: Vec<(String, String)>,
        several: bool,
    },
}

/// Why there is no value.
enum Refused {
    Declined,
    Invalid(String),
}

impl Field {
    fn asked(&self) -> String {
        let optional = if self.required { "" } else { " (optional)" };
        match &self.description {
            Some(description) => format!("{}{optional}: {description}", self.title),
            None => format!("{}{optional}", self.title),
        }
    }

    fn labels(&self) -> Vec<String> {
        let own: Vec<String> = match &self.kind {
            FieldKind::Text | FieldKind::Number { .. } => Vec::new(),
            FieldKind::Flag => vec![YES.to_owned(), NO.to_owned()],
            FieldKind::Choice { choices, .. } => choices.iter().map(|(_, title)| title.clone()).collect(),
        };
        let skip = (!self.required).then(|| SKIP.to_owned());
        own.into_iter().chain(skip).chain([DECLINE.to_owned()]).collect()
    }

    fn question(&self, text: String) -> AskQuestion {
        let labels = self.labels();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let multi = matches!(self.kind, FieldKind::Choice { several: true, .. });
        AskQuestion { multi, ..question(&self.name, text, &labels) }
    }

    fn value(&self, answer: &AskAnswer) -> Result<Option<Value>, Refused> {
        let labels = self.labels();
        let chosen: Vec<&str> =
            answer.selected.iter().filter_map(|at| labels.get(*at)).map(String::as_str).collect();
        if let Some(words) = &answer.custom {
            return self.typed(words.trim()).map(Some);
        }
        if chosen.last() == Some(&DECLINE) {
            return Err(Refused::Declined);
        }
        if chosen == [SKIP] && !self.required {
            return Ok(None);
        }
        match &self.kind {
            FieldKind::Text | FieldKind::Number { .. } => {
                Err(Refused::Invalid("An answer is needed.".to_owned()))
            }
            FieldKind::Flag => Ok(Some(json!(chosen == [YES]))),
            FieldKind::Choice { choices, several } => {
                let of =
                    |title: &&str| choices.iter().find(|(_, known)| known == title).map(|(value, _)| value);
                let values: Vec<&String> = chosen.iter().filter_map(of).collect();
                match (several, values.as_slice()) {
                    (true, values) => Ok(Some(json!(values))),
                    (false, [value]) => Ok(Some(json!(value))),
                    (false, _) => Err(Refused::Invalid("Choose one.".to_owned())),
                }
            }
        }
    }

    fn typed(&self, words: &str) -> Result<Value, Refused> {
        let invalid = |reason: &str| Err(Refused::Invalid(reason.to_owned()));
        match &self.kind {
            FieldKind::Text => Ok(json!(words)),
            FieldKind::Number { integer: true } => match words.parse::<i64>() {
                Ok(number) => Ok(json!(number)),
                Err(_) => invalid("This must be a whole number."),
            },
            FieldKind::Number { integer: false } => match words.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(json!(number)),
                _ => invalid("This must be a number."),
            },
            FieldKind::Flag => match words.to_ascii_lowercase().as_str() {
                "yes" | "true" | "y" => Ok(json!(true)),
                "no" | "false" | "n" => Ok(json!(false)),
                _ => invalid("This must be yes or no."),
            },
            FieldKind::Choice { choices, several } => {
                let known = choices.iter().find(|(value, title)| value == words || title == words);
                match (known, several) {
                    (Some((value, _)), true) => Ok(json!([value])),
                    (Some((value, _)), false) => Ok(json!(value)),
                    (None, _) => invalid("This is not one of the choices."),
                }
            }
        }
    }
}

/// The fields of a flat schema, in their order.
fn fields(schema: &Value) -> Vec<Field> {
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let field = |(name, schema): (&String, &Value)| {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(plain);
        Field {
            name: name.clone(),
            title: text("title").unwrap_or_else(|| plain(name)),
            description: text("description"),
            required: required(name),
            kind: kind(schema),
        }
    };
    properties.take(FIELDS).map(field).collect()
}

fn kind(schema: &Value) -> FieldKind {
    let choices = choices(schema);
    if !choices.is_empty() {
        return FieldKind::Choice { choices, several: false };
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => FieldKind::Flag,
        Some("integer") => FieldKind::Number { integer: true },
        Some("number") => FieldKind::Number { integer: false },
        Some("array") => {
            let choices = schema.get("items").map(self::choices).unwrap_or_default();
            FieldKind::Choice { choices, several: true }
        }
        _ => FieldKind::Text,
    }
}

/// `enum` with `enumNames`, or `oneOf` and `anyOf` with constants.
fn choices(schema: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let titles = schema.get("enumNames").and_then(Value::as_array);
        let title = |at: usize| titles.and_then(|titles| titles.get(at)?.as_str());
        let choice = |(at, value): (usize, &Value)| {
            let value = text(value)?;
            let title = plain(title(at).unwrap_or(&value));
            Some((value, title))
        };
        return values.iter().enumerate().filter_map(choice).take(CHOICES).collect();
    }
    let constants = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    let choice = |one: &Value| {
        let value = text(one.get("const")?)?;
        let title = plain(one.get("title").and_then(Value::as_str).unwrap_or(&value));
        Some((value, title))
    };
    constants.into_iter().flatten().filter_map(choice).take(CHOICES).collect()
}
