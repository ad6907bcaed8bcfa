//! Secrets on the wire: what a provider gets to see, and what commands and files get.

use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::sessions::session_files;
use crate::support::{LIMIT, omp};

const CONFIG: &str = "home/.omp/agent/config.yml";
const ON: &str = "secrets:\n  enabled: true\n";
const SECRET: &str = "hush-hush-\"quoted\"-12";

fn omp_with_key(home: &Home, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    command.env("MY_API_KEY", SECRET);
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    output
}

/// The bodies that a run sends.
fn sent(home: &Home, wire: Wire, replies: Vec<Reply>, args: &[&str]) -> (Vec<Value>, Output) {
    let server = Server::start(replies);
    home.models_yml(&server, wire, ModelOptions::new());
    let output = omp_with_key(home, args);
    let bodies = server.requests().iter().map(|request| request.body.clone()).collect();
    server.finish();
    (bodies, output)
}

/// A body as text without the escapes of JSON, so that a secret would be found in any nesting.
fn flat(body: &Value) -> String {
    body.to_string().replace('\\', "")
}

/// The only placeholder in a text.
fn placeholder(text: &str) -> String {
    let mut found: Vec<&str> = (0..text.len().saturating_sub(5))
        .filter_map(|at| text.get(at..at + 6))
        .filter(|part| {
            let letters = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit();
            part.starts_with('#') && part.ends_with('#') && part[1..5].bytes().all(letters)
        })
        .collect();
    found.dedup();
    assert_eq!(found.len(), 1, "{found:?} in {text}");
    found[0].to_owned()
}

fn say() -> Vec<Reply> {
    vec![Reply::new().text("ok")]
}

/// Off unless it is switched on.
// proves: TSN-072
#[test]
fn secrets_are_replaced_only_where_it_is_switched_on() {
    let home = Home::new();
    let prompt = format!("the key is {SECRET}");
    let (off, _) = sent(&home, Wire::OpenAiCompletions, say(), &["-p", &prompt]);
    assert!(flat(&off[0]).contains(SECRET));
    home.write(CONFIG, ON);
    let (on, _) = sent(&home, Wire::OpenAiCompletions, say(), &["-p", &prompt]);
    assert!(!flat(&on[0]).contains(SECRET));
    home.write(CONFIG, "secrets:\n  enabled: false\n");
    let (off, _) = sent(&home, Wire::OpenAiCompletions, say(), &["-p", &prompt]);
    assert!(flat(&off[0]).contains(SECRET));
}

/// What the environment keeps, a command prints and the user types reaches no provider on any wire; the model's use of
/// the placeholder reaches commands and files as the real thing, and so does what is shown and kept.
// proves: TSN-073, TSN-076, TSN-077, TSN-086
#[test]
fn placeholders_out_and_secrets_back() {
    for wire in Wire::ALL {
        let home = Home::new();
        home.write(CONFIG, ON);
        home.write("work/known.txt", format!("key={SECRET}\n"));
        let show = || {
            Reply::new().tool_call("bash", json!({"_i": "x", "command": "echo $MY_API_KEY; cat known.txt"}))
        };
        let (bodies, _) = sent(&home, wire, vec![show(), Reply::new().text("seen")], &["-p", "print it"]);
        assert!(bodies.iter().all(|body| !flat(body).contains("hush-hush")), "{wire}");
        let first = placeholder(&flat(&bodies[1]));

        // The same session again, so the same placeholder; this time the model uses it, in pieces and deep inside.
        let command = format!("printf %s '{first}' > used.txt");
        let edit = json!({"_i": "x", "path": "deep/written.txt", "content": format!("a {first} #ZZZZ# b")});
        let use_it = Reply::new()
            .text(&format!("I use {first}."))
            .tool_call("bash", json!({"_i": "x", "command": command, "env": {"GIVEN": first}}))
            .tool_call("write", edit)
            .delta_size(3);
        let done = Reply::new().text(&format!("{first} is used."));
        let (bodies, output) = sent(&home, wire, vec![use_it, done], &["-c", "-p", "now use it"]);
        assert_eq!(home.read("work/used.txt"), SECRET, "{wire}");
        assert_eq!(home.read("work/deep/written.txt"), format!("a {SECRET} #ZZZZ# b"), "{wire}");
        assert_eq!(output.stdout.trim(), format!("{SECRET} is used."), "{wire}");
        let second = flat(&bodies[1]);
        assert!(!second.contains("hush-hush"), "{wire}");
        assert!(second.contains(&format!("I use {first}.")) && second.contains("printf %s '"), "{wire}");
        let saved = std::fs::read_to_string(&session_files(&home)[0]).unwrap();
        assert!(saved.contains("hush-hush") && !saved.contains(&first), "{wire}: what is kept is real");
    }
}

