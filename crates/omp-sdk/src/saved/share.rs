//! Sharing a saved session by link: an encrypted snapshot in a secret gist, or on the share server.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join3;
use omp_auth::{Environment, client_options};
use omp_config::Directories;
use omp_config::settings::{Settings, keys};
use omp_export::share::{
    Host, Job, Reply, SealError, Sealed, SendError, ShareOptions, Shared, Target, seal, send,
};
use omp_llm::{Client, ClientError, PlainBody};
use omp_models::load_registry;
use omp_shell::scope::{Exit, Program, Stdio};
use omp_shell::{Environment as ChildEnvironment, Scope};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::saved::share_handler::ShareHandler;
use crate::saved::transcript_export::{Conversation, PromptAndTools};
use crate::saved::{SavedError, SavedSessions, SessionScope};
use crate::secrets::known;

/// The server may be far away, and the snapshot a megabyte.
const UPLOAD_LIMIT: Duration = Duration::from_secs(60);
/// Nothing that `gh` says is longer.
const MOST_SAID: u64 = 64 * 1024;
/// A shorter value is a word that may occur anywhere.
const SHORTEST_SECRET: usize = 8;

/// Why a session was not shared. Nothing was uploaded.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The session was not found.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// There is no session here.
    #[error("no session in this directory to share: name one (see: omp session list --all)")]
    NoSession,
    /// The snapshot could not be made.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The snapshot could not be uploaded.
    #[error(transparent)]
    Send(#[from] SendError),
    /// Nothing can be sent at all.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The user's own handler did not share it.
    #[error("{0} did not share the session: {1}")]
    Handler(String, String),
    /// The program is about to end.
    #[error("sharing was interrupted because omp is exiting; try again")]
    Interrupted,
}

impl SavedSessions {
    /// Shares the session that `value` names, or the last one of the directory. Credentials that omp knows are
    /// removed from the snapshot first, unless `share.redactSecrets` is off.
    pub async fn share(
        &self,
        value: Option<&str>,
        directories: &Directories,
        settings: &Settings,
        environment: &Arc<dyn Environment>,
    ) -> Result<Shared, ShareError> {
        let path = match value {
            Some(value) => self.find(value)?,
            None => self.list(SessionScope::Folder).into_iter().next().ok_or(ShareError::NoSession)?.path,
        };
        let conversation = Conversation::File(path);
        upload(conversation, PromptAndTools::default(), self.blobs(), directories, settings, environment)
            .await
    }
}

/// Seals a conversation and uploads it. Dropping the future stops it: `gh` ends with its scope.
pub(crate) async fn upload(
    conversation: Conversation,
    told: PromptAndTools,
    blobs: PathBuf,
    directories: &Directories,
    settings: &Settings,
    environment: &Arc<dyn Environment>,
) -> Result<Shared, ShareError> {
    if let Some(handler) = ShareHandler::find(directories) {
        return handler.share(conversation, told, blobs, directories, settings, environment).await;
    }
    let environment = environment.as_ref();
    let secrets = match settings.get(keys::SHARE_REDACT_SECRETS) {
        true => secrets(directories, settings, environment),
        false => Vec::new(),
    };
    let host = SnapshotHost { client: Client::new(client_options(environment))?, scope: Scope::new() };
    let target = Target::choose(&host).await;
    let work = move || snapshot(&conversation, &told, &blobs, &secrets, target.limit());
    let sealed = tokio::task::spawn_blocking(work).await.map_err(|_| ShareError::Interrupted)??;
    let server = settings.get(keys::SHARE_SERVER_URL).unwrap_or_default();
    let shared = send(&sealed, target, server, &host).await;
    host.scope.end().await;
    Ok(shared?)
}

fn snapshot(
    conversation: &Conversation,
    told: &PromptAndTools,
    blobs: &Path,
    secrets: &[String],
    limit: usize,
) -> Result<Sealed, SealError> {
    let redact = |text: &str| redacted(text, secrets);
    let options = ShareOptions {
        system_prompt: told.system.as_deref(),
        tools: &told.tools,
        blobs: Some(blobs),
        redact: &redact,
    };
    seal(&conversation.view()?, &options, limit)
}

