//! GitHub: files as they are, issues and pull requests with their comments, repositories with their README.

use serde_json::Value;
use url::Url;

use super::{Answers, Call, Plan, facts, place, word};

/// Where repositories cannot be.
const NOT_OWNERS: &[&str] = &[
    "about",
    "apps",
    "collections",
    "enterprise",
    "explore",
    "features",
    "login",
    "marketplace",
    "notifications",
    "orgs",
    "pricing",
    "search",
    "settings",
    "sponsors",
    "topics",
    "trending",
];

/// `/owner/repo/blob/ref/path` and `/raw/` are the file itself.
pub(super) fn file(url: &Url) -> Option<Plan> {
    let (owner, repository, rest) = repository_of(url)?;
    let ["blob" | "raw", branch, path @ ..] = rest.as_slice() else { return None };
    if path.is_empty() {
        return None;
    }
    let target =
        format!("https://raw.githubusercontent.com/{owner}/{repository}/{branch}/{}", path.join("/"));
    Plan::new(vec![Call::any(target)], |answers| {
        let text = answers.text(0)?;
        (!text.contains('\0')).then(|| text.to_owned())
    })
}

/// `/owner/repo/issues/N` and `/pull/N`.
pub(super) fn issue(url: &Url) -> Option<Plan> {
    let (owner, repository, rest) = repository_of(url)?;
    let ["issues" | "pull", number] = rest.as_slice() else { return None };
    number.parse::<u64>().ok()?;
    let base = format!("https://api.github.com/repos/{owner}/{repository}/issues/{number}");
    let comments = Call::json(format!("{base}/comments?per_page=100"));
    Plan::new(vec![Call::json(base), comments], show_issue)
}

/// `/owner/repo`.
pub(super) fn repository(url: &Url) -> Option<Plan> {
    let (owner, repository, rest) = repository_of(url)?;
    if !rest.is_empty() {
        return None;
    }
    let base = format!("https://api.github.com/repos/{owner}/{repository}");
    let readme = Call { url: format!("{base}/readme"), accept: "application/vnd.github.raw+json" };
    Plan::new(vec![Call::json(base), readme], show_repository)
}

fn repository_of(url: &Url) -> Option<(&str, &str, Vec<&str>)> {
    let (host, parts) = place(url)?;
    let [owner, repository, rest @ ..] = parts.as_slice() else { return None };
    let known = host == "github.com" && !NOT_OWNERS.contains(owner);
    known.then(|| (*owner, repository.trim_end_matches(".git"), rest.to_vec()))
}

fn show_issue(answers: &Answers) -> Option<String> {
    let issue = answers.json(0)?;
    let title = issue.get("title")?.as_str()?;
    let what = if issue.get("pull_request").is_some() { "Pull request" } else { "Issue" };
    let labels: Vec<&str> = list(&issue, "labels").iter().map(|label| word(label, "/name")).collect();
    let mut text = format!("# {title}\n\n");
    text.push_str(&facts(&[
        (what, format!("#{}", issue["number"])),
        ("State", word(&issue, "/state").to_owned()),
        ("Author", word(&issue, "/user/login").to_owned()),
        ("Created", word(&issue, "/created_at").to_owned()),
        ("Updated", word(&issue, "/updated_at").to_owned()),
        ("Labels", labels.join(", ")),
    ]));
    text.push_str(&format!("\n{}\n", word(&issue, "/body")));
    let comments = answers.json(1).unwrap_or_default();
    let comments = comments.as_array().map(Vec::as_slice).unwrap_or_default();
    for comment in comments {
        let (author, date) = (word(comment, "/user/login"), word(comment, "/created_at"));
        text.push_str(&format!("\n## {author}, {date}\n\n{}\n", word(comment, "/body")));
    }
    let total = issue["comments"].as_u64().unwrap_or_default();
    let missing = total.saturating_sub(comments.len() as u64);
    if missing > 0 {
        text.push_str(&format!("\n[{missing} more comments are not shown]\n"));
    }
    Some(text)
}

fn show_repository(answers: &Answers) -> Option<String> {
    let repository = answers.json(0)?;
    let name = repository.get("full_name")?.as_str()?;
    let topics: Vec<&str> = list(&repository, "topics").iter().filter_map(Value::as_str).collect();
    let number = |key: &str| repository[key].as_u64().map(|number| number.to_string()).unwrap_or_default();
    let mut text = format!("# {name}\n\n{}\n\n", word(&repository, "/description"));
    text.push_str(&facts(&[
        ("Homepage", word(&repository, "/homepage").to_owned()),
        ("Language", word(&repository, "/language").to_owned()),
        ("Licence", word(&repository, "/license/spdx_id").to_owned()),
        ("Stars", number("stargazers_count")),
        ("Forks", number("forks_count")),
        ("Open issues", number("open_issues_count")),
        ("Default branch", word(&repository, "/default_branch").to_owned()),
        ("Last push", word(&repository, "/pushed_at").to_owned()),
        ("Topics", topics.join(", ")),
        ("Archived", if repository["archived"] == true { "yes".to_owned() } else { String::new() }),
    ]));
    if let Some(readme) = answers.text(1) {
        text.push_str(&format!("\n---\n\n{readme}"));
    }
    Some(text)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}
