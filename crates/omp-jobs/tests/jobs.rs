//! Jobs under tokio's paused clock, which moves on when nothing else can happen.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use omp_jobs::{Cancelled, Jobs, Limits, NewJob, News, Recipient, Refused, Snapshot, Status, Unreachable};
use tokio::sync::oneshot;
use tokio::time::Instant;

const OWNER: &str = "Main";

fn jobs() -> Jobs {
    Jobs::new(Limits { chance: || 0.0, ..Limits::default() })
}

fn new(label: &str) -> NewJob {
    NewJob { id: None, kind: "bash", label: label.to_owned(), owner: OWNER.to_owned() }
}

/// A job that ends when the test says so.
fn held(jobs: &Jobs, label: &str) -> (String, oneshot::Sender<Result<String, String>>) {
    let (sender, receiver) = oneshot::channel();
    let work = async { receiver.await.unwrap_or_else(|_| Err("dropped".to_owned())) };
    (jobs.register(new(label), |_| work).unwrap(), sender)
}

fn only(jobs: &Jobs) -> Snapshot {
    let [snapshot] = jobs.snapshots(OWNER).try_into().unwrap();
    snapshot
}

async fn settled(jobs: &Jobs, id: &str) {
    jobs.first_settled(OWNER, &[id.to_owned()]).await;
}

/// Counts the calls, and refuses the first ones.
struct Door {
    refuse: usize,
    calls: Mutex<Vec<Duration>>,
    since: Instant,
}

impl Door {
    fn new(refuse: usize) -> Arc<Self> {
        Arc::new(Self { refuse, calls: Mutex::default(), since: Instant::now() })
    }

