use std::fs;
use std::os::unix::fs::symlink;

use omp_config::discovery::{Level, Places};
use tempfile::TempDir;

use super::*;

fn found(name: &str, provider: &'static str, level: Level) -> Finding<Skill> {
    let file = PathBuf::from(format!("/nowhere/{provider}/{level:?}/{name}/SKILL.md"));
    found_at(name, provider, level, file)
}

fn found_at(name: &str, provider: &'static str, level: Level, file: PathBuf) -> Finding<Skill> {
    let base = file.parent().expect("a directory").to_owned();
    let origin = Origin { provider, level, path: file.clone() };
    let skill = Skill {
        name: name.to_owned(),
        description: Some(format!("about {name}")),
        file,
        base,
        globs: Vec::new(),
        always_apply: false,
        hidden: false,
        metadata: serde_json::Map::new(),
    };
    Finding { item: skill, origin, shadowed_by: None }
}

fn listing(all: Vec<Finding<Skill>>) -> Listing<Skill> {
    Listing { all, warnings: Vec::new() }
}

fn nothing(_: &Path) -> Listing<Skill> {
    Listing::default()
}

fn select(all: Vec<Finding<Skill>>, filter: &SkillFilter) -> Skills {
    Skills::select(listing(all), filter, nothing)
}

