//! Amazon's credentials by every way, on servers of our own.

use omp_testkit::cloud::{ACCESS_KEY_ID, ACCOUNT, AwsServer, ROLE, SECRET_ACCESS_KEY, SESSION_TOKEN, TOKEN};
use omp_testkit::{Home, Output, Reply, Scenario, Server, run};

use crate::support::{LIMIT, omp};

const ASK: [&str; 4] = ["-p", "--model", "amazon-bedrock/eu.anthropic.claude-v1:0", "x"];

/// Bedrock, which takes only the keys that the cloud gives.
fn bedrock(region: &str) -> Server {
    let replies = Scenario::dynamic(|_| Reply::new().text("ok"));
    Server::start(replies.aws_keys(ACCESS_KEY_ID, SECRET_ACCESS_KEY, Some(SESSION_TOKEN), region))
}

fn home(server: &Server) -> Home {
    let home = Home::new();
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  amazon-bedrock:\n    baseUrl: {}\n    api: bedrock-converse-stream\n    models:\n      - id: eu.anthropic.claude-v1:0\n",
            server.base_url()
        ),
    );
    home
}

fn ask(home: &Home, variables: &[(&str, &str)]) -> Output {
    let mut command = omp(home, &ASK);
    command.envs(variables.iter().copied());
    run(command, Some(b""), LIMIT)
}

fn is_answered(home: &Home, variables: &[(&str, &str)]) {
    let output = ask(home, variables);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""), "{variables:?}");
}

const PROFILES: &str = "[default]\nregion = eu-west-1\n\
    [profile base]\naws_access_key_id = BASEID\naws_secret_access_key = base/secret\n\
    [profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\nexternal_id = x y\nregion = eu-west-1\n\
    [profile web]\nrole_arn = arn:aws:iam::1:role/w\nweb_identity_token_file = TOKENFILE\nregion = eu-west-1\n\
    [profile person]\nsso_session = company\nsso_account_id = ACCOUNT\nsso_role_name = ROLE\nregion = eu-west-1\n\
    [sso-session company]\nsso_region = eu-west-1\nsso_start_url = https://company.example\n\
    [profile program]\ncredential_process = cat PROGRAM\nregion = eu-west-1\n";

/// A home with a profile for every way that a profile knows.
fn home_with_profiles(server: &Server) -> Home {
    let home = home(server);
    let token = home.write("keys/token", format!("{TOKEN}\n"));
    let keys = format!(
        r#"{{"Version":1,"AccessKeyId":"{ACCESS_KEY_ID}","SecretAccessKey":"{SECRET_ACCESS_KEY}","SessionToken":"{SESSION_TOKEN}"}}"#
    );
    let program = home.write("keys/printed.json", keys);
    let text = PROFILES
        .replace("TOKENFILE", &token.display().to_string())
        .replace("PROGRAM", &program.display().to_string())
        .replace("ACCOUNT", ACCOUNT)
        .replace("ROLE", ROLE);
    home.write("home/.aws/config", text);
    home
}

/// Where a token of the session `company` lies: Amazon's tools name the file after the SHA-1 of that word.
const SSO_FILE: &str = "home/.aws/sso/cache/71b21161ffa1e6516bcc072aaf5ef38cbe85b511.json";

