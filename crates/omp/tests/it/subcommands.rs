//! What holds for all subcommands: profiles, JSON, and those that wait for a part.

use std::fs::File;
use std::time::{Duration, SystemTime};

use omp_cli::table::{COMMANDS, Command, Flags};
use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};
use serde_json::Value;

use crate::support::{LIMIT, home, omp, omp_run};

/// A home whose profile `office` has everything that a command can show, and whose default profile has nothing of it.
fn office(server: &Server) -> Home {
    let home = home(server, Wire::OpenAiCompletions);
    let agent = "home/.omp/profiles/office/agent";
    let model = ModelOptions::new().id("of-office");
    let yaml = model.yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    home.write(format!("{agent}/models.yml"), yaml);
    home.write(
        format!("{agent}/config.yml"),
        "temperature: 0.25\nsymbolPreset: ascii\nbash:\n  enabled: false\ntools:\n  approvalRules: [rule-of-office]\n",
    );
    home.write(format!("{agent}/AGENTS.md"), "context-of-office\n");
    home.write(format!("{agent}/ssh.json"), r#"{"hosts": {"of-office": {"host": "10.0.0.9"}}}"#);
    home.write(
        format!("{agent}/skills/of-office/SKILL.md"),
        "---\nname: of-office\ndescription: of the office\n---\nskill-of-office\n",
    );
    let report =
        r#"{"id":1,"time":"2026-01-02T03:04:05Z","tool":"lsp","report":"report-of-office","version":"0"}"#;
    home.write(format!("{agent}/tool-reports.jsonl"), format!("{report}\n"));
    home.write(format!("{agent}/extensions/of-office.ts"), "export default () => undefined;\n");
    home.write("work/plugin/package.json", r#"{"name": "plugin-of-office", "version": "1.0.0", "omp": {}}"#);
    omp_run(&home, &["--profile", "office", "install", "./plugin"]).assert_success();
    omp_run(&home, &["--profile", "office", "-p", "asked-in-office"]).assert_success();
    let session = crate::sessions::session_files(&home).remove(0);
    let long_ago = SystemTime::now() - Duration::from_secs(30 * 24 * 3600);
    File::options()
        .write(true)
        .open(session)
        .and_then(|file| file.set_modified(long_ago))
        .expect("an old file");
    let key = Some(&b"key-of-office\n"[..]);
    run(omp(&home, &["--profile", "office", "login", "zai", "--with-key"]), key, LIMIT).assert_success();
    std::fs::create_dir(home.path("work/trusted-in-office")).expect("a project");
    omp_run(&home, &["--profile", "office", "trust", "add", "trusted-in-office"]).assert_success();
    home
}

/// What each command says of the profile: its arguments, and words that only the profile has.
const PROFILED: &[(&[&str], &str)] = &[
    (&["bench", "of-office", "--runs", "1"], "test/of-office"),
    (&["config", "get", "temperature"], "0.25"),
    (&["du", "--json"], "\"files\": 1"),
    (&["extensions", "list"], "of-office.ts"),
    (&["gallery", "-t", "bash", "-w", "60", "--plain"], "ok bash cargo"),
    (&["gc", "--older-than", "10", "--json"], "profiles/office"),
    (&["grievances"], "report-of-office"),
    (&["history", "list"], "asked-in-office"),
    (&["models"], "test/of-office"),
    (&["permissions"], "rule-of-office"),
    (&["plugin", "list"], "plugin-of-office"),
    (&["prompt"], "context-of-office"),
    (&["read", "skill://of-office"], "skill-of-office"),
    (&["session", "list"], "asked-in-office"),
    (&["setup", "provider", "--preset", "glm"], "profiles/office"),
    (&["ssh", "list"], "10.0.0.9"),
    (&["stats", "--json"], "test/of-office"),
    (&["token", "zai"], "key-of-office"),
    (&["trust", "list"], "trusted-in-office"),
    (&["__complete", "models", "--", "test/of-o"], "test/of-office"),
    (&["logout", "zai"], "zai"),
];

/// Commands that read nothing of a profile, or need a terminal or somebody else's server for it.
const WITHOUT: &[&[&str]] = &[
    &["grep", "x"],
    &["install", "./plugin"],
    &["mcp", "serve"],
    &["replay", "x"],
    &["keys"],
    &["permissions", "test", "ls"],
    &["sandbox", "status"],
    &["trust", "list"],
    &["shell"],
    &["setup"],
    &["share"],
    &["login", "zai"],
    &["commit"],
    &["usage"],
];

fn available() -> impl Iterator<Item = &'static Command> {
    let own = |command: &&Command| matches!(command.flags, Flags::Own(_)) && command.waits_for.is_none();
    COMMANDS.iter().filter(own)
}

/// proves: CLI-113
#[test]
fn every_subcommand_belongs_to_the_profile_before_it_and_gives_one_json_document() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = office(&server);
    for command in available().filter(|command| !["help", "completions", "update"].contains(&command.name)) {
        let tried = PROFILED.iter().map(|row| row.0).chain(WITHOUT.iter().copied());
        assert!(tried.into_iter().any(|args| args[0] == command.name), "{} is not tried", command.name);
    }
    for (args, words) in PROFILED {
        let output = omp_run(&home, &[&["--profile", "office"], *args].concat());
        assert!(output.stdout.contains(words), "{args:?}: {}{}", output.stdout, output.stderr);
        output.assert_success();
        let usual = omp_run(&home, args);
        assert!(!usual.stdout.contains(words), "{args:?} without the profile: {}", usual.stdout);
    }
    for args in PROFILED.iter().map(|row| row.0).chain(WITHOUT.iter().copied()) {
        let output = omp_run(&home, &[&["--profile", "a/b"], args].concat());
        if args[0] == "__complete" {
            // A shell that completes wants no complaints.
            assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""));
            continue;
        }
        assert_eq!(output.code, Some(1), "{args:?}");
        assert!(output.stderr.contains("Invalid OMP profile \"a/b\""), "{args:?}: {}", output.stderr);
    }
    json_documents(&home);
}

