//! Structural edits: a preview, and what becomes of it.

use crate::support::session::Session;
use crate::support::text;
use omp_types::ToolOutput;
use serde_json::{Value, json};

fn session(files: &[(&str, &str)]) -> Session {
    let session = Session::new();
    for (name, content) in files {
        session.project.file(name, content);
    }
    session
}

async fn preview(session: &Session, ops: &[(&str, &str)], paths: &[&str]) -> Result<ToolOutput, String> {
    let ops: Vec<Value> = ops.iter().map(|(pat, out)| json!({ "pat": pat, "out": out })).collect();
    session.call("ast_edit", json!({ "ops": ops, "paths": paths })).await
}

async fn resolve(session: &Session, action: &str) -> Result<ToolOutput, String> {
    session.call("resolve", json!({ "action": action, "reason": "because" })).await
}

fn content(session: &Session, name: &str) -> String {
    String::from_utf8(session.project.content(name)).unwrap()
}

fn details(output: &ToolOutput) -> Value {
    output.details.clone().unwrap()
}

/// proves: LOP-117
#[tokio::test]
async fn input() {
    let session = session(&[("a.js", "f(1);\n")]);
    let tool = session.tools.iter().find(|tool| tool.definition().name == "ast_edit").unwrap();
    let schema = &tool.definition().parameters;
    assert_eq!(schema["required"], json!(["ops", "paths"]));
    assert_eq!(schema["properties"]["ops"]["minItems"], 1);
    assert_eq!(schema["properties"]["ops"]["items"]["required"], json!(["pat", "out"]));
    let refused = async |ops: &[(&str, &str)]| preview(&session, ops, &["a.js"]).await.unwrap_err();
    assert_eq!(refused(&[]).await, "`ops` must contain at least one operation");
    assert_eq!(refused(&[(" ", "x")]).await, "`pat` must not be empty");
    assert!(refused(&[("f($A)", "x"), ("f($A) ", "y")]).await.contains("occurs twice"));
    preview(&session, &[("f($A);", "")], &["a.js"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "a.js"), "", "an empty replacement deletes");
}

