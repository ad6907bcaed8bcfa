//! The script as a whole: replies in order or a function, and how strict to be.

use super::journal::RecordedRequest;
use super::reply::Reply;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

type Answer = Arc<dyn Fn(&RecordedRequest) -> Reply + Send + Sync>;

#[derive(Clone)]
enum Source {
    Listed(Vec<Reply>),
    Dynamic(Answer),
}

/// What the checks may assume.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) lenient: bool,
    pub(crate) keyless: bool,
    pub(crate) expect_key: Option<String>,
    pub(crate) stable_prefix: bool,
    pub(crate) allow_fields: Vec<String>,
    pub(crate) max_call_id: usize,
    pub(crate) aws: Option<AwsKeys>,
}

/// What a signed request must be signed with.
#[derive(Clone, Debug)]
pub(crate) struct AwsKeys {
    pub(crate) access_key_id: String,
    pub(crate) secret_access_key: String,
    pub(crate) session_token: Option<String>,
    pub(crate) region: String,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            lenient: false,
            keyless: false,
            expect_key: None,
            stable_prefix: false,
            allow_fields: Vec::new(),
            max_call_id: 40,
            aws: None,
        }
    }
}

/// What the server says and what it insists on.
#[derive(Clone)]
pub struct Scenario {
    source: Source,
    repeat: bool,
    pub(crate) rules: Rules,
    pub(crate) websocket: bool,
    pub(crate) keeps: Option<usize>,
    pub(crate) models: Vec<String>,
    /// The whole answer to `GET …/models`, in place of one made from `models`.
    pub(crate) model_list: Option<serde_json::Value>,
    pub(crate) ollama: Option<Vec<String>>,
    pub(crate) secret: Option<String>,
    pub(crate) id_seed: Option<String>,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            source: Source::Listed(Vec::new()),
            repeat: false,
            rules: Rules::default(),
            websocket: false,
            keeps: None,
            models: vec!["scripted".into()],
            model_list: None,
            ollama: None,
            secret: None,
            id_seed: None,
        }
    }
}

impl Scenario {
    /// No replies yet: every model request fails with "script exhausted".
    pub fn new() -> Self {
        Self::default()
    }

    /// One reply per model request, in this order.
    pub fn replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { source: Source::Listed(replies.into_iter().collect()), ..Self::default() }
    }

    /// The reply is computed from the request.
    pub fn dynamic(answer: impl Fn(&RecordedRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self { source: Source::Dynamic(Arc::new(answer)), ..Self::default() }
    }

    /// Adds one more reply.
    ///
    /// # Panics
    /// On a dynamic scenario, which has no list.
    pub fn reply(mut self, reply: Reply) -> Self {
        match &mut self.source {
            Source::Listed(replies) => replies.push(reply),
            Source::Dynamic(_) => panic!("a dynamic scenario computes its replies; it has no list to add to"),
        }
        self
    }

    /// Starts over when all replies are used.
    pub fn repeat(mut self, on: bool) -> Self {
        self.repeat = on;
        self
    }

    /// What `GET …/models` answers, word for word.
    pub fn model_list(mut self, answer: serde_json::Value) -> Self {
        self.model_list = Some(answer);
        self
    }

    /// Checks nothing but that the body is JSON.
    pub fn lenient(mut self, on: bool) -> Self {
        self.rules.lenient = on;
        self
    }

    /// Requests need no key.
    pub fn keyless(mut self, on: bool) -> Self {
        self.rules.keyless = on;
        self
    }

    /// Any other key is answered with 401.
    pub fn expect_key(mut self, key: &str) -> Self {
        self.rules.expect_key = Some(key.into());
        self
    }

    /// Requests signed with these keys for this region are accepted, and no other signed ones. The token is that of
    /// temporary keys.
    pub fn aws_keys(mut self, id: &str, secret: &str, token: Option<&str>, region: &str) -> Self {
        self.rules.aws = Some(AwsKeys {
            access_key_id: id.into(),
            secret_access_key: secret.into(),
            session_token: token.map(Into::into),
            region: region.into(),
        });
        self
    }

    /// Each request must extend the one before it: same system and tools, previous messages as an exact prefix.
    pub fn require_stable_prefix(mut self, on: bool) -> Self {
        self.rules.stable_prefix = on;
        self
    }

    /// Allows one more top-level field, for compatible servers with options of their own.
    pub fn allow_field(mut self, name: &str) -> Self {
        self.rules.allow_fields.push(name.into());
        self
    }

    /// Longest tool call id on Chat Completions; 40 by default.
    pub fn max_call_id(mut self, characters: usize) -> Self {
        self.rules.max_call_id = characters;
        self
    }

    /// Accepts WebSockets of the Responses API for ChatGPT accounts; otherwise their handshake is refused with 426.
    pub fn websocket(mut self, on: bool) -> Self {
        self.websocket = on;
        self
    }

    /// Keeps the newest model requests only, for conversations whose requests would fill the memory.
    pub fn keep_last(mut self, requests: usize) -> Self {
        self.keeps = Some(requests);
        self
    }

    /// Model ids for `GET …/models`; `scripted` by default.
    pub fn models<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.models = ids.into_iter().map(Into::into).collect();
        self
    }

    /// Answers Ollama's `/api/tags` and `/api/show` with these models.
    pub fn ollama<I: Into<String>>(mut self, names: impl IntoIterator<Item = I>) -> Self {
        self.ollama = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What signatures are derived from. Two servers with one secret accept each other's thinking, which a test
    /// needs that resumes a session against a second server. Random by default.
    pub fn secret(mut self, secret: &str) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// Makes ids the same in every run, for snapshots. Random by default, so that two servers never mint one id.
    pub fn id_seed(mut self, seed: &str) -> Self {
        self.id_seed = Some(seed.into());
        self
    }

    pub(crate) fn script(&self) -> Script {
        let queue = match &self.source {
            Source::Listed(replies) => replies.iter().cloned().collect(),
            Source::Dynamic(_) => VecDeque::new(),
        };
        let answer = match &self.source {
            Source::Listed(_) => None,
            Source::Dynamic(answer) => Some(Arc::clone(answer)),
        };
        Script { answer, repeat: self.repeat, queue: Mutex::new(queue) }
    }
}

impl From<Reply> for Scenario {
    fn from(reply: Reply) -> Self {
        Self::replies([reply])
    }
}

impl From<Vec<Reply>> for Scenario {
    fn from(replies: Vec<Reply>) -> Self {
        Self::replies(replies)
    }
}

impl<const N: usize> From<[Reply; N]> for Scenario {
    fn from(replies: [Reply; N]) -> Self {
        Self::replies(replies)
    }
}

/// The running script.
pub(crate) struct Script {
    answer: Option<Answer>,
    repeat: bool,
    queue: Mutex<VecDeque<Reply>>,
}

impl Script {
    /// The reply for this request, or `None` when the script is exhausted.
    pub(crate) fn next(&self, request: &RecordedRequest) -> Option<Reply> {
        if let Some(answer) = &self.answer {
            return Some(answer(request));
        }
        let mut queue = self.queue.lock().expect("no thread panics while holding the script");
        let reply = queue.pop_front()?;
        if self.repeat {
            queue.push_back(reply.clone());
        }
        Some(reply)
    }

    pub(crate) fn remaining(&self) -> usize {
        if self.repeat {
            return 0;
        }
        self.queue.lock().expect("no thread panics while holding the script").len()
    }
}
