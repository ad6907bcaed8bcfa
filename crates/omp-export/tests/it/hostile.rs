//! Content that tries to be more than content.

use omp_export::PageOptions;
use serde_json::json;

use crate::dom::page;
use crate::page::stands_alone;
use crate::sample::{Script, answer, call, text};

const ATTACK: &str = "</script></style></title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\
    <svg onload=alert(1)>&lt;b&gt; [x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [d](data:text/html,x) \
    ![z](https://evil.example/pixel.png) <https://fine.example/\"onmouseover=alert(1)> \u{202e}gnp.exe\u{2066}\u{0}\u{1b}[2J";

/// The name of a file may hold anything but a slash.
const AGENT: &str = "\"><script>alert(1)<b onclick='x'>\u{202e}";

/// proves: LOP-151
#[test]
fn content_stays_content() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hostile.jsonl");
    let mut script = Script::new("h", ATTACK);
    script.user(ATTACK);
    let mut wicked = answer(
        json!([
            text(&format!("{ATTACK}\n\n```{ATTACK}\n{ATTACK}\n```\n\n<script>alert(1)</script>\n\n| {ATTACK} |\n|-|\n| {ATTACK} |")),
            {"type": "thinking", "thinking": ATTACK},
            call(ATTACK, ATTACK, json!({ATTACK: ATTACK, "path": format!("x.{ATTACK}"), "long": format!("{ATTACK}\n{ATTACK}"),
                "deep": {ATTACK: [ATTACK]}})),
            call("t", "task", json!({"tasks": [{"id": AGENT, "agent": ATTACK, "description": ATTACK}]})),
            {"type": "native", "api": ATTACK, "value": {ATTACK: ATTACK}}
        ]),
        "error",
    );
    wicked["model"] = json!(ATTACK);
    wicked["errorMessage"] = json!(ATTACK);
    script.message(wicked);
    script.message(json!({"role": "toolResult", "toolCallId": ATTACK, "toolName": ATTACK, "isError": true,
        "content": [text(ATTACK), {"type": "image", "data": ATTACK, "mimeType": "image/png"},
            {"type": "image", "data": "AAAA", "mimeType": ATTACK}, {"type": "image", "data": "AAAA", "mimeType": "image/svg+xml"},
            {"type": "image", "data": "blob:sha256:../../../../etc/passwd", "mimeType": "image/png"}],
        "details": {"diff": format!("--- a\n+++ b\n+{ATTACK}\n-{ATTACK}")}}));
    let labelled = script.user("labelled");
    script.add(json!({"type": "label", "targetId": labelled, "label": ATTACK}));
    for kind in [
        "custom",
        "custom_message",
        "mode_change",
        "model_change",
        "compaction",
        "branch_summary",
        "session_init",
        "ttsr_injection",
        "thinking_level_change",
        ATTACK,
    ] {
        script.add(json!({"type": kind, "customType": ATTACK, "content": ATTACK, "display": true, "mode": ATTACK, "data": {ATTACK: ATTACK},
            "model": ATTACK, "role": ATTACK, "summary": ATTACK, "shortSummary": ATTACK, "fromId": ATTACK, "systemPrompt": ATTACK,
            "task": ATTACK, "tools": [ATTACK], "injectedRules": [ATTACK], "thinkingLevel": ATTACK}));
    }
    script.save(&path);
    let mut agent = Script::new("a", ATTACK);
    agent.user(ATTACK);
    agent.save(&path.with_extension("").join(format!("{AGENT}.jsonl")));

    let (text, root) = page(&path, &PageOptions { system_prompt: Some(ATTACK), ..PageOptions::default() });
    stands_alone(&text, &root);
    assert!(root.text.contains("<script>alert(1)</script>"), "it is shown as what it is");
    assert!(
        text.contains("<span class=\"ctl\">U+202E</span>gnp.exe"),
        "what would turn text around is named"
    );
    for hidden in ['\u{202e}', '\u{2066}', '\0', '\u{1b}'] {
        assert!(!text.contains(hidden), "{hidden:?}");
    }
    assert_eq!(root.with_class("agentlink").count(), 1);
    assert_eq!(root.all("img").count(), 0, "only pictures of known kinds are shown");
    assert!(!root.inside.iter().any(|element| element.text.contains("root:x:0")), "no file of the system");
}
