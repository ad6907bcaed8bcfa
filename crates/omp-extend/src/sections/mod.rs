//! The parts of the system prompt that tell of skills and rules.
//!
//! Names and descriptions come from files of the project, which anybody may have written: each takes one line, of
//! visible characters only, and none can end or begin a section of the prompt around it.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use omp_config::discovery::{Rule, Skill};

use crate::rules::RuleBook;
use crate::skills::Skills;

const SKILLS: &str = include_str!("../../prompts/skills.md").trim_ascii();
const RULES: &str = include_str!("../../prompts/rules.md").trim_ascii();

/// Bytes of a description, and of the globs beside it.
const DESCRIPTION: usize = 500;
const NAME: usize = 200;
/// What a list in the prompt may hold.
const ITEMS: usize = 200;
const LIST: usize = 32 * 1024;
/// What a list read through a URL may hold.
const WHOLE_LIST: usize = 1024 * 1024;
/// Bytes of all rules that are always told.
const ALWAYS: usize = 64 * 1024;

/// The skills that the model may read, by name and description. For prompts of sessions with the `read` tool.
pub fn skills_section(skills: &Skills) -> Option<String> {
    let lines: Vec<String> = skills.listed().map(skill_line).collect();
    (!lines.is_empty()).then(|| format!("{SKILLS}\n\n{}", list(&lines, ITEMS, LIST, "skill://")))
}

/// The rules that the model may read, by name, description and files.
pub fn rules_section(rules: &RuleBook) -> Option<String> {
    let lines: Vec<String> = rules.listed().iter().map(rule_line).collect();
    (!lines.is_empty()).then(|| format!("{RULES}\n\n{}", list(&lines, ITEMS, LIST, "rule://")))
}

/// The text of the rules that always apply, but for those that stand in one of the `except` texts already.
pub fn always_section(rules: &RuleBook, except: &[&str]) -> Option<String> {
    let is_new = |rule: &&Rule| {
        let body = rule.content.trim();
        !body.is_empty() && !except.iter().any(|text| text.contains(body))
    };
    let mut section = String::new();
    for rule in rules.always().iter().filter(is_new) {
        if !section.is_empty() {
            section.push_str("\n\n");
        }
        add_body(&mut section, rule);
    }
    (!section.is_empty()).then_some(section)
}

/// Adds a rule's text, or as much of it as there is room for.
fn add_body(section: &mut String, rule: &Rule) {
    let body = rule.content.trim();
    let room = ALWAYS.saturating_sub(section.len());
    if body.len() <= room {
        section.push_str(body);
        return;
    }
    let shown = body.floor_char_boundary(room);
    let name = one_line(&rule.name, NAME);
    section.push_str(&body[..shown]);
    let _ = write!(
        section,
        "\n[{shown} of {} bytes of the rule `{name}`; read rule://{name} for all.]",
        body.len()
    );
}

/// What `skill://` alone shows.
pub(crate) fn every_skill(skills: &Skills) -> String {
    let lines: Vec<String> = skills.listed().map(skill_line).collect();
    list(&lines, usize::MAX, WHOLE_LIST, "the files")
}

/// What `rule://` alone shows.
pub(crate) fn every_rule(rules: &RuleBook) -> String {
    let lines: Vec<String> = rules.all_reachable().map(rule_line).collect();
    list(&lines, usize::MAX, WHOLE_LIST, "the files")
}

fn skill_line(skill: &Skill) -> String {
    line(&skill.name, skill.description.as_deref())
}

fn rule_line(rule: &Rule) -> String {
    let mut text = line(&rule.name, rule.description.as_deref());
    if !rule.globs.is_empty() {
        let _ = write!(text, " (files: {})", one_line(&rule.globs.join(", "), DESCRIPTION));
    }
    text
}

fn line(name: &str, description: Option<&str>) -> String {
    let name = one_line(name, NAME);
    match description.map(|text| one_line(text, DESCRIPTION)).filter(|text| !text.is_empty()) {
        Some(description) => format!("- {name}: {description}"),
        None => format!("- {name}"),
    }
}

/// As many lines as fit, and how many do not.
fn list(lines: &[String], items: usize, bytes: usize, more: &str) -> String {
    if lines.is_empty() {
        return "(none)".to_owned();
    }
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index >= items || text.len() + line.len() >= bytes {
            let _ = writeln!(text, "(+{} more: read {more})", lines.len() - index);
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// `text` on one line, without invisible characters, cut after `limit` bytes.
fn one_line(text: &str, limit: usize) -> String {
    let is_shown = |letter: &char| letter.is_whitespace() || !is_invisible(*letter);
    let visible: String = text.chars().filter(is_shown).collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let line = without_tags(&words.join(" "));
    if line.len() <= limit {
        return line;
    }
    let end = line.floor_char_boundary(limit.saturating_sub('…'.len_utf8()));
    format!("{}…", line[..end].trim_end())
}

/// Controls, and characters that hide or reorder what a person sees.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(letter, '\u{feff}' | '\u{ad}' | '\u{e0000}'..='\u{e007f}')
}

/// Makes what looks like a tag text again; other angle brackets stay.
fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let opens =
            letters.peek().is_some_and(|next| next.is_alphabetic() || matches!(next, '/' | '!' | '?'));
        if letter == '<' && opens {
            text.push_str("&lt;");
        } else {
            text.push(letter);
        }
    }
    text
}
