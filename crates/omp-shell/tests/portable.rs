//! What holds where nothing of Linux is used.

#![cfg(not(all(target_os = "linux", not(omp_portable))))]

mod support;

use std::sync::Arc;
use std::time::Duration;

use omp_sandbox::{Confinement, Policy, Rung, landlock_abi};
use omp_shell::{Confined, Ending, Scope, SpawnError, command};
use support::{assert_no_survivors, eventually, marked, run, spec, unique_mark};
use tokio_util::sync::CancellationToken;

/// No confinement is an error, never a command without one.
#[tokio::test]
async fn a_sandbox_is_refused_and_the_command_does_not_run() {
    let (scope, directory) = (Scope::new(), tempfile::tempdir().unwrap());
    assert_eq!(landlock_abi(), 0);
    for rung in [Rung::Namespaces { landlock: 0 }, Rung::Bubblewrap, Rung::Landlock { abi: 0 }] {
        let confinement = Confinement::new(Policy::default(), rung);
        assert!(matches!(scope.probe(&confinement), Err(SpawnError::Confine { .. })), "{rung}");
        let confined = Some(Arc::new(Confined { confinement, hosts: None }));
        let line = format!("touch {}/ran", directory.path().display());
        let spec = command::CommandSpec { confined, ..spec("x", &line) };
        let refused = command::run(&scope, spec, &CancellationToken::new(), |_| {}).await;
        let error = refused.unwrap_err().to_string();
        assert!(error.starts_with("cannot set up the sandbox (this system has none)"), "{error}");
    }
    assert!(!directory.path().join("ran").exists());
}

/// What `timeout` starts has a group of its own and outlives its shell; the session tells whose it is.
#[tokio::test]
async fn groups_of_an_orphan_are_found_by_their_session() {
    let (scope, mark) = (Scope::new(), unique_mark("groups"));
    let outcome = run(&scope, &mark, "timeout 1000 sh -c 'sleep 999; true' >/dev/null 2>&1 &").await;
    assert_eq!(outcome.ending, Ending::Exited(0));
    eventually("three processes run", || marked(&mark).len() == 3);
    assert_eq!(scope.living(), 1, "the guardian stays for them");
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
}

/// Nobody tells the guardian that the last orphan has ended; it looks.
#[tokio::test]
async fn a_tree_is_gone_when_its_last_orphan_is() {
    let (scope, mark) = (Scope::new(), unique_mark("orphan"));
    run(&scope, &mark, "sleep 0.3 >/dev/null 2>&1 &").await;
    let nothing_left = async {
        while scope.living() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), nothing_left).await.expect("the guardian ends");
    assert_no_survivors(&mark, Duration::ZERO);
}
