//! What the model is told: the blocks of the system prompt, context files, skills, rules, words with a meaning.

use omp_testkit::{Home, Output, Reply, Scenario, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, home, last_user, omp, omp_run};

const WIRE: Wire = Wire::AnthropicMessages;

/// A home, a server that answers everything with one word, and what the server was sent.
struct Place {
    server: Server,
    home: Home,
}

impl Place {
    fn new() -> Self {
        let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
        let home = home(&server, WIRE);
        Self { server, home }
    }

    /// A place whose working directory is `work/repo/package` in a repository `work/repo`.
    fn repository() -> Self {
        let place = Self::new();
        place.home.write("work/repo/.git/HEAD", "ref: refs/heads/main\n");
        std::fs::create_dir_all(place.home.path("work/repo/package")).unwrap();
        place
    }

    fn write(&self, path: &str, content: &str) -> &Self {
        self.home.write(path, content);
        self
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = omp_run(&self.home, &[&["-p"], args].concat());
        output.assert_success();
        output
    }

    fn last_body(&self) -> Value {
        self.server.requests().last().unwrap().body.clone()
    }

    /// The blocks of the last request.
    fn blocks(&self) -> Vec<String> {
        let body = self.last_body();
        let blocks = body["system"].as_array().cloned().unwrap_or_default();
        blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect()
    }

    /// The blocks that a run with these arguments sends.
    fn system(&self, args: &[&str]) -> Vec<String> {
        self.run(&[args, &["x"]].concat());
        self.blocks()
    }

    fn in_package(&self) -> Vec<String> {
        let package = self.home.path("work/repo/package").display().to_string();
        self.system(&["--cwd", &package])
    }
}

fn contains(blocks: &[String], text: &str) -> bool {
    blocks.iter().any(|block| block.contains(text))
}

// proves: LOP-163
#[test]
fn the_prompt_has_a_stable_block_and_a_footer() {
    let place = Place::new();
    place
        .write("work/.omp/skills/pdf/SKILL.md", "---\ndescription: Reads PDF files\n---\nbody")
        .write("work/.omp/rules/style.md", "---\ndescription: How we write\n---\nbody")
        .write("work/AGENTS.md", "Use tabs.")
        .write("work/src/lib.rs", "");
    let blocks = place.system(&[]);
    assert_eq!(blocks.len(), 2, "{blocks:#?}");
    for stable in ["You are omp", "# Tools", "pdf", "Reads PDF files", "style", "How we write"] {
        assert!(blocks[0].contains(stable), "{stable}: {}", blocks[0]);
        assert!(!blocks[1].contains(stable), "{stable} is in the footer");
    }
    let work = place.home.work_dir().display().to_string();
    for footer in ["Platform:", "Use tabs.", "src/", "Date: ", &work] {
        assert!(blocks[1].contains(footer), "{footer}: {}", blocks[1]);
    }
    let order = ["Platform:", "Use tabs.", "src/", "Date: "].map(|text| blocks[1].find(text).unwrap());
    assert!(order.is_sorted(), "{}", blocks[1]);
}

// proves: LOP-164, LOP-165
#[test]
fn custom_prompts_replace_the_first_block_only() {
    let place = Place::new();
    let custom = place.system(&["--system-prompt", "Only mine."]);
    assert_eq!(custom[0], "Only mine.");
    assert!(custom.last().unwrap().contains("Date: "));
    let appended = place.system(&["--append-system-prompt", "At the end."]);
    assert!(appended[0].starts_with("You are omp"));
    assert_eq!(appended.last().unwrap(), "At the end.");
    let both = place.system(&["--system-prompt", "Only mine.", "--append-system-prompt", "At the end."]);
    assert_eq!(both[..2], ["Only mine.", "At the end."]);
    assert!(both[2].contains("Date: "));

    place.write("home/.omp/agent/SYSTEM.md", "From the file.");
    place.write("home/.omp/agent/APPEND_SYSTEM.md", "Appended by file.");
    assert_eq!(place.system(&[])[..2], ["From the file.", "Appended by file."]);
}