fn json_documents(home: &Home) {
    let sessions = omp_run(home, &["--profile", "office", "session", "list", "--json"]).stdout;
    let id =
        serde_json::from_str::<Value>(&sessions).expect("JSON")[0]["id"].as_str().expect("an id").to_owned();
    let calls: &[&[&str]] = &[
        &["grievances", "--json"],
        &["bench", "of-office", "--runs", "1"],
        &["config", "list"],
        &["config", "get", "temperature"],
        &["config", "set", "temperature", "0.5"],
        &["config", "reset", "temperature"],
        &["config", "path"],
        &["config", "sources"],
        &["du"],
        &["gc"],
        &["extensions", "list"],
        &["extensions", "doctor"],
        &["history"],
        &["history", "search", "office"],
        &["mcp", "list"],
        &["mcp", "add", "files", "--url", "http://localhost:1/mcp"],
        &["mcp", "remove", "files"],
        &["models"],
        &["models", "canonical"],
        &["models", "profiles"],
        &["models", "refresh"],
        &["permissions"],
        &["install", "./plugin"],
        &["plugin", "list"],
        &["plugin", "features", "plugin-of-office"],
        &["plugin", "config", "list", "plugin-of-office"],
        &["plugin", "config", "validate"],
        &["plugin", "disable", "plugin-of-office"],
        &["plugin", "enable", "plugin-of-office"],
        &["plugin", "marketplace", "list"],
        &["plugin", "discover"],
        &["plugin", "upgrade"],
        &["plugin", "doctor"],
        &["plugin", "uninstall", "plugin-of-office"],
        &["prompt"],
        &["sandbox"],
        &["session"],
        &["session", "show", &id],
        &["session", "search", "office"],
        &["session", "fsck", &id],
        &["session", "recover", &id],
        &["session", "fork", &id],
        &["session", "delete", &id],
        &["setup", "provider", "--preset", "minimax"],
        &["ssh", "add", "other", "--host", "10.0.0.8"],
        &["ssh", "list"],
        &["ssh", "remove", "other"],
        &["stats"],
        &["trust", "add"],
        &["trust", "show"],
        &["trust", "list"],
        &["trust", "revoke"],
        &["usage"],
        &["usage", "--history"],
        // From here on sessions are elsewhere.
        &["config", "init-xdg"],
    ];
    // Played and shared in tests of their own.
    let elsewhere = ["replay", "share"];
    for command in available().filter(|command| command.all_flags().iter().any(|flag| flag.long == "json")) {
        let tried = calls.iter().any(|args| args[0] == command.name) || elsewhere.contains(&command.name);
        assert!(tried, "{} --json is not tried", command.name);
    }
    for args in calls {
        let output = omp_run(home, &[&["--profile", "office"], *args, &["--json"]].concat());
        output.assert_success();
        let document = serde_json::from_str::<Value>(&output.stdout);
        assert!(document.is_ok(), "{args:?}: {}", output.stdout);
    }
}

/// What waits for a part says so in one sentence and fails; it is neither unknown nor a prompt.
#[test]
fn what_waits_for_a_part_says_so() {
    let server = Server::start(Vec::<Reply>::new());
    let home = home(&server, Wire::OpenAiCompletions);
    let arguments = |command: &Command| {
        let word = |arg: &omp_cli::table::Positional| arg.kind.words().first().copied().unwrap_or("x");
        command.args.iter().map(word).collect::<Vec<_>>()
    };
    for command in COMMANDS.iter().filter(|command| command.waits_for.is_some()) {
        for name in std::iter::once(&command.name).chain(command.aliases) {
            let args = if command.is_launch() { Vec::new() } else { arguments(command) };
            let output = omp_run(&home, &[&[*name], args.as_slice()].concat());
            assert_eq!(output.code, Some(1), "{name}: {}", output.stderr);
            assert!(output.stderr.contains("is not available yet"), "{name}: {}", output.stderr);
            assert_eq!((output.stderr.lines().count(), output.stdout.as_str()), (1, ""), "{name}");
        }
    }
    for builtin in omp_commands::BUILTINS.iter().filter(|command| !command.is_available()) {
        let line = format!("/{}", builtin.name);
        assert!(omp_commands::call(&line).is_some(), "{line}");
    }
    server.finish();
    assert!(home.list_files().iter().all(|path| !path.ends_with(".jsonl")), "no session");
}
