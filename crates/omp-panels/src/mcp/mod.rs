//! The panel of MCP servers: how each is doing, what it offers, what it wrote to its log, and a form to call its tools by
//! hand.
//!
//! The panel shows what it is given and asks for everything else with an [`McpRequest`]; whoever owns it does that, gives it
//! the new state with [`McpPanel::update`], and tells what came of it with [`McpPanel::note`], [`McpPanel::refuse`] or
//! [`McpPanel::show`]. All texts of servers are made harmless here.

mod draw;
mod form;
mod page;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use omp_keys::Bindings;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use omp_view::select::{Choice, Outcome, Selector, Step};

use crate::list_rows::one_line;
use crate::listing::step;
use crate::{Drawn, Machine};
use form::CallForm;
use page::{Output, ServerPage};

const TITLE: &str = "MCP servers";

/// How a server is doing, as far as its colour is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    Good,
    /// It is being connected.
    Busy,
    /// Somebody has to do something about it.
    Bad,
    /// It is not used at the moment.
    #[default]
    Off,
}

/// A server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerItem {
    /// Its name.
    pub name: String,
    /// Its state in a word or two.
    pub state: String,
    /// The same as a colour.
    pub health: Health,
    /// What else is worth a row in the list.
    pub summary: String,
    /// All about it, with what each is called.
    pub facts: Vec<(&'static str, String)>,
    /// What went wrong last.
    pub problem: Option<String>,
    /// What can be done with it now.
    pub actions: Vec<ServerAction>,
    /// Its tools.
    pub tools: Arc<Vec<ToolItem>>,
    /// What can be read: address and name.
    pub resources: Vec<(String, String)>,
    /// Prompts as commands, and what they are for.
    pub prompts: Vec<(String, String)>,
    /// The last lines of its log.
    pub log: Vec<String>,
}

/// A tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolItem {
    /// As the server calls it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its parameters.
    pub fields: Vec<FieldItem>,
    /// The schema of its parameters and of its results.
    pub schema: String,
}

/// A parameter of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldItem {
    /// Its name.
    pub name: String,
    /// What kind of value it takes, in a few words.
    pub kind: String,
    /// What it is for.
    pub description: String,
    /// A call needs it.
    pub required: bool,
    /// The only values it takes, if there are few.
    pub choices: Vec<String>,
    /// What it begins with.
    pub value: String,
}

/// What can be done with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerAction {
    /// Connect again.
    Reconnect,
    /// Log in.
    Login,
    /// Forget the login.
    Logout,
    /// Agree to a server of the project.
    Trust,
    /// Switch it on.
    Enable,
    /// Switch it off.
    Disable,
}

impl ServerAction {
    /// The name and what it means.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Reconnect => ("Reconnect", "end the connection and make a new one"),
            Self::Login => ("Log in", "in the browser"),
            Self::Logout => ("Log out", "forget the stored login"),
            Self::Trust => ("Trust", "allow this project's server as it is now"),
            Self::Enable => ("Enable", "use it in this and later sessions"),
            Self::Disable => ("Disable", "no longer start it"),
        }
    }
}

/// What the panel wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpRequest {
    /// It is done.
    Close,
    /// Something is to be done with a server: [`McpPanel::note`].
    Act(String, ServerAction),
    /// A tool is to be called with what was typed into its form: [`McpPanel::show`] or [`McpPanel::refuse`].
    Call {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
        /// Parameters with what was typed, without those that were left empty.
        typed: Vec<(String, String)>,
    },
    /// A resource is to be read: [`McpPanel::show`].
    Read(String, String),
    /// What runs is to be stopped.
    Stop,
    /// A command is to be put into the editor.
    Write(String),
}

/// What became of a call or of reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it is, in a few words.
    pub title: String,
    /// What came of it.
    pub text: String,
}

/// The panel.
#[derive(Debug)]
pub struct McpPanel {
    servers: Vec<ServerItem>,
    list: Selector,
    page: Option<ServerPage>,
    form: Option<CallForm>,
    output: Option<Output>,
    /// What runs.
    running: Option<String>,
    /// What became of the last action, and whether it went wrong.
    note: Option<(String, bool)>,
}

impl McpPanel {
    /// A panel with these servers.
    pub fn new(servers: Vec<ServerItem>) -> Self {
        let list = Selector::new(TITLE, servers.iter().map(choice).collect());
        Self { servers, list, page: None, form: None, output: None, running: None, note: None }
    }

    /// The servers are like this now. Says whether that changes anything.
    pub fn update(&mut self, servers: Vec<ServerItem>) -> bool {
        if servers == self.servers {
            return false;
        }
        self.servers = servers;
        self.list.replace(self.servers.iter().map(choice).collect());
        if let Some(page) = &mut self.page {
            match self.servers.iter().find(|server| server.name == page.name()) {
                Some(server) => page.update(server),
                None => {
                    self.page = None;
                    self.form = None;
                }
            }
        }
        true
    }

