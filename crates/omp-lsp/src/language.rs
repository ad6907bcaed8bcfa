//! The name of a file's language in the protocol.

use std::path::Path;

/// Endings and what servers call their language, where the two differ.
const NAMES: &[(&str, &[&str])] = &[
    ("rust", &["rs"]),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("objective-c", &["m"]),
    ("objective-cpp", &["mm"]),
    ("typescript", &["ts", "mts", "cts"]),
    ("typescriptreact", &["tsx"]),
    ("javascript", &["js", "mjs", "cjs"]),
    ("javascriptreact", &["jsx"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb", "rake", "gemspec"]),
    ("kotlin", &["kt", "kts"]),
    ("scala", &["scala", "sbt", "sc"]),
    ("haskell", &["hs"]),
    ("ocaml", &["ml", "mli"]),
    ("elixir", &["ex", "exs", "heex"]),
    ("erlang", &["erl", "hrl"]),
    ("shellscript", &["sh", "bash", "zsh"]),
    ("csharp", &["cs"]),
    ("yaml", &["yml", "yaml"]),
    ("terraform", &["tf", "tfvars"]),
    ("markdown", &["md", "markdown"]),
    ("latex", &["tex"]),
    ("bibtex", &["bib"]),
    ("jsonc", &["jsonc"]),
    ("html", &["html", "htm"]),
    ("graphql", &["graphql", "gql"]),
    ("vim", &["vim", "vimrc"]),
    ("tlaplus", &["tla"]),
    ("plaintext", &["txt"]),
];

/// What a server is told about a file.
pub(crate) fn of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.starts_with("Dockerfile") || name.starts_with("Containerfile") {
        return "dockerfile".to_owned();
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let Some(ending) = ending else { return name.to_ascii_lowercase() };
    let known = NAMES.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
    known.map_or(ending, |(name, _)| (*name).to_owned())
}
