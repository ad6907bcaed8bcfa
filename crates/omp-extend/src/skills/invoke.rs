//! The message behind `/skill:<name> [args]`.

use std::io;
use std::path::PathBuf;

use omp_config::discovery::Skill;
use omp_config::frontmatter;

use super::Skills;
use crate::files;

/// A skill's text above this is cut.
const MAXIMUM: u64 = 256 * 1024;

/// What a skill command puts into the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillMessage {
    pub name: String,
    /// The `SKILL.md`.
    pub path: PathBuf,
    /// What the user wrote after the name.
    pub arguments: Option<String>,
    /// For the model: the skill's text, where it stands, what the user added.
    pub text: String,
}

/// Why a skill cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InvokeError {
    #[error("unknown skill `{name}`{suggestion}")]
    Unknown { name: String, suggestion: String },
    #[error("cannot read the skill `{name}`: {}: {source}", path.display())]
    Unreadable { name: String, path: PathBuf, source: io::Error },
}

impl Skills {
    /// The message for `/skill:<name> <arguments>`; the file is read now, not when it was found.
    pub fn invoke(&self, name: &str, arguments: &str) -> Result<SkillMessage, InvokeError> {
        let Some(skill) = self.get(name) else {
            let suggestion = suggestion(name, self.all().map(|skill| skill.name.as_str()));
            return Err(InvokeError::Unknown { name: name.to_owned(), suggestion });
        };
        let body = body(skill)?;
        let arguments = Some(arguments.trim()).filter(|given| !given.is_empty()).map(str::to_owned);
        let mut text = format!("{body}\n\nSkill: {}", skill.file.display());
        if let Some(given) = &arguments {
            text.push_str("\nUser: ");
            text.push_str(given);
        }
        Ok(SkillMessage { name: name.to_owned(), path: skill.file.clone(), arguments, text })
    }
}

fn body(skill: &Skill) -> Result<String, InvokeError> {
    let text = files::read(&skill.file, MAXIMUM).map_err(|source| InvokeError::Unreadable {
        name: skill.name.clone(),
        path: skill.file.clone(),
        source,
    })?;
    let mut body = frontmatter::parse(&text.content).body;
    if let Some(size) = text.cut {
        body.push_str(&format!(
            "\n[Truncated: {MAXIMUM} of {size} bytes. Read {} for the rest.]",
            skill.file.display()
        ));
    }
    Ok(body)
}

/// ` Did you mean …?` with the closest of the known names, or nothing if none is close.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let tolerated = 1 + name.chars().count() / 4;
    known
        .map(|candidate| (strsim::osa_distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= tolerated)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!(": did you mean `{candidate}`?"))
        .unwrap_or_default()
}
