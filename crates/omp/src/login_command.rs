//! `omp login`, `omp logout` and `omp token`.

use omp_cli::CommandCall;
use omp_sdk::auth::Person;
use omp_sdk::settings::Settings;
use omp_sdk::{
    Freshness, LoginKind, LoginRow, SignIn, SignInError, credential, load_registry, registry_loader,
};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::signals::Signals;
use crate::terminal::Terminal;
use crate::working_directory;

/// A sentence, and hints on lines of their own.
type Refusal = (String, Vec<String>);

/// What such a command works with.
struct LoginContext {
    context: CommandContext,
    settings: Arc<Settings>,
    sign_in: SignIn,
    terminal: Terminal,
    cancel: CancellationToken,
}

pub(crate) fn login(call: &CommandCall, profile: Option<&str>) -> u8 {
    let way = if call.values.has("with-key") { Way::Key } else { Way::Usual };
    run(profile, async |desk| desk.login(call.args.text("provider"), way).await)
}

pub(crate) fn logout(call: &CommandCall, profile: Option<&str>) -> u8 {
    run(profile, async |desk| desk.logout(call.args.text("provider")).await)
}

pub(crate) fn token(call: &CommandCall, profile: Option<&str>) -> u8 {
    let freshness = if call.values.has("force-refresh") { Freshness::Forced } else { Freshness::AsNeeded };
    let form = if call.values.has("raw") { Form::Raw } else { Form::Token };
    let provider = call.args.text("provider").unwrap_or_default();
    run(profile, async |desk| desk.token(provider, freshness, form).await)
}

/// How to log in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The provider's own.
    Usual,
    Key,
}

/// How a credential that is JSON is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Raw,
    Token,
}

/// Does the work and prints what it gives. A signal ends it in good order.
fn run(profile: Option<&str>, work: impl AsyncFnOnce(&LoginContext) -> Result<String, Refusal>) -> u8 {
    let runtime = match runtime::start() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, &[]),
    };
    let code = runtime.block_on(async {
        let desk = match LoginContext::new(profile) {
            Ok(desk) => desk,
            Err(error) => return output::fail(&error, &[]),
        };
        let signals = Signals::watch(desk.cancel.clone());
        let outcome = work(&desk).await;
        match (outcome, signals.exit_code()) {
            (Ok(text), _) => output::print(Stream::Out, &text),
            (Err((message, hints)), code) => {
                output::fail(&message, &hints);
                code.unwrap_or(1)
            }
        }
    });
    // A thread may still wait for a line that nobody will enter.
    runtime.shutdown_background();
    code
}

impl LoginContext {
    fn new(profile: Option<&str>) -> Result<Self, String> {
        let context = CommandContext::here(profile)?;
        let cwd = working_directory::current()?;
        let settings = Arc::new(context.settings(&cwd)?);
        let (directories, environment) = (context.directories.clone(), Arc::clone(&context.environment));
        let sign_in = SignIn::new(registry_loader(directories, Arc::clone(&settings)), environment);
        let sign_in = sign_in.ok_or_else(|| "credentials cannot be stored here".to_owned())?;
        Ok(Self { context, settings, sign_in, terminal: Terminal::new(), cancel: CancellationToken::new() })
    }

    async fn login(&self, provider: Option<&str>, way: Way) -> Result<String, Refusal> {
        let rows = self.sign_in.rows();
        let choices: Vec<(&str, &str)> =
            rows.iter().map(|row| (row.id.as_str(), row.name.as_str())).collect();
        let id = self.choose(provider, &choices, "log in to").await?;
        let row = self.sign_in.find(&id).map_err(|error| refused(&error))?;
        match (row.kind, way) {
            (LoginKind::Account, Way::Usual) => self.login_account(&row).await,
            (LoginKind::ApiKey, _) | (LoginKind::Account, Way::Key) => self.login_key(&row).await,
        }
    }

    async fn login_account(&self, row: &LoginRow) -> Result<String, Refusal> {
        let signed_in =
            self.sign_in.account(row, &self.terminal, &self.cancel).await.map_err(|error| refused(&error))?;
        let identity = output::name(&signed_in.identity.unwrap_or_default());
        Ok(format!("Logged in to {} as {identity}\n", signed_in.provider))
    }

