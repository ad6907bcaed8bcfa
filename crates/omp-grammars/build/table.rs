//! Where each grammar comes from: the package, its folder with `parser.c`, its C function, its highlighting queries.

pub(crate) struct Source {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) folder: &'static str,
    pub(crate) symbol: &'static str,
    pub(crate) queries: &'static [&'static str],
    /// Left out without the feature `large-grammars`.
    pub(crate) large: bool,
}

const HIGHLIGHTS: &[&str] = &["queries/highlights.scm"];
const NONE: &[&str] = &[];

const fn small(
    name: &'static str,
    package: &'static str,
    folder: &'static str,
    symbol: &'static str,
    queries: &'static [&'static str],
) -> Source {
    Source { name, package, folder, symbol, queries, large: false }
}

const fn large(
    name: &'static str,
    package: &'static str,
    folder: &'static str,
    symbol: &'static str,
    queries: &'static [&'static str],
) -> Source {
    Source { name, package, folder, symbol, queries, large: true }
}

/// In the order of their names.
pub(crate) const SOURCES: &[Source] = &[
    small("astro", "tree-sitter-astro-next", "src", "tree_sitter_astro", NONE),
    small("bash", "tree-sitter-bash", "src", "tree_sitter_bash", HIGHLIGHTS),
    small("c", "tree-sitter-c", "src", "tree_sitter_c", HIGHLIGHTS),
    small("clojure", "tree-sitter-clojure-orchard", "src", "tree_sitter_clojure_orchard", HIGHLIGHTS),
    small("cmake", "tree-sitter-cmake", "src", "tree_sitter_cmake", HIGHLIGHTS),
    small("cpp", "tree-sitter-cpp", "src", "tree_sitter_cpp", HIGHLIGHTS),
    large("csharp", "tree-sitter-c-sharp", "src", "tree_sitter_c_sharp", HIGHLIGHTS),
    small("css", "tree-sitter-css", "src", "tree_sitter_css", HIGHLIGHTS),
    small("dart", "tree-sitter-dart-orchard", "src", "tree_sitter_dart_orchard", HIGHLIGHTS),
    small("diff", "tree-sitter-diff", "src", "tree_sitter_diff", HIGHLIGHTS),
    small("dockerfile", "tree-sitter-containerfile", "src", "tree_sitter_containerfile", HIGHLIGHTS),
    small("elixir", "tree-sitter-elixir", "src", "tree_sitter_elixir", HIGHLIGHTS),
    small("erlang", "tree-sitter-erlang", "src", "tree_sitter_erlang", HIGHLIGHTS),
    small("go", "tree-sitter-go", "src", "tree_sitter_go", HIGHLIGHTS),
    small("graphql", "tree-sitter-graphql", "src", "tree_sitter_graphql", NONE),
    large("haskell", "tree-sitter-haskell", "src", "tree_sitter_haskell", HIGHLIGHTS),
    small("hcl", "tree-sitter-hcl", "src", "tree_sitter_hcl", NONE),
    small("html", "tree-sitter-html", "src", "tree_sitter_html", HIGHLIGHTS),
    small("ini", "tree-sitter-ini", "src", "tree_sitter_ini", HIGHLIGHTS),
    small("java", "tree-sitter-java", "src", "tree_sitter_java", HIGHLIGHTS),
    small(
        "javascript",
        "tree-sitter-javascript",
        "src",
        "tree_sitter_javascript",
        &["queries/highlights.scm", "queries/highlights-jsx.scm"],
    ),
    small("json", "tree-sitter-json", "src", "tree_sitter_json", HIGHLIGHTS),
    large("julia", "tree-sitter-julia", "src", "tree_sitter_julia", NONE),
    large("kotlin", "tree-sitter-kotlin-ng", "src", "tree_sitter_kotlin", NONE),
    small("lua", "tree-sitter-lua", "src", "tree_sitter_lua", HIGHLIGHTS),
    small("make", "tree-sitter-make", "src", "tree_sitter_make", HIGHLIGHTS),
    small(
        "markdown",
        "tree-sitter-md",
        "tree-sitter-markdown/src",
        "tree_sitter_markdown",
        &["tree-sitter-markdown/queries/highlights.scm"],
    ),
    small("nix", "tree-sitter-nix", "src", "tree_sitter_nix", HIGHLIGHTS),
    large("objc", "tree-sitter-objc", "src", "tree_sitter_objc", HIGHLIGHTS),
    large("ocaml", "tree-sitter-ocaml", "grammars/ocaml/src", "tree_sitter_ocaml", HIGHLIGHTS),
    large("odin", "tree-sitter-odin", "src", "tree_sitter_odin", HIGHLIGHTS),
    large("perl", "ts-parser-perl", "src", "tree_sitter_perl", HIGHLIGHTS),
    small("php", "tree-sitter-php", "php/src", "tree_sitter_php", HIGHLIGHTS),
    small("powershell", "tree-sitter-powershell", "src", "tree_sitter_powershell", HIGHLIGHTS),
    small("protobuf", "tree-sitter-proto", "src", "tree_sitter_proto", NONE),
    small("python", "tree-sitter-python", "src", "tree_sitter_python", HIGHLIGHTS),
    small("r", "tree-sitter-r", "src", "tree_sitter_r", HIGHLIGHTS),
    small("regex", "tree-sitter-regex", "src", "tree_sitter_regex", HIGHLIGHTS),
    small("ruby", "tree-sitter-ruby", "src", "tree_sitter_ruby", HIGHLIGHTS),
    small("rust", "tree-sitter-rust", "src", "tree_sitter_rust", HIGHLIGHTS),
    large("scala", "tree-sitter-scala", "src", "tree_sitter_scala", HIGHLIGHTS),
    small("solidity", "tree-sitter-solidity", "src", "tree_sitter_solidity", NONE),
    small("sql", "tree-sitter-sequel", "src", "tree_sitter_sql", HIGHLIGHTS),
    small("starlark", "tree-sitter-starlark", "src", "tree_sitter_starlark", HIGHLIGHTS),
    small("svelte", "tree-sitter-svelte-ng", "src", "tree_sitter_svelte", HIGHLIGHTS),
    large("swift", "tree-sitter-swift", "src", "tree_sitter_swift", HIGHLIGHTS),
    large("tlaplus", "tree-sitter-tlaplus", "src", "tree_sitter_tlaplus", HIGHLIGHTS),
    small("toml", "tree-sitter-toml-ng", "src", "tree_sitter_toml", HIGHLIGHTS),
    small("tsx", "tree-sitter-typescript", "tsx/src", "tree_sitter_tsx", HIGHLIGHTS),
    small("typescript", "tree-sitter-typescript", "typescript/src", "tree_sitter_typescript", HIGHLIGHTS),
    small("xml", "tree-sitter-xml", "xml/src", "tree_sitter_xml", &["queries/xml/highlights.scm"]),
    small("yaml", "tree-sitter-yaml", "src", "tree_sitter_yaml", HIGHLIGHTS),
    small("zig", "tree-sitter-zig", "src", "tree_sitter_zig", HIGHLIGHTS),
];
