//! Errors that say where to fix them.

use omp_testkit::{Home, Reply, Server, run};

use crate::support::{LIMIT, omp, omp_run};

const REFUSED: u16 = 401;
const UNKNOWN: u16 = 404;

/// What is said about one failure, with these lines for the provider's key.
fn told(status: u16, key: &str, prepare: impl FnOnce(&Home, &mut std::process::Command)) -> String {
    let body = serde_json::json!({"error": {"message": "scripted refusal"}});
    let server = Server::start([Reply::status(status).body(body)]);
    let home = Home::new();
    let models = format!(
        "providers:\n  acme:\n    baseUrl: {}/v1\n    api: openai-completions\n{key}    models: [{{id: m1}}]\n",
        server.base_url()
    );
    home.write("home/.omp/agent/models.yml", models);
    let mut command = omp(&home, &["-p", "x"]);
    prepare(&home, &mut command);
    let output = run(command, Some(b""), LIMIT);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stderr.contains("scripted refusal"), "{}", output.stderr);
    output.stderr
}

/// The key of a provider can be in five places; the one it came from is named, with the command that gives another.
#[test]
fn a_refused_key_is_named_by_its_origin() {
    let file = "The key is apiKey of acme in ~/.omp/agent/models.yml: edit it there";
    let said = told(REFUSED, "    apiKey: sk-literal\n", |_, _| {});
    assert!(said.contains(file) && !said.contains("sk-literal"), "{said}");

    let said = told(REFUSED, "    apiKey: ACME_API_KEY\n", |_, _| {});
    let unset = "apiKey of acme in ~/.omp/agent/models.yml names the variable ACME_API_KEY, which is not set";
    assert!(said.contains(unset), "{said}");

    let log_in = "run /login acme (in a shell: omp login acme)";
    let said = told(REFUSED, "    apiKeyEnv: ACME_API_KEY\n", |_, command| {
        command.env("ACME_API_KEY", "sk-set");
    });
    assert!(
        said.contains(&format!("The key is in the variable ACME_API_KEY: set another one, or {log_in}")),
        "{said}"
    );

    let said = told(REFUSED, "    apiKeyEnv: ACME_API_KEY\n", |home, _| {
        home.write("home/.env", "ACME_API_KEY=sk-file\n");
    });
    assert!(
        said.contains(&format!("The key is ACME_API_KEY in ~/.env: edit it there, or {log_in}")),
        "{said}"
    );

    let said = told(REFUSED, "    apiKey: sk-literal\n", |_, command| {
        command.args(["--model", "acme/m1", "--api-key", "sk-given"]);
    });
    assert!(said.contains("The key was given with --api-key: pass another one"), "{said}");
}

#[test]
fn an_unknown_model_is_told_with_its_address_and_the_list() {
    let said = told(UNKNOWN, "    apiKey: sk-literal\n", |_, _| {});
    assert!(said.contains("m1 was asked for at http://127.0.0.1:"), "{said}");
    assert!(said.contains("choose another model with /model (in a shell: omp models acme)"), "{said}");
    assert!(said.contains("check id and baseUrl of acme in ~/.omp/agent/models.yml"), "{said}");
}

/// A model that runs on this machine and is not there does not come while one waits; another one may answer.
#[test]
fn a_local_port_that_refuses_is_not_retried_but_replaced() {
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start([Reply::new().text("from the other")]);
    let home = Home::new();
    let provider = |name: &str, base: &str| {
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    apiKey: k\n    models: [{{id: m1}}]\n"
        )
    };
    let (here, there) = (
        provider("here", &format!("http://{dead}/v1")),
        provider("there", &format!("{}/v1", server.base_url())),
    );
    home.write("home/.omp/agent/models.yml", format!("providers:\n{here}{there}"));
    let output = omp_run(&home, &["-p", "--model", "here/m1", "x"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains(&format!("cannot connect to http://{dead}")), "{}", output.stderr);
    assert!(
        output.stderr.contains("Start the server, or choose another model with /model"),
        "{}",
        output.stderr
    );
    assert!(!output.stderr.contains("Retrying"), "{}", output.stderr);

    home.write(
        "home/.omp/agent/config.yml",
        "modelRoles:\n  default: here/m1\nretry:\n  fallbackChains:\n    default: [there/m1]\n",
    );
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert_eq!(output.stdout, "from the other\n");
    server.finish();
}

#[test]
fn mistyped_words_are_refused_with_a_suggestion() {
    let home = Home::new();
    let output = omp_run(&home, &["-p", "--thinking", "hgih", "x"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("for --thinking, got \"hgih\": did you mean high?"), "{}", output.stderr);
    home.write("home/.omp/agent/config.yml", "theme:\n  dark: titanium\n");
    let output = omp_run(&home, &["config", "set", "theme.dark", "titanum"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("theme not found: titanum: did you mean titanium?"), "{}", output.stderr);
    assert_eq!(home.read("home/.omp/agent/config.yml"), "theme:\n  dark: titanium\n");
}
