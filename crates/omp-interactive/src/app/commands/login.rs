//! Signing in and out without leaving the session.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::BoxFuture;
use omp_panels::login::{Asks, Login as Machine};
use omp_sdk::auth::{Notice, Person};
use omp_sdk::{LoginKind, LoginRow, SignIn, SignInError, SignedIn};
use omp_theme::Token;
use omp_view::message::Level;
use omp_view::select::{Choice, Selector};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;

use crate::app::{App, Task};
use crate::panels::list::List;
use crate::panels::login::Login;
use crate::panels::opening::Opening;
use crate::panels::wizard::Wizard;

/// What keys do in a list.
const HINT: &str = "Enter: select · Esc: cancel";

/// A login that is under way, shown or not.
pub(in crate::app) struct Pending {
    row: LoginRow,
    machine: Rc<RefCell<Machine>>,
    cancel: CancellationToken,
    /// To whoever waits for a line; nobody does for a key.
    lines: UnboundedSender<String>,
}

/// The person at this terminal, as a login sees them.
struct Sitter {
    tasks: UnboundedSender<Task>,
    lines: Mutex<UnboundedReceiver<String>>,
}

impl Person for Sitter {
    fn tell(&self, notice: Notice) {
        // The program has ended if nobody takes it.
        let _ = self.tasks.send(Box::new(move |app: &mut App| app.login_says(notice)));
    }

    fn line(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { self.lines.lock().await.recv().await })
    }
}

impl App {
    /// `/login`: a list, a provider, or the address at which the browser of a login ended.
    pub(in crate::app) fn login(&mut self, wanted: &str) {
        let address = wanted.contains("://") || wanted.contains("code=");
        match (&self.panels.setup.login, wanted) {
            (Some(pending), address_or_code) if address => {
                // A login that just ended has no use for it.
                let _ = pending.lines.send(address_or_code.to_owned());
                self.hint(Token::Muted, "Checking the URL");
            }
            (None, _) if address => {
                self.hint(Token::Warning, "no login is waiting for a URL: start one with /login");
            }
            (Some(_), _) => self.show_login(),
            (None, "") => self.pick_login(),
            (None, provider) => self.find_login(provider.to_owned(), false),
        }
    }

    /// Shows a login that is under way instead of beginning another.
    fn show_login(&mut self) {
        let Some(pending) = &self.panels.setup.login else { return };
        let name = pending.row.name.clone();
        let panel = Login::new(Rc::clone(&pending.machine), &self.composer.keys, false);
        self.hint(Token::Warning, format!("a login to {name} is already in progress (Esc to cancel)"));
        self.close::<Login>();
        self.open_in_front(panel);
    }

    /// Signing in and out, where credentials can be stored.
    pub(in crate::app) fn sign_in(&mut self) -> Option<SignIn> {
        let sign_in = self.session().sign_in();
        if sign_in.is_none() {
            self.hint(Token::Warning, "credentials cannot be stored here");
        }
        sign_in
    }

    fn pick_login(&mut self) {
        let Some(sign_in) = self.sign_in() else { return };
        self.open_soon("Sign in to a provider");
        self.spawn(async move {
            let rows = tokio::task::spawn_blocking(move || logins(&sign_in)).await.unwrap_or_default();
            Box::new(move |app: &mut Self| {
                let choice = |(row, stored): &(LoginRow, bool)| {
                    let group = match row.kind {
                        LoginKind::Account => "Accounts",
                        LoginKind::ApiKey => "API keys",
                    };
                    let detail = if *stored { format!("{}, signed in", row.name) } else { row.name.clone() };
                    Choice::new(&row.id).detail(detail).group(group)
                };
                let list = Selector::new("Sign in to a provider", rows.iter().map(choice).collect());
                let answered = move |app: &mut Self, chosen: Option<usize>| {
                    if let Some((row, _)) = chosen.and_then(|place| rows.into_iter().nth(place)) {
                        app.begin_login(row, false);
                    }
                };
                app.opened(List::new(list.hint(HINT), Box::new(answered)));
            }) as Task
        });
    }

