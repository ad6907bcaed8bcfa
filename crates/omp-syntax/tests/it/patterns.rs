//! Patterns, as one text sees them.

use omp_syntax::pattern::{Overlap, Pattern, PatternError, Rule, Source};
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
        Rule::new(Pattern::new(pattern, language).unwrap(), template, language)
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
