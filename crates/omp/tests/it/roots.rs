//! Further directories of the workspace.

use omp_testkit::{Reply, Server, Wire};

use crate::support::{home, omp_run};
use crate::tui::Screen;

/// The prompt lists what was named at the start; what changes later is told with the next words.
/// proves: CLI-271
#[test]
fn a_session_works_in_several_directories() {
    let server = Server::start(["answer-1", "answer-2", "answer-3"].map(|text| Reply::new().text(text)));
    let home = home(&server, Wire::OpenAiCompletions);
    for name in ["a", "b", "two words"] {
        home.write(format!("work/{name}/file"), "");
    }
    home.write("work/file", "");
    let refused = omp_run(&home, &["-p", "--add-dir", "file", "x"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("not a directory"), "{}", refused.stderr);
    let place = home.work_dir().canonicalize().unwrap();
    let mut screen = Screen::in_home(home, server, &["--add-dir", "a", "--add-dir", "b"], 40, 140);
    screen.say("first").wait_for("answer-1");
    let system = |at: usize, screen: &Screen| screen.server.requests()[at].body["messages"][0].to_string();
    let wanted = format!("The workspace also includes:\\n- {0}/a\\n- {0}/b", place.display());
    assert!(system(0, &screen).contains(&wanted), "{}", system(0, &screen));
    screen.say("/dirs").wait_for("working directory").wait_for(&format!("{}/b", place.display()));
    screen.say("/add-dir nowhere").wait_for("cannot use").say("/add-dir a").wait_for("already");
    screen.say("/add-dir \"two words\"").wait_for("to the workspace");
    screen.say("second").wait_for("answer-2");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("now also includes") && body.contains("two words"), "{body}");
    assert_eq!(system(0, &screen), system(1, &screen), "what was sent stays as it was");
    screen.say("/remove-dir b").wait_for("from the workspace");
    screen.say("/remove-dir b").wait_for("is not an additional directory");
    screen.say("third").wait_for("answer-3");
    assert!(screen.server.requests()[2].body.to_string().contains("is no longer part of the workspace"));
    screen.say("/dirs").terminal.wait_until("a shorter list", |shown| {
        shown
            .rsplit("Workspace")
            .next()
            .is_some_and(|list| !list.contains("/b\n") && list.contains("two words"))
    });
}
