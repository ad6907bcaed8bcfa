//! The page of a session.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_export::{Color, PageOptions, SessionView, Theme, html};

use crate::dom::{Element, page};
use crate::sample;

struct Sample {
    _home: tempfile::TempDir,
    text: String,
    root: Element,
}

fn sample_page() -> Sample {
    let home = tempfile::tempdir().unwrap();
    let (session, blobs) = sample::save(home.path());
    let tools = sample::tools();
    let mut theme = Theme::default();
    theme.dark.accent = Color(0x12, 0x34, 0x56);
    theme.light.accent = Color(0x65, 0x43, 0x21);
    theme.light.info = Color(0x0a, 0x0b, 0x0c);
    let options =
        PageOptions { system_prompt: Some(sample::SYSTEM_PROMPT), tools: &tools, blobs: Some(&blobs), theme };
    let (text, root) = page(&session, &options);
    Sample { _home: home, text, root }
}

/// proves: LOP-151
#[test]
fn a_page_holds_everything() {
    let Sample { text, root, _home } = sample_page();
    stands_alone(&text, &root);

    let flow = root.by_id("flow");
    for said in ["lets short bursts through", "I'll look at the bucket", "The limiter never hands out more"] {
        assert!(flow.text.contains(said), "{said}");
    }
    let thinking = flow.with_class("thinking").find(|fold| fold.text.contains("coarse resolution")).unwrap();
    assert!(thinking.name == "details" && thinking.attribute("open").is_none(), "thinking is folded");
    let card = flow.with_class("tool").find(|card| card.text.contains("cargo test bucket")).unwrap();
    assert!(card.name == "details" && card.has_class("failed") && card.attribute("open").is_none());
    assert!(card.text.contains("assertion `left == right` failed"), "the result is in the card of its call");
    let change = flow.with_class("diff").next().unwrap();
    assert_eq!((change.with_class("add").count(), change.with_class("del").count()), (3, 2));
    let chart = format!("data:image/png;base64,{}", STANDARD.encode(sample::chart()));
    let shown = flow.all("img").filter(|image| image.attribute("src") == Some(&chart)).count();
    assert_eq!(shown, 2, "an image of the blob store and one in the session");
    assert_eq!(flow.with_class("missing").count(), 1, "an image that is gone is named");

    assert!(root.by_id("system-prompt").text.contains("Read before you write."));
    let tools = root.by_id("tools");
    assert!(tools.text.contains("Runs a command in a shell") && tools.text.contains("\"command\""));
    let style = &root.all("style").next().unwrap().text;
    let (light, dark) = style.split_once("prefers-color-scheme:dark").unwrap();
    assert!(light.contains("--accent:#654321") && dark.contains("--accent:#123456"), "the theme's colours");
    assert!(light.contains("--info:#0a0b0c") && dark.contains("--info:#171a22"), "the theme's colours");
}

