//! Changes of files that language servers propose: renames, moves, code actions.

use serde_json::{Value, json};

use crate::support::servers::{Bench, text_edit, until};
use crate::support::text;

fn answers(method: &str, result: &Value) -> Value {
    json!({"answers": {method: {"result": result}}})
}

fn rename(more: &Value) -> Value {
    let mut arguments = json!({"action": "rename", "file": "a.fake", "new_name": "new"});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

/// Two files, the first of which names the second.
fn two_files(bench: &Bench) {
    bench.file("a.fake", "old = 1\nold\n");
    bench.file("b.fake", "use old\n");
}

fn two_edits() -> Value {
    json!({"changes": {
        "${root}/a.fake": [text_edit(0, 0, 3, "new"), text_edit(1, 0, 3, "new")],
        "${root}/b.fake": [text_edit(0, 4, 7, "new")],
    }})
}

/// proves: INT-058, INT-059
#[tokio::test]
async fn a_name_is_changed_everywhere() {
    let (bench, server, seat) = Bench::with(&answers("textDocument/rename", &two_edits()));
    two_files(&bench);
    let preview = seat.ask(rename(&json!({"apply": false, "line": 2, "symbol": "old"}))).await;
    assert_eq!(preview, "Rename preview:\n  a.fake: 2 edit(s)\n  b.fake: 1 edit(s)");
    assert_eq!(bench.content("a.fake"), "old = 1\nold\n");
    assert_eq!(bench.content("b.fake"), "use old\n");
    let asked = &server.params("textDocument/rename")[0];
    assert_eq!(asked["newName"], "new");
    assert_eq!(asked["position"], json!({"line": 1, "character": 0}));

    let done = seat.ask(rename(&json!({}))).await;
    assert!(done.starts_with("Applied rename:\n"), "{done}");
    for name in ["a.fake", "b.fake"] {
        assert_eq!(done.lines().filter(|line| line.contains(name)).count(), 1, "{done}");
    }
    assert_eq!(bench.content("a.fake"), "new = 1\nnew\n");
    assert_eq!(bench.content("b.fake"), "use new\n");
    seat.leave().await;
    server.finish();
}

/// proves: INT-058
#[tokio::test]
async fn a_preview_touches_no_file_even_if_the_server_wants_to() {
    let own = json!({"request": "workspace/applyEdit", "params": {"edit": two_edits()}, "wait": true});
    let script = json!({"answers": {"textDocument/rename": {"first": [own], "result": two_edits()}}});
    let (bench, server, seat) = Bench::with(&script);
    two_files(&bench);
    let preview = seat.ask(rename(&json!({"apply": false}))).await;
    assert!(preview.starts_with("Rename preview:"), "{preview}");
    assert_eq!(bench.content("b.fake"), "use old\n");
    assert_eq!(server.answers()[0]["result"]["applied"], false);
    seat.leave().await;
    server.finish();
}

/// proves: INT-059
#[tokio::test]
async fn a_rename_that_changes_nothing() {
    for result in [Value::Null, json!({}), json!({"changes": {}}), json!({"changes": {"${root}/a.fake": []}})]
    {
        let (bench, server, seat) = Bench::with(&answers("textDocument/rename", &result));
        two_files(&bench);
        assert_eq!(seat.ask(rename(&json!({}))).await, "Rename returned no edits");
        seat.leave().await;
        server.finish();
    }
}

/// proves: INT-060
#[tokio::test]
async fn files_are_changed_created_renamed_and_deleted() {
    let version = |name: &str| json!({"uri": format!("${{root}}/{name}"), "version": null});
    let edit = json!({"documentChanges": [
        {"textDocument": version("a.fake"), "edits": [text_edit(0, 0, 3, "new")]},
        {"kind": "create", "uri": "${root}/made.fake"},
        {"textDocument": version("made.fake"), "edits": [text_edit(0, 0, 0, "fresh\n")]},
        {"kind": "rename", "oldUri": "${root}/b.fake", "newUri": "${root}/sub/c.fake"},
        {"textDocument": version("sub/c.fake"), "edits": [text_edit(0, 4, 7, "new")]},
        {"kind": "delete", "uri": "${root}/d.fake"},
    ]});
    let (bench, server, seat) = Bench::with(&answers("textDocument/rename", &edit));
    two_files(&bench);
    bench.file("d.fake", "gone soon\n");
    let preview = seat.ask(rename(&json!({"apply": false}))).await;
    for part in ["a.fake: 1 edit(s)", "create made.fake", "rename b.fake → sub/c.fake", "delete d.fake"] {
        assert!(preview.contains(part), "{preview}");
    }
    seat.ask(rename(&json!({}))).await;
    assert_eq!(bench.content("a.fake"), "new = 1\nold\n");
    assert_eq!(bench.content("made.fake"), "fresh\n");
    assert_eq!(bench.content("sub/c.fake"), "use new\n");
    assert!(!bench.project().join("b.fake").exists());
    assert!(!bench.project().join("d.fake").exists());
    seat.leave().await;
    server.finish();
}

/// proves: INT-061
#[tokio::test]
async fn changes_of_one_file_keep_their_places() {
    let ordered = json!({"changes": {"${root}/a.fake": [
        text_edit(0, 0, 3, "a much longer name"),
        text_edit(0, 6, 6, "1"),
        text_edit(0, 6, 6, "2"),
        text_edit(1, 0, 3, "x"),
    ]}});
    let overlapping = json!({"changes": {
        "${root}/a.fake": [text_edit(1, 0, 2, "x"), text_edit(1, 1, 3, "y")],
        "${root}/b.fake": [text_edit(0, 0, 3, "z")],
    }});
    let script = json!({"answers": {"textDocument/rename": [{"result": overlapping}, {"result": ordered}]}});
    let (bench, server, seat) = Bench::with(&script);
    two_files(&bench);
    let said = seat.refused(rename(&json!({}))).await;
    assert!(said.contains("a.fake") && said.contains("overlapping changes on line 2"), "{said}");
    assert_eq!(bench.content("b.fake"), "use old\n", "nothing is done");
    seat.ask(rename(&json!({}))).await;
    assert_eq!(bench.content("a.fake"), "a much longer name = 121\nx\n");
    seat.leave().await;
    server.finish();
}

/// A server may only change files of the project.
#[tokio::test]
async fn files_elsewhere_are_out_of_reach() {
    let bench = Bench::new();
    let outside = bench.at("home").join("secret.fake");
    std::fs::write(&outside, "old\n").unwrap();
    std::os::unix::fs::symlink(bench.at("home"), bench.project().join("link")).unwrap();
    for uri in [format!("file://{}", outside.display()), "${root}/link/secret.fake".to_owned()] {
        let mut edit = two_edits();
        edit["changes"][uri] = json!([text_edit(0, 0, 3, "new")]);
        let server = bench.server("fake", &answers("textDocument/rename", &edit), &json!({}));
        let seat = bench.sit();
        two_files(&bench);
        let said = seat.refused(rename(&json!({}))).await;
        assert!(said.contains("outside the project"), "{said}");
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "old\n");
        assert_eq!(bench.content("b.fake"), "use old\n");
        seat.leave().await;
        server.finish();
    }
}