/// Flag, then the project's file, then the user's; `.omp` before the folders of other agents.
// proves: LOP-166
#[test]
fn the_nearest_prompt_file_wins() {
    let place = Place::new();
    let candidates = [
        "work/.omp/SYSTEM.md",
        "work/.claude/SYSTEM.md",
        "work/.codex/SYSTEM.md",
        "work/.gemini/SYSTEM.md",
        "home/.omp/agent/SYSTEM.md",
        "home/.claude/SYSTEM.md",
        "home/.codex/SYSTEM.md",
        "home/.gemini/SYSTEM.md",
    ];
    for path in candidates {
        place.write(path, &format!("I am {path}"));
        place.write(&path.replace("SYSTEM", "APPEND_SYSTEM"), &format!("appended from {path}"));
    }
    assert_eq!(place.system(&["--system-prompt", "flag"])[0], "flag");
    for path in candidates {
        let blocks = place.system(&[]);
        assert_eq!(blocks[..2], [format!("I am {path}"), format!("appended from {path}")]);
        std::fs::remove_file(place.home.path(path)).unwrap();
        std::fs::remove_file(place.home.path(path.replace("SYSTEM", "APPEND_SYSTEM"))).unwrap();
    }
    assert!(place.system(&[])[0].starts_with("You are omp"));
}

// proves: LOP-167, CFG-093
#[test]
fn a_project_prompt_is_found_above_the_working_directory() {
    let place = Place::repository();
    place.write("work/repo/.omp/SYSTEM.md", "the repository's");
    place.write("work/.omp/SYSTEM.md", "outside the repository");
    assert_eq!(place.in_package()[0], "the repository's");
    std::fs::create_dir_all(place.home.path("work/repo/package/.omp")).unwrap();
    assert_eq!(place.in_package()[0], "the repository's", "an empty folder does not count");
    place.write("work/repo/package/.omp/SYSTEM.md", "the package's");
    assert_eq!(place.in_package()[0], "the package's");
}

// proves: LOP-168
#[test]
fn prompt_texts_are_used_as_they_are() {
    let place = Place::new();
    let text = "Say {{name}} and {{#if x}}y{{/if}} $1.\n";
    place.write("work/mine.md", text);
    assert_eq!(place.system(&["--system-prompt", "mine.md"])[0], text);
    assert_eq!(place.system(&["--system-prompt", "missing.md"])[0], "missing.md");
    assert_eq!(place.system(&["--system-prompt", "a {{b}}"])[0], "a {{b}}");
}

/// A rule that the user's own prompt already contains is not said twice.
// proves: LOP-169
#[test]
fn rules_are_not_repeated() {
    let place = Place::new();
    place.write("work/.omp/rules/tabs.md", "---\nalwaysApply: true\n---\nAlways use tabs here.");
    place.write("work/.omp/rules/other.md", "---\nalwaysApply: true\n---\nNever use goto.");
    let count = |blocks: &[String], text: &str| blocks.concat().matches(text).count();
    let custom = place.system(&["--system-prompt", "Be nice. Always use tabs here. Thanks."]);
    assert_eq!((count(&custom, "Always use tabs here."), count(&custom, "Never use goto.")), (1, 1));
    let appended = place.system(&["--append-system-prompt", "Always use tabs here."]);
    assert_eq!(count(&appended, "Always use tabs here."), 1);
    assert_eq!(count(&place.system(&[]), "Always use tabs here."), 1);
}

/// Many files and many folders cost no more than a few.
// proves: LOP-170
#[test]
fn a_huge_project_does_not_fill_the_prompt() {
    let place = Place::new();
    for folder in 0..60 {
        for file in 0..100 {
            let path = place.home.path(format!("work/folder{folder:02}/sub{}/file{file}.txt", file % 7));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
    }
    place.write("work/AGENTS.md", &"A long instruction.\n".repeat(20_000));
    let footer = place.system(&[])[1].clone();
    assert!(footer.contains("<workspace-tree>") && footer.contains("A long instruction."));
    let tree = footer.split("<workspace-tree>").nth(1).unwrap().split("</workspace-tree>").next().unwrap();
    assert!(tree.len() < 8 * 1024, "{}", tree.len());
    assert!(tree.contains('…'), "what is left out is said: {tree}");
    assert!(footer.len() < 80 * 1024, "{}", footer.len());
    assert!(footer.contains("bytes omitted"));
}

/// All requests of a session begin with the same prompt, also when files change under it.
// proves: LOP-171
#[test]
fn the_prompt_does_not_change_between_turns() {
    let write = |path: &str| {
        Reply::new().tool_call("write", json!({"_i": "w", "path": path, "content": "New words."}))
    };
    let server = Server::start([
        write("AGENTS.md"),
        write("new/file.rs"),
        Reply::new().text("one"),
        Reply::new().text("two"),
    ]);
    let home = home(&server, WIRE);
    home.write("work/AGENTS.md", "Old words.");
    omp_run(&home, &["-p", "first", "second"]).assert_success();
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|request| request.body["system"] == requests[0].body["system"]));
    assert!(requests[0].body["system"].to_string().contains("Old words."));
    server.finish();
}

