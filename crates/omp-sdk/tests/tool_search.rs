//! Tools that a model searches for: an embedding program brings them, as a server's tools will come.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_sdk::{
    Directories, Environment, Invocation, Listener, McpOrigin, Persistence, Prompt, Session, SessionOptions,
    Tool, ToolError, ToolFilter, ToolOrigin, load_settings,
};
use omp_testkit::{Home, ModelOptions, RecordedRequest, Reply, Server, Wire};
use omp_types::{AgentEvent, ToolDefinition, ToolOutput};
use serde_json::{Map, Value, json};

const SEARCH: &str = "search_tool_bm25";

struct NoEnvironment;

impl Environment for NoEnvironment {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

struct Silent;

impl Listener for Silent {
    fn event(&mut self, _event: AgentEvent) {}
}

/// A tool of a server, which answers with its name.
struct Fake {
    definition: ToolDefinition,
    origin: Option<ToolOrigin>,
}

impl Tool for Fake {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn origin(&self) -> Option<&ToolOrigin> {
        self.origin.as_ref()
    }

    fn run<'a>(&'a self, _call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::text(format!("{} ran", self.definition.name))) }.boxed()
    }
}

fn definition(name: &str, description: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": {"id": {"type": "string"}}}),
        strict: None,
        free_text: false,
    }
}

fn mcp(server: &str, tool: &str, description: &str) -> Arc<dyn Tool> {
    let origin = ToolOrigin {
        label: Some(format!("{server}/{tool}")),
        summary: Some("not what is searched".to_owned()),
        mcp: Some(McpOrigin { server: server.to_owned(), tool: tool.to_owned() }),
    };
    let name = format!("mcp__{server}__{tool}");
    Arc::new(Fake { definition: definition(&name, description), origin: Some(origin) })
}

fn tickets() -> Vec<Arc<dyn Tool>> {
    vec![
        mcp("tickets", "close", "Close a ticket"),
        mcp("tickets", "open", "Open a ticket"),
        mcp("mail", "send", "Send a letter"),
    ]
}

fn options(home: &Home, config: &str, own_tools: Vec<Arc<dyn Tool>>) -> SessionOptions {
    home.write("home/.omp/agent/config.yml", config);
    let root = home.home_dir().display().to_string();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
    let settings = load_settings(&directories, &home.work_dir(), &NoEnvironment, &[], Map::new()).unwrap();
    SessionOptions {
        own_tools,
        settings: Some(settings),
        ..SessionOptions::new(home.work_dir(), directories, Arc::new(NoEnvironment))
    }
}

/// Runs one prompt against these answers.
async fn run(home: &Home, options: SessionOptions, replies: Vec<Reply>) -> Vec<RecordedRequest> {
    let server = Server::start(replies);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let session = Session::open(options, Box::new(Silent)).await.unwrap();
    session.prompt(Prompt::text("go"), Default::default()).await.unwrap();
    assert_eq!(session.close().await, Vec::<String>::new());
    let requests = server.requests();
    server.finish();
    requests
}

/// The names of the tools that a request offers.
fn names(request: &RecordedRequest) -> Vec<String> {
    let tools = request.body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// What a session with these settings and tools offers first.
async fn offered(config: &str, own: Vec<Arc<dyn Tool>>) -> Vec<String> {
    let home = Home::new();
    let requests = run(&home, options(&home, config, own), vec![Reply::new().text("done")]).await;
    names(&requests[0])
}

fn search(query: &str) -> Reply {
    Reply::new().tool_call(SEARCH, json!({ "_i": "x", "query": query }))
}

/// The last result that a request carries.
fn result(request: &RecordedRequest) -> String {
    let messages = request.body["messages"].as_array().unwrap();
    let found = messages.iter().rev().find(|message| message["role"] == "tool").unwrap();
    found["content"].as_str().unwrap().to_owned()
}

fn mcp_names(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).filter(|name| name.starts_with("mcp__")).collect()
}

