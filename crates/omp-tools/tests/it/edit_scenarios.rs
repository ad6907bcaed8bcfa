//! Patches in the `*** Begin Patch` envelope against files, one row each: the situations that programs which read this
//! language agree on, and what is done here where they do not.

use omp_tools::EditMode;
use serde_json::json;

use crate::support::session::Session;
use crate::support::{Project, text};

/// Files by name, before or after.
type Files = &'static [(&'static str, &'static str)];

struct Scenario {
    name: &'static str,
    before: Files,
    /// Without the envelope, which every patch gets.
    patch: &'static str,
    /// What is there afterwards; or a part of the refusal, after which everything is as it was.
    outcome: Result<Files, &'static str>,
}

const SHOP: &str = "class Cart:\n    def add(self):\n        pass\n\n    def total(self):\n        pass\n";

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "a file is added",
        before: &[],
        patch: "*** Add File: docs/hello.md\n+# Hello\n+\n+world\n",
        outcome: Ok(&[("docs/hello.md", "# Hello\n\nworld\n")]),
    },
    Scenario {
        name: "an empty file is added",
        before: &[],
        patch: "*** Add File: empty\n",
        outcome: Ok(&[("empty", "")]),
    },
    Scenario {
        name: "one file of each verb",
        before: &[("go.txt", "x\n"), ("stay.txt", "one\ntwo\n")],
        patch: "*** Add File: sub/made.txt\n+made\n*** Delete File: go.txt\n*** Update File: stay.txt\n@@\n-two\n+TWO\n",
        outcome: Ok(&[("stay.txt", "one\nTWO\n"), ("sub/made.txt", "made\n")]),
    },
    Scenario {
        name: "several hunks in one file",
        before: &[("a", "1\n2\n3\n4\n5\n6\n")],
        patch: "*** Update File: a\n@@\n-2\n+two\n@@\n 4\n-5\n+five\n+and more\n",
        outcome: Ok(&[("a", "1\ntwo\n3\n4\nfive\nand more\n6\n")]),
    },
    Scenario {
        name: "hunks in the wrong order",
        before: &[("a", "1\n2\n3\n")],
        patch: "*** Update File: a\n@@\n-3\n+three\n@@\n-1\n+one\n",
        outcome: Ok(&[("a", "one\n2\nthree\n")]),
    },
    Scenario {
        name: "a file is changed and moved to a new directory",
        before: &[("old/name.txt", "before\n"), ("old/other.txt", "other\n")],
        patch: "*** Update File: old/name.txt\n*** Move to: new/place/name.txt\n@@\n-before\n+after\n",
        outcome: Ok(&[("new/place/name.txt", "after\n"), ("old/other.txt", "other\n")]),
    },
    Scenario {
        name: "a file is deleted",
        before: &[("a", "a\n"), ("b", "b\n")],
        patch: "*** Delete File: a\n",
        outcome: Ok(&[("b", "b\n")]),
    },
    Scenario {
        name: "lines are only removed",
        before: &[("a", "1\n2\n3\n")],
        patch: "*** Update File: a\n@@\n 1\n-2\n 3\n",
        outcome: Ok(&[("a", "1\n3\n")]),
    },
    Scenario {
        name: "lines without any context go to the end",
        before: &[("a", "1\n2\n")],
        patch: "*** Update File: a\n@@\n+3\n+4\n",
        outcome: Ok(&[("a", "1\n2\n3\n4\n")]),
    },
    Scenario {
        name: "the first hunk needs no marker",
        before: &[("a", "1\n2\n")],
        patch: "*** Update File: a\n 1\n-2\n+two\n",
        outcome: Ok(&[("a", "1\ntwo\n")]),
    },
    Scenario {
        name: "the end of the file is meant",
        before: &[("a", "end\nmiddle\nend\n")],
        patch: "*** Update File: a\n@@\n-end\n+END\n*** End of File\n",
        outcome: Ok(&[("a", "end\nmiddle\nEND\n")]),
    },
    Scenario {
        name: "a line above the hunk tells which of two is meant",
        before: &[("a.py", SHOP)],
        patch: "*** Update File: a.py\n@@     def total(self):\n-        pass\n+        return 0\n",
        outcome: Ok(&[(
            "a.py",
            "class Cart:\n    def add(self):\n        pass\n\n    def total(self):\n        return 0\n",
        )]),
    },
    Scenario {
        name: "several such lines, from the outer to the inner",
        before: &[("a.py", SHOP)],
        patch: "*** Update File: a.py\n@@ class Cart:\n@@     def total(self):\n-        pass\n+        return 0\n",
        outcome: Ok(&[(
            "a.py",
            "class Cart:\n    def add(self):\n        pass\n\n    def total(self):\n        return 0\n",
        )]),
    },
    Scenario {
        name: "blanks at the ends of lines differ",
        before: &[("a", "one  \ntwo\t\nthree\n")],
        patch: "*** Update File: a\n@@\n one\n-two\n+TWO\n three\n",
        outcome: Ok(&[("a", "one  \nTWO\nthree\n")]),
    },
    Scenario {
        name: "the indentation differs, and the file's is kept",
        before: &[("a", "if x:\n\tgo()\n\tstop()\n")],
        patch: "*** Update File: a\n@@\n if x:\n-    go()\n+    run()\n     stop()\n",
        outcome: Ok(&[("a", "if x:\n\trun()\n\tstop()\n")]),
    },
    Scenario {
        name: "quotation marks and dashes are typographic in the file",
        before: &[("a", "say \u{201c}hello\u{201d} \u{2013} twice\nend\n")],
        patch: "*** Update File: a\n@@\n-say \"hello\" - twice\n+say nothing\n end\n",
        outcome: Ok(&[("a", "say nothing\nend\n")]),
    },
    Scenario {
        name: "text beyond ASCII",
        before: &[("a", "naïve café\n名前\n")],
        patch: "*** Update File: a\n@@\n-naïve café\n+naïve café ✅\n 名前\n",
        outcome: Ok(&[("a", "naïve café ✅\n名前\n")]),
    },
    Scenario {
        name: "line ends of the file are kept",
        before: &[("a", "one\r\ntwo\r\n")],
        patch: "*** Update File: a\n@@\n one\n-two\n+TWO\n+three\n",
        outcome: Ok(&[("a", "one\r\nTWO\r\nthree\r\n")]),
    },
    Scenario {
        // Codex adds a final line end. Here bytes that the patch does not name stay.
        name: "a final line end that is missing stays missing",
        before: &[("a", "one\ntwo")],
        patch: "*** Update File: a\n@@\n-one\n+ONE\n two\n",
        outcome: Ok(&[("a", "ONE\ntwo")]),
    },
    Scenario {
        name: "a header with blanks before it",
        before: &[("a", "old\n")],
        patch: "  *** Update File: a\n@@\n-old\n+new\n",
        outcome: Ok(&[("a", "new\n")]),
    },
    Scenario {
        name: "rows that look like markers are rows",
        before: &[("a", "*** End Patch\nx\n")],
        patch: "*** Update File: a\n@@\n *** End Patch\n-x\n+*** Add File: y\n",
        outcome: Ok(&[("a", "*** End Patch\n*** Add File: y\n")]),
    },
    Scenario { name: "no file is named", before: &[("a", "a\n")], patch: "", outcome: Err("names no file") },
    Scenario {
        name: "the context is not in the file",
        before: &[("a", "one\ntwo\n")],
        patch: "*** Update File: a\n@@\n-three\n+THREE\n",
        outcome: Err("is not in the file"),
    },
    Scenario {
        name: "the line above is not in the file",
        before: &[("a", "one\ntwo\n")],
        patch: "*** Update File: a\n@@ def nowhere():\n+three\n",
        outcome: Err("is not in the file"),
    },
    Scenario {
        // Codex takes the first. Here nothing is guessed.
        name: "the text is there twice",
        before: &[("a", "x\ny\nx\n")],
        patch: "*** Update File: a\n@@\n-x\n+z\n",
        outcome: Err("2 times, at lines 1, 3"),
    },
    Scenario {
        name: "the file to delete is not there",
        before: &[("a", "a\n")],
        patch: "*** Delete File: b\n",
        outcome: Err("File not found: b"),
    },
    Scenario {
        name: "the file to update is not there",
        before: &[("a", "a\n")],
        patch: "*** Update File: b\n@@\n-a\n+b\n",
        outcome: Err("File not found: b"),
    },
    Scenario {
        name: "an update without a hunk",
        before: &[("a", "a\n")],
        patch: "*** Update File: a\n",
        outcome: Err("There is no hunk"),
    },
    Scenario {
        name: "a hunk without rows",
        before: &[("a", "a\n")],
        patch: "*** Update File: a\n@@\n@@\n-a\n+b\n",
        outcome: Err("the hunk has no lines"),
    },
    Scenario {
        name: "a verb that is none",
        before: &[("a", "a\n")],
        patch: "*** Frobnicate File: a\n",
        outcome: Err("The patch must begin with"),
    },
    Scenario {
        name: "a directory is not deleted",
        before: &[("sub/a", "a\n")],
        patch: "*** Delete File: sub\n",
        outcome: Err("is a directory"),
    },
    Scenario {
        // Codex writes over it. Here nothing is lost that the patch does not name.
        name: "a file that is there is not added again",
        before: &[("a", "mine\n")],
        patch: "*** Add File: a\n+new\n",
        outcome: Err("already exists"),
    },
    Scenario {
        name: "nothing is moved over a file",
        before: &[("a", "a\n"), ("b", "b\n")],
        patch: "*** Update File: a\n*** Move to: b\n@@\n-a\n+A\n",
        outcome: Err("already exists"),
    },
    Scenario {
        // Codex leaves what came before the failure.
        name: "one failure undoes the whole patch",
        before: &[("a", "a\n")],
        patch: "*** Add File: made\n+made\n*** Update File: missing\n@@\n-x\n+y\n",
        outcome: Err("File not found: missing"),
    },
];

