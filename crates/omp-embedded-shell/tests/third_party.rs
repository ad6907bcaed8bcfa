//! The interpreter is what was published and the patches beside it, and nothing else.

use std::path::Path;
use std::time::Duration;

use omp_shell::command::{self, CommandSpec};
use omp_shell::{Ending, Limits, Scope};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn every_change_is_in_a_patch() {
    let directory = tempfile::tempdir().unwrap();
    let scope = Scope::new();
    let spec = CommandSpec {
        command: "./verify".to_owned(),
        shell: "/bin/bash".into(),
        cwd: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../third-party"),
        environment: [
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("TMPDIR", directory.path().as_os_str().to_owned()),
        ]
        .into_iter()
        .collect(),
        timeout: Some(Duration::from_secs(60)),
        limits: Limits::default(),
        spill: None,
        confined: None,
    };
    let outcome = command::run(&scope, spec, &CancellationToken::new(), |_| {}).await.unwrap();
    scope.end().await;
    assert_eq!(outcome.ending, Ending::Exited(0), "{}", outcome.output.text);
}