/// proves: TSN-088, TSN-091
#[tokio::test]
async fn the_setting_decides_what_is_hidden() {
    let plain = offered("", Vec::new()).await;
    let all = ["mcp__tickets__close", "mcp__tickets__open", "mcp__mail__send"];
    for config in ["", "tools:\n  discoveryMode: auto\n", "tools:\n  discoveryMode: 'off'\n"] {
        let names = offered(config, tickets()).await;
        assert_eq!(mcp_names(&names), all, "{config}");
        assert!(!names.contains(&SEARCH.to_owned()), "{config}");
    }
    for config in ["tools:\n  discoveryMode: mcp-only\n", "mcp:\n  discoveryMode: true\n"] {
        let names = offered(config, tickets()).await;
        // Only the servers' tools are gone.
        assert_eq!(names, [plain.as_slice(), &[SEARCH.to_owned()]].concat(), "{config}");
    }
    let names = offered("tools:\n  discoveryMode: all\n", tickets()).await;
    assert!(mcp_names(&names).is_empty() && names.contains(&SEARCH.to_owned()));
    // Tools that are no server's stay: nobody could find them.
    let own = Fake { definition: definition("own", "Mine"), origin: Some(ToolOrigin::default()) };
    let names = offered("tools:\n  discoveryMode: all\n", vec![Arc::new(own)]).await;
    assert!(names.contains(&"own".to_owned()));
}

/// proves: TSN-089
#[tokio::test]
async fn more_than_forty_tools_are_too_many() {
    let built_in = offered("", Vec::new()).await.len();
    let servers =
        |count: usize| (0..count).map(|at| mcp("s", &format!("t{at}"), "Does it")).collect::<Vec<_>>();
    let few = offered("", servers(40 - built_in)).await;
    assert_eq!((few.len(), few.contains(&SEARCH.to_owned())), (40, false));
    let many = offered("", servers(41 - built_in)).await;
    assert_eq!((many.len(), mcp_names(&many).len()), (built_in + 1, 0));
    assert_eq!(many.last().unwrap(), SEARCH);
}

/// proves: TSN-090, TSN-027
#[tokio::test]
async fn all_leaves_only_what_is_essential() {
    let first = offered("tools:\n  discoveryMode: all\n", Vec::new()).await;
    let chosen: Vec<&str> = ["read", "edit", "bash", SEARCH].to_vec();
    let visible = |names: &[String]| -> Vec<String> {
        names.iter().filter(|name| **name != "resolve").cloned().collect()
    };
    assert_eq!(visible(&first), chosen);
    // The others can be found.
    let home = Home::new();
    let replies = vec![search("todo find"), Reply::new().text("done")];
    let requests = run(&home, options(&home, "tools:\n  discoveryMode: all\n", Vec::new()), replies).await;
    let found = names(&requests[1]);
    assert!(["todo", "find"].iter().all(|name| found.iter().any(|found| found == name)), "{found:?}");
    let config = "tools:\n  discoveryMode: all\n  essentialOverride: [find, write]\n";
    assert_eq!(visible(&offered(config, Vec::new()).await), ["write", "find", SEARCH]);
}

/// proves: TSN-093, TSN-094, TSN-098, TSN-106, TSN-102, SES-032
#[tokio::test]
async fn what_is_found_can_be_called_at_once_and_stays() {
    let home = Home::new();
    let replies = vec![
        search("close ticket"),
        Reply::new().tool_call("mcp__tickets__close", json!({ "_i": "x" })),
        search("ticket find files"),
        search("ticket"),
        Reply::new().text("done"),
    ];
    let config = "tools:\n  discoveryMode: all\n";
    let requests = run(&home, options(&home, config, tickets()), replies).await;
    let first = names(&requests[0]);
    let described =
        requests[0].body["tools"].as_array().unwrap().last().unwrap()["function"]["description"].to_string();
    let built_in = described.split("Discoverable tools: ").nth(1).unwrap();
    let total: usize = built_in.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    assert!(total > 5 && built_in.contains("- mail: 1") && built_in.contains("- tickets: 2"), "{described}");

    // The next request of the same turn offers what was found, behind the rest.
    let said: Value = serde_json::from_str(&result(&requests[1])).unwrap();
    let found = ["mcp__tickets__close", "mcp__tickets__open"];
    assert_eq!(
        said,
        json!({"query": "close ticket", "activated_tools": found, "match_count": 2, "total_tools": total})
    );
    assert_eq!(
        said.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["query", "activated_tools", "match_count", "total_tools"]
    );
    assert_eq!(names(&requests[1]), [first.as_slice(), &found.map(String::from)].concat());
    assert_eq!(result(&requests[2]), "mcp__tickets__close ran");

    // What is there already is not found again, and built-in tools are among the rest.
    let said: Value = serde_json::from_str(&result(&requests[3])).unwrap();
    let added = said["activated_tools"].as_array().unwrap();
    assert!(
        added.contains(&json!("find")) && !added.iter().any(|name| found.iter().any(|found| name == found))
    );
    assert_eq!(said["total_tools"], total - 2);
    let after = names(&requests[3]);
    assert_eq!(after[..first.len() + 2], names(&requests[1]));
    assert_eq!(after.len(), first.len() + 2 + added.len());
    let said: Value = serde_json::from_str(&result(&requests[4])).unwrap();
    assert_eq!((&said["activated_tools"], &said["match_count"]), (&json!([]), &json!(0)));
    assert_eq!(said["total_tools"], total - 2 - added.len());
    assert_eq!(names(&requests[4]), after);

    // The session remembers, and a resumed one takes it up.
    let file = home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).unwrap();
    let lines = home.read(&file);
    let entries = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept: Vec<Value> = entries.filter(|entry| entry["type"] == "mcp_tool_selection").collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0]["selectedToolNames"], json!(found));
    let resumed = SessionOptions { persistence: Persistence::Continue, ..options(&home, config, tickets()) };
    let requests = run(&home, resumed, vec![Reply::new().text("done")]).await;
    assert_eq!(names(&requests[0]), after);
}

