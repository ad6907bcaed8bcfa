//! Whose files are used: profiles and the variables that move directories.

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};

use crate::durable::picture;
use crate::support::{LIMIT, home, omp, omp_run};

fn sessions_below(home: &Home, directory: &str) -> usize {
    let files = home.list_files();
    files.iter().filter(|path| path.starts_with(directory) && path.ends_with(".jsonl")).count()
}

/// A home with a model in the default profile and another one in the profile `office`.
fn two_profiles(server: &Server) -> Home {
    let home = home(server, Wire::OpenAiCompletions);
    let other = ModelOptions::new().id("of-office");
    let yaml = other.yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    home.write("home/.omp/profiles/office/agent/models.yml", yaml);
    home
}

/// Each way to choose a profile moves models and sessions, and neither profile sees the other's.
// proves: CFG-010
#[test]
fn a_profile_has_its_own_files() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    for (args, variable) in [
        (&["--profile", "office"][..], None),
        (&["--profile=office"], None),
        (&[], Some("OMP_PROFILE")),
        (&[], Some("PI_PROFILE")),
    ] {
        let home = two_profiles(&server);
        let in_office = |more: &[&str]| {
            let mut command = omp(&home, &[args, more].concat());
            if let Some(variable) = variable {
                command.env(variable, "office");
            }
            run(command, Some(b""), LIMIT)
        };
        let before = home.list_files();
        home.write("work/big.png", picture());
        in_office(&["-p", "@big.png", "x"]).assert_success();
        in_office(&["config", "set", "autoResume", "true"]).assert_success();
        let mut login = omp(&home, &[args, &["login", "groq", "--with-key"]].concat());
        login.envs(variable.map(|variable| (variable, "office")));
        run(login, Some(b"gsk-of-office\n"), LIMIT).assert_success();
        let new: Vec<String> = home.list_files().into_iter().filter(|path| !before.contains(path)).collect();
        let below = "home/.omp/profiles/office/agent/";
        for part in ["sessions/", "blobs/", "agent.db", "config.yml"] {
            assert!(new.iter().any(|path| path.starts_with(&format!("{below}{part}"))), "{part}: {new:?}");
        }
        let elsewhere: Vec<_> = new.iter().filter(|path| path.starts_with("home/.omp/agent/")).collect();
        assert!(elsewhere.is_empty(), "{elsewhere:?}");
        assert_eq!(sessions_below(&home, "home/.omp/profiles/office/agent/sessions/"), 1);
        assert_eq!(sessions_below(&home, "home/.omp/agent/"), 0);
        assert_eq!(server.requests().last().unwrap().body["model"], "of-office");
        let models = in_office(&["models"]).stdout;
        assert!(models.contains("test/of-office") && !models.contains("test/scripted"), "{models}");
        assert_eq!(in_office(&["session", "list"]).stdout.lines().count(), 1);
        assert_eq!(omp_run(&home, &["session", "list"]).stdout, "No sessions yet\n");
        assert!(omp_run(&home, &["models"]).stdout.contains("test/scripted"));
    }
}

/// The flag wins over the variables, `OMP_PROFILE` over `PI_PROFILE`, and an empty one means the default profile.
// proves: CFG-011
#[test]
fn the_nearest_choice_wins() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("unused")).repeat(true));
    let home = two_profiles(&server);
    let model = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = omp(&home, &[args, &["models"]].concat());
        command.envs(variables.iter().copied());
        let listed = run(command, Some(b""), LIMIT).stdout;
        if listed.contains("test/of-office") { "office" } else { "default" }
    };
    assert_eq!(model(&[], &[("OMP_PROFILE", ""), ("PI_PROFILE", "office")]), "default");
    assert_eq!(model(&[], &[("OMP_PROFILE", "office"), ("PI_PROFILE", "x")]), "office");
    assert_eq!(model(&["--profile", "default"], &[("OMP_PROFILE", "office")]), "default");
    assert_eq!(model(&["--profile="], &[("OMP_PROFILE", "office")]), "default");
    let elsewhere = home.path("elsewhere").display().to_string();
    assert_eq!(model(&["--profile", "office"], &[("PI_CODING_AGENT_DIR", &elsewhere)]), "office");
}

// proves: CLI-087
#[test]
fn a_name_that_is_no_directory_name_is_refused() {
    let home = Home::new();
    for name in ["a/b", "..", "a.", "nul", "a b", "\u{1b}[31m"] {
        for rest in [&["-p", "x"][..], &["models"], &["session", "list"]] {
            let output = omp_run(&home, &[&["--profile", name], rest].concat());
            assert_eq!(output.code, Some(1), "{name:?}");
            assert!(output.stderr.starts_with("Error: Invalid OMP profile \""), "{}", output.stderr);
            assert!(!output.stderr.contains('\u{1b}'));
            let mut command = omp(&home, rest);
            command.env("OMP_PROFILE", name);
            let output = run(command, Some(b""), LIMIT);
            assert_eq!(output.code, Some(1), "{name:?}");
            assert!(output.stderr.starts_with("Error: Invalid OMP profile \""), "{}", output.stderr);
        }
    }
    assert_eq!(home.list_files(), Vec::<String>::new());
    // Help is what somebody with a wrong variable needs.
    let mut help = omp(&home, &["--help"]);
    help.env("OMP_PROFILE", "a/b");
    run(help, Some(b""), LIMIT).assert_success();
}

