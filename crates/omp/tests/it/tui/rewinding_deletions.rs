//! What commands delete or overwrite comes back.

use omp_testkit::{Home, Reply, Server, Wire};

use super::Screen;
use super::rewinding::{bash, file, repository, says};
use crate::support;

fn screen(replies: Vec<Reply>, home: impl FnOnce(&Server) -> Home) -> Screen {
    let server = Server::start(replies);
    let home = home(&server);
    // The mode that people use: the commands run confined, and unasked.
    home.write("home/.omp/agent/config.yml", "tools:\n  approvalMode: auto\n");
    Screen::in_home(home, server, &[], 50, 110)
}

/// Without git as well, whatever the command is, as long as it says what it deletes.
#[test]
fn deletions_outside_a_repository_come_back() {
    let command =
        "rm -rf data && mv notes.txt other.txt && find old -name '*.txt' -delete && echo x > kept.txt";
    let mut screen = screen(vec![bash(command), says("alpha-done.")], |server| {
        let home = support::home(server, Wire::OpenAiCompletions);
        for name in
            ["data/deep/one.txt", "data/two.txt", "notes.txt", "other.txt", "old/three.txt", "kept.txt"]
        {
            home.write(format!("work/{name}"), format!("{name}\n"));
        }
        home
    });
    screen.say("question alpha").wait_for("alpha-done.");
    assert!(!screen.home.exists("work/data") && !screen.home.exists("work/old/three.txt"));
    screen.say("/rewind 1 files").wait_for("Rewound to before: question alpha");
    for name in ["data/deep/one.txt", "data/two.txt", "notes.txt", "other.txt", "old/three.txt", "kept.txt"] {
        assert_eq!(file(&screen, name), Some(format!("{name}\n")), "{name}");
    }
    screen.say("/redo").wait_for("Undid the last /rewind");
    assert_eq!((file(&screen, "data/two.txt"), file(&screen, "kept.txt")), (None, Some("x\n".to_owned())));
}

/// In a repository what git ignores would be lost for good.
#[test]
fn ignored_files_that_a_command_deletes_come_back() {
    let mut screen = screen(vec![bash("rm -f run.log *.log; rm -r built"), says("alpha-done.")], |server| {
        let home = repository(server);
        home.write("work/.gitignore", "*.log\nbuilt/\n");
        home.write("work/run.log", "of yesterday\n");
        home.write("work/built/result", "of an hour\n");
        home
    });
    screen.say("question alpha").wait_for("alpha-done.");
    assert!(!screen.home.exists("work/run.log") && !screen.home.exists("work/built"));
    screen.say("/rewind 1 files").wait_for("Rewound to before: question alpha");
    assert_eq!(file(&screen, "run.log").as_deref(), Some("of yesterday\n"));
    assert_eq!(file(&screen, "built/result").as_deref(), Some("of an hour\n"));
}
