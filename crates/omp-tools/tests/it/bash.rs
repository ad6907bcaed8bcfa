//! The bash tool, as a model uses it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::{Project, invocation, meta, text};
use omp_agent::{ToolError, Updates};
use omp_shell::{Ci, SecretNames};
use omp_tools::Login;
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn bash(project: &Project, arguments: Value) -> ToolOutput {
    project.call("bash", arguments).await.unwrap()
}

async fn bash_error(project: &Project, arguments: Value) -> ToolError {
    project.call("bash", arguments).await.unwrap_err()
}

/// The output of a command, without what the tool says about it.
async fn output(project: &Project, command: &str) -> String {
    let text = text(&bash(project, json!({ "command": command })).await);
    text.rsplit_once("\n\nWall time: ").unwrap().0.to_owned()
}

// proves: SHL-052, SHL-057
#[tokio::test]
async fn success_is_output_and_wall_time() {
    let project = Project::new();
    let result = bash(&project, json!({ "command": "echo hello; sleep 0.1" })).await;
    let (body, seconds) =
        text(&result).split_once("\n\nWall time: ").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(body, "hello");
    let seconds: f64 = seconds.strip_suffix(" seconds").unwrap().parse().unwrap();
    assert!(seconds >= 0.1);
    let details = result.details.unwrap();
    assert_eq!((&details["exitCode"], &details["timeoutSeconds"]), (&json!(0), &json!(300.0)));
    assert!(details["wallTimeMs"].as_u64().unwrap() >= 100);
    assert_eq!(details.get("meta"), None);
    assert_eq!(output(&project, "true").await, "(no output)");
}

// proves: SHL-053
#[tokio::test]
async fn failure_is_an_error_with_output_and_code() {
    let project = Project::new();
    let error = bash_error(&project, json!({ "command": "echo out; exit 3" })).await;
    assert!(
        error.message.starts_with("out\n\nCommand exited with code 3\n\nWall time: "),
        "{}",
        error.message
    );
    assert_eq!(error.details.unwrap()["exitCode"], 3);
    let error = bash_error(&project, json!({ "command": "kill -TERM $$" })).await;
    assert!(error.message.contains("Command exited with code 143 (killed by SIGTERM)"), "{}", error.message);
    let details = error.details.unwrap();
    assert_eq!((&details["exitCode"], &details["signal"]), (&json!(143), &json!("SIGTERM")));
}

// proves: SHL-055
#[tokio::test]
async fn a_lost_status_is_said_to_be_missing() {
    let project = Project::new();
    let error = bash_error(&project, json!({ "command": "echo out; kill -KILL $PPID; sleep 100" })).await;
    assert!(error.message.starts_with("out\n"), "{}", error.message);
    assert!(error.message.ends_with("missing exit status"), "{}", error.message);
    assert_eq!(error.details.unwrap().get("exitCode"), None);
}

// proves: SHL-018
#[tokio::test]
async fn the_working_directory_is_checked() {
    let project = Project::new();
    project.file("sub/f", "");
    let here = bash(&project, json!({ "command": "pwd", "cwd": "sub" })).await;
    assert!(text(&here).starts_with(&format!("{}\n", project.path().join("sub").display())));
    assert_eq!(output(&project, "pwd").await, project.path().display().to_string());
    let missing = bash_error(&project, json!({ "command": "pwd", "cwd": "none" })).await;
    let path = project.path();
    assert_eq!(missing.message, format!("Working directory does not exist: {}", path.join("none").display()));
    let file = bash_error(&project, json!({ "command": "pwd", "cwd": "sub/f" })).await;
    assert_eq!(
        file.message,
        format!("Working directory is not a directory: {}", path.join("sub/f").display())
    );
}