// proves: CFG-008, CLI-090
#[test]
fn variables_move_the_directories() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    for (variable, value, agent) in [
        ("PI_CODING_AGENT_DIR", "~/moved", "home/moved"),
        ("PI_CONFIG_DIR", ".renamed", "home/.renamed/agent"),
        // Relative to where omp was started, even when it works elsewhere.
        ("PI_CODING_AGENT_DIR", "here", "work/here"),
    ] {
        let home = Home::new();
        let yaml =
            ModelOptions::new().yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
        home.write(format!("{agent}/models.yml"), yaml);
        let elsewhere = home.path("tmp").display().to_string();
        let mut command = omp(&home, &["--cwd", &elsewhere, "-p", "x"]);
        command.env(variable, value);
        let output = run(command, Some(b""), LIMIT);
        assert_eq!(output.assert_success().stdout, "ok\n", "{variable}");
        assert_eq!(sessions_below(&home, &format!("{agent}/sessions/")), 1, "{variable}");
        assert!(!home.exists("home/.omp"), "{variable}");
    }
}

/// Prepared XDG directories take sessions from the next run on; the user's own files stay.
// proves: CLI-091
#[test]
fn xdg_directories_are_used_once_they_are_there() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "x"]).assert_success();
    assert_eq!(sessions_below(&home, "home/.omp/agent/sessions/"), 1);
    let made = omp_run(&home, &["config", "init-xdg"]);
    made.assert_success();
    for base in ["home/.local/share/omp", "home/.local/state/omp", "home/.cache/omp"] {
        assert!(home.path(base).is_dir() && made.stdout.contains(base), "{}", made.stdout);
    }
    assert!(made.stdout.contains("mv ") && made.stdout.contains("/agent/sessions'"), "{}", made.stdout);
    omp_run(&home, &["-p", "y"]).assert_success();
    assert_eq!(sessions_below(&home, "home/.local/share/omp/sessions/"), 1);
    assert_eq!(sessions_below(&home, "home/.omp/agent/sessions/"), 1);
    // A variable alone does nothing, and without variables there is nothing to do.
    let mut command = omp(&home, &["config", "init-xdg"]);
    for name in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    let refused = run(command, Some(b""), LIMIT);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("XDG_DATA_HOME"), "{}", refused.stderr);
}

/// What the model is told in a profile: the user's own files are the profile's, everybody else's are the same.
// proves: CFG-012, CFG-121
#[test]
fn a_profile_tells_the_model_its_own_files_only() {
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let home = two_profiles(&server);
    let skill = |place: &str, name: &str| {
        let text = format!("---\nname: {name}\ndescription: {name} is a skill.\n---\nbody\n");
        home.write(format!("{place}/skills/{name}/SKILL.md"), text);
    };
    let default = "home/.omp/agent";
    let profile = "home/.omp/profiles/office/agent";
    let moved = "home/moved";
    for (agent, name) in [(default, "of-default"), (profile, "of-profile"), (moved, "of-moved")] {
        home.write(format!("{agent}/AGENTS.md"), format!("context {name}\n"));
        home.write(format!("{agent}/RULES.md"), format!("rule {name}\n"));
        skill(agent, &format!("skill-{name}"));
    }
    skill("home/.claude", "skill-of-claude");
    skill("work/.omp", "skill-of-project");
    home.write("home/moved/models.yml", home.read("home/.omp/agent/models.yml"));
    let told = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = omp(&home, &[args, &["-p", "x"]].concat());
        command.envs(variable);
        run(command, Some(b""), LIMIT).assert_success();
        server.requests().last().unwrap().body.to_string()
    };
    for (args, variable, own) in [
        (&[][..], None, "of-default"),
        (&["--profile", "office"], None, "of-profile"),
        (&[], Some(("PI_CODING_AGENT_DIR", "~/moved")), "of-moved"),
    ] {
        let told = told(args, variable);
        for name in ["of-default", "of-profile", "of-moved"] {
            for kind in ["context ", "rule ", "skill-"] {
                assert_eq!(
                    told.contains(&format!("{kind}{name}")),
                    name == own,
                    "{kind}{name} in {own}: {told}"
                );
            }
        }
        assert!(told.contains("skill-of-claude") && told.contains("skill-of-project"), "{own}: {told}");
    }
}
