use std::path::PathBuf;

use omp_ssh::{Draft, HostsFileError, add, remove};

fn draft(name: &str, address: &str) -> Draft {
    Draft { name: name.into(), address: address.into(), ..Draft::default() }
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("deep/ssh.json");
    (scratch, file)
}

#[test]
fn hosts_come_and_go_and_the_rest_stays() {
    let (_scratch, file) = scratch();
    add(&file, &Draft { port: Some(2222), user: Some("ci".into()), ..draft("build", "10.0.0.5") }).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut content: serde_json::Value = serde_json::from_str(&text).unwrap();
    content["hosts"]["build"]["extra"] = 1.into();
    content["mine"] = "kept".into();
    std::fs::write(&file, content.to_string()).unwrap();
    add(&file, &draft("second", "${HOST}")).unwrap();
    assert!(matches!(add(&file, &draft("build", "h")), Err(HostsFileError::Taken { .. })));
    remove(&file, "second").unwrap();
    assert!(matches!(remove(&file, "second"), Err(HostsFileError::Unknown { .. })));
    let after: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(after, content);
}

#[test]
fn what_is_not_understood_is_not_changed() {
    let (_scratch, file) = scratch();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    for text in ["{ broken", "[1]", r#"{"hosts": 3}"#] {
        std::fs::write(&file, text).unwrap();
        assert!(matches!(add(&file, &draft("a", "h")), Err(HostsFileError::Broken { .. })), "{text}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
    for bad in [
        draft("a\nb", "h"),
        draft("a", "-oProxyCommand=id"),
        draft("", "h"),
        draft("a", "h h"),
        draft("a", ""),
    ] {
        assert!(matches!(add(&file, &bad), Err(HostsFileError::Refused(_))), "{bad:?}");
    }
}