fn moving(file: &str, to: &str) -> Value {
    json!({"action": "rename_file", "file": file, "new_name": to})
}

/// A server believes what it was told of an open file, so it is told before it is asked.
#[tokio::test]
async fn what_became_of_open_files_is_told_before_a_question() {
    let hover = json!({"result": {"contents": "x"}});
    let script =
        json!({"answers": {"textDocument/rename": {"result": two_edits()}, "textDocument/hover": hover}});
    let (bench, server, seat) = Bench::with(&script);
    two_files(&bench);
    bench.file("c.fake", "old\n");
    for file in ["a.fake", "b.fake", "c.fake"] {
        seat.ask(json!({"action": "hover", "file": file})).await;
    }
    bench.file("b.fake", "use old again\n");
    std::fs::remove_file(bench.project().join("c.fake")).unwrap();
    seat.ask(rename(&json!({}))).await;
    assert_eq!(bench.content("b.fake"), "use new again\n");
    let told = server.params("textDocument/didChange");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["contentChanges"], json!([{"text": "use old again\n"}]));
    let closed = server.params("textDocument/didClose");
    assert!(closed.len() == 1 && closed[0].to_string().contains("c.fake"), "{closed:?}");
    let methods = server.methods();
    let place = |method: &str| methods.iter().position(|known| known == method).unwrap();
    assert!(place("textDocument/didChange") < place("textDocument/rename"), "{methods:?}");
    seat.leave().await;
    server.finish();
}

