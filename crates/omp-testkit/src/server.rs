//! The scripted server: an object that listens on loopback until it is dropped.

mod compaction;
mod connection;
mod deliver;
mod fragments;
mod google_token;
mod http;
mod journal;
mod mint;
mod options;
mod render;
mod render_anthropic;
mod render_bedrock;
mod render_chat;
mod render_google;
mod render_ollama;
mod render_responses;
mod reply;
mod route;
mod scenario;
mod scenario_file;
mod side_routes;
mod sockets;
mod sse;
mod turn;
mod websocket;
mod wire;

pub use journal::{Disconnect, OtherRequest, RecordedRequest, SocketCount, Violation};
pub use options::ServerOptions;
pub use reply::{Reply, Split, Stop, Usage};
pub use scenario::Scenario;
pub use scenario_file::ScenarioError;
pub use wire::Wire;

pub(crate) use google_token::is_granted;
pub(crate) use http::{Framing, HttpRequest, Reader, response_head};
pub(crate) use mint::Mint;
pub(crate) use scenario::{AwsKeys, Rules};
pub(crate) use turn::{EmittedItem, Turn, Turns};

use connection::Shared;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A model server on `127.0.0.1` that follows a [`Scenario`]. Dropping it closes every connection.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on a free port. Accepts a [`Scenario`], one [`Reply`] or a list of them.
    pub fn start(scenario: impl Into<Scenario>) -> Self {
        Self::start_with(scenario, ServerOptions::default())
    }

    /// Like [`Server::start`], with a fixed port or a record file.
    ///
    /// # Panics
    /// When the port is taken or the record file cannot be opened: a test cannot continue without either.
    #[expect(clippy::needless_pass_by_value, reason = "callers build the options in place")]
    pub fn start_with(scenario: impl Into<Scenario>, options: ServerOptions) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", options.port))
            .unwrap_or_else(|error| panic!("cannot listen on 127.0.0.1:{}: {error}", options.port));
        let address = listener.local_addr().expect("a bound listener has an address");
        let shared = Arc::new(Shared::new(scenario.into(), options.record.as_deref()));
        let for_thread = Arc::clone(&shared);
        let acceptor = std::thread::Builder::new()
            .name("scripted-model".into())
            .spawn(move || connection::accept_loop(&listener, &for_thread))
            .expect("the system can start a thread");
        Self { shared, address, acceptor: Some(acceptor) }
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Base URL as a client of `wire` expects it: with `/v1` for the OpenAI wires, without for Anthropic.
    pub fn base_url_for(&self, wire: Wire) -> String {
        match wire {
            Wire::AnthropicMessages
            | Wire::BedrockConverseStream
            | Wire::OllamaChat
            | Wire::GoogleGeminiCli => self.base_url(),
            Wire::GoogleGenerativeAi => format!("{}/v1beta", self.base_url()),
            Wire::GoogleVertex => {
                format!(
                    "{}/v1/projects/test-project/locations/us-central1/publishers/google",
                    self.base_url()
                )
            }
            Wire::AzureOpenAiResponses => format!("{}/openai/v1", self.base_url()),
            Wire::OpenAiCodexResponses => format!("{}/backend-api", self.base_url()),
            Wire::OpenAiCompletions | Wire::OpenAiResponses => format!("{}/v1", self.base_url()),
        }
    }

    /// Model requests in order of arrival, including those that were refused.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.journal.requests()
    }

    /// Everything else that was asked for: model lists, Ollama probes, unknown paths.
    pub fn other_requests(&self) -> Vec<OtherRequest> {
        self.shared.journal.other_requests()
    }

    /// Broken rules so far.
    pub fn violations(&self) -> Vec<Violation> {
        self.shared.journal.violations()
    }

    /// Replies that no request has asked for yet; always 0 for dynamic and repeating scenarios.
    pub fn unconsumed_replies(&self) -> usize {
        self.shared.script.remaining()
    }

    /// Clients that closed the connection before their reply was complete.
    pub fn disconnects(&self) -> Vec<Disconnect> {
        self.shared.journal.disconnects()
    }

    /// Bytes of the largest body so far, had it been delivered whole.
    pub fn largest_body(&self) -> usize {
        self.shared.journal.largest_body()
    }

    /// WebSockets that were opened, and how many of them the client closed properly.
    pub fn sockets(&self) -> SocketCount {
        self.shared.journal.sockets()
    }

    /// Waits until at least `count` model requests have arrived and returns them.
    ///
    /// # Panics
    /// When they have not arrived within `timeout`; the message lists what did arrive.
    pub fn wait_for_requests(&self, count: usize, timeout: Duration) -> Vec<RecordedRequest> {
        self.shared.journal.wait_for_requests(count, timeout)
    }

    /// Waits until at least `count` early disconnects were seen and returns them.
    ///
    /// # Panics
    /// When they were not seen within `timeout`.
    pub fn wait_for_disconnects(&self, count: usize, timeout: Duration) -> Vec<Disconnect> {
        let deadline = Instant::now() + timeout;
        loop {
            let seen = self.disconnects();
            if seen.len() >= count {
                return seen;
            }
            assert!(Instant::now() < deadline, "{count} disconnects expected, saw {}", seen.len());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Number of leading raw body bytes that request `index + 1` shares with request `index`.
    ///
    /// # Panics
    /// When one of the two requests does not exist.
    pub fn shared_prefix_bytes(&self, index: usize) -> usize {
        let requests = self.requests();
        assert!(index + 1 < requests.len(), "no request {} among {}", index + 1, requests.len());
        let (first, second) = (&requests[index].raw_body, &requests[index + 1].raw_body);
        first.iter().zip(second).take_while(|(a, b)| a == b).count()
    }

    /// Panics with a list of all violations and of replies that nobody asked for.
    pub fn assert_clean(&self) {
        let mut problems: Vec<String> = self.violations().iter().map(ToString::to_string).collect();
        let left = self.unconsumed_replies();
        if left > 0 {
            problems.push(format!(
                "{left} scripted replies were never asked for ({} requests came)",
                self.requests().len()
            ));
        }
        assert!(
            problems.is_empty(),
            "the scripted model server is not content:\n  {}",
            problems.join("\n  ")
        );
    }

    /// [`Server::assert_clean`], then stops the server.
    pub fn finish(self) {
        self.assert_clean();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.close_connections();
        // `accept` has no timeout; one connection of our own makes it look at the flag.
        drop(TcpStream::connect(self.address));
        if let Some(acceptor) = self.acceptor.take() {
            drop(acceptor.join());
        }
    }
}
