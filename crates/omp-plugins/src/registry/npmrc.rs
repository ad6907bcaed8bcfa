//! Which registry has which packages, and what it wants to know of the user: variables, and the `.npmrc` of the user. A project has no say.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

const PUBLIC: &str = "https://registry.npmjs.org/";
/// A larger file is no configuration.
const LIMIT: u64 = 1024 * 1024;

/// Registries and their tokens.
#[derive(Clone)]
pub struct RegistryConfig {
    default: Url,
    /// By scope, with the sign before it.
    scopes: HashMap<String, Url>,
    /// By host and path: `example.com/team/`.
    credentials: Vec<(String, String)>,
}

/// Tokens stay out of logs.
impl fmt::Debug for RegistryConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scopes: Vec<&String> = self.scopes.keys().collect();
        write!(formatter, "RegistryConfig({}, {scopes:?})", shown(&self.default))
    }
}

impl RegistryConfig {
    /// As npm has it for this user. What cannot be used is named.
    pub fn load(home: &Path, env: &dyn Fn(&str) -> Option<String>, warnings: &mut Vec<String>) -> Self {
        let set = |name: &str| {
            let upper = name.to_uppercase();
            env(name).or_else(|| env(&upper)).filter(|value| !value.trim().is_empty())
        };
        let path = set("npm_config_userconfig").map_or_else(|| home.join(".npmrc"), PathBuf::from);
        let mut config = Self {
            default: Url::parse(PUBLIC).expect("it is one"),
            scopes: HashMap::new(),
            credentials: Vec::new(),
        };
        match text(&path) {
            Ok(text) => config.read(&text, &path, env, warnings),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => warnings.push(format!("{} is ignored: {error}", path.display())),
        }
        if let Some(typed) = set("npm_config_registry") {
            match registry(&typed) {
                Some(url) => config.default = url,
                None => warnings.push("npm_config_registry is ignored: it is not an http address".to_owned()),
            }
        }
        config
    }

    fn read(
        &mut self,
        text: &str,
        path: &Path,
        env: &dyn Fn(&str) -> Option<String>,
        warnings: &mut Vec<String>,
    ) {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with([';', '#', '[']) {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (expanded(key.trim(), env), value.trim().trim_matches('"').trim_matches('\''));
            let mut warn = |what: &str| warnings.push(format!("{}:{}: {what}", path.display(), number + 1));
            let scope = key.strip_suffix(":registry").filter(|scope| scope.starts_with('@'));
            let (Some(key), Some(value)) = (Some(key.as_str()), resolved(value, env)) else {
                // Only what would be used needs a value.
                if key.ends_with("_authToken") || key.ends_with("registry") {
                    warn("a variable that is not set");
                }
                continue;
            };
            if key == "registry" || scope.is_some() {
                match (registry(&value), scope) {
                    (Some(url), Some(scope)) => drop(self.scopes.insert(scope.to_owned(), url)),
                    (Some(url), None) => self.default = url,
                    (None, _) => warn("the registry is not an http address"),
                }
            } else if let Some((place, kind)) = key.strip_prefix("//").and_then(|rest| rest.rsplit_once(':'))
            {
                let place = format!("{}/", place.trim_end_matches('/').to_lowercase());
                match kind {
                    "_authToken" => self.credentials.push((place, format!("Bearer {value}"))),
                    "_auth" => self.credentials.push((place, format!("Basic {value}"))),
                    _ => {}
                }
            }
        }
    }

    /// The registry of a package.
    pub fn registry(&self, package: &str) -> &Url {
        let scope = package.split_once('/').map(|(scope, _)| scope);
        scope.and_then(|scope| self.scopes.get(scope)).unwrap_or(&self.default)
    }

    /// What an address wants to know of the user, if it is one that the user told it for.
    pub fn authorization(&self, url: &Url) -> Option<&str> {
        if !self.is_private(url) {
            return None;
        }
        let place = place(url);
        let mut known: Vec<&(String, String)> =
            self.credentials.iter().filter(|(prefix, _)| place.starts_with(prefix.as_str())).collect();
        known.sort_by_key(|(prefix, _)| prefix.len());
        known.last().map(|(_, header)| header.as_str())
    }

