//! What all extensions together make of an event.

use std::path::Path;

use omp_types::UserBlock;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::event::EventName;
use crate::extension::{Extension, ExtensionForm, HANDLER};
use crate::extensions::Extensions;

/// What extensions made of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum InputAnswer {
    Unchanged,
    /// It says something else now.
    Changed {
        text: String,
        images: Option<Value>,
    },
    /// One of them has dealt with it.
    Handled,
}

/// A message that an extension adds to the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Injected {
    pub custom_type: String,
    pub content: Value,
    pub display: bool,
    pub details: Option<Value>,
}

/// What extensions add to a run that begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartAnswer {
    pub messages: Vec<Injected>,
    /// The system prompt of this run.
    pub system: Option<Vec<String>>,
}

/// What extensions made of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ResultChange {
    pub(crate) content: Option<Vec<UserBlock>>,
    pub(crate) details: Option<Value>,
    pub(crate) is_error: Option<bool>,
}

/// The result of a command that was not run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SuppliedResult {
    pub output: String,
    pub exit_code: Option<i32>,
    pub cancelled: bool,
    pub truncated: bool,
}

impl Extensions {
    /// Runs the handlers of each extension; `next` gets what they answered and says whether the others are asked too.
    async fn ask(
        &self,
        event: EventName,
        payload: &mut Value,
        next: impl FnMut(&Extension, &mut Value, Result<Value, String>) -> bool,
    ) {
        self.ask_until(event, payload, None, next).await;
    }

    async fn ask_until(
        &self,
        event: EventName,
        payload: &mut Value,
        cancel: Option<&CancellationToken>,
        mut next: impl FnMut(&Extension, &mut Value, Result<Value, String>) -> bool,
    ) {
        let Some(facts) = self.facts() else { return };
        for extension in self.listeners(event) {
            if payload["toolName"].as_str().is_some_and(|tool| !is_about(&extension, tool)) {
                continue;
            }
            let answer = match cancel {
                Some(cancel) if cancel.is_cancelled() => return,
                Some(cancel) => extension.emit_until(event, payload, &facts, cancel).await,
                None => extension.emit(event, payload, &facts, HANDLER).await,
            };
            self.say_problems(&extension);
            self.say_if_ended(&extension);
            if !next(&extension, payload, answer) {
                return;
            }
        }
    }

    /// May the call be made? The error is the reason for the model. Whatever fails here blocks: a guard that cannot
    /// answer has not agreed.
    pub(crate) async fn tool_call(&self, id: &str, tool: &str, input: &Value) -> Result<Vec<String>, String> {
        let mut payload = json!({
            "type": EventName::ToolCall.name(), "toolCallId": id, "toolName": tool, "input": input,
        });
        let (mut context, mut blocked) = (Vec::new(), None);
        self.ask(EventName::ToolCall, &mut payload, |extension, _, answer| {
            match answer {
                Err(reason) => {
                    let name = &extension.spec.name;
                    blocked =
                        Some(format!("the extension {name} failed ({reason}), so the call was not made"));
                }
                Ok(answer) if answer["block"] == true => {
                    let reason = answer["reason"].as_str().filter(|reason| !reason.trim().is_empty());
                    let unsaid = || format!("the extension {} blocked the call", extension.spec.name);
                    blocked = Some(reason.map_or_else(unsaid, str::to_owned));
                }
                Ok(answer) => {
                    let said = answer["additionalContext"].as_array().into_iter().flatten();
                    context.extend(said.filter_map(Value::as_str).map(str::to_owned));
                }
            }
            blocked.is_none()
        })
        .await;
        match blocked {
            Some(reason) => Err(reason),
            None => Ok(context),
        }
    }

    /// What stands instead of a result. Extensions see what those before them made of it; hook modules see the result as
    /// it was, and cannot turn a failure into a success.
    pub(crate) async fn tool_result(&self, original: Value, tool: &str) -> ResultChange {
        let mut change = ResultChange::default();
        let mut payload = original.clone();
        let Some(facts) = self.facts() else { return change };
        for extension in self.listeners(EventName::ToolResult) {
            if !is_about(&extension, tool) {
                continue;
            }
            let is_hook = matches!(extension.spec.form, ExtensionForm::Hook(_));
            let given = if is_hook { &original } else { &payload };
            let answer = extension.emit(EventName::ToolResult, given, &facts, HANDLER).await;
            self.say_if_ended(&extension);
            let Ok(answer) = answer else { continue };
            if let Ok(content) = serde_json::from_value::<Vec<UserBlock>>(answer["content"].clone()) {
                payload["content"] = answer["content"].clone();
                change.content = Some(content);
            }
            if let Some(details) = answer.get("details") {
                payload["details"] = details.clone();
                change.details = Some(details.clone());
            }
            if let Some(is_error) = answer["isError"].as_bool().filter(|_| !is_hook) {
                payload["isError"] = is_error.into();
                change.is_error = Some(is_error);
            }
        }
        change
    }

