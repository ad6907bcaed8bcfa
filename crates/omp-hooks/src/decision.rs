//! What a hook said: its exit code, its words, or a decision in JSON.

use omp_types::UserBlock;
use serde_json::{Map, Value};

use crate::definition::{CommandHook, Dialect};
use crate::event::HookEvent;

/// The exit code that blocks.
const BLOCK: i32 = 2;
/// As much of a hook's words as the model or a person gets to see.
const MOST_WORDS: usize = 10_000;

/// How a hook ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    Exited {
        code: i32,
        stdout: String,
        stderr: String,
    },
    /// It did not come to an end of its own, or not even to a beginning; why.
    Failed(String),
}

/// What follows from one hook, or from all of them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    /// The run ends after this; why, for the user.
    pub stop: Option<String>,
    /// Words for the model.
    pub context: Vec<String>,
    /// Words for the user.
    pub notices: Vec<String>,
    /// The arguments that the call has instead.
    pub input: Option<Map<String, Value>>,
    /// What stands instead of the result.
    pub content: Option<Vec<UserBlock>>,
    pub details: Option<Value>,
}

/// What a hook wants of a call, the stronger the later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    #[default]
    Proceed,
    /// That nobody is asked.
    Allow,
    /// That somebody is asked; why.
    Ask(String),
    /// That it does not happen; why.
    Block(String),
}

impl Verdict {
    fn strength(&self) -> u8 {
        match self {
            Self::Proceed => 0,
            Self::Allow => 1,
            Self::Ask(_) => 2,
            Self::Block(_) => 3,
        }
    }
}

impl Decision {
    fn block(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::Block(reason.into()), ..Self::default() }
    }

    fn notice(text: impl Into<String>) -> Self {
        Self { notices: vec![text.into()], ..Self::default() }
    }

    /// This decision and a later one: the stronger verdict counts, of equals the first; of replacements the last.
    pub(crate) fn and(mut self, other: Self) -> Self {
        if other.verdict.strength() > self.verdict.strength() {
            self.verdict = other.verdict;
        }
        self.stop = self.stop.or(other.stop);
        self.context.extend(other.context);
        self.notices.extend(other.notices);
        self.input = other.input.or(self.input);
        self.content = other.content.or(self.content);
        self.details = other.details.or(self.details);
        self
    }
}

/// What follows from how a hook ended.
pub fn decide(hook: &CommandHook, ran: Ran) -> Decision {
    let who = hook.program.shown();
    let who = clipped(who.lines().next().unwrap_or_default(), 120);
    let guards = hook.event == HookEvent::PreToolUse;
    let (code, stdout, stderr) = match ran {
        Ran::Exited { code, stdout, stderr } => (code, stdout, stderr),
        Ran::Failed(reason) if guards => {
            return Decision::block(format!("the hook `{who}` failed ({reason}), so the call was not made"));
        }
        Ran::Failed(reason) => {
            return Decision::notice(format!("{} hook `{who}` failed: {reason}", hook.event.name()));
        }
    };
    match (code, hook.source.dialect) {
        (0, Dialect::Claude) => {
            claude(hook.event, &stdout).unwrap_or_else(|problem| unreadable(hook.event, &who, &problem))
        }
        (0, Dialect::Omp) => ours(&stdout).unwrap_or_else(|problem| unreadable(hook.event, &who, &problem)),
        (BLOCK, _) => blocked(hook.event, &who, &stderr),
        // A shell that does not find its command, or may not run it, guards nothing.
        (126 | 127, _) if guards => {
            let reason = first_line(&stderr);
            Decision::block(format!("the hook `{who}` could not be run ({reason}), so the call was not made"))
        }
        (_, Dialect::Omp) if guards => blocked(hook.event, &who, &stderr),
        (code, _) => {
            let reason = first_line(&stderr);
            Decision::notice(format!("{} hook `{who}` exited with {code}: {reason}", hook.event.name()))
        }
    }
}

