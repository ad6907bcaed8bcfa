//! The servers that are known without any configuration.

use serde_json::{Map, Value, json};

use super::Server;

/// One row: name, program, arguments, files, root markers.
struct Row(
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const NODE: &[&str] = &["package.json", "tsconfig.json", "jsconfig.json"];
const WEB: &[&str] = &["package.json", ".git"];
const PYTHON: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "pyrightconfig.json"];
const RUBY: &[&str] = &["Gemfile", ".git"];
const STDIO: &[&str] = &["--stdio"];
const SCRIPT: &[&str] = &[".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"];

/// Those that only find faults.
const LINTERS: [&str; 5] = ["biome", "eslint", "ruff", "rubocop", "swiftlint"];

const ROWS: &[Row] = &[
    Row("rust-analyzer", "rust-analyzer", &[], &[".rs"], &["Cargo.toml", "rust-project.json"]),
    Row(
        "clangd",
        "clangd",
        &["--background-index"],
        &[".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm"],
        &[
            "compile_commands.json",
            "compile_flags.txt",
            ".clangd",
            "CMakeLists.txt",
            "Makefile",
            "meson.build",
        ],
    ),
    Row("zls", "zls", &[], &[".zig", ".zon"], &["build.zig", "build.zig.zon", "zls.json"]),
    Row("gopls", "gopls", &["serve"], &[".go", ".mod"], &["go.mod", "go.work"]),
    Row("typescript-language-server", "typescript-language-server", STDIO, SCRIPT, NODE),
    Row("denols", "deno", &["lsp"], &[".ts", ".tsx", ".js", ".jsx"], &["deno.json", "deno.jsonc"]),
    Row(
        "biome",
        "biome",
        &["lsp-proxy"],
        &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".json", ".jsonc"],
        &["biome.json", "biome.jsonc"],
    ),
    Row(
        "eslint",
        "vscode-eslint-language-server",
        STDIO,
        &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"],
        &[".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", "eslint.config.*"],
    ),
    Row("vscode-html-language-server", "vscode-html-language-server", STDIO, &[".html", ".htm"], WEB),
    Row("vscode-css-language-server", "vscode-css-language-server", STDIO, &[".css", ".scss", ".less"], WEB),
    Row("vscode-json-language-server", "vscode-json-language-server", STDIO, &[".json", ".jsonc"], WEB),
    Row(
        "tailwindcss",
        "tailwindcss-language-server",
        STDIO,
        &[".html", ".css", ".scss", ".ts", ".tsx", ".js", ".jsx"],
        &["tailwind.config.*"],
    ),
    Row(
        "svelte",
        "svelteserver",
        STDIO,
        &[".svelte"],
        &["svelte.config.js", "svelte.config.mjs", "package.json"],
    ),
    Row(
        "vue-language-server",
        "vue-language-server",
        STDIO,
        &[".vue"],
        &["vue.config.js", "nuxt.config.*", "vite.config.*", "package.json"],
    ),
    Row("astro", "astro-ls", STDIO, &[".astro"], &["astro.config.*"]),
    Row("pyright", "pyright-langserver", STDIO, &[".py", ".pyi"], PYTHON),
    Row("basedpyright", "basedpyright-langserver", STDIO, &[".py", ".pyi"], PYTHON),
    Row("pylsp", "pylsp", &[], &[".py"], PYTHON),
    Row("ruff", "ruff", &["server"], &[".py", ".pyi"], &["pyproject.toml", "ruff.toml", ".ruff.toml"]),
    Row(
        "jdtls",
        "jdtls",
        &[],
        &[".java"],
        &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", ".project"],
    ),
    Row(
        "kotlin-lsp",
        "kotlin-lsp",
        STDIO,
        &[".kt", ".kts"],
        &["build.gradle", "build.gradle.kts", "pom.xml"],
    ),
    Row("metals", "metals", &[], &[".scala", ".sbt", ".sc"], &["build.sbt", "build.sc", "build.mill"]),
    Row(
        "hls",
        "haskell-language-server-wrapper",
        &["--lsp"],
        &[".hs", ".lhs"],
        &["stack.yaml", "cabal.project", "hie.yaml", "package.yaml", "*.cabal"],
    ),
    Row(
        "ocamllsp",
        "ocamllsp",
        &[],
        &[".ml", ".mli", ".mll", ".mly"],
        &["dune-project", "dune-workspace", "*.opam", ".ocamlformat"],
    ),
    Row("elixirls", "elixir-ls", &[], &[".ex", ".exs", ".heex", ".eex"], &["mix.exs"]),
    Row("erlangls", "erlang_ls", &[], &[".erl", ".hrl"], &["rebar.config", "erlang.mk", "rebar.lock"]),
    Row("gleam", "gleam", &["lsp"], &[".gleam"], &["gleam.toml"]),
    Row("solargraph", "solargraph", &["stdio"], &[".rb", ".rake", ".gemspec"], RUBY),
    Row("ruby-lsp", "ruby-lsp", &[], &[".rb", ".rake", ".gemspec", ".erb"], RUBY),
    Row("rubocop", "rubocop", &["--lsp"], &[".rb", ".rake"], &[".rubocop.yml", "Gemfile"]),
    Row("bashls", "bash-language-server", &["start"], &[".sh", ".bash", ".zsh"], &[".git", ".shellcheckrc"]),
    Row(
        "lua-language-server",
        "lua-language-server",
        &[],
        &[".lua"],
        &[".luarc.json", ".luarc.jsonc", ".luacheckrc", ".stylua.toml", "stylua.toml"],
    ),
    Row("intelephense", "intelephense", STDIO, &[".php", ".phtml"], &["composer.json", ".git"]),
    Row(
        "phpactor",
        "phpactor",
        &["language-server"],
        &[".php"],
        &["composer.json", ".phpactor.json", ".phpactor.yml"],
    ),
    Row(
        "omnisharp",
        "omnisharp",
        &["-z", "--hostPID", "0", "--encoding", "utf-8", "--languageserver"],
        &[".cs", ".csx"],
        &["*.sln", "*.csproj", "omnisharp.json", "global.json"],
    ),
    Row("yamlls", "yaml-language-server", STDIO, &[".yaml", ".yml"], &[".git"]),
    Row(
        "terraformls",
        "terraform-ls",
        &["serve"],
        &[".tf", ".tfvars"],
        &[".terraform", "terraform.tfstate", "*.tf"],
    ),
    Row(
        "dockerls",
        "docker-langserver",
        STDIO,
        &["Dockerfile", "Containerfile", ".dockerfile"],
        &["Dockerfile", "Containerfile", "docker-compose.yml", "docker-compose.yaml", ".dockerignore"],
    ),
    Row("helm-ls", "helm_ls", &["serve"], &[".yaml", ".yml", ".tpl"], &["Chart.yaml"]),
    Row("nixd", "nixd", &[], &[".nix"], &["flake.nix", "default.nix", "shell.nix"]),
    Row("nil", "nil", &[], &[".nix"], &["flake.nix", "default.nix", "shell.nix"]),
    Row("ols", "ols", &[], &[".odin"], &["ols.json", ".git"]),
    Row(
        "dartls",
        "dart",
        &["language-server", "--protocol=lsp"],
        &[".dart"],
        &["pubspec.yaml", "pubspec.lock"],
    ),
    Row("marksman", "marksman", &["server"], &[".md", ".markdown"], &[".marksman.toml", ".git"]),
    Row(
        "texlab",
        "texlab",
        &[],
        &[".tex", ".bib", ".sty", ".cls"],
        &[".latexmkrc", "latexmkrc", ".texlabroot", "texlabroot", "Tectonic.toml"],
    ),
    Row(
        "graphql",
        "graphql-lsp",
        &["server", "-m", "stream"],
        &[".graphql", ".gql"],
        &[".graphqlrc*", "graphql.config.*"],
    ),
    Row("prismals", "prisma-language-server", STDIO, &[".prisma"], &["schema.prisma", "prisma"]),
    Row(
        "vimls",
        "vim-language-server",
        STDIO,
        &[".vim", ".vimrc", ".nvimrc"],
        &[".vimrc", "vimrc", ".vim", ".git"],
    ),
    Row(
        "emmet-language-server",
        "emmet-language-server",
        STDIO,
        &[".html", ".css", ".scss", ".less", ".jsx", ".tsx", ".vue", ".svelte"],
        WEB,
    ),
    Row(
        "sourcekit-lsp",
        "sourcekit-lsp",
        &[],
        &[".swift"],
        &["Package.swift", "*.xcodeproj", "*.xcworkspace"],
    ),
    Row("swiftlint", "swiftlint", &[], &[".swift"], &[".swiftlint.yml", "Package.swift"]),
    Row("tlaplus", "tlapm_lsp", STDIO, &[".tla"], &["*.tla"]),
];

