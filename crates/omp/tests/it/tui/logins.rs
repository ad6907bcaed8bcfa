//! Signing in and out inside a session.

use omp_testkit::oauth::{OAuthServer, browse};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};

use super::Screen;

const DATABASE: &str = "home/.omp/agent/agent.db";

/// The provider `groq` is the scripted server, and there are two ways to sign in to it beside a key.
fn home(oauth: &OAuthServer, server: &Server) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    home.write("home/.omp/agent/models.yml", format!("providers:\n  groq:\n    baseUrl: {base}\n"));
    home.write("home/.omp/agent/logins.json", oauth.corp_logins("groq").to_string());
    home
}

fn answering() -> Server {
    Server::start(Scenario::dynamic(|_| Reply::new().text("an-answer")))
}

fn screen() -> (Screen, OAuthServer) {
    let (oauth, server) = (OAuthServer::start(), answering());
    let home = home(&oauth, &server);
    (Screen::in_home(home, server, &[], 40, 120), oauth)
}

/// The address on the screen, which takes several rows.
fn address(screen: &Screen) -> String {
    let shown = screen.terminal.screen();
    let rows = shown.lines().map(str::trim).skip_while(|row| !row.starts_with("http://"));
    rows.take_while(|row| !row.contains(' ')).collect()
}

/// The credential of a request.
fn bearer(screen: &Screen) -> String {
    let requests = screen.server.requests();
    let header =
        requests.last().expect("a request").header("authorization").expect("a credential").to_owned();
    header.strip_prefix("Bearer ").expect("a bearer").to_owned()
}

/// Nothing can be chosen before; after the login the model answers, in the same program.
///
/// proves: AUT-027, MOD-107, CLI-262
#[test]
fn a_browser_login_makes_models_usable_at_once() {
    let (mut screen, oauth) = screen();
    screen.wait_for("No model available").wait_for("/login or /setup").wait_for("ANTHROPIC_API_KEY");
    screen.say("/model").wait_for("no other model is available").send("\x15");
    screen
        .say("/login")
        .wait_for("Sign in to a provider")
        .send("corp-login")
        .wait_for("❯ corp-login")
        .send("\r");
    screen.wait_for("Sign in to Corp").wait_for("Paste the final URL");
    assert_eq!(browse(&address(&screen)).status, 200);
    screen.wait_for("Logged in to groq as").wait_for("Using groq/");
    screen.say("/model").wait_for("Choose a model").wait_for("❯ groq/").send("\x1b").wait_for("Ask anything");
    screen.say("/model groq/scripted").wait_for("Switched to groq/scripted");
    screen.say("hello").wait_for("an-answer");
    assert_eq!(Some(bearer(&screen)), oauth.last_access_token());
    let history = screen.terminal.history().join("\n");
    assert!(!history.contains(&oauth.last_access_token().unwrap()), "{history}");
    oauth.assert_clean();
}

/// A login can wait while the editor is back, and a pasted address completes it. Two logins at once are one too many.
///
/// proves: CLI-202
#[test]
fn a_login_is_completed_by_an_address() {
    let (mut screen, oauth) = screen();
    screen.say("/login http://localhost/cb?code=x&state=y").wait_for("no login is waiting for a URL");
    screen.say("/login nobody").wait_for("Provider \"nobody\" is not known.");
    screen.say("/login corp-login").wait_for("Paste the final URL");
    let code = oauth.code_for(&address(&screen));
    screen.send("\t").wait_for("Login continues in the background.").wait_for("Ask anything");
    screen
        .say("/login corp-device")
        .wait_for("a login to Corp is already in progress")
        .wait_for("Paste the final URL");
    screen.send("\t").wait_for("Login continues in the background.");
    screen.say("/login http://localhost/cb?code=wrong&state=wrong").wait_for("Checking the URL");
    screen.say("/login").wait_for("belongs to another login");
    // What is pasted into the panel does the same.
    screen.send(&format!("\x1b[200~{code}\x1b[201~")).send("\r").wait_for("Logged in to groq as");
    screen.say("/login corp-login").wait_for("Paste the final URL");
    let address = address(&screen);
    screen.send("\t").wait_for("Login continues in the background.");
    let state = address.split(['?', '&']).find_map(|part| part.strip_prefix("state=")).unwrap().to_owned();
    let code = oauth.code_for(&address);
    screen.send(&format!("/login http://localhost/cb?code={code}&state={state}\r"));
    screen.terminal.wait_until("two logins", |shown| shown.matches("Logged in to groq as").count() == 2);
}

/// The code is entered elsewhere.
#[test]
fn a_device_login_waits_for_another_device() {
    let (mut screen, oauth) = screen();
    screen.say("/login corp-device").wait_for("and enter the code");
    let shown = screen.terminal.screen();
    let code =
        shown.lines().find_map(|row| row.trim().strip_prefix("and enter the code ")).unwrap().to_owned();
    assert!(oauth.approve_device(code.trim()));
    screen.wait_for("Logged in to groq as");
}

/// A key is typed without being shown; one that the provider does not know is not stored.
///
/// proves: CLI-203
#[test]
fn a_key_is_stored_and_forgotten() {
    let (mut screen, _oauth) = screen();
    screen.say("/logout").wait_for("No stored credentials");
    screen.say("/login groq").wait_for("Paste the API key").wait_for("console.groq.com");
    screen.send("sk secret\r").wait_for("spaces").send("sk-secret-1").wait_for("***********").send("\r");
    screen.wait_for("Saved the API key for groq");
    screen
        .say("/model groq/scripted")
        .wait_for("Switched to groq/scripted")
        .say("hello")
        .wait_for("an-answer");
    assert_eq!(bearer(&screen), "sk-secret-1");
    screen.say("/logout nobody").wait_for("Nothing is stored for nobody. Stored: groq");
    screen.say("/logout").wait_for("Log out of a provider").wait_for("❯ groq").send("\r");
    screen.wait_for("Logged out of groq: 1 credential removed");
    screen.say("/logout groq").wait_for("Nothing is stored for groq.");
    let bytes = screen.terminal.bytes();
    assert!(!bytes.windows(9).any(|part| part == b"sk-secret"), "a key was written to the terminal");
    let stored = screen.home.read_bytes(DATABASE);
    assert!(!stored.windows(11).any(|part| part == b"sk-secret-1"), "the key is still in the database");
}

/// Escape and Ctrl+C end each kind of login; the editor works as before.
///
/// proves: AUT-022
#[test]
fn a_cancelled_login_stores_nothing() {
    let (mut screen, oauth) = screen();
    for (way, sign) in [
        ("corp-login", "Paste the final URL"),
        ("corp-device", "enter the code"),
        ("groq", "Paste the API key"),
    ] {
        for key in ["\x1b", "\x03"] {
            screen.say(&format!("/login {way}")).wait_for(sign).send(key);
            screen.wait_for("Login cancelled; nothing was stored").wait_for("Ask anything");
            screen.say("/new").wait_for("New session started").terminal.wait_without("Login cancelled");
        }
    }
    screen.send("typed afterwards").wait_for("typed afterwards").send("\x03");
    screen.wait_for("Ask anything");
    assert!(!screen.home.exists(DATABASE));
    assert_eq!(oauth.token_requests(), 0);
    screen.send("\x04");
    assert!(screen.terminal.wait_exit().success());
}
