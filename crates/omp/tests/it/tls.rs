//! TLS: who is trusted, and what is said when the other side is not.

use std::path::Path;

use omp_testkit::{Home, ModelOptions, Wire, run, start};

use crate::support::{LIMIT, omp};

/// A server whose certificate comes from an authority of our own: trusted when `SSL_CERT_FILE` names it.
#[test]
fn certificates_are_checked_against_the_trust_store() {
    let home = Home::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls");
    let mut python = home.command("python3");
    python.arg(files.join("server.py"));
    let server = start(python);
    server.wait_for_stdout("\n", LIMIT);
    let port = server.stdout_so_far().trim().to_owned();
    let base = format!("https://127.0.0.1:{port}/v1");
    home.write("home/.omp/agent/models.yml", ModelOptions::new().yaml(&base, Wire::OpenAiCompletions));

    let mut trusted = omp(&home, &["-p", "x"]);
    trusted.env("SSL_CERT_FILE", files.join("ca.pem"));
    let output = run(trusted, Some(b""), LIMIT);
    assert_eq!((output.stdout.as_str(), output.code), ("sealed\n", Some(0)), "{}", output.stderr);

    let unknown = run(omp(&home, &["-p", "x"]), Some(b""), LIMIT);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("certificate") && unknown.stderr.contains("SSL_CERT_FILE"),
        "{}",
        unknown.stderr
    );
    assert!(!unknown.stderr.contains("Retrying"), "a stranger is not asked twice: {}", unknown.stderr);
}
