//! What users add: skills, rules, Markdown commands and words with a meaning of their own.
//!
//! Discovery (`omp_config::discovery`) finds the files; this crate decides which of them count and what they
//! become.
//!
//! - [`skills`]: which skills are in use, and the message behind `/skill:<name>`.
//! - [`rules`]: which rules are always told, listed, or wait for the model's words.
//! - [`urls`]: what `skill://` and `rule://` name.
//! - [`commands`] and [`arguments`]: Markdown behind `/<name>`, with its arguments filled in.
//! - [`hooks`]: which programs are asked before calls and told after them.
//! - [`keywords`]: words in a prompt that change the turn.
//! - [`resolve`]: what a line that begins with `/` means.
//! - [`sections`]: the parts of the system prompt that tell of skills and rules.
//!
//! Nothing here prints, starts a process, writes a file or reads the environment.

pub mod arguments;
pub mod commands;
mod files;
pub mod hooks;
pub mod keywords;
pub mod resolve;
pub mod rules;
pub mod sections;
pub mod skills;
pub mod urls;

pub use commands::{CommandRow, CommandSource, CommandSwitches, Commands, Expanded};
pub use keywords::{Keyword, KeywordSwitches, Magic, SubAgents, TokenBudget};
pub use rules::{RuleBook, RuleSettings, StreamRules};
pub use sections::{always_section, rules_section, skills_section};
pub use skills::{InvokeError, SkillFilter, SkillMessage, SkillSources, Skills};
pub use urls::{Content, Resource, UrlError, read_url};
