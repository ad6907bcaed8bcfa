//! Commands in the background, with real processes.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Project, invocation, text};
use omp_agent::{Tool, ToolError, Updates};
use omp_jobs::{Jobs, Limits, Snapshot, Status};
use omp_tools::{Context, JobSettings, builtin};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const MAIN: &str = "Main";

struct Desk {
    project: Project,
    jobs: Arc<Jobs>,
    tools: Vec<Arc<dyn Tool>>,
}

/// What a test may change.
struct Setup {
    jobs: JobSettings,
    limit: usize,
}

impl Desk {
    /// The model may start jobs.
    fn new() -> Self {
        Self::with(&Setup { jobs: JobSettings { offered: true, ..JobSettings::default() }, limit: 15 })
    }

    /// Commands go to the background by themselves.
    fn automatic(threshold_ms: u64) -> Self {
        let auto_background = Some(Duration::from_millis(threshold_ms));
        Self::with(&Setup { jobs: JobSettings { auto_background, ..JobSettings::default() }, limit: 15 })
    }

    fn with(setup: &Setup) -> Self {
        let project = Project::new();
        let (scope, environment) = (project.scope.clone(), project.environment.clone());
        let mut context = Context::new(project.path(), Some(project.home()), scope, environment);
        let jobs = Arc::new(Jobs::new(Limits { running: setup.limit, ..Limits::default() }));
        context.settings.jobs = setup.jobs;
        context.jobs = Some(Arc::clone(&jobs));
        let tools = builtin(&Arc::new(context));
        Self { project, jobs, tools }
    }

    fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        self.tools.iter().find(|tool| tool.definition().name == name).unwrap()
    }

    async fn bash(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let call = invocation(&arguments, CancellationToken::new(), Updates::ignored());
        self.tool("bash").run(call).await
    }

    /// Starts a job and returns its id.
    async fn start(&self, command: &str) -> String {
        id(&self.bash(json!({"command": command, "async": true})).await.unwrap())
    }

    /// The output of a command in the foreground.
    async fn output(&self, command: &str) -> String {
        let text = text(&self.bash(json!({ "command": command })).await.unwrap());
        text.rsplit_once("\n\nWall time: ").expect("it ended").0.to_owned()
    }

    async fn ended(&self, id: &str) -> Snapshot {
        self.jobs.first_settled(MAIN, &[id.to_owned()]).await;
        self.jobs.snapshots(MAIN).into_iter().find(|job| job.id == id).unwrap()
    }

    fn flag(&self, name: &str) {
        self.project.file(name, "");
    }

    async fn wait_for(&self, name: &str) {
        while !self.project.path().join(name).exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn id(output: &ToolOutput) -> String {
    output.details.as_ref().unwrap()["async"]["jobId"].as_str().expect("a job").to_owned()
}

/// A loop that ends when the test makes a file.
fn until(name: &str) -> String {
    format!("while [ ! -e {name} ]; do sleep 0.01; done")
}

/// proves: SHL-063
#[tokio::test]
async fn a_command_can_be_started_in_the_background() {
    let desk = Desk::new();
    let command = format!("echo begun; {}; echo over", until("end"));
    let output = desk.bash(json!({"command": command, "async": true, "timeout": 99_999})).await.unwrap();
    let id = id(&output);
    let text = text(&output);
    assert!(text.starts_with(&format!("Background job {id} started: echo begun; while")), "{text}");
    assert!(text.contains("`job`") && text.contains("[Timeout clamped to 3600 seconds"), "{text}");
    assert_eq!(
        output.details.unwrap(),
        json!({
            "async": {"state": "running", "jobId": id, "type": "bash"},
            "timeoutSeconds": 3600.0,
            "requestedTimeoutSeconds": 99_999.0,
        })
    );
    // It runs, as the file that nobody has made yet proves; its output is seen on the way.
    loop {
        let now = desk.jobs.snapshots(MAIN);
        assert_eq!(now[0].status, Status::Running);
        if now[0].progress == "begun\n" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    desk.flag("end");
    let ended = desk.ended(&id).await;
    let result = ended.result.unwrap();
    assert!(result.starts_with("begun\nover\n\n") && result.contains("Wall time"), "{result}");
}

/// proves: SHL-027
#[tokio::test]
async fn a_job_has_a_shell_of_its_own() {
    let desk = Desk::new();
    std::fs::create_dir(desk.project.path().join("sub")).unwrap();
    desk.output("x=of-session; cd sub").await;
    let command = format!("echo \"[$x]\"; pwd; x=of-job; cd /; {}; echo \"[$x]\"", until("../end"));
    let job =
        desk.start(&command.replace("../end", &desk.project.path().join("end").display().to_string())).await;
    let sub = desk.project.path().join("sub").display().to_string();
    assert_eq!(
        desk.output("echo $x; pwd; x=changed").await,
        format!("of-session\n{sub}"),
        "while the job runs"
    );
    desk.flag("end");
    let result = desk.ended(&job).await.result.unwrap();
    assert!(result.starts_with(&format!("[]\n{sub}\n[of-job]\n")), "{result}");
    assert_eq!(desk.output("echo $x; pwd").await, format!("changed\n{sub}"));
}

/// proves: SHL-066
#[tokio::test]
async fn a_command_that_fails_is_a_failed_job() {
    let desk = Desk::new();
    let job = desk.start("echo bad; exit 2").await;
    let ended = desk.ended(&job).await;
    assert_eq!((ended.status, ended.result), (Status::Failed, None));
    let error = ended.error.unwrap();
    assert!(error.starts_with("bad\n") && error.contains("Command exited with code 2"), "{error}");
    let late = desk.bash(json!({"command": "echo x; sleep 100", "async": true, "timeout": 1})).await.unwrap();
    let ended = desk.ended(&id(&late)).await;
    assert_eq!(ended.status, Status::Failed);
    assert!(ended.error.unwrap().contains("Command timed out after 1 seconds"));
}

/// proves: SHL-067
#[tokio::test]
async fn a_job_is_named_after_its_command() {
    let desk = Desk::new();
    let long = format!("true {}", "ä".repeat(300));
    let output = desk.bash(json!({"command": long, "async": true})).await.unwrap();
    let label = format!("true {}…", "ä".repeat(114));
    assert_eq!(label.chars().count(), 120);
    assert!(text(&output).contains(&format!(" started: {label}\n")), "{}", text(&output));
    assert_eq!(desk.ended(&id(&output)).await.label, label);
    let short = desk.start("echo one\necho two").await;
    assert_eq!(desk.ended(&short).await.label, "echo one echo two");
}

/// proves: SHL-083
#[tokio::test]
async fn the_number_of_jobs_has_a_limit() {
    let desk = Desk::with(&Setup { jobs: JobSettings { offered: true, ..JobSettings::default() }, limit: 1 });
    let first = desk.start(&until("end")).await;
    let refused = desk.bash(json!({"command": "touch ran", "async": true})).await.unwrap_err();
    assert!(refused.message.starts_with("Background job limit reached (1). "), "{refused}");
    desk.flag("end");
    desk.ended(&first).await;
    let second = desk.start("echo now").await;
    assert!(desk.ended(&second).await.result.unwrap().starts_with("now\n"));
    assert!(!desk.project.path().join("ran").exists());
    // The most that the manager allows without being told; the setting is tested with the program.
    assert_eq!(Limits::default().running, 15);
}

/// Cancelling a job ends its processes, also those that detached themselves.
#[tokio::test]
async fn a_cancelled_job_is_gone() {
    let desk = Desk::new();
    let job = desk.start("echo x; (setsid sh -c 'echo $$ > pid; exec sleep 300' &); sleep 300").await;
    desk.wait_for("pid").await;
    let pid = loop {
        let pid = String::from_utf8(desk.project.content("pid")).unwrap();
        if pid.ends_with('\n') {
            break pid.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    desk.jobs.cancel(MAIN, &job);
    while std::path::Path::new("/proc").join(&pid).exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Its last words are kept.
    loop {
        let [job] = desk.jobs.snapshots(MAIN).try_into().unwrap();
        assert_eq!(job.status, Status::Cancelled);
        if let Some(error) = job.error {
            assert!(error.starts_with("x\n") && error.contains("Command aborted"), "{error}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// proves: SHL-064
#[tokio::test]
async fn a_command_that_takes_long_goes_to_the_background() {
    let desk = Desk::automatic(300);
    assert_eq!(desk.output("echo hi").await, "hi", "a fast one does not");
    assert!(desk.jobs.snapshots(MAIN).is_empty());
    let command = format!("seq 3; {}; seq 4 6; exit 0", until("end"));
    let output = desk.bash(json!({ "command": command })).await.unwrap();
    let (job, said) = (id(&output), text(&output));
    assert!(said.starts_with("1\n2\n3\n\n[The command keeps the shell; "), "{said}");
    assert!(said.contains(&format!("\n\nBackground job {job} started: seq 3; while")), "{said}");
    assert_eq!(output.details.unwrap()["async"], json!({"state": "running", "jobId": job, "type": "bash"}));
    desk.flag("end");
    let result = desk.ended(&job).await.result.unwrap();
    assert!(result.starts_with("1\n2\n3\n4\n5\n6\n\n"), "not a byte is lost: {result}");
    // The timeout goes before the threshold: a second before it the command leaves the call.
    let desk = Desk::automatic(3_600_000);
    let output = desk.bash(json!({"command": "echo x; sleep 100", "timeout": 1.2})).await.unwrap();
    let ended = desk.ended(&id(&output)).await;
    assert!(ended.duration > Duration::from_millis(500), "not at the last moment: {:?}", ended.duration);
    assert!(ended.error.unwrap().contains("Command timed out after 1.2 seconds"), "and there it times out");
    // Switched off, it stays.
    let desk = Desk::new();
    let text = desk.output("sleep 0.5; echo stayed").await;
    assert_eq!((text.as_str(), desk.jobs.snapshots(MAIN).len()), ("stayed", 0));
}

/// The command keeps its shell; the session goes on in a fresh one, where the old one was.
#[tokio::test]
async fn the_session_goes_on_without_the_shell_of_a_job() {
    let desk = Desk::automatic(200);
    std::fs::create_dir(desk.project.path().join("sub")).unwrap();
    let sub = desk.project.path().join("sub").display().to_string();
    let end = desk.project.path().join("end").display().to_string();
    desk.output("x=1; cd sub").await;
    let output = desk.bash(json!({"command": format!("{}; echo $x", until(&end))})).await.unwrap();
    let job = id(&output);
    assert!(
        text(&output).contains(&format!("the next command runs in a copy of it in {sub}, with the")),
        "{}",
        text(&output)
    );
    assert_eq!(desk.output("echo \"[$x]\"; pwd; x=2").await, format!("[1]\n{sub}"));
    assert_eq!(desk.output("echo \"[$x]\"").await, "[2]", "it lives on");
    desk.flag("end");
    assert!(desk.ended(&job).await.result.unwrap().starts_with("1\n"), "the job has its shell");
    assert_eq!(desk.output("echo \"[$x]\"").await, "[2]", "and its end changes nothing");
    // A command that enters a directory takes the next ones there.
    let root = desk.project.path().display().to_string();
    let output = desk.bash(json!({"command": format!("cd {root} && sleep 100")})).await.unwrap();
    assert_eq!(desk.output("pwd").await, root);
    desk.jobs.cancel(MAIN, &id(&output));
}

/// Who aborts the turn does not mean what has gone to the background.
#[tokio::test]
async fn an_abort_after_the_call_does_not_reach_the_job() {
    let desk = Desk::automatic(100);
    let cancel = CancellationToken::new();
    let call = invocation(
        &json!({"command": format!("{}; echo over", until("end"))}),
        cancel.clone(),
        Updates::ignored(),
    );
    let job = id(&desk.tool("bash").run(call).await.unwrap());
    cancel.cancel();
    desk.flag("end");
    assert!(desk.ended(&job).await.result.unwrap().starts_with("over\n"));
    // Before that it is an ordinary abort.
    let desk = Desk::automatic(3_600_000);
    let cancel = CancellationToken::new();
    let call =
        invocation(&json!({"command": "echo x > begun; sleep 100"}), cancel.clone(), Updates::ignored());
    let abort = async {
        desk.wait_for("begun").await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(desk.tool("bash").run(call), abort);
    assert!(result.unwrap_err().message.contains("Command aborted"));
    assert!(desk.jobs.snapshots(MAIN).is_empty());
}

/// Without room for another job a long command stays in its call.
#[tokio::test]
async fn a_full_list_keeps_commands_in_the_foreground() {
    let auto_background = Some(Duration::from_millis(50));
    let jobs = JobSettings { auto_background, ..JobSettings::default() };
    let desk = Desk::with(&Setup { jobs, limit: 1 });
    let first = id(&desk.bash(json!({ "command": until("end") })).await.unwrap());
    assert_eq!(desk.output("sleep 0.3; echo stayed").await, "stayed");
    desk.flag("end");
    desk.ended(&first).await;
}
