//! Whole constructs, named by their first line.

use std::path::Path;

use crate::support::session::Session;
use omp_edits::hashline::{EditError, File, NoSyntax, Patcher, Snapshots, Tag, parse};

/// Edits a file by one hunk and returns the answer and the file's new text.
async fn edited(name: &str, content: &str, hunk: &str) -> (String, String) {
    let session = Session::new();
    session.project.file(name, content);
    let header = session.header(name).await;
    let answer = session.edit(&format!("{header}\n{hunk}\n")).await.unwrap();
    (answer, String::from_utf8(session.project.content(name)).unwrap())
}

/// The same function in many languages: a file, the line where it begins, and its last line.
const FUNCTIONS: &[(&str, &str, usize, usize)] = &[
    (
        "a.rs",
        "use a;\n\npub fn f(x: u8) -> u8 {\n    if x > 1 {\n        return 2;\n    }\n    x\n}\n\nfn g() {}\n",
        3,
        8,
    ),
    (
        "a.ts",
        "import a from 'a';\n\nexport function f(x: number) {\n  if (x) {\n    return 1;\n  }\n}\n\nf(1);\n",
        3,
        7,
    ),
    ("a.tsx", "const A = () => {\n  return <p>\n    x\n  </p>;\n};\nexport default A;\n", 1, 5),
    ("a.js", "const f = async (x) => {\n  await x;\n};\nf();\n", 1, 3),
    ("a.py", "import a\n\ndef f(x):\n    if x:\n        return 1\n\n    return 2\n\nf(1)\n", 3, 7),
    (
        "a.go",
        "package p\n\nfunc F(x int) int {\n\tif x > 1 {\n\t\treturn 2\n\t}\n\treturn x\n}\n\nvar y = 1\n",
        3,
        8,
    ),
    ("a.c", "int g;\n\nint f(int x)\n{\n    return x;\n}\n\nint h;\n", 3, 6),
    ("a.cpp", "int g;\n\nauto C::f(int x) -> int {\n    return x;\n}\n", 3, 5),
    ("A.java", "class A {\n    int f(int x) {\n        return x;\n    }\n    int y;\n}\n", 2, 4),
    ("a.cs", "class A\n{\n    int F(int x)\n    {\n        return x;\n    }\n}\n", 3, 6),
    ("a.rb", "class A\n  def f(x)\n    x.each do |y|\n      puts y\n    end\n  end\nend\n", 2, 6),
    ("a.php", "<?php\nclass A {\n    function f($x) {\n        return $x;\n    }\n}\n", 3, 5),
    ("a.kt", "class A {\n    fun f(x: Int): Int {\n        return x\n    }\n}\n", 2, 4),
    ("a.swift", "struct A {\n    func f(x: Int) -> Int {\n        return x\n    }\n}\n", 2, 4),
    ("a.scala", "object A {\n  def f(x: Int): Int = {\n    x\n  }\n}\n", 2, 4),
    ("a.lua", "local x = 1\nfunction f(x)\n  return x\nend\n", 2, 4),
    ("a.sh", "x=1\nf() {\n  echo $x\n}\nf\n", 2, 4),
    ("a.ex", "defmodule A do\n  def f(x) do\n    x\n  end\nend\n", 2, 4),
    ("a.zig", "const x = 1;\nfn f() void {\n    g();\n}\n", 2, 4),
    ("a.css", "a {}\n.b {\n  color: red;\n}\n", 2, 4),
    ("a.yaml", "a: 1\nb:\n  c: 2\n  d: 3\ne: 4\n", 2, 4),
    ("a.html", "<p></p>\n<div>\n  <p>x</p>\n</div>\n", 2, 4),
];

/// proves: FIL-116, FIL-184
#[tokio::test]
async fn a_construct_is_replaced_deleted_and_followed() {
    for (name, content, first, last) in FUNCTIONS {
        let lines: Vec<&str> = content.split_inclusive('\n').collect();
        let (before, after) = (lines[..first - 1].concat(), lines[*last..].concat());
        let block = lines[first - 1..*last].concat();
        let count = last - first + 1;

        let (answer, text) = edited(name, content, &format!("SWAP.BLK {first}:\n+new")).await;
        assert_eq!(text, format!("{before}new\n{after}"), "{name}");
        let resolved = format!("SWAP.BLK {first} → resolved lines {first}-{last} ({count} lines)");
        let rows: Vec<&str> = answer.lines().collect();
        assert!(rows[0].starts_with(&format!("[{name}#")), "{name}: {answer}");
        assert_eq!(rows[1], resolved, "between the header and the rows: {answer}");
        assert!(rows[2].starts_with(|letter: char| letter.is_ascii_digit()), "{name}: {answer}");

        let (_, text) = edited(name, content, &format!("DEL.BLK {first}")).await;
        assert_eq!(text, format!("{before}{after}"), "{name}");

        let (answer, text) = edited(name, content, &format!("INS.BLK.POST {first}:\n+new")).await;
        assert_eq!(text, format!("{before}{block}new\n{after}"), "{name}");
        assert!(answer.contains(&format!("body lands after line {last}")), "{name}: {answer}");
    }
}

