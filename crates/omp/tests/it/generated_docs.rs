//! Lists in the documents that are written from tables and types. `OMP_BLESS=1` writes them; otherwise a stale one fails.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use omp_types::{
    AgentEvent, CompactionReason, CompactionResult, CompactionStrategy, Goal, GoalStatus, Message,
    MessageUpdate, RetryFallback, StreamEvent, ToolOutput,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Compares the part of a page between two marks with what it should be, or writes it.
fn check(page: &str, test: &str, mark: &str, current: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let end = format!("\n<!-- end of {mark} -->");
    let begin = format!("{test}` with OMP_BLESS=1 -->\n\n");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page}: no beginning of {mark}"));
    let (list, after) = rest
        .split_once(&end)
        .map_or_else(|| panic!("{page}: no end of {mark}"), |(list, after)| (list, after));
    if std::env::var_os("OMP_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{begin}{current}{end}{after}"))
            .expect("the page can be written");
        return;
    }
    assert_eq!(list, current, "{page} is out of date: run `{test}` with OMP_BLESS=1 and commit the page");
}

#[test]
fn the_table_of_tools_is_up_to_date() {
    check("docs/tools.md", "the_table_of_tools_is_up_to_date", "tools", &omp_types::tools_table());
}

#[test]
fn the_table_of_exit_codes_is_up_to_date() {
    let table = omp_cli::table::exit_codes_table();
    check("README.md", "the_table_of_exit_codes_is_up_to_date", "exit codes", &table);
}

/// The whole page; `man` and its formatter take it without a complaint.
#[test]
fn the_manual_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/omp.1");
    let current = omp_cli::man_page(env!("CARGO_PKG_VERSION"));
    if std::env::var_os("OMP_BLESS").is_some() {
        std::fs::write(&path, &current).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        written, current,
        "docs/omp.1 is out of date: run this test with OMP_BLESS=1 and commit the page"
    );
    for flag in omp_cli::table::launch_flags().filter(|flag| !flag.hidden) {
        let name = format!("\\-\\-{}", flag.long.replace('-', "\\-"));
        assert!(current.contains(&name), "--{} is missing", flag.long);
    }
}

#[test]
fn the_table_of_events_is_up_to_date() {
    let rows: String = rows().iter().map(EventRow::text).collect();
    let table = format!("| type | fields | meaning |\n|---|---|---|\n{rows}");
    check("docs/events.md", "the_table_of_events_is_up_to_date", "events", &table);
}

/// One event of the table: made with all its fields, or with those that are always there.
struct EventRow {
    sample: fn(full: bool) -> AgentEvent,
    meaning: String,
}

/// Makes the rows, and a match that does not compile until every event has one.
macro_rules! event_rows {
    ($($pattern:pat => $sample:expr, $meaning:expr;)*) => {
        fn rows() -> Vec<EventRow> {
            vec![$(EventRow { sample: $sample, meaning: $meaning.to_string() }),*]
        }

        fn is_listed(event: &AgentEvent) -> bool {
            match event {
                $($pattern => true,)*
            }
        }
    };
}

