//! The life of one process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use omp_shell::scope::GRACE;
use omp_shell::{Child, Exit, Program, Stdio};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::files;
use super::find::{HostProgram, HostRuntime};
use super::lines::{Lines, Said};
use crate::error::{ScriptError, ScriptErrorKind};
use crate::pulse::Pulse;
use crate::seal::CodeSeal;
use crate::unit::{BuiltinModule, Host, Shared, Unit, UnitOptions};
use crate::worker::Message;

const SCRIPT: &str = include_str!("../../js/process/host.js");
/// How long the runtime may take to start.
const STARTING: Duration = Duration::from_secs(30);
/// Memory of the objects of a script under Node, in MB. Whoever needs a process is large.
const HEAP: &str = "--max-old-space-size=1024";
/// Lines of the error stream are kept up to this length.
const COMPLAINT: usize = 2_000;

/// Names that are imported, by module: see [`crate::ScanReport::imports`].
type Imports = BTreeMap<String, BTreeSet<String>>;

type Answer = oneshot::Sender<Result<Value, ScriptError>>;

/// Starts a unit in a process of its own. The files of its seal are checked now; what a trusted script loads by itself later is
/// up to its runtime.
pub async fn load_in_process(
    options: UnitOptions,
    program: &HostProgram,
    imports: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Unit, ScriptError> {
    let seal = options.seal.clone();
    let checked = tokio::task::spawn_blocking(move || seal.map_or(Ok(()), |seal| seal.verify())).await;
    checked.unwrap_or(Ok(())).map_err(ScriptError::engine)?;
    let shared = Shared::new(options.name.clone(), options.limits.memory);
    let started = options.scope.spawn(command(&options, program));
    let mut child =
        started.map_err(|error| ScriptError::engine(format!("cannot start {program}: {error}")))?;
    let mark = mark();
    let (lines, waiting) = mpsc::unbounded_channel();
    let (sender, inbox) = mpsc::unbounded_channel();
    let (ready, started) = oneshot::channel();
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(ScriptError::engine(format!("cannot start {program}: it has no streams")));
    };
    let _ = lines.send(first_line(&options, imports, &mark));
    tokio::spawn(write(stdin, waiting));
    tokio::spawn(complaints(stderr, Arc::clone(&options.host)));
    let process = Process {
        name: program.to_string(),
        host: options.host,
        seal: options.seal,
        shared: Arc::clone(&shared),
        lines: Some(lines),
        calls: HashMap::new(),
        number: 0,
        ready: Some(ready),
        end: None,
        done: Vec::new(),
    };
    tokio::spawn(process.live(child, Lines::new(stdout, &mark), inbox));
    let unit = Unit::new(sender, shared, Pulse::new());
    match tokio::time::timeout(STARTING, started).await {
        Ok(Ok(Ok(_))) => Ok(unit),
        Ok(Ok(Err(error))) => Err(error),
        Ok(Err(_)) => Err(ScriptError::engine(format!("{program} ended before it was ready"))),
        Err(_) => Err(ScriptError::engine(format!("{program} was not ready in {} s", STARTING.as_secs()))),
    }
}

/// The runtime, in the root directory: Bun reads settings and variables of the directory in which it starts, which are those of the
/// project.
fn command(options: &UnitOptions, program: &HostProgram) -> Program {
    let words: &[&str] = match program.runtime {
        HostRuntime::Bun => &["--no-install", "--eval", SCRIPT],
        HostRuntime::Node => &["--no-warnings", "--enable-source-maps", HEAP, "--eval", SCRIPT],
    };
    Program {
        path: program.path.clone(),
        arguments: words.iter().map(Into::into).collect(),
        cwd: PathBuf::from("/"),
        environment: options.environment.clone(),
        stdin: Stdio::Piped,
        stdout: Stdio::Piped,
        stderr: Stdio::Piped,
    }
}

