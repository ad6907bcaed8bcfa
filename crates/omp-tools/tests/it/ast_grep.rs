//! Search by structure, as a model uses it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::support::session::Session;
use crate::support::{Project, invocation, text};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::Updates;
use omp_tools::{InternalUrl, Resource, Resources, Scheme};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn grep(project: &Project, pattern: &str, paths: &[&str]) -> ToolOutput {
    project.call("ast_grep", json!({ "pat": pattern, "paths": paths })).await.unwrap()
}

async fn found(project: &Project, pattern: &str, paths: &[&str]) -> String {
    text(&grep(project, pattern, paths).await)
}

async fn error(project: &Project, arguments: Value) -> String {
    project.call("ast_grep", arguments).await.unwrap_err().message
}

fn details(output: &ToolOutput) -> Value {
    output.details.clone().unwrap()
}

/// proves: LOP-105
#[tokio::test]
async fn input() {
    let project = Project::new();
    let tool = project.tool("ast_grep");
    let schema = &tool.definition().parameters;
    assert_eq!(schema["required"], json!(["pat", "paths"]));
    assert_eq!(schema["properties"]["skip"]["minimum"], 0);
    assert_eq!(schema["properties"]["pat"]["minLength"], 1);
    let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["pat", "paths", "skip"]);
    project.file("src/a.js", "f(1);\n");
    project.file("src/b.js", "f(2);\n");
    assert_eq!(error(&project, json!({ "pat": "  ", "paths": ["src"] })).await, "`pat` must not be empty");
    assert!(project.call("ast_grep", json!({ "pat": "f($A)", "paths": ["src"], "skip": -1 })).await.is_err());
    for paths in [vec!["src"], vec!["src/a.js", "src/b.js"], vec!["src/*.js"], vec!["src/a.js", "src/"]] {
        let output = project.call("ast_grep", json!({ "pat": "f($A)", "paths": paths })).await.unwrap();
        assert_eq!(details(&output)["matchCount"], 2, "{paths:?}");
    }
}

/// proves: LOP-106
#[tokio::test]
async fn the_grammar_of_patterns_in_five_languages() {
    let project = Project::new();
    let cases = [
        ("a.ts", "f(1); f(1, 2); f(); g(x, x); g(x, y);\n"),
        ("a.rs", "fn m() { f(1); f(1, 2); f(); g(x, x); g(x, y); }\n"),
        ("a.py", "f(1); f(1, 2); f(); g(x, x); g(x, y)\n"),
        ("a.go", "package p\nfunc m() { f(1); f(1, 2); f(); g(x, x); g(x, y) }\n"),
        ("A.java", "class A { void m() { f(1); f(1, 2); f(); g(x, x); g(x, y); } }\n"),
    ];
    for (name, content) in cases {
        project.file(name, content);
        let count =
            async |pattern: &str| details(&grep(&project, pattern, &[name]).await)["matchCount"].clone();
        assert_eq!(count("f($A)").await, 1, "{name}: one node");
        assert_eq!(count("f($_, $_)").await, 1, "{name}: nodes that do not matter");
        assert_eq!(count("f($$$)").await, 3, "{name}: any number");
        assert_eq!(count("f($$$ALL)").await, 3, "{name}: any number by name");
        assert_eq!(count("g($X, $X)").await, 1, "{name}: equal code");
        assert_eq!(count("g($_, $_)").await, 2, "{name}: not necessarily equal");
        assert_eq!(count("f($a)").await, 0, "{name}: names are upper-case");
        let several = found(&project, "f(1); f(2);", &[name]).await;
        assert!(several.starts_with("No matches found") && several.contains("one node"), "{name}: {several}");
    }
    project.file("b.ts", "fooBar(1);\n");
    assert!(found(&project, "foo$A(1)", &["b.ts"]).await.starts_with("No matches"), "whole nodes only");
}

