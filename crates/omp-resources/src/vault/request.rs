//! From a URL to the words that Obsidian's command line takes.

use omp_tools::InternalUrl;

/// The name of the vault that is open.
const ACTIVE: &str = "_";

/// What can be asked about a note: our word, the command.
const OF_NOTE: [(&str, &str); 9] = [
    ("outline", "outline"),
    ("backlinks", "backlinks"),
    ("links", "links"),
    ("tags", "tags"),
    ("properties", "properties"),
    ("tasks", "tasks"),
    ("wordcount", "wordcount"),
    ("history", "history"),
    ("base", "base:query"),
];

/// What can be asked about a vault.
const OF_VAULT: [(&str, &str); 11] = [
    ("search", "search"),
    ("daily", "daily:read"),
    ("tags", "tags"),
    ("tasks", "tasks"),
    ("properties", "properties"),
    ("orphans", "orphans"),
    ("deadends", "deadends"),
    ("unresolved", "unresolved"),
    ("bookmarks", "bookmarks"),
    ("recents", "recents"),
    ("info", "vault"),
];

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// `None` for the list of vaults.
    vault: Option<String>,
    what: What,
}

#[derive(Debug, PartialEq, Eq)]
enum What {
    Vaults,
    Folder(String),
    Note(String),
    OfNote { command: &'static str, note: String, view: Option<String> },
    OfVault { command: &'static str, query: Option<String> },
}

impl Request {
    pub(super) fn parse(url: &InternalUrl) -> Result<Self, String> {
        let target = url.decoded()?;
        if target.contains(|letter: char| letter.is_control()) {
            return Err(format!("'{url}' has a control character."));
        }
        let (vault, path) = target.split_once('/').unwrap_or((&target, ""));
        let query = |name: &str| url.query(name).transpose();
        let op = query("op")?;
        if vault.is_empty() {
            let bare = path.is_empty() && op.is_none();
            let what = bare.then_some(What::Vaults);
            return Ok(Self { vault: None, what: what.ok_or_else(|| unnamed(url))? });
        }
        let path = path.trim_start_matches('/').to_owned();
        let what = match op.as_deref() {
            None if is_folder(&path) => What::Folder(path.trim_end_matches('/').to_owned()),
            None => What::Note(path),
            Some(op) if is_folder(&path) => {
                let command = named(&OF_VAULT, op).ok_or_else(|| unknown(op, "a vault", &OF_VAULT))?;
                let query = query("q")?.filter(|query| !query.is_empty());
                if command == "search" && query.is_none() {
                    return Err(format!("'{url}' does not say what to search for: add &q=<text>"));
                }
                What::OfVault { command, query }
            }
            Some(op) => {
                let command = named(&OF_NOTE, op).ok_or_else(|| unknown(op, "a note", &OF_NOTE))?;
                What::OfNote { command, note: path, view: query("view")? }
            }
        };
        Ok(Self { vault: Some(vault.to_owned()), what })
    }

    /// Is it the text of a note?
    pub(super) fn is_note(&self) -> bool {
        matches!(self.what, What::Note(_))
    }

    /// The vault and the path of a plain note, for somebody who writes.
    pub(super) fn into_note(self) -> Option<(String, String)> {
        match (self.vault, self.what) {
            (Some(vault), What::Note(note)) if note.ends_with(".md") => Some((vault, note)),
            _ => None,
        }
    }

    /// The command lines whose answers, one after the other, are what was asked for.
    pub(super) fn commands(&self) -> Vec<Vec<String>> {
        let Some(vault) = &self.vault else { return vec![vec!["vaults".into(), "verbose".into()]] };
        let path = |path: &str| format!("path={path}");
        let lines = match &self.what {
            What::Vaults => vec![],
            What::Folder(folder) => {
                let inside = (!folder.is_empty()).then(|| format!("folder={folder}"));
                let list = |command: &str| [command.to_owned()].into_iter().chain(inside.clone()).collect();
                vec![list("folders"), list("files")]
            }
            What::Note(note) => vec![vec!["read".into(), path(note)]],
            What::OfNote { command, note, view } => {
                let view = view.iter().map(|view| format!("view={view}"));
                vec![[(*command).to_owned(), path(note)].into_iter().chain(view).collect()]
            }
            What::OfVault { command, query } => {
                let query = query.iter().map(|query| format!("query={query}"));
                vec![[(*command).to_owned()].into_iter().chain(query).collect()]
            }
        };
        lines.into_iter().map(|line| targeted(vault, line)).collect()
    }
}

/// The command that tells where a vault lies.
pub(super) fn root(vault: &str) -> Vec<String> {
    targeted(vault, vec!["vault".into(), "info=path".into()])
}

/// The vault comes first.
fn targeted(vault: &str, line: Vec<String>) -> Vec<String> {
    let name = (vault != ACTIVE).then(|| format!("vault={vault}"));
    name.into_iter().chain(line).collect()
}

fn is_folder(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    path.is_empty() || path.ends_with('/') || !last.contains('.')
}

fn named(table: &[(&str, &'static str)], op: &str) -> Option<&'static str> {
    table.iter().find(|(name, _)| *name == op).map(|(_, command)| *command)
}

fn unknown(op: &str, of: &str, table: &[(&str, &str)]) -> String {
    let known: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    format!("op={op} is nothing that {of} can be asked. Known: {}.", known.join(", "))
}

fn unnamed(url: &InternalUrl) -> String {
    format!("'{url}' names no vault: vault://_/path for the one that is open, vault://name/path for another.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(url: &str) -> Result<Vec<String>, String> {
        let request = Request::parse(&InternalUrl::parse(url).unwrap())?;
        Ok(request.commands().iter().map(|line| line.join("|")).collect())
    }

    #[test]
    fn urls_become_commands() {
        let is = |url: &str, lines: &[&str]| assert_eq!(commands(url).unwrap(), lines, "{url}");
        is("vault://", &["vaults|verbose"]);
        is("vault://_", &["folders", "files"]);
        is("vault://Work/", &["vault=Work|folders", "vault=Work|files"]);
        is(
            "vault://My%20Notes/a/b",
            &["vault=My Notes|folders|folder=a/b", "vault=My Notes|files|folder=a/b"],
        );
        is("vault://_/a/b.md", &["read|path=a/b.md"]);
        is("vault://_/b.md?op=wordcount", &["wordcount|path=b.md"]);
        is("vault://_/t.base?op=base&view=All", &["base:query|path=t.base|view=All"]);
        is("vault://W?op=search&q=two+words", &["vault=W|search|query=two words"]);
        is("vault://_?op=daily", &["daily:read"]);
    }

    #[test]
    fn what_is_not_meant_is_explained() {
        let says = |url: &str, words: &str| {
            let error = commands(url).unwrap_err();
            assert!(error.contains(words), "{url}: {error}");
        };
        says("vault:///x.md", "names no vault");
        says("vault://?op=daily", "names no vault");
        says("vault://_?op=nope", "Known: search, daily,");
        says("vault://_/a.md?op=search", "Known: outline, backlinks,");
        says("vault://_?op=search", "add &q=<text>");
        says("vault://_/a%0Ab.md", "control character");
    }
}
