//! `/mcp` and `omp mcp`: the servers of the Model Context Protocol.

mod views;

use std::sync::Arc;

use omp_sdk::Level;
use omp_sdk::auth::Person;
use omp_sdk::mcp::{McpServers, PersonConsent};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use views::{called, connected, counted, list, logs, prompts, resources, tools};

const USAGE: &str = "Usage: /mcp [list]
       /mcp add <name> --url <url> [--token <token>] [--type http|sse] [--scope user|project]
       /mcp add <name> [--env KEY=VALUE]... [--scope user|project] -- <command> [arguments]
       /mcp remove|enable|disable|trust|test|reconnect|reauth|unauth|tools|logs <name>
       /mcp call <name> <tool> [JSON arguments]
       /mcp reload | resources | prompts | notifications [on|off]";

/// What is to be done with servers.
#[derive(Clone, Debug, PartialEq)]
pub enum McpAction {
    /// Which ones there are, and how they are doing.
    List,
    /// Adds one to a file.
    Add(McpDraft),
    /// Takes one out of its file.
    Remove(String),
    /// Switches one on.
    Enable(String),
    /// Switches one off.
    Disable(String),
    /// Agrees to one of the project's.
    Trust(String),
    /// Connects to one, and says what it offers.
    Test(String),
    /// Connects again.
    Reconnect(String),
    /// Logs in.
    Login(String),
    /// Forgets a login.
    Logout(String),
    /// Its tools, with their parameters.
    Tools(String),
    /// What it wrote to its log.
    Logs(String),
    /// Calls a tool by hand.
    Call(String, String, Map<String, Value>),
    /// Reads all files again.
    Reload,
    /// Resources of all servers.
    Resources,
    /// Prompts of all servers.
    Prompts,
    /// Whether the model is told of changed resources; `None` asks.
    Notifications(Option<bool>),
    /// How the command is used.
    Help,
}

/// A server that somebody typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpDraft {
    /// Its name.
    pub name: String,
    /// Its address.
    pub url: Option<String>,
    /// A token for it.
    pub token: Option<String>,
    /// `http` or `sse`.
    pub transport: Option<String>,
    /// `KEY=VALUE`, for its process.
    pub env: Vec<String>,
    /// `Name: value`, for its requests.
    pub headers: Vec<String>,
    /// Its command line.
    pub command: Vec<String>,
    /// It is written to the project's file.
    pub for_project: bool,
}

impl McpDraft {
    /// The entry for the file.
    fn entry(&self) -> Result<Map<String, Value>, String> {
        match (&self.url, self.command.split_first()) {
            (Some(_), Some(_)) => Err("Use either --url or -- <command...>, not both.".to_owned()),
            (None, None) => Err("the server needs --url <url> or -- <command...>".to_owned()),
            (None, Some(_)) if self.token.is_some() => {
                Err("--token requires --url (HTTP/SSE transport).".to_owned())
            }
            (Some(url), None) => {
                let kind = self.transport.as_deref().unwrap_or("http");
                let mut entry = json!({"type": kind, "url": url});
                let mut headers = Map::new();
                for header in &self.headers {
                    let (name, value) = split(header, ':', "--header")?;
                    headers.insert(name, value.into());
                }
                if let Some(token) = &self.token {
                    headers.insert("Authorization".to_owned(), format!("Bearer {token}").into());
                }
                if !headers.is_empty() {
                    entry["headers"] = Value::Object(headers);
                }
                object(entry)
            }
            (None, Some((command, arguments))) => {
                let mut entry = json!({"type": "stdio", "command": command});
                if !arguments.is_empty() {
                    entry["args"] = json!(arguments);
                }
                let mut env = Map::new();
                for variable in &self.env {
                    let (name, value) = split(variable, '=', "--env")?;
                    env.insert(name, value.into());
                }
                if !env.is_empty() {
                    entry["env"] = Value::Object(env);
                }
                object(entry)
            }
        }
    }
}

fn object(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(map) => Ok(map),
        _ => Err("the entry must be a mapping".to_owned()),
    }
}

