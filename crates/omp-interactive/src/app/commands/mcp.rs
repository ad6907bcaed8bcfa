//! `/mcp` without arguments: the panel of MCP servers, kept up to date, and what is done from it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_commands::{Answer, McpAction};
use omp_panels::mcp::{FieldItem, Health, McpPanel, Report, ServerAction, ServerItem, ToolItem};
use omp_sdk::auth::{Notice, Person};
use omp_sdk::mcp::{McpServerRow, McpServers, ServerState, ServerStatus, ServerTool, ServerUsage, form};
use omp_sdk::{Level, Session};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::app::{App, Task};
use crate::panels::mcp::Servers;

/// Logs are looked at so often while the panel is open; everything else is told at once.
const LOOK: Duration = Duration::from_millis(500);
/// News that come one after the other are drawn together.
const SETTLE: Duration = Duration::from_millis(50);

/// The tools of a server as the panel shows them, made once for each list of its server.
type ShownList = (Arc<Vec<ServerTool>>, Arc<Vec<ToolItem>>);

/// The same for all servers.
pub(crate) type ShownTools = HashMap<String, ShownList>;

/// Opens the panel.
pub(crate) fn open_servers(app: &mut App) {
    let (watch, mut shown) = (CancellationToken::new(), ShownTools::new());
    let items = items(&app.session().mcp(), &mut shown);
    follow(app, watch.clone());
    app.open(Servers::new(McpPanel::new(items), shown, watch));
}

/// Brings the panel up to date until it is gone.
fn follow(app: &App, gone: CancellationToken) {
    let (tasks, mut events) = (app.tasks.clone(), app.session().mcp().events());
    tokio::spawn(gone.run_until_cancelled_owned(async move {
        loop {
            tokio::select! {
                event = events.recv() => {
                    if matches!(event, Err(RecvError::Closed)) {
                        return;
                    }
                    tokio::time::sleep(SETTLE).await;
                    events = events.resubscribe();
                }
                () = tokio::time::sleep(LOOK) => {}
            }
            let task: Task = Box::new(refresh);
            // The program has ended if nobody takes it.
            if tasks.send(task).is_err() {
                return;
            }
        }
    }));
}

fn refresh(app: &mut App) {
    let session = app.session();
    let Some(panel) = app.panels.panel::<Servers>() else { return };
    let items = items(&session.mcp(), &mut panel.shown);
    if panel.machine.update(items) {
        app.surface.changed();
    }
}

fn items(servers: &McpServers<'_>, shown: &mut ShownTools) -> Vec<ServerItem> {
    let prompts = servers.prompts();
    let of = |row: &McpServerRow| {
        let begins = format!("{}:", row.configured.name);
        let own = prompts.iter().filter(|prompt| prompt.name.starts_with(&begins));
        let prompts = own.map(|prompt| (format!("/{}", prompt.name), prompt.description.clone())).collect();
        ServerItem { prompts, ..item(row, shown) }
    };
    servers.list().iter().map(of).collect()
}

fn item(row: &McpServerRow, shown: &mut ShownTools) -> ServerItem {
    let status = row.status.as_ref();
    let resources = status.map(resources).unwrap_or_default();
    let log = status.map(|status| status.log.lines()).unwrap_or_default();
    ServerItem {
        name: row.configured.name.clone(),
        state: row.state().to_owned(),
        health: health(row),
        summary: summary(row),
        facts: facts(row),
        problem: row.problem(),
        actions: actions(row),
        tools: status.map(|status| tools(status, shown)).unwrap_or_default(),
        resources,
        prompts: Vec::new(),
        log,
    }
}

fn health(row: &McpServerRow) -> Health {
    let state = row.status.as_ref().map(|status| &status.state);
    match (&row.configured.usage, state) {
        (ServerUsage::Untrusted(_) | ServerUsage::Invalid(_), _) => Health::Bad,
        (ServerUsage::Active, Some(ServerState::Ready)) => Health::Good,
        (ServerUsage::Active, Some(ServerState::Connecting { .. })) => Health::Busy,
        (
            ServerUsage::Active,
            Some(ServerState::Failed { .. } | ServerState::Suspended { .. } | ServerState::NeedsLogin),
        ) => Health::Bad,
        _ => Health::Off,
    }
}

