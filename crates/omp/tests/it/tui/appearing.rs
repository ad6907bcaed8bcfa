//! When the terminal is asked for its background.

use omp_testkit::{Reply, Server, Wire};

use super::Screen;
use crate::support;

const QUESTION: &str = "\x1b]11;?";

/// How often the terminal was asked so far.
fn asked(screen: &Screen) -> usize {
    String::from_utf8_lossy(&screen.terminal.bytes()).matches(QUESTION).count()
}

/// Whoever comes back to the window may have changed its colours, so it is asked again each time; but never behind a
/// multiplexer, which asks on its own.
///
/// proves: TUI-065
#[test]
fn the_background_is_asked_for_again_only_where_that_is_safe() {
    for (variable, value, again) in [
        ("TERM_PROGRAM", "ghostty", 3),
        ("TMUX", "/tmp/none,1,0", 0),
        ("STY", "1.none", 0),
        ("ZELLIJ", "0", 0),
    ] {
        let server = Server::start([Reply::new()]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.env(variable, value);
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.send("one").wait_for("│ one");
        let before = asked(&screen);
        for word in ["two", "three", "four"] {
            screen.send(&format!("\x1b[O\x1b[I {word}")).wait_for(word);
        }
        assert_eq!(asked(&screen) - before, again, "{variable}");
    }
}
