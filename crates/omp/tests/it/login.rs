//! Credentials as a user has them: stored, chosen, renewed, forgotten.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;
use omp_testkit::oauth::{Fault, OAuthOptions, OAuthServer, browse};
use omp_testkit::{Home, Output, RecordedRequest, Reply, Running, Scenario, Server, Wire, run, start};
use serde_json::json;

use crate::support::{LIMIT, omp, omp_run, wait_for_stderr};

/// A built-in provider at the address of the scripted server.
fn groq_home(server: &Server) -> Home {
    let home = Home::new();
    write_models(&home, server, "");
    home
}

fn write_models(home: &Home, server: &Server, lines: &str) {
    let base = server.base_url_for(Wire::OpenAiCompletions);
    home.write("home/.omp/agent/models.yml", format!("providers:\n  groq:\n    baseUrl: {base}\n{lines}"));
}

const ASK: [&str; 4] = ["-p", "--model", "groq/scripted", "hello"];

fn store_key(home: &Home, provider: &str, key: &str) -> Output {
    run(omp(home, &["login", provider, "--with-key"]), Some(format!("{key}\n").as_bytes()), LIMIT)
}

pub(crate) fn ask(home: &Home, extra: &[&str], variables: &[(&str, &str)]) -> Output {
    let arguments: Vec<&str> = extra.iter().chain(&ASK).copied().collect();
    let mut command = omp(home, &arguments);
    command.envs(variables.iter().copied());
    run(command, Some(b""), LIMIT)
}

fn keys(requests: &[RecordedRequest]) -> Vec<String> {
    let bearer = |request: &RecordedRequest| {
        request.header("authorization").and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned)
    };
    requests.iter().filter_map(bearer).collect()
}

fn answering() -> Server {
    Server::start(Scenario::dynamic(|_| Reply::new().text("ok")))
}

/// A home whose provider `groq` is nowhere, so that nobody outside is asked about a key.
fn closed_home() -> Home {
    let home = Home::new();
    home.write("home/.omp/agent/models.yml", "providers:\n  groq:\n    baseUrl: http://127.0.0.1:9/v1\n");
    home
}

/// A home that can log in to `corp` at the authorization server, and whose provider `corp` is the scripted server.
pub(crate) fn corp_home(oauth: &OAuthServer, models: Option<&Server>) -> Home {
    let home = Home::new();
    let provider = if models.is_some() { "groq" } else { "corp" };
    home.write("home/.omp/agent/logins.json", oauth.corp_logins(provider).to_string());
    if let Some(server) = models {
        write_models(&home, server, "");
    }
    home
}

fn shown_address(stderr: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| line.starts_with("http://"));
    line.unwrap_or_else(|| panic!("no address in {stderr}")).to_owned()
}

/// Logs in with a browser and returns what was printed.
pub(crate) fn log_in(home: &Home) -> Output {
    let running = start(omp(home, &["login", "corp-login"]));
    let address = shown_address(&wait_for_stderr(&running, "Browser on another machine?"));
    assert_eq!(browse(&address).status, 200);
    running.wait(LIMIT)
}

/// Each place in turn: what is higher hides what is lower.
// proves: AUT-001, AUT-002, AUT-003, AUT-004
#[test]
fn the_documented_place_of_a_key_wins() {
    let server = answering();
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, Some(&server));
    let variable = [("GROQ_API_KEY", "from-env")];
    ask(&home, &[], &variable).assert_success();
    log_in(&home).assert_success();
    let account = oauth.last_access_token().unwrap();
    ask(&home, &[], &variable).assert_success();
    store_key(&home, "groq", "stored").assert_success();
    ask(&home, &[], &variable).assert_success();
    write_models(&home, &server, "    apiKey: from-file\n");
    ask(&home, &[], &variable).assert_success();
    let before = home.read_bytes("home/.omp/agent/agent.db");
    ask(&home, &["--api-key", "from-flag"], &variable).assert_success();
    let wanted = ["from-env", account.as_str(), "stored", "from-file", "from-flag"];
    assert_eq!(keys(&server.requests()), wanted);
    assert_eq!(home.read_bytes("home/.omp/agent/agent.db"), before);
    assert!(
        !home
            .list_files()
            .iter()
            .any(|file| home.read_bytes(file).windows(9).any(|part| part == b"from-flag"))
    );
    server.finish();
}

