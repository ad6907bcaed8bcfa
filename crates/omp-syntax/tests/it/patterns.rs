//! Patterns, as one text sees them.

use omp_syntax::pattern::{Overlap, Pattern, PatternError, Rule, Source, TemplateError};
use omp_syntax::{Bounds, Language};

fn language(path: &str) -> Language {
    Language::of_path(path, "").unwrap()
}

fn search(path: &str, text: &str, pattern: &str) -> Vec<String> {
    let source = Source::parse(text, language(path), Bounds::SIZE).unwrap();
    let pattern = Pattern::new(pattern, language(path)).unwrap();
    source.search(&pattern).into_iter().map(|found| text[found.range].to_owned()).collect()
}

fn captures(path: &str, text: &str, pattern: &str) -> Vec<(String, String)> {
    let source = Source::parse(text, language(path), Bounds::SIZE).unwrap();
    source.search(&Pattern::new(pattern, language(path)).unwrap()).remove(0).captures
}

fn rewrite(path: &str, text: &str, rules: &[(&str, &str)]) -> Result<String, Overlap> {
    let language = language(path);
    let rule = |(pattern, template): &(&str, &str)| {
        Rule::new(Pattern::new(pattern, language).unwrap(), template, language).unwrap()
    };
    let rules: Vec<Rule> = rules.iter().map(rule).collect();
    let mut result = text.to_owned();
    let source = Source::parse(text, language, Bounds::SIZE).unwrap();
    for one in source.rewrite(&rules)?.into_iter().rev() {
        result.replace_range(one.range, &one.inserted);
    }
    Ok(result)
}

#[test]
fn one_node_any_node_many_nodes() {
    let text = "f(1);\nf(1, 2);\nf();\ng(1, 1);\ng(1, 2);\n";
    assert_eq!(search("a.js", text, "f($A)"), ["f(1)"]);
    assert_eq!(search("a.js", text, "f($_, $_)"), ["f(1, 2)"]);
    assert_eq!(search("a.js", text, "f($$$)"), ["f(1)", "f(1, 2)", "f()"]);
    assert_eq!(search("a.js", text, "g($X, $X)"), ["g(1, 1)"], "a name stands for the same code");
    assert_eq!(search("a.js", text, "g($_, $_)"), ["g(1, 1)", "g(1, 2)"], "but not the underscore");
    assert_eq!(
        captures("a.js", text, "g($A, $$$REST)"),
        [("A".into(), "1".into()), ("REST".into(), "1".into())]
    );
    assert_eq!(captures("a.js", "f(1, [2], 3)", "f($$$ALL)"), [("ALL".into(), "1, [2], 3".into())]);
}

#[test]
fn dollars_of_the_language_are_no_variables() {
    assert_eq!(search("a.js", "$('p').$on(x);\n", "$($A)"), ["$('p')"]);
    assert_eq!(search("a.php", "<?php\nf($this, $a);\nf($that, $a);\n", "f($this, $A)"), ["f($this, $a)"]);
}

#[test]
fn code_that_stands_inside_of_something() {
    let rust = "impl S {\n    fn f(&self) -> u8 { 1 }\n}\nfn g() { match x { A => 1, B => 2 } }\n";
    assert_eq!(search("a.rs", rust, "fn $NAME(&self) -> $T { $$$ }"), ["fn f(&self) -> u8 { 1 }"]);
    assert_eq!(search("a.rs", rust, "$P => 2"), ["B => 2"]);
    let java = "class C {\n    @Override public int f(int x) { return x; }\n}\n";
    assert_eq!(search("A.java", java, "return $X;"), ["return x;"]);
    assert_eq!(search("a.ts", "class C { m(): void { } }\n", "m(): void { $$$ }"), ["m(): void { }"]);
    assert_eq!(
        search(
            "a.go",
            "package p\nfunc f() { if err != nil { return err } }\n",
            "if err != nil { return err }"
        )
        .len(),
        1
    );
    assert_eq!(search("a.c", "int f() { if (x) { g(y); } return 0; }\n", "if ($C) { $$$ }").len(), 1);
    assert_eq!(search("a.tf", "a {\n  x = f(1)\n  y = [f(2)]\n}\n", "f($A)"), ["f(1)", "f(2)"]);
    assert_eq!(search("a.sql", "SELECT count(a), b FROM t WHERE c = 1;\n", "count($A)"), ["count(a)"]);
    assert_eq!(search("a.sql", "SELECT a FROM t WHERE c = 1;\n", "c = $A"), ["c = 1"]);
    assert_eq!(search("a.py", "try:\n    f()\nexcept E:\n    pass\n", "f()"), ["f()"]);
}

