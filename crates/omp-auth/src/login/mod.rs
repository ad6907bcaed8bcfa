//! Logging in: from a person's consent to tokens.

mod chatgpt_device;
mod code;
mod code_assist;
mod device;
mod error;
mod finish;
mod loopback;
mod pasted;
mod person;
mod pkce;
mod redirect;

use std::time::Duration;

use omp_llm::{Client, PlainBody};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::credential::{Credential, NewCredential};
use crate::logins::{Flow, Login};
use crate::token::{self, Granted, Refusal};
pub use error::LoginError;
pub use loopback::BrowserReturn;
pub use person::{Notice, Person};

/// How long a browser may take.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// The one account of a server that does not say whose it is.
const ANONYMOUS: &str = "default";

/// What a login works with.
struct Attempt<'a> {
    client: &'a Client,
    person: &'a dyn Person,
    clock: &'a dyn Clock,
}

/// Runs the login to its end. Nothing is stored.
pub async fn log_in(
    login: &Login,
    client: &Client,
    person: &dyn Person,
    clock: &dyn Clock,
    cancel: &CancellationToken,
) -> Result<NewCredential, LoginError> {
    let attempt = Attempt { client, person, clock };
    let granted = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(LoginError::Cancelled),
        granted = attempt.complete(login) => granted?,
    };
    let identity = granted.identity.unwrap_or_else(|| ANONYMOUS.to_owned());
    Ok(NewCredential { credential: Credential::OAuth(granted.tokens), identity })
}

impl Attempt<'_> {
    async fn complete(&self, login: &Login) -> Result<Granted, LoginError> {
        if let Some(variable) = login.missing_variable() {
            return Err(LoginError::NeedsSecret { name: login.name.clone(), variable: variable.to_owned() });
        }
        let granted = self.run(login).await?;
        self.finish(login, granted).await
    }

    async fn run(&self, login: &Login) -> Result<Granted, LoginError> {
        match &login.flow {
            Flow::Code(flow) => code::run(self, login, flow).await,
            Flow::Device { device_url, pkce } => device::run(self, login, device_url, *pkce).await,
            Flow::ChatgptDevice { user_code_url, poll_url, verification_url, redirect_uri } => {
                let places =
                    chatgpt_device::Places { user_code_url, poll_url, verification_url, redirect_uri };
                chatgpt_device::run(self, login, &places).await
            }
        }
    }

    async fn tokens(&self, login: &Login, fields: Vec<(String, String)>) -> Result<Granted, LoginError> {
        let granted = token::request(self.client, login, fields, self.clock.now_ms()).await;
        granted.map_err(|refusal| match refusal {
            Refusal::Final(text) => LoginError::Denied(text),
            Refusal::Passing(text) => server_says(&text),
        })
    }

    /// Posts and reads JSON.
    async fn ask(&self, url: &str, body: &PlainBody) -> Result<Value, LoginError> {
        let answer = self.client.post_plain(url, body, REQUEST_LIMIT).await;
        let answer = answer.map_err(|failure| server_says(&failure.message))?;
        let value = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
        if answer.status != 200 {
            return Err(server_says(token::refusal(answer.status, &value).sentence()));
        }
        Ok(value)
    }
}

fn timed_out() -> LoginError {
    LoginError::TimedOut { minutes: PATIENCE.as_secs() / 60 }
}

fn server_says(text: &str) -> LoginError {
    LoginError::Server(text.trim_end_matches('.').to_owned())
}

/// What a server wants shown, without what could act on a terminal.
fn as_text(words: &str) -> String {
    const MAX_LETTERS: usize = 500;
    words.chars().filter(|letter| !letter.is_control()).take(MAX_LETTERS).collect()
}