    /// Begins the login of that name. `whole` is for one that stands before the wizard.
    pub(in crate::app) fn find_login(&mut self, id: String, whole: bool) {
        let Some(sign_in) = self.sign_in() else { return };
        self.spawn(async move {
            let found = tokio::task::spawn_blocking(move || sign_in.find(&id)).await;
            Box::new(move |app: &mut Self| match found {
                Ok(Ok(row)) => app.begin_login(row, whole),
                Ok(Err(error)) => {
                    app.hint(Token::Warning, format!("{} Run /login to list providers.", sentence(&error)));
                }
                Err(_) => {}
            }) as Task
        });
    }

    fn begin_login(&mut self, row: LoginRow, whole: bool) {
        if self.panels.setup.login.is_some() {
            self.show_login();
            return;
        }
        let Some(sign_in) = self.sign_in() else { return };
        let asks = if row.kind == LoginKind::ApiKey { Asks::Key } else { Asks::Nothing };
        let mut machine = Machine::new(&row.name, asks);
        if let Some(page) = row.key_page.filter(|_| asks == Asks::Key) {
            machine.open(page);
        }
        let machine = Rc::new(RefCell::new(machine));
        let cancel = CancellationToken::new();
        let (lines, entered) = mpsc::unbounded_channel();
        let panel = Login::new(Rc::clone(&machine), &self.composer.keys, whole);
        self.panels.setup.login = Some(Pending { row: row.clone(), machine, cancel: cancel.clone(), lines });
        self.open_in_front(panel);
        if asks != Asks::Key {
            let sitter = Sitter { tasks: self.tasks.clone(), lines: Mutex::new(entered) };
            self.spawn(async move {
                let ended = sign_in.account(&row, &sitter, &cancel).await;
                Box::new(move |app: &mut Self| app.login_ended(ended)) as Task
            });
        }
    }

    fn login_says(&mut self, notice: Notice) {
        let Some(pending) = &self.panels.setup.login else { return };
        let mut machine = pending.machine.borrow_mut();
        match notice {
            Notice::Open { url } => machine.open(url),
            Notice::PasteOffered => machine.ask(Asks::Address),
            Notice::PortBusy { port, reason } => machine.say(format!(
                "port {port} is in use ({reason}), so the browser cannot return here: paste the final URL instead"
            )),
            Notice::EnterCode { url, code } => {
                machine.open(url);
                machine.enter(code);
            }
            Notice::NotUsable { reason } => machine.say(format!("{reason}: try again")),
        }
        drop(machine);
        self.changed();
    }

    /// A line was entered: an address, a code or a key.
    pub(crate) fn answer_login(&mut self, line: String) {
        let Some(pending) = &self.panels.setup.login else { return };
        if pending.row.kind == LoginKind::Account {
            // A login that just ended has no use for it.
            let _ = pending.lines.send(line);
            return;
        }
        let (row, cancel) = (pending.row.clone(), pending.cancel.clone());
        let Some(sign_in) = self.sign_in() else { return };
        self.spawn(async move {
            let ended = sign_in.key(&row, &line, &cancel).await;
            Box::new(move |app: &mut Self| {
                // Who cancelled it has been told, and may have begun another login since.
                if !(cancel.is_cancelled() && ended.is_err()) {
                    app.key_looked_at(ended);
                }
            }) as Task
        });
    }

    /// A key that is no use can be given again.
    fn key_looked_at(&mut self, ended: Result<SignedIn, SignInError>) {
        match (&self.panels.setup.login, &ended) {
            (Some(pending), Err(error @ (SignInError::Refused(_) | SignInError::Key(_)))) => {
                pending.machine.borrow_mut().say(sentence(error));
                self.changed();
            }
            _ => self.login_ended(ended),
        }
    }

    fn login_ended(&mut self, ended: Result<SignedIn, SignInError>) {
        self.panels.setup.login = None;
        self.close::<Login>();
        match ended {
            Ok(signed_in) => self.signed_in(&signed_in),
            Err(error) => self.say(Level::Warning, &sentence(&error)),
        }
        self.changed();
    }

