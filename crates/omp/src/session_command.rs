//! `omp session`: the sessions that are saved.

use omp_cli::CommandCall;
use omp_sdk::settings::Settings;
use omp_sdk::{DumpForm, SavedError, SavedSessions, SessionScope, load_settings};
use omp_tui::console::{Lines, TextKind};
use serde_json::{Map, Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

/// Hits of a search that are printed unless more are asked for.
const HITS: usize = 50;

/// What every action works with.
struct SessionContext<'a> {
    call: &'a CommandCall,
    context: CommandContext,
    saved: SavedSessions,
    json: bool,
}

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let opened = CommandContext::here(profile).and_then(|context| Ok((saved(call, &context)?, context)));
    let (saved, context) = match opened {
        Ok(opened) => opened,
        Err(error) => return output::fail(&error, &[]),
    };
    let action = call.args.text("action").unwrap_or("list");
    let saved = if action == "show" { masked(saved, &context) } else { saved };
    let desk = SessionContext { call, context, saved, json: call.values.has("json") };
    let words = call.args.texts("words");
    let unexpected = match action {
        "list" => call.args.text("session"),
        "search" | "branch" => None,
        _ => words.first().map(String::as_str),
    };
    if let Some(word) = unexpected {
        return output::fail(&format!("omp session {action}: unexpected argument {word}"), &[]);
    }
    let Some(session) = call.args.text("session") else {
        return if action == "list" { desk.list() } else { needs(action) };
    };
    let done = match action {
        "show" => desk.show(session),
        "fork" => desk.fork(session),
        "branch" => desk.branch(session, &words),
        "fsck" => desk.fsck(session),
        "recover" => desk.recover(session),
        "import" => desk.import(session),
        "delete" => desk.delete(session),
        _ => Ok(desk.search(session, &words)),
    };
    done.unwrap_or_else(|error| refuse(&error))
}

/// The saved sessions that a command with `--session-dir` means.
pub(crate) fn saved(call: &CommandCall, context: &CommandContext) -> Result<SavedSessions, String> {
    let cwd = working_directory::current()?;
    let directory = call.values.path("session-dir").map(|directory| cwd.join(directory));
    Ok(SavedSessions::new(&context.directories, directory.as_deref(), &cwd))
}

/// With secrets masked in what is shown. Settings that cannot be read are no reason to show them.
fn masked(saved: SavedSessions, context: &CommandContext) -> SavedSessions {
    let cwd = std::env::current_dir().unwrap_or_default();
    let settings = load_settings(&context.directories, &cwd, context.environment.as_ref(), &[], Map::new());
    let settings = settings.unwrap_or_else(|_| Settings::defaults());
    saved.masked(&context.directories, &settings, context.environment.as_ref())
}

fn needs(action: &str) -> u8 {
    let what = match action {
        "search" => "search terms",
        _ => "a session id, id prefix or path",
    };
    let hint = "Run 'omp session list' to list the sessions of this directory.".to_owned();
    output::fail(&format!("omp session {action} needs {what}"), &[hint])
}

fn refuse(error: &SavedError) -> u8 {
    let hints = match error {
        SavedError::Resolve(_) | SavedError::NoFile(_) => {
            vec!["Run 'omp session list --all' to list all sessions.".to_owned()]
        }
        _ => Vec::new(),
    };
    output::fail(&error.to_string(), &hints)
}

