use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::definition::{HookSource, Phase, parse, script};

fn claudes(event: HookEvent) -> CommandHook {
    let source = HookSource { file: "/s".into(), of_project: false, plugin: None, dialect: Dialect::Claude };
    let hooks = json!({event.name(): [{"hooks": [{"command": "guard"}]}]});
    parse(&hooks, &Arc::new(source)).hooks.remove(0)
}

fn ours() -> CommandHook {
    let source = HookSource { file: "/s".into(), of_project: false, plugin: None, dialect: Dialect::Omp };
    script(Phase::Before, "bash", "/hooks/pre/bash.sh".into(), Arc::new(source))
}

fn said(hook: &CommandHook, code: i32, stdout: &str, stderr: &str) -> Decision {
    decide(hook, Ran::Exited { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() })
}

fn block(reason: &str) -> Verdict {
    Verdict::Block(reason.to_owned())
}

#[test]
fn exit_2_blocks_and_other_codes_are_told() {
    let guard = claudes(HookEvent::PreToolUse);
    assert_eq!(said(&guard, 2, "", " not here \n").verdict, block("not here"));
    let other = said(&guard, 1, "", "Traceback\nmore");
    assert_eq!(other.verdict, Verdict::Proceed);
    assert_eq!(other.notices, ["PreToolUse hook `guard` exited with 1: Traceback"]);
    assert_eq!(said(&claudes(HookEvent::Notification), 2, "", "hm").notices, ["hm"], "nothing to block");
}

/// A guard that cannot speak is no consent.
#[test]
fn a_guard_that_fails_blocks() {
    let guard = claudes(HookEvent::PreToolUse);
    let blocks = |decision: Decision| matches!(decision.verdict, Verdict::Block(_));
    assert!(blocks(decide(&guard, Ran::Failed("it took too long".into()))));
    assert!(blocks(said(&guard, 127, "", "sh: guard: not found")));
    assert!(blocks(said(&guard, 0, "{\"hookSpecificOutput\": {\"permissionDecision\"", "")));
    assert!(blocks(said(&guard, 0, "{\"decision\": \"maybe\"}", "")));
    assert!(blocks(said(&ours(), 1, "", "")), "any failure of a script of ours");
    assert!(blocks(said(&ours(), 0, "hello", "")), "it prints nothing, or an object");
    let after = decide(&claudes(HookEvent::PostToolUse), Ran::Failed("it took too long".into()));
    assert_eq!((after.verdict, after.notices.len()), (Verdict::Proceed, 1));
}

#[test]
fn decisions_in_json_are_read() {
    let guard = claudes(HookEvent::PreToolUse);
    let specific = |fields: Value| said(&guard, 0, &json!({"hookSpecificOutput": fields}).to_string(), "");
    let deny = specific(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}));
    assert_eq!(deny.verdict, block("no"));
    assert_eq!(specific(json!({"permissionDecision": "allow"})).verdict, Verdict::Allow);
    let ask = specific(json!({"permissionDecision": "ask", "permissionDecisionReason": "look"}));
    assert_eq!(ask.verdict, Verdict::Ask("look".into()));
    let input = specific(json!({"updatedInput": {"command": "ls"}, "additionalContext": "mind the gap"}));
    assert_eq!(input.input.unwrap()["command"], "ls");
    assert_eq!(input.context, ["mind the gap"]);
    let stop = said(&guard, 0, r#"{"continue": false, "stopReason": "enough", "systemMessage": "bye"}"#, "");
    assert_eq!((stop.stop.as_deref(), stop.notices.as_slice()), (Some("enough"), &["bye".to_owned()][..]));
    let old = said(&guard, 0, r#"{"decision": "block", "reason": "old words"}"#, "");
    assert_eq!(old.verdict, block("old words"));
}

#[test]
fn plain_words_are_context_where_there_is_some() {
    assert_eq!(
        said(&claudes(HookEvent::SessionStart), 0, "the branch is main\n", "").context,
        ["the branch is main"]
    );
    assert!(said(&claudes(HookEvent::PreToolUse), 0, "checked", "").context.is_empty());
}

#[test]
fn scripts_of_ours_replace_results() {
    let reply = said(&ours(), 0, r#"{"content": "[redacted]", "details": {"a": 1}}"#, "");
    assert_eq!(reply.content, Some(vec![UserBlock::text("[redacted]")]));
    assert_eq!(reply.details, Some(json!({"a": 1})));
    assert_eq!(said(&ours(), 0, r#"{"block": true, "reason": "not that"}"#, "").verdict, block("not that"));
    assert_eq!(said(&ours(), 0, "", ""), Decision::default());
}

#[test]
fn the_strongest_verdict_counts_and_the_last_replacement() {
    let with = |verdict: Verdict, text: &str| Decision {
        verdict,
        content: Some(vec![UserBlock::text(text)]),
        ..Decision::default()
    };
    let all = with(Verdict::Allow, "a").and(with(block("no"), "b")).and(with(Verdict::Ask("hm".into()), "c"));
    assert_eq!((all.verdict, all.content), (block("no"), Some(vec![UserBlock::text("c")])));
}
