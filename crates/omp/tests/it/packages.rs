//! Packages, as a user installs, links, changes and removes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use omp_testkit::{Home, Output, Page, PageServer};
use serde_json::{Value, json};

use crate::extension_places::{self, started};
use crate::extensions::{done, scripted};
use crate::support::{LIMIT, omp, omp_run};

const PLUGINS: &str = "home/.omp/plugins";

fn plugin(home: &Home, words: &[&str]) -> Output {
    omp_run(home, &[&["plugin"], words].concat())
}

/// What it says when it works.
fn said(home: &Home, words: &[&str]) -> String {
    let output = plugin(home, words);
    assert_eq!(output.code, Some(0), "{words:?}: {output:?}");
    output.stdout
}

/// Why it does not.
fn refused(home: &Home, words: &[&str]) -> String {
    let output = plugin(home, words);
    assert_eq!(output.code, Some(1), "{words:?}: {output:?}");
    output.stderr
}

fn document(home: &Home, words: &[&str]) -> Value {
    serde_json::from_str(&said(home, words)).expect("JSON")
}

/// A package in `work/<directory>` with an extension that logs its name, and a skill.
fn package(home: &Home, directory: &str, name: &str, more: Value) {
    let mut manifest = more;
    manifest["extensions"] = json!(["./main.ts"]);
    let document = json!({"name": name, "version": "1.0.0", "description": "A test", "omp": manifest});
    home.write(format!("work/{directory}/package.json"), document.to_string());
    home.write(format!("work/{directory}/main.ts"), started(name));
    let skill = format!("---\ndescription: Knows {name}\n---\nx");
    home.write(format!("work/{directory}/skills/{directory}/SKILL.md"), skill);
}

/// The extensions that a session loads, by what they log.
fn session(home: &Home, words: &[&str]) -> Vec<String> {
    let mut lines = extension_places::session(home, words);
    lines.sort();
    lines
}

/// A registry on this machine. Everything in it is in the home's `.npmrc`.
struct Registry {
    server: PageServer,
}

impl Registry {
    fn start(home: &Home) -> Self {
        let server = PageServer::start([]);
        let host = server.url("").trim_start_matches("http:").to_owned();
        let npmrc = format!("registry={}\n{host}/:_authToken=${{NPM_TEST_TOKEN}}\n", server.url("/"));
        home.write("home/.npmrc", npmrc);
        Self { server }
    }

    fn publish(&self, name: &str, version: &str, more: Value, files: &[(&str, &str)]) {
        let mut document = more;
        document["name"] = name.into();
        document["version"] = version.into();
        let text = document.to_string();
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, content) in files.iter().copied().chain([("package.json", text.as_str())]) {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, format!("package/{path}"), content.as_bytes()).unwrap();
        }
        let content = builder.into_inner().unwrap().finish().unwrap();
        let sum = STANDARD.encode(ring::digest::digest(&ring::digest::SHA512, &content));
        let path = format!("/{name}/-/{version}.tgz");
        document["dist"] = json!({"tarball": self.server.url(&path), "integrity": format!("sha512-{sum}")});
        self.server.set(&path, Page::new("application/octet-stream", content));
        let versions = json!({version: document});
        let metadata = json!({"name": name, "dist-tags": {"latest": version}, "versions": versions});
        let path = format!("/{}", name.replace('/', "%2f"));
        self.server.set(&path, Page::new("application/json", metadata.to_string()));
    }
}

// proves: HOK-097, EXT-026
#[test]
fn a_linked_directory_is_used_at_once() {
    let (home, server) = scripted([done(), done(), done()]);
    package(&home, "mine", "@me/mine", json!({}));
    package(&home, "other", "@me/mine", json!({}));
    assert!(said(&home, &["link", "./mine"]).starts_with("Linked @me/mine@1.0.0 to "));
    let link = home.path(format!("{PLUGINS}/node_modules/@me/mine"));
    assert_eq!(std::fs::read_link(&link).unwrap(), home.path("work/mine").canonicalize().unwrap());
    assert_eq!(session(&home, &[]), ["@me/mine"]);
    let sources = omp_run(&home, &["config", "sources"]).stdout;
    assert!(sources.contains("mine") && sources.contains("omp-plugins"), "{sources}");
    // Another directory of that name takes its place.
    for words in [&["plugin", "install", "./other"][..], &["install", "./mine"], &["plugin", "link", "other"]]
    {
        let output = omp_run(&home, words);
        assert_eq!(output.code, Some(0), "{output:?}");
        let target = words.last().unwrap().trim_start_matches("./");
        assert!(std::fs::read_link(&link).unwrap().ends_with(target));
    }
    assert!(said(&home, &["list"]).contains("@me/mine@1.0.0"));
    assert_eq!(session(&home, &[]), ["@me/mine"]);
    assert_eq!(said(&home, &["uninstall", "@me/mine"]), "Unlinked @me/mine\n");
    assert!(home.exists("work/other/package.json") && link.symlink_metadata().is_err());
    assert_eq!(session(&home, &[]), Vec::<String>::new());
    home.write("work/nameless/package.json", "{}");
    for (path, reason) in
        [("./nameless", "no name"), ("./skills", "No such file"), ("./mine/main.ts", "not a directory")]
    {
        let error = refused(&home, &["link", path]);
        assert!(error.contains(reason), "{error}");
    }
    server.finish();
}

