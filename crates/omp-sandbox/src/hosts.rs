//! Which hosts a confined command reaches.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::proxy::{Hosts, Reach};

use crate::Denial;

/// Where package managers fetch from unless they are told otherwise.
const REGISTRIES: &[&str] = &[
    "crates.io",
    "*.crates.io",
    "static.rust-lang.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "repo.yarnpkg.com",
    "jsr.io",
    "npm.jsr.io",
    "deno.land",
    "pypi.org",
    "files.pythonhosted.org",
    "proxy.golang.org",
    "sum.golang.org",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "services.gradle.org",
    "rubygems.org",
    "index.rubygems.org",
    "api.nuget.org",
    "repo.packagist.org",
    "packagist.org",
    "hex.pm",
    "repo.hex.pm",
    "pub.dev",
    "hackage.haskell.org",
];

/// Files of the user that name other registries.
const CONFIGURED: &[&str] = &[
    ".npmrc",
    ".config/npm/npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".bunfig.toml",
    ".cargo/config.toml",
    ".cargo/config",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".config/uv/uv.toml",
    ".config/go/env",
    ".m2/settings.xml",
    ".gradle/init.gradle",
    ".gemrc",
];
/// The same for the whole machine.
const CONFIGURED_ABSOLUTE: &[&str] =
    &["/etc/pip.conf", "/etc/npmrc", "/usr/local/etc/npmrc", "/usr/etc/npmrc"];
/// Variables that do.
const VARIABLES: &[&str] = &[
    "GOPROXY",
    "GOSUMDB",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "NPM_CONFIG_REGISTRY",
    "npm_config_registry",
    "YARN_REGISTRY",
    "CARGO_REGISTRIES_CRATES_IO_INDEX",
    "CARGO_REGISTRY_INDEX",
    "RUSTUP_DIST_SERVER",
    "BUNDLE_MIRROR__ALL",
];

/// Whoever can let a command out: the gate, which asks a person.
pub trait Escalation: Send + Sync {
    /// A confined command was refused something. Shall it run again, outside?
    fn outside<'a>(&'a self, call: &'a str, command: &'a str, why: &'a Denial) -> Answer<'a>;

    /// A confined command wants to reach a host: one of those that are running.
    fn host<'a>(&'a self, host: &'a str, port: u16, running: &'a [String]) -> Answer<'a>;
}

/// Yes or no, when somebody has said so.
pub type Answer<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// How the setting treats hosts that are not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherHosts {
    /// A person is asked, once for each.
    #[default]
    Ask,
    Deny,
}

/// The hosts of one session.
#[derive(Default)]
pub struct HostBook {
    state: Mutex<HostsState>,
    escalation: OnceLock<Arc<dyn Escalation>>,
    /// One question at a time, and none twice.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct HostsState {
    others: OtherHosts,
    /// Patterns, and how far those hosts may be reached.
    allowed: Vec<(String, Reach)>,
    /// What a person said in this session.
    answers: BTreeMap<String, bool>,
    /// Refused since somebody last asked.
    refused: Vec<String>,
    upstream: Option<String>,
    /// Confined commands that are running, for the question about a host.
    running: Vec<String>,
}

/// A confined command that is running, until this is dropped.
#[derive(Debug)]
pub struct RunningCommand {
    book: Arc<HostBook>,
    command: String,
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        let mut state = self.book.lock();
        if let Some(at) = state.running.iter().position(|command| *command == self.command) {
            state.running.remove(at);
        }
    }
}

impl std::fmt::Debug for HostBook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBook").finish_non_exhaustive()
    }
}

