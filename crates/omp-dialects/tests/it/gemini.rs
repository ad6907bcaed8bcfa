//! The Python form of Gemini and Gemma 3.

use omp_dialects::{Dialect, Outcome, Scanner, WrittenCall, WrittenResult};
use serde_json::{Value, json};

use crate::support::{Seen, call, read, scan as in_parts, text, thought, tools, truncated};

fn scan(markup: &str) -> Vec<Seen> {
    read(Dialect::Gemini, markup)
}

fn code(source: &str) -> String {
    format!("```tool_code\n{source}\n```")
}

// proves: WIR-076, WIR-077
#[test]
fn all_spellings_are_one_call() {
    let expected = [call("convert", json!({"amount": 200.5, "to": "EUR"}))];
    for source in [
        "print(default_api.convert(amount=200.5, to='EUR'))",
        "default_api.convert(amount=200.5, to=\"EUR\")",
        "convert(amount=200.5, to='EUR')",
        "result = convert(amount=200.5, to='EUR')",
        "x = print( other.module.convert( amount = 200.5 , to = 'EUR' , ) )",
        "print(convert(\n    amount=200.5,\n    to='EUR',  # a comment\n))",
    ] {
        assert_eq!(scan(&code(source)), expected, "{source}");
    }
    let printed = scan(&code("print('hello')"));
    assert!(!printed.iter().any(|seen| matches!(seen, Seen::Call { .. })), "{printed:?}");
}

