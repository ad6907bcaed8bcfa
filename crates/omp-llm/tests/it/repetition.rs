//! Models that cannot stop.

use std::time::Duration;

use omp_testkit::{Reply, Server, Wire};
use omp_types::{AssistantBlock, StopReason, StreamEvent};

use crate::support::{client, model, request, user};

/// One phrase without end, in text or in thought: the connection is closed, the answer is complete and holds one copy.
// proves: LOP-010
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_runaway_repetition_is_stopped_and_collapsed() {
    for (thinking, lead, unit) in [(false, "So. ", "I will now try again. "), (true, "", "hmm ")] {
        let words = format!("{lead}{}", unit.repeat(5000));
        let reply = if thinking { Reply::new().thinking(&words) } else { Reply::new().text(&words) };
        // Were the repetition not noticed, the stall would hold the answer up for a minute.
        let server = Server::start([reply.delta_size(7).stall_after_event(400, Duration::from_secs(60))]);
        let mut model = model(&server, Wire::OpenAiCompletions);
        model.compat.repetition_guard = true;
        let client = client();
        let stream = client.stream(model.into(), &request(vec![user("hi")]), Default::default());
        let (events, message) =
            tokio::time::timeout(Duration::from_secs(20), omp_llm::collect(stream)).await.unwrap();
        let message = message.unwrap();
        assert!(
            matches!(events.last(), Some(StreamEvent::Done { reason: StopReason::Stop, .. })),
            "{:?}",
            events.last()
        );
        let told = message.error_message.as_deref().unwrap_or_default();
        assert!(told.contains("repeating itself"), "{told:?}");
        let kept = match &message.content[0] {
            AssistantBlock::Text(block) => &block.text,
            AssistantBlock::Thinking(block) => &block.thinking,
            other => panic!("{other:?}"),
        };
        let one_copy = format!("{lead}{unit}");
        assert!(one_copy.starts_with(kept.as_str()) && kept.len() >= unit.len(), "{kept:?}");
        server.wait_for_disconnects(1, Duration::from_secs(2));
        server.finish();
    }
}

/// Long but ordinary text, rulers and tables pass.
#[tokio::test]
async fn ordinary_answers_pass() {
    let prose: String = (0..300).map(|n| format!("Line {n} of {} says something.\n", n * 7)).collect();
    let ruler = format!("{}\n{}", "-".repeat(400), "| 0 | 0 | 0 |\n".repeat(40));
    for words in [prose, ruler, "ha".repeat(80)] {
        let server = Server::start([Reply::new().text(&words)]);
        let mut model = model(&server, Wire::OpenAiCompletions);
        model.compat.repetition_guard = true;
        let outcome = crate::support::ask_once(&model, &request(vec![user("hi")])).await;
        assert_eq!(outcome.text(), words);
        server.finish();
    }
}
