//! What happens in a session, in lines of text.

use std::collections::HashMap;
use std::sync::Arc;

use omp_theme::{Adjustments, Preset, Theme};
use omp_tui::text::neutral;
use omp_types::{
    AgentEvent, AssistantMessage, BashExecution, CustomMessage, Message, StopReason, StreamEvent, ToolOutput,
    UserBlock, UserContent,
};
use omp_view::Look;
use omp_view::tool::{Call, Phase, spoken};

/// Turns events into text. Whole lines come out, so that a screen reader has something to say.
pub struct Speech {
    look: Look,
    /// Text of the answer that is not a whole line yet.
    line: String,
    /// The model was heard thinking in this answer.
    thought: bool,
    calls: HashMap<String, Call>,
}

impl Speech {
    /// Speech for rows of this width.
    pub fn new(width: usize) -> Self {
        let theme = Theme::built_in("dark").map(|theme| {
            let plain = Adjustments { symbols: Some(Preset::Ascii), color_blind: false };
            Arc::new(Theme::clone(&theme).adjusted(plain))
        });
        let theme = theme.unwrap_or_default();
        Self { look: Look::new(theme, width), line: String::new(), thought: false, calls: HashMap::new() }
    }

    /// What is to be said about an event; nothing about most.
    pub fn event(&mut self, event: &AgentEvent) -> String {
        match event {
            AgentEvent::MessageStart { message } => self.begins(message),
            AgentEvent::MessageUpdate(update) => self.stream(&update.assistant_message_event),
            AgentEvent::MessageEnd { message } => match &**message {
                Message::Assistant(answer) => self.answered(answer),
                _ => String::new(),
            },
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args, .. } => {
                let arguments = args.as_object().cloned().unwrap_or_default();
                let call = Call::new(tool_name.as_str()).with_arguments(arguments);
                let text = self.finish_line() + &exactly(&spoken::beginning(&self.look, &call));
                self.calls.insert(tool_call_id.clone(), call);
                text
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error } => {
                let call = self.calls.remove(tool_call_id).unwrap_or_else(|| Call::new(tool_name.as_str()));
                self.ended(call, result, *is_error)
            }
            // The error was said when the response failed.
            AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, .. } => {
                let seconds = delay_ms.div_ceil(1000);
                self.say(&format!("Retrying ({attempt}/{max_attempts}) in {seconds}s."))
            }
            AgentEvent::AutoRetryEnd { success: false, attempt, final_error } => {
                let error = final_error.as_deref().unwrap_or_default();
                self.say(&omp_view::message::retries_ended(*attempt, error, "").1)
            }
            AgentEvent::RetryFallbackApplied(switch) => {
                self.say(&format!("{} failed; continuing with {}", switch.from, switch.to))
            }
            AgentEvent::ContextPromoted { from, to } => {
                self.say(&format!("The conversation no longer fits {from}; continuing with {to}"))
            }
            AgentEvent::AutoCompactionStart { .. } => self.say("Compacting the conversation."),
            AgentEvent::AutoCompactionEnd { error_message: Some(error), .. } => {
                self.say(&format!("The conversation could not be compacted: {error}"))
            }
            AgentEvent::Notice { message } => self.say(message),
            AgentEvent::AgentEnd { .. } => self.finish_line(),
            _ => String::new(),
        }
    }

    /// A conversation that was loaded, as it would have been heard.
    pub fn replay(&mut self, messages: &[Arc<Message>]) -> String {
        let mut text = String::new();
        for message in messages {
            text += &match &**message {
                Message::User(user) => said("You", &user.content),
                Message::Custom(custom) => noted(custom),
                Message::Assistant(answer) => {
                    let mut text = String::new();
                    for part in answer.texts() {
                        text += &sentence(part);
                    }
                    for call in answer.tool_calls() {
                        let heard = Call::new(call.name.as_str()).with_arguments(call.arguments.clone());
                        text += &exactly(&spoken::beginning(&self.look, &heard));
                        self.calls.insert(call.id.clone(), heard);
                    }
                    text + &annotation(answer)
                }
                Message::ToolResult(result) => {
                    let output =
                        ToolOutput { content: result.content.clone(), details: result.details.clone() };
                    match self.calls.remove(&result.tool_call_id) {
                        Some(call) => self.ended(call, &output, result.is_error),
                        None => String::new(),
                    }
                }
            };
        }
        self.calls.clear();
        text
    }

    fn begins(&mut self, message: &Message) -> String {
        self.thought = false;
        match message {
            // What was typed is on the screen already; what was said in between is not.
            Message::User(user) if user.steering => self.finish_line() + &said("You", &user.content),
            Message::Custom(custom) if custom.custom_type != BashExecution::ROLE => {
                self.finish_line() + &noted(custom)
            }
            _ => String::new(),
        }
    }

    fn stream(&mut self, event: &StreamEvent) -> String {
        match event {
            StreamEvent::ThinkingDelta { .. } if !std::mem::replace(&mut self.thought, true) => {
                self.say("Thinking.")
            }
            StreamEvent::TextDelta { delta, .. } => {
                self.line.push_str(delta);
                match self.line.rfind('\n') {
                    Some(end) => {
                        let rest = self.line.split_off(end + 1);
                        neutral::prose(&std::mem::replace(&mut self.line, rest)).into_owned()
                    }
                    None => String::new(),
                }
            }
            StreamEvent::TextEnd { .. } => self.finish_line(),
            _ => String::new(),
        }
    }

    fn answered(&mut self, answer: &AssistantMessage) -> String {
        self.finish_line() + &annotation(answer)
    }

    fn ended(&mut self, mut call: Call, output: &ToolOutput, is_error: bool) -> String {
        let first = output.content.iter().find_map(UserBlock::as_text).unwrap_or_default();
        call.phase = Phase::of_result(first, is_error);
        call.output = output.clone();
        let lines = spoken::ending(&self.look, &call).join("\n");
        self.finish_line() + &exactly(&lines)
    }

    /// Something on lines of its own.
    fn say(&mut self, text: &str) -> String {
        self.finish_line() + &exactly(text)
    }

    /// The line that has begun is over.
    fn finish_line(&mut self) -> String {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() { line } else { sentence(&line) }
    }
}

