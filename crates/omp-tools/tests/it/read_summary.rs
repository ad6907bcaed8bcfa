//! Long programs are shown as an outline.

use crate::support::session::Session;
use crate::support::{Project, text};
use serde_json::json;

/// A program of functions with bodies of six lines: eight lines each.
fn program(functions: usize) -> String {
    let body: String = (1..=6).map(|line| format!("    call({line});\n")).collect();
    (0..functions).map(|at| format!("fn f{at}(x: u8) {{\n{body}}}\n")).collect()
}

/// proves: FIL-036
#[tokio::test]
async fn declarations_are_shown_and_bodies_are_not() {
    let mut project = Project::new();
    project.file("a.rs", program(50));
    let shown = project.read("a.rs").await;
    assert!(shown.starts_with("fn f0(x: u8) { .. }\nfn f1(x: u8) { .. }\n"), "{shown}");
    assert!(shown.contains("fn f49(x: u8)") && !shown.contains("call("), "{shown}");

    let body: String = (1..=6).map(|line| format!("    call({line})\n")).collect();
    let python: String = (0..50).map(|at| format!("def f{at}(x):\n{body}")).collect();
    project.file("a.py", python);
    assert!(project.read("a.py").await.starts_with("def f0(x):\n…\ndef f1(x):\n…\n"));

    project.settings.read.summarize = false;
    let shown = project.read("a.rs").await;
    assert!(shown.starts_with("fn f0(x: u8) {\n    call(1);\n"), "{shown}");
}

/// Numbers are those of the file, and lines that were left out were not seen.
#[tokio::test]
async fn the_lines_of_an_outline_can_be_edited() {
    let mut project = Project::new();
    project.settings.edit.enforce_seen_lines = true;
    let session = Session::with(project);
    session.project.file("a.rs", program(50));
    let shown = session.read("a.rs").await;
    let header = shown.lines().next().unwrap();
    assert!(header.starts_with("[a.rs#"), "{shown}");
    assert!(shown.contains("\n9-16:fn f1(x: u8) { .. }\n"), "{shown}");
    let unseen = session.edit(&format!("{header}\nSWAP 10:\n+    gone();\n")).await.unwrap_err();
    assert!(unseen.contains("was not displayed"), "{unseen}");
    session.edit(&format!("{header}\nSWAP 9:\n+fn renamed(x: u8) {{\n")).await.unwrap();
    let content = String::from_utf8(session.project.content("a.rs")).unwrap();
    assert!(content.contains("}\nfn renamed(x: u8) {\n    call(1);\n"), "{content}");
}

/// proves: FIL-037
#[tokio::test]
async fn thresholds() {
    let project = Project::new();
    let elides = async |name: &str, content: &str| {
        project.file(name, content);
        project.read_output(name).await.details.unwrap().get("summary").is_some()
    };
    let lines = |count: usize| "let x;\n".repeat(count);
    // 12 functions are 96 lines.
    assert!(!elides("a.js", &(program(12).replace("fn", "function").replace(": u8", "") + &lines(3))).await);
    assert!(elides("a.js", &(program(12).replace("fn", "function").replace(": u8", "") + &lines(4))).await);
    let long = format!("fn f() {{\n{}}}\n", "    a();\n".repeat(198)).repeat(100);
    assert!(elides("a.rs", &long).await, "20,000 lines");
    assert!(!elides("a.rs", &(long + "use a;\n")).await, "20,001 lines");
    let padded = |bytes: usize| {
        let program = program(50);
        let padding = "x".repeat(bytes - program.len() - 3);
        format!("{program}//{padding}\n")
    };
    assert!(elides("a.rs", &padded(40 * 1024)).await);
    assert!(!elides("a.rs", &padded(2 * 1024 * 1024 + 1)).await, "more than 2 MiB");
    let bodies = |count: usize| {
        let body = "  call();\n".repeat(count);
        (0..60).map(|at| format!("function f{at}() {{\n{body}}}\n")).collect::<String>()
    };
    assert!(!elides("a.js", &bodies(3)).await);
    assert!(elides("a.js", &bodies(4)).await);
    let comment = |count: usize| format!("{}{}", "// words\n".repeat(count), lines(120));
    assert!(!elides("a.js", &comment(5)).await);
    assert!(elides("a.js", &comment(6)).await);
}

