//! The queries that come with the grammars, each compiled when its language is first shown.

use std::sync::OnceLock;

use tree_sitter::Query;

use super::Class;
use crate::Language;

/// A query and what its captures mean.
pub(super) struct Compiled {
    pub(super) query: Query,
    pub(super) classes: Vec<Option<Class>>,
}

/// One language: its name, and its queries, the more general first.
type QueryRow = (&'static str, fn() -> Vec<&'static str>);

/// In the order of the languages' names. A language that is not here is coloured by the kinds of its tokens.
static QUERIES: &[QueryRow] = &[
    ("bash", || vec![tree_sitter_bash::HIGHLIGHT_QUERY]),
    ("c", || vec![tree_sitter_c::HIGHLIGHT_QUERY]),
    ("clojure", || vec![tree_sitter_clojure_orchard::HIGHLIGHTS_QUERY]),
    ("cmake", || vec![tree_sitter_cmake::HIGHLIGHTS_QUERY]),
    ("cpp", || vec![tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("csharp", || vec![tree_sitter_c_sharp::HIGHLIGHTS_QUERY]),
    ("css", || vec![tree_sitter_css::HIGHLIGHTS_QUERY]),
    ("dart", || vec![tree_sitter_dart_orchard::HIGHLIGHTS_QUERY]),
    ("diff", || vec![tree_sitter_diff::HIGHLIGHTS_QUERY]),
    ("dockerfile", || vec![tree_sitter_containerfile::HIGHLIGHTS_QUERY]),
    ("elixir", || vec![tree_sitter_elixir::HIGHLIGHTS_QUERY]),
    ("erlang", || vec![tree_sitter_erlang::HIGHLIGHTS_QUERY]),
    ("go", || vec![tree_sitter_go::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("haskell", || vec![tree_sitter_haskell::HIGHLIGHTS_QUERY]),
    ("html", || vec![tree_sitter_html::HIGHLIGHTS_QUERY]),
    ("ini", || vec![tree_sitter_ini::HIGHLIGHTS_QUERY]),
    ("java", || vec![tree_sitter_java::HIGHLIGHTS_QUERY]),
    ("javascript", || {
        vec![tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_javascript::JSX_HIGHLIGHT_QUERY]
    }),
    ("json", || vec![tree_sitter_json::HIGHLIGHTS_QUERY]),
    ("lua", || vec![tree_sitter_lua::HIGHLIGHTS_QUERY]),
    ("make", || vec![tree_sitter_make::HIGHLIGHTS_QUERY]),
    ("markdown", || vec![tree_sitter_md::HIGHLIGHT_QUERY_BLOCK]),
    ("nix", || vec![tree_sitter_nix::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("objc", || vec![tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_objc::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("ocaml", || vec![tree_sitter_ocaml::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("odin", || vec![tree_sitter_odin::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("perl", || vec![ts_parser_perl::HIGHLIGHTS_QUERY]),
    ("php", || vec![tree_sitter_php::HIGHLIGHTS_QUERY]),
    ("powershell", || vec![tree_sitter_powershell::HIGHLIGHTS_QUERY]),
    ("python", || vec![tree_sitter_python::HIGHLIGHTS_QUERY]),
    ("r", || vec![tree_sitter_r::HIGHLIGHTS_QUERY]),
    ("regex", || vec![tree_sitter_regex::HIGHLIGHTS_QUERY]),
    ("ruby", || vec![tree_sitter_ruby::HIGHLIGHTS_QUERY]),
    ("rust", || vec![tree_sitter_rust::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("scala", || vec![tree_sitter_scala::HIGHLIGHTS_QUERY]),
    ("sql", || vec![tree_sitter_sequel::HIGHLIGHTS_QUERY]),
    ("starlark", || vec![tree_sitter_starlark::HIGHLIGHTS_QUERY]),
    ("svelte", || vec![tree_sitter_svelte_ng::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("swift", || vec![tree_sitter_swift::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "large-grammars")]
    ("tlaplus", || vec![tree_sitter_tlaplus::HIGHLIGHT_QUERY]),
    ("toml", || vec![tree_sitter_toml_ng::HIGHLIGHTS_QUERY]),
    ("tsx", || {
        vec![
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            tree_sitter_typescript::HIGHLIGHTS_QUERY,
        ]
    }),
    ("typescript", || {
        vec![tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_typescript::HIGHLIGHTS_QUERY]
    }),
    ("vue", || vec![tree_sitter_html::HIGHLIGHTS_QUERY]),
    ("xml", || vec![tree_sitter_xml::XML_HIGHLIGHT_QUERY]),
    ("yaml", || vec![tree_sitter_yaml::HIGHLIGHTS_QUERY]),
    ("zig", || vec![tree_sitter_zig::HIGHLIGHTS_QUERY]),
];

/// The most languages that [`QUERIES`] may name.
const ROOM: usize = 64;

static COMPILED: [OnceLock<Option<Compiled>>; ROOM] = [const { OnceLock::new() }; ROOM];

/// The query of a language, compiled once for the whole program.
pub(super) fn of(language: Language) -> Option<&'static Compiled> {
    let at = QUERIES.iter().position(|row| row.0 == language.name())?;
    COMPILED.get(at)?.get_or_init(|| compile(language, &QUERIES[at].1())).as_ref()
}

/// Can the language be coloured without compiling anything?
pub(super) fn is_ready(language: Language) -> bool {
    let at = QUERIES.iter().position(|row| row.0 == language.name());
    at.and_then(|at| COMPILED.get(at)).is_none_or(|compiled| compiled.get().is_some())
}

/// A grammar whose query does not fit it is coloured by its tokens; a test sees to it that there is none.
fn compile(language: Language, parts: &[&str]) -> Option<Compiled> {
    let query = Query::new(&language.grammar(), &parts.join("\n")).ok()?;
    let classes = query.capture_names().iter().map(|name| Class::of_capture(name)).collect();
    Some(Compiled { query, classes })
}

/// Whether a query should be there.
#[cfg(test)]
pub(super) fn is_listed(language: Language) -> bool {
    QUERIES.iter().any(|row| row.0 == language.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_room() {
        assert!(QUERIES.len() <= ROOM && QUERIES.is_sorted_by_key(|row| row.0));
        assert!(QUERIES.iter().all(|row| Language::all().any(|language| language.name() == row.0)));
    }
}