/// Whole lines of what a person or a model said.
fn sentence(text: &str) -> String {
    format!("{}\n", neutral::prose(text).trim_end())
}

/// Whole lines in which nothing is hidden: commands, paths, results, reasons.
fn exactly(text: &str) -> String {
    format!("{}\n", neutral::exact(text).trim_end())
}

fn said(who: &str, content: &UserContent) -> String {
    let pictures = match content {
        UserContent::Text(_) => 0,
        UserContent::Blocks(blocks) => blocks.iter().filter(|block| block.as_text().is_none()).count(),
    };
    let text = content.text();
    match pictures {
        0 => sentence(&format!("{who}: {text}")),
        1 => sentence(&format!("{who}: {text}\n(with an image)")),
        several => sentence(&format!("{who}: {text}\n(with {several} images)")),
    }
}

/// A message that the program wrote, if people are to see it.
fn noted(custom: &CustomMessage) -> String {
    match BashExecution::of(custom) {
        Some(execution) => command(&execution),
        None if custom.display => said(&custom.custom_type, &custom.content),
        None => String::new(),
    }
}

/// A command that the user ran.
fn command(execution: &BashExecution) -> String {
    let private = if execution.exclude_from_context { " (not sent to the model)" } else { "" };
    let title = exactly(&format!("Command{private}: {}", execution.command));
    title + &ending(&execution.output, execution.exit_code, execution.cancelled)
}

/// What came of a command of the user.
pub(crate) fn ending(output: &str, exit_code: Option<i32>, cancelled: bool) -> String {
    let stopped = omp_view::bang::stopped(output).filter(|_| cancelled);
    let (output, how) = stopped.map_or((output, "stopped"), |(start, how)| (&output[..start], how));
    let mut text = if output.trim().is_empty() { String::new() } else { exactly(output) };
    match exit_code {
        Some(0) => {}
        Some(code) => text += &format!("The command ended with exit code {code}.\n"),
        None if cancelled && how.starts_with("timed out") => text += &format!("The command {how}.\n"),
        None if cancelled => text += "The command was stopped.\n",
        None => text += "The command's exit status is unknown.\n",
    }
    text
}

/// What is to be said about the end of an answer; nothing about a normal one.
fn annotation(answer: &AssistantMessage) -> String {
    let reason = answer.error_message.as_deref().unwrap_or_default();
    match answer.stop_reason {
        StopReason::Aborted => "Stopped.\n".to_owned(),
        StopReason::Error if reason.is_empty() => "The response failed.\n".to_owned(),
        StopReason::Error => exactly(&format!("Error: {reason}")),
        StopReason::Length => "The response was cut off at the output limit.\n".to_owned(),
        StopReason::Stop | StopReason::ToolUse | StopReason::Pause if reason.is_empty() => String::new(),
        StopReason::Stop | StopReason::ToolUse | StopReason::Pause => exactly(reason),
    }
}