/// Where hosts are looked for.
pub struct HostSources<'a> {
    pub home: Option<&'a Path>,
    pub projects: &'a [PathBuf],
    /// `sandbox.allowedHosts`.
    pub listed: Vec<String>,
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl HostBook {
    /// Learns which hosts are fine. May wait for the disk.
    pub fn learn(&self, others: OtherHosts, sources: &HostSources<'_>) {
        let mut allowed: Vec<(String, Reach)> = Vec::new();
        // Registries have mirrors inside of networks under the same names; nobody but the network's owner decides where
        // those lead. What the user wrote down may lie in their own network as well.
        let registries = REGISTRIES.iter().map(|host| ((*host).to_owned(), Reach::Anywhere));
        allowed.extend(sources.listed.iter().map(|host| (host.to_lowercase(), Reach::Anywhere)));
        allowed.extend(configured(sources).into_iter().map(|host| (host, Reach::Anywhere)));
        allowed.extend(registries);
        // A project chooses its remotes.
        let remotes = sources.projects.iter().flat_map(|project| remotes(project));
        allowed.extend(remotes.map(|host| (host, Reach::Public)));
        let proxy = |name: &str| (sources.variable)(name).filter(|value| !value.is_empty());
        let upstream = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].into_iter().find_map(proxy);
        let mut state = self.lock();
        state.others = others;
        state.allowed = allowed;
        state.upstream = upstream.and_then(|address| authority(&address));
    }

    pub fn attach(&self, escalation: Arc<dyn Escalation>) {
        // A session has one.
        let _ = self.escalation.set(escalation);
    }

    /// Notes that a confined command runs.
    pub fn running(self: &Arc<Self>, command: &str) -> RunningCommand {
        self.lock().running.push(command.to_owned());
        RunningCommand { book: Arc::clone(self), command: command.to_owned() }
    }

    /// The hosts that were refused since the last time.
    pub fn take_refused(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().refused)
    }

    /// Hosts that need no question, for people.
    pub fn allowed(&self) -> Vec<String> {
        let state = self.lock();
        let said = state.answers.iter().filter(|(_, yes)| **yes).map(|(host, _)| host.clone());
        let mut all: Vec<String> = state.allowed.iter().map(|(host, _)| host.clone()).chain(said).collect();
        all.dedup();
        all
    }

    fn lock(&self) -> MutexGuard<'_, HostsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known without asking.
    fn known(&self, host: &str) -> Option<Reach> {
        let state = self.lock();
        if let Some((_, reach)) = state.allowed.iter().find(|(pattern, _)| fits(pattern, host)) {
            return Some(*reach);
        }
        match state.answers.get(host) {
            Some(true) => Some(Reach::Anywhere),
            Some(false) => Some(Reach::No),
            None => (state.others == OtherHosts::Deny).then_some(Reach::No),
        }
    }

    async fn decide(&self, host: &str, port: u16) -> Reach {
        if let Some(reach) = self.known(host) {
            return reach;
        }
        let _turn = self.turn.lock().await;
        if let Some(reach) = self.known(host) {
            return reach; // The one before was about the same host.
        }
        let running = self.lock().running.clone();
        let allowed = match self.escalation.get() {
            Some(escalation) => escalation.host(host, port, &running).await,
            None => false,
        };
        self.lock().answers.insert(host.to_owned(), allowed);
        if allowed { Reach::Anywhere } else { Reach::No }
    }
}

impl Hosts for HostBook {
    fn reach<'a>(&'a self, host: &'a str, port: u16) -> Pin<Box<dyn Future<Output = Reach> + Send + 'a>> {
        Box::pin(async move {
            let reach = self.decide(host, port).await;
            if reach == Reach::No {
                let mut state = self.lock();
                if !state.refused.iter().any(|one| one == host) {
                    state.refused.push(host.to_owned());
                }
            }
            reach
        })
    }

    fn upstream(&self) -> Option<String> {
        self.lock().upstream.clone()
    }
}

/// `*.example.com` is every host below that one, a name just that host.
fn fits(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|before| before.ends_with('.')),
        None => pattern == host,
    }
}

/// Hosts that the user's own files and variables name.
fn configured(sources: &HostSources<'_>) -> Vec<String> {
    let in_home =
        sources.home.into_iter().flat_map(|home| CONFIGURED.iter().map(move |name| home.join(name)));
    let files = in_home.chain(CONFIGURED_ABSOLUTE.iter().map(PathBuf::from));
    let mut found: Vec<String> = Vec::new();
    for text in files.filter_map(|path| std::fs::read_to_string(path).ok()) {
        found.extend(hosts_in(&text));
    }
    for value in VARIABLES.iter().filter_map(|name| (sources.variable)(name)) {
        found.extend(hosts_in(&value));
    }
    found.sort();
    found.dedup();
    found
}

