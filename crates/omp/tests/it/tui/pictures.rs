//! Pictures in the conversation.

use std::io::Cursor;
use std::time::{Duration, Instant};

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use super::Screen;

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = image::RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 90]));
    picture.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

fn read(path: &str) -> Reply {
    Reply::new().tool_call("read", json!({"_i": "look", "path": path}))
}

/// A conversation in which pictures are read, one after the other.
fn looking(pictures: &[&str], variables: &[(&str, &str)], settings: &str) -> Screen {
    let replies: Vec<Reply> =
        pictures.iter().map(|path| read(path)).chain([Reply::new().text("Seen.")]).collect();
    let server = Server::start(replies);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", settings);
    pictures.iter().for_each(|path| _ = home.write(format!("work/{path}"), png(60, 40)));
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    variables.iter().for_each(|(name, value)| _ = command.env(name, value));
    let mut screen = Screen::with(command, home, server, 40, 100);
    screen.say("look").wait_for("Seen.");
    screen
}

fn count(bytes: &[u8], needle: &str) -> usize {
    bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count()
}

const PROTOCOLS: [(&str, &str); 3] =
    [("kitty", "\x1b_Ga=t,f=100"), ("iterm2", "\x1b]1337;File=inline=1"), ("sixel", "\x1bP0;1q")];

/// Every protocol, none, and the setting.
///
/// proves: TUI-147
#[test]
fn pictures_are_shown_where_the_terminal_can() {
    for (protocol, mark) in PROTOCOLS {
        let screen = looking(&["cat.png"], &[("PI_FORCE_IMAGE_PROTOCOL", protocol)], "");
        screen.terminal.wait_for_bytes(mark.as_bytes());
        assert!(screen.terminal.screen().contains("image/png"), "{}", screen.terminal.screen());

        let settings = "terminal:\n  showImages: false\n";
        let (terminal, ..) =
            looking(&["cat.png"], &[("PI_FORCE_IMAGE_PROTOCOL", protocol)], settings).leave();
        assert_eq!(count(&terminal.bytes(), mark), 0, "{protocol}");
        assert!(terminal.history().join("\n").contains("image/png"));
    }
    let (terminal, ..) = looking(&["cat.png"], &[], "").leave();
    for (protocol, mark) in PROTOCOLS {
        assert_eq!(count(&terminal.bytes(), mark), 0, "{protocol}");
    }
    let rows = terminal.history();
    let named = rows.iter().filter(|row| row.contains("image/png")).count();
    assert!(named >= 1, "{rows:?}");
}

/// What the terminal answers decides where the environment does not.
#[test]
fn a_terminal_that_says_so_gets_pictures() {
    let server = Server::start([read("cat.png"), Reply::new().text("Seen.")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("work/cat.png", png(60, 40));
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.send("\x1b_Gi=31;OK\x1b\\").say("look").wait_for("Seen.");
    screen.terminal.wait_for_bytes(b"\x1b_Ga=t,f=100");
}

/// Waits until so many pictures were sent to the terminal.
fn wait_for_pictures(screen: &Screen, number: usize) {
    let end = Instant::now() + Duration::from_secs(20);
    while count(&screen.terminal.bytes(), "a=t,f=100") < number {
        assert!(Instant::now() < end, "picture {number} was never sent");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Only the newest pictures keep their pixels.
#[test]
fn older_pictures_give_way() {
    let pictures = ["a.png", "b.png", "c.png"];
    let answers = ["First.", "Second.", "Third."];
    let replies = pictures.iter().zip(answers).flat_map(|(path, text)| [read(path), Reply::new().text(text)]);
    let server = Server::start(replies.collect::<Vec<_>>());
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "tui:\n  maxInlineImages: 2\n");
    pictures.iter().for_each(|path| _ = home.write(format!("work/{path}"), png(60, 40)));
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("PI_FORCE_IMAGE_PROTOCOL", "kitty").env("PI_KITTY_PLACEHOLDERS", "1");
    let mut screen = Screen::with(command, home, server, 60, 100);
    for (number, text) in answers.iter().enumerate() {
        screen.say("look").wait_for(text);
        wait_for_pictures(&screen, number + 1);
    }
    screen.terminal.wait_for_bytes(b"\x1b_Ga=d,d=I,i=1,");
    screen.wait_for("[image: image/png 60x40]");
    assert_eq!(screen.terminal.screen().matches("[image:").count(), 1, "{}", screen.terminal.screen());
}

/// A picture that the user sends is shown below the message, also when the session is resumed.
#[test]
fn pictures_of_the_user_are_shown() {
    let server = Server::start([Reply::new().text("Nice.")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("work/cat.png", png(60, 40));
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(["@cat.png", "what is this?"]).env("PI_FORCE_IMAGE_PROTOCOL", "blocks");
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.wait_for("Nice.").wait_for("▀▀▀");
    let (_, server, home) = screen.leave();
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.arg("-c").env("PI_FORCE_IMAGE_PROTOCOL", "blocks");
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.wait_for("what is this?").wait_for("▀▀▀");
    screen.leave();
}