/// Nothing is loaded, and nothing but the page's own style and script is allowed.
pub(crate) fn stands_alone(text: &str, root: &Element) {
    for name in ["link", "iframe", "object", "embed", "base", "form", "video", "audio", "source", "svg"] {
        assert_eq!(root.all(name).count(), 0, "{name}");
    }
    let (styles, scripts): (Vec<_>, Vec<_>) = (root.all("style").collect(), root.all("script").collect());
    assert_eq!((styles.len(), scripts.len()), (1, 1));
    let (style, script) = (&styles[0].text, &scripts[0].text);
    for fetches in ["url(", "@import", "http", "fetch(", "XMLHttpRequest", "import(", "innerHTML", "eval("] {
        assert!(!style.contains(fetches) && !script.contains(fetches), "{fetches}");
    }
    for element in &root.inside {
        for (name, value) in &element.attributes {
            match name.as_str() {
                "src" => assert!(element.name == "img" && value.starts_with("data:image/"), "{element:?}"),
                "href" if value.starts_with('#') => {}
                "href" => {
                    assert!(
                        ["https:", "http:", "mailto:"].iter().any(|known| value.starts_with(known)),
                        "{value}"
                    );
                    assert!(element.attribute("rel").unwrap().contains("noopener"), "{value}");
                }
                "style" | "srcset" | "action" | "ping" => panic!("{element:?}"),
                _ => assert!(!name.starts_with("on"), "{element:?}"),
            }
        }
    }
    let policy = root.all("meta").find(|meta| meta.attribute("http-equiv").is_some()).unwrap();
    let expected = format!(
        "default-src 'none'; img-src data:; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    );
    assert_eq!(policy.attribute("content"), Some(expected.as_str()));
    let before = text.split_once("Content-Security-Policy").unwrap().0;
    assert!(before.len() < 200, "the policy comes first");
}

fn hash(text: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    format!("sha256-{}", STANDARD.encode(digest))
}

/// proves: LOP-151
#[test]
fn the_tree_leads_everywhere() {
    let Sample { root, _home, .. } = sample_page();
    let mut ids = HashSet::new();
    for id in root.inside.iter().filter_map(|element| element.attribute("id")) {
        assert!(ids.insert(id), "{id} is there twice");
    }
    let links: Vec<&str> =
        root.all("a").filter_map(|link| link.attribute("href")?.strip_prefix('#')).collect();
    assert!(links.iter().all(|link| ids.contains(link)), "every link inside the page leads somewhere");

    let rows: Vec<&Element> = root.by_id("rows").all("li").collect();
    assert_eq!(rows.len(), 34, "one row an entry");
    let off: Vec<&str> =
        rows.iter().filter(|row| !row.has_class("on")).map(|row| row.text.as_str()).collect();
    assert_eq!(
        off,
        [
            "A mutex around take would serialise the callers. Trying that.",
            "bash cargo bench --bench take",
            "[dead end] That costs 41 % throughput and does not explain the burst.",
            "Label: dead end",
            "Label: first look"
        ],
        "the branch that was left comes after the active one"
    );
    assert!(rows.iter().position(|row| !row.has_class("on")).unwrap() == rows.len() - off.len());
    let has = |class: &str| rows.iter().filter(|row| row.has_class(class)).count();
    let counts = ["k-user", "k-assistant", "k-calls", "k-result", "k-summary", "labeled"].map(has);
    assert_eq!(counts, [3, 7, 1, 8, 2, 2]);
    let filters: Vec<_> = root.by_id("tree").all("input").filter_map(|input| input.attribute("id")).collect();
    let expected = ["default", "no-tools", "user", "labeled", "all"].map(|name| format!("filter-{name}"));
    assert_eq!(filters[1..], expected);

    // Without a script the other branch is below the active one, and each leads to the other.
    let other = root.with_class("branches").next().unwrap();
    assert!(other.text.contains("does not explain the burst"));
    let fork = root.by_id("flow").with_class("fork").next().unwrap();
    assert_eq!(
        fork.all("a").map(|link| link.attribute("href").unwrap()).collect::<Vec<_>>(),
        ["#e6", "#e11"]
    );
}

#[test]
fn every_kind_of_entry_is_shown() {
    let Sample { root, _home, .. } = sample_page();
    let flow = root.by_id("flow");
    for shown in [
        "Model: anthropic/claude-sonnet-4-5",
        "Thinking: medium",
        "Model for slow: anthropic/claude-opus-4-1",
        "Service tier: priority",
        "Mode: plan",
        "Tools selected: mcp__tickets__close",
        "State of todo",
        "Entry of type hologram",
        "Rules: no-unwrap",
        "Summary of another branch",
        "The earlier conversation (84k tokens) was replaced by a summary.",
        "Visible to the model only",
        "You, while the agent was working",
        "529 overloaded_error: Overloaded",
        "Thinking hidden by the provider.",
        "rust-analyzer: no problems",
    ] {
        assert!(flow.text.contains(shown), "{shown}");
    }
    assert_eq!(flow.with_class("label").map(|label| label.text.as_str()).collect::<Vec<_>>(), ["first look"]);
}

#[test]
fn answers_and_the_session_say_what_they_cost() {
    let Sample { root, _home, .. } = sample_page();
    let usage = root.by_id("flow").with_class("usage").next().unwrap();
    let shown: Vec<&str> = usage.all("span").map(|figure| figure.text.as_str()).collect();
    assert_eq!(shown, ["claude-sonnet-4-5", "1.8k in", "412 out", "15k cached", "960 to cache", "$0.0199"]);
    let figures: Vec<&str> =
        root.with_class("figures").next().unwrap().all("dd").map(|it| it.text.as_str()).collect();
    assert_eq!(figures, ["3", "8", "8", "22k", "122k", "3.3k", "$0.16"]);
}

/// proves: LOP-152
#[test]
fn sub_agents_open_from_their_task() {
    let Sample { root, _home, .. } = sample_page();
    let link = root.by_id("flow").with_class("agentlink").next().unwrap();
    assert_eq!(link.text, "Mara explore · Callers of take");
    let mara = root.by_id(link.attribute("href").unwrap().strip_prefix('#').unwrap());
    assert!(mara.name == "details" && mara.text.contains("Find every caller of Bucket::take"));
    assert!(mara.text.contains("Three callers, all in src/http.rs."));
    let nested = mara.with_class("agentlink").next().unwrap();
    let finn = root.by_id(nested.attribute("href").unwrap().strip_prefix('#').unwrap());
    assert!(finn.text.contains("Check the benches"), "an agent's own agents too");
    let script = &root.all("script").next().unwrap().text;
    assert!(script.contains("showModal") && script.contains("#panel"), "the script opens them in place");
}

/// However large the session, no more than an entry is held before it is written.
#[test]
fn a_page_is_written_as_it_is_read() {
    struct Largest {
        largest: usize,
        total: usize,
    }
    impl std::io::Write for Largest {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            (self.largest, self.total) = (self.largest.max(bytes.len()), self.total + bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("large.jsonl");
    let mut script = sample::Script::new("large", "Large");
    for _ in 0..200 {
        script.user(&"words ".repeat(5000));
    }
    script.save(&path);
    let mut out = Largest { largest: 0, total: 0 };
    html(&SessionView::open(&path).unwrap(), &PageOptions::default(), &mut out).unwrap();
    assert!(out.total > 6_000_000 && out.largest < 100_000, "{} {}", out.largest, out.total);
}
