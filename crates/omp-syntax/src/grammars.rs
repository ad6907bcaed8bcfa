//! The grammars that are linked in, and what patterns in their languages need.

use omp_grammars::Grammar as Tables;

use crate::Family;
use crate::Family::{Code, Data, Markup, Prose};

/// One language.
pub(crate) struct Grammar {
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) tables: &'static Tables,
    /// What a pattern may stand in, if it makes no sense alone.
    pub(crate) contexts: Contexts,
}

/// Texts before and after a pattern.
type Contexts = &'static [(&'static str, &'static str)];

const ALONE: Contexts = &[];
const C: Contexts = &[("", ";"), ("void f() { ", "; }"), ("void f() { ", " }"), ("struct s { ", " };")];
const CSS: Contexts = &[("a { ", " }"), ("a { ", "; }"), ("a { b: ", "; }")];
const ERL: Contexts = &[("", "."), ("f() -> ", ".")];
const GO: Contexts =
    &[("func f() { ", " }"), ("var x = ", ""), ("type t struct { ", " }"), ("type t interface { ", " }")];
const GQL: Contexts = &[("query { ", " }"), ("type T { ", " }")];
#[cfg(feature = "large-grammars")]
const HS: Contexts = &[("f = ", "")];
const HCL: Contexts = &[("x = ", "")];
const JAVA: Contexts =
    &[("", ";"), ("class C { ", " }"), ("class C { void f() { ", " } }"), ("class C { void f() { ", "; } }")];
const JS: Contexts = &[("class C { ", " }"), ("(", ")"), ("let x: ", ""), ("async function* f() { ", " }")];
const JSON: Contexts = &[("{", "}")];
const MD: Contexts = &[("", "\n")];
#[cfg(feature = "large-grammars")]
const KT: Contexts = &[("fun f() { ", " }"), ("class C { ", " }")];
const LUA: Contexts = &[("return ", ""), ("local x = ", "")];
#[cfg(feature = "large-grammars")]
const ODIN: Contexts = &[("f :: proc() { ", " }"), ("x := ", "")];
const PHP: Contexts = &[("<?php ", ""), ("<?php ", ";"), ("<?php class C { ", " }")];
const PROTO: Contexts = &[("message M { ", " }"), ("service S { ", " }"), ("enum E { ", " }")];
const PY: Contexts = &[("def f():\n    ", ""), ("match x:\n    ", "")];
const RS: Contexts = &[
    ("fn f() { ", " }"),
    ("fn f() { ", "; }"),
    ("impl T { ", " }"),
    ("type T = ", ";"),
    ("fn f() { match x { ", " } }"),
];
#[cfg(feature = "large-grammars")]
const SCALA: Contexts = &[("class C { ", " }"), ("def f = { ", " }")];
const SOL: Contexts = &[
    ("contract C { ", " }"),
    ("contract C { function f() public { ", " } }"),
    ("contract C { function f() public { ", "; } }"),
];
#[cfg(feature = "large-grammars")]
const TLA: Contexts = &[("---- MODULE m ----\n", "\n===="), ("---- MODULE m ----\nx == ", "\n====")];
const SQL: Contexts = &[("SELECT ", ""), ("SELECT a FROM b WHERE ", "")];
const ZIG: Contexts = &[("fn f() void { ", " }"), ("fn f() void { ", "; }"), ("const x = ", ";")];

const fn row(name: &'static str, family: Family, tables: &'static Tables, contexts: Contexts) -> Grammar {
    Grammar { name, family, tables, contexts }
}