/// Line numbers that are about another text are not used.
#[tokio::test]
async fn a_file_that_changed_while_a_server_was_asked_is_left_alone() {
    let bench = Bench::new();
    let gate = bench.at("gate");
    let script =
        json!({"answers": {"textDocument/rename": {"first": [{"wait_for": gate}], "result": two_edits()}}});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    two_files(&bench);
    let (begun, _) = seat.begin(&rename(&json!({})));
    until("the server is asked", || !server.params("textDocument/rename").is_empty()).await;
    bench.file("a.fake", "somebody else\nold = 1\nold\n");
    std::fs::write(&gate, "").unwrap();
    let said = text(&begun.await.unwrap().unwrap());
    assert!(said.contains("a.fake changed while fake was working"), "{said}");
    assert_eq!(bench.content("a.fake"), "somebody else\nold = 1\nold\n");
    assert_eq!(bench.content("b.fake"), "use old\n", "all or nothing");
    seat.leave().await;
    server.finish();
}

/// What two servers want to change in one file is about the text before either did.
#[tokio::test]
async fn a_file_is_corrected_by_one_server_only() {
    let bench = Bench::new();
    let edit = |word: &str| json!({"changes": {"${root}/b.fake": [text_edit(0, 0, 3, word)]}});
    let one = bench.server("one", &answers("workspace/willRenameFiles", &edit("1234")), &json!({}));
    let two = bench.server("two", &answers("workspace/willRenameFiles", &edit("5678")), &json!({}));
    let seat = bench.sit();
    two_files(&bench);
    let done = seat.ask(moving("a.fake", "c.fake")).await;
    assert_eq!(bench.content("b.fake"), "1234 old\n", "{done}");
    assert!(done.contains("Note from two: b.fake was skipped"), "{done}");
    assert!(bench.project().join("c.fake").exists());
    seat.leave().await;
    one.finish();
    two.finish();
}

