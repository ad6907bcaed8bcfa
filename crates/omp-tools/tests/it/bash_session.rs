//! The shell that lives through the calls of a session.

use std::sync::Arc;

use crate::support::{Project, invocation, text};
use omp_agent::{Tool, ToolError, Updates};
use omp_shell::SecretNames;
use omp_tools::{Login, Settings};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Result = std::result::Result<ToolOutput, ToolError>;

async fn call(bash: &Arc<dyn Tool>, arguments: Value) -> Result {
    bash.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
}

/// The output of a command that succeeds, without what the tool says about it.
async fn output(bash: &Arc<dyn Tool>, command: &str) -> String {
    let text = text(&call(bash, json!({ "command": command })).await.unwrap());
    text.rsplit_once("\n\nWall time: ").unwrap().0.to_owned()
}

async fn error(bash: &Arc<dyn Tool>, command: &str) -> String {
    call(bash, json!({ "command": command })).await.unwrap_err().message
}

/// proves: SHL-024
#[tokio::test]
async fn what_a_call_changes_the_next_one_sees() {
    let project = Project::new();
    project.file("sub/f", "");
    let bash = project.tool("bash");
    output(&bash, "export A=1; b=2; f() { echo \"f $1\"; }; cd sub").await;
    let sub = project.path().join("sub").display().to_string();
    assert_eq!(output(&bash, "echo $A $b; f x; pwd; sh -c 'echo $A'").await, format!("1 2\nf x\n{sub}\n1"));
}

#[tokio::test]
async fn the_parameters_of_a_call_hold_for_the_call() {
    let project = Project::new();
    project.file("sub/f", "");
    let bash = project.tool("bash");
    let once =
        call(&bash, json!({ "command": "echo $X; pwd", "cwd": "sub", "env": { "X": "1" } })).await.unwrap();
    let (here, sub) =
        (project.path().display().to_string(), project.path().join("sub").display().to_string());
    assert!(text(&once).starts_with(&format!("1\n{sub}\n")), "{}", text(&once));
    assert_eq!(output(&bash, "echo \"[$X]\"; pwd").await, format!("[]\n{here}"));
}

/// proves: SHL-026
#[tokio::test]
async fn overlapping_calls_have_shells_of_their_own() {
    let project = Project::new();
    let bash = project.tool("bash");
    output(&bash, "x=1").await;
    let (aborted, other) = (CancellationToken::new(), project.path().join("other"));
    let first = bash.run(invocation(
        &json!({ "command": "echo first; x=2; sleep 1000" }),
        aborted.clone(),
        Updates::new({
            let other = other.clone();
            // The first runs; the second has begun when it has left its mark.
            move |_| std::fs::write(&other, "").unwrap()
        }),
    ));
    let second = async {
        while !other.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let wait = "echo begun > begun; while [ ! -e end ]; do sleep 0.01; done; echo \"[$x]\"";
        let run = call(&bash, json!({ "command": wait }));
        let abort = async {
            while !project.path().join("begun").exists() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
            aborted.cancel();
        };
        let end = async {
            aborted.cancelled().await;
            std::fs::write(project.path().join("end"), "").unwrap();
        };
        tokio::join!(run, abort, end).0
    };
    let (first, second) = tokio::join!(first, second);
    let message = first.unwrap_err().message;
    assert!(message.starts_with("first\n") && message.contains("Command aborted"), "{message}");
    assert!(text(&second.unwrap()).starts_with("[]\n"), "the second knows nothing of the first");
    assert_eq!(output(&bash, "echo \"[$x]\"").await, "[]", "and the aborted shell is gone");
}

/// Each session has shells of its own, whether they are configured alike or not. Within one the key is tested beside
/// the shells: `a_shell_is_shared_only_if_everything_is_the_same`.
/// proves: SHL-025
#[tokio::test]
async fn sessions_never_share_a_shell() {
    let mut project = Project::new();
    let changes: [fn(&mut Settings); 4] = [
        |_| {},
        |settings| settings.bash.minimizer.enabled = false,
        |settings| settings.bash.shell = Some("/usr/bin/bash".into()),
        |settings| settings.bash.prefix = Some("command".into()),
    ];
    let first = project.tool("bash");
    output(&first, "x=1").await;
    for change in changes {
        change(&mut project.settings);
        let another = project.tool("bash");
        assert_eq!(output(&another, "echo \"[$x]\"; x=2").await, "[]");
        assert_eq!(output(&first, "echo \"[$x]\"").await, "[1]");
    }
}

