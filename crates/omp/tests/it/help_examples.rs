//! The examples of `omp --help` and `omp COMMAND --help`. Bash reads each of them; all are parsed, and those that need
//! neither a real model, the network nor a terminal are run. One that warns is no example.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use omp_cli::Parsed;
use omp_cli::table::{COMMANDS, EXAMPLES};
use omp_testkit::{Home, Reply, Server, Wire, run};

use crate::support::{LIMIT, home};

/// Command lines, with the command they are an example of; none for those of the program.
fn examples() -> impl Iterator<Item = (Option<&'static str>, &'static str)> {
    let own =
        COMMANDS.iter().flat_map(|command| command.examples.iter().map(|line| (Some(command.name), *line)));
    EXAMPLES.iter().map(|(line, _)| (None, *line)).chain(own)
}

fn is_available(command: Option<&str>) -> bool {
    !COMMANDS.iter().any(|row| Some(row.name) == command && row.waits_for.is_some())
}

/// What the examples speak of: a repository with a program, an image, a database and a key.
fn furnish(home: &Home) {
    home.write("work/src/main.rs", "fn main() {}\n".repeat(40));
    home.write("work/key.txt", "sk-example\n");
    image::RgbImage::new(2, 2).save(home.work_dir().join("ui.png")).unwrap();
    let database = rusqlite::Connection::open(home.work_dir().join("data.db")).unwrap();
    database.execute_batch("CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('Ada')").unwrap();
    home.write("work/my-plugin/package.json", r#"{"name": "my-plugin", "omp": {"skills": ["./skills"]}}"#);
    home.write("work/my-plugin/skills/one/SKILL.md", "---\ndescription: One\n---\nOne");
    let plugins = r#"[{"name": "review", "source": "./review"}]"#;
    let team = format!(r#"{{"name": "team", "owner": {{"name": "Ann"}}, "plugins": {plugins}}}"#);
    home.write("home/team/.claude-plugin/marketplace.json", team);
    home.write("home/team/review/skills/two/SKILL.md", "---\ndescription: Two\n---\nTwo");
    let market = crate::support::omp_run(home, &["plugin", "marketplace", "add", "~/team"]);
    market.assert_success();
    for directory in ["home/clone", "home/.config/fish/completions"] {
        std::fs::create_dir_all(home.path(directory)).unwrap();
    }
    let mut git = home.command("git");
    git.args(["init", "--quiet"]);
    run(git, Some(b""), LIMIT).assert_success();
}

/// What the `omp` of a command line is called with.
fn arguments(home: &Home, line: &str) -> Vec<OsString> {
    let recorded = home.path("arguments");
    let script = format!("omp() {{ printf '%s\\0' \"$@\" > '{}'; }}\n{line}\nwait", recorded.display());
    let mut bash = home.command("bash");
    bash.args(["-c", &script]);
    run(bash, Some(b""), LIMIT).assert_success();
    let bytes = std::fs::read(&recorded).unwrap_or_else(|_| panic!("{line} does not call omp"));
    let words = bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
    let mut words: Vec<OsString> = words.collect();
    // Behind the last end is nothing.
    words.pop();
    words
}

#[test]
fn examples_are_understood() {
    let home = Home::new();
    furnish(&home);
    for (_, line) in examples() {
        let invocation =
            omp_cli::parse(arguments(&home, line)).unwrap_or_else(|error| panic!("{line}: {error}"));
        if let Parsed::Launch(first) = invocation.parsed {
            let launch = omp_cli::parse_second(&first, &[]).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert!(launch.warnings.is_empty(), "{line}: {:?}", launch.warnings);
        }
    }
}

/// How an example that is not run begins, and what it would need.
const NOT_RUN: &[(&str, &str)] = &[
    ("omp --goal", "a terminal"),
    ("omp --record", "a terminal"),
    ("omp -p --model opus", "that model"),
    ("omp bench", "those models"),
    ("omp commit", "a model that writes messages"),
    ("omp keys", "a terminal"),
    ("omp launch \"", "a terminal"),
    ("omp login", "a provider"),
    ("omp logout", "a login"),
    ("omp mcp serve --http", "somebody to end it"),
    ("omp permissions remove", "a rule"),
    ("omp permissions test", "an exit code with a meaning"),
    ("omp plugin marketplace add", "the network"),
    ("omp read https", "the network"),
    ("omp replay", "a recording"),
    ("omp sandbox run", "a project of cargo"),
    ("omp session branch", "that session"),
    ("omp session show", "that session"),
    ("omp setup python", "a component that is not available yet"),
    ("omp share", "a server"),
    ("omp shell", "a terminal"),
    ("omp token", "a login"),
    ("omp usage", "an account"),
    ("source <(omp completions zsh)", "zsh"),
];

#[test]
fn examples_run_without_warnings() {
    let asks = |line: &str| line.contains("omp -p") || line.contains("launch -p") || line.contains("--mode");
    let lines: Vec<&str> = examples()
        .filter(|(command, line)| {
            is_available(*command) && !NOT_RUN.iter().any(|(begin, _)| line.starts_with(begin))
        })
        .map(|(_, line)| line)
        .collect();
    let answers = lines.iter().filter(|line| asks(line)).map(|_| Reply::new().text("ok"));
    let server = Server::start(answers.collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    furnish(&home);
    for line in lines {
        let script = format!("set -o pipefail\nomp() {{ '{}' \"$@\"; }}\n{line}", env!("CARGO_BIN_EXE_omp"));
        let mut bash = home.command("bash");
        bash.args(["-c", &script]);
        let output = run(bash, Some(b""), LIMIT);
        let complains = ["Warning:", "Error:", "error:"].iter().any(|word| output.stderr.contains(word));
        assert!(output.code == Some(0) && !complains, "{line}: {output:?}");
    }
    server.finish();
}