fn sso_file(home: &Home, ends: &str) {
    home.write(SSO_FILE, format!(r#"{{"accessToken":"{TOKEN}","expiresAt":"{ends}","region":"eu-west-1"}}"#));
}

/// Each way of a profile ends in a request that Bedrock accepts.
// proves: CLI-131
#[test]
fn profiles_lead_to_keys() {
    let (server, cloud) = (bedrock("eu-west-1"), AwsServer::start());
    let home = home_with_profiles(&server);
    sso_file(&home, "2099-01-01T00:00:00Z");
    let url = cloud.url();
    for (profile, asked) in [
        ("role", vec!["POST / AssumeRole"]),
        ("web", vec!["POST / AssumeRoleWithWebIdentity"]),
        ("person", vec!["GET /federation/credentials"]),
        ("program", vec![]),
    ] {
        let before = cloud.asked().len();
        is_answered(&home, &[("AWS_PROFILE", profile), ("AWS_ENDPOINT_URL", &url)]);
        assert_eq!(cloud.asked()[before..], asked, "{profile}");
    }
    let [sts, sso] = ["AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL_SSO"].map(|name| (name, url.as_str()));
    is_answered(&home, &[("AWS_PROFILE", "role"), sts, ("AWS_ENDPOINT_URL", "http://127.0.0.1:9")]);
    is_answered(&home, &[("AWS_PROFILE", "person"), sso]);
    cloud.assert_clean();
    server.finish();
}

/// The order of the chain: a bearer token, keys of the environment, the profile, and then what the place offers.
// proves: CLI-131
#[test]
fn the_place_where_omp_runs_has_the_last_word() {
    let (server, cloud) = (bedrock("us-east-1"), AwsServer::start());
    let home = home(&server);
    let url = cloud.url();
    let token = home.write("keys/token", TOKEN).display().to_string();
    let container = format!("{url}/container");
    let machine = ("AWS_EC2_METADATA_SERVICE_ENDPOINT", url.as_str());
    is_answered(&home, &[machine]);
    assert_eq!(
        cloud.asked()[0],
        "PUT /latest/api/token",
        "only the second version of the protocol is spoken"
    );
    let inside = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", TOKEN),
    ];
    is_answered(&home, &[machine, inside[0], inside[1]]);
    let filed = ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token.as_str());
    is_answered(&home, &[machine, inside[0], filed]);
    let workload = [
        ("AWS_WEB_IDENTITY_TOKEN_FILE", token.as_str()),
        ("AWS_ROLE_ARN", "arn:aws:iam::1:role/w"),
        ("AWS_ENDPOINT_URL_STS", url.as_str()),
    ];
    is_answered(&home, &[machine, inside[0], inside[1], workload[0], workload[1], workload[2]]);
    assert_eq!(cloud.asked()[3..], ["GET /container", "GET /container", "POST / AssumeRoleWithWebIdentity"]);
    cloud.assert_clean();

    let asked = cloud.asked().len();
    let keys = [
        ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID),
        ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
        ("AWS_SESSION_TOKEN", SESSION_TOKEN),
    ];
    is_answered(&home, &[&keys[..], &[machine, inside[0], ("AWS_DEFAULT_REGION", "us-east-1")]].concat());
    is_answered(&home, &[&keys[..], &[machine, ("AWS_BEARER_TOKEN_BEDROCK", "bearer")]].concat());
    assert_eq!(cloud.asked().len(), asked, "who has keys asks nobody");
    let last = server.requests().last().unwrap().clone();
    assert_eq!(last.header("authorization"), Some("Bearer bearer"));
    for (name, value) in [inside[0], workload[0], ("AWS_BEDROCK_SKIP_AUTH", "1")] {
        let mut command = omp(&home, &["models", "amazon-bedrock"]);
        command.env(name, value);
        let listed = run(command, Some(b""), LIMIT);
        assert!(listed.stdout.contains(" ready"), "{name}: {}", listed.stdout);
    }
    server.finish();
}

/// What does not lead on says what to do, and nothing is sent to Bedrock.
#[test]
fn ways_that_end_say_what_to_do() {
    let (server, cloud) = (bedrock("eu-west-1"), AwsServer::start());
    let home = home_with_profiles(&server);
    let url = cloud.url();
    let says = |profile: &str, words: &[&str]| {
        let output = ask(&home, &[("AWS_PROFILE", profile), ("AWS_ENDPOINT_URL", &url)]);
        assert_eq!(output.code, Some(1));
        let missing: Vec<&&str> = words.iter().filter(|word| !output.stderr.contains(**word)).collect();
        assert!(missing.is_empty(), "{profile}: {missing:?}: {}", output.stderr);
    };
    says("person", &["nobody is logged in", "aws sso login --profile person"]);
    sso_file(&home, "2020-01-01T00:00:00Z");
    says("person", &["has ended", "aws sso login --profile person"]);
    home.write("keys/printed.json", r#"{"Version":1,"AccessKeyId":"secret-id"}"#);
    says("program", &["credential_process of the AWS profile program printed no credentials"]);
    home.write("keys/token", "");
    says("web", &["keys/token is missing or empty"]);
    assert!(server.requests().is_empty());
    let closed = ask(&home, &[("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://evil.example/c")]);
    assert!(closed.stderr.contains("must use https"), "{}", closed.stderr);
}