/// proves: FIL-037
#[tokio::test]
async fn little_to_see_is_made_more() {
    let project = Project::new();
    let function = |lines: usize| format!("function f() {{\n{}}}\n", "  call();\n".repeat(lines));
    let visible = async |content: &str| {
        project.file("a.js", content);
        let details = project.read_output("a.js").await.details.unwrap();
        details["summary"]["lines"].as_u64().unwrap_or(content.lines().count() as u64)
    };
    // Bodies are opened in their order while fewer than 50 lines are visible, unless that makes more than 100.
    let small = function(20);
    assert_eq!(visible(&format!("{small}{small}{}", function(300))).await, 22 + 22 + 2);
    assert_eq!(visible(&format!("{small}{small}{small}{}", function(60))).await, 22 + 22 + 2 + 2 + 20);
    assert_eq!(visible(&format!("{}{}", function(95), function(40))).await, 97 + 2, "up to a hundred");
    assert_eq!(visible(&format!("{}{}", function(97), function(300))).await, 2 + 2, "but not more");
    assert_eq!(visible(&small.repeat(25)).await, 50, "enough to see at once");
}

/// proves: FIL-038
#[tokio::test]
async fn the_footer_says_how_to_see_the_rest() {
    let session = Session::new();
    session.project.file("src/a.rs", program(50));
    let output = session.call("read", json!({ "path": "src/a.rs" })).await.unwrap();
    let summary = &output.details.as_ref().unwrap()["summary"];
    assert_eq!(*summary, json!({ "lines": 100, "elidedSpans": 50, "elidedLines": 300 }));
    let shown = text(&output);
    let footer = shown.lines().last().unwrap();
    assert!(footer.starts_with("[300 lines elided;"), "{footer}");
    let selector = footer.trim_end_matches(']').rsplit(' ').next().unwrap();
    assert_eq!(selector, "src/a.rs:2-7,10-15,18-23,26-31");
    let rest = session.read(selector).await;
    assert!(rest.contains("\n2:    call(1);\n") && rest.contains("\n31:    call(6);"), "{rest}");
    let short = session.project.read_output("src/a.rs:1-3").await;
    assert!(short.details.unwrap().get("summary").is_none());
}

/// proves: FIL-039
#[tokio::test]
async fn prose_is_summarised_only_when_asked_for() {
    let mut project = Project::new();
    let markdown: String =
        (0..30).map(|at| format!("## Part {at}\n\nFirst.\n{}\n", "more\n".repeat(6))).collect();
    let plain: String = (0..30).map(|at| format!("Paragraph {at}\n{}\n", "more\n".repeat(6))).collect();
    project.file("a.md", markdown);
    project.file("a.txt", plain);
    for name in ["a.md", "a.txt"] {
        let shown = project.read(name).await;
        assert!(shown.contains("more") && !shown.contains("elided"), "{shown}");
    }
    project.settings.read.summarize_prose = true;
    let shown = project.read("a.md").await;
    assert!(shown.starts_with("## Part 0\n\nFirst.\n…\n\n## Part 1\n") && !shown.contains("more"), "{shown}");
    let shown = project.read("a.txt").await;
    assert!(shown.starts_with("Paragraph 0\n…\n\nParagraph 1\n…\n"), "{shown}");
    project.settings.read.summarize = false;
    assert!(project.read("a.md").await.contains("more"), "without summaries there are none of prose either");
}

/// proves: FIL-040
#[tokio::test]
async fn a_selector_shows_the_text_itself() {
    let project = Project::new();
    project.file("big.rs", program(50));
    for selector in ["1-", "1", "raw", "1-400", "5-8,20-24"] {
        let shown = project.read(&format!("big.rs:{selector}")).await;
        assert!(shown.contains("call(") && !shown.contains("elided"), "{selector}: {shown}");
    }
}

#[tokio::test]
async fn other_files_are_shown_as_they_are() {
    let project = Project::new();
    let json = format!("{{\n  \"a\": [\n{}    1\n  ]\n}}\n", "    1,\n".repeat(200));
    project.file("a.json", &json);
    assert!(project.read("a.json").await.contains("    1,\n    1,\n"));
    let conflict =
        format!("<<<<<<< ours\nfn a() {{}}\n=======\nfn b() {{}}\n>>>>>>> theirs\n{}", program(50));
    project.file("a.rs", conflict);
    assert!(project.read("a.rs").await.contains("call("), "conflicts are for reading");
    let broken = format!("fn broken() {{\n    let = ;\n    a();\n    b();\n    c();\n}}\n{}", program(50));
    project.file("b.rs", broken);
    let shown = project.read("b.rs").await;
    assert!(
        shown.contains("    let = ;\n    a();\n") && !shown.contains("call("),
        "what has an error is shown: {shown}"
    );
}
