use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use omp_config::discovery::{Finding, Level, Listing, Origin, Rule, Skill};
use tempfile::TempDir;

use super::*;
use crate::rules::RuleSettings;
use crate::skills::SkillFilter;

/// A home with the skill `pdf` and, beside it, a file that is none of its business.
struct Fixture {
    home: TempDir,
    skills: Skills,
    rules: RuleBook,
}

fn fixture() -> Fixture {
    let home = TempDir::new().expect("a directory");
    let base = home.path().join("skills/pdf");
    fs::create_dir_all(base.join("references")).expect("directories");
    fs::write(base.join("SKILL.md"), "# PDF").expect("a file");
    fs::write(base.join("references/a b#c?.md"), "tables").expect("a file");
    fs::write(base.join("run.sh"), "echo").expect("a file");
    fs::write(home.path().join("secret"), "secret").expect("a file");
    let skills =
        Listing { all: vec![skill("pdf", &base), skill("a:b", &base.join("references"))], warnings: vec![] };
    let skills = Skills::select(skills, &SkillFilter::default(), |_| Listing::default());
    Fixture { home, skills, rules: rules() }
}

fn skill(name: &str, base: &Path) -> Finding<Skill> {
    let file = base.join("SKILL.md");
    let origin = Origin { provider: "native", level: Level::User, path: file.clone() };
    let item = Skill {
        name: name.to_owned(),
        description: Some("Work with PDF files".to_owned()),
        file,
        base: base.to_owned(),
        globs: Vec::new(),
        always_apply: false,
        hidden: false,
        metadata: serde_json::Map::new(),
    };
    Finding { item, origin, shadowed_by: None }
}

fn rules() -> RuleBook {
    let rule = |name: &str| Rule {
        name: name.to_owned(),
        content: format!("text of {name}"),
        description: Some(format!("about {name}")),
        ..Rule::default()
    };
    let all = [
        rule("listed"),
        Rule { always_apply: true, ..rule("always") },
        Rule { condition: vec!["x".to_owned()], ..rule("stream") },
        Rule { description: None, ..rule("silent") },
        rule("a/b c"),
    ];
    let origin = Origin { provider: "native", level: Level::User, path: PathBuf::new() };
    let all = all.map(|item| Finding { item, origin: origin.clone(), shadowed_by: None }).to_vec();
    RuleBook::sort(Listing { all, warnings: Vec::new() }, &RuleSettings::default())
}

impl Fixture {
    fn read(&self, url: &str) -> Result<Resource, UrlError> {
        read_url(url, &self.skills, &self.rules)
    }

    /// The file behind a URL, below the home.
    fn file(&self, url: &str) -> PathBuf {
        let resource = self.read(url).unwrap_or_else(|error| panic!("{url}: {error}"));
        let Content::Path(path) = resource.content else { panic!("{url} is no file") };
        path.strip_prefix(self.home.path().canonicalize().expect("a path")).expect("inside").to_owned()
    }

    fn text(&self, url: &str) -> String {
        match self.read(url).unwrap_or_else(|error| panic!("{url}: {error}")).content {
            Content::Text(text) => text,
            Content::Path(path) => panic!("{url} is {}", path.display()),
        }
    }

    fn error(&self, url: &str) -> String {
        self.read(url).expect_err(url).to_string()
    }
}

#[test]
fn a_skill_is_its_file_or_a_file_beside_it() {
    let fixture = fixture();
    for url in ["skill://pdf", "SKILL://pdf", "Skill://pdf/", "skill://%70df", "skill://pdf?x#y"] {
        assert_eq!(fixture.file(url), Path::new("skills/pdf/SKILL.md"), "{url}");
    }
    assert_eq!(fixture.file("skill://pdf/run.sh"), Path::new("skills/pdf/run.sh"));
    assert_eq!(fixture.file("skill://pdf/./references//"), Path::new("skills/pdf/references"));
    assert_eq!(
        fixture.file("skill://pdf/references/a%20b%23c%3F.md"),
        Path::new("skills/pdf/references/a b#c?.md")
    );
    assert_eq!(fixture.file("skill://a%3Ab/a%20b%23c%3f.md"), Path::new("skills/pdf/references/a b#c?.md"));
}

// proves: EXT-017
#[test]
fn nothing_outside_the_skill_can_be_named() {
    let fixture = fixture();
    let base = fixture.home.path().join("skills/pdf");
    symlink("../../secret", base.join("link")).expect("a link");
    symlink("../..", base.join("up")).expect("a link");
    symlink("run.sh", base.join("inner")).expect("a link");
    for url in [
        "skill://pdf/../../secret",
        "skill://pdf/%2e%2e/%2E%2E/secret",
        "skill://pdf/references/../run.sh",
        "skill://pdf/..%2f..%2fsecret",
        "skill://pdf/..%5C..%5Csecret",
        "skill://pdf/..",
    ] {
        assert!(
            matches!(fixture.read(url), Err(UrlError::Traversal { .. })),
            "{url}: {:?}",
            fixture.read(url)
        );
    }
    let absolute = format!("skill://pdf/{}", fixture.home.path().join("secret").display());
    for url in
        [absolute.as_str(), "skill://pdf//etc/passwd", "skill://pdf/%2Fetc/passwd", "skill://pdf/C:%5Cx"]
    {
        assert!(
            matches!(fixture.read(url), Err(UrlError::Absolute { .. })),
            "{url}: {:?}",
            fixture.read(url)
        );
    }
    for url in ["skill://pdf/link", "skill://pdf/up/secret", "skill://pdf/up"] {
        assert!(matches!(fixture.read(url), Err(UrlError::Escape { .. })), "{url}: {:?}", fixture.read(url));
    }
    assert_eq!(fixture.file("skill://pdf/inner"), Path::new("skills/pdf/run.sh"));
    assert!(fixture.error("skill://pdf/%2").contains("hexadecimal"));
    assert!(fixture.error("skill://pdf/%ff%fe").contains("UTF-8"));
}

