//! Questions about calls, as a program that embeds a session answers them.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use omp_sdk::{
    ApprovalRequest, Asker, Directories, Environment, Listener, People, Prompt, Reply as Answer, Scope,
    Session, SessionOptions,
};
use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use omp_types::AgentEvent;
use serde_json::json;

struct NoEnvironment;

impl Environment for NoEnvironment {
    fn var(&self, name: &str) -> Option<String> {
        (name == "PATH").then(|| std::env::var(name).unwrap_or_default())
    }
}

struct Deaf;

impl Listener for Deaf {
    fn event(&mut self, _event: AgentEvent) {}
}

/// Gives these answers, the last one for ever, and keeps the questions.
struct Scripted {
    answers: Mutex<Vec<Answer>>,
    asked: Mutex<Vec<ApprovalRequest>>,
}

impl Scripted {
    fn new(answers: &[Answer]) -> Arc<Self> {
        let answers = answers.iter().rev().cloned().collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn texts(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|request| request.question.text()).collect()
    }
}

impl Asker for Scripted {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(request.clone());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop() } else { answers.last().cloned() };
        Box::pin(std::future::ready(answer.unwrap_or(Answer::No)))
    }
}

fn world(config: &str) -> Home {
    let home = Home::new();
    home.write("home/.omp/agent/config.yml", config);
    home
}