// proves: CLI-112
#[test]
fn packages_come_from_the_registry_of_the_user() {
    let (home, server) = scripted([done()]);
    let registry = Registry::start(&home);
    // A project does not say where packages come from.
    home.write("work/.npmrc", "registry=http://127.0.0.1:9/\n");
    let manifest = json!({
        "omp": {"extensions": ["main.ts"]},
        "dependencies": {"helper": "^2.0.0", "@oh-my-pi/pi-coding-agent": "*"},
        "scripts": {"postinstall": "touch pwned"},
    });
    let source =
        format!("import {{ word }} from \"helper\";\n{}", started("fetched").replace("\"fetched\"", "word"));
    registry.publish("@me/fetched", "1.2.0", manifest, &[("main.ts", &source)]);
    registry.publish(
        "helper",
        "2.1.0",
        json!({"main": "index.js"}),
        &[("index.js", "exports.word = 'helped';")],
    );
    package(&home, "mine", "mine", json!({}));
    let mut command = omp(&home, &["install", "@me/fetched@^1", "./mine", "nothing-here"]);
    let output = omp_testkit::run(command.env("NPM_TEST_TOKEN", "s3cret"), Some(b""), LIMIT);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.stdout.contains("Installed @me/fetched@1.2.0 with 1 dependency\nLinked mine@1.0.0"),
        "{output:?}"
    );
    assert!(output.stderr.contains("has no package nothing-here"), "{output:?}");
    assert!(output.stderr.contains("install scripts (postinstall), which omp never runs"), "{output:?}");
    assert!(!format!("{output:?}").contains("s3cret"));
    let requests = registry.server.requests();
    assert!(requests.iter().all(|request| request.header("authorization") == Some("Bearer s3cret")));
    assert_eq!(requests.iter().filter(|request| request.path.contains("pi-coding-agent")).count(), 0);
    let folder = format!("{PLUGINS}/node_modules/@me/fetched");
    assert!(home.exists(format!("{folder}/node_modules/helper/index.js")));
    assert!(home.list_files().iter().all(|path| !path.ends_with("pwned")));
    assert_eq!(session(&home, &[]), ["helped", "mine"]);
    let listed = document(&home, &["list", "--json"]);
    let names: Vec<&Value> = listed["npm"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["@me/fetched", "mine"]);
    assert_eq!(listed["npm"][0]["source"], "@me/fetched@^1");
    let dry = document(&home, &["install", "@me/fetched", "--dry-run", "--json"]);
    assert_eq!(
        (&dry["action"], &dry["dryRun"], &dry["version"]),
        (&json!("install"), &json!(true), &json!("1.2.0"))
    );
    assert!(refused(&home, &["install", "x", "--scope", "project"]).contains("leave --scope out"));
    registry.server.finish();
    server.finish();
}

// proves: HOK-106
#[test]
fn packages_are_switched_and_removed() {
    let (home, server) = scripted([done(), done(), done()]);
    let features = json!({"features": {"more": {"description": "adds", "extensions": ["more.ts"]}}});
    package(&home, "p", "p", features);
    home.write("work/p/more.ts", started("more"));
    said(&home, &["link", "./p"]);
    assert_eq!(
        document(&home, &["disable", "p", "--json"]),
        json!({"name": "p", "enabled": false, "dryRun": false})
    );
    assert!(said(&home, &["list"]).contains("p@1.0.0 (disabled)"));
    assert_eq!(session(&home, &[]), Vec::<String>::new());
    said(&home, &["enable", "p"]);
    let shown = document(&home, &["features", "p", "--enable", "more", "--json"]);
    let row = json!({"name": "more", "description": "adds", "default": false, "enabled": true});
    assert_eq!(shown, json!({"plugin": "p", "features": [row]}));
    assert_eq!(session(&home, &[]), ["more", "p"]);
    assert!(said(&home, &["features", "p", "--set", ""]).contains("off more"));
    assert_eq!(session(&home, &[]), ["p"]);
    assert!(said(&home, &["features", "p", "--set", "more"]).contains("on  more"));
    assert!(said(&home, &["features", "p", "--disable", "more"]).contains("off more"));
    assert!(
        refused(&home, &["features", "p", "--enable", "nope"]).contains("no feature \"nope\" (it has more)")
    );
    let before = home.list_files();
    for words in [&["uninstall", "p", "--dry-run"][..], &["disable", "p", "--dry-run"]] {
        assert!(said(&home, words).starts_with("Would "));
    }
    assert_eq!(home.list_files(), before);
    assert_eq!(document(&home, &["uninstall", "p", "--json"])["action"], "uninstall");
    for words in [
        &["uninstall", "p"][..],
        &["enable", "p"],
        &["disable", "p"],
        &["features", "p"],
        &["config", "list", "p"],
        &["config", "get", "p", "x"],
        &["config", "set", "p", "x", "1"],
        &["config", "delete", "p", "x"],
        &["config", "validate", "p"],
    ] {
        assert!(refused(&home, words).contains("no plugin \"p\" is installed"), "{words:?}");
    }
    server.finish();
}

