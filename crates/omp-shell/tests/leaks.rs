//! Nothing of a scope is left in this process. In a file of its own: children and descriptors are the process's.

mod support;

use std::time::Duration;

use omp_shell::Scope;
use support::{own_children, run, unique_mark};

#[tokio::test]
async fn commands_leave_no_zombies_and_no_descriptors() {
    let mark = unique_mark("zombies");
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    let scope = Scope::new();
    for _ in 0..20 {
        run(&scope, &mark, "true").await;
    }
    assert_eq!(own_children().len(), 1, "the keeper");
    scope.end().await;
    drop(scope);
    // Followers and the keeper need a moment to end.
    for _ in 0..200 {
        if own_children().is_empty() && descriptors() == before {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("children {:?}, descriptors {before} then {}", own_children(), descriptors());
}
