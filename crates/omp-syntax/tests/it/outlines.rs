//! Summaries of programs and of prose.

use omp_syntax::outline::{self, Options, Summary};
use omp_syntax::{Bounds, Language};

fn language(path: &str) -> Language {
    Language::of_path(path, "").unwrap()
}

fn summary(path: &str, text: &str) -> Option<Summary> {
    outline::code(text, language(path), &Options::default(), Bounds::SIZE)
}

/// What is left, with `…` for what is not.
fn shown(text: &str, summary: &Summary) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    let mut line = 1;
    for elided in &summary.elided {
        for kept in &lines[line - 1..elided.first - 1] {
            shown.push_str(kept.trim_end());
            shown.push('\n');
        }
        shown.push_str("…\n");
        line = elided.last + 1;
    }
    for kept in &lines[line - 1..] {
        shown.push_str(kept);
        shown.push('\n');
    }
    shown
}

fn outline(path: &str, text: &str) -> String {
    shown(text, &summary(path, text).unwrap_or_else(|| panic!("{path} is shown whole")))
}

fn body(lines: usize, indent: &str) -> String {
    (0..lines).map(|line| format!("{indent}call({line});\n")).collect()
}

#[test]
fn declarations_stay_and_bodies_go() {
    let functions: String =
        (0..60).map(|at| format!("fn f{at}(x: u8) -> u8 {{\n{}}}\n\n", body(8, "    "))).collect();
    let text = format!("use a::b;\n\n{functions}");
    let shown = outline("a.rs", &text);
    assert!(shown.starts_with("use a::b;\n\nfn f0(x: u8) -> u8 {\n…\n}\n\nfn f1("), "{shown}");
    assert!(!shown.contains("call("), "{shown}");
    assert_eq!(shown.matches("\n…\n").count(), 60);
    assert!(summary("a.rs", &text).unwrap().elided.iter().all(|one| one.bracketed));
}

#[test]
fn members_of_classes_are_declarations() {
    let methods = |open: &str, close: &str, indent: &str| -> String {
        (0..70)
            .map(|at| {
                format!(
                    "{indent}{}\n{}{close}",
                    open.replace('@', &at.to_string()),
                    body(6, &indent.repeat(2))
                )
            })
            .collect()
    };
    let cases = [
        ("a.ts", format!("export class C {{\n{}}}\n", methods("m@(): void {", "    }\n", "    "))),
        ("A.java", format!("class C {{\n{}}}\n", methods("void m@() {", "    }\n", "    "))),
        ("a.rs", format!("impl C {{\n{}}}\n", methods("fn m@() {", "    }\n", "    "))),
        ("a.py", format!("class C:\n{}", methods("def m@(self):", "", "    "))),
        ("a.rb", format!("class C\n{}end\n", methods("def m@", "    end\n", "    "))),
        ("a.kt", format!("class C {{\n{}}}\n", methods("fun m@() {", "    }\n", "    "))),
        ("a.cs", format!("class C\n{{\n{}}}\n", methods("void m@() {", "    }\n", "    "))),
        ("a.cpp", format!("class C {{\n{}}};\n", methods("void m@() {", "    }\n", "    "))),
        ("a.php", format!("<?php\nclass C {{\n{}}}\n", methods("function m@() {", "    }\n", "    "))),
        ("a.swift", format!("class C {{\n{}}}\n", methods("func m@() {", "    }\n", "    "))),
        ("a.scala", format!("object C {{\n{}}}\n", methods("def m@() = {", "    }\n", "    "))),
        (
            "a.ex",
            format!("defmodule C do\n{}end\n", methods("def m@() do", "    end\n", "    ").replace(';', "")),
        ),
        ("a.lua", methods("function m@()", "end\n", "").replace("call", "    call")),
        ("a.go", format!("package p\n\n{}", methods("func m@() {", "}\n", "").replace("call", "\tcall"))),
    ];
    for (path, text) in cases {
        let shown = outline(path, &text);
        assert_eq!(shown.matches("m69").count(), 1, "{path}: {shown}");
        assert_eq!(shown.matches("…").count(), 70, "{path}: {shown}");
        assert!(!shown.contains("call("), "{path}: {shown}");
    }
}

/// Not only classes have members: none of these is most of the text, and each shows what it holds.
#[test]
fn members_of_other_declarations_stay() {
    let text = |open: &str, method: &str, end: &str, close: &str| -> String {
        let methods: String = (0..20)
            .map(|at| {
                format!(
                    "  {}\n{}  {end}\n",
                    method.replace('@', &at.to_string()),
                    body(6, "    ").replace(';', "")
                )
            })
            .collect();
        (0..4).map(|at| format!("{}\n{methods}{close}\n\n", open.replace('@', &at.to_string()))).collect()
    };
    for (path, text) in [
        ("A.java", text("enum E@ {\n  A, B;", "void m@() {", "}", "}").replace(")\n", ");\n")),
        (
            "a.php",
            format!("<?php\n{}", text("enum E@ {", "function m@() {", "}", "}").replace(")\n", ");\n")),
        ),
        ("a.ex", text("defimpl P, for: T@ do", "def m@() do", "end", "end")),
        ("a.exs", text("defprotocol P@ do", "def m@() do", "end", "end")),
    ] {
        let shown = outline(path, &text);
        assert_eq!(shown.matches("m19").count(), 4, "{path}: {shown}");
        assert!(!shown.contains("call("), "{path}: {shown}");
    }
}

