//! How the read tool finds what a path means, and what it says about it.

use std::sync::Arc;

use crate::support::session::Session;
use crate::support::{Project, invocation, meta, numbered, text};
use futures_util::future::BoxFuture;
use omp_agent::{ToolError, Updates};
use omp_tools::{InternalUrl, Resource, Resources, Scheme};
use omp_types::ToolOutput;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// What stands outside the working directory keeps its whole path, what is inside is shown relative to it.
// proves: FIL-003
#[tokio::test]
async fn paths_are_shown_relative_to_the_project() {
    let session = Session::new();
    session.project.file("sub/deep/f.txt", "needle\n");
    let outside = session.project.home().join("g.txt");
    std::fs::write(&outside, "needle\n").unwrap();
    let outside = outside.to_str().unwrap();
    let inside = session.read("./sub/deep/f.txt").await;
    assert!(inside.starts_with("[sub/deep/f.txt#"), "{inside}");
    assert!(session.read(outside).await.starts_with(&format!("[{outside}#")));
    let arguments = json!({ "pattern": "needle", "paths": ["sub", outside] });
    let found = session.call("search", arguments).await.unwrap();
    assert_eq!(found.details.unwrap()["files"], json!([outside, "sub/deep/f.txt"]));
    let arguments = json!({ "paths": ["sub/**/*.txt", outside] });
    let found = session.call("find", arguments).await.unwrap().details.unwrap();
    let mut files: Vec<&str> =
        found["files"].as_array().unwrap().iter().filter_map(|file| file.as_str()).collect();
    files.sort_unstable();
    assert_eq!(files, [outside, "sub/deep/f.txt"]);
}

/// A path without its directories is found if it is the only one with that end.
// proves: FIL-028
#[tokio::test]
async fn a_unique_end_of_a_path_is_enough() {
    let project = Project::new();
    let path = project.file("src/a/util.rs", numbered(9));
    project.file("src/b/other.rs", "x\n");
    project.file("node/x/mod.rs", "one\n");
    project.file("node/y/mod.rs", "two\n");
    project.file(".gitignore", "target/\n");
    project.file("target/debug/util.rs", "built\n");

    let output = project.read_output("util.rs:raw:2-3").await;
    let first = "[Path 'util.rs' not found; resolved to 'src/a/util.rs' via suffix match]";
    assert!(text(&output).starts_with(&format!("{first}\nline 2\nline 3\n")), "{}", text(&output));
    let details = output.details.as_ref().unwrap();
    assert_eq!(details["suffixResolution"], json!({ "from": "util.rs", "to": "src/a/util.rs" }));
    assert_eq!(meta(&output)["source"]["value"], path.to_str().unwrap());
    for typed in ["a/util.rs", "/elsewhere/../a/util.rs", "src/util.rs/../../a/util.rs"] {
        let read = project.call("read", json!({ "path": typed })).await;
        assert_eq!(read.is_ok(), typed == "a/util.rs", "{typed}");
    }
    assert!(project.read("x/mod.rs").await.ends_with("\none"));
    let directory = project.read("b").await;
    assert!(directory.starts_with("[Path 'b' not found; resolved to 'src/b' via suffix match]\nother.rs"));
    let whole = project.read_output("src/a/util.rs").await;
    assert!(whole.details.unwrap().get("suffixResolution").is_none());
}

fn tar(name: &str, content: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, name, content.as_bytes()).unwrap();
    builder.into_inner().unwrap()
}