/// Everything that is written in the conversation is looked through, and pictures are not.
// proves: TSN-087
#[test]
fn every_place_of_the_conversation_is_looked_through() {
    // Bytes that would hold the secret's text if they were looked at.
    let home = Home::new();
    home.write(CONFIG, ON);
    home.write("work/AGENTS.md", format!("context: {SECRET}\n"));
    home.write("work/known.txt", format!("result: {SECRET}\n"));
    let picture = {
        let mut bytes = Vec::new();
        let image = image::DynamicImage::new_rgb8(4, 4);
        image.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
        bytes
    };
    home.write("work/p.png", &picture);
    let look = Reply::new().tool_call("read", json!({"_i": "x", "path": "known.txt"}));
    let args = ["-p", "@p.png", &format!("user: {SECRET}")];
    let (bodies, _) = sent(&home, Wire::AnthropicMessages, vec![look, Reply::new().text("seen")], &args);
    let first = placeholder(&flat(&bodies[1]["messages"][0]));
    let again = Reply::new().text(&format!("assistant: {first}")).tool_call(
        "bash",
        json!({"_i": format!("because of {first}"), "command": format!("echo '{first}'")}),
    );
    let (bodies, _) =
        sent(&home, Wire::AnthropicMessages, vec![again, Reply::new().text("x")], &["-c", "-p", "go"]);
    let body = flat(&bodies[1]);
    assert!(!body.contains("hush-hush"), "{body}");
    for place in ["context: ", "result: ", "user: ", "assistant: ", "echo '"] {
        assert!(body.contains(&format!("{place}{first}")), "{place}: {body}");
    }
    let encoded =
        body.split("\"data\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a picture");
    assert!(encoded.len() > 40, "the picture is sent whole");
    // Descriptions of tools are ours, and stay even where a secret is one of their words.
    home.write(
        "home/.omp/agent/secrets.yml",
        "- {type: plain, content: directory}\n- {type: plain, content: base64}\n",
    );
    let (bodies, _) = sent(&home, Wire::AnthropicMessages, say(), &["-p", "a directory"]);
    assert!(flat(&bodies[0]["tools"]).contains("directory"));
    assert!(!flat(&bodies[0]["messages"]).contains("directory"));
}

/// Two files; the project's word counts. Mistakes are named and stop nothing.
// proves: TSN-074, TSN-084
#[test]
fn files_name_more_secrets() {
    let home = Home::new();
    home.write(CONFIG, ON);
    home.write(
        "home/.omp/agent/secrets.yml",
        "- {type: plain, content: shared-word}\n- {type: plain, content: mine-alone}\n- {type: odd, content: x}\n",
    );
    home.write(
        "work/.omp/secrets.yml",
        "- {type: plain, content: shared-word, mode: replace, replacement: '<theirs>'}\n- {type: regex, content: 'a('}\n",
    );
    let prompt = "shared-word and mine-alone";
    let (bodies, output) = sent(&home, Wire::OpenAiCompletions, say(), &["-p", prompt]);
    let body = flat(&bodies[0]);
    assert!(body.contains("<theirs> and #") && !body.contains("mine-alone"), "{body}");
    assert!(output.stderr.contains("agent/secrets.yml: ignoring entry 3"), "{}", output.stderr);
    assert!(output.stderr.contains("work/.omp/secrets.yml: ignoring entry 2"), "{}", output.stderr);
    for broken in ["not: a list\n", "- [\n", "- {type: plain, content: ''}\n"] {
        home.write("home/.omp/agent/secrets.yml", broken);
        let (bodies, output) = sent(&home, Wire::OpenAiCompletions, say(), &["-p", prompt]);
        assert!(flat(&bodies[0]).contains("<theirs> and mine-alone"));
        assert!(output.stderr.contains("secrets.yml"), "{broken}: {}", output.stderr);
    }
}

/// What merely looks like a placeholder is neither restored nor lost.
// proves: TSN-085
#[test]
fn lookalikes_stay_as_they_are() {
    let home = Home::new();
    home.write(CONFIG, ON);
    let write = json!({"_i": "x", "path": "out.txt", "content": "#ZZZZ# and #AB12#"});
    let replies = vec![Reply::new().tool_call("write", write), Reply::new().text("#ZZZZ#")];
    let (bodies, output) =
        sent(&home, Wire::OpenAiCompletions, replies, &["-p", &format!("#ZZZZ# {SECRET}")]);
    assert_eq!(home.read("work/out.txt"), "#ZZZZ# and #AB12#");
    assert_eq!(output.stdout.trim(), "#ZZZZ#");
    assert!(flat(&bodies[1]).contains("#ZZZZ# and #AB12#"));
}
