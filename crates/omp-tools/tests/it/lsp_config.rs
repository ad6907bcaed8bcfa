//! Which language servers a project has: the built-in table, files that change it, programs that are installed.

use std::path::PathBuf;

use omp_lsp::{Config, Places, Server, Trust};
use serde_json::{Value, json};

use crate::support::servers::Bench;

/// What a session of the bench would find, with these directories of configuration files.
fn load(bench: &Bench, directories: &[PathBuf]) -> Config {
    let path = Some(bench.at("bin").into_os_string());
    Config::load(&Places {
        cwd: bench.project(),
        directories: directories.to_vec(),
        path,
        trust: Trust::Project,
    })
}

fn names(config: &Config) -> Vec<&str> {
    config.servers.iter().map(|server| server.name.as_str()).collect()
}

fn the<'a>(config: &'a Config, name: &str) -> &'a Server {
    config.servers.iter().find(|server| server.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn entry(more: &Value) -> Value {
    let mut entry = json!({"command": "mine", "fileTypes": [".mine"], "rootMarkers": ["here"]});
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

/// A project with the program and the marker of [`entry`].
fn mine() -> Bench {
    let bench = Bench::new();
    bench.program("mine", "");
    bench.file("here", "");
    bench
}

/// proves: INT-081
#[tokio::test]
async fn servers_are_there_whose_marker_and_program_are() {
    let bench = Bench::new();
    bench.program("gopls", "");
    bench.program("clangd", "");
    bench.file("Cargo.toml", "");
    bench.file("go.mod", "");
    let seat = bench.sit();
    let said = seat.ask(json!({"action": "status"})).await;
    let expected = "Active language servers: gopls\n- gopls: installed, starts on the first request\nNot \
                    installed: rust-analyzer";
    assert_eq!(said, expected);
    seat.leave().await;
    std::fs::write(bench.at("bin").join("rust-analyzer"), "not executable").unwrap();
    assert_eq!(names(&load(&bench, &[])), ["gopls"]);
    bench.program("rust-analyzer", "");
    assert_eq!(names(&load(&bench, &[])), ["rust-analyzer", "gopls"]);
}

/// proves: INT-082
#[test]
fn programs_of_the_project_come_first() {
    for (name, program, marker, local) in [
        ("pyright", "pyright-langserver", "package.json", "node_modules/.bin"),
        ("pylsp", "pylsp", "pyproject.toml", ".venv/bin"),
        ("pylsp", "pylsp", "pyproject.toml", "venv/bin"),
        ("pylsp", "pylsp", "pyproject.toml", ".env/bin"),
        ("ruby-lsp", "ruby-lsp", "Gemfile", "vendor/bundle/bin"),
        ("ruby-lsp", "ruby-lsp", "Gemfile", "bin"),
        ("gopls", "gopls", "go.mod", "bin"),
    ] {
        let bench = Bench::new();
        bench.file("pyproject.toml", "");
        bench.file(marker, "{}");
        let installed = bench.program(program, "");
        assert_eq!(the(&load(&bench, &[]), name).program, installed, "{local}");
        let own = bench.file(&format!("{local}/{program}"), "");
        std::fs::rename(&installed, &own).unwrap();
        bench.program(program, "");
        assert_eq!(the(&load(&bench, &[]), name).program, own, "{local}");
        std::fs::remove_file(bench.at("bin").join(program)).unwrap();
        assert_eq!(the(&load(&bench, &[]), name).program, own, "{local}");
    }
}

/// proves: INT-084
#[test]
fn a_file_may_have_six_names() {
    for name in ["lsp.json", ".lsp.json", "lsp.yaml", ".lsp.yaml", "lsp.yml", ".lsp.yml"] {
        let bench = mine();
        let content = match name.ends_with("json") {
            true => json!({"servers": {"mine": entry(&json!({}))}}).to_string(),
            false => {
                "servers:\n  mine:\n    command: mine\n    fileTypes: [.mine]\n    rootMarkers: [here]\n"
                    .to_owned()
            }
        };
        bench.file(name, content);
        let config = load(&bench, &[bench.project()]);
        assert_eq!(names(&config), ["mine"], "{name}");
        assert_eq!(config.warnings, [""; 0]);
    }
}

/// proves: INT-086
#[test]
fn a_file_may_have_two_forms() {
    for wrapped in [true, false] {
        let bench = mine();
        let content = match wrapped {
            true => json!({"servers": {"mine": entry(&json!({}))}, "idleTimeoutMs": 1234}),
            false => json!({"mine": entry(&json!({})), "idleTimeoutMs": 1234}),
        };
        bench.file("lsp.json", content.to_string());
        let config = load(&bench, &[bench.project()]);
        assert_eq!(names(&config), ["mine"]);
        assert_eq!(config.idle_timeout_ms, Some(1234));
        assert_eq!(config.warnings, [""; 0]);
    }
    let bench = mine();
    assert_eq!(load(&bench, &[bench.project()]).idle_timeout_ms, None);
}

/// proves: INT-087, INT-088
#[test]
fn a_file_changes_only_what_it_names() {
    let bench = Bench::new();
    for program in ["gopls", "rust-analyzer", "pylsp", "clangd"] {
        bench.program(program, "");
    }
    for marker in ["go.mod", "Cargo.toml", "pyproject.toml"] {
        bench.file(marker, "");
    }
    let before = load(&bench, &[]);
    let content = json!({"gopls": {"args": ["serve", "-v"]}, "rust-analyzer": {"disabled": true},
        "clangd": {"args": []}, "zls": {"rootMarkers": ["go.mod"]}});
    bench.file("lsp.json", content.to_string());
    let config = load(&bench, &[bench.project()]);
    // No marker of clangd, no program of zls.
    assert_eq!(names(&config), ["gopls", "pylsp"]);
    assert_eq!(the(&config, "pylsp"), the(&before, "pylsp"));
    let mut expected = the(&before, "gopls").clone();
    assert_eq!(expected.file_types, [".go", ".mod"]);
    expected.arguments = vec!["serve".to_owned(), "-v".to_owned()];
    assert_eq!(the(&config, "gopls"), &expected);
}

/// proves: INT-089
#[tokio::test]
async fn bad_entries_are_told_and_left_out() {
    let bench = mine();
    bench.program("gopls", "");
    bench.file("go.mod", "");
    for missing in ["command", "fileTypes", "rootMarkers"] {
        let mut half = entry(&json!({}));
        half.as_object_mut().unwrap().remove(missing);
        let content = json!({"mine": half, "gopls": {"args": "serve", "fileTypes": [".x"]}});
        bench.file("lsp.json", content.to_string());
        let seat = bench.sit();
        let said = seat.ask(json!({"action": "status"})).await;
        let rows: Vec<&str> = said.lines().collect();
        assert_eq!(rows[0], "Active language servers: gopls");
        assert!(rows.iter().any(|row| row.contains("`mine`") && row.ends_with(missing)), "{said}");
        assert!(rows.iter().any(|row| row.contains("`gopls`") && row.contains("`args`")), "{said}");
        let config = seat.desk.servers.config().await;
        let gopls = the(&config, "gopls");
        assert_eq!((gopls.arguments.as_slice(), gopls.file_types.len()), (&["serve".to_owned()][..], 2));
        seat.leave().await;
    }
}

/// proves: INT-090, INT-093
#[tokio::test]
async fn every_field_counts() {
    let bench = Bench::new();
    let switches = json!({"flycheck": true, "ssr": false, "expandMacro": true, "runnables": true, "relatedTests": false});
    let script = json!({"answers": {"textDocument/hover": {"result": null}}});
    let server = bench.server("fake", &script, &json!({
        "args": ["-x"], "fileTypes": [".one", "Two"], "rootMarkers": ["lsp.json"], "initOptions": {"i": 1},
        "settings": {"s": 2}, "disabled": false, "warmupTimeoutMs": 700, "isLinter": false,
        "capabilities": switches, "resolvedCommand": "/bin/false",
    }));
    bench.server("lint", &script, &json!({"isLinter": true, "fileTypes": [".one"]}));
    bench.server("off", &script, &json!({"disabled": true}));
    bench.file("a.one", "x\n");
    let seat = bench.sit();
    seat.ask(json!({"action": "hover", "file": "a.one"})).await;
    let config = seat.desk.servers.config().await;
    assert_eq!(names(&config), ["fake", "lint"]);
    assert_eq!(the(&config, "fake").program, server.program());
    assert_eq!(the(&config, "fake").warmup_timeout_ms, Some(700));
    assert!(the(&config, "lint").is_linter);
    assert_eq!(config.warnings, [""; 0]);
    assert_eq!(server.starts(), [json!(["-x"])]);
    let told = &server.params("initialize")[0];
    assert_eq!(told["initializationOptions"], json!({"i": 1}));
    assert_eq!(told["capabilities"]["experimental"], switches);
    assert_eq!(server.params("workspace/didChangeConfiguration"), [json!({"settings": {"s": 2}})]);
    seat.leave().await;
    server.finish();

    bench.server("fake", &script, &json!({"capabilities": {"flycheck": "yes"}}));
    let config = load(&bench, &[bench.project()]);
    assert_eq!(names(&config), ["lint"]);
    assert!(config.warnings[0].contains("`capabilities` must be"), "{:?}", config.warnings);
}

/// proves: INT-091
#[test]
fn markers_may_be_patterns() {
    let bench = Bench::new();
    bench.program("haskell-language-server-wrapper", "");
    bench.file("deep/down.cabal", "");
    assert_eq!(names(&load(&bench, &[])), [""; 0], "only the directory of the project counts");
    bench.file("up.cabal", "");
    assert_eq!(names(&load(&bench, &[])), ["hls"]);
}

/// proves: INT-092
#[test]
fn a_project_can_do_without_a_server() {
    let bench = mine();
    let user = bench.at("home").join(".omp/agent");
    std::fs::create_dir_all(&user).unwrap();
    let content = json!({"servers": {"mine": entry(&json!({}))}}).to_string();
    std::fs::write(user.join("lsp.json"), &content).unwrap();
    let places = [user.clone(), bench.project().join(".omp")];
    assert_eq!(names(&load(&bench, &places)), ["mine"]);
    bench.file(".omp/lsp.json", json!({"servers": {"mine": {"disabled": true}}}).to_string());
    assert_eq!(names(&load(&bench, &places)), [""; 0]);
    assert_eq!(names(&load(&bench, &places[..1])), ["mine"], "other projects keep it");
    assert_eq!(std::fs::read_to_string(user.join("lsp.json")).unwrap(), content);
}

/// proves: INT-094
#[test]
fn broken_files_are_passed_over() {
    for (name, content) in [
        ("lsp.yaml", &b"servers: [what"[..]),
        ("lsp.yml", b"- a\n- b\n"),
        (".lsp.json", b"{\"servers\": {"),
        (".lsp.yaml", b"\xff\xfe\x00"),
        (".lsp.yml", b"servers: 7\n"),
    ] {
        let bench = mine();
        bench.file("lsp.json", json!({"mine": entry(&json!({}))}).to_string());
        bench.file(name, content);
        let config = load(&bench, &[bench.project()]);
        assert_eq!(names(&config), ["mine"], "{name}");
        assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
        assert!(config.warnings[0].contains(name), "{:?}", config.warnings);
    }
    let bench = mine();
    bench.file("lsp.json/a directory", "");
    bench.program("gopls", "");
    bench.file("go.mod", "");
    assert_eq!(names(&load(&bench, &[bench.project()])), ["gopls"]);
}

/// Name, program, a marker of its project, a file.
const TABLE: [(&str, &str, &str, &str); 52] = [
    ("rust-analyzer", "rust-analyzer", "Cargo.toml", "a.rs"),
    ("clangd", "clangd", "compile_commands.json", "a.cpp"),
    ("zls", "zls", "build.zig", "a.zig"),
    ("gopls", "gopls", "go.mod", "a.go"),
    ("typescript-language-server", "typescript-language-server", "tsconfig.json", "a.tsx"),
    ("denols", "deno", "deno.json", "a.ts"),
    ("biome", "biome", "biome.json", "a.ts"),
    ("eslint", "vscode-eslint-language-server", "eslint.config.mjs", "a.vue"),
    ("vscode-html-language-server", "vscode-html-language-server", "package.json", "a.html"),
    ("vscode-css-language-server", "vscode-css-language-server", "package.json", "a.scss"),
    ("vscode-json-language-server", "vscode-json-language-server", "package.json", "a.json"),
    ("tailwindcss", "tailwindcss-language-server", "tailwind.config.js", "a.html"),
    ("svelte", "svelteserver", "svelte.config.js", "a.svelte"),
    ("vue-language-server", "vue-language-server", "package.json", "a.vue"),
    ("astro", "astro-ls", "astro.config.mjs", "a.astro"),
    ("pyright", "pyright-langserver", "pyproject.toml", "a.py"),
    ("basedpyright", "basedpyright-langserver", "pyproject.toml", "a.py"),
    ("pylsp", "pylsp", "setup.py", "a.py"),
    ("ruff", "ruff", "ruff.toml", "a.py"),
    ("jdtls", "jdtls", "pom.xml", "A.java"),
    ("kotlin-lsp", "kotlin-lsp", "build.gradle.kts", "a.kt"),
    ("metals", "metals", "build.sbt", "a.scala"),
    ("hls", "haskell-language-server-wrapper", "stack.yaml", "a.hs"),
    ("ocamllsp", "ocamllsp", "dune-project", "a.ml"),
    ("elixirls", "elixir-ls", "mix.exs", "a.ex"),
    ("erlangls", "erlang_ls", "rebar.config", "a.erl"),
    ("gleam", "gleam", "gleam.toml", "a.gleam"),
    ("solargraph", "solargraph", "Gemfile", "a.rb"),
    ("ruby-lsp", "ruby-lsp", "Gemfile", "a.rb"),
    ("rubocop", "rubocop", ".rubocop.yml", "a.rb"),
    ("bashls", "bash-language-server", ".git", "a.sh"),
    ("lua-language-server", "lua-language-server", ".luarc.json", "a.lua"),
    ("intelephense", "intelephense", "composer.json", "a.php"),
    ("phpactor", "phpactor", "composer.json", "a.php"),
    ("omnisharp", "omnisharp", "a.sln", "a.cs"),
    ("yamlls", "yaml-language-server", ".git", "a.yaml"),
    ("terraformls", "terraform-ls", ".terraform", "a.tf"),
    ("dockerls", "docker-langserver", ".dockerignore", "Dockerfile"),
    ("helm-ls", "helm_ls", "Chart.yaml", "a.yaml"),
    ("nixd", "nixd", "flake.nix", "a.nix"),
    ("nil", "nil", "flake.nix", "a.nix"),
    ("ols", "ols", "ols.json", "a.odin"),
    ("dartls", "dart", "pubspec.yaml", "a.dart"),
    ("marksman", "marksman", ".marksman.toml", "a.md"),
    ("texlab", "texlab", ".latexmkrc", "a.tex"),
    ("graphql", "graphql-lsp", ".graphqlrc.yml", "a.graphql"),
    ("prismals", "prisma-language-server", "schema.prisma", "a.prisma"),
    ("vimls", "vim-language-server", ".vimrc", "a.vim"),
    ("emmet-language-server", "emmet-language-server", "package.json", "a.html"),
    ("sourcekit-lsp", "sourcekit-lsp", "Package.swift", "a.swift"),
    ("swiftlint", "swiftlint", ".swiftlint.yml", "a.swift"),
    ("tlaplus", "tlapm_lsp", "spec.tla", "a.tla"),
];

/// proves: INT-095, INT-096, INT-097
#[test]
fn well_known_servers_need_no_configuration() {
    for (name, program, marker, file) in TABLE {
        let bench = Bench::new();
        let path = bench.program(program, "");
        assert_eq!(names(&load(&bench, &[])), [""; 0], "{name}");
        bench.file(marker, "");
        let config = load(&bench, &[]);
        assert_eq!(names(&config), [name]);
        assert_eq!(config.servers[0].program, path);
        assert!(config.servers[0].serves(&bench.project().join(file)), "{name}: {file}");
        assert!(!config.servers[0].serves(&bench.project().join("a.nothing")), "{name}");
    }
}

/// proves: INT-098
#[tokio::test]
async fn linters_do_not_know_what_names_mean() {
    let linters = ["biome", "eslint", "ruff", "rubocop", "swiftlint"];
    for (name, program, marker, file) in TABLE {
        let bench = Bench::new();
        // No server at all: whoever starts it gets an error, not a refusal.
        bench.program(program, "exit 9");
        bench.file(marker, "");
        bench.file(file, "x\n");
        let seat = bench.sit();
        for action in ["hover", "definition", "rename"] {
            let said = seat.refused(json!({"action": action, "file": file, "new_name": "y"})).await;
            let refused = said.starts_with("No language server found");
            assert_eq!(refused, linters.contains(&name), "{name}: {said}");
        }
        seat.leave().await;
    }
}
