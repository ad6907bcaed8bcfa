//! Prompts of earlier sessions.

use omp_testkit::{Home, Reply, Server, Wire};

use super::Screen;

/// A home with a session in which these prompts were typed.
fn typed(prompts: &[&str]) -> Home {
    let server = Server::start(prompts.iter().map(|_| Reply::new().text("ok")).collect::<Vec<_>>());
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    for (count, prompt) in prompts.iter().enumerate() {
        screen.say(prompt).terminal.wait_until("an answer", |shown| shown.matches("ok\n").count() > count);
    }
    screen.leave().2
}

fn again(home: Home) -> Screen {
    let server = Server::start([Reply::new().text("fine")]);
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    Screen::in_home(home, server, &[], 30, 100)
}

/// proves: SES-179
#[test]
fn earlier_prompts_come_back_in_a_new_session() {
    let mut screen = again(typed(&["the first question", "a second matter"]));
    screen.send("\x1b[A").wait_for("│ a second matter").send("\x1b[A").wait_for("│ the first question");
    screen.send("\x1b[B").wait_for("│ a second matter").send("\x1b[B").wait_for("Ask anything");
    screen.send("\x12").wait_for("Prompt history").wait_for("a second matter").send("ques");
    screen.terminal.wait_until("what fits", |shown| {
        shown.contains("❯ the first question") && !shown.contains("a second matter")
    });
    screen.send("\r").wait_for("│ the first question").send("\r").wait_for("fine");
    assert_eq!(super::last_prompt(&screen.server), "the first question");
}

/// The same key steps to older prompts; Escape leaves what was typed.
#[test]
fn the_search_is_left_without_a_trace() {
    let mut screen = again(typed(&["alpha one", "alpha two"]));
    screen.send("alpha").wait_for("│ alpha").send("\x12").wait_for("❯ alpha two");
    screen.send("\x12").wait_for("❯ alpha one").send("\x1b").terminal.wait_without("Prompt history");
    screen.wait_for("│ alpha ");
}

#[test]
fn prompts_of_other_directories_are_found_on_demand() {
    let home = typed(&["typed in work"]);
    std::fs::create_dir_all(home.path("elsewhere")).unwrap();
    let start = |home: Home| {
        let server = Server::start([Reply::new()]);
        home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.current_dir(home.path("elsewhere"));
        Screen::with(command, home, server, 30, 100)
    };
    let mut screen = start(home);
    screen.send("\x12").wait_for("No matches").send("\t").wait_for("❯ typed in work");
    screen.send("\t").wait_for("No matches").send("\x1b[27u").wait_for("Ask anything");
    screen.send("\x1b[Ax").wait_for("│ x");
    let home = screen.leave().2;
    // Whoever wants it so sees them all from the beginning.
    home.write("home/.omp/agent/config.yml", "promptHistory:\n  scope: all\n");
    let mut screen = start(home);
    screen.send("\x1b[A").wait_for("│ typed in work").send("\x1b[27u\x12").wait_for("❯ typed in work");
}

/// proves: CLI-234
#[test]
fn a_draft_is_there_when_the_session_is_resumed() {
    let server = Server::start([Reply::new().text("hello"), Reply::new().text("seen")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("work/dot.png", super::pasting::png());
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("begin").wait_for("hello");
    let path = screen.home.path("work/dot.png");
    screen.send(&format!("look at \x1b[200~{}\x1b[201~", path.display())).wait_for("[Image #1]");
    screen.send("please").wait_for("[Image #1] please");
    let pid = nix::unistd::Pid::from_raw(i32::try_from(screen.terminal.pid()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    screen.terminal.wait_exit();
    let Screen { home, server, .. } = screen;
    let start = |home, server, arguments: &[&str]| {
        let mut command = Home::terminal_command(&home, env!("CARGO_BIN_EXE_omp"));
        command.args(arguments);
        let terminal =
            omp_testkit::terminal::Terminal::start(command, 30, 100, omp_testkit::terminal::Answers::Kind);
        Screen { terminal, server, home }
    };
    let mut screen = start(home, server, &["-c"]);
    screen.wait_for("│ look at [Image #1] please").send("\r").wait_for("seen");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("look at [Image #1] please") && body.contains("data:image/png;base64,"), "{body}");
    // It is given back once.
    let (_, server, home) = screen.leave();
    let mut screen = start(home, server, &["-c"]);
    screen.wait_for("Ask anything");
}
