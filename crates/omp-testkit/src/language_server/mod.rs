//! A language server for tests: it does what its script says, and notes every rule of the protocol that a client breaks.
//!
//! The server is a Python program, so that a real process with real pipes is on the other side. Its rules: the order of
//! `initialize`, `initialized`, `shutdown` and `exit`; numbers of requests and versions of documents that grow; no request
//! about a document that is not open; positions inside the text, in the agreed units; answers only to questions; changes of
//! files only where a pattern is registered for them and their kind.
//!
//! # The script
//!
//! ```json
//! {
//!   "capabilities": {"hoverProvider": false},
//!   "rules": [{"word": "BAD", "severity": 1, "message": "a bad word", "code": "E1", "source": "fake"}],
//!   "publish": "versioned",
//!   "answers": {
//!     "textDocument/hover": {"result": {"contents": "text"}},
//!     "x/list": [{"result": 1}, {"error": {"code": -1, "message": "second"}}, {"hang": true}],
//!     "x/echo": {"echo": true, "first": [{"notify": "x/before"}], "then": [{"exit": 3}]}
//!   },
//!   "before_initialize": [{"sleep_ms": 5}],
//!   "after_initialized": [{"request": "workspace/configuration", "params": {"items": []}, "wait": true}]
//! }
//! ```
//!
//! Diagnostics come from `rules`: one for each line that holds the word. `publish` is `versioned`, `unversioned`, `never`,
//! `stale-first` (an old version before the new one), `twice` (nothing, then everything), `once-a-text` (nothing about a
//! text that was published already), `hasty` (as clangd: nothing, then everything for the same version, then the word
//! that it is done), `slowly` (as TypeScript's: without a version, after 600 ms), or
//! `{"unless": "word", "file": "/gate"}`: texts with the word are answered when the file exists. Steps are `notify`,
//! `request`, `raw`, `stderr`, `sleep_ms`, `wait_for` (a file), `exit` and `background` (a list of steps). `${root}` in
//! what is sent is the address of the project. Methods without an answer are unknown to the server.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

const PROGRAM: &str = concat!(include_str!("watching.py"), include_str!("server.py"));

/// An installed server.
#[derive(Clone, Debug)]
pub struct LanguageServer {
    program: PathBuf,
}

impl LanguageServer {
    /// Puts a server of that name into a directory, such as one of a `PATH`.
    ///
    /// # Panics
    /// When the directory cannot be written.
    pub fn install(directory: &Path, name: &str, script: &Value) -> Self {
        std::fs::create_dir_all(directory).expect("a directory for the server");
        let server = Self { program: directory.join(name) };
        // The shim of a version manager takes longer to start than Python itself.
        let python =
            if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "/usr/bin/env python3" };
        let content = format!("#!{python}\n{PROGRAM}");
        std::fs::write(&server.program, content).expect("the server can be written");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&server.program, executable).expect("the server can be made executable");
        server.play(script);
        server
    }

    /// Another script, for the next start.
    ///
    /// # Panics
    /// When the script cannot be written.
    pub fn play(&self, script: &Value) {
        std::fs::write(self.beside("json"), script.to_string()).expect("the script can be written");
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.program.clone().into_os_string();
        name.push(".");
        name.push(ending);
        name.into()
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        assert!(
            self.program.exists(),
            "The home of {} is gone, and with it what it heard.",
            self.program.display()
        );
        let text = std::fs::read_to_string(self.beside("log")).unwrap_or_default();
        // The last line may be in the making.
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.filter_map(|mut event| event.get_mut(kind).map(Value::take)).collect()
    }

    /// What clients said, in order.
    pub fn received(&self) -> Vec<Value> {
        self.events("received")
    }

    /// The methods of what clients said.
    pub fn methods(&self) -> Vec<String> {
        let messages = self.received();
        messages.iter().filter_map(|message| message["method"].as_str().map(str::to_owned)).collect()
    }

    /// The parameters of every message with this method.
    pub fn params(&self, method: &str) -> Vec<Value> {
        let messages = self.received().into_iter().filter(|message| message["method"] == method);
        messages.map(|mut message| message["params"].take()).collect()
    }

    /// What clients answered to the server's questions.
    pub fn answers(&self) -> Vec<Value> {
        self.received().into_iter().filter(|message| message.get("method").is_none()).collect()
    }

    /// The arguments of every start.
    pub fn starts(&self) -> Vec<Value> {
        self.events("start")
    }

    /// The process ids of every start.
    pub fn pids(&self) -> Vec<i32> {
        let pids = self.events("pid");
        pids.iter().filter_map(|pid| i32::try_from(pid.as_i64()?).ok()).collect()
    }

    /// How often a client took leave as it should.
    pub fn farewells(&self) -> usize {
        self.events("exit").len()
    }

    /// # Panics
    /// When a client broke a rule.
    pub fn finish(&self) {
        let violations = self.events("violation");
        assert!(violations.is_empty(), "{}: {violations:#?}", self.program.display());
    }
}