    /// May a token be sent there? Without encryption only where the user's own registry has none either.
    fn is_private(&self, url: &Url) -> bool {
        let same = |known: &Url| {
            known.scheme() == url.scheme()
                && known.host_str() == url.host_str()
                && known.port_or_known_default() == url.port_or_known_default()
        };
        url.scheme() == "https" || same(&self.default) || self.scopes.values().any(same)
    }
}

fn text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut std::io::Read::take(std::fs::File::open(path)?, LIMIT), &mut text)?;
    Ok(text)
}

/// Host, port and path, as the keys of tokens have them.
fn place(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}{}", url.host_str().unwrap_or_default(), url.path()).to_lowercase()
}

fn registry(typed: &str) -> Option<Url> {
    let url = Url::parse(&format!("{}/", typed.trim().trim_end_matches('/'))).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.host_str().is_some()).then_some(url)
}

/// An address without what it may say about the user.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.to_string()
}

fn expanded(text: &str, env: &dyn Fn(&str) -> Option<String>) -> String {
    resolved(text, env).unwrap_or_else(|| text.to_owned())
}

/// With the values of `${VARIABLE}`; `None` if one has none.
fn resolved(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}')?;
        out.push_str(before);
        let (name, is_optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
        match env(name) {
            Some(value) => out.push_str(&value),
            None if is_optional => {}
            None => return None,
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(npmrc: &str, variables: &[(&str, &str)]) -> (RegistryConfig, Vec<String>) {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".npmrc"), npmrc).unwrap();
        let mut warnings = Vec::new();
        let env =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        (RegistryConfig::load(home.path(), &env, &mut warnings), warnings)
    }

    #[test]
    fn the_user_says_where_packages_come_from() {
        let (plain, _) = config("", &[]);
        assert_eq!(plain.registry("x").as_str(), PUBLIC);
        let text =
            "; a comment\nregistry = http://npm.example.com/all\n@team:registry=https://${HOST}/npm/\n";
        let (own, warnings) = config(text, &[("HOST", "team.example.com")]);
        assert_eq!(own.registry("x").as_str(), "http://npm.example.com/all/");
        assert_eq!(own.registry("@team/x").as_str(), "https://team.example.com/npm/");
        assert_eq!(warnings, Vec::<String>::new());
        for name in ["npm_config_registry", "NPM_CONFIG_REGISTRY"] {
            let (env, _) = config(text, &[("HOST", "h"), (name, "https://other.example.com")]);
            assert_eq!(env.registry("x").as_str(), "https://other.example.com/");
        }
        let (odd, warnings) = config("registry=file:///etc\n@a:registry=${MISSING}", &[]);
        assert_eq!(odd.registry("@a/x").as_str(), PUBLIC);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }

    #[test]
    fn tokens_go_to_their_host_only() {
        let text = "registry=https://npm.example.com/team/\n//npm.example.com/team/:_authToken=${TOKEN}\n\
                    //npm.example.com/:_authToken=wide\n//plain.example.com/:_auth=abc\n";
        let (config, _) = config(text, &[("TOKEN", "secret")]);
        let sent = |url: &str| config.authorization(&Url::parse(url).unwrap()).map(str::to_owned);
        assert_eq!(sent("https://npm.example.com/team/x.tgz").as_deref(), Some("Bearer secret"));
        assert_eq!(sent("https://npm.example.com/x").as_deref(), Some("Bearer wide"));
        assert_eq!(sent("https://plain.example.com/x").as_deref(), Some("Basic abc"));
        for other in [
            "https://npm.example.com.evil.example/team/x",
            "https://evil.example/npm.example.com/team/",
            "http://npm.example.com/team/x",
            "https://npm.example.com:8443/team/x",
        ] {
            assert_eq!(sent(other), None, "{other}");
        }
        assert!(!format!("{config:?}").contains("secret"));
    }
}
