//! The todo tool: operations, results, what becomes of finished tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use omp_agent::{Invocation, Todos, Tool, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{
    ClearDelay, Context, Phase, Status, Storage, Task, TodoList, builtin, from_markdown, to_markdown,
};
use omp_types::UserBlock;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A list and the tool that changes it.
struct World {
    list: Arc<TodoList>,
    tool: Arc<dyn Tool>,
}

/// What one call led to.
struct Said {
    text: String,
    details: Value,
    failed: bool,
}

impl World {
    fn new() -> Self {
        Self::with(TodoList::new(Storage::Memory, ClearDelay::Never, SystemTime::now))
    }

    fn with(list: TodoList) -> Self {
        let list = Arc::new(list);
        let environment: Environment = [("PATH", "/bin")].into_iter().collect();
        let mut context = Context::new("/".into(), None, Arc::new(Scope::new()), environment);
        context.todos = Arc::clone(&list);
        let tool =
            builtin(&Arc::new(context)).into_iter().find(|tool| tool.definition().name == "todo").unwrap();
        Self { list, tool }
    }

    async fn call(&self, ops: Value) -> Said {
        let arguments = [("ops".to_owned(), ops)].into_iter().collect();
        let (cancel, updates) = (CancellationToken::new(), Updates::ignored());
        let result = self.tool.run(Invocation { id: "1".to_owned(), arguments, cancel, updates }).await;
        match result {
            Ok(output) => {
                let text = output.content.iter().filter_map(UserBlock::as_text).collect();
                Said { text, details: output.details.unwrap_or_default(), failed: false }
            }
            Err(error) => {
                Said { text: error.message, details: error.details.unwrap_or_default(), failed: true }
            }
        }
    }

    /// The list in short: `Phase: task=status, …`.
    fn short(&self) -> String {
        short(&self.list.phases())
    }

    async fn after(&self, ops: Value) -> String {
        let said = self.call(ops).await;
        assert!(!said.failed, "{}", said.text);
        self.short()
    }
}

fn short(phases: &[Phase]) -> String {
    let mark = |status| match status {
        Status::Pending => ' ',
        Status::InProgress => '/',
        Status::Completed => 'x',
        Status::Abandoned => '-',
    };
    let tasks = |phase: &Phase| {
        phase
            .tasks
            .iter()
            .map(|task| format!("{}{}", mark(task.status), task.content))
            .collect::<Vec<_>>()
            .join(",")
    };
    phases.iter().map(|phase| format!("{}:{}", phase.name, tasks(phase))).collect::<Vec<_>>().join(";")
}

fn init() -> Value {
    json!({"op": "init", "list": [{"phase": "P", "items": ["a", "b", "c"]}, {"phase": "Q", "items": ["d"]}]})
}

async fn begun() -> World {
    let world = World::new();
    assert_eq!(world.after(json!([init()])).await, "P:/a, b, c;Q: d");
    world
}

/// Several operations of known kinds, at least one, and nothing else.
// proves: TSN-001
#[test]
fn the_schema_wants_operations() {
    let world = World::new();
    let schema = &world.tool.definition().parameters;
    let validators = omp_agent::Validators::default();
    let check = |arguments: Value| match arguments {
        Value::Object(fields) => validators.check(world.tool.as_ref(), fields).is_ok(),
        _ => false,
    };
    assert_eq!(
        schema["properties"]["ops"]["items"]["properties"]["op"]["enum"],
        json!(["init", "start", "done", "rm", "drop", "append", "note"])
    );
    assert!(check(json!({"ops": [init(), {"op": "done"}]})));
    for bad in [
        json!({}),
        json!({"ops": []}),
        json!({"ops": [{"op": "finish"}]}),
        json!({"ops": [{}]}),
        json!({"ops": [{"op": "init", "list": [{"phase": "P", "items": []}]}]}),
    ] {
        assert!(!check(bad.clone()), "{bad}");
    }
}

/// A new list replaces the old one, and its first task becomes the active one.
// proves: TSN-002, TSN-010
#[tokio::test]
async fn a_list_is_replaced_and_its_first_task_begins() {
    let world = begun().await;
    let list = json!([{"phase": "R", "items": ["x"]}, {"phase": "S", "items": ["x", "y"]}]);
    assert_eq!(world.after(json!([{"op": "init", "list": list}])).await, "R:/x;S: x, y");
    // Finished ones are passed over.
    assert_eq!(world.after(json!([{"op": "done", "task": "x"}])).await, "R:xx;S:/x, y");
    assert_eq!(
        world.after(json!([{"op": "done"}])).await,
        "R:xx;S:xx,xy",
        "nothing is open, nothing is active"
    );
}