// proves: SHL-019
#[tokio::test]
async fn timeouts_are_clamped_with_a_notice() {
    let mut project = Project::new();
    let result = bash(&project, json!({ "command": "true", "timeout": 99_999 })).await;
    let notice = "[Timeout clamped to 3600 seconds; 99999 was requested, 1 to 3600 are allowed]";
    assert!(text(&result).contains(notice), "{}", text(&result));
    assert_eq!(result.details.unwrap()["timeoutSeconds"], 3_600.0);

    let started = Instant::now();
    let error = bash_error(&project, json!({ "command": "sleep 100", "timeout": 0.1 })).await;
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert!(error.message.contains("[Timeout clamped to 1 seconds; 0.1 was requested"), "{}", error.message);

    project.settings.max_timeout = 5;
    let result = bash(&project, json!({ "command": "true", "timeout": 60 })).await;
    assert!(text(&result).contains("[Timeout clamped to 5 seconds;"));
    let unasked = bash(&project, json!({ "command": "true" })).await;
    assert_eq!(unasked.details.as_ref().unwrap()["timeoutSeconds"], 5.0);
    assert!(!text(&unasked).contains("clamped"));
}

/// How many processes run with `argument` on their command line.
fn running(argument: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())).count()
}

// proves: SHL-020
#[tokio::test]
async fn a_timeout_kills_everything_and_keeps_the_output() {
    let project = Project::new();
    let mark = format!("1000.{}", std::process::id());
    let command = format!("echo before; sleep {mark} & ( setsid sleep {mark} & ); sleep {mark}");
    let error = bash_error(&project, json!({ "command": command, "timeout": 1 })).await;
    assert!(error.message.starts_with("before\n\nCommand timed out after 1 seconds"), "{}", error.message);
    assert_eq!(running(&mark), 0);
    let details = error.details.unwrap();
    assert_eq!((&details["cancelled"], &details["timedOut"]), (&json!(true), &json!(true)));
}

#[tokio::test]
async fn commands_run_unattended() {
    let mut project = Project::new();
    project.environment.set("PAGER", "less");
    project.environment.set("EDITOR", "vi");
    let variables = output(&project, "env").await;
    for expected in [
        "PAGER=cat",
        "GIT_PAGER=cat",
        "EDITOR=true",
        "VISUAL=true",
        "GIT_EDITOR=true",
        "GIT_TERMINAL_PROMPT=0",
        "SSH_ASKPASS=/usr/bin/false",
        "CI=1",
        "DEBIAN_FRONTEND=noninteractive",
        "PIP_NO_INPUT=1",
        "NPM_CONFIG_YES=true",
    ] {
        assert!(variables.lines().any(|line| line == expected), "{expected} in {variables}");
    }
    assert_eq!(output(&project, "cat; test -t 0 || echo no terminal").await, "no terminal");
}

// proves: SHL-022
#[tokio::test]
async fn ci_can_be_switched_off() {
    let mut project = Project::new();
    assert_eq!(output(&project, "echo \"[$CI]\"").await, "[1]");
    project.settings.bash.ci = Ci::Inherited;
    assert_eq!(output(&project, "echo \"[$CI]\"").await, "[]");
}

#[tokio::test]
async fn a_prefix_stands_before_every_command() {
    let mut project = Project::new();
    project.settings.bash.prefix = Some("echo prefixed;".to_owned());
    assert_eq!(output(&project, "echo \"a b\"").await, "prefixed\na b");
}

/// A home whose start file sets variables and notes each time it runs.
fn with_start_file(project: &mut Project, text: &str) {
    let home = project.home();
    std::fs::write(home.join(".profile"), format!("echo noise; echo x >> \"$HOME/runs\"\n{text}")).unwrap();
    project.environment.set("HOME", &home);
    project.settings.bash.login = Login::Without(SecretNames::default());
}

#[tokio::test]
async fn the_login_shell_is_asked_once() {
    let mut project = Project::new();
    with_start_file(
        &mut project,
        "export FROM_PROFILE='two\nlines' KEPT=changed OPENAI_API_KEY=sk-x PAGER=less PATH=/from/profile\n",
    );
    project.environment.set("KEPT", "inherited");
    let bash = project.tool("bash");
    let show =
        "printf '%s|' \"$FROM_PROFILE\" \"$KEPT\" \"${OPENAI_API_KEY-unset}\" \"$PAGER\" \"${PATH##*:}\"";
    for _ in 0..2 {
        let call = invocation(&json!({ "command": show }), CancellationToken::new(), Updates::ignored());
        let shown = text(&bash.run(call).await.unwrap());
        assert!(shown.starts_with("two\nlines|inherited|unset|cat|/from/profile|\n"), "{shown}");
    }
    assert_eq!(std::fs::read_to_string(project.home().join("runs")).unwrap(), "x\n");
}

