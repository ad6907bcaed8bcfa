//! Answers that end in ways of their own.

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::json;

use crate::support::omp_run;

/// Gemini says that it could not write a call: the same question is asked again, and only its answer is shown.
// proves: WIR-086
#[test]
fn a_malformed_call_of_gemini_is_asked_again() {
    let chunk = json!({"candidates": [{"content": {"parts": []}, "finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "Malformed function call: print(default_api.read("}]});
    let malformed = Reply::raw("text/event-stream", format!("data: {chunk}\n\n"));
    let server = Server::start([malformed, Reply::new().text("fine")]);
    let home = Home::new();
    home.models_yml(&server, Wire::GoogleGenerativeAi, ModelOptions::new());
    let output = omp_run(&home, &["-p", "go"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "fine\n"), "{}", output.stderr);
    assert_eq!(server.requests()[0].body["contents"], server.requests()[1].body["contents"]);
    server.finish();
}
