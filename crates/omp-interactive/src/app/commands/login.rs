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

use crate::app::attaching;
use crate::app::commands::setup;
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
    /// To those who wait for a line; nobody does for a key.
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
        let _ = self.tasks.send(Box::new(move |app: &mut App| login_says(app, notice)));
    }

    fn line(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { self.lines.lock().await.recv().await })
    }
}

/// `/login`: a list, a provider, or the address at which the browser of a login ended.
pub(crate) fn login(app: &mut App, wanted: &str) {
    let address = wanted.contains("://") || wanted.contains("code=");
    match (&app.panels.setup.login, wanted) {
        (Some(pending), address_or_code) if address => {
            // A login that just ended has no use for it.
            let _ = pending.lines.send(address_or_code.to_owned());
            app.hint(Token::Muted, "Checking the URL");
        }
        (None, _) if address => {
            app.hint(Token::Warning, "no login is waiting for a URL: start one with /login");
        }
        (Some(_), _) => show_login(app),
        (None, "") => pick_login(app),
        (None, provider) => find_login(app, provider.to_owned(), false),
    }
}

/// Shows a login that is under way instead of beginning another.
fn show_login(app: &mut App) {
    let Some(pending) = &app.panels.setup.login else { return };
    let name = pending.row.name.clone();
    let panel = Login::new(Rc::clone(&pending.machine), &app.composer.keys, false);
    app.hint(Token::Warning, format!("a login to {name} is already in progress (Esc to cancel)"));
    app.close::<Login>();
    app.open_in_front(panel);
}

/// Signing in and out, where credentials can be stored.
pub(crate) fn sign_in(app: &mut App) -> Option<SignIn> {
    let sign_in = app.session().accounts().sign_in();
    if sign_in.is_none() {
        app.hint(Token::Warning, "credentials cannot be stored here");
    }
    sign_in
}

fn pick_login(app: &mut App) {
    let Some(sign_in) = sign_in(app) else { return };
    app.open_soon("Sign in to a provider");
    app.spawn(async move {
        let rows = tokio::task::spawn_blocking(move || logins(&sign_in)).await.unwrap_or_default();
        Box::new(move |app: &mut App| {
            let choice = |(row, stored): &(LoginRow, bool)| {
                let group = match row.kind {
                    LoginKind::Account => "Accounts",
                    LoginKind::ApiKey => "API keys",
                };
                let detail = if *stored { format!("{}, signed in", row.name) } else { row.name.clone() };
                match row.is_common() || *stored {
                    true => Choice::new(&row.id).detail(detail).group("Common"),
                    false => Choice::new(&row.id).detail(detail).group(group).on_search(),
                }
            };
            let rare = rows.iter().filter(|(row, stored)| !row.is_common() && !stored).count();
            let more = (rare > 0).then(|| {
                Choice::all_options(format!("{rare} more providers"))
                    .detail("or type to search")
                    .group("Common")
            });
            let list = Selector::new("Sign in to a provider", rows.iter().map(choice).chain(more).collect());
            let answered = move |app: &mut App, chosen: Option<usize>| {
                if let Some((row, _)) = chosen.and_then(|place| rows.into_iter().nth(place)) {
                    begin_login(app, row, false);
                }
            };
            app.opened(List::new(list.hint(HINT), Box::new(answered)));
        }) as Task
    });
}

/// Begins the login of that name. `whole` is for one that stands before the wizard.
pub(crate) fn find_login(app: &mut App, id: String, whole: bool) {
    let Some(sign_in) = sign_in(app) else { return };
    app.spawn(async move {
        let found = tokio::task::spawn_blocking(move || sign_in.find(&id)).await;
        Box::new(move |app: &mut App| match found {
            Ok(Ok(row)) => begin_login(app, row, whole),
            Ok(Err(error)) => {
                app.hint(Token::Warning, format!("{} Run /login to list providers.", sentence(&error)));
            }
            Err(_) => {}
        }) as Task
    });
}

fn begin_login(app: &mut App, row: LoginRow, whole: bool) {
    if app.panels.setup.login.is_some() {
        show_login(app);
        return;
    }
    let Some(sign_in) = sign_in(app) else { return };
    let asks = if row.kind == LoginKind::ApiKey { Asks::Key } else { Asks::Nothing };
    let mut machine = Machine::new(&row.name, asks);
    if let Some(page) = row.key_page.filter(|_| asks == Asks::Key) {
        machine.open(page);
    }
    let machine = Rc::new(RefCell::new(machine));
    let cancel = CancellationToken::new();
    let (lines, entered) = mpsc::unbounded_channel();
    let panel = Login::new(Rc::clone(&machine), &app.composer.keys, whole);
    app.panels.setup.login = Some(Pending { row: row.clone(), machine, cancel: cancel.clone(), lines });
    app.open_in_front(panel);
    if asks != Asks::Key {
        let sitter = Sitter { tasks: app.tasks.clone(), lines: Mutex::new(entered) };
        app.spawn(async move {
            let ended = sign_in.account(&row, &sitter, &cancel).await;
            Box::new(move |app: &mut App| login_ended(app, ended)) as Task
        });
    }
}

