//! The commands about saved sessions.

use super::commands::{DRY_RUN, JSON};
use super::{Command, Flag, Kind, Positional};

const SESSION_DIR: Flag = Flag::value("session-dir", Kind::Dir, "Look for sessions here");
const ACTIONS: &[&str] = &["list", "show", "fork", "branch", "search", "fsck", "recover", "import", "delete"];

pub(super) const DU: Command =
    Command::new("du", "Show how much room sessions and what belongs to them take")
        .flags(&[SESSION_DIR, JSON])
        .examples(&["omp du", "omp du --json"]);

pub(super) const GC: Command = Command::new(
    "gc",
    "Remove what no session needs any more, and old sessions if a limit is given",
)
.details(
    "Without --apply nothing is removed, only shown. What was changed in the last week stays in any case.",
)
.flags(&[
    Flag::switch("apply", "Remove it"),
    DRY_RUN.short('n'),
    Flag::value("older-than", Kind::Integer, "Also sessions not changed for so long").metavar("days"),
    Flag::value("max-size", Kind::Integer, "Also the oldest sessions, until the rest takes no more")
        .metavar("MB"),
    Flag::value("max-logs", Kind::Integer, "Also the oldest logs, until the rest takes no more")
        .metavar("MB"),
    SESSION_DIR,
    JSON,
])
.examples(&["omp gc", "omp gc --older-than 90 --apply"]);

pub(super) const HISTORY: Command = Command::new("history", "List or search the prompts that were typed")
    .args(&[
        Positional::optional(
            "action",
            Kind::Suggested(&["list", "search"]),
            "list (the default) or search; anything else is searched for",
        ),
        Positional::any("words", Kind::Text, "Words to search for"),
    ])
    .flags(&[
        Flag::value("limit", Kind::Integer, "Most prompts to print (50)").short('n'),
        Flag::switch("here", "Only prompts typed in this directory"),
        JSON,
    ])
    .examples(&["omp history", "omp history search parser bug"]);

pub(super) const SESSION: Command = Command::new(
    "session",
    "List, read, copy, search, check and delete sessions",
)
.details(
    "list: those of this directory. show: one as text. search: entries with all these words. fork: a copy. \
         branch: a copy of the way to one of your messages. fsck: what is wrong with a file. recover: a new \
         session from what can be read of a damaged one. import: a conversation of Claude Code, Codex or pi. \
         delete: with its artifacts.",
)
.args(&[
    Positional::optional("action", Kind::OneOf(ACTIONS), "What to do (list)"),
    Positional::optional("session", Kind::Session, "Session id, its beginning, or path"),
    Positional::any("words", Kind::Text, "Words of search, entry of branch"),
])
.flags(&[
    Flag::switch("all", "Sessions of every directory"),
    Flag::switch("raw", "Show everything in full length"),
    Flag::value("limit", Kind::Integer, "Most rows of list or hits of search").short('n'),
    SESSION_DIR,
    JSON,
])
.examples(&[
    "omp session list --all",
    "omp session show 4f2a",
    "omp session search parser bug",
    "omp session branch 4f2a 91c0ffee",
]);

pub(super) const SHARE: Command = Command::new("share", "Share a session by link")
    .details(
        "The snapshot is encrypted, and only the link opens it. It goes into a secret gist if gh is logged in, \
         else to the server of the setting share.serverUrl. Known credentials are removed before.",
    )
    .args(&[Positional::optional("session", Kind::Session, "Session id or path; the last one without it")])
    .flags(&[SESSION_DIR, JSON])
    .examples(&["omp share", "omp share 4f2a --json"]);