// proves: LOP-172, CFG-055
#[test]
fn tone_and_model_name_are_settings() {
    let place = Place::new();
    let tone = |word: &str| {
        place.write("home/.omp/agent/config.yml", &format!("personality: {word}\n"));
        place.system(&[])[0].clone()
    };
    let (default, friendly, pragmatic, none) =
        (tone("default"), tone("friendly"), tone("pragmatic"), tone("none"));
    assert!(friendly.contains("warm") && pragmatic.contains("terse") && !none.contains("# Tone"));
    assert!(default.contains("# Tone") && default != friendly && default != pragmatic);
    place.write("home/.omp/agent/config.yml", "includeModelInPrompt: true\n");
    assert!(place.system(&[])[1].contains("Model: test/scripted"), "{:?}", place.blocks());
    place.write("home/.omp/agent/config.yml", "includeModelInPrompt: false\n");
    assert!(!contains(&place.system(&[]), "Model: "));
}

// proves: CLI-139
#[test]
fn the_prompt_can_be_silenced() {
    let place = Place::new();
    place.write("work/AGENTS.md", "Use tabs.");
    for (value, silent) in [("true", true), ("false", false)] {
        let mut command = omp(&place.home, &["-p", "x"]);
        command.env("NULL_PROMPT", value);
        run(command, Some(b""), LIMIT).assert_success();
        assert_eq!(place.last_body().get("system").is_none(), silent, "{value}");
    }
}

// proves: CFG-096, CFG-109, CFG-111
#[test]
fn context_files_are_in_one_block() {
    let place = Place::repository();
    place
        .write("home/.omp/agent/AGENTS.md", "mine\n")
        .write("work/repo/AGENTS.md", "outer\n")
        .write("work/repo/package/AGENTS.md", "inner\n");
    let footer = place.in_package()[1].clone();
    assert_eq!(footer.matches("<context>").count(), 1);
    let file = |path: &str, content: &str| {
        format!("<file path=\"{}\">\n{content}\n</file>", place.home.path(path).display())
    };
    let expected = [
        file("home/.omp/agent/AGENTS.md", "mine"),
        file("work/repo/AGENTS.md", "outer"),
        file("work/repo/package/AGENTS.md", "inner"),
    ];
    let found: Vec<_> = expected.iter().map(|text| footer.find(text.as_str())).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{footer}");
    assert!(footer.contains("do not search for or re-read these files"));
    place.write("home/.omp/agent/config.yml", "disabledProviders: [native]\n");
    assert!(!contains(&place.in_package(), "mine"));
}

// proves: CFG-110
#[test]
fn deeper_instructions_are_listed_not_loaded() {
    let place = Place::new();
    place.write("work/api/AGENTS.md", "API words").write("work/web/app/AGENTS.md", "web words");
    place.write("work/.hidden/AGENTS.md", "hidden words");
    let footer = place.system(&[])[1].clone();
    let list = footer.split("<dir-context>").nth(1).unwrap().split("</dir-context>").next().unwrap();
    assert!(list.contains("- api/AGENTS.md\n- web/app/AGENTS.md"), "{list}");
    assert!(list.contains("Read the file that applies before you change something"));
    assert!(!footer.contains("API words") && !list.contains("hidden"));
}

