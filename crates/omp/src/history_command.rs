//! `omp history`: the prompts that were typed.

use omp_cli::CommandCall;
use omp_sdk::{HistoryQuery, TypedPrompt, typed_prompts};

use crate::command_context;
use crate::output::{self, Stream};

/// Prompts that are printed unless more are asked for.
const PROMPTS: usize = 50;
/// A prompt on a line is cut to so many characters.
const WIDTH: usize = 200;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let directories = match command_context::directories(profile) {
        Ok(directories) => directories,
        Err(error) => return output::fail(&error, &[]),
    };
    let words = match query(call) {
        Ok(words) => words,
        Err(error) => return output::fail(error, &["For example: omp history search parser".to_owned()]),
    };
    let cwd = std::env::current_dir().ok().filter(|_| call.values.has("here"));
    let limit = call.values.integer("limit").and_then(|limit| usize::try_from(limit).ok());
    let query =
        HistoryQuery { words: words.as_deref(), cwd: cwd.as_deref(), limit: limit.unwrap_or(PROMPTS) };
    let prompts = match typed_prompts(&directories, query) {
        Ok(prompts) => prompts,
        Err(error) => return output::fail(&error.to_string(), &[]),
    };
    if call.values.has("json") {
        return output::print_json(&prompts);
    }
    let lines: String = prompts.iter().map(line).collect();
    output::print(Stream::Out, if lines.is_empty() { "No prompts found\n" } else { &lines })
}

/// The words to look for, if any. A first word that is no action belongs to them.
fn query(call: &CommandCall) -> Result<Option<String>, &'static str> {
    let words = call.args.texts("words");
    match call.args.text("action") {
        Some("search") if words.is_empty() => Err("omp history search needs search terms"),
        Some("search") => Ok(Some(words.join(" "))),
        Some("list") if !words.is_empty() => Err("omp history list takes no search terms: use omp history \
             search"),
        Some("list") | None => Ok(None),
        Some(first) => {
            let all: Vec<&str> = std::iter::once(first).chain(words.iter().map(String::as_str)).collect();
            Ok(Some(all.join(" ")))
        }
    }
}

fn line(prompt: &TypedPrompt) -> String {
    let when = jiff::Timestamp::from_second(prompt.created_at).unwrap_or_default();
    let when = when.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M");
    let text = prompt.prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = text.chars().take(WIDTH).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    output::name(&format!("{when}  {shown}{more}")) + "\n"
}
