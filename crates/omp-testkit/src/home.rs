//! A home directory with nothing of the developer's own in it.

use crate::server::{Server, Wire};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Where nothing listens: port 9 (discard) is closed on any machine that runs tests.
const CLOSED: &str = "http://127.0.0.1:9";

/// A temporary directory with `home/`, `work/` and `tmp/`, removed on drop.
pub struct Home {
    root: TempDir,
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    /// # Panics
    /// When the system has no room for a temporary directory.
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("omp-test-").tempdir().expect("a temporary directory");
        let home = Self { root };
        for dir in [
            "home",
            "work",
            "tmp",
            "home/.config",
            "home/.local/share",
            "home/.local/state",
            "home/.cache",
            "run",
        ] {
            std::fs::create_dir_all(home.path(dir)).expect("a fresh directory can be filled");
        }
        home
    }

    /// The directory that holds `home/`, `work/` and `tmp/`.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `$HOME` of the programs.
    pub fn home_dir(&self) -> PathBuf {
        self.path("home")
    }

    /// Working directory of the programs.
    pub fn work_dir(&self) -> PathBuf {
        self.path("work")
    }

    /// `home/.omp/agent`; not created until something is written there.
    pub fn agent_dir(&self) -> PathBuf {
        self.path("home/.omp/agent")
    }

    /// A path below [`Home::root`].
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(relative)
    }

    /// Writes a file below [`Home::root`], with its directories.
    pub fn write(&self, relative: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        let parent = path.parent().expect("a file has a directory");
        std::fs::create_dir_all(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
        std::fs::write(&path, contents).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// The bytes of a file below [`Home::root`].
    pub fn read_bytes(&self, relative: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(relative);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The text of a file below [`Home::root`].
    pub fn read(&self, relative: impl AsRef<Path>) -> String {
        String::from_utf8(self.read_bytes(relative)).expect("the file is UTF-8")
    }

    pub fn exists(&self, relative: impl AsRef<Path>) -> bool {
        self.path(relative).exists()
    }

    /// All files below [`Home::root`], relative, with `/`, sorted. Directories are not listed, links not followed.
    pub fn list_files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect_files(self.root.path(), self.root.path(), &mut files);
        files.sort();
        files
    }

    /// A command in `work/` with a cleared environment. No provider key and no setting of the developer reaches it,
    /// and the addresses of local model servers lead nowhere.
    // The testkit drives programs from outside, as a user's shell does; process scopes are what it tests.
    #[allow(clippy::disallowed_methods)]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.work_dir());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        command
    }

    /// The same for a program that runs in a [`Terminal`](crate::terminal::Terminal), which `setsid` makes its own.
    pub fn terminal_command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.command("setsid");
        command.arg("--ctty").arg(program).env("TERM", "xterm-256color").env("COLORTERM", "truecolor");
        // Who wants to see the set-up of the first run takes it out again.
        command.env("OMP_SKIP_SETUP", "1");
        command
    }

    /// The environment of [`Home::command`].
    pub fn environment(&self) -> Vec<(String, String)> {
        let path = |relative: &str| self.path(relative).display().to_string();
        let mut variables = vec![
            ("HOME", path("home")),
            ("TMPDIR", path("tmp")),
            ("XDG_CONFIG_HOME", path("home/.config")),
            ("XDG_DATA_HOME", path("home/.local/share")),
            ("XDG_STATE_HOME", path("home/.local/state")),
            ("XDG_CACHE_HOME", path("home/.cache")),
            ("XDG_RUNTIME_DIR", path("run")),
            ("LANG", "C.UTF-8".to_owned()),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
            ("OLLAMA_BASE_URL", CLOSED.to_owned()),
            ("LLAMA_CPP_BASE_URL", CLOSED.to_owned()),
            ("LM_STUDIO_BASE_URL", format!("{CLOSED}/v1")),
            ("AWS_EC2_METADATA_SERVICE_ENDPOINT", CLOSED.to_owned()),
            // A request for a name that no script expects; tests of names take this away.
            ("PI_NO_TITLE", "1".to_owned()),
        ];
        if let Ok(search) = std::env::var("PATH") {
            variables.push(("PATH", search));
        }
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Writes `models.yml` with the provider `test` and the model `scripted` on `server`. Returns its path.
    #[expect(clippy::needless_pass_by_value, reason = "callers build the options in place")]
    pub fn models_yml(&self, server: &Server, wire: Wire, options: ModelOptions) -> PathBuf {
        self.write("home/.omp/agent/models.yml", options.yaml(&server.base_url_for(wire), wire))
    }
}