// proves: AUT-005, AUT-017
#[test]
fn keys_are_kept_privately_and_models_become_ready() {
    let server = answering();
    let home = groq_home(&server);
    let ready =
        |home: &Home| omp_run(home, &["models", "groq", "--json"]).stdout.contains("\"available\": true");
    assert!(!ready(&home));
    assert!(!home.exists("home/.omp/agent/agent.db"), "nothing is created before it is needed");
    let stored = store_key(&home, "groq", "  sk-secret-1 ");
    stored.assert_success();
    assert!(ready(&home));
    let mode = home.path("home/.omp/agent/agent.db").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    ask(&home, &[], &[]).assert_success();
    assert_eq!(keys(&server.requests()), ["sk-secret-1"]);
    assert!(!(stored.stdout + &stored.stderr).contains("sk-secret-1"));
}

#[test]
fn keys_that_cannot_be_keys_are_refused_with_a_sentence() {
    let home = closed_home();
    for (input, words) in
        [("", "no key given"), (" \n", "empty"), ("sk one\n", "spaces"), ("schlüssel\n", "characters")]
    {
        let output = run(omp(&home, &["login", "groq"]), Some(input.as_bytes()), LIMIT);
        assert_eq!(output.code, Some(1), "{input:?}");
        assert!(output.stderr.contains(words), "{input:?}: {}", output.stderr);
        assert!(!output.stderr.contains("sk one"), "{}", output.stderr);
    }
    assert!(!home.exists("home/.omp/agent/agent.db"));
}

/// One key is exhausted: the sibling goes on at once, and the next run begins with it.
// proves: AUT-013
#[test]
fn an_exhausted_key_hands_over_to_its_sibling() {
    // As long as nothing is wrong with it, a session stays with the key that it began with.
    let look = || Reply::new().tool_call("bash", json!({"_i": "x", "command": "true"}));
    let server = Server::start([look(), look(), Reply::new().text("one"), Reply::new().text("two")]);
    let home = groq_home(&server);
    for key in ["key-1", "key-2"] {
        store_key(&home, "groq", key).assert_success();
    }
    ask(&home, &[], &[]).assert_success();
    ask(&home, &["--continue"], &[]).assert_success();
    let used = keys(&server.requests());
    assert!(used.len() == 4 && used.iter().all(|key| *key == used[0]), "{used:?}");
    server.finish();
    for text in ["You have hit your usage limit", "Rate limit reached"] {
        let server = Server::start(Scenario::dynamic(move |request| {
            match request.header("authorization").unwrap().ends_with("key-1") {
                true => {
                    Reply::status(429).header("retry-after", "3600").body(json!({"error": {"message": text}}))
                }
                false => Reply::new().text("from the sibling"),
            }
        }));
        let home = groq_home(&server);
        store_key(&home, "groq", "key-1").assert_success();
        store_key(&home, "groq", "key-2").assert_success();
        for _ in 0..2 {
            let output = ask(&home, &[], &[]);
            output.assert_success();
            assert_eq!(output.stdout, "from the sibling\n");
        }
        assert_eq!(keys(&server.requests()), ["key-1", "key-2", "key-2"], "{text}");
    }
}

// proves: AUT-013, AUT-014
#[test]
fn a_refused_credential_is_renewed_then_replaced() {
    let server = Server::start(Scenario::dynamic(|request| {
        match request.header("authorization").unwrap().ends_with("key-2") {
            true => Reply::new().text("accepted"),
            false => Reply::status(401).body(json!({"error": {"message": "no such key"}})),
        }
    }));
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, Some(&server));
    store_key(&home, "groq", "key-1").assert_success();
    store_key(&home, "groq", "key-2").assert_success();
    let output = ask(&home, &[], &[]);
    output.assert_success();
    assert_eq!(keys(&server.requests()), ["key-1", "key-2"]);

    let alone = corp_home(&oauth, Some(&server));
    log_in(&alone).assert_success();
    let first = oauth.last_access_token().unwrap();
    let output = ask(&alone, &[], &[]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("no such key"), "the provider's own words: {}", output.stderr);
    let renewed = oauth.last_access_token().unwrap();
    assert_eq!(keys(&server.requests())[2..], [first, renewed]);
    assert_eq!(oauth.refreshes(), 1);
    oauth.assert_clean();
}