/// All rows as servers, in their order.
pub(crate) fn builtin() -> Vec<Server> {
    ROWS.iter().map(Row::server).collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

impl Row {
    fn server(&self) -> Server {
        let Self(name, command, arguments, file_types, root_markers) = self;
        let (init_options, settings) = extras(name);
        Server {
            name: (*name).to_owned(),
            command: (*command).to_owned(),
            arguments: owned(arguments),
            file_types: owned(file_types),
            root_markers: owned(root_markers),
            init_options,
            settings,
            disabled: false,
            warmup_timeout_ms: None,
            is_linter: LINTERS.contains(name),
            capabilities: Map::new(),
            program: Default::default(),
        }
    }
}

/// Servers that watch the disk themselves, unless the client says that it does. We see only what our own tools change, so
/// that is not said to them.
const WATCHERS: &[&str] = &["basedpyright", "pyright", "svelte", "tailwindcss"];

impl Server {
    /// Would it see less of the disk if it were told what our tools change?
    pub(crate) fn watches_itself(&self) -> bool {
        WATCHERS.contains(&self.name.as_str())
    }
}

/// What some servers want to be told.
fn extras(name: &str) -> (Value, Value) {
    match name {
        // We tell it only what our own tools change; commands change files, too, and it can watch the disk itself.
        "rust-analyzer" => (json!({"files": {"watcher": "server"}}), Value::Null),
        // It publishes what it finds before it has read changed headers again; this way it says when it has.
        "clangd" => (json!({"clangdFileStatus": true}), Value::Null),
        // It would have npm download types for packages that the project uses.
        "typescript-language-server" => {
            (json!({"hostInfo": "omp", "disableAutomaticTypingAcquisition": true}), Value::Null)
        }
        "denols" => (json!({"enable": true, "lint": true}), json!({"deno": {"enable": true, "lint": true}})),
        "vscode-css-language-server" | "vscode-html-language-server" | "vscode-json-language-server" => {
            (json!({"provideFormatter": true}), Value::Null)
        }
        "eslint" => (
            Value::Null,
            json!({
                "validate": "on", "run": "onType", "problems": {"shortenToSingleLine": false}, "nodePath": "",
                "workingDirectory": {"mode": "location"}, "rulesCustomizations": [],
                "experimental": {"useFlatConfig": false},
                "codeAction": {"disableRuleComment": {"enable": true, "location": "separateLine"},
                    "showDocumentation": {"enable": true}},
            }),
        ),
        _ => (Value::Null, Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It would leave that to us, and we do not see what commands do to files.
    #[test]
    fn rust_analyzer_watches_the_disk_itself() {
        let all = builtin();
        let server = all.iter().find(|server| server.name == "rust-analyzer").unwrap();
        assert_eq!(server.init_options, json!({"files": {"watcher": "server"}}));
    }
    /// Nothing is downloaded because a project is looked at.
    #[test]
    fn typescript_downloads_no_types() {
        let all = builtin();
        let server = all.iter().find(|server| server.name == "typescript-language-server").unwrap();
        assert_eq!(server.init_options["disableAutomaticTypingAcquisition"], true);
    }
}