/// proves: LOP-108
#[tokio::test]
async fn output_by_file() {
    let session = Session::new();
    session.project.file("a.ts", "let x = 1;\nf(1,\n  [2]);\n");
    session.project.file("b.ts", "f(3, 4); // end\n");
    let call = json!({ "pat": "f($A, $B)", "paths": ["."] });
    let shown = text(&session.call("ast_grep", call).await.unwrap());
    let (a, b) = (session.header("a.ts").await, session.header("b.ts").await);
    assert_eq!(
        shown,
        format!("{a}\n*2:f(1,\n 3:  [2]);\n  meta: A=1, B=[2]\n\n{b}\n*1:f(3, 4); // end\n  meta: A=3, B=4")
    );
    let plain = found(&session.project, "f($$$REST)", &["b.ts"]).await;
    assert!(plain.starts_with('['), "the session edits: {plain}");
    let mut project = Project::new();
    project.settings.edit.active = false;
    project.file("b.ts", "f(3, 4);\n");
    assert_eq!(found(&project, "f($$$REST)", &["b.ts"]).await, "# b.ts\n*1|f(3, 4);\n  meta: REST=3, 4");
}

/// proves: LOP-109
#[tokio::test]
async fn nothing_found_is_no_error() {
    let project = Project::new();
    project.file("a.ts", "g();\n");
    assert_eq!(found(&project, "f()", &["a.ts"]).await, "No matches found");
    let shown = found(&project, "f(", &["a.ts"]).await;
    assert!(shown.starts_with("No matches found\n\nParse issues:\n- typescript: `f(`: "), "{shown}");
}

/// proves: LOP-110
#[tokio::test]
async fn fifty_at_a_time() {
    let project = Project::new();
    project.file("b.ts", (0..70).map(|at| format!("f({at});\n")).collect::<String>());
    project.file("a.ts", (100..150).map(|at| format!("f({at});\n")).collect::<String>());
    let page = async |skip: usize| {
        let call = json!({ "pat": "f($A)", "paths": ["."], "skip": skip });
        project.call("ast_grep", call).await.unwrap()
    };
    let limit = "Result limit reached; narrow paths or increase limit.";
    let first = page(0).await;
    let shown = text(&first);
    assert_eq!(shown.matches("\n*").count(), 50);
    assert!(
        shown.contains("*1|f(100);") && shown.contains("*50|f(149);") && !shown.contains("b.ts"),
        "{shown}"
    );
    assert!(shown.ends_with(limit), "{shown}");
    assert_eq!(
        (details(&first)["limitReached"].clone(), details(&first)["matchCount"].clone()),
        (json!(true), json!(50))
    );
    let second = text(&page(50).await);
    assert!(
        second.starts_with("# b.ts\n*1|f(0);\n") && second.contains("*50|f(49);") && second.contains(limit)
    );
    let third = page(100).await;
    let shown = text(&third);
    assert!(shown.starts_with("# b.ts\n*51|f(50);") && !shown.contains(limit), "{shown}");
    assert_eq!(
        (details(&third)["limitReached"].clone(), details(&third)["matchCount"].clone()),
        (json!(false), json!(20))
    );
}

/// proves: LOP-111
#[tokio::test]
async fn one_language_does_not_spoil_the_others() {
    let project = Project::new();
    project.file("a.rs", "fn a() -> u8 { 1 }\n");
    project.file("b.py", "def a(): pass\n");
    project.file("broken.rs", "fn b() -> u8 { 2 }\nfn c( {\n");
    let output = grep(&project, "fn $N() -> u8 { $$$ }", &["."]).await;
    let shown = text(&output);
    assert!(shown.contains("# a.rs\n*1|fn a()") && shown.contains("# broken.rs\n*1|fn b()"), "{shown}");
    assert_eq!(shown.matches("- python: ").count(), 1, "{shown}");
    assert_eq!(details(&output)["parseErrors"].as_array().unwrap().len(), 1);
    for at in 0..30 {
        project.file(&format!("deep{at}.js"), format!("f({}{});\n", "[".repeat(2_000), "]".repeat(2_000)));
    }
    let shown = found(&project, "f($$$)", &["."]).await;
    assert_eq!(shown.matches("\n- ").count(), 21, "twenty lines, and that there are more: {shown}");
    assert!(shown.contains("more"), "{shown}");
}

