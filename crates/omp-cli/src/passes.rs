//! The two readings of a launch command line: before extensions are loaded, and after.
//!
//! The second one starts again from argv instead of patching the first, because an extension may give a
//! built-in name another shape: with a boolean `--plan`, the word after it is a prompt.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::error::UsageError;
use crate::launch::{ExtensionArg, Launch};
use crate::table::{Flag, find_launch_flag};
use crate::value::Values;
use crate::walk::{Appetite, Item, Lookup, Walk, sub};
use crate::words::OutputMode;

/// A flag that an extension registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionFlag {
    /// Without the dashes.
    pub name: String,
    pub kind: ExtensionFlagKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionFlagKind {
    Boolean,
    String,
}

/// A flag that no built-in row knows; an extension may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFlag {
    /// As typed, dashes included, without `=value`; lossy if it was not text.
    pub spelled: String,
    /// Which argument of the launch command line it is, counted from 0.
    pub position: usize,
}

/// What is known before extensions are loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstPass {
    argv: Vec<OsString>,
    mode: Option<OutputMode>,
    provisional: Launch,
    unknown: Vec<UnknownFlag>,
}

impl FirstPass {
    /// The built-in flags, for what must be decided before extensions load: directory, settings, which
    /// extensions. Messages and attachments are empty, because a word may still turn out to be the
    /// value of an extension's flag. Bad values are left out here and reported by [`parse_second`].
    pub fn provisional(&self) -> &Launch {
        &self.provisional
    }

    /// Flags for extensions to claim, in order.
    pub fn unknown(&self) -> &[UnknownFlag] {
        &self.unknown
    }
}

/// Reads the arguments of a session without knowing any extension. Never fails: what is wrong may be
/// right once extensions are known.
pub fn parse_first(argv: Vec<OsString>) -> FirstPass {
    first_pass(argv, None)
}

/// As [`parse_first`], for a command that implies an output mode.
pub(crate) fn first_pass(argv: Vec<OsString>, mode: Option<OutputMode>) -> FirstPass {
    let Reading { values, unknown, .. } = read(&argv, &[]);
    let provisional = Launch::from_values(&values, mode);
    FirstPass { argv, mode, provisional, unknown }
}

/// Reads the arguments again with the flags of extensions, which go before built-in ones.
pub fn parse_second(first: &FirstPass, extensions: &[ExtensionFlag]) -> Result<Launch, UsageError> {
    let reading = read(&first.argv, extensions);
    if !reading.unknown.is_empty() {
        let typed = reading.unknown.iter().map(|flag| flag.spelled.as_str());
        let names: Vec<&str> = extensions.iter().map(|flag| flag.name.as_str()).collect();
        return Err(UsageError::unknown_flags(typed, &names));
    }
    if let Some(error) = reading.error {
        return Err(error);
    }
    let mut launch = Launch::from_values(&reading.values, first.mode);
    launch.messages = reading.messages;
    launch.attachments = reading.attachments;
    launch.extension_flags = reading.extension_flags;
    Ok(launch)
}

/// Everything one walk over a launch command line finds.
#[derive(Default)]
struct Reading {
    values: Values,
    messages: Vec<String>,
    attachments: Vec<PathBuf>,
    extension_flags: Vec<ExtensionArg>,
    unknown: Vec<UnknownFlag>,
    /// The first thing that is wrong beside unknown flags.
    error: Option<UsageError>,
}

fn read(argv: &[OsString], extensions: &[ExtensionFlag]) -> Reading {
    let mut reading = Reading::default();
    for (tokens, item) in Walk::new(argv, LaunchLookup { extensions }) {
        let result = reading.add(tokens.start, item);
        if let Err(error) = result {
            reading.error.get_or_insert(error);
        }
    }
    reading
}

impl Reading {
    fn add(&mut self, position: usize, item: Item<'_, Spec<'_>>) -> Result<(), UsageError> {
        match item {
            Item::Flag { spec: Spec::BuiltIn(flag), spelled, value } => {
                self.values.add(flag, spelled, value)?;
            }
            Item::Flag { spec: Spec::Extension(flag), value, .. } => {
                let value = value.map(|value| text(position, value)).transpose()?;
                self.extension_flags.push(ExtensionArg { name: flag.name.clone(), value });
            }
            Item::Unknown(spelled) => self.unknown.push(UnknownFlag { spelled, position }),
            Item::Word(word) => match attachment(word) {
                Some(path) => self.attachments.push(path),
                None => self.messages.push(text(position, word)?),
            },
            Item::Literal(word) => self.messages.push(text(position, word)?),
        }
        Ok(())
    }
}

/// The path of `@path`; a lone `@` is a message.
fn attachment(word: &OsStr) -> Option<PathBuf> {
    match word.as_encoded_bytes() {
        [b'@', _, ..] => sub(word, 1..word.len()).map(PathBuf::from),
        _ => None,
    }
}

fn text(position: usize, word: &OsStr) -> Result<String, UsageError> {
    word.to_str().map(str::to_owned).ok_or_else(|| UsageError::NotUtf8 {
        position: position + 1,
        shown: word.to_string_lossy().into_owned(),
    })
}

#[derive(Clone, Copy)]
enum Spec<'a> {
    BuiltIn(&'static Flag),
    Extension(&'a ExtensionFlag),
}

struct LaunchLookup<'a> {
    extensions: &'a [ExtensionFlag],
}

impl<'a> Lookup for LaunchLookup<'a> {
    type Spec = Spec<'a>;

    fn find(&self, spelled: &str) -> Option<(Spec<'a>, Appetite)> {
        let extension =
            spelled.strip_prefix("--").and_then(|name| self.extensions.iter().find(|flag| flag.name == name));
        if let Some(flag) = extension {
            let appetite = match flag.kind {
                ExtensionFlagKind::Boolean => Appetite::Nothing,
                ExtensionFlagKind::String => Appetite::NextUnlessDash,
            };
            return Some((Spec::Extension(flag), appetite));
        }
        find_launch_flag(spelled).map(|flag| (Spec::BuiltIn(flag), flag.takes.into()))
    }
}