/// The standing rules are repeated with each prompt, outside the context block, and only from native places.
// proves: CFG-119, CFG-120
#[test]
fn standing_rules_come_with_every_prompt() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/RULES.md", "---\nalwaysApply: false\n---\nUser rule.\n");
    home.write("work/.omp/RULES.md", "Project rule.\n");
    home.write("work/RULES.md", "Ignored rule.\n");
    home.write("home/.claude/RULES.md", "Foreign rule.\n");
    let prompts: Vec<String> = (1..=20).map(|number| format!("prompt {number}")).collect();
    let mut args = vec!["-p"];
    args.extend(prompts.iter().map(String::as_str));
    omp_run(&home, &args).assert_success();
    let requests = server.requests();
    for request in [&requests[0], &requests[19]] {
        let messages = request.body["messages"].as_array().unwrap();
        let last = last_user(&request.body).to_string() + &messages[messages.len() - 2].to_string();
        assert!(last.contains("User rule.") && last.contains("Project rule."), "{last}");
        assert!(!messages[0].to_string().contains("User rule."), "not in the system prompt");
        let all = request.body.to_string();
        assert!(!all.contains("Ignored rule.") && !all.contains("Foreign rule."));
        assert!(!all.contains("alwaysApply"));
    }
}

// proves: CFG-121
#[test]
fn standing_rules_move_with_the_agent_directory() {
    let place = Place::new();
    let models = place.home.read("home/.omp/agent/models.yml");
    place.write("home/.omp/agent/RULES.md", "Default rule.");
    place.write("elsewhere/models.yml", &models).write("elsewhere/RULES.md", "Moved rule.");
    place.write("home/.omp/profiles/job/agent/models.yml", &models);
    place.write("home/.omp/profiles/job/agent/RULES.md", "Profile rule.");
    let mut moved = omp(&place.home, &["-p", "x"]);
    moved.env("PI_CODING_AGENT_DIR", place.home.path("elsewhere"));
    run(moved, Some(b""), LIMIT).assert_success();
    let body = place.last_body().to_string();
    assert!(body.contains("Moved rule.") && !body.contains("Default rule."));
    place.run(&["--profile", "job", "x"]);
    let body = place.last_body().to_string();
    assert!(body.contains("Profile rule.") && !body.contains("Default rule."));
}

// proves: EXT-013, EXT-015, CLI-025
#[test]
fn skills_are_listed_where_they_can_be_read() {
    let place = Place::new();
    place
        .write("work/.omp/skills/pdf/SKILL.md", "---\ndescription: Reads PDF files\n---\nThe body of pdf")
        .write("home/.omp/agent/skills/sql/SKILL.md", "---\ndescription: Writes SQL\n---\nbody")
        .write(
            "work/.omp/skills/secret/SKILL.md",
            "---\ndescription: Kept back\nhide: true\n---\nHidden body",
        )
        .write(
            "work/.omp/skills/manual/SKILL.md",
            "---\ndescription: By hand\ndisable-model-invocation: true\n---\nManual body",
        );
    let first = place.system(&[])[0].clone();
    for listed in ["pdf", "Reads PDF files", "sql", "Writes SQL", "skill://"] {
        assert!(first.contains(listed), "{listed}: {first}");
    }
    assert!(!first.contains("Kept back") && !first.contains("By hand") && !first.contains("The body of pdf"));
    assert!(
        !contains(&place.system(&["--tools", "bash"]), "Reads PDF files"),
        "without read they are useless"
    );
    assert!(!contains(&place.system(&["--no-skills"]), "Reads PDF files"));
    let only = place.system(&["--skills", "s*"])[0].clone();
    assert!(only.contains("Writes SQL") && !only.contains("Reads PDF files"));
    place.write("work/.omp/rules/r.md", "---\ndescription: A rule\n---\nx");
    assert!(contains(&place.system(&[]), "A rule"));
    assert!(!contains(&place.system(&["--no-rules"]), "A rule"));
    place.write("home/.omp/agent/config.yml", "skills:\n  enabled: false\n");
    assert!(!contains(&place.system(&[]), "Reads PDF files"));
}

