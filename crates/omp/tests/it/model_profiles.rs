//! Model profiles: a name for a model in every role.

use omp_testkit::{Home, Output, Reply, Scenario, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";
const MODELS: &str = "home/.omp/agent/models.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true).repeat(true))
}

/// Two providers, one of which needs a variable, and the profile `team`.
fn home(server: &Server, more: &str) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let provider = |name: &str, auth: &str| {
        format!(
            "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    {auth}\n    models: [{{id: a, reasoning: true, thinking: {{minLevel: low, maxLevel: medium}}}}, {{id: b}}]\n"
        )
    };
    let team = "  team:\n    required_providers: [one, two]\n    model_mapping:\n      default: two/a:xhigh\n      slow: one/b\n      executor: two/b\n";
    home.write(
        MODELS,
        format!(
            "providers:\n{}{}profiles:\n{team}{more}",
            provider("one", "auth: none"),
            provider("two", "apiKeyEnv: TWO_KEY")
        ),
    );
    home
}

fn with_key(home: &Home, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    command.env("TWO_KEY", "k");
    run(command, Some(b""), LIMIT)
}

fn answered(server: &Server, home: &Home, args: &[&str]) -> (String, String) {
    with_key(home, &[&["-p"], args, &["x"]].concat()).assert_success();
    let body = server.requests().last().expect("a request").body.clone();
    let effort = body["reasoning_effort"].as_str().unwrap_or("-").to_owned();
    (body["model"].as_str().expect("a model").to_owned(), effort)
}

fn pair(model: &str, effort: &str) -> (String, String) {
    (model.to_owned(), effort.to_owned())
}

fn profile(output: &Output, name: &str) -> Value {
    let rows: Vec<Value> = serde_json::from_str(&output.stdout).expect("a list");
    rows.into_iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not listed"))
}

/// Roles that the profile names are its own, the others stay; flags for one role and for the model go before. The
/// preview says what would happen, with the level that the model really has.
/// proves: MOD-218
#[test]
fn a_profile_gives_models_to_roles() {
    let server = forever();
    let home = home(&server, "");
    home.write(CONFIG, "modelRoles:\n  default: one/b\n  slow: two/a\n  plan: one/a:low\n");
    assert_eq!(answered(&server, &home, &["--mpreset", "team"]), pair("a", "medium"));
    let with = |selector: &str| answered(&server, &home, &["--mpreset", "team", "--model", selector]);
    assert_eq!(with("pi/slow"), pair("b", "-"));
    assert_eq!(with("pi/plan"), pair("a", "low"), "a role that the profile leaves out");
    assert_eq!(with("pi/executor"), pair("b", "-"));
    assert_eq!(with("one/a:low"), pair("a", "low"));
    let slow = ["--mpreset", "team", "--slow", "one/a:low", "--model", "pi/slow"];
    assert_eq!(answered(&server, &home, &slow), pair("a", "low"), "a flag for one role");

    let preview = with_key(&home, &["models", "profiles", "team"]);
    preview.assert_success();
    assert!(preview.stdout.starts_with("team: ready, yours\n"), "{}", preview.stdout);
    assert!(preview.stdout.contains("  default   two/a:medium\n"), "{}", preview.stdout);
    let row = profile(&with_key(&home, &["models", "profiles", "--json"]), "team");
    assert_eq!(row["models"], json!({"default": "two/a:medium", "slow": "one/b", "executor": "two/b"}));
    assert_eq!((&row["requiredProviders"], &row["missingProviders"]), (&json!(["one", "two"]), &json!([])));
}