/// proves: LOP-118, LOP-127
#[tokio::test]
async fn a_preview_writes_nothing() {
    let long = "x".repeat(200);
    let files = [("a.js", "f(1);\n\nf(\n  2,\n);\n".to_owned()), ("b.js", format!("f({long});\n"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let session = session(&files);
    let output = preview(&session, &[("f($A)", "g($A,\n  0)")], &["*.js"]).await.unwrap();
    let shown = text(&output);
    assert!(shown.starts_with("# a.js\n-1:f(1)\n+1:g(1,\n-3:f(\n+3:g(2,\n\n# b.js\n-1:f(xxx"), "{shown}");
    let row = shown.lines().find(|row| row.starts_with("-1:f(xxx")).unwrap();
    assert_eq!(row.chars().count(), "-1:".len() + 120 + 1, "{row}");
    for (name, before) in files {
        assert_eq!(content(&session, name), before);
    }
    let facts = details(&output);
    assert_eq!(facts["totalReplacements"], 3);
    assert_eq!(facts["filesTouched"], 2);
    assert_eq!(facts["filesSearched"], 2);
    assert_eq!(facts["applied"], false);
    assert_eq!(facts["limitReached"], false);
    assert_eq!(
        facts["fileReplacements"],
        json!([{ "path": "a.js", "count": 2 }, { "path": "b.js", "count": 1 }])
    );
    assert!(facts.get("parseErrors").is_none());
}

/// proves: TSN-041, TSN-048, LOP-128
#[tokio::test]
async fn apply_makes_the_changes() {
    let session =
        session(&[("a.js", "f(1);\nf(2);\nkeep();\n"), ("b.js", "f(3);\r\nkeep();\r\n"), ("c.js", "h();\n")]);
    preview(&session, &[("f($A)", "g($A)")], &["*.js"]).await.unwrap();
    let call = json!({ "action": "apply", "reason": "looks right", "extra": { "n": 1 } });
    let output = session.call("resolve", call).await.unwrap();
    assert_eq!(content(&session, "a.js"), "g(1);\ng(2);\nkeep();\n");
    assert_eq!(content(&session, "b.js"), "g(3);\r\nkeep();\r\n", "line ends stay");
    assert_eq!(content(&session, "c.js"), "h();\n");
    let shown = text(&output);
    assert!(shown.starts_with("Applied 3 replacements in 2 files.\n\n[a.js#"), "{shown}");
    let header = shown.lines().find(|row| row.starts_with("[b.js#")).unwrap();
    assert_eq!(header, session.header("b.js").await, "the tags are fresh");
    let facts = details(&output);
    assert_eq!(facts["action"], "apply");
    assert_eq!(facts["reason"], "looks right");
    assert_eq!(facts["extra"], json!({ "n": 1 }));
    assert_eq!(facts["sourceToolName"], "ast_edit");
    assert_eq!(facts["label"], "3 replacements in 2 files");
    assert_eq!(facts["sourceResultDetails"]["applied"], true);
    assert_eq!(facts["sourceResultDetails"]["totalReplacements"], 3);
}

/// proves: TSN-042
#[tokio::test]
async fn discard_leaves_everything() {
    let session = session(&[("a.js", "f(1);\n")]);
    preview(&session, &[("f($A)", "g($A)")], &["a.js"]).await.unwrap();
    let output = resolve(&session, "discard").await.unwrap();
    assert_eq!(text(&output), "Discarded: 1 replacement in 1 file. Reason: because");
    assert_eq!(details(&output)["action"], "discard");
    assert_eq!(content(&session, "a.js"), "f(1);\n");
    assert!(resolve(&session, "apply").await.is_err(), "it is gone");
}

/// proves: TSN-043, LOP-130
#[tokio::test]
async fn nothing_to_decide() {
    let session = session(&[]);
    for action in ["apply", "discard"] {
        let error = resolve(&session, action).await.unwrap_err();
        assert_eq!(error, "No pending action to resolve. Nothing to apply or discard.");
    }
}

/// proves: LOP-120, LOP-131, TSN-047
#[tokio::test]
async fn a_stale_preview_writes_nothing_and_stays() {
    let session = session(&[("a.js", "f(1);\n"), ("b.js", "f(2);\n")]);
    preview(&session, &[("f($A)", "g($A)")], &["*.js"]).await.unwrap();
    session.project.file("b.js", "f(2);\nf(3);\n");
    let error = resolve(&session, "apply").await.unwrap_err();
    assert!(error.starts_with("Apply failed: The preview is stale"), "{error}");
    assert_eq!(content(&session, "a.js"), "f(1);\n", "not even the file that is as it was");
    assert_eq!(content(&session, "b.js"), "f(2);\nf(3);\n");
    session.project.file("b.js", "f(2);\n");
    let output = resolve(&session, "apply").await.unwrap();
    assert!(text(&output).starts_with("Applied 2 replacements in 2 files."), "it could be tried again");
    preview(&session, &[("g($A)", "f($A)")], &["*.js"]).await.unwrap();
    session.project.file("b.js", "");
    assert!(resolve(&session, "apply").await.is_err());
    resolve(&session, "discard").await.unwrap();
}

/// proves: TSN-046
#[tokio::test]
async fn several_previews_are_decided_in_their_order() {
    let session = session(&[("a.js", "f(1);\n"), ("b.js", "f(2);\n")]);
    preview(&session, &[("f($A)", "one($A)")], &["a.js"]).await.unwrap();
    preview(&session, &[("f($A)", "two($A)")], &["b.js"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(
        (content(&session, "a.js"), content(&session, "b.js")),
        ("one(1);\n".into(), "f(2);\n".into())
    );
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "b.js"), "two(2);\n");
    assert!(resolve(&session, "apply").await.is_err());
}

/// proves: LOP-121, LOP-122
#[tokio::test]
async fn nothing_to_replace() {
    let session =
        session(&[("a.js", "f(1);\n"), ("b.py", "f(1)\n"), ("c.js", "f(1;\n"), ("n.xyz", "f(1)\n")]);
    let output = preview(&session, &[("h($A)", "g($A)")], &["a.js"]).await.unwrap();
    assert_eq!(text(&output), "No replacements made");
    let output = preview(&session, &[("h(", "g($A)")], &["a.js"]).await.unwrap();
    assert!(
        text(&output).starts_with("No replacements made\n\nParse issues:\n- javascript: `h(`"),
        "{}",
        text(&output)
    );
    assert_eq!(details(&output)["totalReplacements"], 0);
    let error = preview(&session, &[("f($A)", "g($A)")], &["."]).await.unwrap_err();
    assert!(error.contains("several languages (javascript, python)"), "{error}");
    let output = preview(&session, &[("f($A)", "g($A)")], &["*.js", "n.xyz"]).await.unwrap();
    let shown = text(&output);
    assert!(shown.starts_with("# a.js\n-1:f(1)\n+1:g(1)\n\nParse issues:\n- c.js: syntax errors"), "{shown}");
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "c.js"), "f(1;\n");
}

/// proves: LOP-123
#[tokio::test]
async fn overlapping_matches_are_refused() {
    let session = session(&[("a.js", "f(f(1));\n")]);
    let error = preview(&session, &[("f($A)", "g($A)")], &["a.js"]).await.unwrap_err();
    assert!(
        error.starts_with("Overlapping replacements detected; refine pattern to avoid ambiguous edits"),
        "{error}"
    );
    assert!(resolve(&session, "apply").await.is_err(), "nothing is pending");
}

/// proves: LOP-124
#[tokio::test]
async fn so_many_files_and_no_more() {
    let mut project = crate::support::Project::new();
    project.settings.ast_max_files = 2;
    let session = Session::with(project);
    for name in ["a.js", "b.js", "c.js"] {
        session.project.file(name, "f(1); f(2);\n".repeat(60));
    }
    let output = preview(&session, &[("f($A)", "g($A)")], &["*.js"]).await.unwrap();
    assert!(text(&output).contains("Limit reached; narrow paths."), "{}", text(&output));
    let facts = details(&output);
    assert_eq!((facts["limitReached"].clone(), facts["filesTouched"].clone()), (json!(true), json!(2)));
    assert_eq!(facts["totalReplacements"], 240, "replacements are not limited");
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "c.js"), "f(1); f(2);\n".repeat(60));
}