fn names(skills: &Skills) -> Vec<&str> {
    skills.all().map(|skill| skill.name.as_str()).collect()
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// A native skill with this text.
fn write(base: &Path, text: &str) -> Finding<Skill> {
    fs::create_dir_all(base).expect("a directory");
    fs::write(base.join("SKILL.md"), text).expect("a file");
    let name = base.file_name().expect("a name").to_string_lossy().into_owned();
    found_at(&name, "native", Level::Project, base.join("SKILL.md"))
}

fn discovery(home: &Path) -> Discovery {
    let places = Places {
        home: home.to_owned(),
        agent: home.join(".omp/agent"),
        cwd: home.join("project"),
        repository: None,
        plugins: home.join(".omp/plugins"),
        plugin_directories: Vec::new(),
    };
    Discovery::new(places, &[])
}

// proves: EXT-005
#[test]
fn without_skills_there_are_none() {
    let home = TempDir::new().expect("a directory");
    let base = home.path().join(".omp/agent/skills/a");
    write(&base, "---\ndescription: about a\n---\nbody");
    let custom = home.path().join("more");
    write(&custom.join("b"), "---\ndescription: about b\n---\nbody");
    let mut filter = SkillFilter { custom_directories: vec![custom], ..SkillFilter::default() };
    assert_eq!(names(&Skills::discover(&discovery(home.path()), &filter)), ["a", "b"]);
    filter.enabled = false;
    assert_eq!(names(&Skills::discover(&discovery(home.path()), &filter)), [""; 0]);
    assert_eq!(names(&select(vec![found("a", "native", Level::User)], &filter)), [""; 0]);
}

// proves: EXT-006
#[test]
fn custom_directories_come_after_the_providers() {
    let home = TempDir::new().expect("a directory");
    let native = home.path().join(".omp/agent/skills");
    let custom = home.path().join("more");
    write(&native.join("same"), "---\ndescription: the native one\n---\nbody");
    write(&custom.join("same"), "---\ndescription: the custom one\n---\nbody");
    write(&custom.join("own"), "---\ndescription: own\n---\nbody");
    write(&custom.join("group/deep"), "---\ndescription: too deep\n---\nbody");
    write(&custom.join("silent"), "a body without a description");
    let filter = SkillFilter { custom_directories: vec![custom], ..SkillFilter::default() };
    let skills = Skills::discover(&discovery(home.path()), &filter);
    assert_eq!(names(&skills), ["same", "own"]);
    let same = skills.get("same").expect("the skill");
    assert_eq!(same.description.as_deref(), Some("the native one"));
    assert!(skills.warnings().iter().any(|warning| warning.contains("`same`")), "{:?}", skills.warnings());
}

#[test]
fn custom_directories_are_filtered_by_name_but_have_no_switch() {
    let off = SkillSources {
        codex_user: false,
        claude_user: false,
        claude_project: false,
        pi_user: false,
        pi_project: false,
        agents_user: false,
        agents_project: false,
    };
    let filter = SkillFilter {
        sources: off,
        ignored: strings(&["b"]),
        custom_directories: vec![PathBuf::from("/nowhere")],
        ..SkillFilter::default()
    };
    let custom =
        |_: &Path| listing(vec![found("a", "custom", Level::User), found("b", "custom", Level::User)]);
    assert_eq!(names(&Skills::select(Listing::default(), &filter, custom)), ["a"]);
}

// proves: EXT-009
#[test]
fn a_name_and_a_file_count_once() {
    let home = TempDir::new().expect("a directory");
    let first = write(&home.path().join("one/pdf"), "body");
    let second = write(&home.path().join("two/pdf"), "body");
    symlink(home.path().join("one/pdf"), home.path().join("link")).expect("a link");
    let linked = found_at("pdf", "claude", Level::User, home.path().join("link/SKILL.md"));
    let renamed = found_at("link", "claude", Level::User, home.path().join("link/SKILL.md"));
    let skills = select(vec![first.clone(), linked, renamed], &SkillFilter::default());
    assert_eq!(names(&skills), ["pdf"]);
    assert_eq!(skills.warnings(), [""; 0], "the same file twice is nothing to warn of");

    let skills = select(vec![first.clone(), second.clone()], &SkillFilter::default());
    assert_eq!(skills.get("pdf").expect("the skill").file, first.item.file);
    let [warning] = skills.warnings() else { panic!("{:?}", skills.warnings()) };
    assert!(
        warning.contains("`pdf`") && warning.contains(&second.item.file.display().to_string()),
        "{warning}"
    );
}

// proves: EXT-010
#[test]
fn each_switch_is_for_its_source() {
    type Switch = fn(&mut SkillSources) -> &mut bool;
    let switches: [(&str, Level, Switch); 7] = [
        ("codex", Level::User, |sources| &mut sources.codex_user),
        ("claude", Level::User, |sources| &mut sources.claude_user),
        ("claude", Level::Project, |sources| &mut sources.claude_project),
        ("native", Level::User, |sources| &mut sources.pi_user),
        ("native", Level::Project, |sources| &mut sources.pi_project),
        ("agents", Level::User, |sources| &mut sources.agents_user),
        ("agents", Level::Project, |sources| &mut sources.agents_project),
    ];
    let all: Vec<_> = switches
        .iter()
        .map(|(provider, level, _)| found(&format!("{provider}-{level:?}"), provider, *level))
        .collect();
    assert_eq!(select(all.clone(), &SkillFilter::default()).all().count(), 7, "all are on by default");
    for (provider, level, switch) in switches {
        let mut filter = SkillFilter::default();
        *switch(&mut filter.sources) = false;
        let skills = select(all.clone(), &filter);
        assert_eq!(skills.all().count(), 6);
        assert!(skills.get(&format!("{provider}-{level:?}")).is_none());
    }
}

// proves: EXT-011
#[test]
fn a_source_without_a_switch_goes_with_any_of_them() {
    let others = ["claude-plugins", "opencode", "gemini", "github", "omp-plugins"];
    let mut all: Vec<_> = others.iter().map(|provider| found(provider, provider, Level::Project)).collect();
    all.push(found("codex-project", "codex", Level::Project));
    all.push(found("agents-user", "agents", Level::User));
    let mut filter = SkillFilter::default();
    filter.sources = SkillSources {
        codex_user: false,
        claude_user: false,
        claude_project: false,
        pi_user: false,
        pi_project: false,
        ..filter.sources
    };
    assert_eq!(select(all.clone(), &filter).all().count(), 7, "agents is still on, and carries the rest");
    filter.sources.agents_project = false;
    assert_eq!(select(all.clone(), &filter).all().count(), 7);
    filter.sources.agents_user = false;
    assert_eq!(select(all, &filter).all().count(), 0);
}

// proves: EXT-012
#[test]
fn what_is_disabled_or_ignored_cannot_be_included() {
    let all = || {
        ["pdf", "pdf-forms", "git", "git-flow", "sql"].map(|name| found(name, "native", Level::User)).to_vec()
    };
    let filter = SkillFilter {
        disabled_extensions: strings(&["skill:git", "extension-module:sql", "pdf"]),
        ignored: strings(&["pdf-*"]),
        included: strings(&["pdf*", "git*"]),
        ..SkillFilter::default()
    };
    assert_eq!(names(&select(all(), &filter)), ["pdf", "git-flow"]);
    let everything = SkillFilter { included: Vec::new(), ..filter.clone() };
    assert_eq!(names(&select(all(), &everything)), ["pdf", "git-flow", "sql"]);
    let run = SkillFilter { only: Some(strings(&["s?l", "git"])), ..filter };
    assert_eq!(names(&select(all(), &run)), ["sql"], "--skills stands in for the include list only");
}

#[test]
fn a_source_that_is_off_hides_nothing() {
    let mut hidden = found("pdf", "claude", Level::User);
    hidden.shadowed_by = Some(found("pdf", "native", Level::Project).origin);
    let all = vec![found("pdf", "native", Level::Project), hidden];
    let mut filter = SkillFilter::default();
    assert_eq!(select(all.clone(), &filter).origin("pdf").expect("a skill").provider, "native");
    filter.sources.pi_project = false;
    let skills = select(all, &filter);
    assert_eq!(skills.origin("pdf").expect("a skill").provider, "claude");
    assert_eq!(skills.warnings(), [""; 0]);
}

#[test]
fn a_broken_glob_is_a_name_and_is_said() {
    let filter = SkillFilter { ignored: strings(&["[pdf", "git"]), ..SkillFilter::default() };
    let all = ["[pdf", "pdf", "git"].map(|name| found(name, "native", Level::User)).to_vec();
    let skills = select(all, &filter);
    assert_eq!(names(&skills), ["pdf"]);
    let [warning] = skills.warnings() else { panic!("{:?}", skills.warnings()) };
    assert!(warning.contains("skills.ignoredSkills") && warning.contains("`[pdf`"), "{warning}");
}

#[test]
fn what_discovery_warned_of_is_kept() {
    let found = Listing { all: Vec::new(), warnings: strings(&["a/SKILL.md is broken"]) };
    let skills = Skills::select(found, &SkillFilter::default(), nothing);
    assert_eq!(skills.warnings(), ["a/SKILL.md is broken"]);
}

#[test]
fn a_command_gives_the_body_the_path_and_the_arguments() {
    let home = TempDir::new().expect("a directory");
    let skill = write(&home.path().join("pdf"), "\u{feff}---\r\nname: pdf\r\n---\r\n\r\n# Read\r\npages\r\n");
    let path = skill.item.file.clone();
    let skills = select(vec![skill], &SkillFilter::default());
    let message = skills.invoke("pdf", "  page 3 ").expect("a message");
    assert_eq!(message.text, format!("# Read\r\npages\n\nSkill: {}\nUser: page 3", path.display()));
    assert_eq!(message.arguments.as_deref(), Some("page 3"));
    let message = skills.invoke("pdf", " ").expect("a message");
    assert_eq!(message.text, format!("# Read\r\npages\n\nSkill: {}", path.display()));
    assert_eq!(message.arguments, None);
}

#[test]
fn a_hidden_skill_can_be_invoked_and_is_not_listed() {
    let home = TempDir::new().expect("a directory");
    let mut skill = write(&home.path().join("secret"), "body");
    skill.item.hidden = true;
    let skills = select(vec![skill], &SkillFilter::default());
    assert_eq!(skills.listed().count(), 0);
    assert!(skills.invoke("secret", "").is_ok());
}

#[test]
fn a_large_skill_is_cut_with_a_note() {
    let home = TempDir::new().expect("a directory");
    let skill = write(&home.path().join("large"), &"x".repeat(300 * 1024));
    let skills = select(vec![skill], &SkillFilter::default());
    let message = skills.invoke("large", "").expect("a message");
    assert!(message.text.len() < 257 * 1024);
    assert!(message.text.contains("Truncated: 262144 of 307200 bytes"), "{}", &message.text[262_100..]);
}

#[test]
fn errors_name_the_skill_and_the_file() {
    let home = TempDir::new().expect("a directory");
    let skill = write(&home.path().join("postgres"), "body");
    let path = skill.item.file.clone();
    let skills = select(vec![skill], &SkillFilter::default());
    let error = skills.invoke("postgers", "").expect_err("an error").to_string();
    assert_eq!(error, "unknown skill `postgers`: did you mean `postgres`?");
    fs::remove_file(&path).expect("removed");
    make_pipe(&path);
    let error = skills.invoke("postgres", "").expect_err("an error").to_string();
    assert!(error.contains("`postgres`") && error.contains("a named pipe"), "{error}");
}

fn make_pipe(path: &Path) {
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
}