/// For one session, unless it is kept: then every session begins with it.
/// proves: MOD-219
#[test]
fn a_profile_can_be_kept() {
    let server = forever();
    let home = home(&server, "");
    let config = "# mine\nmodelRoles:\n  default: one/b\n";
    home.write(CONFIG, config);
    assert_eq!(answered(&server, &home, &["--mpreset", "team"]), pair("a", "medium"));
    assert_eq!(home.read(CONFIG), config);
    assert_eq!(answered(&server, &home, &[]), pair("b", "-"), "it was for one session");

    assert_eq!(answered(&server, &home, &["--mpreset", "team", "--default"]), pair("a", "medium"));
    let kept = home.read(CONFIG);
    assert!(kept.starts_with(config) && kept.contains("modelProfile:\n  default: team\n"), "{kept}");
    assert_eq!(answered(&server, &home, &[]), pair("a", "medium"), "applied at the start");
    assert_eq!(answered(&server, &home, &["--model", "one/b"]), pair("b", "-"));
    let alone = with_key(&home, &["-p", "--default", "x"]);
    assert_eq!(alone.code, Some(1));
    assert!(alone.stderr.contains("--mpreset"), "{}", alone.stderr);
}

/// All providers of a profile must be there; the message says which are not, and nothing is kept.
/// proves: MOD-220
#[test]
fn a_profile_needs_its_providers() {
    let server = forever();
    let home = home(
        &server,
        "  strange:\n    required_providers: [nobody, two]\n    model_mapping: {default: one/b}\n",
    );
    let refused = omp_run(&home, &["-p", "--mpreset", "team", "--default", "x"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("\"team\" needs credentials for two"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("one"), "{}", refused.stderr);
    let strange = omp_run(&home, &["-p", "--mpreset", "strange", "x"]);
    assert_eq!(strange.code, Some(1));
    assert!(strange.stderr.contains("nobody and two"), "{}", strange.stderr);
    assert!(!home.exists(CONFIG) && server.requests().is_empty());
    let unknown = omp_run(&home, &["-p", "--mpreset", "teem", "x"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("did you mean team?"), "{}", unknown.stderr);

    home.write(CONFIG, "modelProfile:\n  default: team\n");
    let output = omp_run(&home, &["-p", "--model", "one/b", "x"]);
    output.assert_success();
    assert!(
        output.stderr.contains("modelProfile.default") && output.stderr.contains("two"),
        "{}",
        output.stderr
    );
}

/// One model for a role; a list is a mistake in the file.
/// proves: MOD-221
#[test]
fn a_role_has_one_model() {
    let server = forever();
    let home = home(&server, "  chain:\n    model_mapping:\n      default: one/a,one/b\n");
    let output = omp_run(&home, &["models"]);
    output.assert_success();
    let said = "profiles.chain.model_mapping.default: \"one/a,one/b\" must be exactly one model";
    assert!(output.stderr.contains(said), "{}", output.stderr);
    assert!(!output.stdout.contains("one/a"), "the file is not used at all");
}

/// The profiles that come with the program, one of which the user describes anew.
/// proves: MOD-222, MOD-223
#[test]
fn some_profiles_come_with_the_program() {
    let server = forever();
    let home = home(&server, "  codex-eco:\n    model_mapping: {default: one/a:high}\n");
    let output = omp_run(&home, &["models", "profiles", "--json"]);
    output.assert_success();
    let families = ["codex", "glm", "kimi-coding-plan", "mimo", "grok", "cursor", "minimax"];
    let tiers =
        families.iter().flat_map(|family| ["eco", "medium", "pro"].map(|tier| format!("{family}-{tier}")));
    let singles = ["opencodego", "claude-opus", "opus-codex", "codex-opencodego"].map(str::to_owned);
    for name in tiers.chain(singles) {
        let row = profile(&output, &name);
        assert_eq!(row["builtin"], name != "codex-eco", "{name}");
        assert!(row["models"]["default"].is_string(), "{row}");
    }
    let own = profile(&output, "codex-eco");
    assert_eq!(own["models"], json!({"default": "one/a:medium"}), "the user's, within the model's range");
    assert_eq!(profile(&output, "opus-codex")["requiredProviders"], json!(["anthropic", "openai-codex"]));
    let medium = profile(&output, "codex-medium");
    assert_eq!(medium["missingProviders"], json!(["openai-codex"]));
    assert_eq!(medium["models"]["slow"], "openai-codex/gpt-5.5:high");
    assert_eq!(answered(&server, &home, &["--mpreset", "codex-eco"]), pair("a", "medium"));
}