impl SessionContext<'_> {
    fn scope(&self) -> SessionScope {
        if self.call.values.has("all") { SessionScope::AllFolders } else { SessionScope::Folder }
    }

    fn limit(&self, default: usize) -> usize {
        let given = self.call.values.integer("limit");
        given.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(default)
    }

    /// A JSON document, or lines for people.
    fn print(&self, document: &Value, lines: &str) -> u8 {
        if self.json { output::print_json(document) } else { output::print(Stream::Out, lines) }
    }

    fn list(&self) -> u8 {
        let mut rows = self.saved.list(self.scope());
        let (limit, unlisted) = (self.limit(usize::MAX), self.saved.unlisted(self.scope(), rows.len()));
        if limit > rows.len() && unlisted > 0 {
            output::warn(&format!(
                "{unlisted} older sessions are not listed (find them with omp session search <words> or \
                 --resume <id>)"
            ));
        }
        rows.truncate(limit);
        if self.json {
            return output::print_json(&rows);
        }
        let line = |row: &omp_sdk::SessionRow| {
            let place = match self.scope() {
                SessionScope::Folder => String::new(),
                SessionScope::AllFolders => format!("  {}", row.cwd.display()),
            };
            output::name(&format!("{}  {}  {}{place}", row.id, row.modified, row.name)) + "\n"
        };
        let text: String = rows.iter().map(line).collect();
        output::print(Stream::Out, if text.is_empty() { "No sessions yet\n" } else { &text })
    }

    fn show(&self, session: &str) -> Result<u8, SavedError> {
        if self.json {
            let loaded = self.saved.load(session)?;
            let document = json!({"header": loaded.header, "entries": loaded.entries()});
            return Ok(output::print_json(&document));
        }
        let form = if self.call.values.has("raw") { DumpForm::Raw } else { DumpForm::Compact };
        let mut out = Lines::new(TextKind::Exact);
        self.saved.dump(session, form, &mut out)?;
        Ok(output::written(Stream::Out, out.finish()))
    }

    fn search(&self, first: &str, more: &[String]) -> u8 {
        let words: Vec<&str> = std::iter::once(first).chain(more.iter().map(String::as_str)).collect();
        let found = self.saved.search(&words.join(" "), self.scope(), self.limit(HITS));
        let document = found.iter().map(|entry| {
            let hit = &entry.hit;
            json!({
                "session": entry.session, "name": entry.name, "entry": hit.id, "timestamp": hit.timestamp,
                "type": hit.name, "excerpt": hit.excerpt,
            })
        });
        let document: Value = document.collect();
        let line = |entry: &omp_sdk::FoundEntry| {
            output::name(&format!("{} {}  {}", entry.session, entry.hit.id, entry.hit.excerpt)) + "\n"
        };
        let lines: String = found.iter().map(line).collect();
        self.print(&document, if lines.is_empty() { "No matches\n" } else { &lines })
    }

    fn fork(&self, session: &str) -> Result<u8, SavedError> {
        let copied = self.saved.fork(session)?;
        copied.warnings.iter().for_each(|warning| output::warn(warning));
        let lines = format!("Copied to: {}\n", copied.path.display());
        Ok(self.print(&json!({"path": copied.path}), &lines))
    }

    fn branch(&self, session: &str, words: &[String]) -> Result<u8, SavedError> {
        let [entry] = words else {
            let hint = "Find entry ids with 'omp session search <words>' or 'omp session show --json'.";
            let message = "omp session branch needs a session and the id of one of your messages";
            return Ok(output::fail(message, &[hint.to_owned()]));
        };
        let branch = self.saved.branch(session, entry)?;
        branch.warnings.iter().for_each(|warning| output::warn(warning));
        let prompt = &branch.prompt;
        let lines = format!("Branched to: {}\nMessage: {prompt}\n", branch.path.display());
        Ok(self.print(&json!({"path": branch.path, "prompt": branch.prompt}), &lines))
    }

    /// Exits with 1 when something is wrong, so that scripts can ask.
    fn fsck(&self, session: &str) -> Result<u8, SavedError> {
        let checkup = self.saved.check(session)?;
        let findings = checkup.findings.iter().map(|finding| {
            json!({"line": finding.line, "offset": finding.offset, "damage": finding.damage.to_string()})
        });
        let document = json!({
            "path": checkup.path, "bytes": checkup.length, "entries": checkup.entries,
            "sound": checkup.is_sound(), "findings": findings.collect::<Value>(), "further": checkup.further,
        });
        let mut lines = String::new();
        for finding in &checkup.findings {
            let place = if finding.line == 0 { String::new() } else { format!("line {}: ", finding.line) };
            lines += &format!("{place}{}\n", output::name(&finding.damage.to_string()));
        }
        if checkup.further > 0 {
            lines += &format!("… and {} more\n", checkup.further);
        }
        lines += &match checkup.is_sound() {
            true => format!("{}: ok, {} entries\n", checkup.path.display(), checkup.entries),
            false => format!(
                "{}: damaged, {} readable entries (rebuild it with: omp session recover)\n",
                checkup.path.display(),
                checkup.entries
            ),
        };
        let printed = self.print(&document, &lines);
        Ok(printed.max(u8::from(!checkup.is_sound())))
    }

    fn recover(&self, session: &str) -> Result<u8, SavedError> {
        let recovery = self.saved.recover(session)?;
        let document = json!({
            "path": recovery.path, "entries": recovery.entries, "lost": recovery.lost,
            "relinked": recovery.relinked, "renamed": recovery.renamed, "newHeader": recovery.new_header,
        });
        let lines = format!(
            "Recovered to: {}\nEntries: {}, lines lost: {}, new parents: {}, new ids: {}\n",
            recovery.path.display(),
            recovery.entries,
            recovery.lost,
            recovery.relinked,
            recovery.renamed
        );
        Ok(self.print(&document, &lines))
    }

    fn import(&self, session: &str) -> Result<u8, SavedError> {
        let (directories, environment) = (&self.context.directories, self.context.environment.as_ref());
        let (saved, remarks) = self.saved.import(session, directories, environment)?;
        remarks.iter().for_each(|remark| output::warn(remark));
        let document = json!({"id": saved.id, "path": saved.path});
        let lines =
            format!("Imported to: {}\nContinue with: omp --resume {}\n", saved.path.display(), saved.id);
        Ok(self.print(&document, &lines))
    }

    fn delete(&self, session: &str) -> Result<u8, SavedError> {
        let path = self.saved.delete(session)?;
        Ok(self.print(&json!({"deleted": path}), &format!("Deleted: {}\n", path.display())))
    }
}
