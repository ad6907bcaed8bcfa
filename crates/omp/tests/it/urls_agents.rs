//! `agent://`: what sub-agents said, whole or in part.

use omp_testkit::Home;

use crate::urls::{Answer, answers, bash, read};

/// Saves outputs where those of sub-agents are kept.
fn outputs() -> omp_testkit::Reply {
    bash(
        "cd \"$(dirname local://x)/..\" && printf '# Report\\n\\nfine\\n' > Anna.md && \
         printf '{\"items\":[{\"name\":\"a\"},{\"name\":\"b: c\"}],\"count\":2}' > Anna.Bob.md",
    )
}

fn said(url: &str) -> Answer {
    answers(&Home::new(), vec![outputs(), read(url)]).remove(1)
}

/// The whole output, and parts of one that is JSON, by path or by query, without pages.
// proves: SES-100, SES-101, FIL-071
#[test]
fn outputs_are_read_whole_or_in_part() {
    let calls = [
        "agent://Anna",
        "agent://Anna:raw:1-1",
        "agent://Anna.Bob/items/1/name",
        "agent://Anna.Bob?q=.items[0]",
    ];
    let both = [
        "agent://Anna.Bob/count?q=.count",
        "agent://Anna/x",
        "agent://Anna.Bob/items:50",
        "agent://Anna.Bob?q=.count:raw",
    ];
    let urls = calls.iter().chain(&both).map(|url| read(url));
    let answers = answers(&Home::new(), [outputs()].into_iter().chain(urls).collect());
    let text = |number: usize| answers[number].text.as_str();
    assert_eq!(text(1), "# Report\n\nfine");
    assert_eq!(answers[1].details["contentType"], "text/markdown");
    assert!(text(2).starts_with("# Report\n"), "{}", text(2));
    assert_eq!(text(3), "b: c");
    assert_eq!(text(4), "{\n  \"name\": \"a\"\n}");
    assert!(text(5).contains("a path and ?q= cannot be combined"), "{}", text(5));
    assert!(text(6).contains("The output of Anna is not JSON"), "{}", text(6));
    assert_eq!(text(7), "Cannot combine query extraction with offset/limit");
    assert_eq!(text(8), "Cannot combine query extraction with offset/limit");
    assert!(answers[5..].iter().all(|answer| answer.failed));
}

/// A part of a large output is not cut into pages.
// proves: FIL-071
#[test]
fn a_large_part_comes_whole() {
    let make = "cd \"$(dirname local://x)/..\" && (echo '{\"rows\":[0'; seq 1 5000 | sed 's/^/,/'; echo ']}') > Big.md";
    let answers = answers(&Home::new(), vec![bash(make), read("agent://Big?q=rows")]);
    assert!(answers[1].text.starts_with("[\n  0,\n  1,") && answers[1].text.ends_with("  5000\n]"));
}

/// What is missing is said, with what there is.
// proves: SES-102
#[test]
fn missing_outputs_are_explained() {
    let nothing = answers(&Home::new(), vec![read("agent://Anna")]).remove(0);
    assert_eq!((nothing.text.as_str(), nothing.failed), ("No artifacts directory found", true));
    let other = said("agent://Carl");
    assert_eq!((other.text.as_str(), other.failed), ("Not found: Carl. Available: Anna, Anna.Bob", true));
    let step = said("agent://Anna.Bob/nothing");
    assert!(step.text.contains("there is no .nothing in the output"), "{}", step.text);
}
