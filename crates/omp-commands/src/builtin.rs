//! One row of the table of built-in commands.

use crate::handler::{Handler, ScreenCommand, TextHandler};

/// One built-in command.
#[derive(Debug)]
pub struct Builtin {
    /// What is typed after the slash.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it does, in a few words.
    pub description: &'static str,
    /// What may follow, as ghost text; empty if nothing may.
    pub hint: &'static str,
    /// The first words that it knows, for completion.
    pub subcommands: &'static [&'static str],
    /// What runs it.
    pub handler: Handler,
    /// Whether it is offered to people only, not to programs that speak a protocol.
    needs_person: bool,
}

impl Builtin {
    const fn new(name: &'static str, description: &'static str, handler: Handler) -> Self {
        let needs_person = matches!(handler, Handler::Screen(_));
        Self { name, aliases: &[], description, hint: "", subcommands: &[], handler, needs_person }
    }

    /// A command that answers with text, with or without a screen.
    pub(crate) const fn text(name: &'static str, description: &'static str, handler: TextHandler) -> Self {
        Self::new(name, description, Handler::Text(handler))
    }

    /// A command that needs a screen and a person in front of it.
    pub(crate) const fn screen(name: &'static str, description: &'static str, screen: ScreenCommand) -> Self {
        Self::new(name, description, Handler::Screen(screen))
    }

    /// A command that answers with text and has a view of its own where there is a screen.
    pub(crate) const fn both(
        name: &'static str,
        description: &'static str,
        handler: TextHandler,
        screen: ScreenCommand,
    ) -> Self {
        Self::new(name, description, Handler::Both(handler, screen))
    }

    /// A command whose part of the program does not exist yet.
    pub(crate) const fn unavailable(name: &'static str, description: &'static str) -> Self {
        Self::new(name, description, Handler::Unavailable)
    }

    /// With other names.
    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// With arguments.
    pub(crate) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// With first words that can be completed.
    pub(crate) const fn subcommands(self, subcommands: &'static [&'static str]) -> Self {
        Self { subcommands, ..self }
    }

    /// Not offered to programs that speak a protocol.
    pub(crate) const fn for_people(self) -> Self {
        Self { needs_person: true, ..self }
    }

    /// May something follow the name?
    pub fn takes_arguments(&self) -> bool {
        !self.hint.is_empty()
    }

    /// Its name and the others.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Does the part of the program exist that it needs?
    pub fn is_available(&self) -> bool {
        !matches!(self.handler, Handler::Unavailable)
    }

    /// Is it offered to people only?
    pub fn needs_person(&self) -> bool {
        self.needs_person
    }

    /// What to say of a command whose part of the program does not exist yet.
    pub fn not_available(&self) -> String {
        format!("/{} isn't available yet", self.name)
    }
}
