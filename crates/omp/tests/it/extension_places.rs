//! Where extensions are looked for, and in which order they are loaded.

use omp_testkit::Home;

use crate::extensions::{done, factory, log, scripted};
use crate::support::omp_run;

pub(crate) fn started(name: &str) -> String {
    factory(&format!("pi.on(\"session_start\", () => log({name:?}));"))
}

/// What the extensions of a session log, in the order in which they were loaded.
pub(crate) fn session(home: &Home, words: &[&str]) -> Vec<String> {
    let _ = std::fs::remove_file(home.path("work/log.txt"));
    let output = omp_run(home, &[&["-p", "go"], words].concat());
    assert_eq!(output.code, Some(0), "{output:?}");
    log(home)
}

// proves: HOK-028
#[test]
fn native_ones_come_first_then_packages_then_named_ones() {
    let (home, server) = scripted([done(), done()]);
    for (path, name) in [
        ("work/.omp/extensions/z.ts", "project"),
        ("home/.omp/agent/extensions/y.ts", "user"),
        ("home/pkg/x.ts", "package"),
        ("home/flag.ts", "flag"),
        ("home/hook.ts", "hook"),
        ("home/setting.ts", "setting"),
    ] {
        home.write(path, started(name));
    }
    home.write(
        "home/pkg/package.json",
        r#"{"name": "pkg", "version": "1.0.0", "pi": {"extensions": ["x.ts"]}}"#,
    );
    assert_eq!(omp_run(&home, &["plugin", "link", "~/pkg"]).code, Some(0));
    // What is found twice keeps its first place.
    let listed =
        "extensions:\n  - ~/setting.ts\n  - ~/.omp/agent/extensions/y.ts\n  - ~/flag.ts\n  - ~/pkg/x.ts\n";
    home.write("home/.omp/agent/config.yml", listed);
    let named = [
        "--trusted-extension",
        ".omp/extensions/z.ts",
        "-e",
        "~/flag.ts",
        "--hook",
        "~/hook.ts",
        "-e",
        "~/pkg/x.ts",
    ];
    assert_eq!(session(&home, &named), ["project", "user", "package", "flag", "hook", "setting"]);
    assert_eq!(
        session(&home, &["--no-extensions", "-e", "~/hook.ts"]),
        ["hook", "setting", "user", "flag", "package"]
    );
    server.finish();
}

// proves: HOK-029
#[test]
fn only_the_directory_itself_and_the_profile_count() {
    let (home, server) = scripted([done(), done()]);
    home.write("work/.omp/extensions/above.ts", started("above"));
    home.write("work/below/.omp/extensions/here.ts", started("here"));
    home.write("home/.omp/agent/extensions/default.ts", started("default"));
    home.write("home/.omp/profiles/job/agent/extensions/job.ts", started("job"));
    let models = home.read_bytes("home/.omp/agent/models.yml");
    home.write("home/.omp/profiles/job/agent/models.yml", models);
    let trusted = ["--trusted-extension", ".omp/extensions", "--cwd", "below"];
    let session = |words: &[&str]| {
        let output = omp_run(&home, &[&["-p", "go"], &trusted[..], words].concat());
        assert_eq!(output.code, Some(0), "{output:?}");
        let lines = home.read("work/below/log.txt");
        std::fs::remove_file(home.path("work/below/log.txt")).unwrap();
        lines.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(session(&[]), ["here", "default"]);
    assert_eq!(session(&["--profile", "job"]), ["here", "job"]);
    server.finish();
}

// proves: HOK-031, HOK-032
#[test]
fn directories_are_searched_one_level_deep() {
    let (home, server) = scripted([done(), done()]);
    let (native, named) = ("home/.omp/agent/extensions", "work/many");
    for folder in [native, named] {
        for (path, name) in [
            ("a.ts", "a"),
            ("a.js", "a in JavaScript"),
            ("b/index.js", "b in JavaScript"),
            ("b/index.ts", "b"),
            ("c/main.ts", "c"),
            ("d/deep/index.ts", "deep"),
            ("d/other.ts", "other"),
            (".hidden.ts", "hidden"),
            ("ignored.ts", "ignored"),
            ("ignored-too/index.ts", "ignored, too"),
        ] {
            home.write(format!("{folder}/{path}"), started(name));
        }
        home.write(format!("{folder}/.gitignore"), "ignored*\n");
        home.write(format!("{folder}/c/package.json"), r#"{"omp": {"extensions": ["gone.ts", "main.ts"]}}"#);
        let target = home.write(format!("home/{}/linked.ts", folder.len()), started("linked"));
        std::os::unix::fs::symlink(target, home.path(format!("{folder}/e.ts"))).unwrap();
    }
    let mut found = session(&home, &[]);
    found.sort();
    assert_eq!(found, ["a", "b", "c", "linked"]);
    let mut found = session(&home, &["--no-extensions", "--trusted-extension", "many"]);
    found.sort();
    assert_eq!(found, ["a", "b", "c", "ignored", "ignored, too", "linked"]);
    server.finish();
}