/// proves: TSN-092
#[tokio::test]
async fn a_search_needs_a_query_and_a_sensible_limit() {
    let call = |arguments: Value| Reply::new().tool_call(SEARCH, arguments);
    let replies = vec![
        call(json!({ "_i": "x" })),
        call(json!({ "_i": "x", "query": "   " })),
        call(json!({ "_i": "x", "query": "ticket", "limit": 0 })),
        call(json!({ "_i": "x", "query": "ticket", "limit": 1.5 })),
        call(json!({ "_i": "x", "query": "  ticket ", "limit": 1 })),
        call(json!({ "_i": "x", "query": "does" })),
        Reply::new().text("done"),
    ];
    let mut own = tickets();
    own.extend((0..12).map(|at| mcp("s", &format!("t{at}"), "Does it")));
    let home = Home::new();
    let requests = run(&home, options(&home, "tools:\n  discoveryMode: mcp-only\n", own), replies).await;
    for (request, word) in [(1, "query"), (2, "`query` is empty"), (3, "limit"), (4, "limit")] {
        assert!(result(&requests[request]).contains(word), "{}", result(&requests[request]));
        assert!(mcp_names(&names(&requests[request])).is_empty());
    }
    let said: Value = serde_json::from_str(&result(&requests[5])).unwrap();
    assert_eq!((&said["query"], &said["match_count"]), (&json!("ticket"), &json!(1)));
    let said: Value = serde_json::from_str(&result(&requests[6])).unwrap();
    assert_eq!(said["match_count"], 8);
}

/// Tools that a user named are not hidden from the model, and two tools cannot have one name.
#[tokio::test]
async fn the_users_choice_of_tools_stands() {
    let home = Home::new();
    let own = vec![mcp("tickets", "close", "Close a ticket"), mcp("tickets", "close", "Another")];
    let mut options = options(&home, "tools:\n  discoveryMode: all\n", own);
    options.tools = ToolFilter::Only(vec!["find".to_owned()]);
    let server = Server::start([Reply::new().text("done")]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let session = Session::open(options, Box::new(Silent)).await.unwrap();
    assert!(
        session.warnings().iter().any(|warning| warning.contains("two tools are named mcp__tickets__close"))
    );
    session.prompt(Prompt::text("go"), Default::default()).await.unwrap();
    session.close().await;
    assert_eq!(names(&server.requests()[0]), ["find", SEARCH]);
    server.finish();
}

/// proves: TSN-099
#[tokio::test]
async fn tools_of_the_program_itself_are_never_found() {
    let internal = ["yield", "report_finding", "report_tool_issue"];
    let server = |name: &str| {
        let mcp = Some(McpOrigin { server: "s".to_owned(), tool: name.to_owned() });
        let origin = ToolOrigin { mcp, ..ToolOrigin::default() };
        Arc::new(Fake { definition: definition(name, "A report"), origin: Some(origin) }) as Arc<dyn Tool>
    };
    let own = internal.map(server).into_iter().chain([mcp("s", "report", "A report")]).collect();
    let home = Home::new();
    let replies = vec![search("resolve yield report finding tool issue"), Reply::new().text("done")];
    let requests = run(&home, options(&home, "tools:\n  discoveryMode: all\n", own), replies).await;
    let said: Value = serde_json::from_str(&result(&requests[1])).unwrap();
    let found: Vec<&str> =
        said["activated_tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(found.contains(&"mcp__s__report"), "{found:?}");
    assert!(
        !found.iter().any(|name| internal.contains(name) || ["resolve", SEARCH].contains(name)),
        "{found:?}"
    );
}
