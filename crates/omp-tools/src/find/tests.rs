//! What depends on the clock.

use std::sync::Arc;

use omp_shell::{Environment, Scope};
use omp_types::UserBlock;

use super::*;

fn text(output: &ToolOutput) -> String {
    output.content.iter().filter_map(UserBlock::as_text).collect()
}

/// A search in a directory with two files that has not reported for `waited` and has `left` until its deadline; and
/// the reports it made.
fn look(waited: Duration, left: Duration) -> (ToolOutput, Vec<String>) {
    let (result, reports) = look_and(waited, left, &CancellationToken::new(), |_| {});
    (result.unwrap(), reports)
}

/// The same; `then` is done with each report.
fn look_and(
    waited: Duration,
    left: Duration,
    cancel: &CancellationToken,
    then: impl Fn(&CancellationToken) + Send + Sync + 'static,
) -> (Result<ToolOutput, ToolError>, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.rs", "src/b.rs"] {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let scope = Arc::new(Scope::new());
    let context = Context::new(directory.path().to_owned(), None, scope, Environment::inherited());
    let places = SearchRoots::new(&context, &["*.rs".to_owned()], "").unwrap();
    let reports: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&reports);
    let token = cancel.clone();
    let updates = Updates::new(move |output| {
        sink.lock().unwrap().push(text(&output));
        then(&token);
    });
    let now = Instant::now();
    let look = Look {
        context: &context,
        hidden: true,
        gitignore: true,
        deadline: now + left,
        cancel,
        progress: Progress { updates: &updates, last: Mutex::new(now.checked_sub(waited).unwrap_or(now)) },
        limit: 10,
    };
    let result = look.answer(&places, 0.5);
    let reports = reports.lock().unwrap().clone();
    (result, reports)
}

/// However late the abort comes, what was found by then is not a result.
/// proves: FIL-207
#[test]
fn an_abort_in_the_middle_is_an_error() {
    let hour = Duration::from_secs(3600);
    let (result, reports) =
        look_and(Duration::from_millis(250), hour, &CancellationToken::new(), |token| token.cancel());
    assert_eq!(reports.len(), 1);
    assert_eq!(result.unwrap_err().message, "Operation aborted");
}

/// proves: FIL-206
#[test]
fn what_was_found_in_time_is_a_result() {
    let (output, _) = look(Duration::ZERO, Duration::ZERO);
    let notice =
        "find timed out after 0.5s; returning 0 partial matches — increase timeout or narrow pattern";
    assert_eq!(text(&output), format!("No files found matching pattern\n\n{notice}"));
    assert_eq!(output.details.unwrap()["truncated"], true);
}

/// proves: FIL-210
#[test]
fn progress_is_a_plain_list() {
    let hour = Duration::from_secs(3600);
    let (output, reports) = look(Duration::from_millis(250), hour);
    assert_eq!(output.details.unwrap()["fileCount"], 2);
    // Two threads look: the first report has what either has found by then.
    let first: Vec<&str> = reports[0].lines().collect();
    assert!(!first.is_empty() && first.iter().all(|line| ["a.rs", "src/b.rs"].contains(line)), "{reports:?}");
}

#[test]
fn only_the_newest_are_kept() {
    let newest = Newest::new(3);
    for age in 0..2000_u64 {
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs((age * 7919) % 2000);
        newest.add(Hit { path: PathBuf::from(age.to_string()), directory: false, modified });
    }
    let (hits, total) = newest.sorted();
    let ages: Vec<u64> = hits
        .iter()
        .map(|hit| hit.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs())
        .collect();
    assert_eq!((ages, total), (vec![1999, 1998, 1997], 2000));
}

/// Entries may overlap; what was dropped because it is old does not count again.
#[test]
fn nothing_is_counted_twice() {
    let newest = Newest::new(3);
    for _ in 0..2 {
        for age in 0..2000_u64 {
            let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(age);
            newest.add(Hit { path: PathBuf::from(age.to_string()), directory: false, modified });
        }
    }
    assert_eq!(newest.sorted().1, 2000);
}

/// proves: FIL-195
#[test]
fn the_time_is_bounded_on_both_sides() {
    let asked = [None, Some(0.1), Some(-3.0), Some(7.5), Some(9_999.0), Some(f64::NAN), Some(f64::INFINITY)];
    assert_eq!(asked.map(patience), [5.0, 0.5, 0.5, 7.5, 60.0, 5.0, 5.0]);
}
