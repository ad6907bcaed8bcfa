//! Registries of packages: npm, crates.io and PyPI.

use serde_json::Value;
use url::Url;

use super::{Answers, Call, Plan, facts, place, word};
use crate::feed::shorten;

/// Long enough to learn how to use a package.
const MOST_README: usize = 20_000;
const MOST_VERSIONS: usize = 10;

/// `npmjs.com/package/NAME`, also with a scope and a version.
pub(super) fn npm(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let ["package", name @ ..] = parts.as_slice() else { return None };
    let name = match name {
        [scope, name, ..] if scope.starts_with('@') => format!("{scope}/{name}"),
        [name, ..] if !name.starts_with('@') => (*name).to_owned(),
        _ => return None,
    };
    if host != "npmjs.com" {
        return None;
    }
    Plan::new(vec![Call::json(format!("https://registry.npmjs.org/{}", name.replace('/', "%2f")))], show_npm)
}

/// `crates.io/crates/NAME`.
pub(super) fn crates_io(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let ["crates", name, ..] = parts.as_slice() else { return None };
    if host != "crates.io" {
        return None;
    }
    Plan::new(vec![Call::json(format!("https://crates.io/api/v1/crates/{name}"))], show_crate)
}

/// `pypi.org/project/NAME`, also with a version.
pub(super) fn pypi(url: &Url) -> Option<Plan> {
    let (host, parts) = place(url)?;
    let path = match parts.as_slice() {
        ["project", name] => (*name).to_owned(),
        ["project", name, version] => format!("{name}/{version}"),
        _ => return None,
    };
    if host != "pypi.org" {
        return None;
    }
    Plan::new(vec![Call::json(format!("https://pypi.org/pypi/{path}/json"))], show_pypi)
}

fn show_npm(answers: &Answers) -> Option<String> {
    let package = answers.json(0)?;
    let name = package.get("name")?.as_str()?;
    let latest = word(&package, "/dist-tags/latest");
    let version = package["versions"].get(latest).cloned().unwrap_or_default();
    let keys = |value: &Value| {
        value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    let facts = facts(&[
        ("Latest version", latest.to_owned()),
        ("Published", package["time"][latest].as_str().unwrap_or_default().to_owned()),
        ("Licence", word(&package, "/license").to_owned()),
        ("Repository", word(&package, "/repository/url").to_owned()),
        ("Homepage", word(&package, "/homepage").to_owned()),
        ("Node", word(&version, "/engines/node").to_owned()),
        ("Dependencies", keys(&version["dependencies"]).join(", ")),
        ("Deprecated", word(&version, "/deprecated").to_owned()),
    ]);
    let readme = shorten(word(&package, "/readme"), MOST_README);
    Some(format!("# {name}\n\n{}\n\n{facts}\n---\n\n{readme}", word(&package, "/description")))
}

fn show_crate(answers: &Answers) -> Option<String> {
    let answer = answers.json(0)?;
    let package = answer.get("crate")?;
    let name = package.get("name")?.as_str()?;
    let versions = answer["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let newest = versions.first().cloned().unwrap_or_default();
    let lines: Vec<String> = versions
        .iter()
        .take(MOST_VERSIONS)
        .map(|version| {
            let yanked = if version["yanked"] == true { ", yanked" } else { "" };
            format!("- {} ({}{yanked})", word(version, "/num"), word(version, "/created_at"))
        })
        .collect();
    let facts = facts(&[
        ("Newest version", word(package, "/max_version").to_owned()),
        ("Newest stable version", word(package, "/max_stable_version").to_owned()),
        ("Licence", word(&newest, "/license").to_owned()),
        ("Rust version", word(&newest, "/rust_version").to_owned()),
        ("Repository", word(package, "/repository").to_owned()),
        ("Homepage", word(package, "/homepage").to_owned()),
        ("Documentation", word(package, "/documentation").to_owned()),
        ("Downloads", package["downloads"].as_u64().map(|count| count.to_string()).unwrap_or_default()),
        ("API documentation", format!("https://docs.rs/{name}")),
    ]);
    let description = word(package, "/description").trim();
    Some(format!("# {name}\n\n{description}\n\n{facts}\n## Versions\n\n{}\n", lines.join("\n")))
}

fn show_pypi(answers: &Answers) -> Option<String> {
    let answer = answers.json(0)?;
    let info = answer.get("info")?;
    let name = info.get("name")?.as_str()?;
    let needs: Vec<&str> =
        info["requires_dist"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let links = info["project_urls"].as_object().into_iter().flatten();
    let links: Vec<String> =
        links.filter_map(|(name, url)| Some(format!("{name} {}", url.as_str()?))).collect();
    let licence = [word(info, "/license_expression"), word(info, "/license")];
    let licence =
        licence.iter().find(|text| !text.is_empty()).map(|text| shorten(text, 100)).unwrap_or_default();
    let facts = facts(&[
        ("Version", word(info, "/version").to_owned()),
        ("Python", word(info, "/requires_python").to_owned()),
        ("Licence", licence),
        ("Author", word(info, "/author").to_owned()),
        ("Links", links.join(", ")),
        ("Needs", needs.join(", ")),
    ]);
    let description = shorten(word(info, "/description"), MOST_README);
    Some(format!("# {name}\n\n{}\n\n{facts}\n---\n\n{description}", word(info, "/summary")))
}
