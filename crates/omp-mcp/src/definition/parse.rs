//! From an entry of a configuration file to a definition. Agents use different names for the same things; the names do
//! not contradict each other, so all of them are understood everywhere.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};
use url::Url;

use super::{
    AuthBlock, AuthKind, DefinitionError, Endpoint, Grant, OauthSettings, Revision, ServerDefinition,
    ToolFilter, Variables, scalar,
};

/// Whether `"false"` is taken for `false` and `"5000"` for a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coercion {
    #[default]
    Strict,
    /// As in files of omp itself.
    Lenient,
}

/// An entry that is a server, and what in it was ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub definition: ServerDefinition,
    pub warnings: Vec<String>,
}

/// Reads one entry.
pub fn parse(
    name: &str,
    config: &Map<String, Value>,
    coercion: Coercion,
    variables: &Variables<'_>,
) -> Result<Parsed, DefinitionError> {
    let config = variables.expand_all(config);
    let mut entry = Entry { name, config: &config, coercion, warnings: Vec::new() };
    let endpoint = entry.endpoint(variables)?;
    let mut definition = ServerDefinition::new(name, endpoint);
    definition.enabled = entry.enabled();
    definition.timeout = entry.milliseconds("timeout").or_else(|| entry.seconds("tool_timeout_sec"));
    definition.start_timeout =
        entry.seconds("startup_timeout_sec").or_else(|| entry.milliseconds("startup_timeout_ms"));
    definition.instructions = entry.flag("instructions").unwrap_or(true);
    definition.tools = entry.tools();
    definition.revision = entry.revision()?;
    definition.auth = entry.auth()?;
    definition.oauth = entry.oauth();
    Ok(Parsed { definition, warnings: entry.warnings })
}

struct Entry<'e> {
    name: &'e str,
    config: &'e Map<String, Value>,
    coercion: Coercion,
    warnings: Vec<String>,
}