fn split(text: &str, at: char, flag: &str) -> Result<(String, String), String> {
    let (name, value) =
        text.split_once(at).ok_or_else(|| format!("{flag} needs a name and a value, not {text:?}"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

impl McpAction {
    /// Reads what was typed behind the command.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let Some((action, rest)) = words.split_first() else { return Ok(Self::List) };
        let named = |make: fn(String) -> Self| match rest {
            [name] => Ok(make(name.clone())),
            [] => Err(format!("{action}: the name of the server is missing")),
            [_, more, ..] => Err(format!("unexpected argument {more:?}")),
        };
        let alone = |this: Self| match rest {
            [] => Ok(this),
            [more, ..] => Err(format!("unexpected argument {more:?}")),
        };
        match action.as_str() {
            "list" | "ls" => alone(Self::List),
            "add" => draft(rest).map(Self::Add),
            "remove" | "rm" => named(Self::Remove),
            "enable" => named(Self::Enable),
            "disable" => named(Self::Disable),
            "trust" => named(Self::Trust),
            "test" => named(Self::Test),
            "reconnect" => named(Self::Reconnect),
            "reauth" | "login" => named(Self::Login),
            "unauth" | "logout" => named(Self::Logout),
            "tools" => named(Self::Tools),
            "logs" => named(Self::Logs),
            "call" => call(rest),
            "reload" => alone(Self::Reload),
            "resources" => alone(Self::Resources),
            "prompts" => alone(Self::Prompts),
            "notifications" => match rest {
                [] => Ok(Self::Notifications(None)),
                [word] if word == "on" || word == "off" => Ok(Self::Notifications(Some(word == "on"))),
                _ => Err("notifications: on or off".to_owned()),
            },
            "help" => alone(Self::Help),
            other => Err(format!("unknown action {other:?}")),
        }
    }
}

fn call(words: &[String]) -> Result<McpAction, String> {
    let [server, tool, arguments @ ..] = words else {
        return Err("call: a server and a tool are needed".to_owned());
    };
    let text = arguments.join(" ");
    let arguments = match text.trim() {
        "" => Map::new(),
        text => serde_json::from_str(text)
            .map_err(|error| format!("the arguments are no JSON object: {error}"))?,
    };
    Ok(McpAction::Call(server.clone(), tool.clone(), arguments))
}

fn draft(words: &[String]) -> Result<McpDraft, String> {
    let mut draft = McpDraft::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            draft.command = words.cloned().collect();
            break;
        }
        let Some(flag) = word.strip_prefix("--") else {
            if !draft.name.is_empty() {
                return Err(format!("unexpected argument {word:?}; a command goes behind --"));
            }
            draft.name.clone_from(word);
            continue;
        };
        let (flag, value) = super::machines::flag_value(flag, &mut words)?;
        match flag {
            "url" => draft.url = Some(value),
            "token" => draft.token = Some(value),
            "type" => draft.transport = Some(value),
            "env" => draft.env.push(value),
            "header" => draft.headers.push(value),
            "scope" if value == "user" || value == "project" => draft.for_project = value == "project",
            "scope" => return Err(format!("--scope must be project or user, not {value}")),
            _ => return Err(format!("unknown flag --{flag}")),
        }
    }
    match draft.name.is_empty() {
        true => Err("the name of the server is missing".to_owned()),
        false => Ok(draft),
    }
}

/// `/mcp …`
pub(crate) async fn run(call: crate::handler::TextCall<'_>) -> Answer {
    let session = call.session();
    let action = match McpAction::parse(&super::machines::words(call.arguments)) {
        Ok(action) => action,
        Err(mistake) => return Answer::Refused(format!("{mistake}\n{USAGE}")),
    };
    if let McpAction::Notifications(wanted) = action {
        if let Some(wanted) = wanted {
            let path = omp_sdk::settings::keys::MCP_NOTIFICATIONS.path();
            if let Err(error) = session.configuration().change(path, Value::Bool(wanted)).await {
                return Answer::refused(error);
            }
            session.mcp().apply_notifications();
        }
        let word = if session.mcp().notifies() { "on" } else { "off" };
        return Answer::Text(format!("MCP notifications are {word}"));
    }
    let person = Arc::new(Onlooker(Arc::clone(&session)));
    execute(&session.mcp(), action, person, CancellationToken::new()).await
}

