//! `omp mcp serve` as clients of the protocol see it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use omp_testkit::{Home, Reply, Running, Server, Wire, start, survivors, wait_gone};
use serde_json::{Value, json};

use crate::support::{LIMIT, home, omp, wait_for_stderr};

const OLDER: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const STATELESS: &str = "2026-07-28";

/// A client on the other end of the pipes.
struct Client {
    running: Running,
    next: u64,
}

impl Client {
    fn start(home: &Home, args: &[&str]) -> Self {
        let args: Vec<&str> = ["mcp", "serve"].iter().chain(args).copied().collect();
        Self { running: start(omp(home, &args)), next: 0 }
    }

    /// Shakes hands in an older revision.
    fn shake_hands(home: &Home, args: &[&str], revision: &str, capabilities: &Value) -> Self {
        let mut client = Self::start(home, args);
        let params = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "omp");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn plain(home: &Home, args: &[&str]) -> Self {
        Self::shake_hands(home, args, "2025-11-25", &json!({}))
    }

    fn send(&mut self, message: &Value) {
        self.running.write(format!("{message}\n").as_bytes());
    }

    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let mut message = json!({"jsonrpc": "2.0", "id": self.next, "method": method});
        message["params"] = params;
        self.send(&message);
        self.next
    }

    /// Everything that was received. Whatever is not a message of the protocol fails the test.
    fn messages(&self) -> Vec<Value> {
        let text = self.running.stdout_so_far();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let message = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(value["jsonrpc"], "2.0", "{line}");
            value
        };
        whole.lines().map(message).collect()
    }

    fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(found) = self.messages().into_iter().find(&is_it) {
                return found;
            }
            let seen = (self.running.stdout_so_far(), self.running.stderr_so_far());
            assert!(Instant::now() < deadline, "no {what}: {seen:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn answer(&self, id: u64) -> Value {
        self.wait_for("answer", |message| message["id"] == id && message.get("method").is_none())
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        self.ask("tools/call", params)["result"].take()
    }

    fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["result"]["tools"].as_array().cloned().unwrap_or_default()
    }

    fn end(mut self) {
        self.running.close_stdin();
        let output = self.running.wait(LIMIT);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
}

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

fn empty_home() -> Home {
    Home::new()
}

/// What every request of the stateless revision carries.
fn stateless(capabilities: &Value, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

#[test]
fn older_revisions_shake_hands() {
    let home = empty_home();
    home.write("work/notes.txt", "remember the milk\n");
    for revision in OLDER {
        let mut client = Client::shake_hands(&home, &[], revision, &json!({}));
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}), "{revision}");
        assert!(client.tools().iter().any(|tool| tool["name"] == "read"), "{revision}");
        let read = client.call("read", json!({"path": "notes.txt"}));
        assert!(text(&read).contains("remember the milk"), "{revision}: {read}");
        client.end();
    }
}