    /// Something was done, or could not be done.
    pub fn note(&mut self, text: &str, is_problem: bool) {
        self.running = None;
        self.note = Some((one_line(text), is_problem));
    }

    /// What was typed for a parameter cannot be sent.
    pub fn refuse(&mut self, field: &str, reason: &str) {
        self.note(&format!("{field}: {reason}"), true);
        if let Some(form) = &mut self.form {
            form.go_to(field);
        }
    }

    /// A call or reading is over.
    pub fn show(&mut self, report: Report) {
        self.running = None;
        self.note = None;
        self.output = Some(Output::new(report));
    }

    /// Does something run that was begun here?
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    fn server(&self) -> Option<&ServerItem> {
        let page = self.page.as_ref()?;
        self.servers.iter().find(|server| server.name == page.name())
    }

    fn run(&mut self, what: &str, request: McpRequest) -> McpRequest {
        self.running = Some(one_line(what));
        request
    }

    fn key_in_list(&mut self, key: Key, keys: &Bindings) -> Option<McpRequest> {
        match self.list.step(step(key, keys)?) {
            Outcome::Cancelled => return Some(McpRequest::Close),
            Outcome::Chosen(chosen) => {
                self.page = self.servers.get(*chosen.first()?).map(ServerPage::new);
            }
            _ => {}
        }
        None
    }

    fn key_on_page(&mut self, key: Key, keys: &Bindings) -> Option<McpRequest> {
        let chosen = self.page.as_mut()?.key(key, keys)?;
        let server = self.server()?;
        let name = server.name.clone();
        match chosen {
            page::Chosen::Back => self.page = None,
            page::Chosen::Turned => {
                let server = server.clone();
                self.page.as_mut()?.turned(&server);
            }
            page::Chosen::Action(place) => {
                let action = *server.actions.get(place)?;
                let what = format!("{name}: {}", action.words().0.to_lowercase());
                return Some(self.run(&what, McpRequest::Act(name, action)));
            }
            page::Chosen::Tool(place) => self.form = server.tools.get(place).map(CallForm::new),
            page::Chosen::Resource(place) => {
                let uri = server.resources.get(place)?.0.clone();
                return Some(self.run(&format!("reading {uri}"), McpRequest::Read(name, uri)));
            }
            page::Chosen::Prompt(place) => {
                return server.prompts.get(place).map(|(command, _)| McpRequest::Write(command.clone()));
            }
        }
        None
    }

    fn key_in_form(&mut self, key: Key, keys: &Bindings) -> Option<McpRequest> {
        match self.form.as_mut()?.key(key, keys)? {
            form::Filled::Back => self.form = None,
            form::Filled::Schema => {
                let form = self.form.as_ref()?;
                let title = format!("{}: schema", form.tool().name);
                self.output = Some(Output::new(Report { title, text: form.tool().schema.clone() }));
            }
            form::Filled::Call => {
                let server = self.server()?.name.clone();
                let form = self.form.as_ref()?;
                let (tool, typed) = (form.tool().name.clone(), form.typed());
                let what = format!("calling {tool}");
                return Some(self.run(&what, McpRequest::Call { server, tool, typed }));
            }
        }
        None
    }
}

/// A row of the list.
fn choice(server: &ServerItem) -> Choice {
    let detail = match (&server.problem, server.summary.as_str()) {
        (Some(problem), _) => format!("{}: {problem}", server.state),
        (None, "") => server.state.clone(),
        (None, summary) => format!("{}, {summary}", server.state),
    };
    Choice::new(one_line(&server.name)).detail(one_line(&detail))
}

impl Machine for McpPanel {
    type Request = McpRequest;

    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.rows(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Option<McpRequest> {
        if self.running.is_some() {
            let stops = step(key, keys) == Some(Step::Cancel);
            return stops.then_some(McpRequest::Stop);
        }
        self.note = None;
        if let Some(output) = &mut self.output {
            if output.is_closed_by(key, keys) {
                self.output = None;
            }
            return None;
        }
        match (&self.form, &self.page) {
            (Some(_), _) => self.key_in_form(key, keys),
            (None, Some(_)) => self.key_on_page(key, keys),
            (None, None) => self.key_in_list(key, keys),
        }
    }

    fn paste(&mut self, text: &str) -> Option<McpRequest> {
        if self.running.is_some() || self.output.is_some() {
            return None;
        }
        match (&mut self.form, &mut self.page) {
            (Some(form), _) => form.paste(text),
            (None, Some(page)) => page.paste(text),
            (None, None) => drop(self.list.step(Step::Text(text.to_owned()))),
        }
        None
    }
}
