//! What the program brings along instead of calling others: looking for files and code, shells, terminals, pictures.

use std::io::Cursor;

use base64::Engine as _;
use omp_testkit::{Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support;

fn call(name: &str, arguments: Value) -> Reply {
    let mut arguments = arguments;
    arguments["_i"] = "as asked".into();
    Reply::new().tool_call(name, arguments)
}

/// The results of tools in the last request, in order.
fn results(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let messages =
        requests.last().expect("a request").body["messages"].as_array().cloned().unwrap_or_default();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Names by glob, a listing, parts of a name behind `@`; what was scanned a moment before does not hide what a tool or
/// somebody else has made since.
#[test]
fn files_are_found_as_soon_as_they_are_there() {
    let server = Server::start([
        call("find", json!({"paths": ["**/*.txt"]})),
        call("read", json!({"path": "."})),
        // As long as a person needs to look elsewhere and back.
        call("bash", json!({"command": "sleep 0.3"})),
        call("write", json!({"path": "deep/er/brand-new-by-tool.txt", "content": "x"})),
        call("find", json!({"paths": ["**/*.txt"]})),
        Reply::new().text("Done."),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/src/first-file.txt", "x");
    home.write("work/src/other.rs", "x");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.send("@fifi").wait_for("src/first-file.txt").send("\x15").wait_for("Ask anything");
    screen.home.write("work/src/brand-new-by-hand.txt", "x");
    screen.say("go").wait_for("Done.");
    let found = results(&screen.server);
    assert!(found[0].contains("first-file.txt") && !found[0].contains("other.rs"), "{}", found[0]);
    assert!(found[1].contains("src") && found[1].contains("other.rs"), "{}", found[1]);
    assert!(found[4].contains("brand-new-by-tool.txt"), "{}", found[4]);
    screen.send("@bnbt").wait_for("deep/er/brand-new-by-tool.txt").send("\x15").wait_for("Ask anything");
    screen.send("@newhand").wait_for("src/brand-new-by-hand.txt");
}

const CODE: &str = "fn kept() {\n    f(1);\n}\n\nfn gone() {\n    f(2);\n    g();\n}\n\nfn last() {}\n";

/// Found, rewritten, deleted as a block named by its first line, and summed up by its signatures.
///
/// proves: TUI-157
#[test]
fn code_is_found_and_changed_by_its_structure() {
    let tag = omp_edits::hashline::Tag::of(&CODE.replace("f(", "h("));
    let long: String = (0..120)
        .map(|number| {
            let body: String =
                (0..6).map(|line| format!("    let value_{line} = {number} + {line};\n")).collect();
            format!("pub fn function_{number}(argument: u32) -> u32 {{\n{body}    argument\n}}\n\n")
        })
        .collect();
    let server = Server::start([
        call("ast_grep", json!({"pat": "f($A)", "paths": ["a.rs"]})),
        call("ast_edit", json!({"ops": [{"pat": "f($A)", "out": "h($A)"}], "paths": ["a.rs"]})),
        call("resolve", json!({"action": "apply", "reason": "as wanted"})),
        call("read", json!({"path": "a.rs"})),
        call("edit", json!({"input": format!("[a.rs#{tag}]\nDEL.BLK 5\n")})),
        call("read", json!({"path": "long.rs"})),
        Reply::new().text("Done."),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/a.rs", CODE);
    home.write("work/long.rs", &long);
    support::omp_run(&home, &["-p", "go"]).assert_success();
    let found = results(&server);
    assert!(found[0].contains("*2:    f(1);") && found[0].contains("*6:    f(2);"), "{}", found[0]);
    assert_eq!(home.read("work/a.rs"), "fn kept() {\n    h(1);\n}\n\n\nfn last() {}\n", "{}", found[4]);
    let outline = &found[5];
    assert!(outline.contains("pub fn function_119(argument: u32) -> u32"), "{outline}");
    assert!(!outline.contains("let value_3 = 119"), "bodies are left out: {outline}");
    server.finish();
}

/// A shell that remembers, whose output is seen while it comes, and that can be stopped by a person and by time; a terminal
/// that is started, typed to, resized and ended.
///
/// proves: TUI-158
#[test]
fn shells_and_terminals() {
    let bash = |command: &str| call("bash", json!({"command": command}));
    let server = Server::start([
        bash("mkdir sub && cd sub && export WORD=kept && greet() { echo \"$WORD in ${PWD##*/}\"; }"),
        bash("greet"),
        call("bash", json!({"command": "echo before-the-limit; sleep 60", "timeout": 1})),
        bash("echo first-chunk; sleep 60"),
        call(
            "bash",
            json!({"command": "stty size; read line; echo got-$line; stty size; sleep 60", "pty": true}),
        ),
        Reply::new().text("Done."),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("go").wait_for("kept in sub").wait_for("first-chunk").wait_for("Working");
    let found = results(&screen.server);
    assert!(found[1].contains("kept in sub"), "{found:?}");
    assert!(found[2].contains("before-the-limit") && found[2].contains("timed out"), "{found:?}");
    screen.send("\x1b").wait_for("sleep 60 · aborted");
    screen.say("go on").wait_for("35 100").send("typed\r").wait_for("got-typed").wait_for("Esc: end it");
    screen.terminal.resize(30, 90);
    screen.terminal.wait_until("the frame again", |shown| shown.contains("Esc: end it"));
    screen.send("\x1b").wait_for("Done.");
    let found = results(&screen.server);
    assert!(found[3].contains("first-chunk") || found[3].contains("abort"), "{found:?}");
    assert!(found[4].contains("got-typed"), "{found:?}");
}

/// The colours of a sixel picture, by column and row.
fn decode_sixel(data: &str) -> Vec<Vec<Option<[u8; 3]>>> {
    let mut palette = std::collections::HashMap::new();
    let mut rows: Vec<Vec<Option<[u8; 3]>>> = Vec::new();
    let (mut band, mut column, mut color) = (0, 0, [0; 3]);
    let mut rest = data;
    let number = |rest: &mut &str| {
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let value = rest[..end].parse::<usize>().unwrap_or(0);
        *rest = &rest[end..];
        value
    };
    while let Some(letter) = rest.chars().next() {
        rest = &rest[1..];
        let mut repeat = 1;
        let bits = match letter {
            '#' => {
                let register = number(&mut rest);
                if let Some(definition) = rest.strip_prefix(";2;") {
                    rest = definition;
                    let mut percent = [0; 3];
                    for channel in &mut percent {
                        *channel = (number(&mut rest) * 255 / 100) as u8;
                        rest = rest.strip_prefix(';').unwrap_or(rest);
                    }
                    palette.insert(register, percent);
                }
                color = palette[&register];
                continue;
            }
            '$' => {
                column = 0;
                continue;
            }
            '-' => {
                (band, column) = (band + 6, 0);
                continue;
            }
            '!' => {
                repeat = number(&mut rest);
                let letter = rest.chars().next().unwrap_or('?');
                rest = &rest[1..];
                letter as usize - 63
            }
            '"' => {
                let end = rest.find(['#', '!', '$', '-']).unwrap_or(rest.len());
                rest = &rest[end..];
                continue;
            }
            letter => letter as usize - 63,
        };
        for at in column..column + repeat {
            for bit in (0..6).filter(|bit| bits & (1 << bit) != 0) {
                let row = band + bit;
                rows.resize(rows.len().max(row + 1), Vec::new());
                let cells = &mut rows[row];
                cells.resize(cells.len().max(at + 1), None);
                cells[at] = Some(color);
            }
        }
        column += repeat;
    }
    rows
}

/// A picture with a red left half and a blue right one.
fn halves(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(width, height, |x, _| {
        image::Rgb(if x < width / 2 { [255, 0, 0] } else { [0, 0, 255] })
    });
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

/// The picture on the screen and the picture for the model, which is made smaller unless the user does not want that.
///
/// proves: TUI-163
#[test]
fn pictures_are_encoded_for_the_screen_and_for_the_model() {
    for (settings, width) in [("", 2000), ("images:\n  autoResize: false\n", 2600)] {
        let server = Server::start([call("read", json!({"path": "wide.png"})), Reply::new().text("Seen.")]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", settings);
        home.write("work/wide.png", halves(2600, 1300));
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.env("PI_FORCE_IMAGE_PROTOCOL", "sixel");
        let mut screen = Screen::with(command, home, server, 40, 100);
        screen.say("look").wait_for("Seen.");
        screen.terminal.wait_for_bytes(b"\x1bP0;1q");

        let body = screen.server.requests()[1].body.to_string();
        let data = body.split("data:image/png;base64,").nth(1).expect("a picture").split('"').next().unwrap();
        let sent = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        assert_eq!(image::load_from_memory(&sent).unwrap().width(), width);

        let written = screen.terminal.bytes();
        let text = String::from_utf8_lossy(&written);
        let sixel = text.split("\x1bP0;1q").nth(1).unwrap().split('\x1b').next().unwrap();
        let rows = decode_sixel(sixel);
        let across = rows[0].len();
        assert!(rows.len() > 100 && across > 500, "{} x {across}", rows.len());
        for row in [0, rows.len() / 2, rows.len() - 1] {
            assert_eq!(rows[row][across / 4], Some([255, 0, 0]), "row {row}");
            assert_eq!(rows[row][across * 3 / 4], Some([0, 0, 255]), "row {row}");
        }
    }
}