/// Archives and databases are found by the end of their path as files are. Remote mounts: a test beside the code.
// proves: FIL-027
#[tokio::test]
async fn containers_are_found_by_their_end_too() {
    let project = Project::new();
    project.file("src/a/util.txt", "plain\n");
    project.file("data/a.tar", tar("in/f.txt", "member\n"));
    project.file("data/app.db", "");
    let connection = rusqlite::Connection::open(project.path().join("data/app.db")).unwrap();
    connection.execute_batch("CREATE TABLE users (name TEXT)").unwrap();
    for (typed, found, shown) in [
        ("util.txt", "src/a/util.txt", "plain"),
        ("a.tar:in/f.txt", "data/a.tar", "member"),
        ("a.tar", "data/a.tar", "in/"),
        ("app.db:users", "data/app.db", "CREATE TABLE users"),
        ("app.db", "data/app.db", "users"),
    ] {
        let output = project.read_output(typed).await;
        assert!(text(&output).contains(shown), "{typed}: {}", text(&output));
        assert_eq!(output.details.unwrap()["suffixResolution"]["to"], found, "{typed}");
    }
}

/// What is no selector belongs to the path: a name with colons, or a place inside a file.
// proves: FIL-023
#[tokio::test]
async fn other_words_after_a_colon_belong_to_the_path() {
    let project = Project::new();
    project.file("a:b.txt", "colon\n");
    project.file("x.tar", tar("dir/f", "one\ntwo\n"));
    project.file("app.db", "");
    let connection = rusqlite::Connection::open(project.path().join("app.db")).unwrap();
    connection.execute_batch("CREATE TABLE raws (name TEXT); INSERT INTO raws VALUES ('Ada')").unwrap();
    assert_eq!(project.read("a:b.txt").await, "colon");
    assert_eq!(project.read("x.tar:dir/f:raw:2-2").await.trim_end(), "two");
    assert!(project.read("app.db:raws:1").await.contains("Ada"));
}

/// The source of a result is the path or URL behind it; that of web addresses is tested with them.
// proves: FIL-006
#[tokio::test]
async fn results_say_where_they_come_from() {
    let mut project = Project::new();
    project.resources = Resources::new(vec![Arc::new(Fixed)]);
    let path = project.file("sub/f.txt", "x\n");
    let source = async |typed: &str| meta(&project.read_output(typed).await)["source"].clone();
    let expected = |path: &std::path::Path| json!({ "type": "path", "value": path.to_str().unwrap() });
    assert_eq!(source("sub/f.txt").await, expected(&path));
    assert_eq!(source("sub").await, expected(path.parent().unwrap()));
    assert_eq!(source("artifact://3:1-2").await, json!({ "type": "internal", "value": "artifact://3" }));
    assert_eq!(source("Artifact://text").await, json!({ "type": "internal", "value": "Artifact://text" }));
}

/// Says what it was asked for.
struct Echo;

impl Scheme for Echo {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        Box::pin(std::future::ready(Ok(Resource::text(format!("{url}\nnext\n"), "text/plain"))))
    }
}

/// Nothing is cut off the URLs of other programs, however much it looks like a selector. Encoded names of our own are
/// tested with the program.
// proves: CLI-237
#[tokio::test]
async fn urls_of_other_programs_are_opaque() {
    let mut project = Project::new();
    project.resources = Resources::new(vec![Arc::new(Echo)]);
    for url in ["mcp://file:///a%3Ab?x=1#y:2-3", "mcp://host:80/x:raw", "MCP://a:1"] {
        assert_eq!(project.read(url).await, format!("{url}\nnext"));
    }
}

/// A resource that is no file.
struct Fixed;

impl Scheme for Fixed {
    fn name(&self) -> &'static str {
        "artifact"
    }

    fn open<'a>(
        &'a self,
        _url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        Box::pin(std::future::ready(Ok(Resource::text("one\ntwo\n", "text/plain"))))
    }
}

/// Neither several nor none is a match.
// proves: FIL-029
#[tokio::test]
async fn an_end_that_is_not_unique_is_not_found() {
    let project = Project::new();
    project.file("a/util.rs", "x");
    project.file("b/util.rs", "x");
    let several = project.read_error("util.rs").await;
    assert_eq!(
        several,
        "Path 'util.rs' not found. Several paths end with it, for example a/util.rs and b/util.rs. Give a \
         longer path."
    );
    assert!(project.read_error("nothing.rs").await.starts_with("Path 'nothing.rs' not found."));
    // A part of a name is no end of a path.
    assert!(project.read_error("il.rs").await.starts_with("Path 'il.rs' not found."));
}