/// proves: INT-062, INT-063
#[tokio::test]
async fn a_file_is_moved_and_what_refers_to_it_is_corrected() {
    let bench = Bench::new();
    let edit = json!({"changes": {"${root}/b.fake": [text_edit(0, 4, 7, "c")]}});
    let hover = json!({"result": {"contents": "x"}});
    let one =
        json!({"answers": {"workspace/willRenameFiles": {"result": edit}, "textDocument/hover": hover}});
    let one = bench.server("one", &one, &json!({}));
    let two = answers("workspace/willRenameFiles", &Value::Null);
    let two = bench.server("two", &two, &json!({"fileTypes": [".other"], "isLinter": true}));
    bench.program("biome", "exit 1");
    bench.file("biome.json", "{}");
    let seat = bench.sit();
    two_files(&bench);
    seat.ask(json!({"action": "hover", "file": "a.fake"})).await;

    let mut call = moving("a.fake", "sub/c.fake");
    call["apply"] = json!(false);
    let preview = seat.ask(call).await;
    assert_eq!(preview, "Rename preview: a.fake → sub/c.fake\none:\n  b.fake: 1 edit(s)");
    assert!(bench.project().join("a.fake").exists() && !bench.project().join("sub").exists());
    assert_eq!(bench.content("b.fake"), "use old\n");
    assert!(one.params("workspace/didRenameFiles").is_empty());

    let done = seat.ask(moving("a.fake", "sub/c.fake")).await;
    assert!(done.starts_with("Renamed a.fake → sub/c.fake\none:\n"), "{done}");
    assert!(done.contains("b.fake") && done.contains("Moved a.fake to sub/c.fake"), "{done}");
    assert_eq!(bench.content("sub/c.fake"), "old = 1\nold\n");
    assert!(!bench.project().join("a.fake").exists());
    assert_eq!(bench.content("b.fake"), "use c\n");

    seat.ask(json!({"action": "request", "query": "textDocument/hover", "file": "b.fake"})).await;
    let told = ["workspace/willRenameFiles", "textDocument/didClose", "workspace/didRenameFiles"];
    let order: Vec<String> =
        one.methods().into_iter().filter(|method| told.contains(&method.as_str())).skip(1).collect();
    assert_eq!(order, told);
    let project = format!("file://{}", bench.project().display());
    let files = json!({"files": [{"oldUri": format!("{project}/a.fake"), "newUri": format!("{project}/sub/c.fake")}]});
    assert_eq!(one.params("workspace/willRenameFiles")[1], files);
    assert_eq!(one.params("workspace/didRenameFiles").as_slice(), std::slice::from_ref(&files));
    let closed = json!({"textDocument": {"uri": format!("{project}/a.fake")}});
    assert_eq!(one.params("textDocument/didClose"), [closed]);
    seat.leave().await;
    assert_eq!(two.params("workspace/didRenameFiles"), [files]);
    one.finish();
    two.finish();
}

/// proves: INT-063, INT-066
#[tokio::test]
async fn a_directory_is_moved_with_every_file() {
    let (bench, server, seat) = Bench::with(&answers("workspace/willRenameFiles", &Value::Null));
    for name in ["1.fake", "deep/2.txt", "deep/er/3.fake"] {
        bench.file(&format!("old/{name}"), "x\n");
    }
    std::os::unix::fs::symlink("1.fake", bench.project().join("old/link")).unwrap();
    let mut call = moving("old", "new/place");
    call["apply"] = json!(false);
    let expected = "Rename preview: old (3 files) → new/place\n\
        Imports not updated: fake does not support it (workspace/willRenameFiles).\n\
        No other file contains the word \"old\".";
    assert_eq!(seat.ask(call).await, expected);
    let done = seat.ask(moving("old", "new/place")).await;
    assert!(done.starts_with("Renamed old (3 files) → new/place\n"), "{done}");
    assert_eq!(bench.content("new/place/deep/er/3.fake"), "x\n");
    assert!(!bench.project().join("old").exists());
    let project = format!("file://{}", bench.project().display());
    let pair = |name: &str| json!({"oldUri": format!("{project}/old/{name}"), "newUri": format!("{project}/new/place/{name}")});
    let expected = json!({"files": [pair("1.fake"), pair("deep/2.txt"), pair("deep/er/3.fake")]});
    assert_eq!(server.params("workspace/willRenameFiles")[1], expected);
    seat.leave().await;
    assert_eq!(server.params("workspace/didRenameFiles"), [expected]);
    server.finish();
}

/// proves: INT-064
#[tokio::test]
async fn moves_that_make_no_sense() {
    let (bench, server, seat) = Bench::with(&json!({}));
    two_files(&bench);
    std::fs::create_dir_all(bench.project().join("empty/inside")).unwrap();
    for number in 0..1_001 {
        bench.file(&format!("many/{number}"), "");
    }
    for (from, to, expected) in [
        ("a.fake", "./a.fake", "already has this name"),
        ("no.fake", "c.fake", "does not exist"),
        ("a.fake", "b.fake", "b.fake already exists"),
        ("empty", "full", "nothing to rename"),
        ("many", "more", "more than 1000 files"),
    ] {
        let said = seat.refused(moving(from, to)).await;
        assert!(said.contains(expected), "{from} {to}: {said}");
    }
    assert!(bench.project().join("many/1000").exists());
    assert_eq!(bench.content("b.fake"), "use old\n");
    assert!(server.starts().is_empty());
    seat.leave().await;
}