    fn calls(&self) -> Vec<u128> {
        self.calls.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Recipient for Door {
    fn results_wait(&self) -> Result<(), Unreachable> {
        let mut calls = self.calls.lock().unwrap();
        calls.push(self.since.elapsed());
        if calls.len() > self.refuse { Ok(()) } else { Err(Unreachable) }
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_reports_and_ends() {
    let jobs = jobs();
    let (told, tell) = oneshot::channel();
    let (go, gone) = oneshot::channel();
    let work = |running: omp_jobs::Running| async move {
        running.report("half");
        let _ = told.send(());
        let _ = gone.await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        Ok("whole".to_owned())
    };
    let id = jobs.register(new("work"), work).unwrap();
    assert!(id.starts_with("bg_"), "{id}");
    tell.await.unwrap();
    let now = only(&jobs);
    assert_eq!((now.status, now.progress.as_str(), now.result), (Status::Running, "half", None));
    go.send(()).unwrap();
    settled(&jobs, &id).await;
    let then = only(&jobs);
    assert_eq!(
        (then.status, then.progress.as_str(), then.result.as_deref()),
        (Status::Completed, "", Some("whole"))
    );
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(only(&jobs).duration, Duration::from_secs(3), "it does not grow after the end");
}

#[tokio::test(start_paused = true)]
async fn a_crash_is_a_failure() {
    let jobs = jobs();
    let work = |running: omp_jobs::Running| async move {
        assert_ne!(running.id, running.id, "on purpose");
        Ok(String::new())
    };
    let id = jobs.register(new("x"), work).unwrap();
    settled(&jobs, &id).await;
    assert_eq!(
        (only(&jobs).status, only(&jobs).error.as_deref()),
        (Status::Failed, Some("The job crashed."))
    );
}

/// proves: SHL-081
#[tokio::test(start_paused = true)]
async fn a_cancelled_job_stays_cancelled_and_keeps_its_last_words() {
    for (word, late) in
        [("result", Ok("made it after all".to_owned())), ("error", Err("ended late".to_owned()))]
    {
        let jobs = jobs();
        // It ignores that it should stop.
        let (id, finish) = held(&jobs, "stubborn");
        assert_eq!(jobs.cancel(OWNER, &id), Cancelled::Now);
        assert_eq!(only(&jobs).status, Status::Cancelled);
        assert_eq!((only(&jobs).result, only(&jobs).error), (None, None));
        finish.send(late.clone()).unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let after = only(&jobs);
        assert_eq!(after.status, Status::Cancelled, "{word}");
        assert_eq!((after.result, after.error), (late.clone().ok(), late.err()));
        assert!(jobs.claim(OWNER, 1000).is_empty(), "who cancelled it knows");
        assert_eq!(jobs.cancel(OWNER, &id), Cancelled::AlreadyCompleted);
    }
}

/// proves: SHL-082
#[tokio::test(start_paused = true)]
async fn ended_jobs_are_forgotten_after_five_minutes() {
    let jobs = jobs();
    let (id, finish) = held(&jobs, "a");
    let (running, _never) = held(&jobs, "b");
    finish.send(Ok("text".into())).unwrap();
    settled(&jobs, &id).await;
    jobs.claim(OWNER, 1000);
    tokio::time::sleep(Duration::from_secs(299)).await;
    assert_eq!(jobs.snapshots(OWNER).len(), 2);
    assert_eq!(jobs.cancel(OWNER, &id), Cancelled::AlreadyCompleted);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(jobs.cancel(OWNER, &id), Cancelled::NotFound);
    assert_eq!(only(&jobs).id, running, "what runs is not forgotten");
    settled(&jobs, &id).await; // Who waits for an unknown job does not wait.
}

#[tokio::test(start_paused = true)]
async fn the_number_of_jobs_is_limited() {
    let jobs = Jobs::new(Limits { running: 2, ..Limits::default() });
    let (first, finish) = held(&jobs, "a");
    let (_second, _held) = held(&jobs, "b");
    let refused = jobs.register(new("c"), |_| pending());
    assert_eq!(refused, Err(Refused::Limit(2)));
    assert!(Refused::Limit(2).to_string().starts_with("Background job limit reached (2). "));
    finish.send(Ok(String::new())).unwrap();
    settled(&jobs, &first).await;
    jobs.register(new("c"), |_| pending()).unwrap();
    assert_eq!(Limits::default().running, 15);
}

#[tokio::test(start_paused = true)]
async fn a_result_is_delivered_once() {
    let jobs = jobs();
    let door = Door::new(0);
    jobs.deliver_to(OWNER, Arc::clone(&door) as Arc<dyn Recipient>);
    let (id, finish) = held(&jobs, "a");
    finish.send(Err("broken".into())).unwrap();
    assert_eq!(jobs.news(OWNER).await, News::Results);
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(door.calls().len(), 1, "told once");
    let [claimed] = jobs.claim(OWNER, 10).try_into().unwrap();
    assert_eq!((claimed.id, claimed.text.as_str(), claimed.status), (id, "broken", Status::Failed));
    assert!(jobs.claim(OWNER, 10).is_empty());
    assert_eq!(jobs.news(OWNER).await, News::Quiet);
}

/// Results that were shown are not told again; those that are watched wait for the watcher.
#[tokio::test(start_paused = true)]
async fn who_has_seen_a_result_is_not_told() {
    let jobs = jobs();
    let door = Door::new(0);
    jobs.deliver_to(OWNER, Arc::clone(&door) as Arc<dyn Recipient>);
    // Ended while it is watched, and shown.
    let (id, finish) = held(&jobs, "a");
    let watching = jobs.watch(OWNER, std::slice::from_ref(&id));
    finish.send(Ok("text".into())).unwrap();
    settled(&jobs, &id).await;
    assert!(jobs.claim(OWNER, 10).is_empty(), "held back");
    jobs.acknowledge(OWNER, std::slice::from_ref(&id));
    drop(watching);
    assert_eq!(jobs.news(OWNER).await, News::Quiet);
    assert_eq!(door.calls(), [0_u128; 0]);
    // Ended while it is watched, and not shown.
    let (id, finish) = held(&jobs, "b");
    let watching = jobs.watch(OWNER, std::slice::from_ref(&id));
    finish.send(Ok("text".into())).unwrap();
    settled(&jobs, &id).await;
    drop(watching);
    assert_eq!(jobs.news(OWNER).await, News::Results);
    // Shown before anybody took it.
    jobs.acknowledge(OWNER, std::slice::from_ref(&id));
    assert!(jobs.claim(OWNER, 10).is_empty());
}

/// proves: SHL-084
#[tokio::test(start_paused = true)]
async fn an_owner_that_cannot_be_reached_is_told_again_later_and_later() {
    let jobs = Jobs::new(Limits { chance: || 0.995, ..Limits::default() });
    let door = Door::new(9);
    jobs.deliver_to(OWNER, Arc::clone(&door) as Arc<dyn Recipient>);
    let (_, finish) = held(&jobs, "a");
    finish.send(Ok("text".into())).unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let calls = door.calls();
    let waits: Vec<u128> = calls.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Each with the same jitter of just below 200 ms.
    assert_eq!(waits, [699, 1_199, 2_199, 4_199, 8_199, 16_199, 30_199, 30_199, 30_199]);
    assert_eq!(jobs.claim(OWNER, 10).len(), 1, "and then it is there, once");
    assert!(jobs.claim(OWNER, 10).is_empty());
}

#[tokio::test(start_paused = true)]
async fn nobody_knocks_for_what_was_read_meanwhile() {
    let jobs = jobs();
    let door = Door::new(100);
    jobs.deliver_to(OWNER, Arc::clone(&door) as Arc<dyn Recipient>);
    let (id, finish) = held(&jobs, "a");
    finish.send(Ok("text".into())).unwrap();
    settled(&jobs, &id).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(door.calls().len(), 2);
    jobs.acknowledge(OWNER, &[id]);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(door.calls().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn owners_do_not_see_each_other() {
    let jobs = jobs();
    let (id, finish) = held(&jobs, "a");
    assert!(jobs.snapshots("Other").is_empty());
    assert_eq!(jobs.cancel("Other", &id), Cancelled::NotFound);
    finish.send(Ok("text".into())).unwrap();
    settled(&jobs, &id).await;
    assert!(jobs.claim("Other", 1000).is_empty());
    jobs.acknowledge("Other", &[id]);
    assert_eq!(jobs.claim(OWNER, 1000).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_is_bounded_and_the_rest_follows() {
    let jobs = jobs();
    for length in [8, 8, 100] {
        let (id, finish) = held(&jobs, "a");
        finish.send(Ok("x".repeat(length))).unwrap();
        settled(&jobs, &id).await;
    }
    let lengths =
        |most: usize| jobs.claim(OWNER, most).iter().map(|settled| settled.text.len()).collect::<Vec<_>>();
    assert_eq!(lengths(20), [8, 8]);
    assert_eq!(lengths(20), [100], "at least one");
    assert_eq!(lengths(20), [0_usize; 0]);
}

#[tokio::test(start_paused = true)]
async fn texts_are_bounded() {
    let jobs = jobs();
    let (id, finish) = held(&jobs, "a");
    finish.send(Ok("ä".repeat(1_000_000))).unwrap();
    settled(&jobs, &id).await;
    let text = only(&jobs).result.unwrap();
    assert!(text.len() < 66_000 && text.ends_with("too long]"), "{}", text.len());
    for _ in 0..300 {
        let (id, finish) = held(&jobs, "b");
        finish.send(Ok(String::new())).unwrap();
        settled(&jobs, &id).await;
    }
    assert_eq!(jobs.snapshots(OWNER).len(), 200);
}

/// Whoever drops the list stops the work.
#[tokio::test(start_paused = true)]
async fn nothing_runs_without_the_list() {
    struct Alive(Arc<AtomicUsize>);
    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let alive = Arc::new(AtomicUsize::new(1));
    let jobs = jobs();
    let guard = Alive(Arc::clone(&alive));
    jobs.register(new("deaf"), |_| async move {
        let _guard = guard;
        pending().await
    })
    .unwrap();
    tokio::task::yield_now().await;
    drop(jobs);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn closing_names_what_still_ran() {
    let jobs = jobs();
    let (_, _held) = held(&jobs, "deploy");
    let stopped = jobs.close();
    assert_eq!(stopped.iter().map(|job| job.label.as_str()).collect::<Vec<_>>(), ["deploy"]);
    assert_eq!(jobs.register(new("late"), |_| pending()), Err(Refused::Ended));
    assert!(jobs.close().is_empty());
}
