//! Other machines for the ssh tool: a script that plays one, and a real server.

#![allow(clippy::disallowed_methods, reason = "helpers that are waited for at once")]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use omp_agent::{Tool, ToolError, Updates};
use omp_shell::{Environment, Scope, Spill};
use omp_ssh::{Connections, Host, Source, Surroundings, Trust, Variables};
use omp_tools::{Context, Settings, Spills, SshHosts};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::invocation;

/// A directory for the programs and files of one test.
pub(crate) struct Machine {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) scope: Arc<Scope>,
    pub(crate) path: String,
    pub(crate) settings: Settings,
    pub(crate) config: Value,
    pub(crate) spilled: Arc<Mutex<String>>,
}

/// The tool of one session.
pub(crate) struct Remote {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) connections: Arc<Connections>,
}

impl Machine {
    /// A machine played by a script.
    pub(crate) fn fake() -> Self {
        let machine = Self::empty(json!({ "host": "10.0.0.5", "username": "ci", "port": 2222 }));
        machine.program("ssh", omp_testkit::FAKE_SSH);
        machine
    }

    fn empty(config: Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("bin")).unwrap();
        let path = format!("{}:{}", directory.path().join("bin").display(), std::env::var("PATH").unwrap());
        let (scope, settings) = (Arc::new(Scope::new()), Settings::default());
        Self { directory, scope, path, settings, config, spilled: Arc::default() }
    }

    /// This machine behind a real server without a port: each connection has a server of its own, at the other end of
    /// a pipe. `None` only where somebody chose to go without a server: `OMP_TEST_WITHOUT=sshd`.
    pub(crate) fn real() -> Option<Self> {
        if !Path::new("/usr/sbin/sshd").exists() {
            omp_testkit::assert_waived("sshd", "/usr/sbin/sshd is not there: ./test installs openssh-server");
            return None;
        }
        let machine = Self::empty(json!({ "host": "test.invalid" }));
        let at = |name: &str| machine.directory.path().join(name);
        for key in ["host_key", "id"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(at(key))
                .status();
            assert!(made.unwrap().success());
        }
        std::fs::copy(at("id.pub"), at("authorized_keys")).unwrap();
        // The server insists on this directory when it is started by root.
        if nix::unistd::Uid::effective().is_root() {
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let server = format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\nLogLevel ERROR\n",
            at("host_key").display(),
            at("authorized_keys").display()
        );
        std::fs::write(at("sshd_config"), server).unwrap();
        let client = format!(
            "Host *\n  ProxyCommand /usr/sbin/sshd -i -f {}\n  UserKnownHostsFile {}\n  GlobalKnownHostsFile /dev/null\n  \
             IdentitiesOnly yes\n  IdentityAgent none\n",
            at("sshd_config").display(),
            at("known_hosts").display()
        );
        std::fs::write(at("ssh_config"), client).unwrap();
        let wrapper = format!("#!/bin/sh\nexec /usr/bin/ssh -F '{}' \"$@\"\n", at("ssh_config").display());
        machine.program("ssh", &wrapper);
        let key = at("id");
        Some(machine.with("key", json!(key)))
    }

    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.config[field] = value;
        self
    }

    pub(crate) fn program(&self, name: &str, text: &str) {
        let path = self.file(name);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A file beside the programs.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join("bin").join(name)
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    pub(crate) fn host(&self, trust: Trust) -> Host {
        let source = Source { file: "/p/.omp/ssh.json".into(), trust };
        let variables = Variables { home: Path::new("/h"), cwd: Path::new("/p"), variable: &|_| None };
        Host::parse("build", self.config.as_object().unwrap().clone(), source, &variables).unwrap()
    }

    /// A session with this machine as `build`.
    pub(crate) fn session(&self) -> Remote {
        self.session_of(Trust::User)
    }

    pub(crate) fn session_of(&self, trust: Trust) -> Remote {
        let environment: Environment =
            [("PATH", self.path.clone()), ("TMPDIR", self.runtime().display().to_string())]
                .into_iter()
                .collect();
        let cwd = self.directory.path().to_owned();
        let connections = Arc::new(Connections::new(Surroundings {
            scope: Arc::clone(&self.scope),
            environment: environment.clone(),
            cwd: cwd.clone(),
            cache: self.cache(),
        }));
        let mut context = Context::new(cwd, None, Arc::clone(&self.scope), environment);
        context.settings = self.settings.clone();
        context.spills = Arc::new(Shelf(Arc::clone(&self.spilled)));
        context.ssh = SshHosts::new(vec![self.host(trust)], Arc::clone(&connections)).map(Arc::new);
        let mut tools = omp_tools::builtin(&Arc::new(context)).into_iter();
        Remote { tool: tools.find(|tool| tool.definition().name == "ssh").unwrap(), connections }
    }

    /// Where the sockets of connections are.
    pub(crate) fn runtime(&self) -> PathBuf {
        let path = self.directory.path().join("r");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// The calls of `ssh` so far.
    pub(crate) fn calls(&self) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(self.file("calls")).unwrap_or_default();
        let call = |call: &str| call.split_terminator('\u{1f}').map(str::to_owned).collect();
        text.split_terminator('\u{1e}').map(call).collect()
    }

    pub(crate) fn calls_with(&self, word: &str) -> usize {
        self.calls().iter().filter(|call| call.iter().any(|argument| argument.contains(word))).count()
    }
}

impl Remote {
    pub(crate) async fn run(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.run_until(arguments, CancellationToken::new(), Updates::ignored()).await
    }

    pub(crate) async fn command(&self, command: &str) -> Result<ToolOutput, ToolError> {
        self.run(json!({ "host": "build", "command": command })).await
    }

    pub(crate) async fn run_until(
        &self,
        arguments: Value,
        cancel: CancellationToken,
        updates: Updates,
    ) -> Result<ToolOutput, ToolError> {
        self.tool.run(invocation(&arguments, cancel, updates)).await
    }
}

/// Keeps the last output that was not shown whole.
struct Shelf(Arc<Mutex<String>>);

impl Spills for Shelf {
    fn open(&self, _tool: &str) -> Option<Box<dyn Spill>> {
        self.0.lock().unwrap().clear();
        Some(Box::new(Page(Arc::clone(&self.0))))
    }
}

struct Page(Arc<Mutex<String>>);

impl Spill for Page {
    fn write(&mut self, text: &str) -> std::io::Result<()> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<String> {
        Ok("7.ssh.log".to_owned())
    }
}