/// proves: INT-065
#[tokio::test]
async fn a_move_happens_whatever_servers_say() {
    let bench = Bench::new();
    let ignorant = bench.server("ignorant", &json!({}), &json!({}));
    let broken =
        json!({"answers": {"workspace/willRenameFiles": {"error": {"code": -1, "message": "no idea"}}}});
    let broken = bench.server("broken", &broken, &json!({}));
    let seat = bench.sit();
    two_files(&bench);
    let done = seat.ask(moving("a.fake", "c.fake")).await;
    let expected = "Renamed a.fake → c.fake\n  Moved a.fake to c.fake\nNote from broken: no idea\n\
        Imports not updated: ignorant does not support it (workspace/willRenameFiles), broken failed.\n";
    assert!(done.starts_with(expected), "{done}");
    assert_eq!(bench.content("c.fake"), "old = 1\nold\n");
    seat.leave().await;
    for server in [ignorant, broken] {
        assert_eq!(server.params("workspace/willRenameFiles").len(), 1);
        assert_eq!(server.params("workspace/didRenameFiles").len(), 1);
        server.finish();
    }
}

/// A server that corrects nothing leaves that to the model, which has to know.
#[tokio::test]
async fn a_move_without_corrections_says_so() {
    let bench = Bench::new();
    let offers = json!({"workspace": {"fileOperations": {"willRename": {"filters": []}}}});
    let mut script = answers("workspace/willRenameFiles", &Value::Null);
    script["capabilities"] = offers;
    let server = bench.server("fake", &script, &json!({}));
    let linter = bench.server("linter", &json!({}), &json!({"isLinter": true}));
    let elsewhere = bench.server("elsewhere", &json!({}), &json!({"fileTypes": [".other"]}));
    bench.file("lib/a.fake", "old = 1\n");
    for name in ["b.fake", "deep/c.txt"] {
        bench.file(name, "use \"./lib/a\"\n");
    }
    for name in ["no.fake", "hidden/d.fake"] {
        bench.file(name, "an apple, b_a, ab\n");
    }
    bench.file("hidden/e.fake", "use a\n");
    bench.file(".gitignore", "hidden\n");
    let seat = bench.sit();
    let done = seat.ask(moving("lib/a.fake", "lib/z.fake")).await;
    let expected = "Renamed lib/a.fake → lib/z.fake\n  Moved lib/a.fake to lib/z.fake\n\
        Imports not updated: fake returned no edits.\n\
        2 files contain the word \"a\" and may refer to the old path: b.fake, deep/c.txt";
    assert_eq!(done, expected);
    let done = seat.ask(moving("deep/c.txt", "deep/d.txt")).await;
    assert!(
        done.contains("\nImports not updated: no language server handles this kind of file.\n"),
        "{done}"
    );
    assert!(done.ends_with("No other file contains the word \"c\"."), "{done}");
    // Whoever refers to it names the directory.
    bench.file("kit/index.fake", "");
    bench.file("f.fake", "use kit\n");
    let done = seat.ask(moving("kit/index.fake", "kit/main.fake")).await;
    assert!(
        done.ends_with("1 file contains the word \"kit\" and may refer to the old path: f.fake"),
        "{done}"
    );
    seat.leave().await;
    for server in [server, linter, elsewhere] {
        server.finish();
    }
}

fn acting(query: &str) -> Value {
    json!({"action": "code_actions", "file": "a.fake", "query": query, "apply": true})
}

