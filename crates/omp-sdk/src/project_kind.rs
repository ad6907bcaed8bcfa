//! What kind of project a folder holds, for the first screen: a few files are looked for, and none is read.

use std::path::Path;

/// How a language is built and tested.
struct Kind {
    /// The files that give it away; the first that exists decides.
    marks: &'static [&'static str],
    language: &'static str,
    test: &'static str,
    build: &'static str,
}

const fn kind(
    marks: &'static [&'static str],
    language: &'static str,
    test: &'static str,
    build: &'static str,
) -> Kind {
    Kind { marks, language, test, build }
}

const KINDS: [Kind; 14] = [
    kind(&["Cargo.toml"], "Rust", "cargo test", "cargo build"),
    kind(&["go.mod"], "Go", "go test ./...", "go build ./..."),
    kind(&["pnpm-lock.yaml"], "JavaScript", "pnpm test", "pnpm build"),
    kind(&["yarn.lock"], "JavaScript", "yarn test", "yarn build"),
    kind(&["bun.lock", "bun.lockb"], "JavaScript", "bun test", "bun run build"),
    kind(&["package.json"], "JavaScript", "npm test", "npm run build"),
    kind(&["pyproject.toml", "setup.py", "requirements.txt"], "Python", "pytest", ""),
    kind(&["gradlew"], "Java", "./gradlew test", "./gradlew build"),
    kind(&["pom.xml"], "Java", "mvn test", "mvn package"),
    kind(&["mix.exs"], "Elixir", "mix test", "mix compile"),
    kind(&["Gemfile"], "Ruby", "bundle exec rake test", ""),
    kind(&["composer.json"], "PHP", "composer test", ""),
    kind(&["Package.swift"], "Swift", "swift test", "swift build"),
    kind(&["CMakeLists.txt"], "C/C++", "ctest --test-dir build", "cmake --build build"),
];

/// What a folder holds, as far as a few names tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectKind {
    /// The language; empty if nothing gives it away.
    pub language: &'static str,
    /// What runs the tests, and what builds; empty if unknown.
    pub test: &'static str,
    /// See `test`.
    pub build: &'static str,
    /// There is nothing in the folder.
    pub is_empty: bool,
}

impl ProjectKind {
    /// Looks for the names.
    pub fn of(folder: &Path) -> Self {
        let has = |name: &&str| folder.join(name).exists();
        if let Some(kind) = KINDS.iter().find(|kind| kind.marks.iter().any(has)) {
            let language = match kind.language == "JavaScript" && has(&"tsconfig.json") {
                true => "TypeScript",
                false => kind.language,
            };
            return Self { language, test: kind.test, build: kind.build, is_empty: false };
        }
        if has(&"Makefile") {
            return Self { test: "make test", build: "make", ..Self::default() };
        }
        let is_git = |entry: &std::io::Result<std::fs::DirEntry>| {
            entry.as_ref().is_ok_and(|entry| entry.file_name() == ".git")
        };
        let is_empty =
            std::fs::read_dir(folder).is_ok_and(|entries| entries.take(2).all(|entry| is_git(&entry)));
        Self { is_empty, ..Self::default() }
    }

    /// What was found, in one line; nothing if nothing was.
    pub fn summary(&self) -> Option<String> {
        let named = |label: &str, command: &str| match command {
            "" => None,
            command => Some(format!("{label}: {command}")),
        };
        let language = Some(format!("{} project", self.language)).filter(|_| !self.language.is_empty());
        let parts = [language, named("tests", self.test), named("build", self.build)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    /// Three things to ask for that fit the folder.
    pub fn examples(&self) -> [String; 3] {
        match (self.is_empty, self.test) {
            (true, _) => [
                "Create a command-line to-do list in Python, with tests".to_owned(),
                "Set up a new project here: ask me what it should do".to_owned(),
                "Write a web page that shows the weather of a city".to_owned(),
            ],
            (false, "") => [
                "What is in this folder?".to_owned(),
                "Find the largest files here and say what they are".to_owned(),
                "Write a script that renames these files by date".to_owned(),
            ],
            (false, test) => [
                "Explain how this project is structured".to_owned(),
                format!("Run {test} and fix what fails"),
                "Review my uncommitted changes".to_owned(),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let found = || ProjectKind::of(folder.path());
        assert!(found().is_empty && found().summary().is_none());
        assert!(found().examples()[0].contains("Python"));
        let add = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        add("notes.txt");
        assert_eq!(found(), ProjectKind::default());
        add("Makefile");
        assert_eq!(found().summary().as_deref(), Some("tests: make test · build: make"));
        add("package.json");
        assert_eq!(found().language, "JavaScript");
        add("tsconfig.json");
        add("pnpm-lock.yaml");
        let summary = "TypeScript project · tests: pnpm test · build: pnpm build";
        assert_eq!(found().summary().as_deref(), Some(summary));
        add("Cargo.toml");
        assert_eq!(found().examples()[1], "Run cargo test and fix what fails");
    }
}