    fn signed_in(&mut self, signed_in: &SignedIn) {
        let SignedIn { provider, identity, remark } = signed_in;
        let text = match identity {
            Some(identity) => format!("Logged in to {provider} as {identity}"),
            None => format!("Saved the API key for {provider}"),
        };
        self.say(Level::Info, &text);
        if let Some(remark) = remark {
            self.say(Level::Warning, &format!("could not verify the key: {provider}: {remark}"));
        }
        if self.panel::<Wizard>().is_some() {
            self.renew_providers();
        }
        let session = self.session();
        self.spawn(async move {
            let moved = session.leave_demo().await;
            Box::new(move |app: &mut Self| {
                if let Ok(Some(model)) = moved {
                    app.say(Level::Info, &format!("Using {model}. Change it with /model."));
                    app.refresh();
                }
            }) as Task
        });
    }

    /// Ends the login; nothing is stored.
    pub(crate) fn cancel_login(&mut self) {
        let Some(pending) = &self.panels.setup.login else { return };
        pending.cancel.cancel();
        if pending.row.kind == LoginKind::ApiKey {
            self.login_ended(Err(SignInError::Cancelled));
        }
    }

    /// The login goes on while the editor is back.
    pub(crate) fn park_login(&mut self) {
        if self.panels.setup.login.is_some() {
            let text = "Login continues in the background. /login shows it again, /login <url> completes it.";
            self.hint(Token::Muted, text);
        }
    }

    pub(crate) fn copy_address(&mut self, address: &str) {
        self.copy(address);
    }

    /// `/logout`: a list, or a provider.
    pub(in crate::app) fn logout(&mut self, provider: &str) {
        let Some(sign_in) = self.sign_in() else { return };
        if !provider.is_empty() {
            self.forget(sign_in, provider.to_owned());
            return;
        }
        self.open_soon("Log out of a provider");
        self.spawn(async move {
            let asked = sign_in.clone();
            let stored = tokio::task::spawn_blocking(move || asked.stored()).await;
            Box::new(move |app: &mut Self| match stored {
                Ok(Ok(stored)) if !stored.is_empty() => {
                    let list =
                        Selector::new("Log out of a provider", stored.iter().map(Choice::new).collect());
                    let answered = move |app: &mut Self, chosen: Option<usize>| {
                        if let Some(provider) = chosen.and_then(|place| stored.into_iter().nth(place)) {
                            app.forget(sign_in, provider);
                        }
                    };
                    app.opened(List::new(list.hint(HINT), Box::new(answered)));
                }
                stored => {
                    app.close::<Opening>();
                    match stored {
                        Ok(Err(error)) => app.complain(&error.to_string()),
                        _ => app.hint(Token::Muted, "No stored credentials"),
                    }
                }
            }) as Task
        });
    }

    fn forget(&mut self, sign_in: SignIn, provider: String) {
        let name = provider.clone();
        self.spawn(async move {
            let forgotten = tokio::task::spawn_blocking(move || sign_in.forget(&provider)).await;
            Box::new(move |app: &mut Self| match forgotten {
                Ok(Ok(1)) => app.say(Level::Info, &format!("Logged out of {name}: 1 credential removed")),
                Ok(Ok(count)) => {
                    app.say(Level::Info, &format!("Logged out of {name}: {count} credentials removed"));
                }
                Ok(Err(error)) => app.hint(Token::Warning, sentence(&error)),
                Err(_) => {}
            }) as Task
        });
    }
}

/// Everything that can be signed in to, and whether something is stored for it.
pub(in crate::app) fn logins(sign_in: &SignIn) -> Vec<(LoginRow, bool)> {
    let stored = sign_in.stored().unwrap_or_default();
    let known = |row: &LoginRow| stored.contains(&sign_in.provider(row));
    sign_in.rows().into_iter().map(|row| (row.clone(), known(&row))).collect()
}

/// An error as a sentence of its own, with what could be named instead.
fn sentence(error: &SignInError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let text: String =
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    match error {
        SignInError::NotStored { stored, .. } if stored.is_empty() => text,
        SignInError::NotStored { stored, .. } => format!("{text} Stored: {}", stored.join(", ")),
        _ => text,
    }
}