fn offers(list: &Value) -> Value {
    json!({"answers": {"textDocument/codeAction": {"result": list},
        "workspace/executeCommand": {"result": null}}})
}

fn edit_of(file: &str, text: &str) -> Value {
    json!({"changes": {format!("${{root}}/{file}"): [text_edit(0, 0, 3, text)]}})
}

/// proves: INT-068
#[tokio::test]
async fn the_query_is_a_kind_or_a_choice() {
    let list = json!([
        {"title": "Add import", "kind": "quickfix", "edit": edit_of("a.fake", "one")},
        {"title": "Make it SHORT", "kind": "", "edit": edit_of("a.fake", "two")},
        {"title": "0 changes", "edit": edit_of("a.fake", "six")},
    ]);
    let (bench, server, seat) = Bench::with(&offers(&list));
    two_files(&bench);
    let listed = seat.ask(json!({"action": "code_actions", "file": "a.fake", "query": "refactor"})).await;
    let start = "3 code action(s):\n  0: [quickfix] Add import\n  1: [action] Make it SHORT";
    assert!(listed.starts_with(start), "{listed}");
    assert_eq!(bench.content("a.fake"), "old = 1\nold\n");
    for (query, expected) in [("1", "two"), ("ADD imp", "one"), ("short", "two"), ("0", "one")] {
        seat.ask(acting(query)).await;
        assert_eq!(bench.content("a.fake"), format!("{expected} = 1\nold\n"), "{query}");
    }
    let asked = server.params("textDocument/codeAction");
    assert_eq!(asked[0]["context"]["only"], json!(["refactor"]));
    assert!(asked[1..].iter().all(|params| params["context"].get("only").is_none()), "{asked:?}");
    let said = seat.refused(json!({"action": "code_actions", "file": "a.fake", "apply": true})).await;
    assert!(said.contains("`query`"), "{said}");
    seat.leave().await;
    server.finish();
}

/// The command waits for a file that the edit creates, and asks for a change of its own.
///
/// proves: INT-021, INT-069, INT-071
#[tokio::test]
async fn an_action_is_completed_then_its_edit_made_then_its_command_run() {
    let bench = Bench::new();
    let create = json!({"documentChanges": [{"kind": "create", "uri": "${root}/made.fake"}]});
    let command = json!({"title": "t", "command": "x.run", "arguments": [1, "two"]});
    let resolved = json!({"title": "Do it", "edit": create, "command": command});
    let own =
        json!({"request": "workspace/applyEdit", "params": {"edit": edit_of("b.fake", "USE")}, "wait": true});
    let made = json!({"wait_for": bench.project().join("made.fake")});
    let script = json!({"answers": {
        "textDocument/codeAction": {"result": [{"title": "Do it", "data": 5}]},
        "codeAction/resolve": {"result": resolved},
        "workspace/executeCommand": {"first": [made, own], "result": null},
    }});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    two_files(&bench);
    let done = seat.ask(acting("do")).await;
    let (head, rest) = done.split_once('\n').unwrap();
    assert_eq!(head, "Applied \"Do it\":");
    assert!(rest.starts_with("Workspace edit:\n") && rest.contains("made.fake"), "{done}");
    assert!(rest.ends_with("\nExecuted command(s):\n  x.run"), "{done}");
    assert_eq!(server.params("codeAction/resolve"), [json!({"title": "Do it", "data": 5})]);
    let ran = json!({"command": "x.run", "arguments": [1, "two"]});
    assert_eq!(server.params("workspace/executeCommand"), [ran]);
    assert_eq!(bench.content("b.fake"), "USE old\n");
    assert_eq!(server.answers()[0]["result"], json!({"applied": true}));
    seat.leave().await;
    server.finish();
}