/// Everything below a directory, by name.
fn files(below: &std::path::Path, prefix: &str, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        match path.is_dir() {
            true => files(&path, &format!("{name}/"), found),
            false => found.push((name, std::fs::read_to_string(&path).unwrap())),
        }
    }
    found.sort();
}

async fn check(scenario: &Scenario, patch: &str) {
    let Scenario { name, before, outcome, .. } = scenario;
    let mut project = Project::new();
    project.settings.edit.mode = EditMode::ApplyPatch;
    before.iter().for_each(|(name, content)| drop(project.file(name, content)));
    let session = Session::with(project);
    let said = session.call("edit", json!({ "input": patch })).await.map(|output| text(&output));
    let mut there = Vec::new();
    files(&session.project.path(), "", &mut there);
    let there: Vec<(&str, &str)> = there.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    match (outcome, said) {
        (Ok(after), Ok(_)) => assert_eq!(there, *after, "{name}"),
        (Err(part), Err(error)) => {
            assert!(error.contains(part), "{name}: {error}");
            assert_eq!(there, *before, "{name}: nothing is written");
        }
        (_, said) => panic!("{name}: {said:?}"),
    }
}

// proves: FIL-013
#[tokio::test]
async fn patches_do_what_their_language_says() {
    for scenario in SCENARIOS {
        check(scenario, &format!("*** Begin Patch\n{}*** End Patch\n", scenario.patch)).await;
    }
}

/// Models put blanks around the first and the last line.
// proves: FIL-013
#[tokio::test]
async fn patches_may_stand_between_padded_markers() {
    for scenario in SCENARIOS {
        check(scenario, &format!(" *** Begin Patch \n{}  *** End Patch\n", scenario.patch)).await;
    }
}