/// In the order of their names.
pub(crate) static GRAMMARS: &[Grammar] = &[
    row("astro", Markup, &omp_grammars::ASTRO, ALONE),
    row("bash", Code, &omp_grammars::BASH, ALONE),
    row("c", Code, &omp_grammars::C, C),
    row("clojure", Code, &omp_grammars::CLOJURE, ALONE),
    row("cmake", Code, &omp_grammars::CMAKE, ALONE),
    row("cpp", Code, &omp_grammars::CPP, C),
    #[cfg(feature = "large-grammars")]
    row("csharp", Code, &omp_grammars::CSHARP, JAVA),
    row("css", Code, &omp_grammars::CSS, CSS),
    row("dart", Code, &omp_grammars::DART, JAVA),
    row("diff", Data, &omp_grammars::DIFF, ALONE),
    row("dockerfile", Code, &omp_grammars::DOCKERFILE, ALONE),
    row("elixir", Code, &omp_grammars::ELIXIR, ALONE),
    row("erlang", Code, &omp_grammars::ERLANG, ERL),
    row("go", Code, &omp_grammars::GO, GO),
    row("graphql", Code, &omp_grammars::GRAPHQL, GQL),
    #[cfg(feature = "large-grammars")]
    row("haskell", Code, &omp_grammars::HASKELL, HS),
    row("hcl", Code, &omp_grammars::HCL, HCL),
    row("html", Markup, &omp_grammars::HTML, ALONE),
    row("ini", Data, &omp_grammars::INI, ALONE),
    row("java", Code, &omp_grammars::JAVA, JAVA),
    row("javascript", Code, &omp_grammars::JAVASCRIPT, JS),
    row("json", Data, &omp_grammars::JSON, JSON),
    #[cfg(feature = "large-grammars")]
    row("julia", Code, &omp_grammars::JULIA, ALONE),
    #[cfg(feature = "large-grammars")]
    row("kotlin", Code, &omp_grammars::KOTLIN, KT),
    row("lua", Code, &omp_grammars::LUA, LUA),
    row("make", Code, &omp_grammars::MAKE, ALONE),
    row("markdown", Prose, &omp_grammars::MARKDOWN, MD),
    row("nix", Code, &omp_grammars::NIX, ALONE),
    #[cfg(feature = "large-grammars")]
    row("objc", Code, &omp_grammars::OBJC, C),
    #[cfg(feature = "large-grammars")]
    row("ocaml", Code, &omp_grammars::OCAML, ALONE),
    #[cfg(feature = "large-grammars")]
    row("odin", Code, &omp_grammars::ODIN, ODIN),
    #[cfg(feature = "large-grammars")]
    row("perl", Code, &omp_grammars::PERL, ALONE),
    row("php", Code, &omp_grammars::PHP, PHP),
    row("powershell", Code, &omp_grammars::POWERSHELL, ALONE),
    row("protobuf", Code, &omp_grammars::PROTOBUF, PROTO),
    row("python", Code, &omp_grammars::PYTHON, PY),
    row("r", Code, &omp_grammars::R, ALONE),
    row("regex", Data, &omp_grammars::REGEX, ALONE),
    row("ruby", Code, &omp_grammars::RUBY, ALONE),
    row("rust", Code, &omp_grammars::RUST, RS),
    #[cfg(feature = "large-grammars")]
    row("scala", Code, &omp_grammars::SCALA, SCALA),
    row("solidity", Code, &omp_grammars::SOLIDITY, SOL),
    row("sql", Code, &omp_grammars::SQL, SQL),
    row("starlark", Code, &omp_grammars::STARLARK, ALONE),
    row("svelte", Markup, &omp_grammars::SVELTE, ALONE),
    #[cfg(feature = "large-grammars")]
    row("swift", Code, &omp_grammars::SWIFT, ALONE),
    #[cfg(feature = "large-grammars")]
    row("tlaplus", Code, &omp_grammars::TLAPLUS, TLA),
    row("toml", Data, &omp_grammars::TOML, ALONE),
    row("tsx", Code, &omp_grammars::TSX, JS),
    row("typescript", Code, &omp_grammars::TYPESCRIPT, JS),
    row("vue", Markup, &omp_grammars::HTML, ALONE),
    row("xml", Markup, &omp_grammars::XML, ALONE),
    row("yaml", Data, &omp_grammars::YAML, ALONE),
    row("zig", Code, &omp_grammars::ZIG, ZIG),
];
