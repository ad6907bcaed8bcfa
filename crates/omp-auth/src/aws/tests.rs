use std::collections::HashMap;
use std::path::Path;

use omp_llm::Secret;

use super::profiles::LARGEST;
use super::*;

struct Fixed(HashMap<&'static str, String>);

impl Environment for Fixed {
    fn var(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

fn environment<const N: usize>(pairs: [(&'static str, &str); N]) -> Fixed {
    Fixed(pairs.into_iter().map(|(name, value)| (name, value.to_owned())).collect())
}

const CREDENTIALS: &str = "\u{feff}# mine\r
[default]\r
aws_access_key_id = DEFAULT\r
aws_secret_access_key=default-secret # a note\r
[ work ]
AWS_ACCESS_KEY_ID=WORK
aws_secret_access_key = work=secret
aws_session_token = token
[half]
aws_access_key_id = HALF
";
const CONFIG: &str = "[default]
region = eu-north-1
s3 =
  region = nested
[profile work]
region = eu-west-3
[profile login]
sso_session = company
[profile whole]
sso_session = company
sso_account_id = 1
sso_role_name = Reader
[sso-session company]
sso_region = eu-central-1
[profile program]
credential_process = print-keys --for omp
[profile upper]
role_arn = arn:upper
source_profile = lower
external_id = x
[profile lower]
role_arn = arn:lower
source_profile = work
[profile self]
role_arn = arn:self
source_profile = self
[profile \"one\"]
role_arn = arn:one
source_profile = two
[profile two]
role_arn = arn:two
source_profile = one
[profile guarded]
role_arn = arn:guarded
source_profile = work
mfa_serial = arn:device
[profile in-config]
aws_access_key_id = CONFIG
aws_secret_access_key = config-secret
";

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".aws")).unwrap();
    std::fs::write(home.path().join(".aws/credentials"), CREDENTIALS).unwrap();
    std::fs::write(home.path().join(".aws/config"), CONFIG).unwrap();
    home
}

fn planned(environment: &dyn Environment) -> Result<Plan, String> {
    plan(environment, &Profiles::load(environment))
}

/// Key id, secret and token.
fn shown(plan: &Result<Plan, String>) -> Option<(&str, &str, Option<&str>)> {
    let Ok(Plan { base: Base::Keys(found), .. }) = plan else { return None };
    let token = found.session_token.as_ref().map(Secret::reveal);
    Some((&found.access_key_id, found.secret_access_key.reveal(), token))
}

fn region_of(environment: &dyn Environment) -> String {
    region(environment, &Profiles::load(environment))
}

#[test]
fn keys_of_the_environment_go_first() {
    let home = home();
    let home = home.path().to_str().unwrap();
    let keys = environment([
        ("HOME", home),
        ("AWS_ACCESS_KEY_ID", " ENV "),
        ("AWS_SECRET_ACCESS_KEY", "env-secret"),
        ("AWS_PROFILE", "work"),
    ]);
    assert_eq!(shown(&planned(&keys)), Some(("ENV", "env-secret", None)));
    let half = environment([("HOME", home), ("AWS_ACCESS_KEY_ID", "ENV")]);
    assert_eq!(shown(&planned(&half)), Some(("DEFAULT", "default-secret", None)), "half a pair is none");
    let skipped = environment([("AWS_BEDROCK_SKIP_AUTH", "1"), ("AWS_ACCESS_KEY_ID", "ENV")]);
    assert_eq!(shown(&planned(&skipped)).unwrap().0, AwsCredentials::dummy().access_key_id);
}

#[test]
fn profiles_are_read_from_both_files() {
    let home = home();
    let home = home.path().to_str().unwrap();
    let of = |profile: &str| environment([("HOME", home), ("AWS_PROFILE", profile)]);
    assert_eq!(shown(&planned(&of("work"))), Some(("WORK", "work=secret", Some("token"))));
    assert_eq!(region_of(&of("work")), "eu-west-3");
    assert_eq!(shown(&planned(&of("in-config"))), Some(("CONFIG", "config-secret", None)));
    assert_eq!(region_of(&of("default")), "eu-north-1", "an indented line is no member");
    for (profile, words) in [
        ("half", "the AWS profile half has no keys and no way to get them"),
        ("nobody", "the AWS profile nobody has no keys and no way to get them"),
        ("login", "the AWS profile login uses single sign-on, but has no sso_account_id"),
        ("self", "the AWS profile self is its own source and has no keys"),
        ("two", "the AWS profile two is its own source and has no keys"),
        ("guarded", "the AWS profile guarded asks for a code of a device (mfa_serial)"),
    ] {
        let problem = planned(&of(profile)).unwrap_err();
        assert!(problem.starts_with(words), "{problem}");
    }
}

#[test]
fn ways_that_lead_further_are_planned() {
    let home = home();
    let home = home.path().to_str().unwrap();
    let of = |profile: &str| planned(&environment([("HOME", home), ("AWS_PROFILE", profile)])).unwrap();
    let upper = of("upper");
    assert!(matches!(&upper.base, Base::Keys(keys) if keys.access_key_id == "WORK"));
    let arns: Vec<&str> = upper.roles.iter().map(|role| role.arn.as_str()).collect();
    assert_eq!(arns, ["arn:lower", "arn:upper"], "the role nearest to the keys goes first");
    assert_eq!(upper.roles[1].external_id.as_deref(), Some("x"));
    let Base::Sso(account) = of("whole").base else { panic!("single sign-on") };
    assert_eq!((account.filed_under.as_str(), account.region.as_str()), ("company", "eu-central-1"));
    assert!(matches!(of("program").base, Base::Process { command, .. } if command == "print-keys --for omp"));
}

#[test]
fn regions_have_an_order() {
    let home = home();
    let home = home.path().to_str().unwrap();
    let first = environment([("HOME", home), ("AWS_REGION", "a-1"), ("AWS_DEFAULT_REGION", "b-1")]);
    assert_eq!(region_of(&first), "a-1");
    assert_eq!(region_of(&environment([("HOME", home), ("AWS_DEFAULT_REGION", "b-1")])), "b-1");
    assert_eq!(region_of(&environment([("HOME", "/nonexistent")])), "us-east-1");
    let hostile = environment([("AWS_REGION", "x.evil.example/")]);
    assert_eq!(region_of(&hostile), "us-east-1", "a region cannot lead elsewhere");
}

#[test]
fn availability_needs_no_network() {
    let home = home();
    let home = home.path().to_str().unwrap();
    assert!(is_available(&environment([("HOME", home)])), "the default profile has keys");
    assert!(
        !is_available(&environment([("HOME", "/nonexistent")])),
        "who knows whether the machine has a role"
    );
    assert!(is_available(&environment([("AWS_BEDROCK_SKIP_AUTH", "1")])));
    assert!(is_available(&environment([("AWS_PROFILE", "any")])));
    for promise in PROMISES {
        assert!(is_available(&environment([(promise, "x")])), "{promise}");
    }
}

/// A pipe is not waited for, and a file without end is not read.
#[test]
fn odd_files_are_named() {
    let scratch = tempfile::tempdir().unwrap();
    let large = scratch.path().join("large");
    std::fs::write(&large, vec![b'x'; LARGEST as usize + 1]).unwrap();
    for path in [scratch.path(), &large, Path::new("/dev/zero")] {
        let path = path.to_str().unwrap();
        let problem = planned(&environment([("AWS_SHARED_CREDENTIALS_FILE", path)])).unwrap_err();
        assert!(problem.contains(&format!("{path} cannot be read")), "{problem}");
    }
}
