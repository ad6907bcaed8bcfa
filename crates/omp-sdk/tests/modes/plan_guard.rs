//! The working tree while a plan is made: every way to change it is closed.

use omp_sdk::{Reply as Answer, Scope};
use omp_testkit::{RecordedRequest, Reply, Scenario};
use serde_json::{Value, json};

use crate::support::{Opening, World, call, say, text, world};

const CLOSED: &str = "Plan mode: the working tree is read-only.";
const NO_RENAME: &str = "Plan mode: renaming files is not allowed.";
const NO_DELETE: &str = "Plan mode: deleting files is not allowed.";

/// All these calls in one answer, in plan mode.
async fn planning(
    config: &str,
    calls: &[(&str, Value)],
    prepare: impl FnOnce(&World),
) -> (Vec<String>, World) {
    let add = |reply: Reply, (name, arguments): &(&str, Value)| {
        let mut arguments = arguments.clone();
        arguments["_i"] = json!("x");
        reply.tool_call(name, arguments)
    };
    let reply = calls.iter().fold(Reply::new(), add);
    // A plan that ends without a decision is reminded of it.
    let talk = (0..4).map(|_| say("done"));
    let world = world(config, std::iter::once(reply).chain(talk)).await;
    prepare(&world);
    world.session().plan().enter().await.unwrap();
    world.submit("change things").await;
    (world.results(1), world)
}

