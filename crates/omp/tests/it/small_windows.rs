//! What a model with a small context window is told.

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire};
use serde_json::Value;

use crate::support::{last_user, omp_run};

/// A home whose model has a window of so many tokens, with everything that goes into a prompt.
fn furnished(window: u64) -> (Home, Server) {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let home = Home::new();
    let options = ModelOptions::new().context_window(window).max_tokens(1024);
    home.models_yml(&server, Wire::OpenAiCompletions, options);
    (home, server)
}

/// The first request of a run.
fn request(home: &Home, server: &Server) -> Value {
    omp_run(home, &["-p", "What is this?"]).assert_success();
    server.requests().last().unwrap().body.clone()
}

fn tools(body: &Value) -> Vec<&Value> {
    body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]).collect()
}

/// All that stands before the conversation.
fn system(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let fixed = messages.iter().take_while(|message| message["role"] != "user");
    fixed.map(|message| message["content"].to_string()).collect()
}

/// An estimate of the tokens that every request begins with.
fn fixed(body: &Value) -> u64 {
    let tools = tools(body).into_iter().map(|tool| {
        let text = |name: &str| tool[name].as_str().unwrap().to_owned();
        let parts = [text("name"), text("description"), tool["parameters"].to_string()];
        parts.iter().map(|part| omp_tokens::estimate(part)).sum::<u64>()
    });
    omp_tokens::estimate(&system(body)) + tools.sum::<u64>()
}

#[test]
fn a_small_window_gets_a_short_prompt() {
    let ask = |window| {
        let (home, server) = furnished(window);
        let body = request(&home, &server);
        assert!(last_user(&body).to_string().contains("What is this?"));
        body
    };
    let (small, border, large) = (ask(8_192), ask(16_384), ask(32_768));
    assert!(fixed(&small) <= 2_500, "{}", fixed(&small));
    assert!(fixed(&large) > fixed(&small) * 3 / 2, "{} {}", fixed(&large), fixed(&small));
    assert_eq!(tools(&border), tools(&large));

    // The same tools with the same arguments.
    let names = |body: &Value| tools(body).iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&small), names(&large));
    for (short, long) in tools(&small).into_iter().zip(tools(&large)) {
        let description = |tool: &Value| tool["description"].as_str().unwrap().to_owned();
        assert!(
            !description(short).is_empty() && description(short).len() < description(long).len(),
            "{short}"
        );
        let (short, long) = (&short["parameters"], &long["parameters"]);
        assert_eq!(short["required"], long["required"]);
        let arguments =
            |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(arguments(short), arguments(long));
    }
}

/// What users and projects say is there; only texts that would fill the window are cut, and say so.
#[test]
fn a_short_prompt_leaves_nothing_out_that_was_asked_for() {
    let (home, server) = furnished(8_192);
    let long = format!("Use tabs.\n{}", "A long instruction.\n".repeat(2_000));
    home.write("home/.omp/agent/AGENTS.md", "Be kind to whoever reads.");
    home.write("work/AGENTS.md", long);
    home.write("work/.omp/RULES.md", "Never sleep.");
    home.write("work/.omp/skills/pdf/SKILL.md", "---\ndescription: Reads PDF files\n---\nbody");
    home.write("work/.omp/rules/style.md", "---\nalwaysApply: true\n---\nWrite short lines.");
    for number in 0..200 {
        home.write(format!("work/file{number:03}.txt"), "");
    }
    let body = request(&home, &server);
    let told = system(&body);
    for part in ["You are omp", "Be kind", "Use tabs.", "Reads PDF files", "Write short lines.", "Date: "] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(body["messages"].to_string().contains("Never sleep."));
    assert!(told.contains("more bytes omitted") && told.contains("file000.txt"));
    assert!(omp_tokens::estimate(&told) < 2_500, "{}", omp_tokens::estimate(&told));

    let own = omp_run(&home, &["-p", "--system-prompt", "Only mine.", "x"]);
    own.assert_success();
    let told = system(&server.requests().last().unwrap().body);
    assert!(told.contains("Only mine.") && told.contains("Use tabs.") && !told.contains("You are omp"));
}
