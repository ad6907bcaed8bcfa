//! Jupyter notebooks: read, edited and written by their cells.

use crate::support::session::Session;
use crate::support::{Project, text};
use serde_json::{Value, json};

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "aaaa",
   "metadata": {"tags": ["intro"]},
   "source": [
    "# Title\n",
    "words"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "bbbb",
   "metadata": {},
   "outputs": [ {"output_type": "stream", "name": "stdout", "text": ["1\n"], "odd":   "\u00e9"} ],
   "source": "print(1)\n"
  },
  {
   "cell_type": "raw",
   "id": "cccc",
   "metadata": {},
   "source": []
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "dddd",
   "metadata": {"kept": {"deep": [1, 2]}},
   "outputs": [],
   "source": ["x = 1\n", "y = 2"]
  }
 ],
 "metadata": {"kernelspec": {"name": "python3"},   "odd spacing":[ ]},
 "unknown": [1,2,  3],
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

const TEXT: &str = "# %% [markdown] cell:0\n# Title\nwords\n# %% [code] cell:1\nprint(1)\n\n# %% [raw] cell:2\n# %% [code] cell:3\nx = 1\ny = 2";

fn cells(project: &Project, name: &str) -> Vec<Value> {
    let notebook: Value = serde_json::from_slice(&project.content(name)).unwrap();
    assert!(notebook["nbformat"].is_u64() && notebook["metadata"].is_object(), "{notebook}");
    let cells = notebook["cells"].as_array().unwrap().clone();
    for cell in &cells {
        assert!(cell["source"].is_array() || cell["source"].is_string(), "{cell}");
        assert!(cell["metadata"].is_object() && cell["id"].is_string(), "{cell}");
        let has = |name: &str| cell.get(name).is_some();
        assert_eq!(has("outputs") && has("execution_count"), cell["cell_type"] == "code", "{cell}");
    }
    cells
}

fn session() -> Session {
    let session = Session::new();
    session.project.file("n.ipynb", NOTEBOOK);
    session
}

/// proves: FIL-065, HOK-112
#[tokio::test]
async fn cells_are_shown_below_their_marks() {
    let project = Project::new();
    project.file("n.ipynb", NOTEBOOK);
    assert_eq!(project.read("n.ipynb").await, TEXT);
    assert_eq!(project.read("n.ipynb:raw").await, NOTEBOOK, "the file itself");
    let session = session();
    let shown = session.read("n.ipynb").await;
    let numbered: String =
        (1..).zip(TEXT.lines()).map(|(number, line)| format!("\n{number}:{line}")).collect();
    assert_eq!(shown.split_once('\n').map(|(_, rest)| format!("\n{rest}")), Some(numbered), "{shown}");
    assert!(shown.starts_with("[n.ipynb#"), "{shown}");
    assert!(session.read("n.ipynb:9-9").await.contains("\n8:# %% [code] cell:3\n9:x = 1\n10:y = 2"));
}

/// A cell is edited by its lines; every other byte of the file stays.
///
/// proves: FIL-194, HOK-113, HOK-114, HOK-122
#[tokio::test]
async fn an_edit_changes_one_cell_and_nothing_else() {
    let session = session();
    let header = session.header("n.ipynb").await;
    let answer = session.edit(&format!("{header}\nSWAP 10.=10:\n+y = 3\n+z = \"é\"")).await.unwrap();
    let after = String::from_utf8(session.project.content("n.ipynb")).unwrap();
    let old = r#"["x = 1\n", "y = 2"]"#;
    let new = "[\n    \"x = 1\\n\",\n    \"y = 3\\n\",\n    \"z = \\\"é\\\"\"\n   ]";
    assert_eq!(after, NOTEBOOK.replace(old, new));
    cells(&session.project, "n.ipynb");
    // The answer's tag fits the file as it is now.
    let header = answer.lines().next().unwrap();
    session.edit(&format!("{header}\nSWAP 5.=5:\n+print(2)")).await.unwrap();
    let after = cells(&session.project, "n.ipynb");
    assert_eq!(after[1]["source"], json!(["print(2)\n"]));
    assert_eq!(after[1]["execution_count"], 3, "outputs and counts of an edited cell stay");
    assert_eq!(after[1]["outputs"][0]["odd"], "é");
    assert_eq!(after[1]["id"], "bbbb");
}

