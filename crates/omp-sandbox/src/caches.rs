//! Where compilers and package managers keep what they fetched and built before.
//!
//! Everyday work writes there, so a sandbox lets it; directories from which programs are run by their name are not among
//! them. What is kept in these directories is read and partly run by later
//! builds: that is the price, and `SECURITY.md` names it.

use std::path::{Path, PathBuf};

/// A cache below the home directory, and the file whose presence in a project says that it will be used. Such a cache is
/// made if it is missing: the package manager itself could not.
struct Cache {
    path: &'static str,
    made_for: &'static [&'static str],
}

const fn cache(path: &'static str, made_for: &'static [&'static str]) -> Cache {
    Cache { path, made_for }
}

const NODE: &[&str] = &["package.json"];
const PYTHON: &[&str] = &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile"];
const RUST: &[&str] = &["Cargo.toml"];
const GO: &[&str] = &["go.mod"];

const CACHES: &[Cache] = &[
    cache(".cargo/registry", RUST),
    cache(".cargo/git", RUST),
    cache(".cargo/.package-cache", &[]),
    cache(".cargo/.package-cache-mutate", &[]),
    cache(".cargo/.global-cache", &[]),
    cache(".npm", NODE),
    cache(".cache/npm", &[]),
    cache(".cache/node", NODE),
    cache(".cache/node-gyp", &[]),
    cache(".cache/yarn", &[]),
    cache(".yarn/berry", &[]),
    cache(".cache/pnpm", &[]),
    cache(".local/share/pnpm/store", &[]),
    cache(".local/state/pnpm", &[]),
    cache(".bun/install/cache", &[]),
    cache(".cache/deno", &[]),
    cache(".cache/pip", PYTHON),
    cache(".cache/uv", PYTHON),
    cache(".cache/pypoetry/cache", &[]),
    cache(".cache/pypoetry/artifacts", &[]),
    cache(".cache/mypy", &[]),
    cache(".cache/ruff", &[]),
    cache(".cache/go-build", GO),
    cache("go/pkg/mod", GO),
    cache("go/pkg/sumdb", GO),
    cache(".cache/golangci-lint", &[]),
    cache(".gradle/caches", &[]),
    cache(".gradle/daemon", &[]),
    cache(".gradle/native", &[]),
    cache(".m2/repository", &[]),
    cache(".ivy2/cache", &[]),
    cache(".cache/coursier", &[]),
    cache(".nuget/packages", &[]),
    cache(".local/share/NuGet", &[]),
    cache(".dotnet/TelemetryStorageService", &[]),
    cache(".cache/composer", &[]),
    cache(".composer/cache", &[]),
    cache(".bundle/cache", &[]),
    cache(".cache/ccache", &[]),
    cache(".ccache", &[]),
    cache(".cache/sccache", &[]),
    cache(".cache/bazel", &[]),
    cache(".cache/bazelisk", &[]),
    cache(".cache/zig", &[]),
    cache(".cache/hardhat-nodejs", &[]),
    cache(".cache/electron", &[]),
    cache(".cache/turbo", &[]),
    cache(".cache/typescript", &[]),
    cache(".cache/eslint", &[]),
    cache(".hex", &[]),
    cache(".cache/rebar3", &[]),
    cache(".pub-cache/hosted", &[]),
    cache(".opam/download-cache", &[]),
    cache(".stack/pantry", &[]),
    cache(".cabal/packages", &[]),
    cache(".cache/cabal", &[]),
    cache(".terraform.d/plugin-cache", &[]),
    cache(".julia/registries", &[]),
    cache(".julia/compiled", &[]),
];

/// The caches that exist, and those that the projects in these directories need. May make directories.
pub fn writable_caches(home: &Path, projects: &[PathBuf]) -> Vec<PathBuf> {
    let needed = |cache: &Cache| {
        cache.made_for.iter().any(|file| projects.iter().any(|project| project.join(file).is_file()))
    };
    let ready = |cache: &&Cache| {
        let path = home.join(cache.path);
        path.exists() || (needed(cache) && std::fs::create_dir_all(&path).is_ok())
    };
    CACHES.iter().filter(ready).map(|cache| home.join(cache.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_needs_is_made_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let (home, project) = (directory.path().join("home"), directory.path().join("project"));
        std::fs::create_dir_all(home.join(".ccache")).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        assert_eq!(writable_caches(&home, std::slice::from_ref(&project)), [home.join(".ccache")]);
        std::fs::write(project.join("package.json"), "{}").unwrap();
        let found = writable_caches(&home, &[project]);
        assert_eq!(found, [home.join(".npm"), home.join(".cache/node"), home.join(".ccache")]);
        assert!(home.join(".npm").is_dir() && !home.join(".cargo").exists());
    }
}
