//! Commands on a terminal that a person sees.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{Project, invocation, text};
use omp_agent::{Scheduling, Tool, ToolError, Updates};
use omp_shell::pty::{Size, Terminal};
use omp_tools::{Context, PtyView, builtin};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Somebody who looks, and types what the test says as soon as something is on the screen.
#[derive(Default)]
struct Person {
    keys: &'static [u8],
    /// What is to be seen before that.
    after: &'static str,
    commands: Mutex<Vec<String>>,
    open: Arc<AtomicUsize>,
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl PtyView for Person {
    fn size(&self) -> Size {
        Size { columns: 70, rows: 20 }
    }

    fn show(&self, command: &str, terminal: Terminal) -> Box<dyn Send> {
        self.commands.lock().unwrap().push(command.to_owned());
        self.open.fetch_add(1, Ordering::SeqCst);
        if !self.keys.is_empty() {
            let (keys, after) = (self.keys, self.after);
            tokio::spawn(async move {
                let mut changes = terminal.changes();
                while !terminal.screen().text().contains(after) {
                    let _ = changes.changed().await;
                }
                match keys {
                    b"\x1b" => terminal.kill(),
                    keys => terminal.write(keys),
                }
            });
        }
        Box::new(Open(Arc::clone(&self.open)))
    }
}

fn tools(project: &Project, person: Option<Arc<Person>>) -> Arc<dyn Tool> {
    let (scope, environment) = (project.scope.clone(), project.environment.clone());
    let mut context = Context::new(project.path(), Some(project.home()), scope, environment);
    context.settings = project.settings.clone();
    context.commands.terminal = person.map(|person| person as Arc<dyn PtyView>);
    let tools = builtin(&Arc::new(context));
    tools.into_iter().find(|tool| tool.definition().name == "bash").unwrap()
}

async fn run(bash: &Arc<dyn Tool>, arguments: Value) -> Result<ToolOutput, ToolError> {
    bash.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
}

fn seen_by(person: Person) -> (Project, Arc<Person>, Arc<dyn Tool>) {
    let (project, person) = (Project::new(), Arc::new(person));
    let bash = tools(&project, Some(Arc::clone(&person)));
    (project, person, bash)
}

#[tokio::test]
async fn a_person_sees_the_command_and_types() {
    let (project, person, bash) = seen_by(Person { keys: b"yes\r", after: "sure?", ..Person::default() });
    let command = "stty size; pwd; read -p 'sure? ' answer; echo \"[$answer]\"; exit 4";
    let failed = run(&bash, json!({"command": command, "pty": true, "env": {"X": "1"}})).await.unwrap_err();
    let here = project.path().display().to_string();
    assert!(
        failed.message.starts_with(&format!("20 70\n{here}\nsure? yes\n[yes]\n\nCommand exited with code 4")),
        "{failed}"
    );
    assert_eq!(failed.details.unwrap()["exitCode"], 4);
    assert_eq!(*person.commands.lock().unwrap(), [command]);
    assert_eq!(person.open.load(Ordering::SeqCst), 0, "the view is closed at the end");
}

/// proves: SHL-035
#[tokio::test]
async fn output_of_a_terminal_goes_the_way_of_all_output() {
    let (_project, _, bash) = seen_by(Person::default());
    let output =
        run(&bash, json!({"command": r"printf 'a\r\nb\rc\033[1mbold\033[0m\n'", "pty": true})).await.unwrap();
    assert!(text(&output).starts_with("a\nb\ncbold\n\nWall time"), "{:?}", text(&output));
    let long = run(&bash, json!({"command": "seq 100000", "pty": true})).await.unwrap();
    assert!(text(&long).contains("of 100000 lines") && text(&long).len() < 50_000);
    assert_eq!(long.details.unwrap()["meta"]["truncation"]["totalLines"], 100_000);
}

/// proves: SHL-036
#[tokio::test]
async fn a_terminal_that_cannot_be_used_is_said() {
    let (mut project, person) = (Project::new(), Arc::new(Person::default()));
    project.settings.bash.shell = Some("/none/such/bash".into());
    let bash = tools(&project, Some(Arc::clone(&person)));
    let failed = run(&bash, json!({"command": "true", "pty": true})).await.unwrap_err();
    assert!(failed.message.starts_with("PTY error: cannot start /none/such/bash: "), "{failed}");
    assert!(failed.message.ends_with("missing exit status"), "{failed}");
    assert!(failed.details.unwrap().get("exitCode").is_none());
}

/// proves: SHL-037
#[tokio::test]
async fn a_timeout_is_said() {
    let (_project, person, bash) = seen_by(Person::default());
    let failed =
        run(&bash, json!({"command": "echo begun; sleep 100", "pty": true, "timeout": 1})).await.unwrap_err();
    assert!(failed.message.starts_with("begun\n\nCommand timed out after 1 seconds"), "{failed}");
    assert_eq!(failed.details.unwrap()["timedOut"], true);
    assert_eq!(person.open.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_person_can_end_the_command() {
    let (_project, _, bash) = seen_by(Person { keys: b"\x1b", after: "begun", ..Person::default() });
    let failed = run(&bash, json!({"command": "echo begun; sleep 100", "pty": true})).await.unwrap_err();
    assert!(failed.message.contains("Command aborted"), "{failed}");
}

/// A terminal is used only where it is wanted and somebody sees it.
#[tokio::test]
async fn without_a_person_there_is_no_terminal() {
    let probe = "test -t 1 && echo terminal || echo pipe";
    for (somebody, wanted, expected) in [
        (true, Some(true), "terminal"),
        (true, Some(false), "pipe"),
        (true, None, "pipe"),
        (false, Some(true), "pipe"),
    ] {
        let project = Project::new();
        let bash = tools(&project, somebody.then(Arc::default));
        let mut arguments = json!({ "command": probe });
        if let Some(wanted) = wanted {
            arguments["pty"] = wanted.into();
        }
        let output = text(&run(&bash, arguments.clone()).await.unwrap());
        assert!(output.starts_with(expected), "{somebody} {wanted:?}: {output}");
        let scheduling = bash.scheduling(arguments.as_object().unwrap());
        let alone = if expected == "terminal" { Scheduling::Exclusive } else { Scheduling::Shared };
        assert_eq!(scheduling, alone, "{somebody} {wanted:?}");
    }
}

/// Nobody is asked anything, with a terminal or without.
/// proves: SHL-021
#[tokio::test]
async fn commands_are_unattended_on_a_terminal_too() {
    let (project, _, bash) = seen_by(Person::default());
    for pty in [false, true] {
        let command = "env | sort; git init -q r && git -C r -c user.name=a -c user.email=b commit -q --allow-empty -m first && git -C r log";
        let output = text(&run(&bash, json!({"command": command, "pty": pty, "timeout": 30})).await.unwrap());
        for expected in [
            "PAGER=cat",
            "GIT_PAGER=cat",
            "MANPAGER=cat",
            "EDITOR=true",
            "VISUAL=true",
            "GIT_EDITOR=true",
            "GIT_TERMINAL_PROMPT=0",
            "SSH_ASKPASS=/usr/bin/false",
            "DEBIAN_FRONTEND=noninteractive",
            "PIP_NO_INPUT=1",
            "NPM_CONFIG_YES=true",
        ] {
            assert!(output.lines().any(|line| line == expected), "{expected}, pty {pty}: {output}");
        }
        assert!(output.lines().any(|line| line.starts_with("CI=")), "{output}");
        assert!(output.contains("    first"), "the log does not wait for a key: {output}");
        std::fs::remove_dir_all(project.path().join("r")).unwrap();
    }
}

/// A directory that is gone is no place to run, and that is said.
#[tokio::test]
async fn a_directory_that_is_gone_is_left() {
    let (project, _, bash) = seen_by(Person::default());
    run(&bash, json!({"command": "mkdir gone; cd gone"})).await.unwrap();
    std::fs::remove_dir(project.path().join("gone")).unwrap();
    let output = text(&run(&bash, json!({"command": "pwd", "pty": true})).await.unwrap());
    let here = project.path().display().to_string();
    assert!(
        output.starts_with(&format!("{here}\n\n[The shell's directory {here}/gone no longer exists")),
        "{output}"
    );
}
