//! `--export`.

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

/// A page, by the file or the id, at the default place or another; a missing file is said.
// proves: CLI-033, LOP-153
#[test]
fn a_session_is_exported_as_a_page() {
    let server = Server::start([
        Reply::new()
            .thinking("hm")
            .text("Let me.")
            .tool_call("bash", json!({"_i": "x", "command": "echo <b>"})),
        Reply::new().text("the answer is **42**"),
    ]);
    let home = home(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "what is it?"]).assert_success();
    server.finish();
    let file = session_files(&home)[0].clone();
    let before = std::fs::read(&file).unwrap();
    let name = file.to_str().unwrap();

    let output = omp_run(&home, &["--export", name]);
    let stem = file.file_stem().unwrap().to_str().unwrap();
    let page = home.work_dir().join(format!("omp-session-{stem}.html"));
    assert_eq!(output.assert_success().stdout, format!("Exported to: {}\n", page.display()));
    let html = std::fs::read_to_string(&page).unwrap();
    for part in ["what is it?", "<strong>42</strong>", "echo &lt;b&gt;", "Let me."] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));

    let spaced = omp_run(&home, &["--export", name, "my page.html"]);
    let place = home.work_dir().join("my page.html");
    assert_eq!(spaced.assert_success().stdout, format!("Exported to: {}\n", place.display()));
    assert_eq!(home.read("work/my page.html"), html);
    home.write("work/by-id.html", "old");
    let id = lines(&file)[0]["id"].as_str().unwrap().to_owned();
    omp_run(&home, &["--export", &id[..8], "by-id.html"]).assert_success();
    assert_eq!(home.read("work/by-id.html"), html, "an old page is replaced");

    assert_eq!(std::fs::read(&file).unwrap(), before, "the session is only read");
    assert_eq!(session_files(&home).len(), 1, "no session is started");
    for missing in ["nope.jsonl", "zzzz"] {
        let refused = omp_run(&home, &["--export", missing, "x.html"]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.stderr.contains(&format!("File not found: {missing}")), "{}", refused.stderr);
    }
    home.write("work/notes.jsonl", "{\"a\":1}\n");
    let strange = omp_run(&home, &["--export", "notes.jsonl", "x.html"]);
    assert!(strange.code == Some(1) && strange.stderr.contains("is not a session"), "{}", strange.stderr);
    assert!(!home.exists("work/x.html"), "nothing half-made is left");
    let left: Vec<String> = home.list_files().into_iter().filter(|path| path.ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A page has the colours that the user's themes give pages, or what their other colours suggest.
// proves: TUI-144
#[test]
fn a_page_has_the_colours_of_the_users_themes() {
    let server = Server::start([Reply::new().text("fine")]);
    let home = home(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "how is it?"]).assert_success();
    server.finish();
    let file = session_files(&home)[0].to_str().unwrap().to_owned();
    let page = || {
        omp_run(&home, &["--export", &file, "page.html"]).assert_success();
        let html = home.read("work/page.html");
        let (light, rest) = html.split_once("prefers-color-scheme:dark").unwrap();
        (light.to_owned(), rest.split_once("data-theme").unwrap().0.to_owned())
    };
    let (light, dark) = page();
    assert!(
        light.contains("--background:#fafaf8") && dark.contains("--background:#14171b"),
        "the usual themes"
    );

    let ember = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-theme/themes/ember.json"));
    let mut theme: serde_json::Value = serde_json::from_str(ember).unwrap();
    let (surface, raised) = (theme["vars"]["surface"].clone(), theme["vars"]["raised"].clone());
    theme["name"] = json!("mine");
    theme["export"] = json!({"pageBg": "#010203", "cardBg": "accent", "infoBg": 232});
    home.write("home/.omp/agent/themes/mine.json", theme.to_string());
    home.write("home/.omp/agent/config.yml", "theme:\n  dark: mine\n  light: paper\n");
    let accent = theme["vars"]["accent"].as_str().unwrap().to_owned();
    let (light, dark) = page();
    assert!(dark.contains(&format!("--background:#010203;--surface:{accent};--info:#080808;")), "{dark}");
    assert!(
        light.contains("--background:#f6f0e4") && !light.contains("--background:#010203"),
        "the other slot"
    );

    theme.as_object_mut().unwrap().shift_remove("export");
    home.write("home/.omp/agent/themes/mine.json", theme.to_string());
    let (_, dark) = page();
    let derived = format!("--surface:{};--info:{};", surface.as_str().unwrap(), raised.as_str().unwrap());
    assert!(dark.contains(&derived) && !dark.contains("--background:#010203"), "{dark}");
    assert!(!dark.contains("--background:#14171b") && dark.contains(&format!("--accent:{accent}")), "{dark}");

    home.write("home/.omp/agent/themes/mine.json", "{");
    assert!(page().1.contains("--background:#14171b"), "a broken theme does not keep a page from being made");
}
