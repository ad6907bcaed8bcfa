//! The grammars that are linked in, and what patterns in their languages need.

use tree_sitter::Language;

use crate::Family;
use crate::Family::{Code, Data, Markup, Prose};

/// One language.
pub(crate) struct Grammar {
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) language: fn() -> Language,
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

const fn row(name: &'static str, family: Family, language: fn() -> Language, contexts: Contexts) -> Grammar {
    Grammar { name, family, language, contexts }
}

/// In the order of their names.
pub(crate) static GRAMMARS: &[Grammar] = &[
    row("astro", Markup, || tree_sitter_astro_next::LANGUAGE.into(), ALONE),
    row("bash", Code, || tree_sitter_bash::LANGUAGE.into(), ALONE),
    row("c", Code, || tree_sitter_c::LANGUAGE.into(), C),
    row("clojure", Code, || tree_sitter_clojure_orchard::LANGUAGE.into(), ALONE),
    row("cmake", Code, || tree_sitter_cmake::LANGUAGE.into(), ALONE),
    row("cpp", Code, || tree_sitter_cpp::LANGUAGE.into(), C),
    #[cfg(feature = "large-grammars")]
    row("csharp", Code, || tree_sitter_c_sharp::LANGUAGE.into(), JAVA),
    row("css", Code, || tree_sitter_css::LANGUAGE.into(), CSS),
    row("dart", Code, || tree_sitter_dart_orchard::LANGUAGE.into(), JAVA),
    row("diff", Data, || tree_sitter_diff::LANGUAGE.into(), ALONE),
    row("dockerfile", Code, || tree_sitter_containerfile::LANGUAGE.into(), ALONE),
    row("elixir", Code, || tree_sitter_elixir::LANGUAGE.into(), ALONE),
    row("erlang", Code, || tree_sitter_erlang::LANGUAGE.into(), ERL),
    row("go", Code, || tree_sitter_go::LANGUAGE.into(), GO),
    row("graphql", Code, || tree_sitter_graphql::LANGUAGE.into(), GQL),
    #[cfg(feature = "large-grammars")]
    row("haskell", Code, || tree_sitter_haskell::LANGUAGE.into(), HS),
    row("hcl", Code, || tree_sitter_hcl::LANGUAGE.into(), HCL),
    row("html", Markup, || tree_sitter_html::LANGUAGE.into(), ALONE),
    row("ini", Data, || tree_sitter_ini::LANGUAGE.into(), ALONE),
    row("java", Code, || tree_sitter_java::LANGUAGE.into(), JAVA),
    row("javascript", Code, || tree_sitter_javascript::LANGUAGE.into(), JS),
    row("json", Data, || tree_sitter_json::LANGUAGE.into(), JSON),
    #[cfg(feature = "large-grammars")]
    row("julia", Code, || tree_sitter_julia::LANGUAGE.into(), ALONE),
    #[cfg(feature = "large-grammars")]
    row("kotlin", Code, || tree_sitter_kotlin_ng::LANGUAGE.into(), KT),
    row("lua", Code, || tree_sitter_lua::LANGUAGE.into(), LUA),
    row("make", Code, || tree_sitter_make::LANGUAGE.into(), ALONE),
    row("markdown", Prose, || tree_sitter_md::LANGUAGE.into(), MD),
    row("nix", Code, || tree_sitter_nix::LANGUAGE.into(), ALONE),
    #[cfg(feature = "large-grammars")]
    row("objc", Code, || tree_sitter_objc::LANGUAGE.into(), C),
    #[cfg(feature = "large-grammars")]
    row("ocaml", Code, || tree_sitter_ocaml::LANGUAGE_OCAML.into(), ALONE),
    #[cfg(feature = "large-grammars")]
    row("odin", Code, || tree_sitter_odin::LANGUAGE.into(), ODIN),
    #[cfg(feature = "large-grammars")]
    row("perl", Code, || ts_parser_perl::LANGUAGE.into(), ALONE),
    row("php", Code, || tree_sitter_php::LANGUAGE_PHP.into(), PHP),
    row("powershell", Code, || tree_sitter_powershell::LANGUAGE.into(), ALONE),
    row("protobuf", Code, || tree_sitter_proto::LANGUAGE.into(), PROTO),
    row("python", Code, || tree_sitter_python::LANGUAGE.into(), PY),
    row("r", Code, || tree_sitter_r::LANGUAGE.into(), ALONE),
    row("regex", Data, || tree_sitter_regex::LANGUAGE.into(), ALONE),
    row("ruby", Code, || tree_sitter_ruby::LANGUAGE.into(), ALONE),
    row("rust", Code, || tree_sitter_rust::LANGUAGE.into(), RS),
    #[cfg(feature = "large-grammars")]
    row("scala", Code, || tree_sitter_scala::LANGUAGE.into(), SCALA),
    row("solidity", Code, || tree_sitter_solidity::LANGUAGE.into(), SOL),
    row("sql", Code, || tree_sitter_sequel::LANGUAGE.into(), SQL),
    row("starlark", Code, || tree_sitter_starlark::LANGUAGE.into(), ALONE),
    row("svelte", Markup, || tree_sitter_svelte_ng::LANGUAGE.into(), ALONE),
    #[cfg(feature = "large-grammars")]
    row("swift", Code, || tree_sitter_swift::LANGUAGE.into(), ALONE),
    #[cfg(feature = "large-grammars")]
    row("tlaplus", Code, || tree_sitter_tlaplus::LANGUAGE.into(), TLA),
    row("toml", Data, || tree_sitter_toml_ng::LANGUAGE.into(), ALONE),
    row("tsx", Code, || tree_sitter_typescript::LANGUAGE_TSX.into(), JS),
    row("typescript", Code, || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), JS),
    row("vue", Markup, || tree_sitter_html::LANGUAGE.into(), ALONE),
    row("xml", Markup, || tree_sitter_xml::LANGUAGE_XML.into(), ALONE),
    row("yaml", Data, || tree_sitter_yaml::LANGUAGE.into(), ALONE),
    row("zig", Code, || tree_sitter_zig::LANGUAGE.into(), ZIG),
];
