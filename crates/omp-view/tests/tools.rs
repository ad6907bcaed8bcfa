//! Tool calls on the screen, as the rows of the contracts want them.

use std::sync::Arc;
use std::time::Duration;

use omp_theme::Theme;
use omp_tui::text::Line;
use omp_types::{ToolOutput, ToolResultMessage, UserBlock};
use omp_view::Look;
use omp_view::bang::{BangState, BangView};
use omp_view::tool::{Block, Blocks, Call, Expansion, Phase, Place, Renderer, ToolView};
use serde_json::{Map, Value, json};

fn look(width: usize) -> Look {
    Look::new(Theme::built_in("dark").unwrap(), width)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

fn texts(rows: &[Line]) -> Vec<String> {
    rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn ended(name: &str, arguments: Value, text: &str, details: Value, phase: Phase) -> ToolView {
    let mut view = ToolView::new(Call::new(name).with_arguments(object(arguments)));
    view.finish(ToolOutput::text(text).with_details(details), phase, Duration::ZERO);
    view
}

fn shown(view: &mut ToolView, expansion: Expansion) -> Vec<String> {
    texts(&view.rows(&look(100), expansion, Duration::ZERO))
}

/// proves: SHL-058
#[test]
fn a_command_shows_its_end_and_expands_to_its_whole_result() {
    let lines: Vec<String> = (1..=30).map(|number| format!("row {number}")).collect();
    let text = format!(
        "{}\n\n[Showing the last 30 of 400 lines (9 of 99 bytes). Full output: artifact://12]\n\nWall time: \
         1.00 seconds",
        lines.join("\n")
    );
    let truncation = json!({ "direction": "tail", "truncatedBy": "bytes", "totalLines": 400, "outputLines": 30, "artifactId": "12" });
    let details = json!({ "exitCode": 0, "wallTimeMs": 1000, "timeoutSeconds": 45.0, "meta": { "truncation": truncation } });
    let mut view = ended("bash", json!({ "command": "seq", "timeout": 45 }), &text, details, Phase::Done);

    let collapsed = shown(&mut view, Expansion::Collapsed);
    assert_eq!(collapsed[1], "  … 22 earlier lines (Ctrl+O to expand)");
    assert_eq!(collapsed[2..10], (23..=30).map(|number| format!("  row {number}")).collect::<Vec<_>>());
    assert_eq!(collapsed[10], "  ▲ Truncated by bytes: 30 of 400 lines shown · artifact://12");
    assert_eq!(collapsed[11], "  timeout 45s");
    assert_eq!(collapsed.len(), 12);

    let expanded = shown(&mut view, Expansion::Expanded);
    for line in text.lines() {
        assert!(expanded.contains(&format!("  {line}").trim_end().to_owned()), "{line:?} is missing");
    }
    assert_eq!(expanded[expanded.len() - 2..], collapsed[10..]);
    // Rows count as they are seen, not lines.
    let wide = format!("{}\nend", "x".repeat(2_000));
    let mut view = ended("bash", json!({ "command": "x" }), &wide, json!({ "exitCode": 0 }), Phase::Done);
    assert!(view.rows(&look(40), Expansion::Collapsed, Duration::ZERO).len() <= 10);
}

/// proves: SHL-059
#[test]
fn a_users_command_streams_and_shows_how_it_ended() {
    let look = look(80);
    let mut view = BangView::new("seq 1000");
    view.push("1\n2\n");
    assert_eq!(texts(&view.rows(&look, Expansion::Collapsed)), ["! seq 1000", "  1", "  2", "  ◐ running"]);
    (3..=1_000).for_each(|number| view.push(&format!("{number}\n")));
    let rows = texts(&view.rows(&look, Expansion::Collapsed));
    assert_eq!(rows[1], "  … 980 earlier lines (Ctrl+O to expand)");
    assert_eq!(rows[2..22], (981..=1_000).map(|number| format!("  {number}")).collect::<Vec<_>>());
    let mut endings = Vec::new();
    for state in [
        BangState::Cancelled,
        BangState::Failed("no shell".into()),
        BangState::Exited(3),
        BangState::Exited(0),
    ] {
        view.finish(state, None);
        let rows = texts(&view.rows(&look, Expansion::Collapsed));
        endings.push(rows.last().unwrap().trim().to_owned());
    }
    assert_eq!(endings, ["■ cancelled", "✗ error: no shell", "✗ exit 3", "1000"]);
    assert_eq!(view.rows(&look, Expansion::Expanded).len(), 1_001);

    // The command's own word about its end is not said twice.
    for (word, shown) in
        [("cancelled", "■ cancelled"), ("timed out after 2 seconds", "■ timed out after 2 seconds")]
    {
        let mut stopped = BangView::new("sleep 9");
        stopped.push(&format!("begun\n[Command {word}]"));
        stopped.finish(BangState::Cancelled, None);
        let rows = texts(&stopped.rows(&look, Expansion::Collapsed));
        assert_eq!(rows, ["! sleep 9", "  begun", &format!("  {shown}")]);
    }

    view.replace("only\nthis\n");
    assert_eq!(texts(&view.rows(&look, Expansion::Collapsed)), ["! seq 1000", "  only", "  this"]);

    let mut long = BangView::new("cat");
    long.push(&"x".repeat(9_000));
    long.finish(BangState::Exited(0), Some("Truncated; the rest is artifact://3".into()));
    let rows = texts(&long.rows(&look, Expansion::Expanded));
    let cells: usize = rows.iter().filter(|row| row.contains("xx")).map(|row| row.trim().len()).sum();
    assert_eq!(cells, 4_000);
    assert!(rows.last().unwrap().contains("artifact://3"));
}

fn list(tasks: usize) -> Value {
    let task = |number: usize| match number {
        2 => json!({ "content": "task 2", "status": "in_progress", "notes": ["first", "second"] }),
        3 => json!({ "content": "task 3", "status": "pending", "notes": ["hidden"] }),
        number => {
            json!({ "content": format!("task {number}"), "status": if number < 2 { "completed" } else { "pending" } })
        }
    };
    json!({ "phases": [{ "name": "Work", "tasks": (1..=tasks).map(task).collect::<Vec<_>>() }] })
}

/// proves: TSN-025
#[test]
fn a_list_is_one_block_of_at_most_eight_tasks() {
    let arguments = json!({ "ops": [{ "op": "done", "task": "task 1" }] });
    let mut view = ToolView::new(Call::new("todo").with_arguments(object(arguments)));
    let call = shown(&mut view, Expansion::Collapsed);
    assert_eq!(call, ["○ todo done task 1"]);
    view.finish(ToolOutput::text("").with_details(list(12)), Phase::Done, Duration::ZERO);
    let rows = shown(&mut view, Expansion::Collapsed);
    assert_eq!(
        rows,
        [
            "✓ todo task 2 · 1/12 done",
            "  ├─ ■ task 1",
            "  ├─ ◐ task 2²",
            "  │    ▎ first",
            "  │    ▎ second",
            "  ├─ □ task 3¹",
            "  ├─ □ task 4",
            "  ├─ □ task 5",
            "  ├─ □ task 6",
            "  ├─ □ task 7",
            "  └─ □ task 8",
            "  … 4 more tasks (Ctrl+O to expand)",
        ]
    );
    let expanded = shown(&mut view, Expansion::Expanded);
    assert_eq!(expanded.iter().filter(|row| row.contains("task ") && row.contains('─')).count(), 12);
    assert!(!expanded.iter().any(|row| row.contains("hidden")));
}

/// proves: TSN-051
#[test]
fn a_decision_shows_label_action_and_reason() {
    for action in ["apply", "discard"] {
        let details = json!({ "action": action, "reason": "Looks right.", "label": "3 replacements in 2 files", "sourceToolName": "ast_edit" });
        let arguments = json!({ "action": action, "reason": "Looks right." });
        let mut view = ended("resolve", arguments, "Applied.", details, Phase::Done);
        let rows = shown(&mut view, Expansion::Collapsed);
        assert_eq!(rows[0], format!("✓ resolve {action}: 3 replacements in 2 files · ast_edit"));
        assert_eq!(rows[1], "  Reason: Looks right.");
    }
}

/// proves: TSN-103
#[test]
fn found_tools_are_cut_and_at_most_five() {
    let tool = |number: usize| json!({ "name": format!("t{number}"), "label": "L".repeat(100), "description": "d".repeat(120), "score": 1.234_567 });
    let details = json!({ "total_tools": 60, "tools": (0..7).map(tool).collect::<Vec<_>>() });
    let mut view = ended("search_tool_bm25", json!({ "query": "x" }), "{}", details, Phase::Done);
    let rows = texts(&view.rows(&look(140), Expansion::Collapsed, Duration::ZERO));
    assert_eq!(rows[1], format!("  {}… · 1.235", "L".repeat(72)));
    assert_eq!(rows[2], format!("    {}…", "d".repeat(96)));
    assert_eq!(rows.len(), 1 + 5 * 2 + 1);
    assert_eq!(rows[11], "  … 2 more matches (Ctrl+O to expand)");
    let expanded = texts(&view.rows(&look(140), Expansion::Expanded, Duration::ZERO));
    assert_eq!(expanded.len(), 1 + 7 * 2);
}

#[test]
fn reads_that_follow_each_other_are_one_block() {
    let read = |path: &str| ended("read", json!({ "path": path }), "a\nb\n", json!({}), Phase::Done);
    let mut blocks = Blocks::default();
    for number in 1..=5 {
        let place = blocks.add(read(&format!("f{number}.rs")));
        assert_eq!(place, Place { block: 0, index: number - 1 });
        assert_eq!(blocks.view_mut(place).unwrap().call().name, "read");
    }
    assert_eq!(blocks.add(ended("bash", json!({ "command": "ls" }), "x", json!({}), Phase::Done)).block, 1);
    assert_eq!(blocks.add(read("f6.rs")).block, 2);
    blocks.interrupt();
    assert_eq!(blocks.add(read("f7.rs")).block, 3);
    let block = blocks.block_mut(0).unwrap();
    assert!(matches!(block, Block::Reads(reads) if reads.len() == 5));
    let rows = texts(&block.rows(&look(60), Expansion::Collapsed, Duration::ZERO));
    assert_eq!(rows[0], "✓ read 5 files");
    assert_eq!(rows[1], "  ├─ f1.rs · 2 lines");
    assert_eq!((rows.len(), rows[5].as_str()), (6, "  └─ f5.rs · 2 lines"));
}

#[test]
fn a_call_that_did_not_change_is_not_drawn_again() {
    let mut view = ended("bash", json!({ "command": "ls" }), &"row\n".repeat(10_000), json!({}), Phase::Done);
    let look = look(80);
    for _ in 0..100 {
        view.rows(&look, Expansion::Collapsed, Duration::ZERO);
    }
    assert_eq!(view.bodies_drawn(), 1);
    view.rows(&look, Expansion::Expanded, Duration::ZERO);
    assert_eq!(view.bodies_drawn(), 2);
    let mut running = ToolView::new(Call::new("bash").with_arguments(object(json!({ "command": "ls" }))));
    running.start(Duration::ZERO);
    let frames: Vec<String> = (0..20)
        .map(|tick| running.rows(&look, Expansion::Collapsed, Duration::from_millis(80 * tick))[0].text())
        .collect();
    assert!(frames.windows(2).any(|pair| pair[0] != pair[1]) && running.is_animated());
    assert_eq!(running.bodies_drawn(), 1);
}

#[test]
fn arguments_that_arrive_are_shown_as_far_as_they_are() {
    let mut view = ToolView::new(Call::new("write"));
    assert_eq!(shown(&mut view, Expansion::Collapsed), ["○ write"]);
    view.arguments_so_far(object(json!({ "path": "a.rs", "content": "fn a() {}\nfn b" })));
    assert_eq!(
        shown(&mut view, Expansion::Collapsed),
        ["○ write a.rs · 2 lines", "   1  fn a() {}", "   2  fn b"]
    );
    let long: String = (1..=5_000).map(|number| format!("line {number}\n")).collect();
    view.arguments_so_far(object(json!({ "path": "a.rs", "content": long })));
    let rows = shown(&mut view, Expansion::Collapsed);
    assert_eq!((rows.len(), rows[8].as_str()), (9, "  5000  line 5000"));
    view.arguments_complete(object(json!({ "path": "a.rs", "content": "x" })), None);
    assert_eq!(view.call().phase, Phase::Ready);
}

#[test]
fn results_from_a_file_say_what_became_of_the_call() {
    let result = |text: &str, is_error: bool| ToolResultMessage {
        tool_call_id: "1".into(),
        tool_name: "bash".into(),
        content: vec![UserBlock::text(text)],
        details: None,
        is_error,
        timestamp: 0,
    };
    let phase = |text: &str, is_error: bool| Call::new("bash").with_result(&result(text, is_error)).phase;
    assert_eq!(phase("ok", false), Phase::Done);
    assert_eq!(phase("boom", true), Phase::Failed);
    assert_eq!(phase("Tool execution was aborted.", true), Phase::Aborted);
    assert_eq!(
        phase("Tool \"bash\" was not approved by the user, so the call did not run.", true),
        Phase::Denied
    );
}

struct Bad(&'static str);

impl Renderer for Bad {
    fn render(&self, _: &Call, _: &Look, _: Expansion) -> Result<Vec<Line>, String> {
        match self.0 {
            "panic" => panic!("broken"),
            "fine" => Ok(vec![Line::plain("my own row")]),
            reason => Err(reason.to_owned()),
        }
    }
}

#[test]
fn a_view_that_fails_gives_way_to_text() {
    for (kind, complaint) in
        [("panic", Some("it panicked")), ("out of ideas", Some("out of ideas")), ("fine", None)]
    {
        let mut view = ended("custom", json!({}), "the result", json!({}), Phase::Done)
            .with_renderer(Arc::new(Bad(kind)));
        let rows = shown(&mut view, Expansion::Collapsed);
        let expected = if complaint.is_some() { "  the result" } else { "  my own row" };
        assert_eq!(rows[1], expected);
        let said = view.take_complaint();
        assert_eq!(said.is_some(), complaint.is_some());
        assert!(said.unwrap_or_default().contains(complaint.unwrap_or_default()));
    }
}

#[test]
fn nothing_a_tool_says_is_obeyed() {
    let evil = "a\x1b[2J\x1b]0;title\x07b\x1b[31mred\r\nnext\u{9b}2J";
    for name in [
        "bash", "read", "write", "edit", "find", "search", "todo", "ask", "job", "custom", "resolve",
        "ast_edit",
    ] {
        let arguments = json!({ "path": evil, "command": evil, "pattern": evil, "content": evil, "input": evil, "x": evil, "reason": evil });
        let details = json!({ "diff": format!("--- a/{evil}\n+++ b/x\n@@ -1 +1 @@\n-{evil}\n+x\n"), "files": [evil], "displayContent": evil });
        for phase in [Phase::Done, Phase::Failed] {
            let mut view = ended(name, arguments.clone(), evil, details.clone(), phase);
            for row in view.rows(&look(60), Expansion::Expanded, Duration::ZERO) {
                assert!(!row.text().chars().any(char::is_control), "{name}: {:?}", row.text());
            }
        }
    }
}

/// Whoever stops a command wants to see how far it came.
#[test]
fn a_stopped_command_shows_what_it_said() {
    let stopped = ToolOutput::text("Tool execution was aborted.");
    let mut view = ToolView::new(Call::new("bash").with_arguments(object(json!({"command": "make"}))));
    view.start(Duration::ZERO);
    view.update(ToolOutput::text("compiling one\ncompiling two\n"));
    view.finish(stopped.clone(), Phase::Aborted, Duration::ZERO);
    let rows = shown(&mut view, Expansion::Collapsed);
    assert!(rows[0].contains("bash make") && rows[0].contains("aborted"), "{rows:?}");
    assert_eq!(rows[1..], ["  compiling one", "  compiling two"]);
    let mut silent = ToolView::new(Call::new("bash").with_arguments(object(json!({"command": "make"}))));
    silent.finish(stopped, Phase::Aborted, Duration::ZERO);
    assert_eq!(shown(&mut silent, Expansion::Collapsed).len(), 1, "the header says it");
}
