//! Calls of tools, prompts, resources and completions, with the rounds of questions that a server may have before it
//! answers, and tasks that it finishes later.

// Sampling and roots are deprecated in the newest revision; the servers in use have them.
#![allow(deprecated)]

use std::collections::HashMap;
use std::time::Duration;

use rmcp::model::*;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Arguments, Ask, Connection};
use crate::content::{Content, Intake, ResourceBody, ToolResult};
use crate::error::CallError;
use crate::handler::ProgressSink;
use crate::host::Speaker;
use crate::limits;

/// How often an unfinished task is looked at, unless the server says.
const POLL: Duration = Duration::from_secs(1);
const SLOWEST_POLL: Duration = Duration::from_secs(60);

/// How a call is made.
#[derive(Clone, Default)]
pub struct CallOptions {
    pub cancel: CancellationToken,
    pub progress: Option<ProgressSink>,
    /// `None`: the limit of the server; zero: none.
    pub timeout: Option<Duration>,
}

impl CallOptions {
    fn ask(&self) -> Ask<'_> {
        let timeout = self.timeout.map(|limit| (!limit.is_zero()).then_some(limit));
        Ask { cancel: Some(&self.cancel), progress: self.progress.as_ref(), timeout }
    }
}

/// An argument of a prompt, or a variable of a template, whose value is being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialArgument {
    pub name: String,
    /// As much of the value as there is.
    pub value: String,
    /// The arguments that have a value; which values others may have can depend on them.
    pub given: HashMap<String, String>,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptTurn {
    pub speaker: Speaker,
    pub content: Content,
}

/// What is sent again with the answers to questions.
trait Resumable {
    fn resume(&mut self, answers: Option<InputResponses>, state: Option<String>);
}

macro_rules! resumable {
    ($($params:ident),*) => {$(
        impl Resumable for $params {
            fn resume(&mut self, answers: Option<InputResponses>, state: Option<String>) {
                self.input_responses = answers;
                self.request_state = state;
            }
        }
    )*};
}

resumable!(CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams);

impl Connection {
    /// Asks until the server has no more questions.
    async fn rounds<P: Resumable + Clone>(
        &self,
        mut params: P,
        options: &CallOptions,
        request: impl Fn(P) -> ClientRequest,
    ) -> Result<ServerResult, CallError> {
        for round in 0..limits::ROUNDS {
            match self.request(request(params.clone()), &options.ask()).await? {
                ServerResult::InputRequiredResult(wanted) => {
                    let asked = wanted.input_requests.unwrap_or_default();
                    if asked.is_empty() {
                        // Nothing to answer: the server only wants to be asked again.
                        tokio::time::sleep(Duration::from_millis(50 << round.min(3))).await;
                    }
                    let answers = options.cancel.run_until_cancelled(self.answers(asked));
                    let answers = answers.await.ok_or(CallError::Cancelled)??;
                    params.resume((!answers.is_empty()).then_some(answers), wanted.request_state);
                }
                other => return Ok(other),
            }
        }
        Err(CallError::Rounds(limits::ROUNDS))
    }

    async fn answers(&self, asked: InputRequests) -> Result<InputResponses, CallError> {
        let mut answers = InputResponses::new();
        for (key, request) in asked.into_iter().take(limits::QUESTIONS) {
            let refused = |error: ErrorData| {
                CallError::Nonsense(format!("its question was refused: {}", error.message))
            };
            let answer = match request {
                InputRequest::Elicitation(request) => {
                    serde_json::to_value(self.handler.elicit(request.params).await.map_err(refused)?)
                }
                InputRequest::CreateMessage(request) => {
                    serde_json::to_value(self.handler.sample(request.params).await.map_err(refused)?)
                }
                InputRequest::ListRoots(_) => serde_json::to_value(self.handler.roots()),
                _ => continue,
            };
            answers.insert(key, answer.unwrap_or_default());
        }
        Ok(answers)
    }

