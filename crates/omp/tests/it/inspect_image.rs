//! Another model looks at pictures: the tool, its switch, and what `read` says then.

use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use crate::support::{json_lines, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";

fn picture() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgba8(40, 30).write_to(&mut bytes, image::ImageFormat::Png).expect("a picture");
    bytes.into_inner()
}

/// A model that works, and one that sees.
fn home(server: &Server, config: &str) -> Home {
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    home.write(
        "home/.omp/agent/models.yml",
        format!(
            "providers:\n  one:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: [{{id: main, input: [text]}}, {{id: eyes, input: [text, image]}}]\n"
        ),
    );
    home.write(CONFIG, config);
    home.write("work/p.png", picture());
    home
}

fn call(tool: &str, arguments: &Value) -> Reply {
    let mut arguments = arguments.clone();
    arguments["_i"] = "look".into();
    Reply::new().tool_call(tool, arguments)
}

fn inspect(path: &str) -> Reply {
    call("inspect_image", &json!({"path": path, "question": "Which colour is it?"}))
}

fn tools(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().expect("tools");
    tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

/// What the working model was told in its second request.
fn result(server: &Server) -> String {
    let request = server.requests().last().expect("a request").body.clone();
    let messages = request["messages"].as_array().expect("messages");
    let result = messages.iter().rev().find(|message| message["role"] == "tool").expect("a result");
    result["content"].as_str().expect("text").to_owned()
}

const ON: &str = "inspect_image:\n  enabled: true\nmodelRoles:\n  vision: one/eyes\n";

/// proves: WEB-083, WEB-085
#[test]
fn another_model_looks_and_its_words_come_back() {
    let server = Server::start(
        Scenario::replies([
            inspect("p.png"),
            Reply::new().thinking("hm").text("It is black."),
            Reply::new().text("done"),
        ])
        .keyless(true),
    );
    let home = home(&server, ON);
    let output = omp_run(&home, &["-p", "--mode", "json", "--model", "one/main", "x"]);
    output.assert_success();
    let requests = server.requests();
    let asked = &requests[1].body;
    assert_eq!(asked["model"], "eyes");
    let [system, user] = asked["messages"].as_array().expect("messages").as_slice() else {
        panic!("{asked}");
    };
    let instructions = system["content"].to_string();
    assert!(instructions.contains("image") && !instructions.contains("bash"), "{instructions}");
    assert_eq!((&user["role"], user["content"].as_array().expect("parts").len()), (&json!("user"), 2));
    let url = user["content"][0]["image_url"]["url"].as_str().expect("the picture first");
    assert!(url.starts_with("data:image/png;base64,iVBOR"), "{url}");
    assert_eq!(user["content"][1], json!({"type": "text", "text": "Which colour is it?"}));
    assert!(asked.get("tools").is_none_or(|tools| tools.as_array().is_none_or(Vec::is_empty)));

    assert_eq!(result(&server), "It is black.");
    assert!(!requests[2].body.to_string().contains("image_url"), "the picture stays outside");
    let lines = json_lines(&output);
    let end = lines.iter().find(|line| line["type"] == "tool_execution_end").expect("the call");
    let path = home.path("work/p.png").display().to_string();
    let expected = json!({"model": "one/eyes", "imagePath": path, "mimeType": "image/png"});
    assert_eq!(end["result"]["details"], expected);
    server.finish();
}

/// proves: WEB-084
#[test]
fn the_tool_is_there_when_it_is_switched_on() {
    for (config, offered) in [
        ("", false),
        ("inspect_image:\n  enabled: false\n", false),
        ("inspect_image:\n  enabled: true\n", true),
    ] {
        let server = Server::start(Scenario::replies([Reply::new().text("ok")]).keyless(true));
        let home = home(&server, config);
        omp_run(&home, &["-p", "x"]).assert_success();
        assert_eq!(tools(&server.requests()[0].body).contains(&"inspect_image"), offered, "{config}");
        server.finish();
    }
}

/// The model is judged, and pictures may be forbidden, before anybody looks for the file.
/// proves: WEB-086, WEB-087
#[test]
fn refusals_come_before_the_file_is_read() {
    let on = "inspect_image:\n  enabled: true\n";
    let blind = "Resolved model one/main does not support image input. Configure a vision-capable model for \
                 modelRoles.vision.";
    let blocked = "Image submission is disabled by settings (images.blockImages=true). Disable it to use \
                   inspect_image.";
    for (config, expected) in [
        (on.to_owned(), blind),
        (format!("{on}images:\n  blockImages: true\n"), blocked),
        (format!("{ON}images:\n  blockImages: true\n"), blocked),
    ] {
        let replies = [inspect("missing.png"), Reply::new().text("done")];
        let server = Server::start(Scenario::replies(replies).keyless(true));
        let home = home(&server, &config);
        omp_run(&home, &["-p", "--model", "one/main", "x"]).assert_success();
        assert_eq!(result(&server), format!("Error: {expected}"));
        server.finish();
    }
}

/// proves: FIL-067
#[test]
fn read_shows_pictures_or_says_what_they_are() {
    let read = |config: &str| {
        let replies = [call("read", &json!({"path": "p.png"})), Reply::new().text("done")];
        let server = Server::start(Scenario::replies(replies).keyless(true));
        let home = home(&server, config);
        omp_run(&home, &["-p", "--model", "one/eyes", "x"]).assert_success();
        let request = server.requests()[1].body.to_string();
        let (text, inlined) = (result(&server), request.contains("data:image/png;base64,"));
        server.finish();
        (text, inlined)
    };
    let (text, inlined) = read("");
    assert!(inlined && text.starts_with("Read image p.png [image/png, 40x30]"), "{text}");
    let (text, inlined) = read(ON);
    let expected = format!(
        "Image p.png [image/png, {} bytes, 40x30, 4 channels, alpha]\nThe image is not shown here. Call \
         inspect_image with path 'p.png' and a question about it.",
        picture().len()
    );
    assert_eq!((text, inlined), (expected, false));
}
