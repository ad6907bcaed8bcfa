//! Every language, by one file each.

use omp_syntax::pattern::{Pattern, Source};
use omp_syntax::{Bounds, Language, parses};

/// A file's name, its text, a pattern, and what matches: the text, and the captured `$A`.
type Fixture = (&'static str, &'static str, &'static str, &'static str, &'static str);

const FIXTURES: &[Fixture] = &[
    ("a.astro", "---\nconst a = 1;\n---\n<p>{a}</p>\n", "<p>$$$</p>", "<p>{a}</p>", ""),
    ("a.sh", "grep -r foo .\n", "grep $A foo .", "grep -r foo .", "-r"),
    ("a.c", "int f(void) { return g(1); }\n", "g($A)", "g(1)", "1"),
    ("a.clj", "(defn f [x] (inc x))\n", "(inc $A)", "(inc x)", "x"),
    ("CMakeLists.txt", "set(NAME value)\n", "set(NAME $A)", "set(NAME value)", "value"),
    ("a.cpp", "auto f() { return std::move(x); }\n", "std::move($A)", "std::move(x)", "x"),
    ("a.cs", "class C { void F() { Log(\"x\"); } }\n", "Log($A)", "Log(\"x\")", "\"x\""),
    ("a.css", "p { color: red; }\n", "color: $A", "color: red;", "red"),
    ("a.dart", "void main() { print(\"x\"); }\n", "print($A)", "print(\"x\")", "\"x\""),
    ("a.diff", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "+++ $A", "+++ b/y", "b/y"),
    ("Dockerfile", "FROM debian\nRUN ls\n", "FROM $A", "FROM debian", "debian"),
    ("a.ex", "defmodule M do\n  def f, do: IO.puts(1)\nend\n", "IO.puts($A)", "IO.puts(1)", "1"),
    ("a.erl", "f(X) -> io:format(X).\n", "io:format($A)", "io:format(X)", "X"),
    ("a.go", "package p\n\nfunc f() { fmt.Println(1) }\n", "fmt.Println($A)", "fmt.Println(1)", "1"),
    ("a.graphql", "type T { a: Int }\n", "type T { a: $A }", "type T { a: Int }", "Int"),
    ("a.hs", "f x = map g x\n", "map g $A", "map g x", "x"),
    ("a.tf", "resource \"a\" \"b\" {\n  x = f(1)\n}\n", "x = f($A)", "x = f(1)", "1"),
    ("a.html", "<ul><li>x</li></ul>\n", "<li>$A</li>", "<li>x</li>", "x"),
    ("a.ini", "[s]\nkey = value\n", "key = $A", "key = value", "value"),
    ("a.java", "class C { void f() { g(1); } }\n", "g($A)", "g(1)", "1"),
    ("a.js", "const x = require('y');\n", "require($A)", "require('y')", "'y'"),
    ("a.json", "{\"a\": [1, 2]}\n", "\"a\": $A", "\"a\": [1, 2]", "[1, 2]"),
    ("a.jl", "function f(x)\n    println(x)\nend\n", "println($A)", "println(x)", "x"),
    ("a.kt", "fun f() { println(1) }\n", "println($A)", "println(1)", "1"),
    ("a.lua", "print(1)\n", "print($A)", "print(1)", "1"),
    ("Makefile", "all: x\n\techo\n", "all: $A", "all: x\n\techo", "x"),
    ("a.md", "# Title\n\ntext\n", "# $A", "# Title", "Title"),
    ("a.nix", "{ x = f 1; }\n", "f $A", "f 1", "1"),
    ("a.m", "int f(void) { return g(1); }\n", "g($A)", "g(1)", "1"),
    ("a.ml", "let f x = g x\n", "g $A", "g x", "x"),
    ("a.odin", "package p\n\nf :: proc() {\n\tg(1)\n}\n", "g($A)", "g(1)", "1"),
    ("a.pl", "sub f { return g($x); }\n", "g($A)", "g($x)", "$x"),
    ("a.php", "<?php\nfunction f() { echo g(1); }\n", "g($A)", "g(1)", "1"),
    ("a.ps1", "Write-Host \"x\"\n", "Write-Host $A", "Write-Host \"x\"", "\"x\""),
    ("a.proto", "syntax = \"proto3\";\nmessage M { int32 a = 1; }\n", "int32 $A = 1;", "int32 a = 1;", "a"),
    ("a.py", "def f():\n    print(1)\n", "print($A)", "print(1)", "1"),
    ("a.r", "f <- function(x) g(x)\n", "g($A)", "g(x)", "x"),
    ("a.regex", "(a|b)+\n", "(a|b)", "(a|b)", ""),
    ("a.rb", "def f\n  puts(1)\nend\n", "puts($A)", "puts(1)", "1"),
    ("a.rs", "fn f() { g(1) }\n", "g($A)", "g(1)", "1"),
    ("a.scala", "object O { def f = g(1) }\n", "g($A)", "g(1)", "1"),
    ("a.sol", "contract C { function f() public { g(1); } }\n", "g($A)", "g(1)", "1"),
    ("a.sql", "SELECT a FROM t;\n", "SELECT $A FROM t", "SELECT a FROM t", "a"),
    ("BUILD", "cc_library(name = \"x\")\n", "cc_library(name = $A)", "cc_library(name = \"x\")", "\"x\""),
    ("a.svelte", "<p>{a}</p>\n", "<p>$A</p>", "<p>{a}</p>", "{a}"),
    ("a.swift", "func f() { print(1) }\n", "print($A)", "print(1)", "1"),
    ("a.tla", "---- MODULE m ----\nf(x) == g(x)\n====\n", "g($A)", "g(x)", "x"),
    ("a.toml", "[a]\nb = [1]\n", "b = $A", "b = [1]", "[1]"),
    ("a.tsx", "const x = <p>{f(1)}</p>;\n", "f($A)", "f(1)", "1"),
    ("a.ts", "const x: number = f<T>(1);\n", "f<T>($A)", "f<T>(1)", "1"),
    ("a.vue", "<template><p>x</p></template>\n", "<p>$A</p>", "<p>x</p>", "x"),
    ("a.xml", "<a><b>x</b></a>\n", "<b>$A</b>", "<b>x</b>", "x"),
    ("a.yaml", "a:\n  b: 1\n", "b: $A", "b: 1", "1"),
    ("a.zig", "fn f() void {\n    g(1);\n}\n", "g($A)", "g(1)", "1"),
];

fn language(path: &str) -> Language {
    Language::of_path(path, "").unwrap_or_else(|| panic!("{path} has no language"))
}

#[test]
fn every_language_parses_its_file_and_matches_a_pattern() {
    let mut wrong = Vec::new();
    for (path, text, pattern, expected, captured) in FIXTURES {
        let language = language(path);
        if parses(text, language, Bounds::SIZE) != Some(true) {
            wrong.push(format!("{path}: does not parse"));
        }
        let pattern = match Pattern::new(pattern, language) {
            Ok(pattern) => pattern,
            Err(error) => {
                wrong.push(format!("{path}: {error}"));
                continue;
            }
        };
        let source = Source::parse(text, language, Bounds::SIZE).unwrap();
        let found = source.search(&pattern);
        let matched: Vec<&str> = found.iter().map(|one| &text[one.range.clone()]).collect();
        let captures: Vec<&str> =
            found.iter().flat_map(|one| &one.captures).map(|(_, text)| text.as_str()).collect();
        if matched != [*expected] || captures.concat() != *captured {
            wrong.push(format!("{path}: {matched:?} {captures:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing: Vec<&str> = Language::all()
        .filter(|one| !FIXTURES.iter().any(|fixture| language(fixture.0) == *one))
        .map(Language::name)
        .collect();
    assert!(missing.is_empty(), "no fixture: {missing:?}");
}