/// proves: HOK-115, HOK-116
#[tokio::test]
async fn cells_are_added_deleted_and_moved() {
    let session = session();
    let header = session.header("n.ipynb").await;
    // A new cell without a number, one with a number that is taken, and one that does not exist.
    let input = format!(
        "{header}\nINS.HEAD:\n+# %% [code]\n+first\nINS.TAIL:\n+# %% [markdown] cell:0\n+again\n+# %% [raw] cell:77\n+far"
    );
    let answer = session.edit(&input).await.unwrap();
    let after = cells(&session.project, "n.ipynb");
    let ids: Vec<&str> = after.iter().map(|cell| cell["id"].as_str().unwrap()).collect();
    assert_eq!(&ids[1..5], ["aaaa", "bbbb", "cccc", "dddd"]);
    for (place, kind, source) in [(0, "code", "first"), (5, "markdown", "again"), (6, "raw", "far")] {
        assert_eq!(after[place]["cell_type"], kind);
        assert_eq!(after[place]["source"], json!([source]));
        assert_eq!(after[place]["metadata"], json!({}));
        assert!(!["aaaa", "bbbb", "cccc", "dddd"].contains(&ids[place]));
    }
    assert_eq!(after[1]["metadata"]["tags"], json!(["intro"]), "the first with a number keeps the cell");
    // The answer shows the new numbers, and its tag is that of the new text.
    assert!(answer.contains("1:# %% [code] cell:0\n2:first\n3:# %% [markdown] cell:1"), "{answer}");
    let header = answer.lines().next().unwrap();
    // Delete the cell in the middle that prints, with its mark.
    let shown = session.read("n.ipynb").await;
    let line = |mark: &str| shown.lines().position(|line| line.ends_with(mark)).unwrap();
    let (from, to) = (line("[code] cell:2"), line("[raw] cell:3") - 1);
    session.edit(&format!("{header}\nDEL {from}.={to}")).await.unwrap();
    let ids: Vec<Value> = cells(&session.project, "n.ipynb").iter().map(|cell| cell["id"].clone()).collect();
    assert!(ids.len() == 6 && !ids.contains(&json!("bbbb")), "{ids:?}");

    let moved = session.project.file("m.ipynb", NOTEBOOK);
    let text = "# %% [code] cell:3\nx = 1\ny = 2\n# %% [markdown] cell:0\n# Title\nwords\n";
    session.call("write", json!({ "path": "m.ipynb", "content": text })).await.unwrap();
    let after = std::fs::read_to_string(moved).unwrap();
    let piece = |from: &str, to: &str| {
        let start = NOTEBOOK.find(from).unwrap();
        &NOTEBOOK[start..start + NOTEBOOK[start..].find(to).unwrap() + to.len()]
    };
    let code = piece("{\n   \"cell_type\": \"code\",\n   \"execution_count\": null", "\"y = 2\"]\n  }");
    let title = piece("{\n   \"cell_type\": \"markdown\"", "]\n  }");
    assert!(
        after.contains(&format!("[\n  {code},\n  {title}\n ]")),
        "moved cells are the same bytes: {after}"
    );
}

/// proves: HOK-117
#[tokio::test]
async fn a_cell_changes_its_type() {
    let session = session();
    let header = session.header("n.ipynb").await;
    session.edit(&format!("{header}\nSWAP 1.=1:\n+# %% [code] cell:0\nSWAP 4.=4:\n+# %% [raw] cell:1\nSWAP 8.=8:\n+# %% [markdown] cell:3")).await.unwrap();
    let after = cells(&session.project, "n.ipynb");
    assert_eq!((&after[0]["outputs"], &after[0]["execution_count"]), (&json!([]), &Value::Null));
    assert_eq!(after[0]["metadata"]["tags"], json!(["intro"]));
    for (place, kind, id) in [(1, "raw", "bbbb"), (3, "markdown", "dddd")] {
        assert_eq!((&after[place]["cell_type"], &after[place]["id"]), (&json!(kind), &json!(id)));
        assert!(after[place].get("outputs").is_none() && after[place].get("execution_count").is_none());
    }
    assert_eq!(after[1]["source"], json!(["print(1)\n"]));
}

/// proves: HOK-118
#[tokio::test]
async fn sources_are_lines_with_their_ends() {
    let session = session();
    let text = "# %% [code] cell:0\na\n\nb\n# %% [code] cell:1\n# %% [raw] cell:2\nends\n\n# %% [code] cell:3\nx = 1\ny = 2";
    session.call("write", json!({ "path": "n.ipynb", "content": text })).await.unwrap();
    let after = cells(&session.project, "n.ipynb");
    let sources: Vec<&Value> = after.iter().map(|cell| &cell["source"]).collect();
    assert_eq!(
        sources,
        [&json!(["a\n", "\n", "b"]), &json!([]), &json!(["ends\n"]), &json!(["x = 1\n", "y = 2"])]
    );
    let stored = String::from_utf8(session.project.content("n.ipynb")).unwrap();
    let untouched = NOTEBOOK
        .split_at(NOTEBOOK.find("  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null").unwrap())
        .1;
    assert!(stored.ends_with(untouched), "the last cell and all behind it: {stored}");
}