/// proves: LOP-125
#[tokio::test]
async fn captures_keep_their_text_and_indentation() {
    let before = "class A {\n    m() {\n        if (a /* why */) {\n            b();\n            c( 1,2 );\n        }\n    }\n}\n";
    let session = session(&[("a.js", before)]);
    let ops = [("if ($A) { $$$BODY }", "while ($A && $A) {\n    $$$BODY\n}")];
    preview(&session, &ops, &["a.js"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    let after = content(&session, "a.js");
    assert!(
        after.contains("        while (a && a) {\n            b();\n            c( 1,2 );\n        }\n"),
        "{after}"
    );
    session.project.file("b.py", "call(1, [2,  3], x=4)\n");
    preview(&session, &[("call($$$ARGS)", "other($$$ARGS, $$$ARGS)")], &["b.py"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "b.py"), "other(1, [2,  3], x=4, 1, [2,  3], x=4)\n");
}

/// proves: TSN-052
#[tokio::test]
async fn edits_and_writes_are_never_pending() {
    let session = session(&[("a.js", "f(1);\n")]);
    let header = session.header("a.js").await;
    session.edit(&format!("{header}\nSWAP 1:\n+g(1);\n")).await.unwrap();
    session.call("write", json!({ "path": "b.js", "content": "x\n" })).await.unwrap();
    assert!(resolve(&session, "apply").await.unwrap_err().starts_with("No pending action"));
}

/// Code would be lost without a word where a name of `out` stands for nothing.
#[tokio::test]
async fn names_that_the_pattern_does_not_have_are_refused() {
    let session = session(&[("a.js", "f(1, 2);\n")]);
    for (pat, out, reason) in [
        ("f($$$ARGS)", "g($ARGS)", "the pattern has $$$ARGS, not $ARGS"),
        ("f($A, $B)", "g($$$A, $B)", "the pattern has $A, not $$$A"),
        ("f($A, $B)", "g($A, $C)", "the pattern has no $C"),
        ("f($$$)", "g($$$)", "$$$ stands for nothing; write a name such as $$$ARGS in both"),
        ("f($_, $B)", "g($_, $B)", "$_ stands for nothing; write a name such as $ARG in both"),
    ] {
        let error = preview(&session, &[(pat, out)], &["a.js"]).await.unwrap_err();
        assert!(error.contains(reason) && error.contains(out), "{pat} {out}: {error}");
    }
    assert!(resolve(&session, "apply").await.is_err(), "nothing is pending");
    // A dollar that is none of these is text.
    preview(&session, &[("f($A, $B)", "$(`${x}`, $A, $b)")], &["a.js"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "a.js"), "$(`${x}`, 1, $b);\n");
}

/// Where programs have such names themselves, those that the pattern does not have are theirs.
#[tokio::test]
async fn variables_of_the_language_stay() {
    let session = session(&[("a.sh", "run one\n"), ("a.php", "<?php\nf($x);\n")]);
    preview(&session, &[("run $A", "exec \"$HOME/$A\" $PATH")], &["a.sh"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "a.sh"), "exec \"$HOME/one\" $PATH\n");
    preview(&session, &[("f($A)", "g($A, $_GET, $this)")], &["a.php"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "a.php"), "<?php\ng($x, $_GET, $this);\n");
}

/// White space in a string is part of its value, whatever stands around it.
#[tokio::test]
async fn strings_of_several_lines_are_not_touched() {
    let js = "class A {\n    m() {\n        f(`\nselect 1\n  from t\n`, 2);\n    }\n}\n";
    let py = "class A:\n    def m(self):\n        f(\"\"\"\nselect 1\n    from t\n\"\"\", 2)\n";
    let go = "package p\n\nfunc m() {\n\tf(`\nselect 1\n`, 2)\n}\n";
    let rb = "def m\n    f(<<~A, 2)\n  one\n    two\n  A\nend\n";
    let session = session(&[("a.js", js), ("a.py", py), ("a.go", go), ("a.rb", rb)]);
    for (name, before) in [("a.js", js), ("a.py", py), ("a.go", go), ("a.rb", rb)] {
        preview(&session, &[("f($A, $B)", "g($A, $B)")], &[name]).await.unwrap();
        resolve(&session, "apply").await.unwrap();
        assert_eq!(content(&session, name), before.replace("f(", "g("), "{name}");
    }
}

#[tokio::test]
async fn tabs_are_indentation_too() {
    let before =
        "package p\n\nfunc m() {\n\tif a {\n\t\tb()\n\n\t\tif c {\n\t\t\td()\n\t\t}\n\t}\n\tif e {\n\t}\n}\n";
    let session = session(&[("a.go", before)]);
    let ops = [
        ("if a { $$$BODY }", "for a {\n\tif x {\n\t\t$$$BODY\n\t}\n}"),
        ("if e { $$$BODY }", "for e {\n\t$$$BODY\n}"),
    ];
    preview(&session, &ops, &["a.go"]).await.unwrap();
    resolve(&session, "apply").await.unwrap();
    assert_eq!(
        content(&session, "a.go"),
        "package p\n\nfunc m() {\n\tfor a {\n\t\tif x {\n\t\t\tb()\n\n\t\t\tif c {\n\t\t\t\td()\n\t\t\t}\n\t\t}\n\t}\n\tfor e {\n\n\t}\n}\n"
    );
}

/// As many matches as before, but not those that were shown.
#[tokio::test]
async fn other_code_than_was_shown_is_stale() {
    let session = session(&[("a.js", "f(1);\nkeep();\n")]);
    preview(&session, &[("f($A)", "g($A)")], &["a.js"]).await.unwrap();
    session.project.file("a.js", "f(removeEverything());\nkeep();\n");
    let error = resolve(&session, "apply").await.unwrap_err();
    assert!(error.starts_with("Apply failed: The preview is stale"), "{error}");
    assert_eq!(content(&session, "a.js"), "f(removeEverything());\nkeep();\n");
    session.project.file("a.js", "added();\nf(1);\n");
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "a.js"), "added();\ng(1);\n", "the same code in another place");
}