event_rows! {
    AgentEvent::AgentStart => |_| AgentEvent::AgentStart, "a run begins";
    AgentEvent::TurnStart => |_| AgentEvent::TurnStart, "one model call and its tools";
    AgentEvent::MessageStart { .. } => |_| AgentEvent::MessageStart { message: message() }, "";
    AgentEvent::MessageUpdate(_) => |_| AgentEvent::MessageUpdate(MessageUpdate {
        assistant_message_event: StreamEvent::Start,
    }), "only the delta, never a growing snapshot";
    AgentEvent::MessageEnd { .. } => |_| AgentEvent::MessageEnd { message: message() }, "";
    AgentEvent::ToolExecutionStart { .. } => |full| AgentEvent::ToolExecutionStart {
        tool_call_id: String::new(),
        tool_name: String::new(),
        args: Value::Null,
        intent: full.then(String::new),
    }, "";
    AgentEvent::ToolExecutionUpdate { .. } => |_| AgentEvent::ToolExecutionUpdate {
        tool_call_id: String::new(),
        tool_name: String::new(),
        partial_result: ToolOutput::default(),
    }, "output so far";
    AgentEvent::ToolExecutionEnd { .. } => |_| AgentEvent::ToolExecutionEnd {
        tool_call_id: String::new(),
        tool_name: String::new(),
        result: ToolOutput::default(),
        is_error: false,
    }, "";
    AgentEvent::TurnEnd { .. } => |_| AgentEvent::TurnEnd { message: message(), tool_results: Vec::new() }, "";
    AgentEvent::AutoRetryStart { .. } => |_| AgentEvent::AutoRetryStart {
        attempt: 1,
        max_attempts: 1,
        delay_ms: 0,
        error_message: String::new(),
    }, "a failed request is sent again after the delay";
    AgentEvent::AutoRetryEnd { .. } => |full| AgentEvent::AutoRetryEnd {
        success: true,
        attempt: 1,
        final_error: full.then(String::new),
    }, "";
    AgentEvent::RetryFallbackApplied(_) => |_| AgentEvent::RetryFallbackApplied(RetryFallback {
        from: String::new(),
        to: String::new(),
        role: String::new(),
    }), "another model of the fallback chain takes over";
    AgentEvent::RetryFallbackSucceeded { .. } => |_| AgentEvent::RetryFallbackSucceeded {
        model: String::new(),
        role: String::new(),
    }, "";
    AgentEvent::ContextPromoted { .. } => |_| AgentEvent::ContextPromoted {
        from: String::new(),
        to: String::new(),
    }, "the conversation continues with a model that has a larger window";
    AgentEvent::AutoCompactionStart { .. } => |_| AgentEvent::AutoCompactionStart {
        reason: CompactionReason::Manual,
        action: CompactionStrategy::ContextFull,
    }, format!(
        "`reason`: {}; `action`: {}",
        values::<CompactionReason>(),
        values::<CompactionStrategy>()
    );
    AgentEvent::AutoCompactionEnd { .. } => |full| AgentEvent::AutoCompactionEnd {
        reason: CompactionReason::Manual,
        action: CompactionStrategy::ContextFull,
        result: full.then(CompactionResult::default),
        aborted: false,
        will_retry: false,
        error_message: full.then(String::new),
    }, format!("`result`: {}", members(
        &CompactionResult {
            short_summary: Some(String::new()),
            first_kept_entry_id: Some(String::new()),
            ..CompactionResult::default()
        },
        &CompactionResult::default(),
    ));
    AgentEvent::ContextRewound { .. } => |_| AgentEvent::ContextRewound { kept: 0, removed: 0 },
        "how many messages stayed in the conversation and how many were removed";
    AgentEvent::TodoReminder { .. } => |_| AgentEvent::TodoReminder {
        todos: Vec::new(),
        attempt: 1,
        max_attempts: 1,
    }, "open tasks that the model is reminded of";
    AgentEvent::GoalUpdated { .. } => |_| AgentEvent::GoalUpdated { goal: goal(None) }, format!(
        "`goal`: {}; `status`: {}",
        members(&goal(Some(1)), &goal(None)),
        values::<GoalStatus>()
    );
    AgentEvent::Notice { .. } => |_| AgentEvent::Notice { message: String::new() },
        "something you should know, outside the conversation";
    AgentEvent::AgentEnd { .. } => |_| AgentEvent::AgentEnd { messages: Vec::new() },
        "everything the run added; always the last event";
}

impl EventRow {
    fn text(&self) -> String {
        let (full, least) = ((self.sample)(true), (self.sample)(false));
        assert!(is_listed(&full));
        let object = object(&full);
        let name = object["type"].as_str().expect("a type").to_owned();
        let fields = members(&full, &least).replacen("`type`", "", 1);
        format!("| `{name}` | {} | {} |\n", fields.trim_start_matches(", "), self.meaning)
            .replace("|  |", "| |")
    }
}

fn message() -> Arc<Message> {
    Arc::new(Message::user(String::new(), 0))
}

fn goal(token_budget: Option<u64>) -> Goal {
    Goal {
        objective: String::new(),
        status: GoalStatus::Active,
        token_budget,
        tokens_used: 0,
        time_used_ms: 0,
    }
}

fn object(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value).expect("JSON") {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

/// The names of an object's members; `?` behind those that may be absent.
fn members(full: &impl serde::Serialize, least: &impl serde::Serialize) -> String {
    let always: BTreeSet<String> = object(least).into_iter().map(|(name, _)| name).collect();
    let name = |(name, _)| if always.contains(&name) { format!("`{name}`") } else { format!("`{name}?`") };
    object(full).into_iter().map(name).collect::<Vec<_>>().join(", ")
}

/// What an enumeration can be, as serde names it.
fn values<T: DeserializeOwned>() -> String {
    let Err(error) = serde_json::from_value::<T>(Value::from("?")) else { panic!("? is a value") };
    let error = error.to_string();
    error.split_once("expected one of ").expect("the values").1.to_owned()
}