fn login_says(app: &mut App, notice: Notice) {
    let Some(pending) = &app.panels.setup.login else { return };
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
    app.surface.changed();
}

/// A line was entered: an address, a code or a key.
pub(crate) fn answer_login(app: &mut App, line: String) {
    let Some(pending) = &app.panels.setup.login else { return };
    if pending.row.kind == LoginKind::Account {
        // A login that just ended has no use for it.
        let _ = pending.lines.send(line);
        return;
    }
    let (row, cancel) = (pending.row.clone(), pending.cancel.clone());
    let Some(sign_in) = sign_in(app) else { return };
    app.spawn(async move {
        let ended = sign_in.key(&row, &line, &cancel).await;
        Box::new(move |app: &mut App| {
            // Who cancelled it has been told, and may have begun another login since.
            if !(cancel.is_cancelled() && ended.is_err()) {
                key_looked_at(app, ended);
            }
        }) as Task
    });
}

/// A key that is no use can be given again.
fn key_looked_at(app: &mut App, ended: Result<SignedIn, SignInError>) {
    match (&app.panels.setup.login, &ended) {
        (Some(pending), Err(error @ (SignInError::Refused(_) | SignInError::Key(_)))) => {
            pending.machine.borrow_mut().say(sentence(error));
            app.surface.changed();
        }
        _ => login_ended(app, ended),
    }
}

fn login_ended(app: &mut App, ended: Result<SignedIn, SignInError>) {
    app.panels.setup.login = None;
    app.close::<Login>();
    match ended {
        Ok(signed_in) => show_signed_in(app, &signed_in),
        Err(error) => app.say(Level::Warning, &sentence(&error)),
    }
    app.surface.changed();
}

fn show_signed_in(app: &mut App, signed_in: &SignedIn) {
    let SignedIn { provider, identity, remark } = signed_in;
    let text = match identity {
        Some(identity) => format!("Logged in to {provider} as {identity}"),
        None => format!("Saved the API key for {provider}"),
    };
    app.say(Level::Info, &text);
    if let Some(remark) = remark {
        app.say(Level::Warning, &format!("could not verify the key: {provider}: {remark}"));
    }
    if app.panels.panel::<Wizard>().is_some() {
        setup::renew_providers(app);
    }
    let session = app.session();
    app.spawn(async move {
        let moved = session.models().leave_demo().await;
        Box::new(move |app: &mut App| {
            if let Ok(Some(model)) = moved {
                app.say(Level::Info, &format!("Using {model}. Change it with /model."));
                app.refresh();
            }
        }) as Task
    });
}

/// Ends the login; nothing is stored.
pub(crate) fn cancel_login(app: &mut App) {
    let Some(pending) = &app.panels.setup.login else { return };
    pending.cancel.cancel();
    if pending.row.kind == LoginKind::ApiKey {
        login_ended(app, Err(SignInError::Cancelled));
    }
}

/// The login continues while the editor is back.
pub(crate) fn park_login(app: &mut App) {
    if app.panels.setup.login.is_some() {
        let text = "Login continues in the background. /login shows it again, /login <url> completes it.";
        app.hint(Token::Muted, text);
    }
}

pub(crate) fn copy_address(app: &mut App, address: &str) {
    attaching::copy(app, address);
}

/// `/logout`: a list, or a provider.
pub(crate) fn logout(app: &mut App, provider: &str) {
    let Some(sign_in) = sign_in(app) else { return };
    if !provider.is_empty() {
        forget(app, sign_in, provider.to_owned());
        return;
    }
    app.open_soon("Log out of a provider");
    app.spawn(async move {
        let asked = sign_in.clone();
        let stored = tokio::task::spawn_blocking(move || asked.stored()).await;
        Box::new(move |app: &mut App| match stored {
            Ok(Ok(stored)) if !stored.is_empty() => {
                let list = Selector::new("Log out of a provider", stored.iter().map(Choice::new).collect());
                let answered = move |app: &mut App, chosen: Option<usize>| {
                    if let Some(provider) = chosen.and_then(|place| stored.into_iter().nth(place)) {
                        forget(app, sign_in, provider);
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

fn forget(app: &mut App, sign_in: SignIn, provider: String) {
    let name = provider.clone();
    app.spawn(async move {
        let forgotten = tokio::task::spawn_blocking(move || sign_in.forget(&provider)).await;
        Box::new(move |app: &mut App| match forgotten {
            Ok(Ok(1)) => app.say(Level::Info, &format!("Logged out of {name}: 1 credential removed")),
            Ok(Ok(count)) => {
                app.say(Level::Info, &format!("Logged out of {name}: {count} credentials removed"));
            }
            Ok(Err(error)) => app.hint(Token::Warning, sentence(&error)),
            Err(_) => {}
        }) as Task
    });
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