#[tokio::test]
async fn a_change_that_breaks_the_syntax_is_told() {
    let session = session(&[("a.js", "let x = f(1);\n"), ("b.js", "f(1);\n")]);
    let output = preview(&session, &[("f($A)", "")], &["*.js"]).await.unwrap();
    let shown = text(&output);
    assert!(shown.contains("Parse issues:\n- a.js: syntax errors after the change\n\nPreview: "), "{shown}");
    assert_eq!(details(&output)["parseErrors"], json!(["a.js: syntax errors after the change"]));
}

#[tokio::test]
async fn a_file_with_several_names_is_changed_once() {
    let session = session(&[("src/a.js", "f(1);\n")]);
    let link = session.project.path().join("link.js");
    std::os::unix::fs::symlink("src/a.js", link).unwrap();
    let paths = ["src/a.js", "src/../src/a.js", "link.js"];
    let output = preview(&session, &[("f($A)", "g($A)")], &paths).await.unwrap();
    assert_eq!(details(&output)["totalReplacements"], 1);
    resolve(&session, "apply").await.unwrap();
    assert_eq!(content(&session, "src/a.js"), "g(1);\n");
}

/// The tag after a deletion is that of the file, however its lines end.
#[tokio::test]
async fn the_last_line_may_go() {
    for (before, after) in [
        ("a();\nf(1);", "a();"),
        ("a();\nf(1);\n", "a();\n"),
        ("a();\r\nf(1);", "a();"),
        ("a();\r\nf(1);\r\n", "a();\r\n"),
        ("f(1);", ""),
    ] {
        let session = session(&[("a.js", before)]);
        preview(&session, &[("f($A);", "")], &["a.js"]).await.unwrap();
        let shown = text(&resolve(&session, "apply").await.unwrap());
        assert_eq!(content(&session, "a.js"), after, "{before:?}");
        let header = shown.lines().find(|row| row.starts_with("[a.js#")).unwrap();
        if !after.is_empty() {
            assert_eq!(header, session.header("a.js").await, "{before:?}");
        }
    }
}

#[tokio::test]
async fn what_was_not_looked_at_is_told() {
    let session = session(&[("src/a.js", "f(1);\n"), ("notes.xyz", "f(1)\n")]);
    session.project.file("large.js", format!("f(1);\n{}", "// words\n".repeat(300_000)));
    let shown =
        text(&preview(&session, &[("f($A)", "g($A)")], &["src", "large.js", "gone.js"]).await.unwrap());
    assert!(
        shown.contains(
            "\n\nSkipped missing paths: gone.js\n\nParse issues:\n- large.js: larger than 2 MB; skipped"
        ),
        "{shown}"
    );
    resolve(&session, "discard").await.unwrap();
    let nothing = text(&preview(&session, &[("f($A)", "g($A)")], &["notes.xyz"]).await.unwrap());
    assert!(nothing.starts_with("No replacements made\n\n[No files were searched: "), "{nothing}");
}
