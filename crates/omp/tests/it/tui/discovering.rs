//! A search for tools that finds none.

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use super::Screen;
use crate::support;

/// A search without a match, or without anything to search, succeeds and changes nothing; a person reads which it was.
/// proves: TSN-101
#[test]
fn a_search_for_tools_that_finds_none() {
    for (mode, said) in
        [("all", "No matching tools found."), ("mcp-only", "No discoverable tools are currently loaded.")]
    {
        let server = Server::start([
            Reply::new().tool_call("search_tool_bm25", json!({"_i": "x", "query": "zzyzx quux"})),
            Reply::new().text("none-there"),
        ]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", format!("tools:\n  discoveryMode: {mode}\n"));
        let mut screen = Screen::in_home(home, server, &[], 30, 100);
        screen.say("look for tools").wait_for("none-there").wait_for(said);
        let requests = screen.server.requests();
        assert_eq!(requests[0].body["tools"], requests[1].body["tools"], "nothing was activated");
        let messages = requests[1].body["messages"].as_array().unwrap();
        let result = messages.iter().find(|message| message["role"] == "tool").unwrap().to_string();
        assert!(!result.to_lowercase().contains("error"), "{result}");
    }
}