/// proves: SHL-030
#[tokio::test]
async fn a_shell_that_ended_is_replaced() {
    let project = Project::new();
    let bash = project.tool("bash");
    let notice = format!(
        "[The shell exited with this command; the next command runs in a new shell in {}",
        project.path().display()
    );
    for command in ["kill -9 $$", "exit 3", "set -e; false", "exec false", "sleep 1000"] {
        output(&bash, "cd /; left=over").await;
        let ended = match command {
            "sleep 1000" => {
                call(&bash, json!({ "command": command, "timeout": 1 })).await.unwrap_err().message
            }
            command => error(&bash, command).await,
        };
        assert!(ended.contains(&notice), "{command}: {ended}");
        let here = project.path().display().to_string();
        assert_eq!(output(&bash, "echo \"[$left]\"; pwd").await, format!("[]\n{here}"), "after {command}");
    }
    let first = error(&project.tool("bash"), "exit 3").await;
    assert!(!first.contains("[The shell exited"), "there was nothing to lose: {first}");
}

#[tokio::test]
async fn a_directory_that_is_gone_is_said() {
    let project = Project::new();
    project.file("sub/f", "");
    let bash = project.tool("bash");
    output(&bash, "cd sub; rm -r ../sub").await;
    let (here, sub) =
        (project.path().display().to_string(), project.path().join("sub").display().to_string());
    let notice = format!("[The shell's directory {sub} no longer exists; it is now in {here}]");
    assert_eq!(output(&bash, "pwd").await, format!("{here}\n\n{notice}"));
    assert_eq!(output(&bash, "pwd").await, here);
}

/// proves: SHL-028
#[tokio::test]
async fn shell_and_prefix_come_from_the_settings() {
    let mut project = Project::new();
    project.settings.bash.shell = Some("/bin/sh".into());
    project.environment.set("CONFIGURED", "yes");
    let bash = project.tool("bash");
    assert_eq!(output(&bash, "echo $0 $CONFIGURED ${BASH_VERSION-plain}; x=1").await, "/bin/sh yes plain");
    assert_eq!(output(&bash, "echo $x").await, "1", "it lives on");
    project.settings.bash.shell = Some("/bin/bash".into());
    project.settings.bash.prefix = Some("time".to_owned());
    let timed = output(&project.tool("bash"), "echo \"a  b\"").await;
    assert!(timed.starts_with("a  b\n") && timed.contains("\nreal\t"), "{timed}");
}

fn with_rc(project: &mut Project, rc: &str) {
    let home = project.home();
    std::fs::write(home.join(".bashrc"), rc).unwrap();
    project.environment.set("HOME", &home);
    project.settings.bash.login = Login::Without(SecretNames::default());
}

/// proves: SHL-029
#[tokio::test]
async fn the_users_definitions_are_there() {
    let mut project = Project::new();
    let rc = "case $- in *i*) ;; *) return ;; esac\n\
              echo noise; echo x >> \"$HOME/runs\"\n\
              alias hi='echo \"hello there\"'\n\
              greet() { echo \"greetings, $1\"; }\n\
              shopt -s globstar; set -o noclobber; set -o vi; set -e\n";
    with_rc(&mut project, rc);
    let bash = project.tool("bash");
    for _ in 0..2 {
        assert_eq!(
            output(&bash, "hi; greet you; shopt -q globstar && echo star").await,
            "hello there\ngreetings, you\nstar"
        );
        assert_eq!(
            output(&bash, "case $- in *C*) echo noclobber;; esac; false; echo alive").await,
            "noclobber\nalive"
        );
        error(&bash, "exit 1").await;
    }
    assert_eq!(std::fs::read_to_string(project.home().join("runs")).unwrap(), "x\n", "asked once");
    for broken in ["exit 3\n", "if\n", "exec true\n"] {
        with_rc(&mut project, broken);
        assert_eq!(output(&project.tool("bash"), "echo fine").await, "fine", "{broken}");
    }
    with_rc(&mut project, rc);
    project.settings.bash.login = Login::Off;
    assert!(error(&project.tool("bash"), "hi").await.contains("hi: command not found"));
}

/// proves: SHL-009
#[tokio::test]
async fn the_background_is_off() {
    let project = Project::new();
    let failed =
        project.call("bash", json!({ "command": "echo ran > ran", "async": true })).await.unwrap_err();
    assert!(failed.message.contains("Background commands are disabled"), "{}", failed.message);
    assert!(!project.path().join("ran").exists());
}
