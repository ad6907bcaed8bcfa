//! Where a program that embeds us may describe its models.

use std::sync::Arc;

use omp_sdk::{Directories, Environment, Listener, ModelOptions, Prompt, Session, SessionOptions};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use omp_types::AgentEvent;
use tokio_util::sync::CancellationToken;

struct NoEnvironment;

impl Environment for NoEnvironment {
    fn var(&self, _: &str) -> Option<String> {
        None
    }
}

struct Silent;

impl Listener for Silent {
    fn event(&mut self, _: AgentEvent) {}
}

/// JSON with comments is read where it is named; nothing is written beside it.
///
/// proves: MOD-004
#[tokio::test]
async fn a_file_of_the_callers_choice_may_be_json() {
    for name in ["their-models.json", "their-models.jsonc", "their-models.yml"] {
        let server = Server::start(Scenario::replies([Reply::new().text("ok")]).expect_key("k"));
        let home = Home::new();
        let text = format!(
            r#"{{"providers": {{"mine": {{"baseUrl": "{}", "api": "openai-completions", "apiKey": "k", "models": [{{"id": "m"}}]}}}}}}"#,
            server.base_url_for(Wire::OpenAiCompletions)
        );
        let commented = format!("// ours\n{}", text.replacen("\"models\"", "/* one */ \"models\"", 1));
        let path = home.write(format!("work/{name}"), if name.ends_with("yml") { &text } else { &commented });
        let directories = Directories::resolve(|variable| {
            (variable == "HOME").then(|| home.home_dir().display().to_string())
        });
        let options = SessionOptions {
            model: ModelOptions { file: Some(path), ..ModelOptions::default() },
            ..SessionOptions::new(home.work_dir(), directories.unwrap(), Arc::new(NoEnvironment))
        };
        let session = Session::open(options, Box::new(Silent)).await.unwrap();
        assert_eq!((session.model_selector().as_str(), session.warnings()), ("mine/m", &[][..]), "{name}");
        session.prompt(Prompt::text("hi"), CancellationToken::new()).await.unwrap();
        session.close().await;
        let beside =
            home.list_files().into_iter().filter(|file| file.starts_with("work/")).collect::<Vec<_>>();
        assert_eq!(beside, [format!("work/{name}")]);
        server.finish();
    }
}