// proves: AUT-017, AUT-023
#[test]
fn a_browser_login_is_stored_for_its_provider_and_used() {
    let server = answering();
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, Some(&server));
    let output = log_in(&home);
    output.assert_success();
    assert_eq!(output.stdout, "Logged in to groq as one@example.org\n");
    ask(&home, &[], &[]).assert_success();
    assert_eq!(keys(&server.requests()), [oauth.last_access_token().unwrap()]);
    assert!(!(output.stdout + &output.stderr).contains("access-"));
    oauth.assert_clean();
}

#[test]
fn a_code_login_works_and_the_same_account_stays_one() {
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, None);
    for _ in 0..2 {
        let running = start(omp(&home, &["login", "corp-device"]));
        let said = wait_for_stderr(&running, "USER-");
        let code = said.split_whitespace().find(|word| word.starts_with("USER-")).unwrap();
        assert!(oauth.approve_device(code), "{said}");
        running.wait(LIMIT).assert_success();
    }
    let output = omp_run(&home, &["logout", "corp"]);
    assert_eq!(output.stdout, "Logged out of corp (1 credential removed)\n");
}

/// The browser is on another machine: its last address is pasted.
#[test]
fn the_callback_address_can_be_pasted() {
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, None);
    let mut running = start(omp(&home, &["login", "corp-login"]));
    let address = shown_address(&wait_for_stderr(&running, "Browser on another machine?"));
    running.write(b"http://localhost:1/cb?code=x&state=forged\n");
    wait_for_stderr(&running, "belongs to another login");
    let state = address.split("&state=").nth(1).unwrap().split('&').next().unwrap();
    let code = oauth.code_for(&address);
    running.write(format!("http://localhost:1/cb?code={code}&state={state}\n").as_bytes());
    running.wait(LIMIT).assert_success();
    oauth.assert_clean();
}

#[test]
fn refused_and_cancelled_logins_store_nothing() {
    let oauth = OAuthServer::start_with(OAuthOptions { denies: true, ..OAuthOptions::default() });
    let home = corp_home(&oauth, None);
    let running = start(omp(&home, &["login", "corp-login"]));
    let address = shown_address(&wait_for_stderr(&running, "Browser on another machine?"));
    assert_eq!(browse(&address).status, 400);
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("Not today"), "{}", output.stderr);

    let running = start(omp(&home, &["login", "corp-login"]));
    wait_for_stderr(&running, "Browser on another machine?");
    running.signal(2);
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(130));
    assert!(output.stderr.contains("cancelled"), "{}", output.stderr);
    assert!(!home.exists("home/.omp/agent/agent.db"));
}

fn token_command(home: &Home) -> Command {
    omp(home, &["token", "corp"])
}

/// A home whose stored access token must be renewed at once.
fn home_to_renew(oauth: &OAuthServer) -> Home {
    oauth.set_lifetime_seconds(30);
    let home = corp_home(oauth, None);
    log_in(&home).assert_success();
    oauth.set_lifetime_seconds(3600);
    home
}

/// Ten programs find the same token at its end.
// proves: AUT-008
#[test]
fn ten_processes_renew_once_and_all_have_the_new_token() {
    let oauth = OAuthServer::start();
    let home = home_to_renew(&oauth);
    oauth.next(Fault::Slow(Duration::from_millis(300)));
    let asked = oauth.token_requests();
    let running: Vec<Running> = (0..10).map(|_| start(token_command(&home))).collect();
    for process in running {
        let output = process.wait(LIMIT);
        output.assert_success();
        assert_eq!(output.stdout.trim(), oauth.last_access_token().unwrap());
    }
    assert_eq!(oauth.token_requests() - asked, 1);
    oauth.assert_clean();
}

/// Whoever renews is killed while the server thinks: the next one finds no lock and a whole database.
#[test]
fn a_process_killed_during_a_renewal_leaves_nothing_behind() {
    let oauth = OAuthServer::start();
    let home = home_to_renew(&oauth);
    oauth.next(Fault::Hang);
    let asked = oauth.token_requests();
    let killed = start(token_command(&home));
    oauth.wait_for_token_requests(asked + 1, LIMIT);
    killed.signal(9);
    assert_eq!(killed.wait(LIMIT).signal, Some(9));
    let output = run(token_command(&home), Some(b""), LIMIT);
    output.assert_success();
    assert_eq!(output.stdout.trim(), oauth.last_access_token().unwrap());
    assert_eq!(oauth.refreshes(), 1);
    oauth.assert_clean();
}