// proves: TSN-003
#[tokio::test]
async fn one_task_is_active() {
    let world = begun().await;
    assert_eq!(world.after(json!([{"op": "start", "task": "c"}])).await, "P: a, b,/c;Q: d");
    assert_eq!(world.after(json!([{"op": "start", "task": "d"}])).await, "P: a, b, c;Q:/d");
}

/// One task, a phase, or everything; a task counts more than a phase.
// proves: TSN-004
#[tokio::test]
async fn marks_reach_tasks_phases_and_everything() {
    for (op, mark) in [("done", 'x'), ("drop", '-')] {
        let after = |ops: Value| async move { begun().await.after(json!([ops])).await };
        assert_eq!(after(json!({"op": op, "task": "b"})).await, format!("P:/a,{mark}b, c;Q: d"));
        assert_eq!(after(json!({"op": op, "phase": "P"})).await, format!("P:{mark}a,{mark}b,{mark}c;Q:/d"));
        assert_eq!(after(json!({"op": op})).await, format!("P:{mark}a,{mark}b,{mark}c;Q:{mark}d"));
        assert_eq!(
            after(json!({"op": op, "task": "d", "phase": "P"})).await,
            format!("P:/a, b, c;Q:{mark}d")
        );
    }
}

// proves: TSN-005
#[tokio::test]
async fn tasks_can_be_removed() {
    let after = |ops: Value| async move { begun().await.after(json!([ops])).await };
    assert_eq!(after(json!({"op": "rm", "task": "a"})).await, "P:/b, c;Q: d");
    assert_eq!(after(json!({"op": "rm", "phase": "P"})).await, "P:;Q:/d");
    assert_eq!(after(json!({"op": "rm"})).await, "P:;Q:");
}

/// Only `append` makes phases.
// proves: TSN-006
#[tokio::test]
async fn tasks_can_be_added() {
    let world = begun().await;
    assert_eq!(
        world.after(json!([{"op": "append", "phase": "Q", "items": ["e"]}])).await,
        "P:/a, b, c;Q: d, e"
    );
    assert_eq!(
        world.after(json!([{"op": "append", "phase": "R", "items": ["f"]}])).await,
        "P:/a, b, c;Q: d, e;R: f"
    );
    for op in ["done", "drop", "rm"] {
        assert!(world.call(json!([{"op": op, "phase": "New"}])).await.failed, "{op}");
    }
    assert_eq!(world.short(), "P:/a, b, c;Q: d, e;R: f");
}

// proves: TSN-007
#[tokio::test]
async fn notes_are_kept_with_their_task() {
    let world = begun().await;
    world.after(json!([{"op": "note", "task": "b", "text": "  first \n\n"}])).await;
    world.after(json!([{"op": "note", "task": "b", "text": "second\nline"}])).await;
    let blank = world.call(json!([{"op": "note", "task": "b", "text": " \n\t"}])).await;
    assert!(blank.failed);
    assert_eq!(world.list.phases()[0].tasks[1].notes, ["  first", "second\nline"]);
}

/// Names are exact, and the first of two is meant.
// proves: TSN-008, TSN-009
#[tokio::test]
async fn names_are_exact() {
    let world = begun().await;
    for name in ["A", "a ", "aa"] {
        assert!(world.call(json!([{"op": "start", "task": name}])).await.failed, "{name}");
        assert!(world.call(json!([{"op": "rm", "phase": name}])).await.failed, "{name}");
    }
    let again = world.call(json!([{"op": "append", "phase": "New", "items": ["d", "e"]}])).await;
    assert!(again.failed && again.text.contains("Task \"d\" already exists"), "{}", again.text);
    assert_eq!(world.short(), "P:/a, b, c;Q: d;New: e");
    let twins = json!([{"phase": "R", "items": ["t", "t"]}, {"phase": "R", "items": ["t"]}]);
    assert_eq!(
        world.after(json!([{"op": "init", "list": twins}])).await,
        "R:/t, t;R: t",
        "nobody checks a new list"
    );
    assert_eq!(world.after(json!([{"op": "done", "task": "t"}])).await, "R:xt,/t;R: t");
}

