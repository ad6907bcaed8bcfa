//! What `gh` says, as Markdown.

use serde_json::Value;

use crate::address::{DiffPart, ItemKind};
use crate::diff;

/// Files of a pull request that are named.
const MOST_FILES: usize = 50;

/// What is asked of `gh` for one item.
pub(crate) fn fields(kind: ItemKind, comments: bool) -> String {
    let common = "number,title,state,author,body,createdAt,updatedAt,labels,assignees,milestone,url";
    match (kind, comments) {
        (ItemKind::Issue, false) => common.to_owned(),
        (ItemKind::Issue, true) => format!("{common},comments"),
        (ItemKind::PullRequest, comments) => {
            let more = "isDraft,baseRefName,headRefName,mergedAt,mergeable,reviewDecision,additions,deletions,changedFiles,files";
            format!("{common},{more}{}", if comments { ",comments,reviews" } else { "" })
        }
    }
}

pub(crate) const LIST_FIELDS: &str = "number,title,state,author,labels,updatedAt,url";

/// One issue or pull request. `remarks` are the comments on lines of a pull request.
pub(crate) fn item(kind: ItemKind, item: &Value, remarks: &Value) -> String {
    let mut text = format!("# {} (#{})\n\n", word(item, "/title"), item["number"]);
    for (name, value) in facts(kind, item) {
        if !value.is_empty() {
            text.push_str(&format!("- {name}: {value}\n"));
        }
    }
    let body = word(item, "/body").trim();
    text.push_str(&format!("\n{}\n", if body.is_empty() { "(no description)" } else { body }));
    if kind == ItemKind::PullRequest {
        files(item, &mut text);
    }
    for review in list(item, "reviews") {
        let (state, body) = (word(review, "/state").to_lowercase(), word(review, "/body").trim());
        entry(
            &mut text,
            &format!("Review by {}, {state}", word(review, "/author/login")),
            word(review, "/submittedAt"),
            body,
        );
    }
    for remark in remarks.as_array().into_iter().flatten() {
        let line = remark["line"].as_u64().or(remark["original_line"].as_u64());
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let title = format!("{} on {}{line}", word(remark, "/user/login"), word(remark, "/path"));
        entry(&mut text, &title, word(remark, "/created_at"), word(remark, "/body"));
    }
    for comment in list(item, "comments") {
        let title = format!("Comment by {}", word(comment, "/author/login"));
        entry(&mut text, &title, word(comment, "/createdAt"), word(comment, "/body"));
    }
    text
}

fn facts(kind: ItemKind, item: &Value) -> Vec<(&'static str, String)> {
    let names = |key: &str, path: &str| {
        list(item, key).iter().map(|value| word(value, path)).collect::<Vec<_>>().join(", ")
    };
    let draft = if item["isDraft"] == true { " (draft)" } else { "" };
    let mut facts = vec![
        ("State", format!("{}{draft}", word(item, "/state").to_lowercase())),
        ("Author", word(item, "/author/login").to_owned()),
        ("Created", word(item, "/createdAt").to_owned()),
        ("Updated", word(item, "/updatedAt").to_owned()),
        ("Labels", names("labels", "/name")),
        ("Assignees", names("assignees", "/login")),
        ("Milestone", word(item, "/milestone/title").to_owned()),
    ];
    if kind == ItemKind::PullRequest {
        let number = |key: &str| item[key].as_u64().unwrap_or_default();
        let changes =
            format!("+{} -{} in {} files", number("additions"), number("deletions"), number("changedFiles"));
        facts.extend([
            ("Merged", word(item, "/mergedAt").to_owned()),
            ("Branches", format!("{} into {}", word(item, "/headRefName"), word(item, "/baseRefName"))),
            ("Mergeable", word(item, "/mergeable").to_lowercase()),
            ("Review", word(item, "/reviewDecision").to_lowercase().replace('_', " ")),
            ("Changes", changes),
        ]);
    }
    facts.push(("URL", word(item, "/url").to_owned()));
    facts
}

fn files(item: &Value, text: &mut String) {
    let files = list(item, "files");
    if files.is_empty() {
        return;
    }
    text.push_str("\n## Files\n\n");
    for file in files.iter().take(MOST_FILES) {
        text.push_str(&format!(
            "- {} (+{} -{})\n",
            word(file, "/path"),
            file["additions"],
            file["deletions"]
        ));
    }
    let total = item["changedFiles"].as_u64().unwrap_or_default().max(files.len() as u64);
    let number = &item["number"];
    if total > MOST_FILES as u64 {
        text.push_str(&format!(
            "\n[{} more files; pr://{number}/diff lists all]\n",
            total - MOST_FILES as u64
        ));
    }
}

fn entry(text: &mut String, title: &str, date: &str, body: &str) {
    let date = if date.is_empty() { String::new() } else { format!(", {date}") };
    text.push_str(&format!("\n## {title}{date}\n"));
    if !body.trim().is_empty() {
        text.push_str(&format!("\n{}\n", body.trim()));
    }
}

/// A list to choose from.
pub(crate) fn overview(kind: ItemKind, place: Option<&str>, items: &Value) -> String {
    let (what, scheme) = match kind {
        ItemKind::Issue => ("issues", "issue"),
        ItemKind::PullRequest => ("pull requests", "pr"),
    };
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    let of = place.map(|place| format!(" of {place}")).unwrap_or_default();
    let mut text = format!("# {} {what}{of}\n\n", items.len());
    for item in items {
        let labels: Vec<&str> = list(item, "labels").iter().map(|label| word(label, "/name")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!(", {}", labels.join(", ")) };
        text.push_str(&format!(
            "- #{} {} ({}, {}, updated {}{labels})\n",
            item["number"],
            word(item, "/title"),
            word(item, "/state").to_lowercase(),
            word(item, "/author/login"),
            word(item, "/updatedAt")
        ));
    }
    let place = place.map(|place| format!("{place}/")).unwrap_or_default();
    text.push_str(&format!("\n[Read one with {scheme}://{place}<number>]\n"));
    text
}

/// A part of a diff; `place` is the URL of the pull request.
pub(crate) fn part(diff: &str, place: &str, part: DiffPart) -> Result<String, String> {
    let files = diff::files(diff);
    match part {
        DiffPart::All => Ok(diff.to_owned()),
        DiffPart::File(index) => match files.get(index - 1) {
            Some(file) => Ok(file.text.to_owned()),
            None => Err(format!("{place}/diff has no file {index}, only {} files", files.len())),
        },
        DiffPart::Files => {
            let mut text = format!("{} files changed in {place}\n\n", files.len());
            for (index, file) in (1..).zip(&files) {
                let (name, added, removed) = (file.name, file.added, file.removed);
                text.push_str(&format!("{index}. {name} (+{added} -{removed}): {place}/diff/{index}\n"));
            }
            text.push_str(&format!("\n[{place}/diff/all is the whole diff]\n"));
            Ok(text)
        }
    }
}

fn word<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}
