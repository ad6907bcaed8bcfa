//! Where secrets come from: variables with telling names, and `secrets.yml`.

use std::fmt;

use serde_json::Value;

/// Values shorter than this are not secrets when they come from the environment: too much would be hidden.
const SHORTEST: usize = 8;

/// Words that end the name of a secret variable, or a part of it.
const NAMES: &[&str] =
    &["KEY", "SECRET", "TOKEN", "PASSWORD", "PASS", "AUTH", "CREDENTIAL", "PRIVATE", "OAUTH"];

/// Something that must not reach a model.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretEntry {
    pub matcher: Matcher,
    pub mode: Mode,
}

/// What counts as the secret.
#[derive(Clone, PartialEq, Eq)]
pub enum Matcher {
    Plain(String),
    /// An expression and its flags.
    Regex(String, String),
}

/// What is sent instead.
#[derive(Clone, PartialEq, Eq)]
pub enum Mode {
    /// A placeholder that is turned back wherever the model uses it.
    Obfuscate,
    /// A text of the user's, or one of the same length; never turned back.
    Replace(Option<String>),
}

impl fmt::Debug for SecretEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entry(…)")
    }
}

impl SecretEntry {
    fn content(&self) -> &str {
        match &self.matcher {
            Matcher::Plain(content) | Matcher::Regex(content, _) => content,
        }
    }
}

/// The values of variables whose names say that they are secret.
pub fn from_environment(variables: impl IntoIterator<Item = (String, String)>) -> Vec<SecretEntry> {
    let secret = |(name, value): &(String, String)| is_secret_name(name) && value.chars().count() >= SHORTEST;
    let entry = |(_, value)| SecretEntry { matcher: Matcher::Plain(value), mode: Mode::Obfuscate };
    let mut entries: Vec<SecretEntry> = variables.into_iter().filter(secret).map(entry).collect();
    entries.sort_by(|one, other| one.content().cmp(other.content()));
    entries.dedup();
    entries
}

/// Does the name of a variable say that its value is secret? One of the words, at its end or before `_`.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.iter().any(|word| {
        name.match_indices(word).any(|(at, _)| {
            let rest = &name[at + word.len()..];
            rest.is_empty() || rest.starts_with('_')
        })
    })
}

/// Entries of the user and of the project; the project's word on the same content counts.
pub fn merged(mut user: Vec<SecretEntry>, project: Vec<SecretEntry>) -> Vec<SecretEntry> {
    user.retain(|entry| !project.iter().any(|other| other.content() == entry.content()));
    user.extend(project);
    user
}

/// The entries of a `secrets.yml`, and what is wrong with the others. Never says what is in them.
pub fn parse(text: &str, file: &str) -> (Vec<SecretEntry>, Vec<String>) {
    if text.trim().is_empty() {
        return (Vec::new(), Vec::new());
    }
    let list = match serde_saphyr::from_str::<Value>(text) {
        Ok(Value::Array(list)) => list,
        Ok(Value::Null) => Vec::new(),
        Ok(_) => {
            return (Vec::new(), vec![format!("ignoring {file}: expected a list of entries")]);
        }
        // The parser's own words may quote the file.
        Err(_) => return (Vec::new(), vec![format!("ignoring {file}: not valid YAML")]),
    };
    let (mut entries, mut warnings) = (Vec::new(), Vec::new());
    for (index, value) in list.iter().enumerate() {
        match entry(value) {
            Ok(entry) => entries.push(entry),
            Err(problem) => warnings.push(format!("{file}: ignoring entry {}: {problem}", index + 1)),
        }
    }
    (entries, warnings)
}

fn entry(value: &Value) -> Result<SecretEntry, &'static str> {
    let text = |field: &str, wrong: &'static str| match value.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong),
    };
    if !value.is_object() {
        return Err("expected a mapping with `type` and `content`");
    }
    let content = text("content", "`content` is not a string")?.unwrap_or_default();
    if content.is_empty() {
        return Err("`content` is missing");
    }
    let flags = text("flags", "`flags` is not a string")?.unwrap_or_default();
    let matcher = match text("type", "`type` is not a string")?.as_deref() {
        Some("plain") => Matcher::Plain(content),
        Some("regex") => Matcher::Regex(content, flags),
        _ => return Err("`type` must be `plain` or `regex`"),
    };
    let replacement = text("replacement", "`replacement` is not a string")?;
    let mode = match text("mode", "`mode` is not a string")?.as_deref() {
        None | Some("obfuscate") => Mode::Obfuscate,
        Some("replace") => Mode::Replace(replacement),
        Some(_) => return Err("`mode` must be `obfuscate` or `replace`"),
    };
    if let (Matcher::Plain(content), Mode::Replace(Some(replacement))) = (&matcher, &mode)
        && replacement.contains(content.as_str())
    {
        return Err("`replacement` contains the secret");
    }
    if let Matcher::Regex(content, flags) = &matcher {
        super::pattern::compile(content, flags)?;
    }
    Ok(SecretEntry { matcher, mode })
}
