//! Uploading a snapshot.

use std::io;
use std::pin::Pin;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::snapshot::Sealed;
use super::trim::Trim;

/// The name of the file in a gist.
const GIST_FILE: &str = "session.ompshare.txt";
/// Longer words of others are cut in messages.
const LONGEST_REASON: usize = 400;

/// A future of the program around us.
pub type Job<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What uploading needs of the program around it. Dropping a job must stop it.
pub trait Host: Sync {
    /// Runs `gh` with these arguments and this input.
    fn gh<'a>(&'a self, arguments: &'a [&'a str], input: Vec<u8>) -> Job<'a, io::Result<Reply>>;

    /// Sends bytes with `POST`; the error is a sentence.
    fn post<'a>(&'a self, url: &'a str, body: Vec<u8>) -> Job<'a, Result<Reply, String>>;
}

/// What came back: the exit code of a command or the status of a response, and its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Exit code (0 is good) or HTTP status (2xx is good).
    pub status: u16,
    /// Standard output, or the body.
    pub output: String,
    /// Standard error; empty for a response.
    pub errors: String,
}

/// Where a snapshot goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A secret gist, by way of the user's own `gh`.
    Gist,
    /// The share server.
    Server,
}

impl Target {
    /// A gist if `gh` is there and logged in, else the server.
    pub async fn choose(host: &dyn Host) -> Self {
        match host.gh(&["auth", "status"], Vec::new()).await {
            Ok(reply) if reply.status == 0 => Self::Gist,
            _ => Self::Server,
        }
    }

    /// How many bytes a sealed snapshot may have.
    pub fn limit(self) -> usize {
        match self {
            Self::Gist => 5 * 1024 * 1024,
            Self::Server => 1024 * 1024,
        }
    }
}

/// An uploaded snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The link for people. Whoever has it can read the snapshot.
    pub url: String,
    /// The gist that holds the snapshot, if one does.
    pub gist: Option<String>,
    /// What whoever stored it wants to be said.
    pub message: Option<String>,
    /// What was left out. The user is to be told.
    pub trim: Trim,
}

/// The snapshot was not uploaded.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// `gh` could not make the gist.
    #[error("gh could not create the gist: {0} (check `gh auth status`; the token needs the gist scope)")]
    Gist(String),
    /// The server could not be reached, or refused.
    #[error("the share server {url} rejected the snapshot: {reason} (check the setting share.serverUrl)")]
    Server {
        /// The server's address.
        url: String,
        /// What it said, or why there was no answer.
        reason: String,
    },
}

/// Uploads a sealed snapshot and gives its link below `server_url`.
pub async fn send(
    sealed: &Sealed,
    target: Target,
    server_url: &str,
    host: &dyn Host,
) -> Result<Shared, SendError> {
    let (id, gist) = match target {
        Target::Gist => {
            let url = gist(sealed, host).await?;
            let id = url.rsplit('/').next().filter(|id| is_id(id)).map(str::to_owned);
            (id.ok_or_else(|| SendError::Gist(short(&format!("it returned {url:?}"))))?, Some(url))
        }
        Target::Server => (post(sealed, server_url, host).await?, None),
    };
    Ok(Shared { url: sealed.key.link(server_url, &id), gist, message: None, trim: sealed.trim })
}

/// Gists hold text, so the bytes go as base64. Without `--public` a gist is secret.
async fn gist(sealed: &Sealed, host: &dyn Host) -> Result<String, SendError> {
    let arguments =
        ["gist", "create", "--filename", GIST_FILE, "--desc", "Shared omp session (encrypted)", "-"];
    let input = STANDARD.encode(&sealed.bytes).into_bytes();
    match host.gh(&arguments, input).await {
        Ok(reply) if reply.status == 0 => {
            let address = reply.output.split_whitespace().rfind(|word| word.starts_with("https://"));
            Ok(address.unwrap_or_default().trim_end_matches('/').to_owned())
        }
        Ok(reply) => Err(SendError::Gist(short(&reply.errors))),
        Err(error) => Err(SendError::Gist(error.to_string())),
    }
}

async fn post(sealed: &Sealed, url: &str, host: &dyn Host) -> Result<String, SendError> {
    let failed = |reason: String| SendError::Server { url: url.to_owned(), reason };
    let reply = host.post(url, sealed.bytes.clone()).await.map_err(failed)?;
    if !(200..300).contains(&reply.status) {
        return Err(failed(
            format!("status {} {}", reply.status, short(&reply.output)).trim_end().to_owned(),
        ));
    }
    // The id alone, or in an object.
    let id = match serde_json::from_str::<Value>(&reply.output) {
        Ok(Value::Object(fields)) => fields.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Ok(Value::String(id)) => id,
        _ => reply.output.trim().to_owned(),
    };
    if is_id(&id) { Ok(id) } else { Err(failed(format!("its response has no id: {}", short(&reply.output)))) }
}

/// An id becomes part of a link, so it holds nothing that would change its meaning.
fn is_id(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn short(reason: &str) -> String {
    crate::number::one_line(reason, LONGEST_REASON)
}