// proves: HOK-107
#[test]
fn settings_of_packages_have_a_schema() {
    let home = Home::new();
    let settings = json!({"settings": {
        "limit": {"type": "number", "min": 1, "max": 9, "default": 3, "description": "How many"},
        "key": {"type": "string", "secret": true, "env": "TEST_PLUGIN_KEY"},
        "style": {"type": "enum", "values": ["plain", "loud"]},
        "on": {"type": "boolean"},
    }});
    package(&home, "p", "p", settings);
    said(&home, &["link", "./p"]);
    let list = said(&home, &["config", "list", "p"]);
    for line in [
        "limit = 3 (default), number",
        "How many",
        "key = (not set), string, from TEST_PLUGIN_KEY if unset",
        "style = (not set), one of plain, loud",
    ] {
        assert!(list.contains(line), "{list}");
    }
    for (key, value, reason) in [
        ("limit", "0", "0 is less than 1"),
        ("limit", "ten", "not a number"),
        ("style", "shy", "not one of plain, loud"),
        ("on", "maybe", "not true or false"),
        ("nope", "1", "no setting \"nope\" (it has limit, key, style, on)"),
    ] {
        let error = refused(&home, &["config", "set", "p", key, value]);
        assert!(error.contains(reason), "{error}");
    }
    said(&home, &["config", "set", "p", "limit", "5"]);
    assert_eq!(said(&home, &["config", "get", "p", "limit"]), "5\n");
    assert!(!said(&home, &["config", "set", "p", "key", "hush", "--json"]).contains("hush"));
    let shown = format!(
        "{}{}",
        said(&home, &["config", "list", "p"]),
        said(&home, &["config", "get", "p", "key", "--json"])
    );
    assert!(shown.contains("********") && !shown.contains("hush"), "{shown}");
    said(&home, &["config", "delete", "p", "key"]);
    let mut command = omp(&home, &["plugin", "config", "list", "p", "--json"]);
    let output = omp_testkit::run(command.env("TEST_PLUGIN_KEY", "from outside"), Some(b""), LIMIT);
    let values: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(values["settings"]["key"]["origin"], "environment");
    assert_eq!(
        values["settings"]["limit"],
        json!({"value": 5, "origin": "user", "type": "number", "description": "How many"})
    );
    assert_eq!(said(&home, &["config", "validate", "p"]), "All settings are valid\n");
    let records = home.read(format!("{PLUGINS}/omp-plugins.lock.json")).replace('5', "\"five\"");
    home.write(format!("{PLUGINS}/omp-plugins.lock.json"), records);
    let output = plugin(&home, &["config", "validate", "--json"]);
    let invalid: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        (output.code, &invalid["valid"], &invalid["errors"][0]["key"]),
        (Some(1), &json!(false), &json!("limit"))
    );
}

/// Unfinished changes are finished by whoever comes next; a file that is not understood stays.
#[test]
fn records_are_not_lost() {
    let home = Home::new();
    package(&home, "p", "p", json!({}));
    said(&home, &["link", "./p"]);
    let records = format!("{PLUGINS}/omp-plugins.lock.json");
    let journal = json!({"package": "p", "directory": "remove", "files": {"omp-plugins.lock.json": "{\"plugins\": {}}"}});
    home.write(format!("{PLUGINS}/.commit/journal.json"), journal.to_string());
    assert!(said(&home, &["list"]).starts_with("No plugins installed"));
    assert!(!home.exists(format!("{PLUGINS}/node_modules/p")) && !home.exists(format!("{PLUGINS}/.commit")));
    home.write(&records, "{ not json");
    let output = plugin(&home, &["list"]);
    assert!(output.code == Some(0) && output.stderr.contains("omp-plugins.lock.json"), "{output:?}");
    assert!(refused(&home, &["link", "./p"]).contains("repair it, or move it away"));
    assert_eq!(home.read(&records), "{ not json");
}

#[test]
fn a_directory_is_a_plugin_for_one_run() {
    let (home, server) = scripted([done(), done()]);
    package(&home, "p", "p", json!({}));
    assert_eq!(session(&home, &["--plugin-dir", "p"]), ["p"]);
    assert_eq!(session(&home, &[]), Vec::<String>::new());
    let output = omp_run(&home, &["-p", "go", "--plugin-dir", "missing"]);
    assert!(output.code == Some(1) && output.stderr.contains("there is no such directory"), "{output:?}");
    assert!(!home.exists(PLUGINS));
    server.finish();
}
