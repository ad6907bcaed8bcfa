//! Which logins there are: data, from the list below and from the user's own file.
//!
//! Only providers whose constants are known for certain are listed. A user who knows others writes them into
//! `logins.json` of the agent directory, in the same form; an entry with a known id replaces it.

use indexmap::IndexMap;
use serde::Deserialize;

const BUILTIN: &str = include_str!("../logins.json");

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
    #[serde(default)]
    pub scopes: Vec<String>,
    pub token_url: String,
    #[serde(default)]
    pub encoding: Encoding,
    pub flow: Flow,
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
    Device { device_url: String },
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

impl Login {
    /// Whose requests the credential is for.
    pub fn provider(&self) -> &str {
        self.store_as.as_deref().unwrap_or(&self.id)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("logins.json: {0}. Only the built-in logins are available until this is fixed.")]
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

    pub fn iter(&self) -> impl Iterator<Item = &Login> {
        self.0.iter()
    }

    pub fn find(&self, id: &str) -> Option<&Login> {
        self.0.iter().find(|login| login.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_addresses_are_safe() {
        let logins = Logins::default();
        let ids: Vec<&str> = logins.iter().map(|login| login.id.as_str()).collect();
        assert_eq!(ids, ["anthropic", "openai-codex", "openai-codex-device"]);
        for login in logins.iter() {
            assert!(login.token_url.starts_with("https://"), "{}", login.id);
        }
        assert_eq!(logins.find("openai-codex-device").map(Login::provider), Some("openai-codex"));
    }

    /// The ports are those that remote logins forward.
    #[test]
    fn callback_ports_are_the_documented_ones() {
        let logins = Logins::default();
        let port = |id: &str| match &logins.find(id).unwrap().flow {
            Flow::Code(flow) => flow.callback_port,
            _ => 0,
        };
        assert_eq!((port("anthropic"), port("openai-codex")), (54545, 1455));
    }

    #[test]
    fn the_users_file_adds_replaces_and_is_checked() {
        let own = r#"[{"id": "anthropic", "name": "Mine", "clientId": "c", "tokenUrl": "https://a/t",
                       "flow": {"kind": "device", "deviceUrl": "https://a/d"}},
                      {"id": "corp", "name": "Corp", "clientId": "c", "tokenUrl": "https://a/t", "encoding": "json",
                       "flow": {"kind": "code", "authorizeUrl": "https://a/a", "callbackPort": 0, "callbackPath": "/cb"}}]"#;
        let (logins, error) = Logins::with_file(own);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(logins.find("anthropic").unwrap().name, "Mine");
        assert_eq!(logins.iter().last().unwrap().id, "corp");
        let (logins, error) = Logins::with_file(r#"[{"id": "x", "clientID": "c"}]"#);
        assert!(error.unwrap().to_string().contains("clientID"));
        assert_eq!(logins.iter().count(), 3);
    }
}