/// Names that macOS spells in its own way are found in the common spelling.
// proves: FIL-030
#[tokio::test]
async fn other_spellings_of_a_name_are_tried() {
    let project = Project::new();
    for (name, typed) in [
        ("Screenshot 2024-01-02 at 3.04.05\u{202f}PM.txt", "Screenshot 2024-01-02 at 3.04.05 PM.txt"),
        ("Re\u{301}sume\u{301}.txt", "R\u{e9}sum\u{e9}.txt"),
        ("It\u{2019}s.txt", "It's.txt"),
        ("L\u{2019}e\u{301}te\u{301}.txt", "L'\u{e9}t\u{e9}.txt"),
    ] {
        project.file(name, format!("{name}\nsecond\n"));
        assert_eq!(project.read(&format!("{typed}:raw")).await, format!("{name}\nsecond\n"));
    }
    project.file("exact's.txt", "exact");
    project.file("exact\u{2019}s.txt", "other");
    assert_eq!(project.read("exact's.txt").await, "exact");
}

/// Results carry the lines as a person reads them, with the number of the first.
// proves: FIL-045
#[tokio::test]
async fn details_hold_the_text_without_prefixes() {
    let session = Session::new();
    session.project.file("f", numbered(30).replace("line 9\n", "line 9\r\n"));
    let content = |output: ToolOutput| output.details.unwrap()["displayContent"].clone();
    let read = async |path: &str| content(session.call("read", json!({ "path": path })).await.unwrap());
    assert_eq!(
        read("f:9-9").await,
        json!({ "text": "line 8\nline 9\nline 10\nline 11\nline 12", "startLine": 8 })
    );
    assert_eq!(read("f:raw:9-9").await, json!({ "text": "line 9", "startLine": 9 }));
    let several = json!({ "text": "line 1\nline 2\nline 3\nline 4\n…\nline 19\nline 20\nline 21\nline 22\nline 23", "startLine": 1 });
    assert_eq!(read("f:1-1,20-20").await, several);
    assert!(session.read("f:9-9").await.contains("\n9:line 9\n"), "the model still gets anchors");
}

/// Every read looks at the disk; what was read before serves edits that come late.
// proves: FIL-044
#[tokio::test]
async fn what_was_read_is_remembered_for_edits_only() {
    let session = Session::new();
    session.project.file("f", "one\ntwo\nthree\nfour\nfive\n");
    let old = session.header("f").await;
    session.project.file("f", "zero\none\ntwo\nthree\nfour\nfive\n");
    let again = session.read("f").await;
    assert!(again.contains("1:zero") && !again.starts_with(&old), "{again}");
    // Line 5 of the text that was shown is line 6 now.
    session.edit(&format!("{old}\nSWAP 5.=5:\n+FIVE")).await.unwrap();
    assert_eq!(session.project.content("f"), b"zero\none\ntwo\nthree\nfour\nFIVE\n");
}

/// Never answers.
struct Stuck;

impl Scheme for Stuck {
    fn name(&self) -> &'static str {
        "issue"
    }

    fn open<'a>(
        &'a self,
        _url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        Box::pin(std::future::pending())
    }
}

async fn aborted(project: &Project, path: &str) -> Result<ToolOutput, ToolError> {
    let cancel = CancellationToken::new();
    cancel.cancel();
    project.tool("read").run(invocation(&json!({ "path": path }), cancel, Updates::ignored())).await
}

