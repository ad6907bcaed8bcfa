#![allow(
    clippy::disallowed_methods,
    reason = "short-lived shells that are waited for; their bytes must arrive unchanged"
)]

use std::process::Command;

use omp_ssh::{Compat, HostInfo, Os, Shell, remote_command};
use proptest::prelude::*;

const LINUX: HostInfo = HostInfo { os: Os::Linux, shell: Shell::Bash, compat_shell: None };

/// Several commands run in the directory, or none of them does.
#[test]
fn nothing_runs_outside_a_directory_that_is_not_there() {
    let line = remote_command(LINUX, Compat::Auto, Some("/no/such/place"), "echo one; echo two\necho three");
    for shell in ["bash", "sh"] {
        let output = Command::new(shell).args(["-c", &line]).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.status.success()), (&b""[..], false), "{shell}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A real shell gets the directory and the command byte for byte.
    #[test]
    fn shells_get_what_was_written(name in "[^/\u{0}]{1,12}", text in "[^\u{0}]{0,40}") {
        prop_assume!(name != "." && name != "..");
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join(&name);
        std::fs::create_dir(&directory).unwrap();
        let quoted = text.replace('\'', r"'\''");
        let command = format!("printf %s '{quoted}'; printf %s \"$PWD\"");
        for compat in [Compat::Off, Compat::On] {
            let line = remote_command(LINUX, compat, directory.to_str(), &command);
            let output = Command::new("bash").args(["-c", &line]).output().unwrap();
            prop_assert_eq!(output.stdout, format!("{text}{}", directory.display()).into_bytes());
        }
    }
}