fn summary(row: &McpServerRow) -> String {
    let Some(status) = &row.status else { return String::new() };
    let mut parts = vec![transport(status).to_owned()];
    match status.offer.tools.len() {
        0 => {}
        1 => parts.push("1 tool".to_owned()),
        count => parts.push(format!("{count} tools")),
    }
    if let Some(latency) = status.latency {
        parts.push(format!("last call {}", milliseconds(latency)));
    }
    parts.join(", ")
}

fn transport(status: &ServerStatus) -> &'static str {
    status.info.as_ref().map_or_else(|| status.definition.endpoint.kind(), |info| info.transport)
}

fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

fn facts(row: &McpServerRow) -> Vec<(&'static str, String)> {
    let level = match row.configured.level {
        Level::User => "user",
        Level::Project => "project",
    };
    let mut facts = vec![("Definition", row.configured.summary.clone())];
    facts.push(("File", format!("{} ({level})", row.configured.file.display())));
    let Some(status) = &row.status else { return facts };
    facts.push(("Transport", transport(status).to_owned()));
    if let Some(info) = &status.info {
        facts.push(("Protocol", info.revision.as_str().to_owned()));
        let words = [info.name.as_deref(), info.version.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        facts.push(("Server", words.join(" ")));
    }
    let time = |time: Option<Duration>| time.map(milliseconds);
    facts.extend(time(status.connected_in).map(|time| ("Connected in", time)));
    facts.extend(time(status.latency).map(|time| ("Last call", time)));
    facts.extend(status.offer.notes.iter().take(4).map(|note| ("Note", note.clone())));
    facts
}

fn actions(row: &McpServerRow) -> Vec<ServerAction> {
    use ServerAction::{Disable, Enable, Login, Logout, Reconnect, Trust};
    let at_address = row.status.as_ref().is_some_and(|status| status.definition.endpoint.url().is_some());
    match &row.configured.usage {
        ServerUsage::Active if at_address => vec![Reconnect, Login, Logout, Disable],
        ServerUsage::Active => vec![Reconnect, Disable],
        ServerUsage::Disabled => vec![Enable],
        ServerUsage::Untrusted(_) => vec![Trust, Disable],
        ServerUsage::Invalid(_) => Vec::new(),
    }
}

fn resources(status: &ServerStatus) -> Vec<(String, String)> {
    let resources = status.offer.resources.iter();
    resources
        .map(|resource| (resource.uri.clone(), resource.title.as_ref().unwrap_or(&resource.name).clone()))
        .collect()
}

fn tools(status: &ServerStatus, shown: &mut ShownTools) -> Arc<Vec<ToolItem>> {
    let (name, tools) = (&status.definition.name, &status.offer.tools);
    match shown.get(name) {
        Some((of, items)) if Arc::ptr_eq(of, tools) => Arc::clone(items),
        _ => {
            let items: Arc<Vec<ToolItem>> = Arc::new(tools.iter().map(tool).collect());
            shown.insert(name.clone(), (Arc::clone(tools), Arc::clone(&items)));
            items
        }
    }
}

fn tool(tool: &ServerTool) -> ToolItem {
    let mut schema = serde_json::to_string_pretty(tool.input_schema.as_ref()).unwrap_or_default();
    if let Some(output) = &tool.output_schema {
        let output = serde_json::to_string_pretty(output.as_ref()).unwrap_or_default();
        schema.push_str(&format!("\n\nResult:\n{output}"));
    }
    let field = |field: form::FormField| FieldItem {
        name: field.name,
        kind: field.kind,
        description: field.description,
        required: field.required,
        choices: field.choices,
        value: field.default,
    };
    ToolItem {
        name: tool.name.clone(),
        description: tool.description.as_ref().or(tool.title.as_ref()).cloned().unwrap_or_default(),
        fields: form::fields(tool).into_iter().map(field).collect(),
        schema,
    }
}

/// Nobody: what is done from the panel asks nothing.
struct Silent;

impl Person for Silent {
    fn tell(&self, _: Notice) {}

    fn line(&self) -> futures_util::future::BoxFuture<'_, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

/// Logs in, in the conversation: there is an address to open.
pub(crate) fn log_in(app: &mut App, server: &str) {
    app.command(&format!("/mcp reauth {server}"));
}

/// Does something for the panel; what comes of it is shown there.
fn run<T: Send + 'static, F: Future<Output = T> + Send>(
    app: &mut App,
    work: impl FnOnce(Arc<Session>, CancellationToken) -> F + Send + 'static,
    done: impl FnOnce(&mut McpPanel, T) + Send + 'static,
) {
    let (session, cancel) = (app.session(), CancellationToken::new());
    let Some(panel) = app.panels.panel::<Servers>() else { return };
    panel.running = Some(cancel.clone().drop_guard());
    app.spawn(async move {
        let result = cancel.run_until_cancelled(work(session, cancel.clone())).await;
        // What was stopped may have noticed it first.
        let result = result.filter(|_| !cancel.is_cancelled());
        Box::new(move |app: &mut App| {
            let Some(panel) = app.panels.panel::<Servers>() else { return };
            panel.running = None;
            match result {
                Some(result) => done(&mut panel.machine, result),
                None => panel.machine.note("Stopped", false),
            }
            app.look_around();
            refresh(app);
            app.surface.changed();
        }) as Task
    });
}

/// Changes a server or its connection.
pub(crate) fn act(app: &mut App, server: String, action: ServerAction) {
    let action = match action {
        ServerAction::Reconnect => McpAction::Reconnect(server),
        ServerAction::Login => McpAction::Login(server),
        ServerAction::Logout => McpAction::Logout(server),
        ServerAction::Trust => McpAction::Trust(server),
        ServerAction::Enable => McpAction::Enable(server),
        ServerAction::Disable => McpAction::Disable(server),
    };
    let work = |session: Arc<Session>, cancel| async move {
        omp_commands::mcp::execute(&session.mcp(), action, Arc::new(Silent), cancel).await
    };
    run(app, work, |panel, answer| {
        let is_problem = matches!(answer, Answer::Refused(_));
        panel.note(&answer.text().unwrap_or_default(), is_problem);
    });
}

/// Calls a tool with what was typed into its form.
pub(crate) fn call_tool(app: &mut App, server: String, tool: String, typed: &[(String, String)]) {
    let status = app.session().mcp().list().into_iter().find(|row| row.configured.name == server);
    let offered = status.and_then(|row| row.status).map(|status| status.offer.tools).unwrap_or_default();
    let known = offered.iter().find(|known| known.name == tool);
    let Some(panel) = app.panels.panel::<Servers>() else { return };
    let Some(known) = known else {
        return panel.machine.note(&format!("the server no longer has the tool {tool}"), true);
    };
    let arguments = match form::arguments(known, typed) {
        Ok(arguments) => arguments,
        Err(mistake) => return panel.machine.refuse(&mistake.field, &mistake.reason),
    };
    let name = tool.clone();
    let work = |session: Arc<Session>, cancel| async move {
        let begun = Instant::now();
        let action = McpAction::Call(server, tool, arguments);
        let answer = omp_commands::mcp::execute(&session.mcp(), action, Arc::new(Silent), cancel).await;
        (answer, begun.elapsed())
    };
    run(app, work, move |panel, (answer, time)| match answer {
        Answer::Refused(reason) => panel.note(&reason, true),
        answer => {
            let title = format!("{name}: {}", milliseconds(time));
            panel.show(Report { title, text: answer.text().unwrap_or_default() });
        }
    });
}

/// Reads a resource.
pub(crate) fn read(app: &mut App, server: String, uri: String) {
    let title = uri.clone();
    let work = |session: Arc<Session>, cancel| async move { session.mcp().read(&server, &uri, cancel).await };
    run(app, work, |panel, read| match read {
        Ok(text) => panel.show(Report { title, text }),
        Err(reason) => panel.note(&reason, true),
    });
}