#[test]
fn what_is_not_one_node_is_no_pattern() {
    let error = |path: &str, pattern: &str| Pattern::new(pattern, language(path)).err();
    assert_eq!(error("a.js", "a(); b();"), Some(PatternError::NotOneNode(language("a.js"))));
    assert_eq!(error("a.js", "f("), Some(PatternError::NotOneNode(language("a.js"))));
    assert_eq!(error("a.js", "  "), Some(PatternError::Empty));
    assert_eq!(error("a.js", "$$$"), Some(PatternError::Several));
    assert_eq!(error("a.js", "$$$ALL"), Some(PatternError::Several));
    let said = PatternError::NotOneNode(language("a.js")).to_string();
    assert_eq!(said, "the pattern does not parse as one node of javascript");
}

#[test]
fn captures_go_into_the_template() {
    assert_eq!(
        rewrite("a.js", "var a = f(1);\n", &[("var $A = $B", "let $A = $B")]).unwrap(),
        "let a = f(1);\n"
    );
    assert_eq!(
        rewrite("a.js", "f(1, [2], 3);\n", &[("f($$$A)", "g($$$A, 4)")]).unwrap(),
        "g(1, [2], 3, 4);\n"
    );
    assert_eq!(rewrite("a.py", "f(1)\nf(2)\n", &[("f($A)", "g($A, $A)")]).unwrap(), "g(1, 1)\ng(2, 2)\n");
    assert_eq!(rewrite("a.ini", "a = 1\nb = 2\n", &[("a = $V", "a = 3")]).unwrap(), "a = 3\nb = 2\n");
    assert_eq!(rewrite("a.ini", "a = 1\nb = 2\n", &[("a = $V", "c = $V")]).unwrap(), "c = 1\nb = 2\n");
    assert_eq!(rewrite("a.yaml", "a:\n  b: 1\nc: 2\n", &[("b: $V", "d: $V")]).unwrap(), "a:\n  d: 1\nc: 2\n");
    assert_eq!(rewrite("a.toml", "b = [1]\nc = 2\n", &[("b = $V", "d = $V")]).unwrap(), "d = [1]\nc = 2\n");
    assert_eq!(rewrite("a.md", "# One\n\ntext\n", &[("# $T", "## $T!")]).unwrap(), "## One!\n\ntext\n");
    assert_eq!(
        rewrite("a.rs", "fn f() { x.unwrap(); }\n", &[("$X.unwrap()", "$X?")]).unwrap(),
        "fn f() { x?; }\n"
    );
}

#[test]
fn captured_lines_keep_their_indentation() {
    let text =
        "class C {\n    m() {\n        if (a) {\n            b();\n            c();\n        }\n    }\n}\n";
    let rules = [("if ($A) { $$$BODY }", "while ($A) {\n    $$$BODY\n}")];
    let expected = text.replace("if (a)", "while (a)");
    assert_eq!(rewrite("a.js", text, &rules).unwrap(), expected);
}