// proves: EXT-018
#[test]
fn what_is_missing_is_said() {
    let fixture = fixture();
    let error = fixture.error("skill://pdf/SKILLS.md");
    assert!(error.starts_with("File not found: skill://pdf/SKILLS.md"), "{error}");
    assert!(fixture.error("skill://pdf/run.sh/x").starts_with("File not found"));
    assert!(fixture.error("skill://pdf/a\0b").contains("cannot read"));
    let error = fixture.error("skill://PDF");
    assert_eq!(error, "unknown skill `PDF`: did you mean `pdf`? (available: pdf, a:b)");
    assert!(fixture.error("skill://pfd").contains("did you mean `pdf`?"));
    fs::remove_file(fixture.home.path().join("skills/pdf/SKILL.md")).expect("removed");
    assert!(fixture.error("skill://pdf").starts_with("File not found"));
}

#[test]
fn pipes_and_loops_do_not_hang() {
    let fixture = fixture();
    let base = fixture.home.path().join("skills/pdf");
    nix::unistd::mkfifo(&base.join("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    symlink("loop", base.join("loop")).expect("a link");
    assert!(fixture.error("skill://pdf/pipe").contains("a named pipe"));
    assert!(fixture.error("skill://pdf/loop").contains("cannot read"));
}

// proves: EXT-019
#[test]
fn markdown_is_markdown_and_the_rest_is_plain() {
    let fixture = fixture();
    fs::write(fixture.home.path().join("skills/pdf/UPPER.MD"), "x").expect("a file");
    let mime = |url: &str| fixture.read(url).expect(url).mime;
    assert_eq!(mime("skill://pdf"), "text/markdown");
    assert_eq!(mime("skill://pdf/UPPER.MD"), "text/markdown");
    assert_eq!(mime("skill://pdf/run.sh"), "text/plain");
    assert_eq!(mime("skill://pdf/references"), "text/plain");
}

// proves: EXT-120
#[test]
fn a_rule_is_its_text() {
    let fixture = fixture();
    assert_eq!(fixture.text("rule://listed"), "text of listed");
    assert_eq!(fixture.text("RULE://always"), "text of always");
    assert_eq!(fixture.text("rule://a/b%20c"), "text of a/b c");
    assert_eq!(fixture.read("rule://listed").expect("a rule").mime, "text/markdown");
    assert_eq!(fixture.error("rule://Listed"), "unknown rule `Listed` (available: listed, a/b c, always)");
}

// proves: EXT-121
#[test]
fn rules_that_watch_and_inactive_ones_cannot_be_read() {
    let fixture = fixture();
    for name in ["stream", "silent"] {
        let error = fixture.error(&format!("rule://{name}"));
        assert!(error.starts_with(&format!("unknown rule `{name}` (")), "{error}");
        assert!(!error["unknown rule `".len() + name.len()..].contains(name), "{error}");
    }
}

#[test]
fn a_scheme_alone_lists() {
    let fixture = fixture();
    assert_eq!(fixture.text("skill://"), "- pdf: Work with PDF files\n- a:b: Work with PDF files");
    assert_eq!(fixture.text("rule://").lines().count(), 3);
}

#[test]
fn other_schemes_are_refused() {
    let fixture = fixture();
    let error = fixture.error("Foo://x");
    assert!(error.starts_with("Unknown protocol: foo://"), "{error}");
    assert!(SCHEMES.iter().all(|scheme| error.contains(&format!("{scheme}://"))), "{error}");
    assert!(fixture.error("artifact://1").contains("not supported"));
    assert!(fixture.error("plain").contains("not an internal URL"));
}

#[test]
fn an_error_does_not_list_everything() {
    let all: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    let shown = names(all.iter().map(String::as_str));
    assert!(shown.ends_with("n39 (+60 more)"), "{shown}");
    assert_eq!(names([].into_iter()), "none");
}

#[test]
fn a_hidden_skill_is_reached_but_never_named() {
    let home = TempDir::new().expect("a directory");
    let base = home.path().join("secret");
    fs::create_dir_all(&base).expect("a directory");
    fs::write(base.join("SKILL.md"), "text").expect("a file");
    let mut hidden = skill("secret", &base);
    hidden.item.hidden = true;
    let found = Listing { all: vec![hidden], warnings: Vec::new() };
    let skills = Skills::select(found, &SkillFilter::default(), |_| Listing::default());
    assert!(read_url("skill://secret", &skills, &RuleBook::default()).is_ok());
    let error = read_url("skill://secre", &skills, &RuleBook::default()).expect_err("unknown").to_string();
    assert_eq!(error, "unknown skill `secre` (available: none)");
    let listed = read_url("skill://", &skills, &RuleBook::default()).expect("a list");
    assert_eq!(listed.content, Content::Text("(none)".to_owned()));
}
