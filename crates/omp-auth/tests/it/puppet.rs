//! A person who does what a test wants.

use std::collections::VecDeque;
use std::sync::Mutex;

use futures_util::future::{BoxFuture, pending};
use omp_auth::{Credential, LoginError, NewCredential, Notice, Person, Tokens, log_in};
use omp_testkit::oauth::browse;
use tokio_util::sync::CancellationToken;

use crate::support::{World, client};

/// What the person does with the address or the code that is shown.
type Act = Box<dyn Fn(Notice) -> Vec<String> + Send + Sync>;

/// Acts on notices, and enters what that gives, line by line.
pub(crate) struct Puppet {
    act: Act,
    lines: Mutex<VecDeque<String>>,
    told: Mutex<Vec<Notice>>,
    ending: Ending,
}

/// Whether the input ends after the last line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Open,
    Closed,
}

impl Puppet {
    pub(crate) fn new(ending: Ending, act: impl Fn(Notice) -> Vec<String> + Send + Sync + 'static) -> Self {
        Self { act: Box::new(act), lines: Mutex::default(), told: Mutex::default(), ending }
    }

    pub(crate) fn told(&self) -> Vec<Notice> {
        self.told.lock().unwrap().clone()
    }
}

impl Person for Puppet {
    fn tell(&self, notice: Notice) {
        self.told.lock().unwrap().push(notice.clone());
        self.lines.lock().unwrap().extend((self.act)(notice));
    }

    fn line(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async {
            match self.lines.lock().unwrap().pop_front() {
                Some(line) => return Some(line),
                None if self.ending == Ending::Closed => return None,
                None => {}
            }
            pending().await
        })
    }
}

/// Opens the address in a browser, in a thread of its own as a browser does.
pub(crate) fn in_browser(notice: Notice) -> Vec<String> {
    if let Notice::Open { url } = notice {
        std::thread::spawn(move || browse(&url));
    }
    Vec::new()
}

pub(crate) async fn attempt(world: &World, person: &Puppet) -> Result<NewCredential, LoginError> {
    let login = world.logins().find("corp").unwrap();
    log_in(login, &client(), person, world.clock.as_ref(), &CancellationToken::new()).await
}

pub(crate) fn oauth(new: &NewCredential) -> &Tokens {
    match &new.credential {
        Credential::OAuth(tokens) => tokens,
        Credential::ApiKey(_) => panic!("a login gives tokens"),
    }
}