// proves: AUT-009
#[test]
fn a_login_that_is_no_longer_accepted_asks_for_a_new_one() {
    let server = answering();
    let oauth = OAuthServer::start();
    oauth.set_lifetime_seconds(0);
    let home = corp_home(&oauth, Some(&server));
    log_in(&home).assert_success();
    oauth.next(Fault::Answer(500, "{}".to_owned()));
    let down = omp_run(&home, &["token", "groq"]);
    assert_eq!(down.code, Some(1));
    assert!(down.stderr.contains("it is kept"), "{}", down.stderr);
    oauth.revoke_all();
    for _ in 0..2 {
        let output = ask(&home, &[], &[]);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("omp login groq"), "{}", output.stderr);
    }
    ask(&home, &[], &[("GROQ_API_KEY", "from-env")]).assert_success();
    assert_eq!(keys(&server.requests()), ["from-env"], "what comes next in the order still works");
    log_in(&home).assert_success();
}

// proves: CLI-102
#[test]
fn token_prints_the_credential_and_nothing_else() {
    let server = answering();
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, None);
    write_models(&home, &server, "");
    let none = omp_run(&home, &["token", "groq"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
    store_key(&home, "groq", r#"{"token": "inner", "project": "p"}"#).assert_success();
    assert_eq!(omp_run(&home, &["token", "groq"]).stdout, "inner\n");
    assert_eq!(
        omp_run(&home, &["token", "groq", "--raw"]).stdout,
        "{\"token\":\"inner\",\"project\":\"p\"}\n"
    );
    let other = omp_run(&home, &["token", "mistral"]);
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("mistral") && other.stderr.contains("groq"), "{}", other.stderr);
    let mut command = omp(&home, &["token", "mistral"]);
    command.env("MISTRAL_API_KEY", "from-env");
    assert_eq!(run(command, Some(b""), LIMIT).stdout, "from-env\n");

    log_in(&home).assert_success();
    let first = omp_run(&home, &["token", "corp"]).stdout;
    assert_eq!(first.trim(), oauth.last_access_token().unwrap());
    let second = omp_run(&home, &["token", "corp", "--force-refresh"]).stdout;
    assert_eq!(second.trim(), oauth.last_access_token().unwrap());
    assert_ne!(first, second);
}

/// Without a name there is a list, and a number or a name chooses.
// proves: AUT-016, MOD-211
#[test]
fn login_and_logout_offer_a_list() {
    let oauth = OAuthServer::start();
    let home = corp_home(&oauth, None);
    home.write("home/.omp/agent/models.yml", "providers:\n  groq:\n    baseUrl: http://127.0.0.1:9/v1\n");
    let nothing = omp_run(&home, &["logout"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), "No stored credentials\n"));
    let list = omp_run(&home, &["login"]);
    assert_eq!(list.code, Some(1));
    let position = |name: &str| list.stderr.find(name).unwrap_or_else(|| panic!("{name}: {}", list.stderr));
    let order = [
        "anthropic  Anthropic",
        "openai-codex  ChatGPT",
        "github-copilot  GitHub Copilot",
        "openai  OpenAI (API key)",
        "openai-codex-device",
        "kimi-code  Kimi Code",
        "qwen-portal  Qwen",
        "xai-oauth  xAI",
        "corp-login  Corp",
        "groq  Groq (API key)",
    ];
    assert!(order.is_sorted_by_key(|name| position(name)), "{}", list.stderr);

    let number = list.stderr.lines().find(|line| line.contains("groq  Groq (API key)")).unwrap();
    let number = number.split_whitespace().next().unwrap();
    let chosen = run(omp(&home, &["login"]), Some(format!("{number}\nkey-1\n").as_bytes()), LIMIT);
    chosen.assert_success();
    let unknown = run(omp(&home, &["login"]), Some(b"nobody\n"), LIMIT);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("nobody") && unknown.stderr.contains("openai-codex,"),
        "{}",
        unknown.stderr
    );

    let wrong = omp_run(&home, &["logout", "nobody"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("Stored credentials: groq"), "{}", wrong.stderr);
    let out = run(omp(&home, &["logout"]), Some(b"1\n"), LIMIT);
    assert_eq!(out.stdout, "Logged out of groq (1 credential removed)\n");
    assert_eq!(omp_run(&home, &["logout"]).stdout, "No stored credentials\n");
}

