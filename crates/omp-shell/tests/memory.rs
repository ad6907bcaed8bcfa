//! Memory does not depend on the length of the output. In a file of its own: the peak is the process's.

mod support;

use omp_shell::Scope;
use support::{peak_memory_kb, run, unique_mark};

#[tokio::test]
async fn a_large_output_takes_little_memory() {
    let (scope, mark) = (Scope::new(), unique_mark("large"));
    run(&scope, &mark, "seq 100000").await;
    let before = peak_memory_kb();
    let outcome =
        run(&scope, &mark, "yes 'a line of ordinary length, as programs print them' | head -c 100000000")
            .await;
    assert_eq!(outcome.output.total_bytes, 100_000_000);
    assert!(outcome.output.text.len() < 42 * 1024);
    let grown = peak_memory_kb() - before;
    assert!(grown < 8 * 1024, "grew by {grown} KB");
}

#[tokio::test]
async fn one_endless_line_takes_little_memory() {
    let (scope, mark) = (Scope::new(), unique_mark("endless"));
    run(&scope, &mark, "true").await;
    let before = peak_memory_kb();
    let outcome = run(&scope, &mark, "head -c 50000000 /dev/zero | tr '\\0' x").await;
    assert_eq!(outcome.output.total_bytes, 50_000_000);
    assert_eq!(outcome.output.total_lines, 1);
    let grown = peak_memory_kb() - before;
    assert!(grown < 8 * 1024, "grew by {grown} KB");
}
