//! The programs whose conversations are understood.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::json::text;
use crate::lines::{Line, Lines};

/// A program that keeps conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    ClaudeCode,
    Codex,
    Pi,
}

/// Records that are looked at to tell whose file it is; the first ones may be damaged or strange.
const FIRST_RECORDS: usize = 200;

impl Source {
    pub const ALL: [Self; 3] = [Self::ClaudeCode, Self::Codex, Self::Pi];

    /// The name that imported entries and headers carry.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Pi => "pi",
        }
    }

    /// The name that people use.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Pi => "pi",
        }
    }

    /// Where the program keeps its conversations below a home directory, unless it was told otherwise.
    pub fn directory(self, home: &Path) -> PathBuf {
        match self {
            Self::ClaudeCode => home.join(".claude/projects"),
            Self::Codex => home.join(".codex/sessions"),
            Self::Pi => home.join(".pi/agent/sessions"),
        }
    }

    /// Whose file this is, by its first records; `None` if it is nobody's.
    pub fn of(path: &Path) -> io::Result<Option<Self>> {
        let mut lines = Lines::open(path)?;
        for _ in 0..FIRST_RECORDS {
            match lines.next()? {
                Some((_, Line::Json(record))) => {
                    if let Some(source) = Self::of_record(&record) {
                        return Ok(Some(source));
                    }
                }
                Some(_) => {}
                None => break,
            }
        }
        Ok(None)
    }

    fn of_record(record: &Value) -> Option<Self> {
        let has = |name: &str| record.get(name).is_some();
        match text(record, "type") {
            Some("session") if has("id") => Some(Self::Pi),
            // The name that later releases put before the header.
            Some("title") if has("title") && has("updatedAt") => Some(Self::Pi),
            // The header is lost.
            Some("message") if has("message") => Some(Self::Pi),
            Some("session_meta" | "response_item" | "event_msg" | "turn_context") if has("payload") => {
                Some(Self::Codex)
            }
            // Files of 2025 have items without an envelope, after a first line without a type.
            Some("message" | "reasoning" | "function_call")
                if has("content") || has("summary") || has("call_id") =>
            {
                Some(Self::Codex)
            }
            None if has("id") && has("timestamp") => Some(Self::Codex),
            None if has("record_type") => Some(Self::Codex),
            Some("user" | "assistant") if has("message") => Some(Self::ClaudeCode),
            Some("summary") if has("leafUuid") => Some(Self::ClaudeCode),
            Some("file-history-snapshot") => Some(Self::ClaudeCode),
            Some(_) if has("sessionId") || has("parentUuid") => Some(Self::ClaudeCode),
            _ => None,
        }
    }
}