/// The hosts of all web addresses in a text.
fn hosts_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for scheme in ["https://", "http://"] {
        for rest in text.split(scheme).skip(1) {
            let end = rest.find(|letter: char| letter.is_whitespace() || "\"'`<>,|;)".contains(letter));
            let address = format!("{scheme}{}", &rest[..end.unwrap_or(rest.len())]);
            found.extend(host_of(&address));
        }
    }
    found
}

fn host_of(address: &str) -> Option<String> {
    let host = url::Url::parse(address).ok()?.host_str()?.trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then_some(host)
}

/// `host:port` of a proxy.
fn authority(address: &str) -> Option<String> {
    let address = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let url = url::Url::parse(&address).ok()?;
    let port = url.port_or_known_default()?;
    (url.scheme() == "http").then(|| url.host_str().map(|host| format!("{host}:{port}"))).flatten()
}

/// The hosts that a repository is fetched from.
fn remotes(project: &Path) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(project.join(".git/config")) else { return Vec::new() };
    let value =
        |line: &str| line.trim().strip_prefix("url")?.trim().strip_prefix('=').map(|it| it.trim().to_owned());
    text.lines().filter_map(value).filter_map(|address| host_of(&address)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_whole_names() {
        assert!(fits("*.crates.io", "static.crates.io") && fits("pypi.org", "pypi.org"));
        for host in ["crates.io", "evilcrates.io", "crates.io.evil.example"] {
            assert!(!fits("*.crates.io", host), "{host}");
        }
        assert!(!fits("pypi.org", "a.pypi.org"));
    }

    #[test]
    fn hosts_are_found_where_the_user_wrote_them() {
        let directory = tempfile::tempdir().unwrap();
        let (home, project) = (directory.path().join("home"), directory.path().join("project"));
        std::fs::create_dir_all(home.join(".cargo")).unwrap();
        std::fs::create_dir_all(project.join(".git")).unwrap();
        std::fs::write(home.join(".npmrc"), "registry=https://npm.corp.example/x/\n").unwrap();
        std::fs::write(home.join(".cargo/config.toml"), "index = \"sparse+https://crates.corp.example/\"\n")
            .unwrap();
        std::fs::write(project.join(".npmrc"), "registry=https://evil.example/\n").unwrap();
        let config = "[remote \"origin\"]\n\turl = https://git.example/a.git\n[remote \"b\"]\n url=git@ssh.example:a\n";
        std::fs::write(project.join(".git/config"), config).unwrap();
        let book = HostBook::default();
        let projects = [project];
        book.learn(
            OtherHosts::Deny,
            &HostSources {
                home: Some(&home),
                projects: &projects,
                listed: vec!["*.Mine.example".into()],
                variable: &|name| (name == "GOPROXY").then(|| "https://go.corp.example,direct".to_owned()),
            },
        );
        for (host, expected) in [
            ("npm.corp.example", Reach::Anywhere),
            ("crates.corp.example", Reach::Anywhere),
            ("go.corp.example", Reach::Anywhere),
            ("a.mine.example", Reach::Anywhere),
            ("git.example", Reach::Public),
            ("registry.npmjs.org", Reach::Anywhere),
            ("evil.example", Reach::No),
            ("ssh.example", Reach::No),
        ] {
            assert_eq!(book.known(host), Some(expected), "{host}");
        }
    }

    #[test]
    fn proxies_of_this_machine_are_used() {
        assert_eq!(authority("http://proxy.example:3128/"), Some("proxy.example:3128".into()));
        assert_eq!(authority("proxy.example:80"), Some("proxy.example:80".into()));
        assert_eq!(authority("socks5://proxy.example:80"), None);
    }
}