/// proves: FIL-117
#[tokio::test]
async fn what_stands_before_a_construct_stays() {
    let rust = "/// Doc.\n#[inline]\nfn f() {\n    g()\n}\n";
    assert_eq!(edited("a.rs", rust, "SWAP.BLK 3:\n+fn f() {}").await.1, "/// Doc.\n#[inline]\nfn f() {}\n");
    assert_eq!(edited("a.rs", rust, "DEL.BLK 2").await.1, "/// Doc.\nfn f() {\n    g()\n}\n");
    assert_eq!(edited("a.rs", rust, "DEL.BLK 1").await.1, "#[inline]\nfn f() {\n    g()\n}\n");

    let python = "@one\n@two\ndef f():\n    pass\n\nx = 1\n";
    assert_eq!(
        edited("a.py", python, "SWAP.BLK 3:\n+def g(): ...").await.1,
        "@one\n@two\ndef g(): ...\n\nx = 1\n"
    );
    assert_eq!(edited("a.py", python, "SWAP.BLK 1:\n+def g(): ...").await.1, "def g(): ...\n\nx = 1\n");

    let java = "class A {\n    /** Doc. */\n    @Override\n    public void f() {\n        g();\n    }\n}\n";
    let expected = "class A {\n    /** Doc. */\n    @Override\n    void h() {}\n}\n";
    assert_eq!(edited("A.java", java, "SWAP.BLK 4:\n+    void h() {}").await.1, expected);
    assert_eq!(edited("A.java", java, "DEL.BLK 3").await.1, "class A {\n    /** Doc. */\n}\n");
}

/// proves: FIL-118
#[tokio::test]
async fn a_heading_opens_its_section() {
    let text = "# One\n\nintro\n\n## Two\n\n```sh\n# a comment\n```\n\n### Three\n\nmore\n\n## Four\n\nend\n\n# Five\n";
    let (_, result) = edited("a.md", text, "DEL.BLK 5").await;
    assert_eq!(result, "# One\n\nintro\n\n\n## Four\n\nend\n\n# Five\n");
    let (_, result) = edited("a.md", text, "INS.BLK.POST 1:\n+last of one").await;
    assert_eq!(result, text.replace("end\n", "end\nlast of one\n"));
    let (_, result) = edited("a.md", text, "SWAP.BLK 11:\n+### New").await;
    assert_eq!(result, text.replace("### Three\n\nmore\n", "### New\n"));
}

#[tokio::test]
async fn what_is_no_construct_is_refused_and_nothing_changes() {
    let content = "fn f() {\n    g();\n\n}\n\nfn broken() {\n    let = ;\n}\n";
    let session = Session::new();
    session.project.file("a.rs", content);
    session.project.file("a.unknown", content);
    let header = session.header("a.rs").await;
    for line in [3, 4, 5, 6] {
        let error = session.edit(&format!("{header}\nDEL.BLK {line}\n")).await.unwrap_err();
        assert!(
            error.contains(&format!("`DEL.BLK {line}`")) && error.contains(&format!("*{line}:")),
            "{error}"
        );
        assert!(error.contains(&format!("DEL {line}.=M")), "it says what to do instead: {error}");
    }
    let header = session.header("a.unknown").await;
    assert!(session.edit(&format!("{header}\nDEL.BLK 1\n")).await.unwrap_err().contains("DEL.BLK 1"));
    assert_eq!(session.project.content("a.rs"), content.as_bytes());
    assert_eq!(session.project.content("a.unknown"), content.as_bytes());
}

/// proves: FIL-153
#[test]
fn without_grammars_only_a_closing_line_has_a_meaning() {
    let text = "fn f() {\n    g();\n}\n";
    let patcher = Patcher { syntax: &NoSyntax, enforce_seen: false };
    let plan = |hunk: &str| {
        let patch = parse(&format!("[a.rs#{}]\n{hunk}\n", Tag::of(text)), Path::new("/")).unwrap();
        patcher.plan(&patch.sections[0], File { key: "/a.rs", text }, &mut Snapshots::default())
    };
    for hunk in ["SWAP.BLK 1:\n+x", "DEL.BLK 1", "INS.BLK.POST 1:\n+x"] {
        assert!(matches!(plan(hunk), Err(EditError::NoBlock { .. })), "{hunk}");
    }
    let planned = plan("INS.BLK.POST 3:\n+x").unwrap();
    assert_eq!(planned.text, "fn f() {\n    g();\n}\nx\n");
    assert!(planned.warnings.iter().any(|warning| warning.contains("INS.POST 3:")), "{:?}", planned.warnings);
}

/// The grammar proves which of two readings of an edit is right.
#[tokio::test]
async fn a_syntax_error_is_told_and_a_forgotten_closing_line_is_kept() {
    let content = "fn f() {\n    g();\n    h();\n}\n\nfn i() {}\n";
    let (answer, text) = edited("a.rs", content, "SWAP 2.=4:\n+    k();").await;
    assert_eq!(text, "fn f() {\n    k();\n}\n\nfn i() {}\n");
    assert!(answer.contains("closes a block"), "{answer}");
    let (answer, _) = edited("a.rs", content, "SWAP 2:\n+    k(").await;
    assert!(answer.contains("had no syntax error before and has one now"), "{answer}");
}