/// proves: HOK-119
#[tokio::test]
async fn text_before_the_first_cell_is_refused() {
    let session = session();
    let header = session.header("n.ipynb").await;
    for row in ["+", "+import os", "+# %% [html] cell:0"] {
        let error = session.edit(&format!("{header}\nINS.HEAD:\n{row}")).await.unwrap_err();
        assert!(error.contains("text before the first cell"), "{row}: {error}");
    }
    for content in ["\n# %% [code] cell:0\nx", "import os\n"] {
        let written = session.call("write", json!({ "path": "n.ipynb", "content": content })).await;
        assert!(written.unwrap_err().contains("text before the first cell"));
        let written = session.call("write", json!({ "path": "new.ipynb", "content": content })).await;
        assert!(written.unwrap_err().contains("text before the first cell"));
    }
    assert_eq!(session.project.content("n.ipynb"), NOTEBOOK.as_bytes(), "nothing was written");
    assert!(!session.project.path().join("new.ipynb").exists());
}

/// proves: HOK-120
#[tokio::test]
async fn new_notebooks_begin_empty() {
    let session = Session::new();
    let written = session
        .call(
            "write",
            json!({ "path": "new.ipynb", "content": "# %% [markdown]\nHello\n# %% [code]\n1 + 1\n" }),
        )
        .await;
    let answer = text(&written.unwrap());
    let notebook: Value = serde_json::from_slice(&session.project.content("new.ipynb")).unwrap();
    assert_eq!((&notebook["nbformat"], &notebook["nbformat_minor"]), (&json!(4), &json!(5)));
    assert_eq!(notebook["metadata"], json!({}));
    let after = cells(&session.project, "new.ipynb");
    assert_eq!(after[1]["source"], json!(["1 + 1"]));
    assert_ne!(after[0]["id"], after[1]["id"]);
    let header = answer.lines().next().unwrap();
    session.edit(&format!("{header}\nSWAP 4.=4:\n+2 + 2")).await.unwrap();
    assert_eq!(cells(&session.project, "new.ipynb")[1]["source"], json!(["2 + 2"]));

    let mut project = Project::new();
    project.settings.edit.mode = omp_tools::EditMode::ApplyPatch;
    let patch = "*** Begin Patch\n*** Add File: made.ipynb\n+# %% [code]\n+x = 1\n*** End Patch";
    project.call("edit", json!({ "input": patch })).await.unwrap();
    assert_eq!(cells(&project, "made.ipynb")[0]["source"], json!(["x = 1"]));
    let patch = "*** Begin Patch\n*** Update File: made.ipynb\n@@\n # %% [code] cell:0\n-x = 1\n+x = 2\n*** End Patch";
    project.call("edit", json!({ "input": patch })).await.unwrap();
    assert_eq!(cells(&project, "made.ipynb")[0]["source"], json!(["x = 2"]));
}

/// proves: HOK-121
#[tokio::test]
async fn files_that_are_no_notebooks_say_why() {
    let session = Session::new();
    for (name, content, expected) in [
        ("a.ipynb", "{\"cells\": [", "Invalid JSON in notebook: "),
        ("b.ipynb", "not json", "Invalid JSON in notebook: "),
        ("c.ipynb", "[1, 2]", "Invalid notebook structure ("),
        ("d.ipynb", "{\"worksheets\": []}", "Invalid notebook structure (it has no cells)"),
        ("e.ipynb", "{\"cells\": {}}", "Invalid notebook structure (its cells are not a list)"),
        (
            "f.ipynb",
            "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"\"}, 7]}",
            "Invalid notebook cell 1",
        ),
        (
            "g.ipynb",
            "{\"cells\": [{\"cell_type\": \"heading\", \"source\": \"\"}]}",
            "Invalid notebook cell 0",
        ),
        ("h.ipynb", "{\"cells\": [{\"cell_type\": \"raw\", \"source\": [1]}]}", "Invalid notebook cell 0"),
    ] {
        session.project.file(name, content);
        let error = session.call("read", json!({ "path": name })).await.unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
        let error = session.edit(&format!("[{name}#0000]\nDEL 1")).await.unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(
            session.read(&format!("{name}:raw")).await.contains(&content[..5]),
            "{name} can be read as it is"
        );
    }
    let error = session.edit("[none.ipynb#0000]\nDEL 1").await.unwrap_err();
    assert!(error.starts_with("File not found: none.ipynb"), "{error}");
}