fn functions(count: usize, lines: usize) -> String {
    (0..count).map(|at| format!("function f{at}() {{\n{}}}\n", body(lines, "  "))).collect()
}

#[test]
fn short_texts_and_short_bodies_stay() {
    // 11 functions of 9 lines.
    assert_eq!(summary("a.js", &functions(11, 7)), None, "99 lines");
    assert!(summary("a.js", &format!("{}x;\n", functions(11, 7))).is_some(), "100 lines");
    assert_eq!(summary("a.js", &functions(60, 3)), None, "bodies of three lines");
    assert_eq!(summary("a.js", &functions(60, 4)).unwrap().elided.len(), 60, "bodies of four lines");
}

#[test]
fn long_comments_go() {
    let comment = |lines: usize| "// words\n".repeat(lines);
    let text = |lines: usize| format!("{}const x = 1;\n{}", comment(lines), "let y;\n".repeat(120));
    assert_eq!(summary("a.js", &text(5)), None);
    let long = summary("a.js", &text(6)).unwrap();
    assert_eq!(long.elided.iter().map(|one| (one.first, one.last)).collect::<Vec<_>>(), [(2, 6)]);
    let block = format!("/*\n{}*/\n{}", "words\n".repeat(10), "let y;\n".repeat(120));
    assert_eq!(summary("a.js", &block).unwrap().elided_lines(), 11);
}

/// Little to see: bodies are shown until there is enough, and never so much that it is too much.
#[test]
fn folding_is_relaxed_from_the_outside() {
    let text = format!("{}{}", functions(2, 20), functions(1, 300));
    let summary = summary("a.js", &text).unwrap();
    let visible = summary.lines - summary.elided_lines();
    assert_eq!(visible, 46, "two bodies are shown, the third would be too much");
    assert_eq!(summary.elided.len(), 1);
    let enough = functions(26, 20);
    let summary = outline::code(&enough, language("a.js"), &Options::default(), Bounds::SIZE).unwrap();
    assert_eq!(summary.lines - summary.elided_lines(), 52, "enough is visible already");
}

#[test]
fn a_fold_around_nearly_everything_says_nothing() {
    let tests: String =
        (0..60).map(|at| format!("  it('does {at}', () => {{\n{}  }});\n", body(6, "    "))).collect();
    let text = format!("describe('all', () => {{\n{tests}}});\n");
    let shown = outline("a.test.js", &text);
    assert!(shown.contains("does 0") && shown.contains("does 59") && !shown.contains("call("), "{shown}");
}

#[test]
fn signatures_stay_whole() {
    let parameters: String = (0..8).map(|at| format!("    p{at}: u8,\n")).collect();
    let text: String =
        (0..20).map(|at| format!("fn f{at}(\n{parameters}) -> u8 {{\n{}}}\n", body(10, "    "))).collect();
    let shown = outline("a.rs", &text);
    assert_eq!(shown.matches("p7: u8,").count(), 20, "{shown}");
}

#[test]
fn only_programs_are_summarised() {
    let json = format!("{{\n  \"a\": [\n{}    1\n  ]\n}}\n", "    1,\n".repeat(300));
    assert_eq!(summary("a.json", &json), None);
    let html = format!("<div>\n{}</div>\n", "<p>x</p>\n".repeat(300));
    assert_eq!(summary("a.html", &html), None);
}

#[test]
fn what_has_an_error_is_shown() {
    let text = format!(
        "{}fn bad() {{\n    let = ;\n{}}}\n",
        functions(40, 8).replace("function", "fn"),
        body(10, "    ")
    );
    let shown = outline("a.rs", &text);
    assert!(shown.contains("let = ;") && shown.contains("…"), "{shown}");
}

#[test]
fn limits() {
    let long = functions(2_001, 8);
    assert_eq!(summary("a.js", &long), None, "20,010 lines");
    let wide = format!("// {}\n{}", "x".repeat(2 * 1024 * 1024), functions(60, 8));
    assert_eq!(summary("a.js", &wide), None, "more than 2 MiB");
}

/// A summary that is itself too long closes classes too.
#[test]
fn a_long_summary_is_shortened() {
    let members: String = (0..900).map(|at| format!("  m{at}() {{\n{}  }}\n", body(4, "    "))).collect();
    let text = format!("class A {{\n{members}}}\nclass B {{\n{members}}}\n");
    let shown = outline("a.js", &text);
    assert_eq!(shown.lines().count(), 6, "{shown}");
}

#[test]
fn prose_by_headings_and_by_paragraphs() {
    let markdown: String =
        (0..40).map(|at| format!("## Part {at}\n\nFirst line.\n{}\n", "more\n".repeat(6))).collect();
    let options = Options::default();
    let summary = outline::prose(&markdown, Some(language("a.md")), &options).unwrap();
    let result = shown(&markdown, &summary);
    assert!(result.starts_with("## Part 0\n\nFirst line.\n…\n\n## Part 1\n"), "{result}");
    assert!(!result.contains("more"));
    let plain: String = (0..40).map(|at| format!("Paragraph {at}\n{}\n", "more\n".repeat(6))).collect();
    let summary = outline::prose(&plain, None, &options).unwrap();
    assert!(shown(&plain, &summary).starts_with("Paragraph 0\n…\n\nParagraph 1\n…\n"));
    assert_eq!(outline::prose("short\n", None, &options), None);
}