fn collect_files(root: &Path, dir: &Path, files: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect_files(root, &path, files);
        } else if let Ok(relative) = path.strip_prefix(root) {
            files.push(relative.display().to_string());
        }
    }
}

/// What [`Home::models_yml`] writes beyond the defaults.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    pub id: String,
    pub api_key: String,
    pub context_window: u64,
    pub max_tokens: u64,
    pub reasoning: bool,
    /// YAML lines of the provider, without indentation.
    pub provider_lines: String,
    /// YAML lines of the model, without indentation.
    pub model_lines: String,
}

/// Claims: `{"https://api.openai.com/auth":{"chatgpt_account_id":"account-1"}}`.
const CODEX_TOKEN: &str =
    "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.c2ln";

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            id: "scripted".into(),
            api_key: "test-key".into(),
            context_window: 200_000,
            max_tokens: 8192,
            reasoning: false,
            provider_lines: String::new(),
            model_lines: String::new(),
        }
    }
}

impl ModelOptions {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn id(mut self, id: &str) -> Self {
        self.id = id.into();
        self
    }

    pub fn api_key(mut self, key: &str) -> Self {
        self.api_key = key.into();
        self
    }

    pub fn reasoning(mut self, on: bool) -> Self {
        self.reasoning = on;
        self
    }

    pub fn context_window(mut self, tokens: u64) -> Self {
        self.context_window = tokens;
        self
    }

    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Adds YAML lines to the provider.
    pub fn provider(mut self, lines: &str) -> Self {
        self.provider_lines.push_str(lines);
        self.provider_lines.push('\n');
        self
    }

    /// Adds YAML lines to the model.
    pub fn model(mut self, lines: &str) -> Self {
        self.model_lines.push_str(lines);
        self.model_lines.push('\n');
        self
    }

    /// A ChatGPT account is known by its token, Cloud Code Assist wants a project beside it; no other wire minds what
    /// the key looks like.
    fn key_of(&self, wire: Wire) -> String {
        match wire {
            Wire::OpenAiCodexResponses if self.api_key == Self::default().api_key => CODEX_TOKEN.to_owned(),
            Wire::GoogleGeminiCli => format!(r#"'{{"token":"{}","projectId":"project-1"}}'"#, self.api_key),
            _ => self.api_key.clone(),
        }
    }

    /// The whole file.
    pub fn yaml(&self, base_url: &str, wire: Wire) -> String {
        let Self { id, context_window, max_tokens, reasoning, .. } = self;
        let api_key = self.key_of(wire);
        let mut yaml = format!(
            "providers:\n  test:\n    baseUrl: {base_url}\n    api: {}\n    apiKey: {api_key}\n",
            wire.api()
        );
        indent(&mut yaml, "    ", &self.provider_lines);
        write!(
            yaml,
            "    models:\n      - id: {id}\n        contextWindow: {context_window}\n        maxTokens: {max_tokens}\n        \
             reasoning: {reasoning}\n        input: [text, image]\n        \
             cost: {{input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25}}\n"
        )
        .expect("strings can be written");
        indent(&mut yaml, "        ", &self.model_lines);
        yaml
    }
}

fn indent(yaml: &mut String, by: &str, lines: &str) {
    for line in lines.lines() {
        yaml.push_str(by);
        yaml.push_str(line);
        yaml.push('\n');
    }
}