/// A hidden skill is still read by name, and so are its files; rules likewise.
// proves: EXT-015, EXT-016, EXT-018, EXT-120, EXT-121
#[test]
fn skills_and_rules_are_read_by_url() {
    let read = |path: &str| Reply::new().tool_call("read", json!({"_i": "r", "path": path}));
    let urls = [
        "skill://secret",
        "skill://secret/notes/a.txt",
        "skill://secret/missing.txt",
        "skill://nothing",
        "skill://secret/%2e%2e/%2e%2e/x",
        "rule://style",
        "rule://tabs",
        "rule://trigger",
        "rule://nothing",
    ];
    let mut replies: Vec<Reply> = urls.iter().map(|url| read(url)).collect();
    replies.push(Reply::new().text("done"));
    let server = Server::start(replies);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(
        "work/.omp/skills/secret/SKILL.md",
        "---\ndescription: Kept back\nhide: true\n---\nHidden body",
    );
    home.write("work/.omp/skills/secret/notes/a.txt", "a note");
    home.write("work/.omp/rules/style.md", "---\ndescription: How we write\n---\nShort sentences.");
    home.write("work/.omp/rules/tabs.md", "---\nalwaysApply: true\n---\nUse tabs.");
    home.write("work/.omp/rules/trigger.md", "---\ndescription: d\ncondition: unwrap\n---\nNo unwrap.");
    omp_run(&home, &["-p", "x"]).assert_success();
    let last = server.requests().last().unwrap().body["messages"].clone();
    let results: Vec<String> = last
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    assert!(results[0].contains("Hidden body"), "{}", results[0]);
    assert!(results[1].contains("a note"), "{}", results[1]);
    assert!(results[2].contains("File not found"), "{}", results[2]);
    assert!(results[3].contains("unknown skill `nothing`"), "{}", results[3]);
    assert!(results[4].contains(".."), "{}", results[4]);
    assert!(results[5].contains("Short sentences.") && !results[5].contains("description"), "{}", results[5]);
    assert!(results[6].contains("Use tabs."));
    for unreachable in [&results[7], &results[8]] {
        assert!(unreachable.contains("style") && unreachable.contains("tabs"), "{unreachable}");
        assert!(!unreachable.contains("No unwrap."));
    }
    server.finish();
}

// proves: EXT-117, EXT-118, EXT-119
#[test]
fn rules_go_where_they_belong() {
    let place = Place::new();
    place
        .write("work/.omp/rules/always.md", "---\nalwaysApply: true\ndescription: d0\n---\nWhole body here.")
        .write(
            "work/.omp/rules/listed.md",
            "---\ndescription: When writing SQL\nglobs: '*.sql'\n---\nSQL body",
        )
        .write("work/.omp/rules/silent.md", "Nobody sees this.")
        .write(
            "work/.omp/rules/stream.md",
            "---\nalwaysApply: true\ndescription: d2\ncondition: unwrap\n---\nStream body",
        );
    let first = place.system(&[])[0].clone();
    assert!(first.contains("Whole body here.") && first.contains("When writing SQL"));
    assert!(first.contains("*.sql") && first.contains("rule://"));
    assert!(first.find("Whole body here.") < first.find("When writing SQL"));
    for absent in ["SQL body", "Nobody sees this.", "Stream body", "d2"] {
        assert!(!first.contains(absent), "{absent}");
    }
}

/// `ultrathink` adds an instruction for its turn; the word stays where it was written.
// proves: LOP-091
#[test]
fn words_with_a_meaning_add_a_hidden_instruction() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    let text = |args: &[&str]| {
        omp_run(&home, &[&["-p"], args].concat()).assert_success();
        let body = server.requests().last().unwrap().body.clone();
        let messages = body["messages"].as_array().unwrap().clone();
        messages[1..].iter().map(|message| message["content"].to_string()).collect::<String>()
    };
    let plain = text(&["fix it"]);
    let thorough = text(&["ultrathink, then fix it"]);
    assert!(thorough.contains("ultrathink, then fix it") && thorough.len() > plain.len() + 100, "{thorough}");
    assert!(text(&["orchestrate the fix"]).len() > plain.len() + 100);
    assert!(text(&["fix `ultrathink` it"]).len() < plain.len() + 40, "code is not meant");
    for setting in ["magicKeywords:\n  enabled: false\n", "magicKeywords:\n  ultrathink: false\n"] {
        home.write("home/.omp/agent/config.yml", setting);
        assert!(text(&["ultrathink, then fix it"]).len() < plain.len() + 40, "{setting}");
    }
}