/// Nobody asked for a change, so none is made.
#[tokio::test]
async fn changes_that_nobody_asked_for_are_refused() {
    let own =
        json!({"request": "workspace/applyEdit", "params": {"edit": edit_of("b.fake", "USE")}, "wait": true});
    let script = json!({"answers": {"textDocument/hover": {"first": [own], "result": null}}});
    let (bench, server, seat) = Bench::with(&script);
    two_files(&bench);
    seat.ask(json!({"action": "hover", "file": "a.fake"})).await;
    assert_eq!(bench.content("b.fake"), "use old\n");
    assert_eq!(server.answers()[0]["result"]["applied"], false);
    seat.leave().await;
    server.finish();
}

/// proves: INT-069, INT-071
#[tokio::test]
async fn a_bare_command_is_only_run() {
    let list = json!([{"title": "Restart", "command": "x.restart"}]);
    let (bench, server, seat) = Bench::with(&offers(&list));
    two_files(&bench);
    let done = seat.ask(acting("restart")).await;
    assert_eq!(done, "Applied \"Restart\":\nExecuted command(s):\n  x.restart");
    assert_eq!(server.params("workspace/executeCommand"), [json!({"command": "x.restart"})]);
    assert!(server.params("codeAction/resolve").is_empty());
    seat.leave().await;
    server.finish();
}

/// proves: INT-070
#[tokio::test]
async fn an_action_that_cannot_be_completed_is_carried_out_as_far_as_it_goes() {
    let list = json!([{"title": "Do it", "command": {"title": "t", "command": "x.run"}}]);
    let mut script = offers(&list);
    script["answers"]["codeAction/resolve"] = json!({"error": {"code": -1, "message": "cannot"}});
    let (bench, server, seat) = Bench::with(&script);
    two_files(&bench);
    assert_eq!(seat.ask(acting("do")).await, "Applied \"Do it\":\nExecuted command(s):\n  x.run");
    assert_eq!(server.params("codeAction/resolve").len(), 1);
    seat.leave().await;
    server.finish();
}

/// proves: INT-071
#[tokio::test]
async fn choices_that_lead_nowhere() {
    let list = json!([{"title": "Nothing", "kind": "quickfix"}, {"title": "Other", "kind": "refactor"}]);
    let (bench, server, seat) = Bench::with(&offers(&list));
    two_files(&bench);
    for query in ["absent", "7"] {
        let expected = format!(
            "No code action matches \"{query}\". Available actions:\n  0: [quickfix] Nothing\n  1: [refactor] Other"
        );
        assert_eq!(seat.refused(acting(query)).await, expected);
    }
    let said = seat.refused(acting("nothing")).await;
    assert_eq!(said, "Action \"Nothing\" has no workspace edit or command to apply");
    seat.leave().await;
    server.finish();
}

/// A directory that was moved can be brought back, also where there is no git.
#[tokio::test]
async fn a_moved_directory_is_in_the_history() {
    let mut bench = Bench::new();
    let history = omp_history::History::new(omp_history::Options {
        directory: bench.at("history"),
        cwd: bench.project(),
        environment: omp_shell::Environment::default(),
        is_trusted: std::sync::Arc::new(|| false),
        largest_file: 1 << 20,
        most_bytes: 1 << 20,
    });
    bench.history = Some(history.clone());
    bench.file("old/deep/a.fake", "one\n");
    let server = bench.server("fake", &json!({}), &json!({}));
    let seat = bench.sit();
    history.begin("prompt");
    history.before_change().await;
    seat.ask(json!({"action": "rename_file", "file": "old", "new_name": "new"})).await;
    assert_eq!(bench.content("new/deep/a.fake"), "one\n");
    history.settle();
    history.settled().await;
    let plan = history.plan(vec!["prompt".to_owned()], "prompt".to_owned()).await.unwrap();
    history.restore(plan, omp_history::Others::Stay, None).await.unwrap();
    assert_eq!(bench.content("old/deep/a.fake"), "one\n");
    assert!(!bench.project().join("new/deep/a.fake").exists());
    seat.leave().await;
    server.finish();
}