fn first_line(options: &UnitOptions, imports: &Imports, mark: &str) -> String {
    let described = |module: &BuiltinModule| json!({"names": module.names, "source": &*module.source});
    let modules: Vec<Value> = options.builtins.iter().chain([&options.prelude]).map(described).collect();
    let wanted: BTreeMap<&String, &BTreeSet<String>> = imports
        .iter()
        .filter(|(name, _)| options.builtins.iter().any(|module| module.answers_to(name)))
        .collect();
    let line = json!({
        "name": options.name, "cwd": options.cwd, "mark": mark, "modules": modules, "wanted": wanted,
        "prelude": options.prelude.name(),
    });
    line.to_string()
}

/// No script guesses it by chance.
fn mark() -> String {
    let mut bytes = [0; 16];
    let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes);
    bytes.iter().fold("\u{2}omp".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

async fn write(mut stdin: Sender, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        if stdin.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// What the runtime itself has to say.
async fn complaints(stderr: Receiver, host: Arc<dyn Host>) {
    let mut lines = BufReader::new(stderr).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let text = String::from_utf8_lossy(&line[..line.len().min(COMPLAINT)]).into_owned();
        if !text.trim().is_empty() {
            let _ = host.call_now("log", json!({"level": "error", "message": text}));
        }
    }
}

struct Process {
    /// The program, for messages.
    name: String,
    host: Arc<dyn Host>,
    seal: Option<Arc<CodeSeal>>,
    shared: Arc<Shared>,
    /// What is to be written; closed when the process must end.
    lines: Option<mpsc::UnboundedSender<String>>,
    calls: HashMap<u64, Answer>,
    number: u64,
    ready: Option<Answer>,
    /// Since the end was asked for: until when calls may finish, and who waits.
    end: Option<Instant>,
    done: Vec<oneshot::Sender<()>>,
}

impl Process {
    async fn live(
        mut self,
        mut child: Child,
        mut said: Lines<Receiver>,
        mut inbox: mpsc::UnboundedReceiver<Message>,
    ) {
        let reason = self.turns(&mut child, &mut said, &mut inbox).await;
        self.shared.finish(&reason);
        self.send(&json!({"type": "end"}));
        // The end of the stream frees the thread that reads it.
        self.lines = None;
        child.terminate(GRACE);
        let error = || self.shared.end_error();
        if let Some(ready) = self.ready.take() {
            let _ = ready.send(Err(error()));
        }
        self.calls.drain().for_each(|(_, call)| drop(call.send(Err(error()))));
        inbox.close();
        while let Ok(message) = inbox.try_recv() {
            match message {
                Message::Call { reply, .. } => drop(reply.send(Err(error()))),
                Message::End { done, .. } => self.done.extend(done),
                Message::Complete { .. } => {}
            }
        }
        child.gone().await;
        for done in self.done {
            let _ = done.send(());
        }
    }

    /// Runs until the unit is over; says why.
    async fn turns(
        &mut self,
        child: &mut Child,
        said: &mut Lines<Receiver>,
        inbox: &mut mpsc::UnboundedReceiver<Message>,
    ) -> String {
        loop {
            if let Some(end) = self.end
                && (self.calls.is_empty() || end <= Instant::now())
            {
                return "it was ended".to_owned();
            }
            if self.shared.ending.load(Ordering::Relaxed) && self.end.is_none() {
                return "it was no longer wanted".to_owned();
            }
            let until = self.end.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
            let over = tokio::select! {
                message = inbox.recv() => match message {
                    Some(message) => self.take(message),
                    None => Some("it was no longer wanted".to_owned()),
                },
                line = said.next() => match line {
                    Some(Said::Message(message)) => self.hear(message),
                    Some(Said::Output(text)) => {
                        let _ = self.host.call_now("log", json!({"level": "info", "message": text}));
                        None
                    }
                    Some(Said::Unreadable(reason)) => Some(format!("{}: {reason}", self.name)),
                    // A process that closed its stream and lives on is none of use.
                    None => {
                        child.terminate(GRACE);
                        Some(self.ended(child.wait().await))
                    }
                },
                () = tokio::time::sleep_until(until) => None,
            };
            if let Some(reason) = over {
                return reason;
            }
        }
    }

    fn ended(&self, exit: Exit) -> String {
        match exit {
            Exit::Exited(code) => format!("its process ({}) exited with {code}", self.name),
            Exit::Signaled(signal) => format!("its process ({}) was killed by signal {signal}", self.name),
            Exit::Lost => format!("its process ({}) was lost", self.name),
        }
    }

    fn send(&self, message: &Value) {
        if let Some(lines) = &self.lines {
            let _ = lines.send(message.to_string());
        }
    }

    fn take(&mut self, message: Message) -> Option<String> {
        match message {
            Message::Call { function, arguments, reply } => {
                self.number += 1;
                self.calls.insert(self.number, reply);
                self.send(
                    &json!({"type": "run", "id": self.number, "function": function, "arguments": arguments}),
                );
            }
            Message::End { grace, done } => {
                let end = Instant::now() + grace;
                self.end = Some(self.end.map_or(end, |before| before.min(end)));
                self.done.extend(done);
            }
            Message::Complete { .. } => {}
        }
        None
    }

    fn hear(&mut self, mut message: Value) -> Option<String> {
        let id = message["id"].as_u64().unwrap_or_default();
        match message["type"].as_str().unwrap_or_default() {
            "ready" => {
                if let Some(ready) = self.ready.take() {
                    let _ = ready.send(Ok(message["runtime"].take()));
                }
            }
            "result" => {
                let memory = message["memory"].as_u64().and_then(|memory| usize::try_from(memory).ok());
                self.shared.meter.set(memory.unwrap_or_default());
                if let Some(call) = self.calls.remove(&id) {
                    let _ = call.send(Ok(message["value"].take()));
                }
            }
            "failed" => {
                let waiting = if id == 0 { self.ready.take() } else { self.calls.remove(&id) };
                if let Some(waiting) = waiting {
                    let _ = waiting.send(Err(failure(&message)));
                }
            }
            "ask" | "own" => self.answer_now(&mut message),
            "call" => self.answer_later(id, &mut message),
            "log" => drop(self.host.call_now("log", message)),
            "exit" => return Some(format!("it called process.exit({})", message["code"])),
            other => return Some(format!("{} sent an unknown message {other:?}", self.name)),
        }
        None
    }

    /// The script waits for it.
    fn answer_now(&self, message: &mut Value) {
        let Some(lines) = self.lines.clone() else { return };
        let (host, seal) = (Arc::clone(&self.host), self.seal.clone());
        let (operation, arguments) = asked(message);
        let is_own = message["type"] == "own";
        tokio::task::spawn_blocking(move || {
            let answer = match is_own {
                true => files::answer(&operation, &arguments, seal.as_deref()),
                false => host.call_now(&operation, arguments),
            };
            let _ = lines.send(answered(json!({"type": "now"}), answer));
        });
    }

    fn answer_later(&self, id: u64, message: &mut Value) {
        let Some(lines) = self.lines.clone() else { return };
        let (operation, arguments) = asked(message);
        let answer = self.host.call(&operation, arguments);
        tokio::spawn(async move {
            let _ = lines.send(answered(json!({"type": "answer", "id": id}), answer.await));
        });
    }
}

fn asked(message: &mut Value) -> (String, Value) {
    (message["operation"].as_str().unwrap_or_default().to_owned(), message["arguments"].take())
}

fn answered(mut line: Value, answer: Result<Value, String>) -> String {
    match answer {
        Ok(value) => line["value"] = value,
        Err(error) => line["error"] = error.into(),
    }
    line.to_string()
}

fn failure(message: &Value) -> ScriptError {
    let text = message["message"].as_str().unwrap_or("it failed").to_owned();
    let mut error = ScriptError::thrown(text, message["stack"].as_str().map(str::to_owned));
    if message["unknown"] == true {
        error.kind = ScriptErrorKind::NoFunction;
    }
    error
}