/// Values that nobody else should read: of variables that are named like credentials, and of stored logins.
fn secrets(directories: &Directories, settings: &Settings, environment: &dyn Environment) -> Vec<String> {
    let registry = load_registry(directories, settings, &mut Vec::new());
    let inherited = ChildEnvironment::inherited();
    let set = inherited.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let mut found: Vec<String> =
        set.filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value.to_owned()).collect();
    found.extend(registry.key_variables().iter().filter_map(|name| environment.var(name)));
    if let Some(vault) = environment.vault() {
        let providers = vault.providers().unwrap_or_default();
        let logins = providers.iter().filter_map(|provider| vault.peek(provider));
        found.extend(logins.map(|secret| secret.reveal().to_owned()));
    }
    found.extend(known::stored(&registry, environment, None).into_iter().map(|known| known.value));
    found.retain(|value| value.trim().len() >= SHORTEST_SECRET);
    // A value that contains another is replaced first.
    found.sort_by_key(|value| std::cmp::Reverse(value.len()));
    found.dedup();
    found
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"].iter().any(|word| name.ends_with(word))
}

fn redacted(text: &str, secrets: &[String]) -> Option<String> {
    let mut clean = None;
    for secret in secrets {
        let current: &str = clean.as_deref().unwrap_or(text);
        if current.contains(secret.as_str()) {
            clean = Some(current.replace(secret.as_str(), "[secret removed]"));
        }
    }
    clean
}

/// Runs `gh` and sends requests for an upload.
struct SnapshotHost {
    client: Client,
    scope: Scope,
}

impl Host for SnapshotHost {
    fn gh<'a>(&'a self, arguments: &'a [&'a str], input: Vec<u8>) -> Job<'a, io::Result<Reply>> {
        Box::pin(run_gh(&self.scope, arguments, input))
    }

    fn post<'a>(&'a self, url: &'a str, body: Vec<u8>) -> Job<'a, Result<Reply, String>> {
        Box::pin(async move {
            let body = PlainBody::Bytes { content_type: "application/octet-stream", bytes: body };
            let answer = self.client.post_plain(url, &body, UPLOAD_LIMIT).await;
            let answer = answer.map_err(|failure| failure.message)?;
            Ok(Reply { status: answer.status, output: answer.body, errors: String::new() })
        })
    }
}

async fn run_gh(scope: &Scope, arguments: &[&str], input: Vec<u8>) -> io::Result<Reply> {
    let (exit, output, errors) = run(scope, "gh".as_ref(), arguments, input).await?;
    let status = match exit {
        Exit::Exited(code) => u16::try_from(code).unwrap_or(1),
        Exit::Signaled(_) | Exit::Lost => 1,
    };
    Ok(Reply { status, output, errors })
}

/// Runs a program to its end: how it ended, what it printed, and what it complained about.
pub(crate) async fn run(
    scope: &Scope,
    path: &OsStr,
    arguments: &[&str],
    input: Vec<u8>,
) -> io::Result<(Exit, String, String)> {
    let program = Program {
        path: path.into(),
        arguments: arguments.iter().map(Into::into).collect(),
        cwd: std::env::current_dir()?,
        environment: ChildEnvironment::inherited(),
        stdin: Stdio::Piped,
        stdout: Stdio::Piped,
        stderr: Stdio::Piped,
    };
    let mut child = scope.spawn(program).map_err(io::Error::other)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input says so with its exit code.
            let _ = stdin.write_all(&input).await;
        }
    };
    let (output, errors, ()) = join3(said(stdout), said(stderr), write).await;
    Ok((child.wait().await, output, errors))
}

async fn said(pipe: Option<impl AsyncReadExt + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What was read before an error is all there is to show.
        let _ = pipe.take(MOST_SAID).read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_are_replaced_wherever_they_are() {
        let secrets = ["sk-long-and-more".to_owned(), "sk-long".to_owned()];
        let text = "a sk-long-and-more b sk-long c";
        assert_eq!(redacted(text, &secrets).unwrap(), "a [secret removed] b [secret removed] c");
        assert_eq!(redacted("nothing here", &secrets), None);
        assert!(
            is_secret_name("GITHUB_TOKEN") && is_secret_name("my_api_key") && !is_secret_name("KEYBOARD")
        );
    }
}