/// proves: LOP-058, FIL-092
#[tokio::test]
async fn nothing_is_written_outside_the_sessions_own_area() {
    let cells = "# %% [code] cell:0\nprint(2)\n";
    let calls = [
        ("write", json!({"path": "src/new.rs", "content": "x"})),
        ("write", json!({"path": "kept.txt", "content": "x"})),
        ("write", json!({"path": "box.zip:inner.txt", "content": "x"})),
        ("write", json!({"path": "data.sqlite:people", "content": "{\"name\": \"B\"}"})),
        ("write", json!({"path": "book.ipynb", "content": cells})),
        ("write", json!({"path": "/tmp/omp-plan-guard-outside.txt", "content": "x"})),
        ("write", json!({"path": "link.txt", "content": "x"})),
        ("write", json!({"path": "local://a-plan.md", "content": "# A\n"})),
        ("write", json!({"path": "local://deep/notes.md", "content": "free"})),
    ];
    let (results, world) = planning("", &calls, |world| {
        world.home.write("work/kept.txt", "as it was");
        std::os::unix::fs::symlink("kept.txt", world.home.path("work/link.txt")).unwrap();
        let database = rusqlite::Connection::open(world.home.path("work/data.sqlite")).unwrap();
        database.execute_batch("create table people (id integer primary key, name text)").unwrap();
    })
    .await;
    for (index, result) in results[..7].iter().enumerate() {
        assert!(result.starts_with(CLOSED), "{}: {result}", calls[index].1);
    }
    assert!(
        results[7].starts_with("Successfully wrote") || results[7].contains("Successfully wrote"),
        "{}",
        results[7]
    );
    assert!(results[8].contains("Successfully wrote"), "{}", results[8]);
    let home = world.finish().await;
    assert_eq!(home.read("work/kept.txt"), "as it was");
    for name in ["work/src", "work/box.zip", "work/book.ipynb"] {
        assert!(!home.exists(name), "{name}");
    }
    let database = rusqlite::Connection::open(home.path("work/data.sqlite")).unwrap();
    let rows: i64 = database.query_row("select count(*) from people", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

/// A link in the session's area does not lead out of it.
#[tokio::test]
async fn links_do_not_lead_out() {
    let world = world(
        "",
        [say("hi"), call("write", json!({"path": "local://out", "content": "x"}))]
            .into_iter()
            .chain((0..4).map(|_| say("ok"))),
    )
    .await;
    world.home.write("work/kept.txt", "as it was");
    world.submit("hi").await;
    let area = world.file().with_extension("").join("local");
    std::fs::create_dir_all(&area).unwrap();
    std::os::unix::fs::symlink(world.home.path("work/kept.txt"), area.join("out")).unwrap();
    world.session().plan().enter().await.unwrap();
    world.submit("go").await;
    assert_eq!(world.home.read("work/kept.txt"), "as it was");
    world.finish().await;
}

/// Every mode of `edit` is closed: changes, new files, other names, deletions.
/// proves: FIL-156, LOP-058
#[tokio::test]
async fn edits_are_refused_in_every_mode() {
    let patch = |body: &str| json!({"input": format!("*** Begin Patch\n{body}\n*** End Patch\n")});
    let update = "*** Update File: a.txt\n@@\n-one\n+two";
    let applied = [
        ("edit", patch(update)),
        ("edit", patch("*** Add File: new.txt\n+new")),
        ("edit", patch("*** Delete File: a.txt")),
        ("edit", patch("*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+two")),
    ];
    let hunked = |op: Value| ("edit", json!({"path": "a.txt", "edits": [op]}));
    let patched = [
        hunked(json!({"op": "update", "diff": "@@\n-one\n+two"})),
        ("edit", json!({"path": "new.txt", "edits": [{"op": "create", "diff": "new"}]})),
        hunked(json!({"op": "delete"})),
        hunked(json!({"op": "update", "rename": "b.txt"})),
    ];
    let replaced = [("edit", json!({"path": "a.txt", "old_string": "one", "new_string": "two"}))];
    let expected = [CLOSED, CLOSED, NO_DELETE, NO_RENAME];
    for (mode, calls) in
        [("apply_patch", applied.as_slice()), ("patch", patched.as_slice()), ("replace", replaced.as_slice())]
    {
        let config = format!("edit:\n  mode: {mode}\n");
        let (results, world) = planning(&config, calls, |world| {
            world.home.write("work/a.txt", "one\n");
        })
        .await;
        for (result, expected) in results.iter().zip(expected) {
            assert!(result.starts_with(expected), "{mode}: {result}");
        }
        let home = world.finish().await;
        assert_eq!(home.read("work/a.txt"), "one\n");
        assert!(!home.exists("work/new.txt") && !home.exists("work/b.txt"), "{mode}");
    }
}

/// The last result of a request.
fn last_result(request: &RecordedRequest) -> Option<String> {
    let messages = request.body["messages"].as_array().unwrap();
    messages.last().filter(|message| message["role"] == "tool").map(text)
}

/// Lines by number, conflicts, and structural edits: they are shown or read first.
#[tokio::test]
async fn what_was_read_first_is_not_changed_either() {
    let scenario = Scenario::dynamic(|request| match last_result(request) {
        Some(shown) if shown.contains("[a.txt#") => {
            let tag = shown.split("[a.txt#").nth(1).unwrap().split(']').next().unwrap().to_owned();
            call("edit", json!({"input": format!("[a.txt#{tag}]\nSWAP 1:\n+two\n")}))
        }
        Some(refused) if refused.contains(CLOSED) && !refused.contains("Apply failed") => say("first done"),
        _ => match request.body["messages"].as_array().unwrap().len() {
            2 | 3 => call("read", json!({"path": "a.txt"})),
            _ => say("ok"),
        },
    });
    let world = Opening::with("", scenario).start().await;
    world.home.write("work/a.txt", "one\n");
    world.session().plan().enter().await.unwrap();
    world.submit("go").await;
    let refused = world.results(2);
    assert!(refused[1].starts_with(CLOSED), "{}", refused[1]);
    assert_eq!(world.home.read("work/a.txt"), "one\n");
    world.session().close().await;

    let conflict = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n";
    let replies = [
        call("read", json!({"path": "c.txt"})),
        call("write", json!({"path": "conflict://1", "content": "@ours"})),
        call("write", json!({"path": "conflict://*", "content": "@ours"})),
    ];
    let world = crate::support::world("", replies.into_iter().chain((0..4).map(|_| say("ok")))).await;
    world.home.write("work/c.txt", conflict);
    world.session().plan().enter().await.unwrap();
    world.submit("go").await;
    assert!(world.results(3)[1..].iter().all(|result| result.starts_with(CLOSED)), "{:?}", world.results(3));
    assert_eq!(world.home.read("work/c.txt"), conflict);
    world.finish().await;
}

/// Where no sandbox holds, commands that only read run, in the mode that never asks as well; others are asked about, and
/// say why.
/// proves: LOP-060
#[tokio::test]
async fn commands_that_change_things_are_asked_about() {
    let bash = |command: &str| ("bash", json!({ "command": command }));
    let calls =
        [bash("cat a.txt | head -1"), bash("echo x > b.txt"), bash("touch c.txt"), bash("touch d.txt")];
    let prepare = |world: &World| {
        world.home.write("work/a.txt", "one\n");
        world.person.approvals.lock().unwrap().extend([
            Answer::No,
            Answer::Once,
            Answer::Always(Scope::Project),
        ]);
    };
    let config = "tools:\n  approvalMode: yolo\nsandbox:\n  mode: off\n";
    let (results, world) = planning(config, &calls, prepare).await;
    assert!(results[0].contains("one"), "{}", results[0]);
    assert!(results[1].contains("not approved"), "{}", results[1]);
    let asked = world.person.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked[0].contains("Reason: Plan mode: this may change something"), "{}", asked[0]);
    let instruction = world.messages(0).iter().map(text).find(|text| text.contains("<plan-mode>")).unwrap();
    assert!(instruction.contains("Shell commands are for reading only"), "{instruction}");
    assert!(
        !world.home.exists("work/b.txt")
            && world.home.exists("work/c.txt")
            && world.home.exists("work/d.txt")
    );
    world.finish().await;
}