/// proves: LOP-112
#[tokio::test]
async fn which_files_are_looked_at() {
    let project = Project::new();
    for name in ["a.ts", ".hidden.ts", "sub/b.ts", "sub/.dir/c.ts", "ignored/d.ts", "node_modules/m/e.ts"] {
        project.file(name, "f(1);\n");
    }
    project.file(".gitignore", "ignored/\n");
    let files = async |path: &str| details(&grep(&project, "f($A)", &[path]).await)["files"].clone();
    assert_eq!(files(".").await, json!([".hidden.ts", "a.ts", "sub/.dir/c.ts", "sub/b.ts"]));
    assert_eq!(files("*.ts").await, json!([".hidden.ts", "a.ts"]), "one directory");
    assert_eq!(files("**/*.ts").await, json!([".hidden.ts", "a.ts", "sub/.dir/c.ts", "sub/b.ts"]));
    assert_eq!(files("sub/*.ts").await, json!(["sub/b.ts"]));
    assert_eq!(files("node_modules/**/*.ts").await, json!(["node_modules/m/e.ts"]));
    assert_eq!(files("ignored/d.ts").await, json!(["ignored/d.ts"]), "a file that is named");
}

/// proves: LOP-114
#[tokio::test]
async fn facts_of_a_search() {
    let project = Project::new();
    project.file("src/a.ts", "f(1); f(2);\n");
    project.file("src/b.ts", "f(3);\n");
    project.file("src/c.ts", "g(3);\n");
    let facts = details(&grep(&project, "f($A)", &["src"]).await);
    assert_eq!(facts["matchCount"], 3);
    assert_eq!(facts["fileCount"], 2);
    assert_eq!(facts["filesSearched"], 3);
    assert_eq!(facts["limitReached"], false);
    assert_eq!(facts["scopePath"], "src");
    assert_eq!(facts["files"], json!(["src/a.ts", "src/b.ts"]));
    assert_eq!(
        facts["fileMatches"],
        json!([{ "path": "src/a.ts", "count": 2 }, { "path": "src/b.ts", "count": 1 }])
    );
    assert!(facts.get("parseErrors").is_none());
    let nothing = details(&grep(&project, "h(", &["src"]).await);
    assert!(nothing.get("files").is_none() && nothing.get("fileMatches").is_none());
    assert_eq!(nothing["parseErrors"].as_array().unwrap().len(), 1);
}

/// proves: LOP-115
#[tokio::test]
async fn matches_can_be_edited_without_reading() {
    let mut project = Project::new();
    project.settings.edit.enforce_seen_lines = true;
    let session = Session::with(project);
    session.project.file("a.ts", "let x = 1;\nf(1,\n  2);\n");
    let shown = text(&session.call("ast_grep", json!({ "pat": "f($$$)", "paths": ["a.ts"] })).await.unwrap());
    let header = shown.lines().next().unwrap();
    let unseen = session.edit(&format!("{header}\nDEL 1\n")).await.unwrap_err();
    assert!(unseen.contains("was not displayed"), "{unseen}");
    session.edit(&format!("{header}\nSWAP 2.=3:\n+g();\n")).await.unwrap();
    assert_eq!(session.project.content("a.ts"), b"let x = 1;\ng();\n");
}

/// proves: LOP-116
#[tokio::test]
async fn an_abort_ends_the_search() {
    let project = Project::new();
    project.file("a.ts", "f(1);\n");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = invocation(&json!({ "pat": "f($A)", "paths": ["."] }), cancel, Updates::ignored());
    assert_eq!(project.tool("ast_grep").run(call).await.unwrap_err().message, "Operation aborted");
}

/// `local://` with one file; everything else has none.
struct Shelf(PathBuf);

impl Scheme for Shelf {
    fn name(&self) -> &'static str {
        "local"
    }

    fn open<'a>(
        &'a self,
        _url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        async { Ok(Resource::path(self.0.clone(), "text/plain")) }.boxed()
    }

    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        match url.target() {
            "a.ts" => Ok(self.0.clone()),
            _ => Err(format!("'{url}' is not backed by a file.")),
        }
    }
}

