//! What a server is and how it is reached: one type for all the ways in which agents write it down.
//!
//! - [`parse()`] reads one entry of a configuration file.
//! - `expand` puts variables into it.
//! - `value` resolves `!command` and names of variables, right before a connection.

mod expand;
mod parse;
mod value;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};
use url::Url;

pub use expand::Variables;
pub use parse::{Coercion, Parsed, parse};
pub(crate) use value::Resolver;

/// The longest name of a server.
const NAME_LENGTH: usize = 100;

/// One server, ready to be connected to.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerDefinition {
    pub name: String,
    pub endpoint: Endpoint,
    pub enabled: bool,
    /// For a request; zero stands for none. `None`: the default.
    pub timeout: Option<Duration>,
    /// From the start until tools are listed.
    pub start_timeout: Option<Duration>,
    /// The only revision of the protocol that is tried.
    pub revision: Option<Revision>,
    /// Whether the server's instructions may be shown to the model.
    pub instructions: bool,
    pub tools: ToolFilter,
    pub auth: Option<AuthBlock>,
    pub oauth: OauthSettings,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A process of ours, over its standard streams.
    Stdio { command: String, args: Vec<String>, env: BTreeMap<String, String>, cwd: Option<PathBuf> },
    /// Streamable HTTP; servers that only know the older event stream are noticed.
    Http { url: Url, headers: BTreeMap<String, String> },
    /// Declared as the older event stream. Many servers that are declared so have moved on, so both are tried.
    Sse { url: Url, headers: BTreeMap<String, String> },
}

impl Endpoint {
    /// The address, unless it is a process.
    pub fn url(&self) -> Option<&Url> {
        match self {
            Self::Stdio { .. } => None,
            Self::Http { url, .. } | Self::Sse { url, .. } => Some(url),
        }
    }

    /// What it is called in configuration files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Stdio { .. } => "stdio",
            Self::Http { .. } => "http",
            Self::Sse { .. } => "sse",
        }
    }
}

/// A revision of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(pub(crate) ProtocolVersion);

impl Revision {
    /// Revisions that can be spoken, newest first.
    pub fn known() -> impl Iterator<Item = &'static str> {
        ProtocolVersion::KNOWN_VERSIONS.iter().rev().map(ProtocolVersion::as_str)
    }

    pub fn named(name: &str) -> Option<Self> {
        ProtocolVersion::KNOWN_VERSIONS.iter().find(|version| version.as_str() == name).cloned().map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Without handshake and session.
    pub fn is_stateless(&self) -> bool {
        !self.0.has_initialize()
    }
}

/// Which tools of a server are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Only these, if any are named.
    pub only: Option<Vec<String>>,
    pub without: Vec<String>,
}

impl ToolFilter {
    pub fn admits(&self, tool: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|name| name == tool);
        self.only.as_deref().is_none_or(named) && !named(&self.without)
    }
}

/// The `auth` block of a definition: how a stored credential is found and renewed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthBlock {
    pub kind: AuthKind,
    pub credential_id: Option<String>,
    pub token_url: Option<String>,
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub resource: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthKind {
    #[default]
    Oauth,
    ApiKey,
}

/// The `oauth` block of a definition: how to sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OauthSettings {
    /// A client that was registered by hand.
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub redirect_uri: Option<String>,
    pub callback_port: Option<u16>,
    pub callback_path: Option<String>,
    /// `None`: `consent`. An empty text leaves it out.
    pub prompt: Option<String>,
    pub scopes: Vec<String>,
    pub grant: Grant,
}

/// Who logs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grant {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// The client itself, with its secret. Nobody is asked.
    ClientCredentials,
}

/// Why an entry is not a server. The words are those that users search for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    #[error("Server \"{0}\": stdio server requires \"command\" field")]
    NoCommand(String),
    #[error("Server \"{name}\": {kind} server requires \"url\" field")]
    NoUrl { name: String, kind: &'static str },
    #[error("Server \"{0}\": both \"command\" and \"url\" are set")]
    Both(String),
    #[error("Server \"{name}\": unknown type \"{kind}\" (known: stdio, http, sse)")]
    UnknownType { name: String, kind: String },
    #[error("Server \"{name}\": \"{field}\" must be {wanted}")]
    Field { name: String, field: String, wanted: &'static str },
    #[error("Server \"{name}\": \"{url}\" is not an http or https address")]
    Url { name: String, url: String },
    #[error(
        "Server \"{name}\": unknown protocol revision \"{revision}\" (known: {})",
        Revision::known().collect::<Vec<_>>().join(", ")
    )]
    Revision { name: String, revision: String },
    #[error("server name must not be empty")]
    EmptyName,
    #[error("server name is too long: {0} characters, at most {NAME_LENGTH} are allowed")]
    LongName(usize),
    #[error("server name \"{0}\" is not allowed: use letters, digits, \"_\", \".\" and \"-\" only")]
    BadName(String),
}

/// Checks a name that a user gives to a server.
pub fn check_name(name: &str) -> Result<(), DefinitionError> {
    let length = name.chars().count();
    if length == 0 {
        return Err(DefinitionError::EmptyName);
    }
    if length > NAME_LENGTH {
        return Err(DefinitionError::LongName(length));
    }
    match name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c)) {
        true => Ok(()),
        false => Err(DefinitionError::BadName(name.to_owned())),
    }
}

impl ServerDefinition {
    /// A definition with nothing but an address.
    pub fn new(name: impl Into<String>, endpoint: Endpoint) -> Self {
        Self {
            name: name.into(),
            endpoint,
            enabled: true,
            timeout: None,
            start_timeout: None,
            revision: None,
            instructions: true,
            tools: ToolFilter::default(),
            auth: None,
            oauth: OauthSettings::default(),
        }
    }

    /// What the user agrees to when agreeing to the server: everything that decides what is executed and who is told
    /// what. A change of it is a different server.
    pub fn fingerprint(&self) -> String {
        let endpoint = match &self.endpoint {
            Endpoint::Stdio { command, args, env, cwd } => {
                json!({"command": command, "args": args, "env": env, "cwd": cwd})
            }
            Endpoint::Http { url, headers } => json!({"http": url.as_str(), "headers": headers}),
            Endpoint::Sse { url, headers } => json!({"sse": url.as_str(), "headers": headers}),
        };
        let auth = self.auth.as_ref().map(|auth| {
            json!([auth.credential_id, auth.token_url, auth.client_id, auth.client_secret, auth.resource])
        });
        let oauth = &self.oauth;
        let oauth = json!([oauth.client_id, oauth.client_secret, oauth.redirect_uri, oauth.scopes]);
        let text = json!([self.name, endpoint, auth, oauth]).to_string();
        hex(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()).as_ref())
    }

    /// What has to be connected again if it changes: more than what has to be agreed to.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        self != other
    }

    /// Under which ids a credential may be stored, the preferred one first: the one that is named, and the address.
    pub fn credential_keys(&self) -> Vec<String> {
        let named = self.auth.as_ref().and_then(|auth| auth.credential_id.clone());
        let address = self.endpoint.url().map(|url| url.as_str().trim_end_matches('/').to_owned());
        named.into_iter().chain(address).collect()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A JSON value as a text, for the few places where files write numbers for texts.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