#[test]
fn an_empty_template_deletes() {
    let text =
        "a();\nconsole.log(1);\nif (x) { console.log(2); b(); }\n    console.log(\n        3\n    )\nc();\n";
    let result = rewrite("a.js", text, &[("console.log($$$)", "")]).unwrap();
    assert_eq!(result, "a();\nif (x) {  b(); }\nc();\n");
    assert_eq!(rewrite("a.py", "import a\nimport b\n", &[("import a", "")]).unwrap(), "import b\n");
}

#[test]
fn replacements_do_not_overlap() {
    assert_eq!(rewrite("a.js", "f(f(1));\n", &[("f($A)", "g($A)")]), Err(Overlap));
    let rules = [("f($A)", "g($A)"), ("f(1)", "h()")];
    assert_eq!(rewrite("a.js", "f(1);\n", &rules), Err(Overlap));
    assert_eq!(
        Overlap.to_string(),
        "Overlapping replacements detected; refine pattern to avoid ambiguous edits"
    );
}

#[test]
fn files_with_errors_are_searched_and_say_so() {
    let text = "fn a() { g(1); }\nfn b( {\n";
    let source = Source::parse(text, language("a.rs"), Bounds::SIZE).unwrap();
    assert!(source.has_error());
    assert_eq!(search("a.rs", text, "g($A)"), ["g(1)"]);
}