/// Without sub-agents there is nothing to build a workflow from.
// proves: LOP-090
#[test]
fn workflows_need_sub_agents() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "workflowz the migration"]).assert_success();
    let body = server.requests()[0].body.clone();
    assert_eq!(body["messages"].as_array().unwrap().len(), 2, "{}", body["messages"]);
}

/// Prompts that name a command are expanded; others that only look like one go to the model as they are.
// proves: CLI-158, CLI-153
#[test]
fn commands_work_without_a_terminal() {
    let place = Place::new();
    place
        .write("work/.omp/commands/fix.md", "---\ndescription: Fix\n---\nFix issue $1 in $2: $ARGUMENTS")
        .write("home/.omp/agent/commands/fix.md", "user's own")
        .write("home/.omp/agent/prompts/greet.md", "Greet {{args}}");
    let text = |prompt: &str| {
        place.run(&[prompt]);
        last_user(&place.last_body()).to_string()
    };
    assert!(text("/fix 12 'src dir'").contains("Fix issue 12 in src dir: 12 src dir"));
    assert!(text("/greet you").contains("Greet you"));
    assert!(text("/unknown thing").contains("/unknown thing"));
    assert!(text("/usr/bin is full").contains("/usr/bin is full"));
    std::fs::remove_file(place.home.path("work/.omp/commands/fix.md")).unwrap();
    assert!(text("/fix").contains("user's own"));
}

/// Each switch is for its source, and for no other one.
// proves: CLI-160
#[test]
fn commands_of_other_programs_can_be_switched_off() {
    let place = Place::new();
    let sources = [
        ("home/.claude/commands/a.md", "enableClaudeUser"),
        ("work/.claude/commands/b.md", "enableClaudeProject"),
        ("home/.config/opencode/commands/c.md", "enableOpencodeUser"),
        ("work/.opencode/commands/d.md", "enableOpencodeProject"),
    ];
    for (file, switch) in sources {
        place.write(file, &format!("of {switch}"));
    }
    let works = |name: &str, switch: &str| {
        place.run(&[&format!("/{name}")]);
        last_user(&place.last_body()).to_string().contains(&format!("of {switch}"))
    };
    let names = ["a", "b", "c", "d"];
    for off in [None, Some(0), Some(1), Some(2), Some(3)] {
        let line = off.map(|at: usize| format!("commands:\n  {}: false\n", sources[at].1));
        place.write("home/.omp/agent/config.yml", &line.unwrap_or_default());
        for (at, name) in names.iter().enumerate() {
            assert_eq!(works(name, sources[at].1), off != Some(at), "{off:?}: /{name}");
        }
    }
}

/// A command whose front matter is broken works, and whoever calls it is told.
// proves: CLI-162
#[test]
fn broken_front_matter_is_read_line_by_line() {
    let place = Place::new();
    place
        .write("work/.omp/commands/broken.md", "---\ndescription: Do: this\n---\nThe body")
        .write("home/.omp/agent/commands/mine.md", "---\ndescription: a: b\n---\nMy body")
        .write("work/.omp/commands/sound.md", "A sound body");
    for (name, body, file) in [
        ("broken", "The body", ".omp/commands/broken.md: line 2: "),
        ("mine", "My body", ".omp/agent/commands/mine.md: line 2: "),
    ] {
        let output = place.run(&[&format!("/{name}")]);
        assert!(last_user(&place.last_body()).to_string().contains(body));
        assert_eq!(output.stderr.matches("line 2: ").count(), 1, "{}", output.stderr);
        assert!(output.stderr.contains(file), "{}", output.stderr);
    }
    let listed = omp_run(&place.home, &["config", "sources"]).stdout;
    assert!(listed.contains("broken"), "{listed}");
    assert_eq!(place.run(&["/sound"]).stderr, "");
}

