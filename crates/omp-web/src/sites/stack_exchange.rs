//! Stack Overflow and its sister sites: a question with its best answers.

use serde_json::Value;
use url::Url;

use super::{Answers, Call, Plan, facts, markdown, place, word};

/// Sites by their host.
const SITES: &[(&str, &str)] = &[
    ("stackoverflow.com", "stackoverflow"),
    ("serverfault.com", "serverfault"),
    ("superuser.com", "superuser"),
    ("askubuntu.com", "askubuntu"),
];
const MOST_ANSWERS: usize = 10;

/// `/questions/N/…`.
pub(super) fn question(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let site = match SITES.iter().find(|(known, _)| *known == host) {
        Some((_, site)) => (*site).to_owned(),
        None => host.strip_suffix(".stackexchange.com")?.to_owned(),
    };
    let ["questions", number, ..] = parts.as_slice() else { return None };
    number.parse::<u64>().ok()?;
    let base = format!("https://api.stackexchange.com/2.3/questions/{number}");
    let calls = vec![
        Call::json(format!("{base}?site={site}&filter=withbody")),
        Call::json(format!(
            "{base}/answers?site={site}&filter=withbody&sort=votes&order=desc&pagesize={MOST_ANSWERS}"
        )),
    ];
    let base = format!("https://{host}/");
    Plan::new(calls, move |answers| show(answers, &base))
}

fn show(answers: &Answers, base: &str) -> Option<String> {
    let question = answers.json(0)?.pointer("/items/0")?.clone();
    let tags: Vec<&str> =
        question["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let number = |key: &str| question[key].as_i64().map(|number| number.to_string()).unwrap_or_default();
    let mut text = format!("# {}\n\n", markdown(question.get("title")?.as_str()?, base));
    text.push_str(&facts(&[
        ("Score", number("score")),
        ("Answers", number("answer_count")),
        ("Tags", tags.join(", ")),
        ("Author", word(&question, "/owner/display_name").to_owned()),
    ]));
    text.push_str(&format!("\n{}\n", markdown(word(&question, "/body"), base)));
    let found = answers.json(1).unwrap_or_default();
    for answer in found["items"].as_array().into_iter().flatten() {
        let accepted = if answer["is_accepted"] == true { ", accepted" } else { "" };
        let author = word(answer, "/owner/display_name");
        let body = markdown(word(answer, "/body"), base);
        text.push_str(&format!("\n## Answer by {author}, score {}{accepted}\n\n{body}\n", answer["score"]));
    }
    Some(text)
}
