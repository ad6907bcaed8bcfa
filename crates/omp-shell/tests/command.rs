//! One command from start to end.

mod support;

use std::time::{Duration, Instant};

use omp_shell::{Ending, Scope, Snapshot, command};
use support::{DETACH, assert_no_survivors, eventually, marked, run, spec, unique_mark};
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes, shorter than anybody's patience.
const PROMPT: Duration = Duration::from_secs(5);

#[tokio::test]
async fn exit_codes_and_signals() {
    let (scope, mark) = (Scope::new(), unique_mark("codes"));
    assert_eq!(run(&scope, &mark, "true").await.ending, Ending::Exited(0));
    assert_eq!(run(&scope, &mark, "exit 3").await.ending, Ending::Exited(3));
    assert_eq!(run(&scope, &mark, "kill -KILL $$").await.ending, Ending::Signaled(libc::SIGKILL));
    assert_eq!(run(&scope, &mark, "no_such_command_at_all").await.ending, Ending::Exited(127));
}

#[tokio::test]
async fn output_and_errors_arrive_in_order() {
    let (scope, mark) = (Scope::new(), unique_mark("order"));
    let outcome = run(&scope, &mark, "echo 1; echo 2 >&2; echo 3; echo 4 >&2").await;
    assert_eq!(outcome.output.text, "1\n2\n3\n4\n");
}

#[tokio::test]
async fn standard_input_is_empty() {
    let (scope, mark) = (Scope::new(), unique_mark("stdin"));
    let outcome = run(&scope, &mark, "cat; read line; echo \"read: $?\"").await;
    assert_eq!(outcome.output.text, "read: 1\n");
}

#[tokio::test]
async fn the_last_output_is_not_lost() {
    let (scope, mark) = (Scope::new(), unique_mark("last"));
    for _ in 0..10 {
        let outcome = run(&scope, &mark, "head -c 40000 /dev/zero | tr '\\0' x").await;
        assert_eq!(outcome.output.total_bytes, 40_000);
    }
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree_and_keeps_the_output() {
    let (scope, mark) = (Scope::new(), unique_mark("timeout"));
    let line = format!(
        "echo before; sleep 1000 & ( {DETACH} sleep 1000 & ); ( trap '' TERM; sleep 1000; sleep 1000 )"
    );
    let mut spec = spec(&mark, &line);
    spec.timeout = Some(Duration::from_millis(300));
    let started = Instant::now();
    let outcome = command::run(&scope, spec, &CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(outcome.output.text, "before\n");
    assert!(started.elapsed() >= Duration::from_millis(300) && started.elapsed() < PROMPT);
    assert_no_survivors(&mark, Duration::ZERO);
}

#[tokio::test]
async fn cancelling_a_flood_is_prompt() {
    let (scope, mark) = (Scope::new(), unique_mark("flood"));
    let cancel = CancellationToken::new();
    let canceller = tokio::spawn({
        let cancel = cancel.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            cancel.cancel();
            Instant::now()
        }
    });
    let outcome = command::run(&scope, spec(&mark, "yes"), &cancel, |_| {}).await.unwrap();
    let took = canceller.await.unwrap().elapsed();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert!(outcome.output.total_bytes > 100_000, "{} bytes", outcome.output.total_bytes);
    assert!(took < Duration::from_secs(3), "took {took:?}");
    assert_no_survivors(&mark, Duration::ZERO);
}

#[tokio::test]
async fn cancelling_reaches_daemons() {
    let (scope, mark) = (Scope::new(), unique_mark("cancel"));
    let cancel = CancellationToken::new();
    let line =
        format!("( ( {DETACH} sleep 1000 </dev/null >/dev/null 2>&1 & ) & ); echo started; sleep 1000");
    let run = command::run(&scope, spec(&mark, &line), &cancel, |snapshot| {
        assert_eq!(snapshot.tail, "started\n");
        cancel.cancel();
    });
    let outcome = run.await.unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_no_survivors(&mark, Duration::ZERO);
}

#[tokio::test]
async fn a_cancelled_token_runs_nothing_for_long() {
    let (scope, mark) = (Scope::new(), unique_mark("cancelled"));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = command::run(&scope, spec(&mark, "sleep 1000"), &cancel, |_| {}).await.unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_no_survivors(&mark, Duration::ZERO);
}

/// A process in the background keeps the pipe open; the call returns all the same and the process lives.
#[tokio::test]
async fn a_process_left_behind_does_not_hold_up_the_call() {
    let (scope, mark) = (Scope::new(), unique_mark("behind"));
    let outcome = run(&scope, &mark, "echo hi; sleep 1000 &").await;
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(outcome.output.text, "hi\n");
    assert!(outcome.wall_time < PROMPT);
    assert_eq!(marked(&mark).len(), 1);
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
}

/// A server that logs to our pipe must not die of the closed pipe after the call has returned.
#[tokio::test]
async fn a_process_left_behind_can_go_on_printing() {
    let (scope, mark) = (Scope::new(), unique_mark("printing"));
    let directory = tempfile::tempdir().unwrap();
    let done = directory.path().join("done");
    let line = format!(
        "( for i in 1 2 3 4 5 6; do sleep 0.05; echo tick || exit; done; echo > {}; ) &",
        done.display()
    );
    run(&scope, &mark, &line).await;
    for _ in 0..500 {
        if done.exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the process died of its output");
}

#[tokio::test]
async fn watchers_see_the_tail_now_and_then() {
    let (scope, mark) = (Scope::new(), unique_mark("watch"));
    let mut seen: Vec<Snapshot> = Vec::new();
    let line = "for i in $(seq 1 60); do echo line $i; sleep 0.01; done; printf 'no newline'; sleep 0.3";
    let cancel = CancellationToken::new();
    let run = command::run(&scope, spec(&mark, line), &cancel, |snapshot| {
        seen.push(snapshot.clone());
    });
    run.await.unwrap();
    assert!(seen.len() >= 3 && seen.len() <= 25, "{} snapshots", seen.len());
    assert!(seen.last().unwrap().tail.ends_with("line 60\nno newline"));
    assert!(seen.windows(2).all(|pair| pair[0].total_bytes < pair[1].total_bytes));
}

#[tokio::test]
async fn parallel_commands_do_not_disturb_each_other() {
    let (scope, mark) = (Scope::new(), unique_mark("parallel"));
    let cancel = CancellationToken::new();
    let slow = command::run(&scope, spec(&mark, "sleep 1000"), &cancel, |_| {});
    let fast = async {
        let outcome = run(&scope, &mark, "sleep 0.1; echo fine").await;
        cancel.cancel();
        outcome
    };
    let (slow, fast) = tokio::join!(slow, fast);
    assert_eq!(slow.unwrap().ending, Ending::Cancelled);
    assert_eq!((fast.ending, fast.output.text.as_str()), (Ending::Exited(0), "fine\n"));
    // A background process of one call survives the cancellation of another.
    run(&scope, &mark, "sleep 1000 >/dev/null 2>&1 &").await;
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    command::run(&scope, spec(&mark, "sleep 2000"), &cancelled, |_| {}).await.unwrap();
    eventually("one process is left", || marked(&mark).len() == 1);
}
