//! The servers that are known without any configuration.

use serde_json::{Map, Value, json};

use super::Server;

/// One row: name, program, arguments, files, root markers.
struct ServerRow(
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

const ROWS: &[ServerRow] = &[
    ServerRow("rust-analyzer", "rust-analyzer", &[], &[".rs"], &["Cargo.toml", "rust-project.json"]),
    ServerRow(
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
    ServerRow("zls", "zls", &[], &[".zig", ".zon"], &["build.zig", "build.zig.zon", "zls.json"]),
    ServerRow("gopls", "gopls", &["serve"], &[".go", ".mod"], &["go.mod", "go.work"]),
    ServerRow("typescript-language-server", "typescript-language-server", STDIO, SCRIPT, NODE),
    ServerRow("denols", "deno", &["lsp"], &[".ts", ".tsx", ".js", ".jsx"], &["deno.json", "deno.jsonc"]),
    ServerRow(
        "biome",
        "biome",
        &["lsp-proxy"],
        &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".json", ".jsonc"],
        &["biome.json", "biome.jsonc"],
    ),
    ServerRow(
        "eslint",
        "vscode-eslint-language-server",
        STDIO,
        &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"],
        &[".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", "eslint.config.*"],
    ),
    ServerRow("vscode-html-language-server", "vscode-html-language-server", STDIO, &[".html", ".htm"], WEB),
    ServerRow(
        "vscode-css-language-server",
        "vscode-css-language-server",
        STDIO,
        &[".css", ".scss", ".less"],
        WEB,
    ),
    ServerRow("vscode-json-language-server", "vscode-json-language-server", STDIO, &[".json", ".jsonc"], WEB),
    ServerRow(
        "tailwindcss",
        "tailwindcss-language-server",
        STDIO,
        &[".html", ".css", ".scss", ".ts", ".tsx", ".js", ".jsx"],
        &["tailwind.config.*"],
    ),
    ServerRow(
        "svelte",
        "svelteserver",
        STDIO,
        &[".svelte"],
        &["svelte.config.js", "svelte.config.mjs", "package.json"],
    ),
    ServerRow(
        "vue-language-server",
        "vue-language-server",
        STDIO,
        &[".vue"],
        &["vue.config.js", "nuxt.config.*", "vite.config.*", "package.json"],
    ),
    ServerRow("astro", "astro-ls", STDIO, &[".astro"], &["astro.config.*"]),
    ServerRow("pyright", "pyright-langserver", STDIO, &[".py", ".pyi"], PYTHON),
    ServerRow("basedpyright", "basedpyright-langserver", STDIO, &[".py", ".pyi"], PYTHON),
    ServerRow("pylsp", "pylsp", &[], &[".py"], PYTHON),
    ServerRow("ruff", "ruff", &["server"], &[".py", ".pyi"], &["pyproject.toml", "ruff.toml", ".ruff.toml"]),
    ServerRow(
        "jdtls",
        "jdtls",
        &[],
        &[".java"],
        &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", ".project"],
    ),
    ServerRow(
        "kotlin-lsp",
        "kotlin-lsp",
        STDIO,
        &[".kt", ".kts"],
        &["build.gradle", "build.gradle.kts", "pom.xml"],
    ),
    ServerRow("metals", "metals", &[], &[".scala", ".sbt", ".sc"], &["build.sbt", "build.sc", "build.mill"]),
    ServerRow(
        "hls",
        "haskell-language-server-wrapper",
        &["--lsp"],
        &[".hs", ".lhs"],
        &["stack.yaml", "cabal.project", "hie.yaml", "package.yaml", "*.cabal"],
    ),
    ServerRow(
        "ocamllsp",
        "ocamllsp",
        &[],
        &[".ml", ".mli", ".mll", ".mly"],
        &["dune-project", "dune-workspace", "*.opam", ".ocamlformat"],
    ),
    ServerRow("elixirls", "elixir-ls", &[], &[".ex", ".exs", ".heex", ".eex"], &["mix.exs"]),
    ServerRow("erlangls", "erlang_ls", &[], &[".erl", ".hrl"], &["rebar.config", "erlang.mk", "rebar.lock"]),
    ServerRow("gleam", "gleam", &["lsp"], &[".gleam"], &["gleam.toml"]),
    ServerRow("solargraph", "solargraph", &["stdio"], &[".rb", ".rake", ".gemspec"], RUBY),
    ServerRow("ruby-lsp", "ruby-lsp", &[], &[".rb", ".rake", ".gemspec", ".erb"], RUBY),
    ServerRow("rubocop", "rubocop", &["--lsp"], &[".rb", ".rake"], &[".rubocop.yml", "Gemfile"]),
    ServerRow(
        "bashls",
        "bash-language-server",
        &["start"],
        &[".sh", ".bash", ".zsh"],
        &[".git", ".shellcheckrc"],
    ),
    ServerRow(
        "lua-language-server",
        "lua-language-server",
        &[],
        &[".lua"],
        &[".luarc.json", ".luarc.jsonc", ".luacheckrc", ".stylua.toml", "stylua.toml"],
    ),
    ServerRow("intelephense", "intelephense", STDIO, &[".php", ".phtml"], &["composer.json", ".git"]),
    ServerRow(
        "phpactor",
        "phpactor",
        &["language-server"],
        &[".php"],
        &["composer.json", ".phpactor.json", ".phpactor.yml"],
    ),
    ServerRow(
        "omnisharp",
        "omnisharp",
        &["-z", "--hostPID", "0", "--encoding", "utf-8", "--languageserver"],
        &[".cs", ".csx"],
        &["*.sln", "*.csproj", "omnisharp.json", "global.json"],
    ),
    ServerRow("yamlls", "yaml-language-server", STDIO, &[".yaml", ".yml"], &[".git"]),
    ServerRow(
        "terraformls",
        "terraform-ls",
        &["serve"],
        &[".tf", ".tfvars"],
        &[".terraform", "terraform.tfstate", "*.tf"],
    ),
    ServerRow(
        "dockerls",
        "docker-langserver",
        STDIO,
        &["Dockerfile", "Containerfile", ".dockerfile"],
        &["Dockerfile", "Containerfile", "docker-compose.yml", "docker-compose.yaml", ".dockerignore"],
    ),
    ServerRow("helm-ls", "helm_ls", &["serve"], &[".yaml", ".yml", ".tpl"], &["Chart.yaml"]),
    ServerRow("nixd", "nixd", &[], &[".nix"], &["flake.nix", "default.nix", "shell.nix"]),
    ServerRow("nil", "nil", &[], &[".nix"], &["flake.nix", "default.nix", "shell.nix"]),
    ServerRow("ols", "ols", &[], &[".odin"], &["ols.json", ".git"]),
    ServerRow(
        "dartls",
        "dart",
        &["language-server", "--protocol=lsp"],
        &[".dart"],
        &["pubspec.yaml", "pubspec.lock"],
    ),
    ServerRow("marksman", "marksman", &["server"], &[".md", ".markdown"], &[".marksman.toml", ".git"]),
    ServerRow(
        "texlab",
        "texlab",
        &[],
        &[".tex", ".bib", ".sty", ".cls"],
        &[".latexmkrc", "latexmkrc", ".texlabroot", "texlabroot", "Tectonic.toml"],
    ),
    ServerRow(
        "graphql",
        "graphql-lsp",
        &["server", "-m", "stream"],
        &[".graphql", ".gql"],
        &[".graphqlrc*", "graphql.config.*"],
    ),
    ServerRow("prismals", "prisma-language-server", STDIO, &[".prisma"], &["schema.prisma", "prisma"]),
    ServerRow(
        "vimls",
        "vim-language-server",
        STDIO,
        &[".vim", ".vimrc", ".nvimrc"],
        &[".vimrc", "vimrc", ".vim", ".git"],
    ),
    ServerRow(
        "emmet-language-server",
        "emmet-language-server",
        STDIO,
        &[".html", ".css", ".scss", ".less", ".jsx", ".tsx", ".vue", ".svelte"],
        WEB,
    ),
    ServerRow(
        "sourcekit-lsp",
        "sourcekit-lsp",
        &[],
        &[".swift"],
        &["Package.swift", "*.xcodeproj", "*.xcworkspace"],
    ),
    ServerRow("swiftlint", "swiftlint", &[], &[".swift"], &[".swiftlint.yml", "Package.swift"]),
    ServerRow("tlaplus", "tlapm_lsp", STDIO, &[".tla"], &["*.tla"]),
];

/// All rows as servers, in their order.
pub(crate) fn builtin() -> Vec<Server> {
    ROWS.iter().map(ServerRow::server).collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

impl ServerRow {
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
