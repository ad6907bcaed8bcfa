//! What another model says about a picture, on the screen.

use omp_testkit::{Reply, Scenario, Server, Wire};
use serde_json::json;

use super::Screen;
use crate::support;

/// proves: WEB-096
#[test]
fn an_answer_about_a_picture_is_short_until_it_is_expanded() {
    let question = format!("{}!", "why ".repeat(40));
    let lines: Vec<String> = (1..=20).map(|number| format!("row {number} {}", "x".repeat(150))).collect();
    let call = json!({"_i": "look", "path": "p.png", "question": question});
    let server = Server::start(Scenario::replies([
        Reply::new().tool_call("inspect_image", call),
        Reply::new().text(&lines.join("\n")),
        Reply::new().text("Seen."),
    ]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "inspect_image:\n  enabled: true\n");
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(8, 8).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    home.write("work/p.png", bytes.into_inner());
    let mut screen = Screen::in_home(home, server, &[], 50, 180);
    screen.say("look").wait_for("Seen.");

    let rows = |screen: &Screen, start: &str| {
        let all = screen.terminal.screen();
        all.lines()
            .filter(|row| row.trim_start().starts_with(start))
            .map(|row| row.trim().to_owned())
            .collect()
    };
    let asked: Vec<String> = rows(&screen, "why ");
    assert_eq!(asked, [format!("{}…", &question[..99])], "100 columns");
    let shown: Vec<String> = rows(&screen, "row ");
    let expected = |count: usize| -> Vec<String> {
        lines[..count].iter().map(|line| format!("{}…", &line[..119])).collect()
    };
    assert_eq!(shown, expected(4), "4 lines of 120 columns");
    screen.wait_for("16 more lines").wait_for("test/scripted · image/png");
    screen.send("\x0f").wait_for("row 16 ").wait_for("4 more");
    let shown: Vec<String> = rows(&screen, "row ");
    // What was there in short is not drawn again; the whole follows it.
    assert_eq!(shown, [expected(4), expected(16)].concat());
}
