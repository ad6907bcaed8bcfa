use std::cell::Cell;

use super::*;

fn marks(tag: &str, text: &str) -> Vec<(String, Class)> {
    let language = Language::of_tag(tag).unwrap();
    let marks = highlight(text, language, Bounds::SIZE).unwrap();
    marks.into_iter().map(|mark| (text[mark.range].to_owned(), mark.class)).collect()
}

#[track_caller]
fn has(tag: &str, text: &str, piece: &str, class: Class) {
    let marks = marks(tag, text);
    assert!(marks.iter().any(|(text, found)| text == piece && *found == class), "{tag}: {marks:?}");
}

#[test]
fn the_usual_languages_have_the_usual_colours() {
    let rust = "// note\nfn main() -> Vec<u8> { let x = \"hi\"; run(x, 42) }\n";
    has("rust", rust, "// note", Class::Comment);
    has("rs", rust, "fn", Class::Keyword);
    has("rust", rust, "main", Class::Function);
    has("rust", rust, "Vec", Class::Type);
    has("rust", rust, "\"hi\"", Class::String);
    has("rust", rust, "42", Class::Number);
    has("python3", "def f(x):\n    return x + 1\n", "def", Class::Keyword);
    has("ts", "const a: number = f(1)", "const", Class::Keyword);
    has("ts", "const a: number = f(1)", "f", Class::Function);
    has("tsx", "const a = <b>hi</b>", "const", Class::Keyword);
    has("cpp", "int main() { return 0; }", "return", Class::Keyword);
    has("shell", "echo \"$HOME\" # done", "# done", Class::Comment);
    has("json", "{\"a\": 1}", "1", Class::Number);
    has("go", "package main", "package", Class::Keyword);
    has("yaml", "a: 'b'", "'b'", Class::String);
}

#[test]
fn a_grammar_without_a_query_is_coloured_by_its_tokens() {
    has("hcl", "# note\na = 12\n", "# note", Class::Comment);
    has("hcl", "# note\na = 12\n", "12", Class::Number);
    has("proto", "message A { string b = 1; }", "message", Class::Keyword);
}

/// Every third language, from `first` on: queries take their time to compile.
fn some_languages(first: usize) {
    let text = "// a\n# b\n-- c\n; d\nlet x = \"s\" + 12;\nif (x) { return f(x); }\n<a href=\"b\">c</a>\n[k]\nkey: 1\n+ add\n";
    for language in Language::all().skip(first).step_by(3) {
        assert_eq!(queries::of(language).is_some(), queries::is_listed(language), "{language:?}: bad query");
        let marks = highlight(text, language, Bounds::SIZE).unwrap();
        let apart = marks.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
        assert!(apart, "{language:?}: {marks:?}");
        assert!(marks.iter().all(|mark| text.get(mark.range.clone()).is_some()), "{language:?}");
    }
}

#[test]
fn queries_fit_and_marks_never_overlap() {
    some_languages(0);
}

#[test]
fn queries_fit_and_marks_never_overlap_in_more_languages() {
    some_languages(1);
}

#[test]
fn queries_fit_and_marks_never_overlap_in_the_other_languages() {
    some_languages(2);
}

#[test]
fn languages_inside_a_text_have_their_own_colours() {
    let page = "<p>if</p><script lang=\"ts\">const a: number = 1;</script><style>a { color: red }</style>";
    has("html", page, "const", Class::Keyword);
    has("html", page, "number", Class::Type);
    has("html", page, "script", Class::Type);
    let prose = "# Title\n\n```rust\nfn main() { let x = 1; }\n```\n\nlet it be\n";
    has("markdown", prose, "fn", Class::Keyword);
    assert_eq!(marks("markdown", prose).iter().filter(|(text, _)| text == "let").count(), 1);
}

#[test]
fn labels_of_code_blocks_are_understood() {
    let name = |tag: &str| Language::of_tag(tag).map(Language::name);
    assert_eq!(name("Rust"), Some("rust"));
    assert_eq!(name("sh"), Some("bash"));
    assert_eq!(name("tsx"), Some("tsx"));
    assert_eq!(name("c++"), Some("cpp"));
    assert_eq!(name("py"), Some("python"));
    assert_eq!(name("text"), None);
    assert_eq!(name(""), None);
}

#[test]
fn too_long_and_too_slow_have_no_colours() {
    let rust = Language::of_tag("rust").unwrap();
    assert!(highlight(&" ".repeat(MAX_HIGHLIGHT_BYTES + 1), rust, Bounds::SIZE).is_none());
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    assert!(highlight(&"fn f() { g(1) }\n".repeat(10_000), rust, Bounds { stop: &stop }).is_none());
}
