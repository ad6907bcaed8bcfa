//! Markdown behind `/<name>`: command files, the bundled ones, prompt templates.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use omp_config::discovery::{CommandFile, Finding, Level, Listing, Origin, PromptFile};

use crate::arguments;
use crate::resolve::{self, CommandKind};

/// Commands that are part of the program: name, description, text.
const BUNDLED: [(&str, &str, &str); 1] = [(
    "init",
    "Explore the project and write its AGENTS.md",
    include_str!("../../prompts/init.md").trim_ascii(),
)];

/// The switches `commands.enable…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandSwitches {
    pub claude_user: bool,
    pub claude_project: bool,
    pub opencode_user: bool,
    pub opencode_project: bool,
}

impl Default for CommandSwitches {
    fn default() -> Self {
        Self { claude_user: true, claude_project: true, opencode_user: true, opencode_project: true }
    }
}

impl CommandSwitches {
    /// Whether commands from there are wanted.
    pub fn admit(&self, origin: &Origin) -> bool {
        match (origin.provider, origin.level) {
            ("claude", Level::User) => self.claude_user,
            ("claude", Level::Project) => self.claude_project,
            ("opencode", Level::User) => self.opencode_user,
            ("opencode", Level::Project) => self.opencode_project,
            _ => true,
        }
    }
}

/// Where a command comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandSource {
    File(Origin),
    /// Part of the program.
    Bundled,
    /// A file of `prompts/`.
    Template(Origin),
}

impl CommandSource {
    /// Whether a warning of the search for files is about this one.
    fn is_named_in(&self, warning: &str) -> bool {
        match self {
            Self::File(origin) | Self::Template(origin) => warning
                .strip_prefix(&*origin.path.to_string_lossy())
                .is_some_and(|rest| rest.starts_with(':')),
            Self::Bundled => false,
        }
    }
}

/// A command, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRow {
    pub name: String,
    pub description: String,
    pub argument_hint: Option<String>,
    pub source: CommandSource,
    /// The command of the same name that is used instead.
    pub shadowed_by: Option<CommandSource>,
}

/// A command's text with its arguments, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    pub name: String,
    pub source: CommandSource,
    pub text: String,
    pub warnings: Vec<String>,
}

/// Every command made of Markdown, in order of precedence.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    rows: Vec<CommandRow>,
    /// Beside `rows`.
    bodies: Vec<String>,
    /// The row that a name means.
    names: HashMap<String, usize>,
    warnings: Vec<String>,
}

impl Commands {
    /// Command files come before the bundled commands, templates last.
    ///
    /// Names are compared after the switches: a source that is disabled hides nothing.
    pub fn new(
        commands: Listing<CommandFile>,
        prompts: Listing<PromptFile>,
        switches: &CommandSwitches,
    ) -> Self {
        let mut all = Self::default();
        all.warnings.extend(commands.warnings);
        all.warnings.extend(prompts.warnings);
        for Finding { item, origin, .. } in commands.all {
            if switches.admit(&origin) {
                let source = CommandSource::File(origin);
                all.add(item.name, item.description, item.argument_hint, source, item.body);
            }
        }
        for (name, description, body) in BUNDLED {
            all.add(name.to_owned(), description.to_owned(), None, CommandSource::Bundled, body.to_owned());
        }
        for Finding { item, origin, .. } in prompts.all {
            all.add(item.name, item.description, None, CommandSource::Template(origin), item.body);
        }
        all
    }

    fn add(
        &mut self,
        name: String,
        description: String,
        argument_hint: Option<String>,
        source: CommandSource,
        body: String,
    ) {
        let first = *self.names.entry(name.clone()).or_insert(self.rows.len());
        let shadowed_by = self.rows.get(first).map(|row| row.source.clone());
        self.rows.push(CommandRow { name, description, argument_hint, source, shadowed_by });
        self.bodies.push(body);
    }

    /// The command that a name means.
    pub fn get(&self, name: &str) -> Option<&CommandRow> {
        self.names.get(name).map(|row| &self.rows[*row])
    }

    /// Whether a name means a command of that kind.
    pub fn knows(&self, kind: CommandKind, name: &str) -> bool {
        let source = self.get(name).map(|row| &row.source);
        match kind {
            CommandKind::Markdown => matches!(source, Some(CommandSource::File(_) | CommandSource::Bundled)),
            CommandKind::Template => matches!(source, Some(CommandSource::Template(_))),
            _ => false,
        }
    }

    /// Every command, the shadowed ones too.
    pub fn all(&self) -> &[CommandRow] {
        &self.rows
    }

    /// The commands that can be called, without those whose name a built-in command takes.
    pub fn list(&self, is_builtin: impl Fn(&str) -> bool) -> impl Iterator<Item = &CommandRow> {
        let callable = move |row: &&CommandRow| {
            row.shadowed_by.is_none() && !resolve::is_reserved(&row.name, &is_builtin)
        };
        self.rows.iter().filter(callable)
    }

    /// What `/name arguments` becomes; nothing if there is no such command.
    pub fn expand(&self, text: &str) -> Option<Expanded> {
        let call = resolve::call(text, CommandKind::Markdown)?;
        let row = *self.names.get(call.name)?;
        let filled = arguments::fill(&self.bodies[row], call.arguments);
        let CommandRow { name, source, .. } = self.rows[row].clone();
        let of_file = self.warnings.iter().filter(|warning| source.is_named_in(warning)).cloned();
        let of_call = filled.warnings.into_iter().map(|warning| format!("/{name}: {warning}"));
        let warnings = of_file.chain(of_call).collect();
        Some(Expanded { name, source, text: filled.text, warnings })
    }

    /// What could not be read.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