/// The lines of a string are its value, in every language that has such strings. Each text holds one call, deep inside.
#[test]
fn lines_of_strings_keep_their_white_space() {
    let texts = [
        ("a.js", "class A {\n    m() {\n        f(`\none\n  ${two}\n`);\n    }\n}\n"),
        ("a.ts", "class A {\n    m() {\n        f(`\none\n`);\n    }\n}\n"),
        ("a.py", "class A:\n    def m(self):\n        f(\"\"\"\none\n    {two}\n\"\"\")\n"),
        ("a.go", "package p\n\nfunc m() {\n    f(`\none\n  two\n`)\n}\n"),
        ("a.rs", "mod m {\n    fn g() {\n        f(\"\none\n  two\n\");\n    }\n}\n"),
        ("b.rs", "mod m {\n    fn g() {\n        f(r#\"\none\n  two\n\"#);\n    }\n}\n"),
        ("A.java", "class A {\n    void m() {\n        f(\"\"\"\none\n  two\n\"\"\");\n    }\n}\n"),
        ("a.kt", "class A {\n    fun m() {\n        f(\"\"\"\none\n  $two\n\"\"\")\n    }\n}\n"),
        ("a.cs", "class A {\n    void M() {\n        f(@\"\none\n  two\n\");\n    }\n}\n"),
        ("b.cs", "class A {\n    void M() {\n        f(\"\"\"\none\n  two\n\"\"\");\n    }\n}\n"),
        ("a.swift", "class A {\n    func m() {\n        f(\"\"\"\none\n  two\n\"\"\")\n    }\n}\n"),
        ("a.scala", "object A {\n    def m = {\n        f(\"\"\"\none\n  two\n\"\"\")\n    }\n}\n"),
        ("a.rb", "class A\n    def m\n        f(\"\none\n  two\n\")\n    end\nend\n"),
        ("a.php", "<?php\nclass A {\n    function m() {\n        f('\none\n  two\n');\n    }\n}\n"),
        ("b.php", "<?php\nclass A {\n    function m() {\n        f(<<<X\none\n  $two\nX);\n    }\n}\n"),
        ("a.lua", "function m()\n    if x then\n        f([[\none\n  two\n]])\n    end\nend\n"),
        ("a.ex", "defmodule A do\n    def m do\n        f(\"\none\n  two\n\")\n    end\nend\n"),
        ("a.cpp", "struct A {\n    void m() {\n        f(R\"(\none\n  two\n)\");\n    }\n};\n"),
        ("a.dart", "class A {\n    void m() {\n        f(\"\"\"\none\n  two\n\"\"\");\n    }\n}\n"),
        ("a.jl", "function m()\n    if x\n        f(\"\"\"\none\n  two\n\"\"\")\n    end\nend\n"),
        ("a.r", "m <- function() {\n    if (x) {\n        f(\"\none\n  two\n\")\n    }\n}\n"),
        ("a.pl", "sub m {\n    if ($x) {\n        f(\"\none\n  two\n\");\n    }\n}\n"),
        ("a.tf", "a {\n    b {\n        c = f(<<X\none\n  two\nX\n)\n    }\n}\n"),
    ];
    let mut wrong = Vec::new();
    for (path, text) in texts {
        match rewrite(path, text, &[("f($A)", "g($A)")]) {
            Ok(result) if result == text.replace("f(", "g(") => {}
            result => wrong.push(format!("{path}: {result:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Code moves with the line it is put on, whatever the indentation is made of; what is shorter stays.
#[test]
fn captured_code_is_indented_like_its_new_place() {
    let rules = [("if a { $$$BODY }", "{\n\tif a {\n\t\t$$$BODY\n\t}\n}")];
    let text = "func f() {\n\tif a {\n\t\tb()\n\n\t\tc(\n\t\t\t1,\n\t\t)\n\t}\n}\n";
    let expected = "func f() {\n\t{\n\t\tif a {\n\t\t\tb()\n\n\t\t\tc(\n\t\t\t\t1,\n\t\t\t)\n\t\t}\n\t}\n}\n";
    assert_eq!(
        rewrite("a.go", &format!("package p\n\n{text}"), &rules).unwrap(),
        format!("package p\n\n{expected}")
    );
    let python = "if x:\n    with a:\n        b()\n        if c:\n            d()\n";
    assert_eq!(
        rewrite("a.py", python, &[("with a:\n    $$$BODY", "try:\n    $$$BODY\nfinally:\n    e()")]).unwrap(),
        "if x:\n    try:\n        b()\n        if c:\n            d()\n    finally:\n        e()\n"
    );
    // A list without members leaves no blanks behind.
    let empty = rewrite("a.js", "  f(() => {});\n", &[("f(() => { $$$B })", "{\n  $$$B\n}")]);
    assert_eq!(empty.unwrap(), "  {\n\n  };\n");
}

#[test]
fn names_of_a_template_are_those_of_its_pattern() {
    let made = |path: &str, pattern: &str, template: &str| {
        Rule::new(Pattern::new(pattern, language(path)).unwrap(), template, language(path)).err()
    };
    assert_eq!(made("a.js", "f($A, $$$B)", "g($$$B, $A, $a, $1, $)"), None);
    assert_eq!(made("a.js", "f($A)", "g($B)"), Some(TemplateError::Unknown("$B".into())));
    assert_eq!(made("a.js", "f($$$A)", "g($A)"), Some(TemplateError::OtherCount("$A".into(), "$$$A".into())));
    assert_eq!(made("a.js", "f($$$)", "g($$$)"), Some(TemplateError::Unnamed("$$$".into())));
    assert_eq!(made("a.js", "f($_A)", "g($_A)"), Some(TemplateError::Unnamed("$_A".into())));
    assert_eq!(made("a.sh", "run $A", "run $A $HOME $_"), None, "variables of the shell");
    assert_eq!(
        made("a.sh", "run $$$A", "run $A"),
        Some(TemplateError::OtherCount("$A".into(), "$$$A".into()))
    );
    assert_eq!(TemplateError::Unknown("$B".into()).to_string(), "the pattern has no $B");
}

#[test]
fn a_part_of_the_matches_is_the_first_part() {
    let text = "f(1); f(f(2)); g(); f(3);\n";
    let source = Source::parse(text, language("a.js"), Bounds::SIZE).unwrap();
    for pattern in ["f($A)", "$A", "f($$$)"] {
        let pattern = Pattern::new(pattern, language("a.js")).unwrap();
        let all = source.search(&pattern);
        for most in 0..all.len() + 2 {
            assert_eq!(source.search_some(&pattern, most), all[..most.min(all.len())]);
        }
    }
}
