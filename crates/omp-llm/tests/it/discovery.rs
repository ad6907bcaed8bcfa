//! Model servers on this machine.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use omp_llm::discovery::{LocalServers, probe};
use omp_llm::registry::{Registry, Wanted};
use omp_llm::{Api, Client, ClientOptions, ProxySource};
use omp_testkit::{Reply, Scenario, Server};

use crate::registry::Environment;
use crate::support::{ask, client, options, request, user};

/// A port on which nobody listens.
fn nowhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}")
}

#[tokio::test]
async fn servers_that_answer_are_found_and_usable() {
    let ollama = Server::start(
        Scenario::replies([Reply::new().text("from ollama")]).keyless(true).ollama(["llama3:8b", "qwen:7b"]),
    );
    let studio = Server::start(
        Scenario::replies([Reply::new().text("from studio")]).keyless(true).models(["studio-model"]),
    );
    let llama = Server::start(
        Scenario::replies([Reply::new().text("from llama.cpp")]).keyless(true).models(["gguf"]),
    );
    let servers = LocalServers {
        ollama: format!("{}/v1/", ollama.base_url()),
        lm_studio: format!("{}/v1/", studio.base_url()),
        llama_cpp: llama.base_url(),
    };
    let client = client();
    let models = probe(&client, &servers).await;
    let found: Vec<_> = models.iter().map(|model| (model.selector(), model.api)).collect();
    assert_eq!(
        found,
        [
            ("ollama/llama3:8b".to_owned(), Api::OpenAiResponses),
            ("ollama/qwen:7b".to_owned(), Api::OpenAiResponses),
            ("lm-studio/studio-model".to_owned(), Api::OpenAiCompletions),
            ("llama.cpp/gguf".to_owned(), Api::OpenAiResponses),
        ]
    );
    let mut registry = Registry::new(None);
    registry.add_local(models);
    for (pattern, text) in
        [("llama3:8b", "from ollama"), ("lm-studio/studio-model", "from studio"), ("gguf", "from llama.cpp")]
    {
        let wanted = Wanted { pattern: Some(pattern), ..Wanted::default() };
        let selection = registry.select(wanted, &Environment::default()).unwrap();
        assert_eq!(ask(&client, &selection.model, &request(vec![user("hi")])).await.text(), text);
    }
    for server in [ollama, studio, llama] {
        server.finish();
    }
}

/// Nobody there, somebody who never answers, and somebody who answers nonsense: soon over, and no model.
#[tokio::test]
async fn a_machine_without_servers_is_left_soon() {
    let black_hole = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", black_hole.local_addr().unwrap());
    let other = Server::start(Scenario::new());
    let servers = LocalServers { ollama: other.base_url(), lm_studio: silent, llama_cpp: nowhere() };
    let started = Instant::now();
    assert!(probe(&client(), &servers).await.is_empty());
    assert!(started.elapsed() < Duration::from_millis(600), "{:?}", started.elapsed());
}

/// A proxy does not know what runs on this machine.
#[tokio::test]
async fn the_proxy_is_not_asked_about_this_machine() {
    let server = Server::start(Scenario::new().ollama(["llama3"]));
    let client = Client::new(ClientOptions { proxy: ProxySource::Url(nowhere()), ..options() }).unwrap();
    let servers = LocalServers { ollama: server.base_url(), lm_studio: nowhere(), llama_cpp: nowhere() };
    assert_eq!(probe(&client, &servers).await.len(), 1);
}
