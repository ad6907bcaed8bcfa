//! Lists of conversations.

use std::path::Path;
use std::time::{Duration, SystemTime};

use omp_import::{Source, discover};
use serde_json::json;

use crate::support::{FIXTURES, World, fixture};

/// Puts fixtures where the programs keep them, each a minute older than the one before.
fn install(world: &World) {
    let place = |name: &str| match name {
        "claude-1.0" => ".claude/projects/-srv-shop/3f1c9a52.jsonl".to_owned(),
        "claude-2.1" => ".claude/projects/-srv-other/8be0d6de.jsonl".to_owned(),
        name if name.starts_with("codex") => format!(".codex/sessions/2025/10/29/rollout-{name}.jsonl"),
        name => format!(".pi/agent/sessions/--srv-shop--/{name}.jsonl"),
    };
    for (age, name) in FIXTURES.into_iter().enumerate() {
        let path = world.base.join("home").join(place(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(fixture(name), &path).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60 * age as u64)).unwrap();
    }
}

#[test]
fn conversations_are_listed_newest_first() {
    let world = World::new();
    install(&world);
    let home = world.base.join("home");
    world.file("home/.claude/projects/-srv-shop/agent-1.jsonl", &[json!({"type": "user", "sessionId": "x"})]);
    world.file(
        "home/.claude/projects/-srv-shop/deep/down/x.jsonl",
        &[json!({"type": "user", "sessionId": "x"})],
    );
    world.file("home/.codex/sessions/2025/10/29/notes.jsonl", &[json!({"type": "session_meta"})]);
    let source = json!({"subagent": {"thread_spawn": {"depth": 1}}});
    let agent = json!({"type": "session_meta", "payload": {"id": "a", "cwd": "/p", "source": source}});
    world.file("home/.codex/sessions/2025/10/29/rollout-agent.jsonl", &[agent]);
    world.file("home/.pi/agent/sessions/--srv-shop--/strange.jsonl", &[json!([])]);

    let listed = |source| {
        let found = discover(source, &home).into_iter();
        found.map(move |found| {
            assert_eq!((found.source, found.size), (source, std::fs::metadata(&found.path).unwrap().len()));
            (found.facts.cwd.unwrap_or_default(), found.first_prompt.unwrap_or_default())
        })
    };
    let at = |cwd: &str, prompt: &str| (cwd.to_owned(), prompt.to_owned());
    assert_eq!(
        listed(Source::ClaudeCode).collect::<Vec<_>>(),
        [
            at("/srv/shop", "Why is the cart total off by one cent?"),
            at("/srv/shop", "Compare the two parsers.")
        ]
    );
    assert_eq!(
        listed(Source::Codex).collect::<Vec<_>>(),
        [
            at("/srv/shop", "list the files"),
            at("/srv/shop", "What is in this picture?"),
            at("/srv/shop", "Count the tests."),
        ]
    );
    assert_eq!(
        listed(Source::Pi).collect::<Vec<_>>(),
        [at("/srv/shop", "first"), at("/srv/shop", "hello"), at("/srv/shop", "Look at this")]
    );
}

/// Nothing is there; a prompt behind long instructions is found, one that is too far away is not, and only heads are
/// read.
#[test]
fn heads_are_enough() {
    assert!(discover(Source::Codex, Path::new("/no-such-home")).is_empty());
    let world = World::new();
    let meta = |length: usize| {
        let payload = json!({"id": "x", "cwd": "/p", "base_instructions": {"text": "i".repeat(length)}});
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": payload})
    };
    let prompt = json!({"type": "response_item", "payload": {"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": format!("  fix\nit {}", "x".repeat(300))}]}});
    let path = "home/.codex/sessions/2026/01/01/rollout-1.jsonl";
    let found = |world: &World| discover(Source::Codex, &world.base.join("home")).remove(0);
    world.file(path, &[meta(100_000), prompt.clone()]);
    let first = found(&world).first_prompt.unwrap();
    assert!(first.starts_with("fix it xx") && first.len() == 200, "{first}");
    world.file(path, &[meta(100), json!({"type": "x", "payload": "y".repeat(600_000)}), prompt]);
    assert_eq!(found(&world).first_prompt, None);
    assert_eq!(found(&world).facts.cwd.as_deref(), Some("/p"));
}