    pub(crate) async fn call_tool(
        &self,
        tool: &str,
        arguments: Arguments,
        options: &CallOptions,
    ) -> Result<ToolResult, CallError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self
            .rounds(params, options, |params| ClientRequest::CallToolRequest(CallToolRequest::new(params)));
        let mut result = match result.await? {
            ServerResult::CallToolResult(result) => ToolResult::from(result),
            ServerResult::CreateTaskResult(created) => self.finish(&created.task, options).await?,
            ServerResult::CustomResult(custom) => lenient(custom.0)?,
            ServerResult::EmptyResult(_) => ToolResult::default(),
            _ => return Err(CallError::Nonsense("it is not the result of a tool".to_owned())),
        };
        self.check(tool, &mut result)?;
        Ok(result)
    }

    /// Structured content that breaks its promise is an error: a model would build on it.
    fn check(&self, tool: &str, result: &mut ToolResult) -> Result<(), CallError> {
        let Some(schema) = self.schema(tool).filter(|_| !result.is_error) else { return Ok(()) };
        match &result.structured {
            Some(structured) => schema.check(structured).map_err(CallError::Schema),
            None => {
                result.notes.push("the tool promised structured content and sent none".to_owned());
                Ok(())
            }
        }
    }

    /// Waits for a task; one that nobody waits for any more is cancelled.
    async fn finish(&self, task: &Task, options: &CallOptions) -> Result<ToolResult, CallError> {
        let id = task.task_id.clone();
        let done = options.cancel.run_until_cancelled(self.poll(task, options)).await;
        if let Some(result) = done {
            return result;
        }
        let _ = tokio::time::timeout(POLL, self.peer.cancel_task(CancelTaskParams::new(id))).await;
        Err(CallError::Cancelled)
    }

    async fn poll(&self, task: &Task, options: &CallOptions) -> Result<ToolResult, CallError> {
        let mut pause = pause_of(task);
        loop {
            tokio::time::sleep(pause).await;
            let request = GetTaskRequest::new(GetTaskParams::new(task.task_id.clone()));
            let answer = self.request(ClientRequest::GetTaskRequest(request), &options.ask()).await?;
            let ServerResult::GetTaskResult(state) = answer else {
                return Err(CallError::Nonsense("it is not the state of a task".to_owned()));
            };
            pause = pause_of(&state.task.task);
            match state.task.payload {
                TaskPayload::Completed { result } => return lenient(Value::Object(result)),
                TaskPayload::Failed { error } => {
                    let message = error.get("message").and_then(Value::as_str).unwrap_or("the task failed");
                    let code =
                        error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
                    let message = limits::shortened(message, limits::DESCRIPTION);
                    return Err(CallError::Answer { code: code.unwrap_or(-32603), message });
                }
                TaskPayload::Cancelled => return Err(CallError::Cancelled),
                TaskPayload::InputRequired { input_requests } => {
                    let answers = self.answers(input_requests).await?;
                    let update = UpdateTaskParams::new(task.task_id.clone(), answers);
                    let request = UpdateTaskRequest::new(update);
                    self.request(ClientRequest::UpdateTaskRequest(request), &options.ask()).await?;
                }
                _ => {}
            }
        }
    }

    pub(crate) async fn read_resource(
        &self,
        uri: &str,
        options: &CallOptions,
    ) -> Result<(Vec<ResourceBody>, Vec<String>), CallError> {
        let params = ReadResourceRequestParams::new(uri);
        let result = self.rounds(params, options, |params| {
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        });
        match result.await? {
            ServerResult::ReadResourceResult(result) => Ok(Intake::default().resource(result.contents)),
            _ => Err(CallError::Nonsense("it is not the content of a resource".to_owned())),
        }
    }

    pub(crate) async fn get_prompt(
        &self,
        name: &str,
        arguments: Arguments,
        options: &CallOptions,
    ) -> Result<Vec<PromptTurn>, CallError> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let result = self
            .rounds(params, options, |params| ClientRequest::GetPromptRequest(GetPromptRequest::new(params)));
        let ServerResult::GetPromptResult(result) = result.await? else {
            return Err(CallError::Nonsense("it is not a prompt".to_owned()));
        };
        let mut intake = Intake::default();
        let turns = result.messages.into_iter().take(limits::BLOCKS).map(|message| PromptTurn {
            speaker: match message.role {
                Role::User => Speaker::User,
                Role::Assistant => Speaker::Assistant,
            },
            content: intake.block(message.content),
        });
        Ok(turns.collect())
    }

    /// Values that an argument of a prompt or of a resource template may have.
    pub(crate) async fn complete(
        &self,
        of: Reference,
        argument: &PartialArgument,
    ) -> Result<Vec<String>, CallError> {
        if self.peer_info.capabilities.completions.is_none() {
            return Err(CallError::Unsupported("completion"));
        }
        let mut params = CompleteRequestParams::new(of, ArgumentInfo::new(&argument.name, &argument.value));
        if !argument.given.is_empty() {
            params = params.with_context(CompletionContext::with_arguments(argument.given.clone()));
        }
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(params));
        match self.request(request, &Ask::default()).await? {
            ServerResult::CompleteResult(result) => {
                let values = result.completion.values.into_iter().take(limits::BLOCKS);
                Ok(values.map(|value| limits::shortened(&value, limits::URI)).collect())
            }
            _ => Err(CallError::Nonsense("it is not a completion".to_owned())),
        }
    }
}

fn lenient(value: Value) -> Result<ToolResult, CallError> {
    ToolResult::lenient(value).ok_or_else(|| CallError::Nonsense("it is not the result of a tool".to_owned()))
}

fn pause_of(task: &Task) -> Duration {
    task.poll_interval_ms.map_or(POLL, |pause| Duration::from_millis(pause.max(20)).min(SLOWEST_POLL))
}
