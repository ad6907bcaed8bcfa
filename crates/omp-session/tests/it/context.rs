//! What a conversation amounts to.

use omp_session::{
    Compaction, Custom, EntryKind, Label, Loaded, McpToolSelection, ModeChange, ServiceTierChange,
    SessionInit, SessionWriter, TtsrInjection,
};
use omp_types::Message;
use serde_json::json;

use crate::support::{World, answer, told, user};

fn reload(world: &World, writer: &SessionWriter) -> Loaded {
    world.open(writer.path().unwrap()).0
}

fn compaction(summary: &str, first_kept: &str) -> EntryKind {
    EntryKind::Compaction(Compaction {
        summary: summary.into(),
        first_kept_entry_id: Some(first_kept.into()),
        ..Compaction::default()
    })
}

// proves: SES-052, SES-053
#[test]
fn only_the_path_counts() {
    let world = World::new();
    let mut writer = world.create();
    let root = writer.append_message(&user("root"));
    writer.append_model_change("acme/side", None);
    writer.append_message(&answer("side"));
    writer.branch(&root).unwrap();
    writer.append_message(&answer("main"));
    let loaded = reload(&world, &writer);
    assert_eq!(told(&loaded.context().messages), ["u:root", "a:main"]);
    assert_eq!(loaded.context().model.as_deref(), Some("acme/m1"), "the other branch's choice is not ours");
    assert_eq!(loaded.context_at(None), omp_session::Context::default());
    assert_eq!(loaded.context_at(Some("unknown")), loaded.context());
}

// The store's part of SES-054; the rest is proved where it is wired.
// proves: SES-055
#[test]
fn model_and_thinking_level_in_force() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&user("hi"));
    writer.append_message(&answer("hello"));
    let context = reload(&world, &writer).context();
    assert_eq!((context.model.as_deref(), context.thinking_level), (Some("acme/m1"), None));
    assert!(context.models.is_empty());

    for (model, role) in [("acme/old", None), ("acme/small", Some("smol")), ("acme/new", Some("default"))] {
        writer.append_model_change(model, role);
    }
    writer.append_thinking_level("low");
    writer.append_thinking_level("high");
    writer.append_message(&answer("by m1"));
    let context = reload(&world, &writer).context();
    assert_eq!(
        (context.model.as_deref(), context.thinking_level.as_deref()),
        (Some("acme/new"), Some("high"))
    );
    assert_eq!(context.models["smol"], "acme/small");
}

// The store's part of SES-056; the rest is proved where it is wired.
// proves: SES-027, SES-057, SES-058, SES-062
#[test]
fn state_entries_set_state_and_say_nothing() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&answer("only message"));
    let tier = |tier: Option<&str>| {
        EntryKind::ServiceTierChange(ServiceTierChange { service_tier: tier.map(Into::into) })
    };
    let rules = |rules: &[&str]| {
        EntryKind::TtsrInjection(TtsrInjection {
            injected_rules: rules.iter().map(|rule| (*rule).into()).collect(),
        })
    };
    let mode = |mode: &str| {
        EntryKind::ModeChange(ModeChange { mode: mode.into(), data: Some(json!({"planFile": "f"})) })
    };
    let tools =
        |tool: &str| EntryKind::McpToolSelection(McpToolSelection { selected_tool_names: vec![tool.into()] });
    for kind in [
        tier(Some("flex")),
        tier(None),
        rules(&["a", "b"]),
        rules(&["b", "c"]),
        mode("none"),
        mode("plan"),
        tools("s.one"),
        tools("s.two"),
        EntryKind::Custom(Custom { custom_type: "x".into(), data: None }),
        EntryKind::Label(Label { target_id: "a".into(), label: Some("l".into()) }),
        EntryKind::SessionInit(SessionInit {
            system_prompt: "p".into(),
            task: "t".into(),
            tools: vec![],
            output_schema: None,
        }),
    ] {
        writer.append(kind);
    }
    let context = reload(&world, &writer).context();
    assert_eq!(told(&context.messages), ["a:only message"]);
    assert_eq!(context.service_tier, Some(ServiceTierChange { service_tier: None }), "cleared, not unset");
    assert_eq!(context.injected_rules, ["a", "b", "c"]);
    assert_eq!(context.selected_tools, Some(vec!["s.two".to_owned()]));
    assert_eq!(context.mode.unwrap().mode, "plan");
}

// proves: SES-059, SES-060
#[test]
fn the_newest_compaction_stands_for_what_came_before() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_thinking_level("high");
    writer.append_message(&user("one"));
    let two = writer.append_message(&answer("two"));
    writer.append(compaction("first", &two));
    let three = writer.append_message(&user("three"));
    let loaded = reload(&world, &writer);
    let messages = told(&loaded.context().messages);
    assert!(messages[0].contains("<summary>\nfirst\n</summary>"));
    assert_eq!(messages[1..], ["a:two", "u:three"]);

    writer.append_message(&answer("four"));
    writer.append(compaction("second", &three));
    writer.append_message(&user("five"));
    let context = reload(&world, &writer).context();
    let messages = told(&context.messages);
    assert!(messages[0].contains("<summary>\nsecond\n</summary>"));
    assert_eq!(messages[1..], ["u:three", "a:four", "u:five"]);
    assert_eq!(context.thinking_level.as_deref(), Some("high"), "settings are not compacted away");

    writer.append(compaction("third", "not on the path"));
    assert_eq!(reload(&world, &writer).context().messages.len(), 1);
}

// The store's part of SES-061; the rest is proved where it is wired.
#[test]
fn summaries_are_user_messages_and_custom_messages_stay_custom() {
    let world = World::new();
    let mut writer = world.create();
    let root = writer.append_message(&user("root"));
    writer.append_message(&answer("astray"));
    writer.branch_with_summary(Some(&root), "tried {summary}".into()).unwrap();
    writer.append_custom_message(omp_session::CustomMessageEntry {
        custom_type: "x".into(),
        content: omp_types::UserContent::Text("note".into()),
        display: false,
        details: None,
        attribution: omp_session::Attribution::User,
    });
    let messages = reload(&world, &writer).context().messages;
    assert!(
        matches!(&*messages[1], Message::User(user) if user.content.text().contains("<summary>\ntried {summary}\n</summary>"))
    );
    assert!(matches!(&*messages[2], Message::Custom(custom) if custom.content.text() == "note"));
}
