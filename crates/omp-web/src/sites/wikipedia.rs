//! Wikipedia: articles as text with headings.

use url::Url;

use super::{Answers, Call, Plan, facts, place, word};

pub(super) fn article(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let language = host.strip_suffix(".wikipedia.org")?.trim_end_matches(".m");
    let ["wiki", title @ ..] = parts.as_slice() else { return None };
    let simple =
        !language.is_empty() && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !simple || title.is_empty() {
        return None;
    }
    // The title is encoded already, as a part of the address.
    let title = title.join("/").replace('&', "%26").replace('+', "%2B");
    let target = format!(
        "https://{language}.wikipedia.org/w/api.php?action=query&format=json&formatversion=2&redirects=1\
         &prop=extracts|info&inprop=url&explaintext=1&exsectionformat=wiki&titles={title}"
    );
    Plan::new(vec![Call::json(target)], show)
}

fn show(answers: &Answers) -> Option<String> {
    let answer = answers.json(0)?;
    let page = answer.pointer("/query/pages/0")?;
    let extract = page.get("extract")?.as_str().filter(|text| !text.trim().is_empty())?;
    let mut text = format!("# {}\n\n", word(page, "/title"));
    text.push_str(&facts(&[
        ("Page", word(page, "/fullurl").to_owned()),
        ("Edited", word(page, "/touched").to_owned()),
    ]));
    text.push('\n');
    for line in extract.lines() {
        text.push_str(&heading(line).unwrap_or_else(|| line.to_owned()));
        text.push('\n');
    }
    Some(text)
}

/// `== History ==` → `## History`
fn heading(line: &str) -> Option<String> {
    let marks = line.bytes().take_while(|byte| *byte == b'=').count();
    let name = line.get(marks..line.len().checked_sub(marks)?)?.trim();
    let is_heading = (2..=6).contains(&marks) && line.ends_with(&"=".repeat(marks)) && !name.is_empty();
    is_heading.then(|| format!("{} {name}", "#".repeat(marks)))
}
