//! Where the network cuts a stream makes no difference.

use omp_testkit::{Reply, Scenario, Server, Split, Wire};
use omp_types::{StreamEvent, ThinkingLevel};
use serde_json::json;

use crate::support::{ask_once, comparable, model, read_tool, request_with, thinking, user};

fn reply() -> Reply {
    Reply::new()
        .thinking("Grübeln über „Zeichen“ 🤔")
        .text("Zwei Dateien: äöü € 🎉\r\n\tund \"mehr\".")
        .tool_call_with_id("call_1", "read", json!({"path": "ü/€.txt", "lines": [1, 2, {"a": null}]}))
        .tool_call_with_id("call_2", "read", json!({"path": "b\\c\n"}))
        .interleave(true)
}

async fn events(wire: Wire, reply: Reply) -> Vec<StreamEvent> {
    let server = Server::start(Scenario::from(reply).secret("s").id_seed("i"));
    let request = request_with(vec![user("hi")], vec![read_tool()], thinking(ThinkingLevel::Low));
    let outcome = ask_once(&model(&server, wire), &request).await;
    server.finish();
    comparable(&outcome.events)
}

/// Every byte on its own, odd pieces, random cuts, CRLF line ends and comments between: always the same events.
// proves: WIR-006
#[tokio::test]
async fn events_do_not_depend_on_chunks_line_ends_or_comments() {
    let mut random = fastrand::Rng::with_seed(7);
    for wire in Wire::ALL {
        let whole = events(wire, reply()).await;
        assert!(whole.len() > 12, "{wire}: {whole:?}");
        assert_eq!(events(wire, reply().split(Split::EveryByte)).await, whole, "{wire}");
        assert_eq!(events(wire, reply().crlf(true).split(Split::EveryByte)).await, whole, "{wire}");
        assert_eq!(events(wire, reply().comments(true).split(Split::Chunks(3))).await, whole, "{wire}");
        for _ in 0..6 {
            let mut cuts: Vec<usize> = (0..40).map(|_| random.usize(1..3000)).collect();
            cuts.sort_unstable();
            cuts.dedup();
            assert_eq!(events(wire, reply().split(Split::At(cuts.clone()))).await, whole, "{wire}: {cuts:?}");
        }
    }
}

/// One event over several `data:` lines.
// proves: WIR-006
#[tokio::test]
async fn data_may_come_in_several_lines() {
    let body = "event: x\ndata: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hi\"},\ndata: \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = Server::start(Reply::raw("text/event-stream", body));
    let outcome = ask_once(
        &model(&server, Wire::OpenAiCompletions),
        &request_with(vec![user("x")], vec![], thinking(ThinkingLevel::Off)),
    )
    .await;
    outcome.done();
    assert_eq!(outcome.text(), "hi");
    server.finish();
}
