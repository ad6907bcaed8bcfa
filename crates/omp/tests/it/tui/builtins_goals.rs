//! Built-in commands that begin and end modes, and the list of all commands.

use omp_testkit::{Reply, Server, Wire};

use super::{Screen, last_prompt};
use crate::support;

/// On, paused, off; with words the mode is on and they are the first prompt.
/// proves: CLI-175
#[test]
fn plan_mode_is_toggled() {
    let replies = [Reply::new().text("a-planned-answer"), Reply::new().text("another")];
    let mut screen = Screen::sized(replies, &["--no-tools"], 40, 120);
    screen.say("/plan").wait_for("reads and plans").wait_for("plan ›");
    screen.say("/plan").wait_for("Plan mode paused").wait_for("plan paused ›");
    screen.say("/plan").wait_for("Plan mode off").terminal.wait_without("plan paused ›");
    screen.say("/plan look at the door").wait_for("a-planned-answer").wait_for("plan ›");
    let body = screen.server.requests()[0].body.to_string();
    assert!(
        body.contains("look at the door") && body.contains("local://"),
        "the model is told to plan: {body}"
    );
}

/// Every word of the command does what it says.
/// proves: CLI-177
#[test]
fn a_goal_is_steered_by_words() {
    let server =
        Server::start(["first-words", "second-words", "third-words"].map(|text| Reply::new().text(text)));
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "goal:\n  continuationModes: []\n");
    let mut screen = Screen::in_home(home, server, &[], 50, 120);
    screen.say("/goal show").wait_for("No goal set");
    screen.say("/goal set reach the moon").wait_for("first-words").wait_for("goal active");
    screen.say("/goal show").wait_for("Goal: reach the moon").wait_for("budget: none");
    screen.say("/goal budget 5000").wait_for("Budget set").say("/goal show").wait_for("budget: 5000");
    screen.say("/goal budget some").wait_for("budget <");
    screen.say("/goal pause").wait_for("Goal paused").wait_for("goal paused");
    screen.say("/goal resume").wait_for("second-words").wait_for("goal active");
    screen.say("/goal drop").wait_for("Drop the goal?").send("1").wait_for("Goal dropped");
    screen.say("/goal reach the sea").wait_for("third-words");
    assert!(last_prompt(&screen.server).contains("reach the sea"));
}

/// Questions, an objective to be changed, and then the work.
/// proves: CLI-178
#[test]
fn a_goal_is_found_by_asking() {
    let replies = [
        Reply::new().text("QUESTION: Which part of it?"),
        Reply::new().text("OBJECTIVE: paint the door"),
        Reply::new().text("work-has-begun"),
    ];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "goal:\n  continuationModes: []\n");
    let mut screen = Screen::in_home(home, server, &[], 50, 120);
    screen.say("/guided-goal").wait_for("What do you want to achieve, roughly?").answer("make it better");
    screen.wait_for("make it better").send("\r").wait_for("Which part of it?").answer("the door");
    screen.wait_for("the door").send("\r").wait_for("paint the door").answer(" green").wait_for("door green");
    screen.send("\r").wait_for("work-has-begun").wait_for("goal active");
    assert!(screen.server.requests()[0].body.to_string().contains("make it better"));
    assert!(last_prompt(&screen.server).contains("paint the door green"));
}

/// The next prompt is repeated so many times, or until the command comes again.
/// proves: CLI-179
#[test]
fn a_prompt_is_repeated() {
    let mut screen = Screen::new(["round-one", "round-two"].map(|text| Reply::new().text(text)), &[]);
    screen.say("/loop nonsense").wait_for("Usage");
    screen.say("/loop 2").wait_for("Loop mode on: the next prompt repeats").wait_for("loop ›");
    screen.say("say it").wait_for("round-one").wait_for("round-two");
    screen.terminal.wait_without("loop ›");
    assert_eq!(last_prompt(&screen.server), "say it");
    screen.say("/loop 10m").wait_for("loop ›").say("/loop").wait_for("Loop mode off");
    screen.terminal.wait_without("loop ›");
    screen.server.assert_clean();
}

/// proves: CLI-223
#[test]
fn help_lists_everything_with_its_source() {
    let server = Server::start([Reply::new()]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/.omp/commands/greet.md", "---\ndescription: Says hello\n---\nHello\n");
    home.write("home/.omp/agent/commands/mine.md", "---\ndescription: Only mine\n---\nHello\n");
    home.write("work/.claude/commands/theirs.md", "---\ndescription: From elsewhere\n---\nHello\n");
    home.write("home/.omp/agent/prompts/poem.md", "---\ndescription: A poem\n---\nHello\n");
    home.write("work/.omp/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDFs\n---\nHello\n");
    let mut screen = Screen::in_home(home, server, &[], 120, 120);
    // What is typed afterwards is seen when all of it has arrived.
    screen.say("/help").wait_for("/skill:pdf").send("typed").wait_for("│ typed");
    let shown = screen.terminal.history().join("\n") + &screen.terminal.screen();
    for (name, rest) in [
        ("/greet", "project Says hello"),
        ("/mine", "user Only mine"),
        ("/theirs", "claude, project From elsewhere"),
        ("/poem", "template, user A poem"),
        ("/skill:pdf", "skill Reads PDFs"),
        ("/exit, /quit", "built-in Exit omp"),
        ("/init", "bundled Explore"),
    ] {
        let line = shown.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(rest), "{name}: {line:?}\n{shown}");
    }
    for command in omp_commands::BUILTINS.iter().filter(|command| command.is_available()) {
        assert!(shown.lines().any(|line| line.contains(&format!("/{}", command.name))), "{}", command.name);
    }
    screen.send("\x15").say("/theme").wait_for("Theme for dark backgrounds");
}