impl Entry<'_> {
    fn warn(&mut self, field: &str, wanted: &str) {
        self.warnings.push(format!("Server \"{}\": \"{field}\" is ignored: it must be {wanted}", self.name));
    }

    fn wrong(&self, field: &str, wanted: &'static str) -> DefinitionError {
        DefinitionError::Field { name: self.name.to_owned(), field: field.to_owned(), wanted }
    }

    /// The first of the names that is set.
    fn first<'f>(&self, fields: &[&'f str]) -> Option<(&'f str, &Value)> {
        fields
            .iter()
            .find_map(|field| Some((*field, self.config.get(*field).filter(|value| !value.is_null())?)))
    }

    fn text(&self, fields: &[&str]) -> Result<Option<String>, DefinitionError> {
        match self.first(fields) {
            None => Ok(None),
            Some((_, Value::String(text))) => Ok(Some(text.clone())),
            Some((field, _)) => Err(self.wrong(field, "a text")),
        }
    }

    fn texts(&self, fields: &[&str]) -> Result<Option<Vec<String>>, DefinitionError> {
        let Some((field, value)) = self.first(fields) else { return Ok(None) };
        let items = value.as_array().map(|items| items.iter().map(scalar).collect::<Option<Vec<_>>>());
        items.flatten().map(Some).ok_or_else(|| self.wrong(field, "a list of texts"))
    }

    fn map(&self, fields: &[&str]) -> Result<BTreeMap<String, String>, DefinitionError> {
        let Some((field, value)) = self.first(fields) else { return Ok(BTreeMap::new()) };
        let wrong = || self.wrong(field, "a mapping from names to texts");
        let map = value.as_object().ok_or_else(wrong)?;
        map.iter()
            .map(|(name, value)| Some((name.clone(), scalar(value)?)))
            .collect::<Option<_>>()
            .ok_or_else(wrong)
    }

    fn endpoint(&mut self, variables: &Variables<'_>) -> Result<Endpoint, DefinitionError> {
        let name = || self.name.to_owned();
        let url = self.text(&["url", "httpUrl", "serverUrl"])?;
        let has_command = self.first(&["command"]).is_some();
        if has_command && url.is_some() {
            return Err(DefinitionError::Both(name()));
        }
        let kind = self.text(&["type", "transport"])?.map(|kind| kind.to_ascii_lowercase());
        match (kind.as_deref(), url) {
            (Some("stdio" | "local"), _) | (None, None) => self.process(),
            (Some("sse"), Some(url)) => {
                Ok(Endpoint::Sse { url: self.address(&url)?, headers: self.headers(variables)? })
            }
            (None, Some(url))
            | (
                Some("http" | "streamable-http" | "streamable_http" | "streamablehttp" | "remote"),
                Some(url),
            ) => Ok(Endpoint::Http { url: self.address(&url)?, headers: self.headers(variables)? }),
            (Some("sse"), None) => Err(DefinitionError::NoUrl { name: name(), kind: "sse" }),
            (Some("http" | "streamable-http" | "streamable_http" | "streamablehttp" | "remote"), None) => {
                Err(DefinitionError::NoUrl { name: name(), kind: "http" })
            }
            (Some(kind), _) => Err(DefinitionError::UnknownType { name: name(), kind: kind.to_owned() }),
        }
    }

    fn process(&self) -> Result<Endpoint, DefinitionError> {
        let mut args = self.texts(&["args"])?.unwrap_or_default();
        let command = match self.first(&["command"]) {
            None => None,
            Some((_, Value::String(command))) => Some(command.clone()),
            Some((field, Value::Array(_))) => {
                let mut words = self.texts(&[field])?.unwrap_or_default().into_iter();
                let command = words.next();
                args.splice(0..0, words);
                command
            }
            Some((field, _)) => return Err(self.wrong(field, "a text")),
        };
        let command = command.filter(|command| !command.trim().is_empty());
        let command = command.ok_or_else(|| DefinitionError::NoCommand(self.name.to_owned()))?;
        let env = self.map(&["env", "environment"])?;
        let cwd = self.text(&["cwd", "workingDirectory"])?.map(Into::into);
        Ok(Endpoint::Stdio { command, args, env, cwd })
    }

    fn address(&self, text: &str) -> Result<Url, DefinitionError> {
        let url = Url::parse(text.trim())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        url.ok_or_else(|| DefinitionError::Url { name: self.name.to_owned(), url: text.to_owned() })
    }

    /// Headers, and the two ways in which Codex takes them from variables.
    fn headers(&mut self, variables: &Variables<'_>) -> Result<BTreeMap<String, String>, DefinitionError> {
        let mut headers = self.map(&["headers", "http_headers"])?;
        for (header, variable) in self.map(&["env_http_headers"])? {
            match (variables.lookup)(&variable) {
                Some(value) => drop(headers.insert(header, value)),
                None => self.warnings.push(format!(
                    "Server \"{}\": the header \"{header}\" is left out: {variable} is not set",
                    self.name
                )),
            }
        }
        if let Some(variable) = self.text(&["bearer_token_env_var"])? {
            match (variables.lookup)(&variable) {
                Some(token) => drop(headers.insert("Authorization".to_owned(), format!("Bearer {token}"))),
                None => self
                    .warnings
                    .push(format!("Server \"{}\": no token is sent: {variable} is not set", self.name)),
            }
        }
        Ok(headers)
    }

    fn flag(&mut self, field: &str) -> Option<bool> {
        let value = self.config.get(field)?;
        let known = match (value, self.coercion) {
            (Value::Bool(flag), _) => Some(*flag),
            (Value::String(text), Coercion::Lenient) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            (Value::Number(number), Coercion::Lenient) => match number.as_u64() {
                Some(1) => Some(true),
                Some(0) => Some(false),
                _ => None,
            },
            _ => None,
        };
        if known.is_none() {
            self.warn(field, "true or false");
        }
        known
    }

    fn enabled(&mut self) -> bool {
        let disabled = self.flag("disabled").unwrap_or(false);
        self.flag("enabled").unwrap_or(!disabled)
    }

    fn number(&mut self, field: &str) -> Option<f64> {
        let value = self.config.get(field)?;
        let known = match (value, self.coercion) {
            (Value::Number(number), _) => number.as_f64(),
            (Value::String(text), Coercion::Lenient) => text.trim().parse().ok(),
            _ => None,
        };
        // A year: more is a mistake, and would not fit everywhere.
        let known = known.filter(|number| (0.0..=31_557_600_000.0).contains(number));
        if known.is_none() {
            self.warn(field, "a number that is not negative");
        }
        known
    }

    fn milliseconds(&mut self, field: &str) -> Option<Duration> {
        self.number(field).map(|number| Duration::from_secs_f64(number / 1000.0))
    }

    fn seconds(&mut self, field: &str) -> Option<Duration> {
        self.number(field).map(Duration::from_secs_f64)
    }

    fn tools(&mut self) -> ToolFilter {
        let mut list = |fields: &[&str]| match self.texts(fields) {
            Ok(list) => list,
            Err(error) => {
                self.warnings.push(error.to_string());
                None
            }
        };
        let only = list(&["includeTools", "enabled_tools", "enabledTools"]);
        let without = list(&["excludeTools", "disabled_tools", "disabledTools"]).unwrap_or_default();
        ToolFilter { only, without }
    }

    fn revision(&self) -> Result<Option<Revision>, DefinitionError> {
        let Some(revision) = self.text(&["protocolVersion", "revision"])? else { return Ok(None) };
        match Revision::named(&revision) {
            Some(revision) => Ok(Some(revision)),
            None => Err(DefinitionError::Revision { name: self.name.to_owned(), revision }),
        }
    }

    /// The texts of a block.
    fn block(&mut self, block: &str) -> Option<BTreeMap<String, String>> {
        let map = self.config.get(block)?.as_object();
        let Some(map) = map else {
            self.warn(block, "a mapping");
            return None;
        };
        Some(map.iter().filter_map(|(name, value)| Some((name.clone(), scalar(value)?))).collect())
    }

    fn auth(&mut self) -> Result<Option<AuthBlock>, DefinitionError> {
        let Some(mut block) = self.block("auth") else { return Ok(None) };
        let kind = match block.remove("type").as_deref() {
            None | Some("oauth") => AuthKind::Oauth,
            Some("apikey") => AuthKind::ApiKey,
            Some(_) => return Err(self.wrong("auth.type", "\"oauth\" or \"apikey\"")),
        };
        Ok(Some(AuthBlock {
            kind,
            credential_id: block.remove("credentialId"),
            token_url: block.remove("tokenUrl"),
            client_id: block.remove("clientId"),
            client_secret: block.remove("clientSecret"),
            resource: block.remove("resource"),
        }))
    }

    fn oauth(&mut self) -> OauthSettings {
        // Elsewhere `oauth: false` switches off what here nobody starts unasked.
        if matches!(self.config.get("oauth"), Some(Value::Bool(_))) {
            return OauthSettings::default();
        }
        let Some(mut block) = self.block("oauth") else { return OauthSettings::default() };
        let port = block.remove("callbackPort");
        let callback_port = port.as_deref().and_then(|port| port.parse().ok());
        if port.is_some() && callback_port.is_none() {
            self.warn("oauth.callbackPort", "a port");
        }
        let listed =
            self.config["oauth"].get("scopes").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut scopes: Vec<String> = listed.iter().filter_map(scalar).collect();
        if let Some(text) = block.remove("scope").or_else(|| block.remove("scopes")) {
            scopes.extend(text.split_whitespace().map(str::to_owned));
        }
        let grant = match block.remove("grantType").as_deref() {
            Some("client_credentials") => Grant::ClientCredentials,
            None | Some("authorization_code") => Grant::AuthorizationCode,
            Some(_) => {
                self.warn("oauth.grantType", "\"authorization_code\" or \"client_credentials\"");
                Grant::AuthorizationCode
            }
        };
        OauthSettings {
            grant,
            client_id: block.remove("clientId"),
            client_secret: block.remove("clientSecret"),
            redirect_uri: block.remove("redirectUri"),
            callback_port,
            callback_path: block.remove("callbackPath"),
            prompt: block.remove("prompt"),
            scopes,
        }
    }
}