/// proves: LOP-113
#[tokio::test]
async fn paths_that_lead_nowhere() {
    let mut project = Project::new();
    let file = project.file("a.ts", "f(1);\n");
    project.resources = Resources::new(vec![Arc::new(Shelf(file))]);
    assert_eq!(
        details(&grep(&project, "f($A)", &["a.ts", "gone.ts", "gone/**/*.ts"]).await)["matchCount"],
        1
    );
    let refused = async |paths: &[&str]| error(&project, json!({ "pat": "f($A)", "paths": paths })).await;
    assert_eq!(refused(&["gone.ts", "gone/*.ts"]).await, "Path not found: gone.ts, gone/*.ts");
    for blank in [&["a.ts", " "][..], &[""]] {
        assert_eq!(refused(blank).await, "`paths` must contain non-empty paths or globs");
    }
    assert!(refused(&[]).await.contains("at least one"));
    for root in ["/", "/**/*.ts", "/tmp/.."] {
        assert_eq!(refused(&[root]).await, "Searching from root directory '/' is not allowed", "{root}");
    }
    assert!(refused(&["local://other"]).await.contains("is not backed by a file"));
    assert!(refused(&["a.ts", "local://*.ts"]).await.starts_with("Glob patterns are not supported"));
    assert_eq!(details(&grep(&project, "f($A)", &["local://a.ts"]).await)["matchCount"], 1, "behind a URL");
}

#[tokio::test]
async fn names_with_brackets_are_names_where_they_exist() {
    let project = Project::new();
    project.file("app/[id]/page.ts", "f(1);\n");
    for path in ["app/[id]/page.ts", "app/[id]", "app/[id]/*.ts"] {
        assert_eq!(details(&grep(&project, "f($A)", &[path]).await)["matchCount"], 1, "{path}");
    }
}

/// A model that finds nothing should know what was not looked at.
#[tokio::test]
async fn what_was_not_looked_at_is_told() {
    let project = Project::new();
    project.file("src/a.ts", "f(1);\n");
    project.file("notes.xyz", "f(1)\n");
    project.file("large.ts", format!("f(1);\n{}", "// words\n".repeat(300_000)));
    let missing = found(&project, "f($A)", &["src", "gone.ts", "away/*.ts"]).await;
    assert!(missing.ends_with("\n\nSkipped missing paths: gone.ts, away/*.ts"), "{missing}");
    let large = found(&project, "f($A)", &["large.ts"]).await;
    assert_eq!(large, "No matches found\n\nParse issues:\n- large.ts: larger than 2 MB; skipped");
    for path in ["notes.xyz", "*.tsx"] {
        let nothing = found(&project, "f($A)", &[path]).await;
        assert!(nothing.starts_with("No matches found\n\n[No files were searched: "), "{path}: {nothing}");
    }
    assert_eq!(
        error(&project, json!({ "pat": "f($A)", "paths": ["notes.xyz/*.ts"] })).await,
        "Path is not a directory: notes.xyz"
    );
}

#[tokio::test]
async fn a_file_with_several_names_is_searched_once() {
    let project = Project::new();
    let file = project.file("src/a.ts", "f(1);\n");
    std::os::unix::fs::symlink(file, project.path().join("link.ts")).unwrap();
    let paths = ["src/a.ts", "src/../src/a.ts", "link.ts", "src"];
    assert_eq!(details(&grep(&project, "f($A)", &paths).await)["matchCount"], 1);
}

/// A pattern that fits every node of a long text shows a page, and says that there is more.
#[tokio::test]
async fn a_pattern_that_fits_everything() {
    let project = Project::new();
    project.file("a.ts", "f([[[[1]]]]);\n".repeat(5_000));
    let output = grep(&project, "$A", &["a.ts"]).await;
    assert_eq!(details(&output)["matchCount"], 50);
    assert_eq!(details(&output)["limitReached"], true);
    let call = json!({ "pat": "f($A)", "paths": ["a.ts"], "skip": 4_990 });
    let last = project.call("ast_grep", call).await.unwrap();
    assert_eq!(details(&last)["matchCount"], 10);
    assert_eq!(details(&last)["limitReached"], false);
}