    /// The messages of one request, as extensions want them.
    pub(crate) async fn context(&self, messages: Value) -> Option<Value> {
        let mut payload = json!({"type": EventName::Context.name(), "messages": messages});
        let mut changed = false;
        self.ask(EventName::Context, &mut payload, |_, payload, answer| {
            if let Ok(mut answer) = answer
                && answer["messages"].is_array()
            {
                payload["messages"] = answer["messages"].take();
                changed = true;
            }
            true
        })
        .await;
        changed.then(|| payload["messages"].take())
    }

    /// What becomes of something that was typed.
    pub async fn input(&self, text: &str, images: Option<Value>, source: &str) -> InputAnswer {
        let mut payload =
            json!({"type": EventName::Input.name(), "text": text, "images": images, "source": source});
        let (mut handled, mut changed) = (false, false);
        self.ask(EventName::Input, &mut payload, |_, payload, answer| {
            let Ok(mut answer) = answer else { return true };
            if answer["handled"] == true {
                handled = true;
                return false;
            }
            if answer["text"].is_string() {
                payload["text"] = answer["text"].take();
                payload["images"] = answer["images"].take();
                changed = true;
            }
            true
        })
        .await;
        match (handled, changed) {
            (true, _) => InputAnswer::Handled,
            (false, false) => InputAnswer::Unchanged,
            (false, true) => InputAnswer::Changed {
                text: payload["text"].as_str().unwrap_or_default().to_owned(),
                images: Some(payload["images"].take()).filter(Value::is_array),
            },
        }
    }

    /// What is added to a run that begins. Of hook modules only the first message counts.
    pub async fn before_agent_start(&self, prompt: &str, images: Value, system: &[String]) -> StartAnswer {
        let mut payload = json!({
            "type": EventName::BeforeAgentStart.name(), "messageType": "user", "prompt": prompt, "images": images,
            "systemPrompt": system,
        });
        let mut started = StartAnswer::default();
        let mut hook_spoke = false;
        self.ask(EventName::BeforeAgentStart, &mut payload, |extension, payload, answer| {
            let Ok(answer) = answer else { return true };
            let is_hook = matches!(extension.spec.form, ExtensionForm::Hook(_));
            for message in answer["messages"].as_array().into_iter().flatten() {
                if is_hook && std::mem::replace(&mut hook_spoke, true) {
                    continue;
                }
                started.messages.extend(injected(message));
            }
            if let Ok(prompt) = serde_json::from_value::<Vec<String>>(answer["systemPrompt"].clone()) {
                payload["systemPrompt"] = json!(prompt);
                started.system = Some(prompt);
            }
            true
        })
        .await;
        started
    }

    /// Something is about to happen. The last answer counts, and one that cancels is the last.
    pub async fn before(&self, event: EventName, payload: Value) -> Option<Value> {
        self.before_until(event, payload, None).await
    }

    /// The same for something that can be called off meanwhile.
    pub(crate) async fn before_until(
        &self,
        event: EventName,
        mut payload: Value,
        cancel: Option<&CancellationToken>,
    ) -> Option<Value> {
        payload["type"] = event.name().into();
        let mut last = None;
        self.ask_until(event, &mut payload, cancel, |_, _, answer| {
            let Ok(answer) = answer else { return true };
            let cancels = answer["cancel"] == true;
            if !answer.is_null() {
                last = Some(answer);
            }
            !cancels
        })
        .await;
        last
    }

    /// What came of a command that the user typed, if an extension says so instead of letting it run.
    pub async fn user_bash(&self, command: &str, private: bool, cwd: &Path) -> Option<SuppliedResult> {
        let event = EventName::UserBash;
        if !self.listens(event) {
            return None;
        }
        let payload = json!({"command": command, "excludeFromContext": private, "cwd": cwd});
        let answer = self.before(event, payload).await?;
        if answer["operations"].is_object() {
            self.say("user_bash: omp does not offer `operations`; the command ran as usual".to_owned());
        }
        serde_json::from_value(answer["result"].clone()).ok()
    }

    /// The body of a request to a provider, as extensions want it.
    pub async fn provider_request(&self, body: Value) -> Option<Value> {
        let event = EventName::BeforeProviderRequest;
        let mut payload = json!({"type": event.name(), "payload": body});
        let mut changed = false;
        self.ask(event, &mut payload, |_, payload, answer| {
            if let Ok(mut answer) = answer
                && !answer["payload"].is_null()
            {
                payload["payload"] = answer["payload"].take();
                changed = true;
            }
            true
        })
        .await;
        changed.then(|| payload["payload"].take())
    }
}

/// A hook module may be about one tool.
fn is_about(extension: &Extension, tool: &str) -> bool {
    !matches!(&extension.spec.form, ExtensionForm::Hook(Some(about)) if about != tool)
}

pub(crate) fn injected(message: &Value) -> Option<Injected> {
    Some(Injected {
        custom_type: message["customType"].as_str()?.to_owned(),
        content: message["content"].clone(),
        display: message["display"] != false,
        details: message.get("details").filter(|details| !details.is_null()).cloned(),
    })
}
