//! Commands on a terminal, inside the conversation.

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use super::Screen;
use crate::support::last_result;

/// A program that shows its size and says which keys it reads.
const READER: &str = "import sys, os, signal, termios, tty
def size(*_):
    columns, rows = os.get_terminal_size()
    print(f'size-{columns}x{rows}', end='\\r\\n', flush=True)
signal.signal(signal.SIGWINCH, size)
tty.setraw(0)
size()
print('\\x1b[?1hready', end='\\r\\n', flush=True)
while True:
    read = os.read(0, 64)
    if read == b'q':
        break
    print('keys:' + repr(read)[1:], end='\\r\\n', flush=True)
print('goodbye', end='\\r\\n', flush=True)
";

fn pty(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "run", "command": command, "pty": true}))
}

fn begin(second: &str) -> Screen {
    let server = Server::start([pty("python3 reader.py"), Reply::new().text(second)]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("work/reader.py", READER);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("run it").wait_for("ready");
    screen
}

/// The screen is live, keys reach the program in the form it wants them, whatever form they come in, and a new size of the
/// terminal is a new size of the program's.
///
/// proves: SHL-034
#[test]
fn a_command_on_a_terminal_is_shown_and_typed_to() {
    let mut screen = begin("It ended.");
    screen.wait_for("python3 reader.py").wait_for("Esc: end it").wait_for("size-100x25");
    screen.send("a").wait_for("keys:'a'");
    // The program asked for the application form of the arrows; in kitty's protocol Ctrl+C and Enter look different.
    screen.send("\x1b[A").wait_for("keys:'\\x1bOA'");
    screen.send("\x1b[99;5u").wait_for("keys:'\\x03'");
    screen.send("\x1b[13u").wait_for("keys:'\\r'");
    screen.send("\x1b[27;3u").wait_for("keys:'\\x1b'");
    screen.send("\x1b[200~two\nlines\x1b[201~").wait_for("keys:'two\\rlines'");
    screen.terminal.resize(20, 70);
    screen.wait_for("size-70x15");
    screen.send("q").wait_for("It ended.");
    screen.terminal.wait_without("Esc: end it");
    assert!(last_result(&screen.server).contains("goodbye"), "{}", last_result(&screen.server));
    screen.wait_for("Ask anything");
    screen.leave();

    let mut screen = begin("It was stopped.");
    screen.send("\x1b").wait_for("It was stopped.");
    screen.terminal.wait_without("Esc: end it");
    let result = last_result(&screen.server);
    assert!(result.contains("ready") && !result.contains("goodbye"), "{result}");
    screen.wait_for("Ask anything");
    screen.leave();
}

/// `--no-pty` and `PI_NO_PTY=1` run the same call without a terminal.
#[test]
fn terminals_can_be_forbidden() {
    for (flag, variable) in [(Some("--no-pty"), "0"), (None, "1")] {
        let server = Server::start([pty("test -t 1 || echo no-terminal"), Reply::new().text("Done.")]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(flag).env("PI_NO_PTY", variable);
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.say("run it").wait_for("Done.");
        assert!(last_result(&screen.server).contains("no-terminal"), "{}", last_result(&screen.server));
    }
}