// proves: WIR-078
#[test]
fn values_are_python_literals() {
    for (literal, value) in [
        ("'single'", json!("single")),
        ("\"double\"", json!("double")),
        (r#""a\n\t\\\'\"b""#, json!("a\n\t\\'\"b")),
        (r"'\x41\u00e9\q'", json!("Aé\\q")),
        ("\"\"\"three \"quotes\"\nand lines\"\"\"", json!("three \"quotes\"\nand lines")),
        ("r'a\\b'", json!("a\\b")),
        ("'a' 'b'", json!("ab")),
        ("42", json!(42)),
        ("-1_000", json!(-1000)),
        ("3.25", json!(3.25)),
        ("1e3", json!(1e3)),
        ("True", json!(true)),
        ("False", json!(false)),
        ("None", Value::Null),
        ("[]", json!([])),
        ("[1, 'two', [3,], ]", json!([1, "two", [3]])),
        ("('a', 'b')", json!(["a", "b"])),
        ("{'k': 1, \"n\": {'x': None,},}", json!({"k": 1, "n": {"x": null}})),
    ] {
        let source = code(&format!("f(value={literal})"));
        assert_eq!(scan(&source), [call("f", json!({"value": value}))], "{literal}");
    }
}

/// A list, and one call to a line.
// proves: WIR-079
#[test]
fn several_calls_come_in_order() {
    let expected = [call("a", json!({"x": 1})), call("b", json!({})), call("a", json!({"x": 2}))];
    assert_eq!(scan(&code("[a(x=1), default_api.b(), a(x=2)]")), expected);
    assert_eq!(scan(&code("print(a(x=1))\nprint(default_api.b())\n\nr = a(x=2)")), expected);
    let answer = format!("I call.\n{}\n", code("[a(x=1), b(), a(x=2)]"));
    assert_eq!(scan(&answer)[0], text("I call.\n"));
}

// proves: WIR-080
#[test]
fn strings_hold_anything() {
    for inside in ["foo(", "a, b=1)", "x = y", "# no comment", "[({", "```"] {
        assert_eq!(
            scan(&code(&format!("search(pattern=\"{inside}\", n=1)"))),
            [call("search", json!({"pattern": inside, "n": 1}))],
            "{inside}"
        );
    }
}

/// Nothing says which parameter a positional argument is for: the call is sent back, not guessed.
// proves: WIR-081
#[test]
fn positional_arguments_are_refused() {
    let seen = scan(&code("read('a.txt')\nlist(path='b')"));
    assert!(
        matches!(&seen[0], Seen::Invalid { name, written } if name == "read" && written.contains("a.txt")),
        "{seen:?}"
    );
    assert_eq!(seen[1], call("list", json!({"path": "b"})));
}

/// A fence on a line of its own ends the block, also inside a string; half a call never runs.
// proves: WIR-082
#[test]
fn the_first_bare_fence_ends_the_block() {
    let seen = scan(&code("write(path='a.md', text=\"\"\"before\n```\nafter\"\"\")"));
    assert!(seen.iter().all(|seen| !matches!(seen, Seen::Call { .. })), "{seen:?}");
    assert!(matches!(&seen[0], Seen::Invalid { name, .. } if name == "write"), "{seen:?}");
    assert_eq!(scan("```tool_code\nread(path='a')"), [truncated("read")]);
}

/// Double quotes in one block; results in blocks of their own, in order.
// proves: WIR-083
#[test]
fn calls_and_results_are_written_in_blocks() {
    let first =
        json!({"path": "it's \"a\"\n", "deep": true, "none": null, "list": [1, "x"], "map": {"k": 1.5}});
    let second = json!({});
    let calls = [
        WrittenCall { id: "1", name: "grep", arguments: &first },
        WrittenCall { id: "2", name: "list", arguments: &second },
    ];
    let written = Dialect::Gemini.write_calls(&calls);
    assert_eq!(
        written,
        "```tool_code\ngrep(path=\"it's \\\"a\\\"\\n\", deep=True, none=None, list=[1, \"x\"], map={\"k\": 1.5})\nlist()\n```"
    );
    assert_eq!(scan(&written), [call("grep", first.clone()), call("list", json!({}))]);
    let result = |text| WrittenResult { id: "", name: "grep", text, outcome: Outcome::Fine };
    assert_eq!(
        Dialect::Gemini.write_results(&[result("one"), result("two")]),
        "```tool_outputs\none\n```\n```tool_outputs\ntwo\n```"
    );
}

/// A fence with a language inside the thought is part of it.
// proves: WIR-084
#[test]
fn thoughts_are_fenced() {
    let markup = "```thinking\nFirst.\n\n```rs\nlet x = 1;\n```\n  Then.\n```\nHello.";
    assert_eq!(scan(markup), [thought("First.\n\n```rs\nlet x = 1;\n```\n  Then."), text("Hello.")]);
    assert_eq!(scan("```thinking\nonly"), [thought("only")]);
}

/// The block is found wherever it leaks to, other fences are left alone.
// proves: WIR-087
#[test]
fn leaked_blocks_are_found() {
    let markup =
        "Sure:\n```python\nread(path='x')\n```\nand\n```tool_code\nprint(default_api.read(path='a'))\n```\n";
    let expected = [
        text("Sure:\n```python\nread(path='x')\n```\nand\n"),
        call("read", json!({"path": "a"})),
        text("\n"),
    ];
    assert_eq!(scan(markup), expected);
}

/// Calls, results and thoughts are words between fences: no control token is written or needed, and a text whose
/// characters arrive one by one, as no tokenizer would cut them, is read like the whole.
// proves: WIR-089
#[test]
fn everything_is_plain_text() {
    let arguments = json!({"path": "a.txt"});
    let call_of = WrittenCall { id: "1", name: "grep", arguments: &arguments };
    let result = WrittenResult { id: "1", name: "grep", text: "found", outcome: Outcome::Fine };
    let written = [
        Dialect::Gemini.write_thought("hm"),
        Dialect::Gemini.write_calls(&[call_of]),
        Dialect::Gemini.write_results(&[result]),
    ];
    for text in &written {
        assert!(text.starts_with("```") && text.trim_end().ends_with("```"), "{text}");
        assert!(!text.contains(['<', '>', '|']) && text.is_ascii(), "{text}");
    }
    let answer = format!("{}Ünder way.\n{}", written[0], written[1]);
    let expected = [thought("hm"), text("Ünder way.\n"), call("grep", arguments.clone())];
    let characters: Vec<String> = answer.chars().map(String::from).collect();
    for parts in [vec![answer.as_str()], characters.iter().map(String::as_str).collect()] {
        assert_eq!(in_parts(Scanner::new(Dialect::Gemini, tools()), parts), expected);
    }
}