/// The active task is settled once, after all operations.
// proves: TSN-011
#[tokio::test]
async fn the_active_task_is_settled_at_the_end() {
    let world = begun().await;
    let ops = json!([{"op": "done", "task": "a"}, {"op": "start", "task": "c"}]);
    assert_eq!(world.after(ops).await, "P:xa, b,/c;Q: d", "b was never the active one");
    let ops = json!([{"op": "done", "task": "c"}, {"op": "append", "phase": "Q", "items": ["e"]}, {"op": "rm", "task": "b"}]);
    assert_eq!(world.after(ops).await, "P:xa,xc;Q:/d, e");
}

/// Every state, every operation.
// proves: TSN-012
#[tokio::test]
async fn states_can_be_left_in_any_direction() {
    for (before, started, done, dropped) in [
        (None, '/', 'x', '-'),
        (Some("start"), '/', 'x', '-'),
        (Some("done"), '/', 'x', '-'),
        (Some("drop"), '/', 'x', '-'),
    ] {
        for (op, mark) in [("start", started), ("done", done), ("drop", dropped)] {
            let world = begun().await;
            if let Some(before) = before {
                world.after(json!([{"op": before, "task": "b"}])).await;
            }
            world.after(json!([{"op": op, "task": "b"}])).await;
            let b = short(&world.list.phases()).chars().skip_while(|letter| *letter != ',').nth(1);
            assert_eq!(b, Some(mark), "{before:?} {op}");
        }
    }
}

/// What fails is said; what comes after it still happens, and nothing is taken back.
// proves: TSN-013, TSN-014
#[tokio::test]
async fn failures_are_said_and_the_rest_happens() {
    let world = begun().await;
    let said = world
        .call(
            json!([{"op": "done", "task": "a"}, {"op": "done", "task": "nope"}, {"op": "drop", "task": "b"}]),
        )
        .await;
    assert!(said.failed && said.text.starts_with("Errors: Task \"nope\" not found\n"), "{}", said.text);
    assert_eq!(world.short(), "P:xa,-b,/c;Q: d");
    assert_eq!(said.details["phases"], serde_json::to_value(world.list.phases()).unwrap());
    for (op, error) in [
        (json!({"op": "init"}), "Missing list for init operation"),
        (json!({"op": "start"}), "Missing task content"),
        (json!({"op": "done", "task": ""}), "Missing task content"),
        (json!({"op": "note", "text": "x"}), "Missing task content"),
        (json!({"op": "start", "task": "x"}), "Task \"x\" not found"),
        (json!({"op": "rm", "phase": " "}), "Missing phase name"),
        (json!({"op": "rm", "phase": "X"}), "Phase \"X\" not found"),
        (json!({"op": "append", "items": ["x"]}), "Missing phase name for append operation"),
        (json!({"op": "append", "phase": "P"}), "Missing items for append operation"),
        (json!({"op": "append", "phase": "P", "items": ["d"]}), "Task \"d\" already exists"),
        (json!({"op": "note", "task": "d"}), "Missing text for note operation"),
    ] {
        let said = world.call(json!([op])).await;
        assert_eq!(said.text.lines().next(), Some(format!("Errors: {error}").as_str()));
        assert!(said.failed);
    }
    let empty = World::new().call(json!([{"op": "start", "task": "x"}])).await;
    assert_eq!(
        empty.text,
        "Errors: Task \"x\" not found (the list is empty; start with init)\nThe todo list is empty."
    );
}

/// What the model reads.
// proves: TSN-015
#[tokio::test]
async fn the_result_shows_the_list() {
    let world = begun().await;
    world.call(json!([{"op": "note", "task": "a", "text": "not shown any more"}])).await;
    let ops = json!([{"op": "done", "task": "a"}, {"op": "drop", "task": "d"}, {"op": "note", "task": "b", "text": "one\ntwo"}]);
    let expected = "\
Remaining items (2):
- b [in progress] (P)
- c (P)
Current phase \"P\": 1 of 3 done.
P:
  [x] a
  [/] b
      > one
      > two
  [ ] c
Q:
  [-] d";
    assert_eq!(world.call(ops).await.text, expected);
    let failed = world.call(json!([{"op": "start"}])).await;
    assert_eq!(failed.text, format!("Errors: Missing task content\n{expected}"));
    let done = world.call(json!([{"op": "done", "phase": "P"}])).await;
    assert_eq!(done.text, "Remaining items: none.\nP:\n  [x] a\n  [x] b\n  [x] c\nQ:\n  [-] d");
    assert_eq!(world.call(json!([{"op": "rm"}])).await.text, "Todo list cleared.");
}

