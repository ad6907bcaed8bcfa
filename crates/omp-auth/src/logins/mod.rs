//! Which logins there are: data, from the list below and from the user's own file.
//!
//! Only providers whose constants are known for certain are listed. A user who knows others writes them into
//! `logins.json` of the agent directory, in the same form; an entry with a known id replaces it.

mod place;

use indexmap::IndexMap;
use omp_llm::Secret;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

const BUILTIN: &str = include_str!("../../logins.json");

/// One way to log in.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Login {
    pub id: String,
    /// As lists show it.
    pub name: String,
    /// The provider that uses the credential, when it is not `id`.
    store_as: Option<String>,
    pub client_id: String,
    /// Sent with every request for tokens. The ones of installed programs are public; a company's own may not be.
    #[serde(default, deserialize_with = "secret")]
    pub client_secret: Option<Secret>,
    /// The variable that holds it, where it is somebody else's and not ours to hand out.
    client_secret_variable: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    pub token_url: String,
    /// Variables that name another host for all addresses of this login, the first that is set.
    #[serde(default)]
    pub host_variables: Vec<String>,
    /// Tells whose account it is, where the token endpoint does not.
    pub identity_url: Option<String>,
    #[serde(default)]
    pub encoding: Encoding,
    pub flow: Flow,
    /// What remains to be done with the tokens before the provider takes them.
    pub finish: Option<Finish>,
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Secret>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Secret::new))
}

/// How the token endpoint wants its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Encoding {
    #[default]
    Form,
    Json,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Flow {
    /// In a browser, which comes back to a port of this machine.
    Code(CodeFlow),
    /// With a short code on any device (RFC 8628).
    Device {
        device_url: String,
        /// Whoever begins the login proves to be who ends it (RFC 7636).
        #[serde(default)]
        pkce: bool,
    },
    /// OpenAI's own form of the same.
    ChatgptDevice { user_code_url: String, poll_url: String, verification_url: String, redirect_uri: String },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeFlow {
    pub authorize_url: String,
    /// The provider knows this port. 0 takes a free one, for servers that allow any.
    pub callback_port: u16,
    pub callback_path: String,
    /// More parameters of the authorization address.
    #[serde(default)]
    pub parameters: IndexMap<String, String>,
    /// The token endpoint wants to see `state` too.
    #[serde(default)]
    pub state_in_token_request: bool,
}

/// The last step of a login.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Finish {
    /// The account's token, which does not end, is traded for one of half an hour, as often as needed.
    SessionToken {
        url: String,
        #[serde(default)]
        headers: IndexMap<String, String>,
    },
    /// Google's Code Assist wants to know a project with every request; accounts without one are given one.
    CodeAssist {
        url: String,
        /// Which program asks.
        metadata: Value,
        /// Variables that name a project of the user's own, the first that is set.
        #[serde(default)]
        project_variables: Vec<String>,
        /// What they say.
        #[serde(skip)]
        project: Option<String>,
    },
}

impl Login {
    /// Whose requests the credential is for.
    pub fn provider(&self) -> &str {
        self.store_as.as_deref().unwrap_or(&self.id)
    }

    /// The variable that must be set before anybody can log in.
    pub fn missing_variable(&self) -> Option<&str> {
        self.client_secret_variable.as_deref().filter(|_| self.client_secret.is_none())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("logins.json: {0}; only the built-in logins are available until this is fixed")]
pub struct LoginsError(#[from] serde_json::Error);

/// All logins, in the order in which they are shown.
#[derive(Clone, Debug)]
pub struct Logins(Vec<Login>);

impl Default for Logins {
    fn default() -> Self {
        Self(serde_json::from_str(BUILTIN).expect("the built-in list is checked by a test"))
    }
}

impl Logins {
    /// The built-in logins and those of the user's file. A file with a mistake changes nothing.
    pub fn with_file(text: &str) -> (Self, Option<LoginsError>) {
        let mut logins = Self::default();
        match serde_json::from_str::<Vec<Login>>(text) {
            Ok(own) => {
                own.into_iter().for_each(|login| logins.add(login));
                (logins, None)
            }
            Err(error) => (logins, Some(error.into())),
        }
    }

    fn add(&mut self, login: Login) {
        match self.0.iter_mut().find(|known| known.id == login.id) {
            Some(known) => *known = login,
            None => self.0.push(login),
        }
    }

    /// Takes in what variables say about hosts and projects, and returns what cannot be used.
    pub fn resolve(&mut self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let problems = self.0.iter_mut().map(|login| place::resolve(login, variable).err());
        problems.flatten().collect()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Login> {
        self.0.iter()
    }

    pub fn find(&self, id: &str) -> Option<&Login> {
        self.0.iter().find(|login| login.id == id)
    }
}

#[cfg(test)]
mod tests;