/// A file or a listing is there in a moment and is given even if somebody has lost patience. Everything else stops; a
/// page that hangs is tested with the web.
// proves: FIL-031
#[tokio::test]
async fn quick_reads_outlive_an_abort() {
    let mut project = Project::new();
    project.resources = Resources::new(vec![Arc::new(Stuck)]);
    project.file("sub/f", numbered(50));
    let mut png = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(2, 2).write_to(&mut png, image::ImageFormat::Png).unwrap();
    project.file("p.png", png.into_inner());
    for quick in ["sub/f", "sub/f:5-6", "sub/f:raw:7", "sub", "."] {
        assert!(aborted(&project, quick).await.is_ok(), "{quick}");
    }
    project.file("a.tar", tar("in/f.txt", "member\n"));
    project.file("app.db", "SQLite format 3\0");
    project.file("d.rtf", "{\\rtf1 text}");
    project.file("code.rs", "fn one() {\n    call();\n}\n".repeat(100));
    project.file("c.txt", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n");
    let slow = ["issue://5", "p.png", "f", "a.tar:in/f.txt", "app.db", "d.rtf", "code.rs", "c.txt:conflicts"];
    for slow in slow {
        assert_eq!(aborted(&project, slow).await.unwrap_err().message, "Operation aborted", "{slow}");
    }
    let (cancel, tool) = (CancellationToken::new(), project.tool("read"));
    let waiting = tool.run(invocation(&json!({ "path": "issue://5" }), cancel.clone(), Updates::ignored()));
    let (answer, ()) = tokio::join!(waiting, async { cancel.cancel() });
    assert_eq!(answer.unwrap_err().message, "Operation aborted");
}

/// Where almost everything matches, a part of it is enough.
#[tokio::test]
async fn a_search_for_everything_ends() {
    let project = Project::new();
    let path = project.path();
    (0..50_300).for_each(|number| drop(std::fs::File::create(path.join(format!("f{number}"))).unwrap()));
    let found = project.call("find", json!({ "paths": ["*"], "timeout": 60 })).await.unwrap();
    assert!(text(&found).contains("find stopped after 50000 matches; returning 200 partial matches"));
    assert_eq!(found.details.unwrap()["truncated"], true);
}

/// A link that leads nowhere is there, so its own name is no help.
#[tokio::test]
async fn links_that_lead_nowhere_are_named() {
    let project = Project::new();
    project.file("real/f.txt", "x\n");
    let link =
        |target: &str, name: &str| std::os::unix::fs::symlink(target, project.path().join(name)).unwrap();
    link("gone/f.txt", "dangling");
    link("gone", "folder");
    link("circle", "circle");
    let nowhere = "is a symbolic link to 'gone/f.txt', which does not exist.";
    assert_eq!(project.read_error("dangling").await, format!("dangling {nowhere}"));
    assert_eq!(project.read_error("dangling:5-6").await, format!("dangling {nowhere}"));
    assert_eq!(
        project.read_error("folder/g.txt").await,
        "Path 'folder/g.txt' not found. folder is a symbolic link to 'gone', which does not exist."
    );
    let circle = project.read_error("circle").await;
    assert!(circle.contains("symbolic link") && !circle.contains("Did you mean"), "{circle}");
    link("real", "good");
    assert!(project.read_error("good/g.txt").await.contains("Did you mean good/f.txt?"));
}

/// What is true of files is true of what is inside files, and of lists of conflicts.
#[tokio::test]
async fn other_spellings_lead_into_files_too() {
    let project = Project::new();
    project.file("It\u{2019}s.tar", tar("f.txt", "member\n"));
    assert_eq!(project.read("It's.tar:f.txt").await, "member");
    let path = project.file("Re\u{301}sume\u{301}.db", "");
    rusqlite::Connection::open(path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    assert!(project.read("R\u{e9}sum\u{e9}.db:t").await.starts_with("CREATE TABLE t"));
    project.file("sub/It\u{2019}s.txt", "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n");
    assert!(project.read("sub/It's.txt:conflicts").await.starts_with("1 unresolved merge conflict in"));
    project.file("deep/er/only.txt", "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n");
    let output = project.read_output("only.txt:conflicts").await;
    assert!(
        text(&output).starts_with(
            "[Path 'only.txt' not found; resolved to 'deep/er/only.txt' via suffix match]\n1 unresolved"
        ),
        "{}",
        text(&output)
    );
    assert_eq!(output.details.unwrap()["suffixResolution"]["to"], "deep/er/only.txt");
}
