//! Skills that are called while the model answers.

use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire};

use super::Screen;

fn home(server: &Server) -> Home {
    let home = crate::support::home(server, Wire::OpenAiCompletions);
    let skill = "---\nname: rhyme\ndescription: Answers in rhyme\n---\nAlways rhyme.\n";
    home.write("work/.omp/skills/rhyme/SKILL.md", skill);
    home
}

/// Enter steers, Ctrl+Enter follows up; without a turn both are prompts.
///
/// proves: EXT-021
#[test]
fn a_skill_is_queued_like_words() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let server = Server::start([
        slow.stall_after_event(3, Duration::from_millis(1500)),
        Reply::new().text("after-steering"),
        Reply::new().text("after-follow-up"),
        Reply::new().text("after-enter"),
        Reply::new().text("after-ctrl-enter"),
    ]);
    let home = home(&server);
    let mut screen = Screen::in_home(home, server, &[], 60, 100);
    screen.say("begin").wait_for("slow");
    screen.send("/skill:rhyme later").wait_for("rhyme later").send("\x1b[13;5u").wait_for("1 message queued");
    screen.send("/skill:rhyme sooner").wait_for("rhyme sooner").send("\r").wait_for("2 messages queued");
    screen.wait_for("after-follow-up");
    let bodies = |screen: &Screen| -> Vec<String> {
        screen.server.requests().iter().map(|request| request.body.to_string()).collect()
    };
    let sent = bodies(&screen);
    assert!(
        sent[1].contains("Always rhyme") && sent[1].contains("sooner") && !sent[1].contains("later"),
        "{}",
        sent[1]
    );
    assert!(sent[2].contains("later"), "{}", sent[2]);
    screen.send("/skill:rhyme enter").wait_for("rhyme enter").send("\r").wait_for("after-enter");
    screen
        .send("/skill:rhyme control")
        .wait_for("rhyme control")
        .send("\x1b[13;5u")
        .wait_for("after-ctrl-enter");
    assert_eq!(bodies(&screen).len(), 5);
    screen.server.finish();
}
