//! The interpreter is what was published and the patches beside it, and nothing else.

use std::path::Path;
use std::time::Duration;

use omp_shell::command::{self, CommandSpec};
use omp_shell::{Ending, Scope};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn every_change_is_in_a_patch() {
    let directory = tempfile::tempdir().unwrap();
    let scope = Scope::new();
    let path = std::env::var_os("PATH").unwrap();
    let environment = [("PATH", path), ("TMPDIR", directory.path().as_os_str().to_owned())];
    let third_party = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../third-party");
    let spec = CommandSpec {
        timeout: Some(Duration::from_secs(60)),
        ..CommandSpec::new("./verify", "/bin/bash", third_party, environment.into_iter().collect())
    };
    let outcome = command::run(&scope, spec, &CancellationToken::new(), |_| {}).await.unwrap();
    scope.end().await;
    assert_eq!(outcome.ending, Ending::Exited(0), "{}", outcome.output.text);
}
