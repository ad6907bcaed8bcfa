//! Edits that are looked at while the model writes them.

use std::sync::Arc;

use crate::support::Project;
use crate::support::session::Session;
use omp_agent::{Inspection, Tool};
use omp_tools::{EditMode, Fuzzy};
use serde_json::{Map, Value, json};

fn session(mode: EditMode, abort: bool) -> Session {
    let mut project = Project::new();
    project.settings.edit.mode = mode;
    project.settings.edit.streaming_abort = abort;
    project.file("a.rs", "fn a() {\n    one();\n    two();\n}\n");
    project.file("g.rs", "// @generated\nfn a() {\n    one();\n}\n");
    Session::with(project)
}

fn tool(session: &Session) -> Arc<dyn Tool> {
    session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap().clone()
}

/// Streams a call in pieces of three letters; what `inspect` says as soon as it does not say to go on, and how much was
/// written then. Between pieces the file may be loaded, as in a stream.
async fn stream(tool: &dyn Tool, arguments: &Value) -> Option<(String, Map<String, Value>)> {
    let mut partial = Map::new();
    for (name, value) in arguments.as_object().unwrap() {
        let whole = value.as_str().map(str::to_owned);
        let letters: Vec<char> =
            whole.as_deref().or(value[0]["diff"].as_str()).unwrap_or_default().chars().collect();
        for end in (0..letters.len()).step_by(3).chain([letters.len()]) {
            let so_far: String = letters[..end].iter().collect();
            let so_far = if whole.is_some() { json!(so_far) } else { json!([{ "diff": so_far }]) };
            partial.insert(name.clone(), so_far);
            if let Inspection::Stop(reason) = tool.inspect(&partial) {
                return Some((reason, partial));
            }
            // There is one thread for waiting, so whatever was begun before this is done after it.
            tokio::task::spawn_blocking(|| ()).await.unwrap();
        }
    }
    None
}

/// A runtime with one thread for what waits for the disk.
fn block_on(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap().block_on(test);
}

const REST: &str = "\n+a\n+long\n+long\n+long\n+long\n+long\n+long\n+rest\n";

/// In all modes the call stops early, long before it is complete, because of a removed line that is nowhere.
// proves: LOP-011
#[test]
fn removed_lines_that_are_nowhere_stop_the_call() {
    block_on(async {
        for abort in [true, false] {
            for (mode, good, bad) in [
                (EditMode::Hashline, "", "[a.rs#0000]\nDEL 2\nINS.TAIL:\n"),
                (EditMode::Hashline, "", "[a.rs#TAG]\nDEL 99\nINS.TAIL:\n"),
                (
                    EditMode::ApplyPatch,
                    "*** Update File: a.rs\n@@\n-    one();\n+    1();\n",
                    "@@\n-    nowhere_at_all();\n+x\n@@\n",
                ),
                (EditMode::Patch, "@@\n-    one();\n+    1();\n", "@@\n-    nowhere_at_all();\n+x\n@@\n"),
                (EditMode::Replace, "", "    nowhere_at_all();"),
            ] {
                let session = session(mode, abort);
                let header = match mode {
                    EditMode::Hashline => session.header("a.rs").await,
                    _ => String::new(),
                };
                let (good, bad) = (good.to_owned(), bad.replace("[a.rs#TAG]", &header));
                let arguments = |part: &str| match mode {
                    EditMode::Patch => {
                        json!({"path": "a.rs", "edits": [{ "diff": format!("{part}{REST}") }]})
                    }
                    EditMode::Replace => json!({"path": "a.rs", "old_string": part, "new_string": REST}),
                    _ => json!({ "input": format!("{part}{REST}") }),
                };
                let stopped = stream(tool(&session).as_ref(), &arguments(&format!("{good}{bad}"))).await;
                assert_eq!(stopped.is_some(), abort, "{mode:?}");
                if let Some((reason, written)) = stopped {
                    let written = Value::Object(written).to_string();
                    assert!(!written.contains("rest"), "{mode:?}: {written}");
                    let said = ["not in the file", "does not exist", "hash"]
                        .iter()
                        .any(|word| reason.contains(word));
                    assert!(said, "{mode:?}: {reason}");
                }
                let fine = match mode {
                    EditMode::Hashline => format!("{header}\nDEL 2\nINS.TAIL:\n"),
                    EditMode::Replace => "    one();".to_owned(),
                    _ => good,
                };
                assert_eq!(stream(tool(&session).as_ref(), &arguments(&fine)).await, None, "{mode:?}");
            }
        }
    });
}

/// Without nearly equal text, the first added line is early enough.
#[test]
fn a_hunk_is_judged_when_its_added_lines_begin() {
    block_on(async {
        let mut project = Project::new();
        project.settings.edit.mode = EditMode::ApplyPatch;
        project.settings.edit.streaming_abort = true;
        project.settings.edit.fuzzy = Fuzzy::Off;
        project.file("a.rs", "one\ntwo\n");
        let session = Session::with(project);
        let input = format!("*** Update File: a.rs\n@@\n one\n-twi\n+two{REST}");
        let (reason, written) = stream(tool(&session).as_ref(), &json!({ "input": input })).await.unwrap();
        assert!(reason.contains("line 2 is \"two\", not \"twi\""), "{reason}");
        assert!(!written["input"].as_str().unwrap().contains("rest"));
    });
}

/// Generated files stop every call, whatever the setting, unless they may be changed.
// proves: LOP-011
#[test]
fn edits_of_generated_files_stop_in_any_case() {
    block_on(async {
        for mode in EditMode::ALL {
            let arguments = match mode {
                EditMode::Hashline => json!({"input": format!("[g.rs#0000]\nDEL 2\nINS.TAIL:{REST}")}),
                EditMode::ApplyPatch => json!({"input": format!("*** Update File: g.rs\n-fn a() {{{REST}")}),
                EditMode::Patch => json!({"path": "g.rs", "edits": [{"diff": format!("-fn a() {{{REST}")}]}),
                EditMode::Replace => json!({"path": "g.rs", "old_string": "fn a() {", "new_string": REST}),
            };
            let session = session(mode, false);
            let (reason, written) = stream(tool(&session).as_ref(), &arguments).await.unwrap();
            assert!(reason.contains("g.rs is a generated file"), "{mode:?}: {reason}");
            assert!(!Value::Object(written).to_string().contains("rest"), "{mode:?}");
            let mut project = session.project;
            project.settings.edit.block_generated = false;
            let allowed = Session::with(project);
            assert_eq!(stream(tool(&allowed).as_ref(), &arguments).await, None, "{mode:?}");
        }
    });
}

/// A block that cannot be found is left to the call itself: the rest of the file may not be written yet.
///
/// proves: FIL-136
#[test]
fn blocks_do_not_stop_a_call_that_is_being_written() {
    block_on(async {
        let session = session(EditMode::Hashline, true);
        let header = session.header("a.rs").await;
        // Line 4 closes a block, and behind it another hunk begins.
        let input = format!("{header}\nSWAP.BLK 4:\n+x\nINS.TAIL:{REST}");
        assert_eq!(stream(tool(&session).as_ref(), &json!({ "input": input })).await, None);
        let error = session.edit(&input).await.unwrap_err();
        assert!(error.contains("`SWAP.BLK 4:` could not resolve a syntactic block"), "{error}");
    });
}