    async fn login_key(&self, row: &LoginRow) -> Result<String, Refusal> {
        let provider = self.sign_in.provider(row);
        let page = row
            .key_page
            .map(|page| format!("Create an API key for {provider} at {page}\n"))
            .unwrap_or_default();
        let question = format!("{page}Paste your API key for {provider} and press Enter (input is hidden)");
        let line = self.cancel.run_until_cancelled(self.terminal.hidden_line(&question)).await;
        let line = line.ok_or_else(|| refused(&SignInError::Cancelled))?;
        let line = line.ok_or_else(|| {
            let hint = format!("Pipe it in: omp login {provider} --with-key < key.txt");
            ("no key given; nothing was stored".to_owned(), vec![hint])
        })?;
        let signed_in = self.sign_in.key(row, &line, &self.cancel).await.map_err(|error| refused(&error))?;
        if let Some(remark) = signed_in.remark {
            output::note(&format!("Could not verify the key with {provider}: {remark}"));
        }
        Ok(format!("Stored the API key for {provider}\n"))
    }

    async fn logout(&self, provider: Option<&str>) -> Result<String, Refusal> {
        let stored = self.sign_in.stored().map_err(|error| plain(error.to_string()))?;
        if stored.is_empty() {
            return Ok("No stored credentials\n".to_owned());
        }
        let choices: Vec<(&str, &str)> = stored.iter().map(|name| (name.as_str(), name.as_str())).collect();
        let id = self.choose(provider, &choices, "log out of").await?;
        let count = self.sign_in.forget(&id).map_err(|error| refused(&error))?;
        let what = if count == 1 { "1 credential".to_owned() } else { format!("{count} credentials") };
        Ok(format!("Logged out of {id} ({what} removed)\n"))
    }

    async fn token(&self, provider: &str, freshness: Freshness, form: Form) -> Result<String, Refusal> {
        let (directories, environment) = (&self.context.directories, self.context.environment.as_ref());
        let registry = load_registry(directories, &self.settings, &mut Vec::new());
        let work = credential(&registry, environment, provider, freshness);
        let secret = self.cancel.run_until_cancelled(work).await;
        let secret = secret.ok_or_else(|| plain("cancelled".to_owned()))?;
        let secret = secret.map_err(|error| {
            let hint = format!("Log in with: omp login {provider}");
            (error.to_string(), vec![hint])
        })?;
        Ok(format!("{}\n", printed(secret.reveal(), form)))
    }

    /// The provider that was named, or the one a person picks.
    async fn choose(
        &self,
        named: Option<&str>,
        choices: &[(&str, &str)],
        what: &str,
    ) -> Result<String, Refusal> {
        if let Some(name) = named {
            return Ok(name.to_owned());
        }
        let width = choices.len().to_string().len();
        let lines = choices.iter().enumerate().map(|(index, (id, name))| match id == name {
            true => format!("  {:>width$}  {id}\n", index + 1),
            false => format!("  {:>width$}  {id}  {name}\n", index + 1),
        });
        let list: String = lines.collect();
        output::note(&format!("Choose a provider to {what} (number or name):\n{list}"));
        let line = self.cancel.run_until_cancelled(self.terminal.line()).await.flatten();
        let line = line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
        let word = line.ok_or_else(|| plain("no provider selected".to_owned()))?;
        let by_number = word.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
        Ok(by_number.map_or(word, |(id, _)| (*id).to_owned()))
    }
}

fn plain(message: String) -> Refusal {
    (message, Vec::new())
}

/// Why it did not work, and what to do instead.
fn refused(error: &SignInError) -> Refusal {
    let hints = match error {
        SignInError::Unknown { known, .. } => vec![format!("Known providers: {}", known.join(", "))],
        SignInError::NotStored { stored, .. } => vec![format!("Stored credentials: {}", stored.join(", "))],
        SignInError::Refused(_) => vec!["Copy the key again, or create a new one.".to_owned()],
        _ => Vec::new(),
    };
    (error.to_string(), hints)
}

/// Some credentials are JSON objects that hold the token beside other things.
fn printed(secret: &str, form: Form) -> String {
    let token = match serde_json::from_str::<Value>(secret) {
        Ok(Value::Object(object)) if form == Form::Token => {
            object.get("token").and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    };
    token.unwrap_or_else(|| secret.to_owned())
}