// proves: TSN-017
#[tokio::test]
async fn newly_completed_tasks_are_named() {
    let world = begun().await;
    let said = world.call(json!([{"op": "done", "task": "a"}])).await;
    assert_eq!(said.details["completedTasks"], json!([{"phase": "P", "content": "a"}]));
    let said = world.call(json!([{"op": "done", "task": "a"}])).await;
    assert_eq!(said.details.get("completedTasks"), None, "it was done before");
    let said = world.call(json!([{"op": "done"}, {"op": "drop", "task": "b"}])).await;
    assert_eq!(
        said.details["completedTasks"],
        json!([{"phase": "P", "content": "c"}, {"phase": "Q", "content": "d"}])
    );
}

static CLOCK: AtomicU64 = AtomicU64::new(1000);

fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(CLOCK.load(Ordering::SeqCst))
}

/// Finished tasks stay as long as the setting says; the result that finished them still shows them.
// proves: TSN-020
#[tokio::test]
async fn finished_tasks_vanish_in_time() {
    for (delay, at_once, before, after) in [
        (-1.0, "P:xa,-b,/c;Q: d", "P:xa,-b,/c;Q: d", "P:xa,-b,/c;Q: d"),
        (0.0, "P:/c;Q: d", "P:/c;Q: d", "P:/c;Q: d"),
        (2.0, "P:xa,-b,/c;Q: d", "P:xa,-b,/c;Q: d", "P:/c;Q: d"),
    ] {
        let world = World::with(TodoList::new(Storage::Memory, ClearDelay::from_seconds(delay), clock));
        world.call(json!([init()])).await;
        let said = world.call(json!([{"op": "done", "task": "a"}, {"op": "drop", "task": "b"}])).await;
        assert!(said.text.contains("[x] a") && said.text.contains("[-] b"), "{delay}: {}", said.text);
        assert_eq!(world.short(), at_once, "{delay}");
        CLOCK.fetch_add(1, Ordering::SeqCst);
        // A call in between does not begin the time anew.
        world.call(json!([{"op": "note", "task": "c", "text": "x"}])).await;
        assert_eq!(world.short(), before, "{delay}");
        CLOCK.fetch_add(1, Ordering::SeqCst);
        assert_eq!(world.short(), after, "{delay}");
        assert_eq!(world.list.open(), ["c", "d"]);
    }
}

/// Both ways, and what people write by hand.
// proves: TSN-024
#[test]
fn lists_are_markdown_too() {
    let task = |content: &str, status, notes: &[&str]| Task {
        content: content.to_owned(),
        status,
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
    };
    let phases = vec![
        Phase {
            name: "Build it".to_owned(),
            tasks: vec![
                task("a [b] - c", Status::Completed, &["one\n\ntwo", "three"]),
                task("d", Status::InProgress, &[]),
                task("e", Status::Abandoned, &["why"]),
            ],
        },
        Phase { name: "Then".to_owned(), tasks: vec![task("f", Status::Pending, &[])] },
    ];
    let text = to_markdown(&phases);
    assert_eq!(
        text,
        "# Build it\n\n- [x] a [b] - c\n  > one\n  > \n  > two\n\n  > three\n- [/] d\n- [-] e\n  > why\n\n# Then\n\n- [ ] f\n"
    );
    assert_eq!(from_markdown(&text), phases);
    let written = "- [ ] orphan\n\nwords\n## Later ##x\n* [>] now\n1. [~] no\n[X] yes\n- [?] unknown\n- [/] also\n> note\n";
    assert_eq!(short(&from_markdown(written)), "Todos: orphan;Later ##x:/now,-no,xyes, also");
    assert_eq!(from_markdown(written)[1].tasks[3].notes, ["note"]);
    assert_eq!(short(&from_markdown("# P\n- [ ] a\n- [ ] b\n")), "P:/a, b", "one is active");
    assert_eq!(from_markdown(""), Vec::new());
}