// proves: EXT-020
#[test]
fn a_skill_can_be_called_by_the_user() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    let file = home.write("work/.omp/skills/pdf/SKILL.md", "---\ndescription: d\nhide: true\n---\nThe body.");
    omp_run(&home, &["-p", "/skill:pdf page 3"]).assert_success();
    let sent = server.requests()[0].body["messages"][1]["content"].to_string();
    let expected = format!("The body.\n\nSkill: {}\nUser: page 3", file.display());
    let sent: String = serde_json::from_str::<Value>(&sent).unwrap().as_str().unwrap_or(&sent).to_owned();
    assert!(sent.starts_with("The body.") && sent.contains(&format!("Skill: {}", file.display())), "{sent}");
    assert!(sent.contains("User: page 3") && !sent.contains("description"), "{sent} / {expected}");
    let session = home.list_files().into_iter().find(|path| path.ends_with(".jsonl")).unwrap();
    let entry = home.read(session).lines().find(|line| line.contains("The body.")).unwrap().to_owned();
    let entry: Value = serde_json::from_str(&entry).unwrap();
    assert_eq!((entry["type"].as_str(), entry["display"].as_bool()), (Some("custom_message"), Some(true)));
    home.write("home/.omp/agent/config.yml", "skills:\n  enableSkillCommands: false\n");
    omp_run(&home, &["-p", "/skill:pdf page 3"]).assert_success();
    assert_eq!(*last_user(&server.requests()[1].body), json!("/skill:pdf page 3"));
}

