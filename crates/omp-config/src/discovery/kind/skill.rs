//! Skills: `<root>/skills/<name>/SKILL.md`, one level deep.

use std::path::PathBuf;

use serde_json::Value;

use super::super::engine::{Kind, Loader, Search};
use super::super::fields::{hyphenated, is_true, text, texts};
use super::super::item::{Finding, Level, Origin, Skill};
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::frontmatter::Document;

/// Whether a skill must say what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    Required,
    Optional,
}

const KNOWN: [&str; 6] = ["name", "description", "globs", "alwaysApply", "hide", "disableModelInvocation"];

impl Kind for Skill {
    type Key = String;
    const NAME: &'static str = "skill";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.skills
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }

    fn collision(hidden: &Finding<Self>, winner: &Origin) -> Option<String> {
        Some(format!(
            "{} is ignored: {} already provides the skill `{}` (rename one of them to use both)",
            hidden.item.file.display(),
            winner.path.display(),
            hidden.item.name
        ))
    }
}

/// Adds the skills of the directory `skills`.
pub(in super::super) fn collect(search: &mut Search<'_, Skill>, skills: &Root, description: Description) {
    let folder = search.folder(&skills.path);
    for entry in folder.entries.iter().filter(|entry| entry.is_directory() && !entry.is_hidden()) {
        add(search, skills.level, entry.name.clone(), entry.path.join("SKILL.md"), description);
    }
}

/// Adds one `SKILL.md` in the directory of that name.
pub(in super::super) fn add(
    search: &mut Search<'_, Skill>,
    level: Level,
    directory: String,
    file: PathBuf,
    description: Description,
) {
    let Some((document, id)) = search.document(&file) else { return };
    if document.warning.is_some() && is_broken(&document) {
        return search.warn(format!("{} is skipped: cannot read its name or description", file.display()));
    }
    let skill = skill(directory, file.clone(), document);
    if skill.description.is_none() && description == Description::Required {
        return search
            .warn(format!("{} is skipped: add a `description` to its front matter", file.display()));
    }
    search.add_once(level, file, skill, Some(id));
}

/// Front matter read line by line is good enough where a value merely needed quotes, not where it is half a list.
fn is_broken(document: &Document) -> bool {
    ["name", "description"]
        .iter()
        .filter_map(|field| document.data.get(*field)?.as_str())
        .any(|value| value.starts_with(['[', '{', '"', '\'', '&', '*', '!', '|', '>', '%', '@', '`']))
}

fn skill(directory: String, file: PathBuf, document: Document) -> Skill {
    let mut data = document.data;
    let base = file.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
    let skill = Skill {
        name: text(&data, "name").unwrap_or(directory),
        description: text(&data, "description"),
        base,
        file,
        globs: texts(&data, "globs"),
        always_apply: is_true(&data, "alwaysApply"),
        hidden: is_true(&data, "hide") || is_true(&data, "disableModelInvocation"),
        metadata: serde_json::Map::new(),
    };
    data.retain(|key, _: &mut Value| !KNOWN.iter().any(|known| key == known || *key == hyphenated(known)));
    Skill { metadata: data, ..skill }
}
