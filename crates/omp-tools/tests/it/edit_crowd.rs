//! Several sessions that change one file at the same time.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use omp_tools::EditMode;
use serde_json::json;

use crate::support::session::Session;
use crate::support::{Project, numbered, text};

const EDITS: usize = 15;

/// Changes its own lines one after the other, each with the header that the last result showed.
async fn by_lines(session: &Session, path: &str, first: usize) {
    let mut header = session.header(path).await;
    for line in first..first + EDITS {
        let answer = session.edit(&format!("{header}\nSWAP {line}:\n+changed {line}\n")).await.unwrap();
        header = answer.lines().next().unwrap().to_owned();
    }
}

async fn by_text(session: &Session, path: &str, first: usize) {
    for line in first..first + EDITS {
        let arguments = json!({
            "path": path,
            "old_string": format!("line {line}\n"),
            "new_string": format!("changed {line}\n"),
        });
        let answer = session.call("edit", arguments).await;
        answer.map(|output| text(&output)).unwrap();
    }
}

/// Nobody undoes what another has done, and nobody is sent away.
#[tokio::test]
async fn what_others_change_meanwhile_stays() {
    let (one, two) = (Session::new(), Session::new());
    let mut project = Project::new();
    project.settings.edit.mode = EditMode::Replace;
    let three = Session::with(project);
    let path = one.project.file("shared.txt", numbered(100)).to_str().unwrap().to_owned();
    tokio::join!(by_lines(&one, &path, 10), by_lines(&two, &path, 40), by_text(&three, &path, 70));
    let content = String::from_utf8(one.project.content("shared.txt")).unwrap();
    let changed = |line: usize| [10, 40, 70].iter().any(|first| (*first..first + EDITS).contains(&line));
    for (number, row) in (1..=100).zip(content.lines()) {
        let word = if changed(number) { "changed" } else { "line" };
        assert_eq!(row, format!("{word} {number}"));
    }
}

/// A call that changes many files does not keep all of them open.
#[tokio::test]
async fn many_files_are_changed_at_once() {
    let session = Session::new();
    let mut input = String::new();
    for number in 0..200 {
        let name = format!("f{number}.txt");
        session.project.file(&name, format!("old {number}\n"));
        let header = session.header(&name).await;
        // Of the first files, what was shown is forgotten; the tag is right all the same.
        input.push_str(&format!("{header}\nSWAP 1:\n+new {number}\n"));
    }
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, 120, most).unwrap();
    session.edit(&input).await.unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most.min(1024), most).unwrap();
    for number in 0..200 {
        assert_eq!(session.project.content(&format!("f{number}.txt")), format!("new {number}\n").as_bytes());
    }
}
