//! What a setting is: one row of the table.

use serde_json::{Map, Value};

/// One setting. Built with the `const` functions below so that a row reads as one sentence.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name of its constant in `keys`.
    pub constant: &'static str,
    /// The dotted name that users write.
    pub path: &'static str,
    /// Where the value stands in a file. Differs from `path` only where a name is both a switch and a group.
    pub stored: &'static str,
    pub shape: Shape,
    pub group: Group,
    /// One sentence.
    pub about: &'static str,
    pub variables: &'static [Variable],
    /// The launch flag that overrides it, with its dashes.
    pub flag: Option<&'static str>,
    pub secrecy: Secrecy,
    /// The part of the program this setting needs, if that part is not built yet.
    pub waits_for: Option<&'static str>,
}

/// Kind, default and limits of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Flag(bool),
    Number(f64),
    Choice {
        default: &'static str,
        choices: &'static [&'static str],
    },
    Text(Option<&'static str>),
    /// The default as strings; a user's list may hold other values.
    List(&'static [&'static str]),
    /// Empty by default.
    Record,
}

/// An environment variable and the dotted path it overrides for one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    pub path: &'static str,
}

/// Whether listings may show the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    Public,
    Secret,
}

/// The settings that are shown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Models,
    Thinking,
    Interaction,
    Tools,
    Shell,
    Files,
    CodeIntelligence,
    Context,
    Memory,
    Agents,
    Extensions,
    Appearance,
    Providers,
    Services,
    Sharing,
    Speech,
    System,
}

impl Group {
    pub fn title(self) -> &'static str {
        match self {
            Self::Models => "Models",
            Self::Thinking => "Thinking and sampling",
            Self::Interaction => "Interaction",
            Self::Tools => "Tools",
            Self::Shell => "Shell and eval",
            Self::Files => "Files",
            Self::CodeIntelligence => "Code intelligence",
            Self::Context => "Context",
            Self::Memory => "Memory",
            Self::Agents => "Agents",
            Self::Extensions => "Extensions",
            Self::Appearance => "Appearance",
            Self::Providers => "Providers",
            Self::Services => "Services",
            Self::Sharing => "Sharing",
            Self::Speech => "Speech",
            Self::System => "System",
        }
    }
}

impl Setting {
    pub(super) const fn new(path: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            constant: "",
            path,
            stored: path,
            shape,
            group: Group::System,
            about,
            variables: &[],
            flag: None,
            secrecy: Secrecy::Public,
            waits_for: None,
        }
    }

    pub(super) const fn stored_at(self, stored: &'static str) -> Self {
        Self { stored, ..self }
    }

    pub(super) const fn variables(self, variables: &'static [Variable]) -> Self {
        Self { variables, ..self }
    }

    pub(super) const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    pub(super) const fn secret(self) -> Self {
        Self { secrecy: Secrecy::Secret, ..self }
    }

    pub(super) const fn waits_for(self, part: &'static str) -> Self {
        Self { waits_for: Some(part), ..self }
    }

    pub(super) const fn placed(self, constant: &'static str, group: Group) -> Self {
        Self { constant, group, ..self }
    }

    /// How listings name the kind of the value.
    pub fn type_name(&self) -> &'static str {
        match self.shape {
            Shape::Flag(_) => "boolean",
            Shape::Number(_) => "number",
            Shape::Choice { .. } => "enum",
            Shape::Text(_) => "string",
            Shape::List(_) => "array",
            Shape::Record => "record",
        }
    }

    /// The words a value may be; empty unless it is a choice.
    pub fn choices(&self) -> &'static [&'static str] {
        match self.shape {
            Shape::Choice { choices, .. } => choices,
            _ => &[],
        }
    }

    /// The value while no layer gives one; `null` for a text that is not set.
    pub fn default_value(&self) -> Value {
        match self.shape {
            Shape::Flag(default) => Value::Bool(default),
            Shape::Number(default) => number(default),
            Shape::Choice { default, .. } => Value::from(default),
            Shape::Text(default) => Value::from(default),
            Shape::List(default) => Value::from(default),
            Shape::Record => Value::Object(Map::new()),
        }
    }
}

/// A whole number is written without a fraction, as users write it.
pub(super) fn number(value: f64) -> Value {
    let whole = value as i64;
    if whole as f64 == value { Value::from(whole) } else { Value::from(value) }
}
