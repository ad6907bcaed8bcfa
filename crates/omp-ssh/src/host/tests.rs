use super::*;
use proptest::prelude::*;
use serde_json::json;

fn parse_as(config: Value) -> Result<Host, String> {
    let Value::Object(config) = config else { panic!("an object") };
    let source = Source { file: PathBuf::from("/p/.omp/ssh.json"), trust: Trust::Project };
    let variable = |name: &str| (name == "MYHOST").then(|| "10.0.0.7".to_owned());
    let variables = Variables { home: Path::new("/home/ann"), cwd: Path::new("/p"), variable: &variable };
    Host::parse("build", config, source, &variables)
}

/// proves: SHL-090
#[test]
fn variables_and_home_are_filled_in() {
    let host =
        parse_as(json!({"host": "${MYHOST}", "username": "${NOBODY:-ci}", "key": "~/.ssh/id"})).unwrap();
    assert_eq!(host.target(), "ci@10.0.0.7");
    assert_eq!(host.key.as_deref(), Some(Path::new("/home/ann/.ssh/id")));
    let nested = parse_as(json!({"host": "a-${MYHOST}-b", "keyPath": "keys/${MYHOST}"})).unwrap();
    assert_eq!((nested.address.as_str(), nested.key.unwrap()), ("a-10.0.0.7-b", "/p/keys/10.0.0.7".into()));
    let unset = parse_as(json!({"host": "${UNSET}"})).unwrap_err();
    assert!(unset.contains("contains an unset variable"), "{unset}");
}

#[test]
fn numbers_and_switches_may_be_texts() {
    let host =
        parse_as(json!({"host": "h", "port": "2222", "compat": "true", "description": " d "})).unwrap();
    assert_eq!((host.port, host.compat, host.description.as_deref()), (Some(2222), Compat::On, Some("d")));
    let host = parse_as(json!({"host": "h", "port": 22, "compat": false, "username": null})).unwrap();
    assert_eq!((host.port, host.compat, host.user), (Some(22), Compat::Off, None));
    for (field, value) in [
        ("port", json!(0)),
        ("port", json!(65536)),
        ("port", json!("22x")),
        ("port", json!(1.5)),
        ("compat", json!("maybe")),
        ("username", json!(3)),
    ] {
        let mut config = json!({"host": "h"});
        config[field] = value;
        let error = parse_as(config).unwrap_err();
        assert!(error.starts_with("/p/.omp/ssh.json: the ssh host `build` is ignored: "), "{error}");
        assert!(error.contains(&format!("`{field}`")), "{error}");
    }
}

/// Nothing that a file says can become an option, a second command or another user's door.
#[test]
fn addresses_and_users_are_no_options_and_no_commands() {
    for address in
        ["-oProxyCommand=id", "h;id", "$(id)", "`id`", "h h", "h\nid", "a@b", "h/x", "'h'", "h%41", "a|b"]
    {
        assert!(parse_as(json!({"host": address})).is_err(), "{address}");
    }
    for address in ["example.com", "10.0.0.1", "::1", "fe80::1%eth0", "host_1", "bücher.example"] {
        assert!(parse_as(json!({"host": address})).is_ok(), "{address}");
    }
    for user in ["-oProxyCommand=id", "a b", "a;b", "$(id)", "a`b", "a\\", "a\nb", "a'b", "a:b"] {
        assert!(parse_as(json!({"host": "h", "username": user})).is_err(), "{user}");
    }
    for user in ["ci", "first.last", "DOMAIN\\ann", "ann@corp.example", "ann+x"] {
        assert!(parse_as(json!({"host": "h", "username": user})).is_ok(), "{user}");
    }
    for key in ["a%d", "${UNSET}/x", "a\nb"] {
        assert!(parse_as(json!({"host": "h", "key": key})).is_err(), "{key}");
    }
    let option = parse_as(json!({"host": "h", "key": "-oProxyCommand=id"})).unwrap();
    assert!(option.key.unwrap().is_absolute());
}

proptest! {
    /// Whatever is accepted has no character that a shell or `ssh` would take apart.
    #[test]
    fn accepted_words_are_plain(address in ".{0,20}", user in ".{0,20}") {
        if let Ok(host) = parse_as(json!({"host": address, "username": user})) {
            let target = host.target();
            prop_assert!(!target.starts_with('-'));
            prop_assert!(!target.chars().any(|c| c.is_whitespace() || c.is_control()));
            let active = ['\'', '"', '`', '$', ';', '&', '<', '>', '|', '(', ')', '{', '}'];
            prop_assert!(!target.contains(active));
        }
    }
}