#[tokio::test]
async fn a_broken_start_file_does_no_harm() {
    let mut project = Project::new();
    with_start_file(&mut project, "exit 3\n");
    assert_eq!(output(&project, "echo fine").await, "fine");
}

/// A shell that notes its arguments.
#[tokio::test]
async fn without_a_login_shell_no_start_file_runs() {
    let mut project = Project::new();
    let log = project.path().join("log");
    let script = format!("#!/bin/sh\necho \"$1\" >> {}\nexec /bin/sh \"$@\"\n", log.display());
    let shell = project.file("shell", script);
    std::fs::set_permissions(&shell, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    project.settings.bash.shell = Some(shell);
    assert_eq!(output(&project, "echo fine").await, "fine");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "-c\n");
    project.settings.bash.login = Login::Without(SecretNames::default());
    assert_eq!(output(&project, "echo fine").await, "fine");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "-c\n-l\n-c\n");
}

// proves: SHL-004, SHL-005, SHL-023
#[tokio::test]
async fn the_call_sets_variables_above_the_defaults() {
    let project = Project::new();
    let env = json!({ "PAGER": "less", "X": "1" });
    let result = bash(&project, json!({ "command": "echo $X $PAGER", "env": env })).await;
    assert!(text(&result).starts_with("1 less\n"));
    let error = bash_error(&project, json!({ "command": "true", "env": { "A-B": "1" } })).await;
    assert_eq!(error.message, "Invalid bash env name: A-B");
    for name in ["", "1A", "A B", "Ä"] {
        let error = bash_error(&project, json!({ "command": "true", "env": { name: "1" } })).await;
        assert_eq!(error.message, format!("Invalid bash env name: {name}"));
    }
}

#[tokio::test]
async fn secrets_stay_with_the_program() {
    let mut project = Project::new();
    project.environment.set("ANTHROPIC_API_KEY", "secret");
    project.environment.set("PROJECT_API_KEY", "wanted");
    project.environment = project.environment.clone().without(&SecretNames::default());
    assert_eq!(output(&project, "env | grep API_KEY").await, "PROJECT_API_KEY=wanted");
}

// proves: SHL-039
#[tokio::test]
async fn streams_are_merged_in_order_and_sanitised() {
    let project = Project::new();
    let command =
        r"printf '\033[31mone\033[0m\n'; printf '\033]0;t\007two\n' >&2; printf '10%%\r99%%\r100%%\n'";
    assert_eq!(output(&project, command).await, "one\ntwo\n100%");
}

// proves: SHL-040, SHL-042, SHL-044, SES-094
#[tokio::test]
async fn large_output_is_shown_as_head_and_tail() {
    let mut project = Project::new();
    let result = bash(&project, json!({ "command": "seq 200000" })).await;
    let shown = text(&result);
    assert!(shown.len() < 42 * 1024 && shown.starts_with("1\n2\n"));
    let truncation = meta(&result)["truncation"].clone();
    let total: usize = (1..=200_000).map(|number: u32| number.to_string().len() + 1).sum();
    assert_eq!((&truncation["totalLines"], &truncation["totalBytes"]), (&json!(200_000), &json!(total)));
    assert_eq!((&truncation["direction"], &truncation["truncatedBy"]), (&json!("middle"), &json!("bytes")));
    assert_eq!(truncation["shownRange"], json!({ "start": 199_501, "end": 200_000 }));
    let head = truncation["headLines"].as_u64().unwrap();
    assert_eq!(truncation["outputLines"], head + 500);
    assert!(truncation["outputBytes"].as_u64().unwrap() <= 40 * 1024);
    assert_eq!(truncation.get("artifactId"), None);
    assert!(shown.contains(&format!("\n{head}\n[… {} lines (", 200_000 - head - 500)), "{shown}");
    assert!(shown.contains("omitted …]\n199501\n"));
    let notice = format!("\n200000\n\n[Showing the first {head} and the last 500 of 200000 lines (");
    assert!(shown.contains(&notice), "{}", &shown[shown.len() - 300..]);

    project.settings.output.head_bytes = 0;
    let result = bash(&project, json!({ "command": "seq 200000" })).await;
    assert_eq!(meta(&result)["truncation"]["direction"], "tail");
    assert!(text(&result).starts_with("[… 199500 lines ("));
}