fn blocked(event: HookEvent, who: &str, stderr: &str) -> Decision {
    let reason = match stderr.trim() {
        "" => format!("the hook `{who}` gave no reason"),
        words => clipped(words, MOST_WORDS),
    };
    match event {
        // These cannot be blocked; who blocks them has something to say to the user.
        HookEvent::SessionStart | HookEvent::SessionEnd | HookEvent::Notification => Decision::notice(reason),
        _ => Decision::block(reason),
    }
}

/// A decision that was begun and cannot be read.
fn unreadable(event: HookEvent, who: &str, problem: &str) -> Decision {
    match event {
        HookEvent::PreToolUse => {
            Decision::block(format!("the hook `{who}` printed a decision that cannot be read: {problem}"))
        }
        _ => Decision::notice(format!("{} hook `{who}` printed unreadable JSON: {problem}", event.name())),
    }
}

/// What a hook of Claude Code printed. Text that does not begin as JSON is context where the event has some.
fn claude(event: HookEvent, stdout: &str) -> Result<Decision, String> {
    let text = stdout.trim();
    if !text.starts_with('{') {
        let is_context = matches!(event, HookEvent::UserPromptSubmit | HookEvent::SessionStart);
        let context = Some(text).filter(|text| is_context && !text.is_empty());
        let context = context.map(|text| clipped(text, MOST_WORDS)).into_iter().collect();
        return Ok(Decision { context, ..Decision::default() });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let said = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let reason = |words: Option<String>| words.unwrap_or_else(|| "the hook gave no reason".to_owned());
    let mut decision = Decision::default();
    if value.get("continue") == Some(&Value::Bool(false)) {
        decision.stop = Some(said(&value, "stopReason").unwrap_or_else(|| "stopped by a hook".to_owned()));
    }
    decision.notices.extend(said(&value, "systemMessage").map(|text| clipped(&text, MOST_WORDS)));
    decision.verdict = match said(&value, "decision").as_deref() {
        Some("block" | "deny") => Verdict::Block(reason(said(&value, "reason"))),
        Some("approve" | "allow") => Verdict::Allow,
        Some(other) => return Err(format!("unknown decision {other:?}")),
        None => Verdict::Proceed,
    };
    if let Some(specific) = value.get("hookSpecificOutput") {
        let why = || reason(said(specific, "permissionDecisionReason"));
        match said(specific, "permissionDecision").as_deref() {
            Some("deny") => decision.verdict = Verdict::Block(why()),
            Some("ask") => decision.verdict = Verdict::Ask(why()),
            Some("allow") => decision.verdict = Verdict::Allow,
            Some("defer") | None => {}
            Some(other) => return Err(format!("unknown permissionDecision {other:?}")),
        }
        decision.context.extend(said(specific, "additionalContext").map(|text| clipped(&text, MOST_WORDS)));
        if let Some(input) = specific.get("updatedInput") {
            decision.input = Some(input.as_object().cloned().ok_or("updatedInput is not an object")?);
        }
    }
    Ok(decision)
}

/// What a script of ours printed: nothing, or one object.
fn ours(stdout: &str) -> Result<Decision, String> {
    let text = stdout.trim();
    if text.is_empty() {
        return Ok(Decision::default());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let fields = value.as_object().ok_or("it is not an object")?;
    let mut decision = Decision::default();
    if fields.get("block") == Some(&Value::Bool(true)) {
        let reason = fields.get("reason").and_then(Value::as_str).unwrap_or("the hook gave no reason");
        decision.verdict = Verdict::Block(clipped(reason, MOST_WORDS));
    }
    decision.content = match fields.get("content") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(vec![UserBlock::text(text.clone())]),
        Some(blocks) => Some(serde_json::from_value(blocks.clone()).map_err(|error| error.to_string())?),
    };
    decision.details = fields.get("details").cloned();
    Ok(decision)
}

fn first_line(text: &str) -> String {
    match text.trim().lines().next() {
        Some(line) => clipped(line, 300),
        None => "it said nothing".to_owned(),
    }
}

pub(crate) fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