/// Somebody who reads what a login says and answers in the browser.
struct Onlooker(Arc<omp_sdk::Session>);

impl Person for Onlooker {
    fn tell(&self, notice: omp_sdk::auth::Notice) {
        use omp_sdk::auth::Notice;
        let text = match notice {
            Notice::Open { url } => format!("Open this URL in your browser and log in: {url}"),
            Notice::PortBusy { port, reason } => format!("port {port} is in use: {reason}"),
            Notice::EnterCode { url, code } => format!("Open {url} and enter the code {code}"),
            Notice::NotUsable { reason } => reason,
            Notice::PasteOffered => return,
        };
        let session = Arc::clone(&self.0);
        tokio::spawn(async move { session.tell(text).await });
    }

    fn line(&self) -> futures_util::future::BoxFuture<'_, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

/// Does what was asked.
pub async fn execute(
    servers: &McpServers<'_>,
    action: McpAction,
    person: Arc<dyn Person>,
    cancel: CancellationToken,
) -> Answer {
    let done = match action {
        McpAction::Help => return Answer::Text(USAGE.to_owned()),
        McpAction::List => return list(&servers.list()),
        McpAction::Resources => return resources(&servers.list()),
        McpAction::Prompts => return prompts(servers),
        McpAction::Tools(name) => return answered(servers.test(&name).await, |row| tools(&row)),
        McpAction::Logs(name) => return answered(servers.find(&name), |row| logs(&row)),
        McpAction::Call(server, tool, arguments) => {
            return answered(servers.call(&server, &tool, arguments, cancel).await, |result| called(&result));
        }
        McpAction::Add(draft) => add(servers, &draft).await,
        McpAction::Remove(name) => servers
            .remove(&name)
            .await
            .map(|file| format!("Server \"{name}\" removed from {}", file.display())),
        McpAction::Enable(name) => switch(servers, &name, true).await,
        McpAction::Disable(name) => switch(servers, &name, false).await,
        McpAction::Trust(name) => {
            servers.trust(&name).await.map(|()| format!("Server \"{name}\" is trusted as it is now"))
        }
        McpAction::Test(name) => servers.test(&name).await.map(|row| connected(&row)),
        McpAction::Reconnect(name) => servers.reconnect(&name).await.map(|row| connected(&row)),
        McpAction::Login(name) => {
            let consent = PersonConsent(person);
            let login = servers.login(&name, &consent);
            match cancel.run_until_cancelled(login).await {
                Some(done) => done.map(|()| format!("Logged in to \"{name}\"")),
                None => Err("the login was cancelled".to_owned()),
            }
        }
        McpAction::Logout(name) => {
            servers.logout(&name).await.map(|()| format!("The login of \"{name}\" was removed"))
        }
        McpAction::Reload => match servers.reload(true).await {
            Ok(reloaded) => {
                let text = format!("Reloaded: {}", counted(reloaded.servers, "server"));
                Ok([vec![text], reloaded.warnings].concat().join("\n"))
            }
            Err(error) => Err(error),
        },
        McpAction::Notifications(_) => {
            Err("notifications belong to a session: /mcp notifications".to_owned())
        }
    };
    match done {
        Ok(done) => Answer::Changed(done),
        Err(mistake) => Answer::Refused(mistake),
    }
}

fn answered<T>(result: Result<T, String>, show: impl FnOnce(T) -> String) -> Answer {
    match result {
        Ok(value) => Answer::Text(show(value)),
        Err(mistake) => Answer::Refused(mistake),
    }
}

async fn add(servers: &McpServers<'_>, draft: &McpDraft) -> Result<String, String> {
    let entry = draft.entry()?;
    let level = if draft.for_project { Level::Project } else { Level::User };
    let file = servers.add(&draft.name, entry, level).await?;
    Ok(format!("Server \"{}\" added to {}", draft.name, file.display()))
}

async fn switch(servers: &McpServers<'_>, name: &str, enabled: bool) -> Result<String, String> {
    let file = servers.switch(name, enabled).await?;
    let word = if enabled { "enabled" } else { "disabled" };
    Ok(format!("Server \"{name}\" {word} in {}", file.display()))
}