// proves: SHL-043
#[tokio::test]
async fn truncation_never_splits_a_character() {
    let mut project = Project::new();
    project.settings.output.max_columns = 0;
    let result =
        bash(&project, json!({ "command": "for i in $(seq 1000); do printf '漢%.0s' {1..400}; done" })).await;
    assert_eq!(meta(&result)["truncation"]["totalBytes"], 1_200_000);
    let shown = text(&result);
    assert!(shown.chars().filter(|character| *character == '漢').count() > 10_000);
    assert!(!shown.contains('\u{fffd}'));
}

#[tokio::test]
async fn long_lines_are_cut_with_a_notice() {
    let project = Project::new();
    let result = bash(&project, json!({ "command": "head -c 10240 /dev/zero | tr '\\0' x" })).await;
    let expected = format!("{}… [+9472 bytes]\n\n[Lines over 768 bytes are truncated.]\n\n", "x".repeat(768));
    assert!(text(&result).starts_with(&expected));
    assert_eq!(meta(&result)["limits"], json!({ "columnTruncated": { "maxColumn": 768 } }));
}

// proves: SHL-050
#[tokio::test]
async fn many_short_lines_are_shown_whole() {
    let project = Project::new();
    let shown = output(&project, "seq 3000").await;
    assert_eq!(shown.lines().count(), 3_000);
}

// proves: SHL-051
#[tokio::test]
async fn progress_is_reported_now_and_then() {
    let project = Project::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let updates = Updates::new({
        let seen = seen.clone();
        move |partial| seen.lock().unwrap().push(text(&partial))
    });
    let arguments = json!({ "command": "for i in $(seq 100); do echo $i; sleep 0.01; done" });
    let result =
        project.tool("bash").run(invocation(&arguments, CancellationToken::new(), updates)).await.unwrap();
    let seen = seen.lock().unwrap();
    // A hundred lines in about a second, at most one report in a tenth of it.
    assert!(seen.len() >= 3 && seen.len() <= 40, "{} reports", seen.len());
    assert!(seen.windows(2).all(|pair| pair[1].starts_with(&pair[0])));
    assert!(text(&result).contains("\n100\n"));
}

#[tokio::test]
async fn cancelling_kills_everything_and_returns_soon() {
    let project = Project::new();
    let mark = format!("2000.{}", std::process::id());
    let cancel = CancellationToken::new();
    let command = format!("( setsid sleep {mark} & ); echo started; sleep {mark}");
    let call =
        invocation(&json!({ "command": command }), cancel.clone(), Updates::new(move |_| cancel.cancel()));
    let started = Instant::now();
    let error = project.tool("bash").run(call).await.unwrap_err();
    assert!(error.message.starts_with("started\n\nCommand aborted"), "{}", error.message);
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(running(&mark), 0);
    assert_eq!(error.details.unwrap()["cancelled"], true);
}

#[tokio::test]
async fn calls_overlap_and_are_fresh_shells() {
    let project = Project::new();
    let started = Instant::now();
    let (one, two) =
        tokio::join!(output(&project, "A=1; sleep 1; echo $A"), output(&project, "sleep 1; echo [$A]"));
    assert_eq!((one.as_str(), two.as_str()), ("1", "[]"));
    assert!(started.elapsed() < Duration::from_millis(1_900), "{:?}", started.elapsed());
}

#[tokio::test]
async fn the_shell_can_be_chosen() {
    let mut project = Project::new();
    assert_eq!(output(&project, "echo ${BASH_VERSION:+bash}").await, "bash");
    project.settings.bash.shell = Some("/bin/sh".into());
    assert_eq!(output(&project, "echo $0").await, "/bin/sh");
    project.settings.bash.shell = Some("/no/shell".into());
    let error = bash_error(&project, json!({ "command": "true" })).await;
    assert!(error.message.starts_with("cannot start /no/shell:"), "{}", error.message);
}

#[tokio::test]
async fn background_processes_end_with_the_session() {
    let project = Project::new();
    let mark = format!("3000.{}", std::process::id());
    let started = Instant::now();
    assert_eq!(output(&project, &format!("sleep {mark} & echo left")).await, "left");
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(running(&mark), 1);
    project.scope.end().await;
    assert_eq!(running(&mark), 0);
}
