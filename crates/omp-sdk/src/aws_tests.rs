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

/// Key id, secret and token.
fn shown(options: &AwsOptions) -> Option<(&str, &str, Option<&str>)> {
    let found = options.credentials.as_ref()?;
    let token = found.session_token.as_ref().map(Secret::reveal);
    Some((&found.access_key_id, found.secret_access_key.reveal(), token))
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
    assert_eq!(shown(&options(&keys)), Some(("ENV", "env-secret", None)));
    let half = environment([("HOME", home), ("AWS_ACCESS_KEY_ID", "ENV")]);
    assert_eq!(shown(&options(&half)), Some(("DEFAULT", "default-secret", None)), "half a pair is none");
    let skipped = environment([("AWS_BEDROCK_SKIP_AUTH", "1"), ("AWS_ACCESS_KEY_ID", "ENV")]);
    assert_eq!(shown(&options(&skipped)).unwrap().0, AwsCredentials::dummy().access_key_id);
}

#[test]
fn profiles_are_read_from_both_files() {
    let home = home();
    let home = home.path().to_str().unwrap();
    let of = |profile: &str| options(&environment([("HOME", home), ("AWS_PROFILE", profile)]));
    let work = of("work");
    assert_eq!(shown(&work), Some(("WORK", "work=secret", Some("token"))));
    assert_eq!(work.region, "eu-west-3");
    assert_eq!(shown(&of("in-config")), Some(("CONFIG", "config-secret", None)));
    assert_eq!(of("default").region, "eu-north-1", "an indented line is no member");
    for (profile, words) in [
        ("half", "the AWS profile half has no keys"),
        ("nobody", "the AWS profile nobody has no keys"),
        ("login", "the AWS profile login uses sso_session, which is not available yet in this release"),
    ] {
        let found = of(profile);
        assert_eq!((shown(&found), found.problem.as_deref()), (None, Some(words)));
    }
}

#[test]
fn regions_have_an_order() {
    let home = home();
    let home = home.path().to_str().unwrap();
    let first = environment([("HOME", home), ("AWS_REGION", "a-1"), ("AWS_DEFAULT_REGION", "b-1")]);
    assert_eq!(options(&first).region, "a-1");
    assert_eq!(options(&environment([("HOME", home), ("AWS_DEFAULT_REGION", "b-1")])).region, "b-1");
    assert_eq!(options(&environment([("HOME", "/nonexistent")])).region, "us-east-1");
    let hostile = environment([("AWS_REGION", "x.evil.example/")]);
    assert_eq!(options(&hostile).region, "us-east-1", "a region cannot lead elsewhere");
}

#[test]
fn availability_needs_no_network() {
    let home = home();
    let home = home.path().to_str().unwrap();
    assert!(is_available(&environment([("HOME", home)])), "the default profile has keys");
    assert!(!is_available(&environment([("HOME", "/nonexistent")])));
    assert!(is_available(&environment([("AWS_BEDROCK_SKIP_AUTH", "1")])));
    assert!(is_available(&environment([("AWS_PROFILE", "any")])));
    for promise in PROMISES {
        let promised = environment([(promise, "x")]);
        assert!(is_available(&promised));
        let problem = options(&promised).problem.unwrap();
        assert!(problem.contains(promise) && problem.contains("not available yet"), "{problem}");
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
        let found = options(&environment([("AWS_SHARED_CREDENTIALS_FILE", path)]));
        assert!(found.problem.unwrap().contains(&format!("{path} cannot be read")));
    }
}
