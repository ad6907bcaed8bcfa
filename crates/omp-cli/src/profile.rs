//! `--profile` and `--alias`, which are cut out of argv before anything else: they decide which agent
//! directory and which `.env` files the rest of the start reads.

use std::ffi::{OsStr, OsString};

use crate::error::UsageError;
use crate::table::{Flag, find_command, find_launch_flag};
use crate::walk::{Appetite, Item, Lookup, Walk};

/// What was said about profiles. Names are as typed; whether one is allowed is not decided here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: Option<String>,
    /// The shell command to make for the profile.
    pub alias: Option<String>,
}

/// Takes the profile out of argv and gives back the rest, in order.
pub fn extract_profile(argv: Vec<OsString>) -> Result<(Profile, Vec<OsString>), UsageError> {
    let mut profile = Profile::default();
    let mut taken = vec![false; argv.len()];
    let mut first_word = true;
    for (tokens, item) in Walk::new(&argv, ProfileLookup) {
        match item {
            Item::Flag { spec, value, .. } if is_profile(spec) => {
                profile.set(spec.long, value, tokens.start)?;
                taken[tokens].fill(true);
            }
            Item::Word(word) if first_word => {
                if belongs_to_a_command(word) {
                    break;
                }
                first_word = false;
            }
            // What follows may be its value, so no later word can be known to be a command.
            Item::Unknown(_) => first_word = false,
            _ => {}
        }
    }
    let rest = argv.into_iter().zip(taken).filter(|(_, taken)| !taken).map(|(token, _)| token).collect();
    Ok((profile, rest))
}

impl Profile {
    fn set(&mut self, flag: &str, value: Option<&OsStr>, position: usize) -> Result<(), UsageError> {
        let is_alias = flag == "alias";
        let value = value.ok_or(match is_alias {
            true => UsageError::NoName { flag: "--alias", what: "command name" },
            false => UsageError::NoName { flag: "--profile", what: "profile name" },
        })?;
        let text = value.to_str().ok_or_else(|| UsageError::NotUtf8 {
            position: position + 1,
            shown: value.to_string_lossy().into_owned(),
        })?;
        let place = if is_alias { &mut self.alias } else { &mut self.name };
        *place = Some(text.to_owned());
        Ok(())
    }
}

/// After the name of a command that starts no session, every flag is that command's own.
fn belongs_to_a_command(word: &OsStr) -> bool {
    word.to_str().and_then(find_command).is_some_and(|command| !command.is_launch())
}

fn is_profile(flag: &Flag) -> bool {
    matches!(flag.long, "profile" | "alias")
}

/// The launch table, except that a profile is never called `-p` or `--help`: a token that starts with
/// `-` after `--profile` means that the name was forgotten.
struct ProfileLookup;

impl Lookup for ProfileLookup {
    type Spec = &'static Flag;

    fn find(&self, spelled: &str) -> Option<(&'static Flag, Appetite)> {
        let flag = find_launch_flag(spelled)?;
        let appetite = if is_profile(flag) { Appetite::NextUnlessDash } else { flag.takes.into() };
        Some((flag, appetite))
    }
}
