//! The commands about saved sessions.

use super::commands::{DRY_RUN, JSON};
use super::{Command, Flag, Positional, ValueKind};

const SESSION_DIR: Flag = Flag::value("session-dir", ValueKind::Dir, "Directory for sessions");
const ACTIONS: &[&str] = &["list", "show", "fork", "branch", "search", "fsck", "recover", "import", "delete"];

pub(super) const DU: Command = Command::new("du", "Show disk usage of sessions and their files")
    .flags(&[SESSION_DIR, JSON])
    .examples(&["omp du", "omp du --json"]);

pub(super) const GC: Command = Command::new(
    "gc",
    "Remove unreferenced files, and old sessions if you set a limit",
)
.details(
    "Without --apply, gc only shows what it would remove. Files changed within the last week are always \
     kept.",
)
.flags(&[
    Flag::switch("apply", "Remove the files"),
    DRY_RUN.short('n'),
    Flag::value("older-than", ValueKind::Integer, "Also remove sessions unchanged for this long")
        .metavar("days"),
    Flag::value("max-size", ValueKind::Integer, "Also remove the oldest sessions until the rest fits")
        .metavar("MB"),
    Flag::value("max-logs", ValueKind::Integer, "Also remove the oldest logs until the rest fits")
        .metavar("MB"),
    SESSION_DIR,
    JSON,
])
.examples(&["omp gc", "omp gc --older-than 90 --apply"]);

pub(super) const HISTORY: Command = Command::new("history", "List or search your prompt history")
    .args(&[
        Positional::optional(
            "action",
            ValueKind::Suggested(&["list", "search"]),
            "list (default) or search; anything else is searched for",
        ),
        Positional::any("words", ValueKind::Text, "Search terms"),
    ])
    .flags(&[
        Flag::value("limit", ValueKind::Integer, "Maximum number of prompts (default: 50)").short('n'),
        Flag::switch("here", "Only prompts from this directory"),
        JSON,
    ])
    .examples(&["omp history", "omp history search parser bug"]);

pub(super) const SESSION: Command = Command::new(
    "session",
    "List, show, copy, search, check and delete sessions",
)
.details(
    "list: sessions of this directory. show: print a session as text. search: find entries with all these \
     words. fork: copy a session. branch: copy a session up to one of your messages. fsck: check a session \
     file. recover: rebuild a damaged session from its readable entries. import: import a Claude Code, \
     Codex or pi conversation. delete: delete a session and its artifacts.",
)
.args(&[
    Positional::optional("action", ValueKind::OneOf(ACTIONS), "Action (default: list)"),
    Positional::optional("session", ValueKind::Session, "Session id, id prefix or path"),
    Positional::any("words", ValueKind::Text, "Search terms (search) or entry id (branch)"),
])
.flags(&[
    Flag::switch("all", "Include sessions of all directories"),
    Flag::switch("raw", "Do not truncate output"),
    Flag::value("limit", ValueKind::Integer, "Maximum number of rows or search results").short('n'),
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
        "The snapshot is encrypted; only the link can decrypt it. It is uploaded as a secret gist if gh is \
         logged in, otherwise to the server in share.serverUrl. Known credentials are removed first.",
    )
    .args(&[Positional::optional("session", ValueKind::Session, "Session id or path (default: most recent)")])
    .flags(&[SESSION_DIR, JSON])
    .examples(&["omp share", "omp share 4f2a --json"]);
