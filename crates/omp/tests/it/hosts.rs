//! Azure, Amazon and Ollama's cloud, as a user sets them up.

use omp_testkit::{Home, Reply, Scenario, Server, run};

use crate::support::{LIMIT, omp, omp_run};

fn run_with(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> omp_testkit::Output {
    let mut command = omp(home, args);
    command.envs(variables.iter().copied());
    run(command, Some(b""), LIMIT)
}

/// Azure needs a key and an address, and nothing else; versions and deployments can be named. The address of a
/// resource is proved in the library, where no such host is asked.
// proves: CLI-132, MOD-230
#[test]
fn azure_is_set_up_by_variables() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let base = format!("{}/openai/v1", server.base_url());
    let home = Home::new();
    let always = [("AZURE_OPENAI_API_KEY", "azure-key"), ("AZURE_OPENAI_BASE_URL", base.as_str())];
    let output = run_with(&home, &["-p", "--model", "azure/gpt-5", "x"], &always);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    let versioned = [
        always[0],
        always[1],
        ("AZURE_OPENAI_API_VERSION", "2025-04-01-preview"),
        ("AZURE_OPENAI_DEPLOYMENT_NAME_MAP", "gpt-5=our-gpt,broken"),
    ];
    let output = run_with(&home, &["-p", "--model", "azure/gpt-5", "x"], &versioned);
    assert_eq!(output.stdout, "ok\n");
    assert!(output.stderr.contains("AZURE_OPENAI_DEPLOYMENT_NAME_MAP: broken"), "{}", output.stderr);
    let [plain, named] = [0, 1].map(|index| server.requests()[index].clone());
    assert_eq!((plain.query.as_str(), plain.body["model"].as_str()), ("api-version=v1", Some("gpt-5")));
    assert_eq!(
        (named.query.as_str(), named.body["model"].as_str()),
        ("api-version=2025-04-01-preview", Some("our-gpt"))
    );
    assert_eq!((plain.header("api-key"), plain.header("authorization")), (Some("azure-key"), None));
    let lost = run_with(&home, &["-p", "--model", "azure/gpt-5", "x"], &always[..1]);
    assert!(lost.stderr.contains("AZURE_OPENAI_RESOURCE_NAME"), "{}", lost.stderr);
    server.finish();
}

/// A file that names only the address; keys come from the environment, from a profile, or are made up.
// proves: MOD-231
#[test]
fn amazon_is_signed_with_what_the_machine_has() {
    let keys = |id: &str, secret: &str, region: &str| {
        let replies = Scenario::replies([Reply::new().text("ok")]);
        Server::start(replies.aws_keys(id, secret, None, region))
    };
    let environment: &[(&str, &str)] =
        &[("AWS_ACCESS_KEY_ID", "ENVID"), ("AWS_SECRET_ACCESS_KEY", "env"), ("AWS_REGION", "eu-west-1")];
    let profile: &[(&str, &str)] = &[("AWS_PROFILE", "work")];
    let skipped: &[(&str, &str)] = &[("AWS_BEDROCK_SKIP_AUTH", "1")];
    for (server, variables) in [
        (keys("ENVID", "env", "eu-west-1"), environment),
        (keys("WORKID", "work/secret", "ap-south-1"), profile),
        (keys("dummy-access-key", "dummy-secret-key", "us-east-1"), skipped),
    ] {
        let home = Home::new();
        home.write(
            "home/.aws/credentials",
            "[work]\naws_access_key_id = WORKID\naws_secret_access_key = work/secret\n",
        );
        home.write("home/.aws/config", "[profile work]\nregion = ap-south-1\n");
        home.write("home/.omp/agent/models.yml", models_yml(&server));
        let args = ["-p", "--model", "amazon-bedrock/eu.anthropic.claude-v1:0", "x"];
        let output = run_with(&home, &args, variables);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""), "{variables:?}");
        assert!(server.requests()[0].path.starts_with("/model/eu.anthropic.claude-v1%3A0/"));
        server.finish();
    }
}

fn models_yml(server: &Server) -> String {
    format!(
        "providers:\n  amazon-bedrock:\n    baseUrl: {}\n    api: bedrock-converse-stream\n    models:\n      - id: eu.anthropic.claude-v1:0\n",
        server.base_url()
    )
}

/// What is missing is said before anything is sent.
#[test]
fn missing_amazon_credentials_are_explained() {
    let server = Server::start(Vec::new());
    let home = Home::new();
    home.write("home/.aws/config", "[profile work]\nsso_session = company\n");
    home.write("home/.omp/agent/models.yml", models_yml(&server));
    let args = ["-p", "--model", "amazon-bedrock/eu.anthropic.claude-v1:0", "x"];
    let output = run_with(&home, &args, &[("AWS_PROFILE", "work")]);
    assert!(
        output.stderr.contains("sso_region") && output.stderr.contains("AWS_ACCESS_KEY_ID"),
        "{}",
        output.stderr
    );
    let output = omp_run(&home, &args);
    assert!(output.stderr.contains("no AWS credentials"), "{}", output.stderr);
    assert!(server.requests().is_empty());
}