/// A store that cannot be read is named and left alone; other places of keys go on working.
#[test]
fn a_damaged_store_does_not_stop_a_session() {
    let server = answering();
    let home = groq_home(&server);
    let damaged = "no database at all, and long enough to be looked at twice\n".repeat(50);
    home.write("home/.omp/agent/agent.db", &damaged);
    let output = ask(&home, &[], &[("GROQ_API_KEY", "from-env")]);
    output.assert_success();
    assert!(output.stderr.contains("agent.db") && output.stderr.contains("damaged"), "{}", output.stderr);
    let login = store_key(&home, "groq", "key-1");
    assert_eq!(login.code, Some(1));
    assert!(login.stderr.contains("damaged"), "{}", login.stderr);
    assert_eq!(home.read("home/.omp/agent/agent.db"), damaged);
}

#[test]
fn a_mistake_in_the_users_logins_is_named() {
    let home = Home::new();
    home.write("home/.omp/agent/logins.json", r#"[{"id": "x", "clientID": "y"}]"#);
    let output = omp_run(&home, &["logout"]);
    output.assert_success();
    assert!(output.stderr.contains("logins.json") && output.stderr.contains("clientID"), "{}", output.stderr);
}

/// The first logins of ten programs make one database, and nobody hears that it is locked.
#[test]
fn ten_logins_at_once_are_all_kept() {
    let home = closed_home();
    let mut running: Vec<Running> = (0..10).map(|_| start(omp(&home, &["login", "groq"]))).collect();
    for (number, process) in running.iter_mut().enumerate() {
        process.write(format!("key-{number}\n").as_bytes());
    }
    for process in running {
        process.wait(LIMIT).assert_success();
    }
    assert_eq!(omp_run(&home, &["logout", "groq"]).stdout, "Logged out of groq (10 credentials removed)\n");
}

// proves: AUT-011
#[test]
fn the_projects_env_file_may_hold_a_key() {
    let server = answering();
    let home = groq_home(&server);
    home.write("work/.env", "GROQ_API_KEY=from-dotenv\n");
    ask(&home, &[], &[]).assert_success();
    assert_eq!(keys(&server.requests()), ["from-dotenv"]);
}

// proves: AUT-012
#[test]
fn a_provider_without_keys_is_ready_and_sends_none() {
    let server = Server::start(Scenario::dynamic(|_| Reply::new().text("ok")).keyless(true));
    let home = groq_home(&server);
    write_models(&home, &server, "    auth: none\n");
    ask(&home, &[], &[]).assert_success();
    assert_eq!(server.requests()[0].header("authorization"), None);
}

/// Does the terminal show what is typed?
fn echoes(terminal: &impl AsFd) -> bool {
    tcgetattr(terminal).unwrap().local_flags.contains(LocalFlags::ECHO)
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A key typed at a terminal is not shown; Ctrl+C gives the terminal back as it was.
#[test]
fn a_typed_key_is_not_shown_and_the_echo_comes_back() {
    let home = closed_home();
    for ending in [Some("sk-typed\n"), None] {
        let pty = openpty(None, None).unwrap();
        let mut command = omp(&home, &["login", "groq"]);
        command.stdin(pty.slave.try_clone().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait_until("the echo is still on", || !echoes(&pty.slave));
        match ending {
            Some(line) => File::from(pty.master.try_clone().unwrap()).write_all(line.as_bytes()).unwrap(),
            None => kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap(),
        }
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(said.contains("Create an API key for groq at https://console.groq.com/keys"), "{said}");
        assert_eq!(status.code(), Some(if ending.is_some() { 0 } else { 130 }));
        assert!(echoes(&pty.slave));
        drop(pty.slave);
        drop(command);
        let mut shown = Vec::new();
        // The other side is closed, which a terminal reports as an error after the last byte.
        let _ = File::from(pty.master).read_to_end(&mut shown);
        assert!(!String::from_utf8_lossy(&shown).contains("sk-typed"));
    }
    assert_eq!(omp_run(&home, &["token", "groq"]).stdout, "sk-typed\n");
}
