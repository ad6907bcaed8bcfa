//! Hacker News: an item with its discussion.

use serde_json::Value;
use url::Url;

use super::{Answers, Call, Plan, facts, markdown, place, word};

const PLACE: &str = "https://news.ycombinator.com/";
/// Comments that are shown, and how deep.
const MOST_COMMENTS: usize = 200;
const DEEPEST: usize = 12;

/// `/item?id=N`.
pub(super) fn item(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let id = url.query_pairs().find(|(name, _)| name == "id")?.1.parse::<u64>().ok()?;
    if host != "news.ycombinator.com" || parts != ["item"] {
        return None;
    }
    Plan::new(vec![Call::json(format!("https://hn.algolia.com/api/v1/items/{id}"))], show)
}

fn show(answers: &Answers) -> Option<String> {
    let item = answers.json(0)?;
    item.get("id")?;
    let title = word(&item, "/title");
    let mut text = format!("# {}\n\n", if title.is_empty() { "Comment" } else { title });
    text.push_str(&facts(&[
        ("Link", word(&item, "/url").to_owned()),
        ("Points", item["points"].as_u64().map(|points| points.to_string()).unwrap_or_default()),
        ("Author", word(&item, "/author").to_owned()),
        ("Created", word(&item, "/created_at").to_owned()),
    ]));
    text.push_str(&format!("\n{}\n\n## Comments\n", markdown(word(&item, "/text"), PLACE)));
    let mut shown = 0;
    comments(&item, 0, &mut shown, &mut text);
    if shown == MOST_COMMENTS {
        text.push_str("\n[More comments are not shown]\n");
    }
    Some(text)
}

fn comments(item: &Value, depth: usize, shown: &mut usize, text: &mut String) {
    for comment in item["children"].as_array().into_iter().flatten() {
        if *shown == MOST_COMMENTS || depth == DEEPEST {
            return;
        }
        let body = markdown(word(comment, "/text"), PLACE);
        if !body.is_empty() {
            *shown += 1;
            let indent = "  ".repeat(depth);
            let body = body.replace('\n', &format!("\n{indent}  "));
            text.push_str(&format!("\n{indent}- **{}**: {body}\n", word(comment, "/author")));
        }
        comments(comment, depth + 1, shown, text);
    }
}
