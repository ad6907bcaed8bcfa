//! What the user has agreed to, project by project.
//!
//! A project comes with files that somebody else wrote. What it [`Want`]s beyond being read, such as text from outside of
//! it or running its programs, waits until the user agrees; a [`TrustBook`] remembers to what exactly, and when. Code is
//! agreed to as it is: when a byte of it changes, the agreement is over.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ring::digest::{Context, SHA256};
use serde_json::{Map, Value, json};

/// The version of the form in which a book is stored.
const VERSION: u64 = 1;

/// What sort of thing a project wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WantKind {
    /// To have a file from outside of it read.
    Outside,
    /// To have its code run.
    Code,
    /// To have one of its MCP servers started.
    McpServer,
    /// To have one of its hooks run.
    Hook,
    /// To have one of its extensions loaded.
    Extension,
    /// To have one of the user's plugins switched on.
    Plugin,
}

impl WantKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Code => "code",
            Self::McpServer => "mcp",
            Self::Hook => "hook",
            Self::Extension => "extension",
            Self::Plugin => "plugin",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Outside, Self::Code, Self::McpServer, Self::Hook, Self::Extension, Self::Plugin];
        all.into_iter().find(|kind| kind.word() == word)
    }
}

/// One thing that a project wants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Want {
    pub kind: WantKind,
    /// The path of the file, or what would run.
    pub what: String,
    /// The checksum of its content.
    pub hash: String,
}

impl Want {
    /// Does an agreement to `self` hold for `other`? A file of the user's may change, code may not.
    fn covers(&self, other: &Self) -> bool {
        let same = self.kind == other.kind && self.what == other.what;
        same && (self.kind == WantKind::Outside || self.hash == other.hash)
    }
}

/// Something that was agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    pub want: Want,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// All agreements, by the root of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustBook {
    projects: BTreeMap<String, Vec<Agreement>>,
}

impl TrustBook {
    /// Reads a stored book. The error says what is wrong with it; then nothing is agreed to.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if value.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err("it is not in a format that this version supports".to_owned());
        }
        let projects = value.get("projects").and_then(Value::as_object).ok_or("`projects` is missing")?;
        let project = |(root, list): (&String, &Value)| {
            let list = list.as_array()?.iter().map(agreement).collect::<Option<Vec<_>>>()?;
            Some((root.clone(), list))
        };
        let projects = projects.iter().map(project).collect::<Option<_>>();
        Ok(Self { projects: projects.ok_or("an entry is incomplete")? })
    }

    /// The form in which a book is stored.
    pub fn to_text(&self) -> String {
        let one = |agreement: &Agreement| {
            let Agreement { want, at } = agreement;
            json!({"kind": want.kind.word(), "what": want.what, "hash": want.hash, "agreed": at})
        };
        let list = |agreements: &Vec<Agreement>| Value::Array(agreements.iter().map(one).collect());
        let projects: Map<String, Value> =
            self.projects.iter().map(|(root, agreements)| (root.clone(), list(agreements))).collect();
        format!("{:#}\n", json!({"version": VERSION, "projects": projects}))
    }

    /// When the user agreed to what the project wants.
    pub fn agreed(&self, project: &str, want: &Want) -> Option<u64> {
        let known = self.projects.get(project)?;
        known.iter().find(|agreement| agreement.want.covers(want)).map(|agreement| agreement.at)
    }

    /// Remembers an agreement. An older one to the same thing is replaced.
    pub fn agree(&mut self, project: &str, want: Want, at: u64) {
        let known = self.projects.entry(project.to_owned()).or_default();
        known.retain(|old| old.want.kind != want.kind || old.want.what != want.what);
        known.push(Agreement { want, at });
    }

    /// Forgets some of the agreements of a project.
    pub fn forget(&mut self, project: &str, which: impl Fn(&Want) -> bool) {
        if let Some(known) = self.projects.get_mut(project) {
            known.retain(|agreement| !which(&agreement.want));
        }
    }

    /// Forgets all agreements of a project; how many there were.
    pub fn revoke(&mut self, project: &str) -> usize {
        self.projects.remove(project).map_or(0, |known| known.len())
    }

    pub fn of_project(&self, project: &str) -> &[Agreement] {
        self.projects.get(project).map(Vec::as_slice).unwrap_or_default()
    }

    /// The projects with agreements, by name.
    pub fn projects(&self) -> impl Iterator<Item = (&str, &[Agreement])> {
        self.projects.iter().map(|(root, known)| (root.as_str(), known.as_slice()))
    }
}

fn agreement(value: &Value) -> Option<Agreement> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let kind = WantKind::from_word(text("kind")?)?;
    let want = Want { kind, what: text("what")?.to_owned(), hash: text("hash")?.to_owned() };
    Some(Agreement { want, at: value.get("agreed")?.as_u64()? })
}

/// The checksum of named contents. Names and lengths count, so that no two lists have the same.
pub fn content_hash<'a>(parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Context::new(&SHA256);
    for (name, content) in parts {
        for part in [name.as_bytes(), content] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    let mut text = "sha256:".to_owned();
    for byte in hash.finish().as_ref() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(kind: WantKind, what: &str, hash: &str) -> Want {
        Want { kind, what: what.to_owned(), hash: hash.to_owned() }
    }

    #[test]
    fn code_is_agreed_to_as_it_is_and_files_by_their_path() {
        let mut book = TrustBook::default();
        book.agree("/p", want(WantKind::Code, "servers", "1"), 5);
        book.agree("/p", want(WantKind::Outside, "/notes.md", "1"), 6);
        assert_eq!(book.agreed("/p", &want(WantKind::Code, "servers", "1")), Some(5));
        assert_eq!(book.agreed("/p", &want(WantKind::Code, "servers", "2")), None, "a byte changed");
        assert_eq!(book.agreed("/p", &want(WantKind::Outside, "/notes.md", "2")), Some(6));
        assert_eq!(book.agreed("/p", &want(WantKind::Outside, "/other.md", "1")), None);
        assert_eq!(book.agreed("/q", &want(WantKind::Code, "servers", "1")), None, "another project");
        book.agree("/p", want(WantKind::Code, "servers", "2"), 7);
        assert_eq!(book.agreed("/p", &want(WantKind::Code, "servers", "1")), None, "replaced");
        assert_eq!(book.revoke("/p"), 2);
        assert_eq!(book, TrustBook::default());
    }

    #[test]
    fn books_survive_being_stored() {
        let mut book = TrustBook::default();
        book.agree("/p \"q\"", want(WantKind::Code, "a\nb", "sha256:00"), 1_700_000_000_000);
        assert_eq!(TrustBook::parse(&book.to_text()), Ok(book));
        for broken in
            ["", "[]", "{}", r#"{"version": 2, "projects": {}}"#, r#"{"version":1,"projects":{"/p":[{}]}}"#]
        {
            assert!(TrustBook::parse(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn names_and_contents_do_not_run_together() {
        let hash =
            |parts: &[(&str, &str)]| content_hash(parts.iter().map(|(name, text)| (*name, text.as_bytes())));
        assert_ne!(hash(&[("a", "bc")]), hash(&[("ab", "c")]));
        assert_ne!(hash(&[("a", "b")]), hash(&[("a", "b"), ("", "")]));
        assert_eq!(hash(&[]), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