/// Nothing runs: neither a process nor the code of a cell.
///
/// proves: HOK-123
#[tokio::test]
async fn no_kernel_is_started() {
    let session = Session::new();
    let code = "import pathlib\npathlib.Path('ran').touch()\n!touch ran";
    let written =
        session.call("write", json!({ "path": "n.ipynb", "content": format!("# %% [code]\n{code}") })).await;
    let header = text(&written.unwrap()).lines().next().unwrap().to_owned();
    session.edit(&format!("{header}\nINS.TAIL:\n+# %% [code]\n+!touch ran")).await.unwrap();
    session.read("n.ipynb").await;
    assert!(!session.project.path().join("ran").exists());
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let children = std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
        assert_eq!(children.trim(), "", "a process was started");
    }
}

/// JSON as it is, cells without end, and lines that look like marks.
#[tokio::test]
async fn odd_notebooks() {
    let session = Session::new();
    let written = session.call("write", json!({ "path": "n.ipynb", "content": NOTEBOOK })).await.unwrap();
    assert_eq!(session.project.content("n.ipynb"), NOTEBOOK.as_bytes(), "JSON is written as it is");
    let answer = text(&written);
    let header = answer.lines().next().unwrap();
    session.edit(&format!("{header}\nSWAP 9.=9:\n+x = 7")).await.unwrap();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    session.project.file("deep.ipynb", format!(r#"{{"cells": [{{"cell_type": "code", "source": "x", "outputs": [], "execution_count": 1, "deep": {deep}}}], "more": {deep}}}"#));
    let shown = session.read("deep.ipynb").await;
    let header = shown.lines().next().unwrap();
    session.edit(&format!("{header}\nSWAP 2.=2:\n+y")).await.unwrap();
    assert!(session.read("deep.ipynb").await.ends_with("2:y"));
    let marks = r##"{"cells": [{"cell_type": "code", "source": "# %% [code]\n\\# %% [raw] cell:9", "outputs": [], "execution_count": 1}], "nbformat": 4, "nbformat_minor": 2}"##;
    session.project.file("marks.ipynb", marks);
    let shown = session.read("marks.ipynb").await;
    assert!(shown.contains("2:\\# %% [code]\n3:\\\\# %% [raw] cell:9"), "{shown}");
    let header = shown.lines().next().unwrap();
    session.edit(&format!("{header}\nINS.POST 3:\n+z")).await.unwrap();
    let after = String::from_utf8(session.project.content("marks.ipynb")).unwrap();
    assert!(after.contains(r##"["# %% [code]\n","\\# %% [raw] cell:9\n","z"]"##), "{after}");
    assert!(!after.contains("\"id\""), "old notebooks have no names of cells");
}

/// The limit that is named is the one that holds.
#[tokio::test]
async fn a_notebook_that_is_too_large_is_told() {
    let session = session();
    let path = session.project.path().join("n.ipynb");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(65 * 1024 * 1024).unwrap();
    let error = session.edit("[n.ipynb#0000]\nDEL 1").await.unwrap_err();
    assert!(error.starts_with("n.ipynb is larger than 64 MB"), "{error}");
}

/// Cells whose lines end as on Windows stay byte by byte, and the result of an edit leads to the next.
///
/// proves: HOK-118
#[tokio::test]
async fn other_line_ends_of_other_cells_stay() {
    let notebook = r##"{"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a\r\n", "b"]}, {"cell_type": "markdown", "metadata": {}, "source": "old"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}"##;
    let session = Session::new();
    session.project.file("n.ipynb", notebook);
    let header = session.header("n.ipynb").await;
    let answer = session.edit(&format!("{header}\nSWAP 5:\n+new\n")).await.unwrap();
    let content = || String::from_utf8(session.project.content("n.ipynb")).unwrap();
    assert_eq!(content(), notebook.replace(r#""old""#, r#"["new"]"#));
    let next = answer.lines().next().unwrap();
    let answer = session.edit(&format!("{next}\nINS.HEAD:\n+# %% [raw]\n+first\n")).await.unwrap();
    assert!(!answer.contains("Warnings:"), "{answer}");
    // By the tag before that, through the edits since: the mark above got another number.
    let answer = session.edit(&format!("{next}\nSWAP 5:\n+newer\n")).await.unwrap();
    assert!(answer.contains("replayed on the file as it is"), "{answer}");
    assert!(content().contains(r#"["a\r\n", "b"]"#) && content().contains(r#"["newer"]"#), "{}", content());
}