#[test]
fn the_stateless_revision_needs_no_handshake() {
    let home = empty_home();
    home.write("work/notes.txt", "remember the milk\n");
    let mut client = Client::start(&home, &[]);
    let found = client.ask("server/discover", stateless(&json!({}), json!({})));
    let versions = found["result"]["supportedVersions"].as_array().cloned().unwrap_or_default();
    assert!(OLDER.iter().chain([&STATELESS]).all(|known| versions.contains(&json!(known))), "{found}");
    let listed = client.ask("tools/list", stateless(&json!({}), json!({})));
    assert!(listed["result"]["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{listed}");
    assert_eq!(listed["result"]["resultType"], "complete", "{listed}");
    let params = stateless(&json!({}), json!({"name": "read", "arguments": {"path": "notes.txt"}}));
    let read = client.ask("tools/call", params);
    assert!(text(&read["result"]).contains("remember the milk"), "{read}");
    let bare = client.ask("tools/list", json!({}));
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    client.end();
}

#[test]
fn tools_say_what_they_may_change() {
    let home = empty_home();
    let mut client = Client::plain(&home, &[]);
    let tools = client.tools();
    let hints = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        (tool["annotations"]["readOnlyHint"] == true, tool["annotations"]["destructiveHint"] == true)
    };
    for name in ["read", "find", "search", "ast_grep"] {
        assert_eq!(hints(name), (true, false), "{name}");
    }
    for name in ["write", "edit", "bash", "run"] {
        assert_eq!(hints(name), (false, true), "{name}");
    }
    // What belongs to a conversation is not offered without one.
    for name in ["todo", "ask", "checkpoint", "rewind", "goal", "inspect_image", "search_tool_bm25"] {
        assert!(!tools.iter().any(|tool| tool["name"] == name), "{name}");
    }
    client.end();
    let mut client = Client::plain(&home, &["--tools", "read,run"]);
    let names: Vec<Value> = client.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, [json!("read"), json!("run")]);
    let unknown = client.ask("tools/call", json!({"name": "bash", "arguments": {"command": "id"}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.end();
}

const MAKE: &str = "touch made.txt";

/// A client that cannot ask its user gets a refusal, and nothing runs.
#[test]
fn without_elicitation_a_call_that_needs_approval_is_refused() {
    let home = empty_home();
    let mut client = Client::plain(&home, &["--approval-mode", "always-ask"]);
    let refused = client.call("bash", json!({"command": MAKE}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("nobody can be asked"), "{refused}");
    let written = client.call("write", json!({"path": "written.txt", "content": "x"}));
    assert!(text(&written).contains("nobody can be asked"), "{written}");
    let wrong = client.call("bash", json!({"command": 5, "nonsense": true}));
    assert!(text(&wrong).contains("Invalid arguments for bash"), "{wrong}");
    assert!(!home.exists("work/made.txt") && !home.exists("work/written.txt"));
    client.end();
    let mut client = Client::plain(&home, &["--yolo"]);
    assert_eq!(client.call("bash", json!({"command": MAKE}))["isError"], false);
    assert!(home.exists("work/made.txt"));
    client.end();
}

/// Credentials are never read, whoever asks and whatever is approved.
#[test]
fn borders_hold_for_clients() {
    let home = empty_home();
    home.write("home/.ssh/id_ed25519", "PRIVATE");
    let mut client = Client::plain(&home, &["--yolo"]);
    let path = home.path("home/.ssh/id_ed25519");
    let read = client.call("read", json!({"path": path}));
    assert_eq!(read["isError"], true, "{read}");
    assert!(!read.to_string().contains("PRIVATE"), "{read}");
    client.end();
}

/// Where the revision lets servers ask, the client's user decides.
#[test]
fn approval_by_elicitation() {
    let home = empty_home();
    let capabilities = json!({"elicitation": {}});
    for (content, runs) in [
        (json!({"action": "accept", "content": {"decision": "allow once"}}), true),
        (json!({"action": "accept", "content": {"decision": "deny", "reason": "use make"}}), false),
        (json!({"action": "decline"}), false),
        (json!({"action": "cancel"}), false),
        (json!({"nonsense": 1}), false),
    ] {
        let mut client =
            Client::shake_hands(&home, &["--approval-mode", "always-ask"], "2025-11-25", &capabilities);
        let id = client.request("tools/call", json!({"name": "bash", "arguments": {"command": MAKE}}));
        let question = client.wait_for("question", |message| message["method"] == "elicitation/create");
        assert!(question["params"]["message"].as_str().is_some_and(|text| text.contains(MAKE)), "{question}");
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": content}));
        let answer = client.answer(id);
        assert_eq!(answer["result"]["isError"], !runs, "{answer}");
        assert_eq!(home.exists("work/made.txt"), runs, "{content}");
        if content["content"]["reason"].is_string() {
            assert!(text(&answer["result"]).contains("use make"), "{answer}");
        }
        client.end();
        let _ = std::fs::remove_file(home.path("work/made.txt"));
    }
}

/// Where it does not, the call waits for the client to come back with the answer.
#[test]
fn approval_by_another_round() {
    let home = empty_home();
    let capabilities = json!({"elicitation": {}});
    let mut client = Client::start(&home, &["--approval-mode", "always-ask"]);
    let call = json!({"name": "bash", "arguments": {"command": MAKE}});
    let asked = client.ask("tools/call", stateless(&capabilities, call));
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(!home.exists("work/made.txt"));
    let (key, request) =
        asked["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
    assert_eq!(request["method"], "elicitation/create");
    let again = |state: &Value, answer: Value, command: &str| {
        let mut params = json!({"name": "bash", "arguments": {"command": command}});
        params["inputResponses"] = json!({key: answer});
        params["requestState"] = state.clone();
        stateless(&capabilities, params)
    };
    let yes = json!({"action": "accept", "content": {"decision": "allow once"}});
    // Neither a state that was not given out nor one of another call.
    for (state, command) in
        [(json!("0123456789abcdef"), MAKE), (asked["requestState"].clone(), "touch other.txt")]
    {
        let refused = client.ask("tools/call", again(&state, yes.clone(), command));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    // An answer that is none is asked for again.
    let unclear = client.ask("tools/call", again(&asked["requestState"], json!({"action": "maybe"}), MAKE));
    assert_eq!(unclear["result"]["resultType"], "input_required", "{unclear}");
    assert!(!home.exists("work/made.txt") && !home.exists("work/other.txt"));
    let done = client.ask("tools/call", again(&unclear["result"]["requestState"], yes, MAKE));
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert!(home.exists("work/made.txt"));
    client.end();
}

/// A whole turn: progress, answer, session, and the conversation continues.
#[test]
fn run_is_a_turn_of_the_agent() {
    let server = Server::start([
        Reply::new().tool_call("read", json!({"_i": "Looking at the notes", "path": "notes.txt"})),
        Reply::new().text("The notes are about milk."),
        Reply::new().text("As I said: milk."),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/notes.txt", "remember the milk\n");
    let mut client = Client::plain(&home, &[]);
    let params = json!({
        "name": "run",
        "arguments": {"prompt": "What are the notes about?"},
        "_meta": {"progressToken": "turn"},
    });
    let answer = client.ask("tools/call", params)["result"].take();
    assert_eq!(text(&answer), "The notes are about milk.", "{answer}");
    assert_eq!(answer["isError"], false);
    let structured = &answer["structuredContent"];
    assert!(structured["usage"]["output"].as_u64().is_some_and(|count| count > 0), "{structured}");
    assert_eq!(structured["refusedCalls"], json!([]));
    let notes: Vec<Value> = client
        .messages()
        .into_iter()
        .filter(|message| message["method"] == "notifications/progress")
        .collect();
    assert!(notes.iter().all(|note| note["params"]["progressToken"] == "turn"));
    let steps: Vec<f64> = notes.iter().filter_map(|note| note["params"]["progress"].as_f64()).collect();
    assert!(steps.windows(2).all(|pair| pair[0] < pair[1]) && steps.len() > 1, "{steps:?}");
    let said = |note: &Value| note["params"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(notes.iter().any(|note| said(note) == "read: Looking at the notes"), "{notes:?}");

    let id = structured["sessionId"].as_str().expect("an id").to_owned();
    let again = client.call("run", json!({"prompt": "Again?", "session": id}));
    assert_eq!(text(&again), "As I said: milk.");
    assert_eq!(again["structuredContent"]["sessionId"], json!(id));
    assert!(server.requests()[2].body.to_string().contains("What are the notes about?"));

    let listed = client.ask("resources/list", json!({}));
    let resource = &listed["result"]["resources"][0];
    assert_eq!(resource["uri"], json!(format!("omp://session/{id}")), "{listed}");
    let read = client.ask("resources/read", json!({"uri": resource["uri"]}));
    let transcript = read["result"]["contents"][0]["text"].as_str().unwrap_or_default();
    assert!(transcript.contains("The notes are about milk.") && transcript.contains("Again?"), "{read}");
    client.end();
    server.finish();
}

/// The agent's own calls are asked about, too: in both kinds of revisions the turn waits, and goes on with the answer.
#[test]
fn a_turn_waits_for_approval() {
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "make", "command": MAKE})),
        Reply::new().text("made"),
        Reply::new().tool_call("bash", json!({"_i": "make", "command": "touch again.txt"})),
        Reply::new().text("made again"),
        Reply::new().tool_call("bash", json!({"_i": "make", "command": "touch never.txt"})),
        Reply::new().text("not made"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    let (asks, args) = (json!({"elicitation": {}}), ["--approval-mode", "always-ask"]);
    let yes = json!({"action": "accept", "content": {"decision": "allow once"}});
    let call = json!({"name": "run", "arguments": {"prompt": "make it"}});

    let mut client = Client::shake_hands(&home, &args, "2025-06-18", &asks);
    let id = client.request("tools/call", call.clone());
    let question = client.wait_for("question", |message| message["method"] == "elicitation/create");
    assert!(!home.exists("work/made.txt"));
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes}));
    assert_eq!(text(&client.answer(id)["result"]), "made");
    assert!(home.exists("work/made.txt"));
    client.end();

    let mut client = Client::start(&home, &args);
    let asked = client.ask("tools/call", stateless(&asks, call.clone()))["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let key = asked["inputRequests"].as_object().and_then(|all| all.keys().next()).expect("a question");
    let mut again = call.clone();
    again["inputResponses"] = json!({key: yes});
    again["requestState"] = asked["requestState"].clone();
    let done = client.ask("tools/call", stateless(&asks, again))["result"].take();
    assert_eq!(text(&done), "made again", "{done}");
    assert!(home.exists("work/again.txt"));
    // Nobody to ask: the turn ends without the call, and says which.
    let refused = client.ask("tools/call", stateless(&json!({}), call))["result"].take();
    assert_eq!(text(&refused), "not made");
    assert!(
        refused["structuredContent"]["refusedCalls"].to_string().contains("touch never.txt"),
        "{refused}"
    );
    assert!(!home.exists("work/never.txt"));
    client.end();
    server.finish();
}

/// Values that omp knows to be secret are in no result and in no transcript.
#[test]
fn secrets_are_masked() {
    const SECRET: &str = "sk-ant-0123456789abcdef0123456789abcdef";
    let server = Server::start([
        Reply::new().tool_call("read", json!({"_i": "look", "path": "notes.txt"})),
        Reply::new().text(&format!("The key is {SECRET}.")),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/notes.txt", format!("key: {SECRET}\n"));
    let mut command = omp(&home, &["mcp", "serve", "--yolo"]);
    command.env("ANTHROPIC_API_KEY", SECRET);
    let mut client = Client { running: start(command), next: 0 };
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    client.ask("initialize", hello);
    assert!(text(&client.call("read", json!({"path": "notes.txt"}))).contains("key: "));
    client.call("bash", json!({"command": "cat notes.txt; env"}));
    let params = json!({"name": "run", "arguments": {"prompt": "which key?"}, "_meta": {"progressToken": 1}});
    let turn = client.ask("tools/call", params)["result"].take();
    let id = turn["structuredContent"]["sessionId"].as_str().expect("an id").to_owned();
    let read = client.ask("resources/read", json!({"uri": format!("omp://session/{id}")}));
    assert!(read.to_string().contains("The key is"), "{read}");
    let everything = client.running.stdout_so_far() + &client.running.stderr_so_far();
    assert!(!everything.contains(SECRET), "{everything}");
    client.end();
}

/// Sessions are read by their ids alone; an id that looks like a path is none.
#[test]
fn only_listed_sessions_are_read() {
    let home = empty_home();
    home.write("work/secret.jsonl", "{\"type\":\"session\",\"id\":\"x\",\"cwd\":\"/\"}\n");
    let mut client = Client::plain(&home, &[]);
    for uri in
        ["omp://session/secret.jsonl", "omp://session/../secret", "omp://session/", "file:///etc/passwd", ""]
    {
        let answer = client.ask("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
    }
    let cursor = client.ask("resources/list", json!({"cursor": "nonsense"}));
    assert_eq!(cursor["error"]["code"], -32602, "{cursor}");
    for arguments in
        [json!({}), json!({"prompt": "  "}), json!({"prompt": 5}), json!({"prompt": "x", "session": "../x"})]
    {
        let refused = client.call("run", arguments);
        assert_eq!(refused["isError"], true, "{refused}");
    }
    client.end();
}

/// Resources come in pages.
#[test]
fn many_sessions_come_in_pages() {
    let replies: Vec<Reply> = (0..2).map(|_| Reply::new().text("done")).collect();
    let server = Server::start(replies);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut client = Client::plain(&home, &[]);
    let made = client.call("run", json!({"prompt": "one"}));
    let id = made["structuredContent"]["sessionId"].as_str().expect("an id").to_owned();
    client.call("run", json!({"prompt": "two"}));
    // The rest are copies: a session is its file.
    let files: Vec<String> =
        home.list_files().into_iter().filter(|file| file.ends_with(&format!("{id}.jsonl"))).collect();
    let original = home.read(&files[0]);
    for number in 0..60 {
        let copy = format!("{}{:02}", &id[..id.len() - 2], number);
        if copy != id {
            home.write(files[0].replace(&id, &copy), original.replace(&id, &copy));
        }
    }
    let (mut seen, mut cursor, mut pages) = (std::collections::BTreeSet::new(), Value::Null, 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let page = client.ask("resources/list", params)["result"].take();
        let resources = page["resources"].as_array().cloned().unwrap_or_default();
        assert!(resources.len() <= 50);
        seen.extend(resources.iter().map(|resource| resource["uri"].to_string()));
        pages += 1;
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(seen.len() >= 60 && pages == 2, "{} in {pages}", seen.len());
    client.end();
    server.finish();
}

/// A cancelled turn ends: the model's connection closes, the server serves on.
#[test]
fn a_turn_can_be_cancelled() {
    let marker = format!("omp-mcp-cancel-{}", std::process::id());
    let command = format!("MARK={marker} sleep 300");
    let server = Server::start([
        Reply::new().text("partial words").delta_size(4).stall_after_event(2, Duration::from_secs(60)),
        Reply::new().tool_call("bash", json!({"_i": "wait", "command": command})),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut client = Client::plain(&home, &["--yolo"]);
    let id = client.request("tools/call", json!({"name": "run", "arguments": {"prompt": "x"}}));
    server.wait_for_requests(1, LIMIT);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    server.wait_for_disconnects(1, LIMIT);
    let id = client.request("tools/call", json!({"name": "run", "arguments": {"prompt": "y"}}));
    let deadline = Instant::now() + LIMIT;
    while survivors(&marker).is_empty() {
        assert!(Instant::now() < deadline, "the command did not start: {}", client.running.stderr_so_far());
        std::thread::sleep(Duration::from_millis(5));
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    wait_gone(&marker, LIMIT).expect("the command ends with the turn");
    assert!(client.tools().iter().any(|tool| tool["name"] == "run"));
    client.end();
}

/// Whoever held the other end is gone: so are the server and everything it started.
#[test]
fn killing_the_client_ends_the_server() {
    let marker = format!("omp-mcp-killed-{}", std::process::id());
    let home = empty_home();
    let handshake = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "bash", "arguments": {"command": format!("MARK={marker} sleep 300")}}});
    let script = format!(
        "coproc S {{ exec \"$0\" mcp serve --yolo --model {marker}; }}\n\
         printf '%s\\n' \"$1\" \"$2\" >&\"${{S[1]}}\"\nwhile read -r -u \"${{S[0]}}\" line; do :; done"
    );
    let mut command = home.command("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_omp"), &handshake.to_string(), &call.to_string()]);
    let client = start(command);
    let deadline = Instant::now() + LIMIT;
    while !survivors(&marker).iter().any(|process| process.cmdline.starts_with("sleep")) {
        assert!(Instant::now() < deadline, "the command did not start: {}", client.stderr_so_far());
        std::thread::sleep(Duration::from_millis(5));
    }
    client.signal(9);
    wait_gone(&marker, LIMIT).expect("nothing may be left");
}

/// What is not a message is answered with an error, and the next request is served.
#[test]
fn garbage_is_answered_and_forgotten() {
    let home = empty_home();
    let mut client = Client::start(&home, &[]);
    client.running.write(b"\x00\xff\xfe garbage \x1b[31m\n\n   \n{\"jsonrpc\": \"2.0\", \"id\": 1001\n");
    let count = |client: &Client, code: i64| {
        client.messages().iter().filter(|message| message["error"]["code"] == code).count()
    };
    client.wait_for("two parse errors", |_| count(&client, -32700) == 2);
    client
        .running
        .write(b"5\n[]\n{\"jsonrpc\":\"1.0\",\"id\":1003,\"method\":\"ping\"}\n{\"id\":{},\"method\":[]}\n");
    client.wait_for("four invalid requests", |_| count(&client, -32600) + count(&client, -32602) == 4);
    // Notifications before the handshake mean nothing, and must not end the conversation.
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 1009, "result": {}}));
    let early = client.ask("tools/call", json!({"name": "read"}));
    assert_eq!(early["error"]["code"], -32602, "{early}");
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    client.ask("initialize", hello);
    // Longer than any message may be.
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1007,\"method\":\"{}\"}}\n", "x".repeat(17 << 20));
    client.running.write(long.as_bytes());
    client.wait_for("a limit", |message| {
        message["error"]["message"].as_str().is_some_and(|text| text.contains("16 MiB"))
    });
    assert_eq!(client.ask("no/such/method", json!({}))["error"]["code"], -32601);
    for params in [json!({"name": 5}), json!([]), json!({"name": "read", "arguments": "text"}), json!("x")] {
        let answer = client.ask("tools/call", params.clone());
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    client.running.write(
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1008,\"method\":\"ping\",\"params\":{deep}}}\n").as_bytes(),
    );
    assert!(client.tools().iter().any(|tool| tool["name"] == "read"));
    client.end();
}

/// Requests that came before the end of the input are still answered.
#[test]
fn a_closed_input_ends_the_server_after_its_answers() {
    let home = empty_home();
    home.write("work/notes.txt", "remember the milk\n");
    let mut client = Client::plain(&home, &[]);
    let id = client.request("tools/call", json!({"name": "read", "arguments": {"path": "notes.txt"}}));
    client.running.close_stdin();
    let output = client.running.wait(LIMIT);
    assert_eq!(output.code, Some(0));
    let answered = output.stdout.lines().any(|line| {
        serde_json::from_str::<Value>(line)
            .is_ok_and(|value| value["id"] == id && value["result"].is_object())
    });
    assert!(answered, "{}", output.stdout);
}

/// A server over HTTP, and its port.
struct Http {
    running: Running,
    port: u16,
}

impl Http {
    fn start(home: &Home, args: &[&str]) -> Self {
        let args: Vec<&str> = ["mcp", "serve", "--http", "127.0.0.1:0"].iter().chain(args).copied().collect();
        let running = start(omp(home, &args));
        let said = wait_for_stderr(&running, "/mcp");
        let port =
            said.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        Self { port: port.parse().expect("a port"), running }
    }

    /// Status and body of one request.
    fn post(&self, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
        self.send(headers, &body.to_string())
    }

    fn send(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time limit");
        let mut head =
            format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        let has_host = headers.iter().any(|(name, _)| *name == "Host");
        if !has_host {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        head.push_str("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        // A server that has seen enough does not read the rest.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        (status, answer)
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
}

#[test]
fn http_wants_the_token_and_a_local_page() {
    let home = empty_home();
    let server = Http::start(&home, &["--token", "tiger"]);
    let token = ("Authorization", "Bearer tiger");
    for headers in [
        &[][..],
        &[("Authorization", "Bearer lion")],
        &[("Authorization", "tiger")],
        &[("Authorization", "Basic tiger")],
        &[("Authorization", "Bearer tiger"), ("Authorization", "Bearer lion")],
    ] {
        let (status, answer) = server.post(headers, &hello());
        assert_eq!(status, 401, "{headers:?}: {answer}");
        assert!(answer.to_lowercase().contains("www-authenticate: bearer"), "{answer}");
    }
    for header in [("Origin", "https://evil.example"), ("Origin", "null"), ("Host", "evil.example")] {
        let (status, answer) = server.post(&[token, header], &hello());
        assert_eq!(status, 403, "{header:?}: {answer}");
    }
    for more in [&[][..], &[("Origin", "http://localhost:6274")]] {
        let (status, answer) = server.post(&[&[token], more].concat(), &hello());
        assert_eq!(status, 200, "{answer}");
        assert!(
            answer.contains("\"serverInfo\"") && answer.to_lowercase().contains("mcp-session-id"),
            "{answer}"
        );
    }
    let meta = stateless(&json!({}), json!({}));
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": meta});
    let version = [token, ("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/list")];
    let (status, answer) = server.post(&version, &list);
    assert!(status == 200 && answer.contains("\"name\":\"read\""), "{answer}");
    let (status, answer) = server.send(&[token], "{ half");
    assert!(status == 400 && answer.contains("-32700"), "{answer}");
    assert_eq!(server.send(&[token], &format!("\"{}\"", "x".repeat(5 << 20))).0, 413);
    server.running.signal(15);
    let output = server.running.wait(LIMIT);
    assert_eq!(output.code, Some(143), "{}", output.stderr);
    assert!(output.stdout.is_empty() && !output.stderr.contains("tiger"), "{}", output.stderr);
}

#[test]
fn a_token_is_made_where_none_is_given() {
    let home = empty_home();
    let server = Http::start(&home, &[]);
    let said = wait_for_stderr(&server.running, "Bearer token: ");
    let token = said.split("Bearer token: ").nth(1).and_then(|rest| rest.lines().next()).expect("a token");
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{said}");
    assert_eq!(server.post(&[("Authorization", &format!("Bearer {token}"))], &hello()).0, 200);
    server.running.signal(2);
    assert_eq!(server.running.wait(LIMIT).code, Some(130));
    let mut command = omp(&home, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    command.env("OMP_MCP_TOKEN", "lion");
    let running = start(command);
    let said = wait_for_stderr(&running, "/mcp");
    assert!(!said.contains("lion") && !said.contains("Bearer token"), "{said}");
}

#[test]
fn only_this_machine_is_served() {
    let home = empty_home();
    for (args, reason) in [
        (&["--http", "0.0.0.0:0"][..], "only loopback addresses"),
        (&["--http", "nonsense"], "not an address"),
        (&["--token", "x"], "--token needs --http"),
        (&["--http", "127.0.0.1:0", "--token", "a b"], "visible ASCII"),
    ] {
        let args: Vec<&str> = ["mcp", "serve"].iter().chain(args).copied().collect();
        let output = omp_testkit::run(omp(&home, &args), Some(b""), LIMIT);
        assert_eq!(output.code, Some(1), "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(reason), "{args:?}: {}", output.stderr);
    }
}