/// Runs one prompt and returns what the model read about its calls.
async fn results(home: &Home, asker: &Arc<Scripted>, reply: Reply) -> Vec<String> {
    let server = Server::start([reply, Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let root = home.home_dir().display().to_string();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
    let options = SessionOptions {
        people: People { asker: Some(Arc::clone(asker) as Arc<dyn Asker>), ..People::default() },
        ..SessionOptions::new(home.work_dir(), directories, Arc::new(NoEnvironment))
    };
    let session = Session::open(options, Box::new(Deaf)).await.unwrap();
    let outcome = session.prompt(Prompt::text("go"), Default::default()).await.unwrap();
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "done", "the session goes on");
    session.close().await;
    let results = server.requests()[1].tool_results();
    server.finish();
    results
}

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

/// Without a sandbox, which would let commands run unasked that stay in it.
const WRITE: &str = "tools:\n  approvalMode: write\nsandbox:\n  mode: off\n";

/// Two calls, two questions, before anything happened; the one that is refused does not run, and the model learns it.
// proves: TSN-065, TSN-070
#[tokio::test]
async fn each_call_is_decided_for_itself() {
    let home = world(WRITE);
    let asker = Scripted::new(&[Answer::Once, Answer::No]);
    let calls =
        bash("echo one > one.txt").tool_call("bash", json!({"_i": "x", "command": "echo two > two.txt"}));
    let results = results(&home, &asker, calls).await;
    assert_eq!(
        asker.texts(),
        ["Allow tool: bash\nCommand: echo one > one.txt", "Allow tool: bash\nCommand: echo two > two.txt"]
    );
    assert!(home.exists("work/one.txt") && !home.exists("work/two.txt"));
    assert!(results[1].contains("Tool \"bash\" was not approved by the user"), "{}", results[1]);
}

/// What the question says about a call.
#[tokio::test]
async fn questions_name_the_reason_and_the_path() {
    let home = world("tools:\n  approvalMode: always-ask\n");
    let asker = Scripted::new(&[Answer::No]);
    let calls =
        bash("missing/reboot now").tool_call("write", json!({"_i": "x", "path": "a.txt", "content": "text"}));
    results(&home, &asker, calls).await;
    assert_eq!(
        asker.texts(),
        [
            "Allow tool: bash\nReason: Shuts down or restarts the machine\nCommand: missing/reboot now",
            "Allow tool: write\nPath: a.txt\nContent: text",
        ]
    );
    let asked = asker.asked.lock().unwrap();
    assert!(asked[0].always.is_none(), "nothing speaks for a command that stops the machine");
    assert!(asked[1].always.is_some(), "edits in the workspace can be allowed with a scope");
}

/// For the session, for the project (in the user's own directory, by the project's root), or everywhere.
// proves: SEC-018
#[tokio::test]
async fn answers_hold_as_far_as_their_scope() {
    for (scope, stored, asked_later) in [(Scope::Session, false, 2), (Scope::Project, true, 1)] {
        let home = world(WRITE);
        let asker = Scripted::new(&[Answer::Always(scope), Answer::No]);
        let calls = bash("git status").tool_call("bash", json!({"_i": "x", "command": "git status -s"}));
        results(&home, &asker, calls).await;
        assert_eq!(
            asker.asked.lock().unwrap().len(),
            1,
            "{scope:?}: the second call was settled by the first"
        );
        let root = home.work_dir().canonicalize().unwrap();
        assert_eq!(asker.asked.lock().unwrap()[0].project, root);
        let store =
            std::fs::read_to_string(home.path("home/.omp/agent/permissions.json")).unwrap_or_default();
        assert_eq!(
            store.contains("git status *") && store.contains(root.to_str().unwrap()),
            stored,
            "{store}"
        );
        assert_eq!(home.read("home/.omp/agent/config.yml"), WRITE, "{scope:?}");
        results(&home, &asker, bash("git status")).await;
        assert_eq!(asker.asked.lock().unwrap().len(), asked_later, "{scope:?}: another session");
    }
}

/// The question about a destructive command says what it would hit.
// proves: SEC-022
#[tokio::test]
async fn destructive_questions_have_numbers() {
    let home = world("tools:\n  approvalMode: write\n  approval:\n    bash: allow\n");
    for number in 0..120 {
        home.write(format!("work/tree/{}/{number}", number % 7), "0123456789");
    }
    let asker = Scripted::new(&[Answer::No]);
    results(&home, &asker, bash("X=tree; rm -rf \"$X\" \"$UNKNOWN\"")).await;
    let text = asker.texts().remove(0);
    for part in [
        "Reason: Recursively deletes",
        "Destroys: tree: 120 files, 1.2 KB, newest change just now, 120 changed today",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("outside the workspace") && home.exists("work/tree/0/0"), "{text}");
    results(&home, &asker, bash("rm -rf ~ $X")).await;
    assert!(asker.texts()[1].contains("outside the workspace"), "{}", asker.texts()[1]);
}

/// The question about a host names the command that wants to reach it.
#[tokio::test]
async fn the_question_about_a_host_shows_the_command() {
    let home = world("");
    let asker = Scripted::new(&[Answer::No]);
    let fetch = "python3 -c \"import urllib.request; urllib.request.urlopen('http://x.example:81/')\"";
    results(&home, &asker, bash(fetch)).await;
    let text = asker.texts().remove(0);
    assert!(text.contains("Host: x.example:81") && text.contains(&format!("Command: {fetch}")), "{text}");
}

/// `git clean` deletes what git does not track: the question counts it.
// proves: SEC-022
#[tokio::test]
async fn the_question_about_git_clean_counts_what_it_deletes() {
    let home = world("tools:\n  approvalMode: write\n  approval:\n    bash: allow\n");
    let asker = Scripted::new(&[Answer::No]);
    results(&home, &asker, bash("git init -q . && touch tracked && git add tracked")).await;
    for name in ["new.txt", "out/a.log", "out/b.log"] {
        home.write(format!("work/{name}"), "0123456789");
    }
    home.write("work/.gitignore", "*.log\n");
    results(&home, &asker, bash("git clean -fdx")).await;
    results(&home, &asker, bash("git clean -f")).await;
    let texts = asker.texts();
    let [all, plain] = &texts[texts.len() - 2..] else { panic!("{texts:?}") };
    assert!(all.contains("4 files, 36 B") && all.contains("out"), "{all}");
    assert!(plain.contains("2 files, 16 B") && !plain.contains("out"), "{plain}");
}

/// "Always" is kept where the user finds it, for commands of that kind and no others; other words in the file stay.
#[tokio::test]
async fn always_becomes_a_rule() {
    let home =
        world("# mine\nsandbox:\n  mode: off\ntools:\n  approvalMode: write\n  approvalRules:\n    - pwd\n");
    home.write("work/.omp/config.yml", "tools:\n  approvalRules: [date]\n");
    let asker = Scripted::new(&[Answer::Always(Scope::Everywhere), Answer::No]);
    let calls = bash("git status").tool_call("bash", json!({"_i": "x", "command": "git status --short"}));
    results(&home, &asker, calls).await;
    assert_eq!(
        asker.texts(),
        ["Allow tool: bash\nCommand: git status"],
        "the second call was settled by the first"
    );
    assert_eq!(asker.asked.lock().unwrap()[0].always, Some(vec!["git status *".to_owned()]));
    let config = home.read("home/.omp/agent/config.yml");
    assert!(
        config.starts_with("# mine\n") && config.contains("- pwd\n") && config.contains("git status *"),
        "{config}"
    );
    assert!(!config.contains("date"), "what the project allows is not the user's word: {config}");
    // Another session, in a place without rules of its own.
    std::fs::remove_file(home.path("work/.omp/config.yml")).unwrap();
    let results = results(&home, &asker, bash("git status -s && git push")).await;
    assert!(results[0].contains("not approved"), "{}", results[0]);
    assert_eq!(asker.asked.lock().unwrap().len(), 2);
    assert_eq!(asker.texts()[1], "Allow tool: bash\nCommand: git status -s && git push");
}