/// `omp prompt` shows what would be sent, piece by piece, and the whole of it stays small.
#[test]
fn the_prompt_can_be_inspected() {
    let place = Place::new();
    place.write("work/AGENTS.md", "Use tabs.");
    let output = omp_run(&place.home, &["prompt", "--json"]);
    output.assert_success();
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let sections: Vec<&str> =
        report["sections"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(sections.contains(&"instructions") && sections.contains(&"context files"), "{sections:?}");
    let tools: Vec<&str> =
        report["tools"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(
        tools,
        [
            "read", "write", "edit", "find", "search", "ast_grep", "ast_edit", "resolve", "bash", "job",
            "todo", "lsp"
        ]
    );
    assert!(report["tokens"].as_u64().unwrap() <= 6000, "{}", report["tokens"]);
    assert_eq!(place.system(&[]), serde_json::from_value::<Vec<String>>(report["blocks"].clone()).unwrap());
    let text = omp_run(&place.home, &["prompt"]);
    text.assert_success();
    assert!(text.stdout.contains("Use tabs.") && text.stdout.contains("instructions"), "{}", text.stdout);
    assert!(
        !place.home.list_files().iter().any(|path| path.ends_with(".jsonl"))
            || place.server.requests().len() == 1
    );
}

/// A skill that cannot be read is skipped and named; the others stay.
// proves: EXT-023
#[test]
fn a_broken_skill_does_no_harm() {
    let place = Place::new();
    place
        .write("work/.omp/skills/good/SKILL.md", "---\ndescription: Works well\n---\nx")
        .write("work/.omp/skills/bad/SKILL.md", "---\ndescription: [unclosed\nname: {\n---\nx");
    let output = place.run(&["x"]);
    assert_eq!(output.stdout, "ok\n");
    assert!(output.stderr.contains("bad/SKILL.md"), "{}", output.stderr);
    assert!(contains(&place.blocks(), "Works well"));
    place.write("work/.omp/skills/late/SKILL.md", "---\ndescription: Came later\n---\nx");
    assert!(contains(&place.system(&[]), "Came later"), "the next start sees it");
}

/// `AGENTS.md` is context, in whole; it is no skill, and one in a dot-directory is neither.
// proves: EXT-014
#[test]
fn standalone_instructions_are_no_skills() {
    let place = Place::repository();
    place
        .write("work/repo/AGENTS.md", "Outer words.")
        .write("work/repo/package/.hidden/AGENTS.md", "Hidden words.")
        .write("work/AGENTS.md", "Beyond the repository.");
    let blocks = place.in_package();
    assert!(blocks[1].contains("Outer words.") && !blocks[0].contains("Outer words."));
    assert!(!contains(&blocks, "Hidden words.") && !contains(&blocks, "Beyond the repository."));
    assert!(!blocks[0].contains("skill://"));
    let hidden = place.home.path("work/repo/package/.hidden").display().to_string();
    assert!(!contains(&place.system(&["--cwd", &hidden]), "Hidden words."));
}

/// The globs of a rule are told to the model; nothing is done with them here.
// proves: EXT-122
#[test]
fn globs_select_nothing() {
    let server = Server::start([
        Reply::new().tool_call("write", json!({"_i": "w", "path": "a.sql", "content": "select 1;"})),
        Reply::new().text("done"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/.omp/rules/sql.md", "---\ndescription: d\nglobs: ['*.sql']\n---\nThe rule's body.");
    omp_run(&home, &["-p", "write a.sql"]).assert_success();
    assert!(server.requests().iter().all(|request| !request.body.to_string().contains("The rule's body.")));
    server.finish();
}

// proves: CFG-092
#[test]
fn native_skills_can_be_filtered() {
    let place = Place::new();
    for (path, name) in [("work/.omp", "project"), ("home/.omp/agent", "user"), ("elsewhere", "custom")] {
        let path = format!("{path}/skills/{name}-skill/SKILL.md");
        place.write(&path, &format!("---\ndescription: Of the {name}\n---\nx"));
    }
    let custom = place.home.path("elsewhere/skills").display().to_string();
    let found = |config: &str| {
        place.write("home/.omp/agent/config.yml", config);
        let block = place.system(&[])[0].clone();
        ["project", "user", "custom"].map(|name| block.contains(&format!("Of the {name}")))
    };
    let with_custom = format!("skills:\n  customDirectories: ['{custom}']\n");
    assert_eq!(found(&with_custom), [true, true, true]);
    assert_eq!(found("skills:\n  enablePiUser: false\n"), [true, false, false]);
    assert_eq!(found("skills:\n  enablePiProject: false\n"), [false, true, false]);
    assert_eq!(found(&format!("{with_custom}  ignoredSkills: ['*-skill']\n")), [false, false, false]);
    assert_eq!(found(&format!("{with_custom}  includeSkills: ['u*']\n")), [false, true, false]);
    assert_eq!(found("disabledExtensions: ['skill:user-skill']\n"), [true, false, false]);
}

// The first half of EXT-123; there are no built-in rules yet to take away.
#[test]
fn rules_can_be_disabled() {
    let place = Place::new();
    place
        .write("work/.omp/rules/a.md", "---\nalwaysApply: true\n---\nAlways words.")
        .write("work/.omp/rules/b.md", "---\ndescription: Listed words\n---\nx");
    assert!(contains(&place.system(&[]), "Always words.") && contains(&place.blocks(), "Listed words"));
    place.write("home/.omp/agent/config.yml", "ttsr:\n  disabledRules: [a, b]\n");
    assert!(!contains(&place.system(&[]), "Always words.") && !contains(&place.blocks(), "Listed words"));
    place.write("home/.omp/agent/config.yml", "ttsr:\n  builtinRules: false\n");
    assert!(contains(&place.system(&[]), "Always words."), "rules of the user are not built in");
}

/// `/green` knows where it is; a token in the remote's address stays here.
// proves: CLI-171
#[test]
fn green_names_branch_remote_and_tag() {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut command = place.home.command("git");
        command.current_dir(place.home.work_dir()).args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@example.org",
        ]);
        command.args(args);
        run(command, Some(b""), LIMIT).assert_success();
    };
    let sent = |prompt: &str| {
        place.run(&[prompt]);
        last_user(&place.last_body()).to_string()
    };
    let outside = sent("/green");
    assert!(outside.contains("Branch: none") && outside.contains("Newest tag: none"), "{outside}");
    git(&["init", "-q", "-b", "topic"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["tag", "v1.2.3"]);
    git(&["remote", "add", "upstream", "https://me:token@example.org/a/b.git"]);
    let inside = sent("/green only the lints");
    for part in
        ["Branch: topic", "Remote: https://example.org/a/b.git", "Newest tag: v1.2.3", "only the lints"]
    {
        assert!(inside.contains(part), "{part}: {inside}");
    }
    assert!(!inside.contains("token"), "{inside}");
    assert!(sent("/greenhouse").contains("/greenhouse"));
}
