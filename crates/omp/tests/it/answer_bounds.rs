//! Answers without end: each is ended with a reason, costs little memory, and the session goes on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use omp_testkit::process::PeakMemory;
use omp_testkit::{Home, Output, Reply, Server, Wire, start};

use crate::sessions::session_files;
use crate::support::{self, omp, omp_run};

/// What a server would send if it were let: hundreds of megabytes.
const FLOOD: usize = 400 * 1024 * 1024;
const MOST_MEMORY: u64 = 120 * 1024 * 1024;
const LIMIT: Duration = Duration::from_secs(100);

/// A body that begins in one way and goes on in another.
pub(crate) struct Flood {
    first: String,
    /// The piece with a number.
    next: Box<dyn Fn(usize) -> String + Send>,
}

fn event(delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n")
}

fn again(piece: String) -> Box<dyn Fn(usize) -> String + Send> {
    Box::new(move |_| piece.clone())
}

/// Answers the first request with the flood and all others with `ok`.
pub(crate) fn serve(flood: Flood) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut flood = Some(flood);
        for stream in listener.incoming().flatten() {
            // The client ends it by closing the connection.
            let _ = answer(stream, &mut flood);
        }
    });
    port
}

fn answer(mut stream: TcpStream, flood: &mut Option<Flood>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut posted) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        posted |= line.starts_with("POST");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let Some(Flood { first, next }) = flood.take().filter(|_| posted) else {
        stream.write_all(event("{\"content\":\"ok\"}").as_bytes())?;
        return stream.write_all(b"data: [DONE]\n\n");
    };
    stream.write_all(first.as_bytes())?;
    let mut sent = 0;
    for number in 0.. {
        let piece = next(number);
        stream.write_all(piece.as_bytes())?;
        sent += piece.len();
        if sent > FLOOD {
            break;
        }
    }
    Ok(())
}

pub(crate) fn home(port: u16) -> Home {
    let home = Home::new();
    let yaml = format!(
        "providers:\n  test:\n    baseUrl: http://127.0.0.1:{port}/v1\n    api: openai-completions\n    apiKey: test-key\n    \
         models: [{{id: scripted}}]\n"
    );
    home.write("home/.omp/agent/models.yml", yaml);
    home
}

fn run_measured(home: &Home, args: &[&str]) -> (Output, u64) {
    let mut running = start(omp(home, args));
    running.close_stdin();
    let pid = running.pid();
    let watching = std::thread::spawn(move || PeakMemory::until_exit(pid, Duration::from_millis(5)));
    let output = running.wait(LIMIT);
    (output, watching.join().expect("a measurement").high_water)
}

pub(crate) fn floods() -> Vec<(&'static str, Flood, &'static str)> {
    // Numbers do not repeat themselves, so nothing else ends the answer.
    let x: String = (0..10_000).map(|number| format!("{number} ")).collect();
    let call = |number: usize, arguments: &str| {
        let function = format!("{{\"name\":\"read\",\"arguments\":\"{arguments}\"}}");
        event(&format!(
            "{{\"tool_calls\":[{{\"index\":{number},\"id\":\"call_{number}\",\"function\":{function}}}]}}"
        ))
    };
    let more = event(&format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{x}\"}}}}]}}"));
    let plain = |first: String, piece: String| Flood { first, next: again(piece) };
    vec![
        ("text", plain(String::new(), event(&format!("{{\"content\":\"{x}\"}}"))), "16 MiB"),
        ("thinking", plain(String::new(), event(&format!("{{\"reasoning_content\":\"{x}\"}}"))), "16 MiB"),
        ("arguments", plain(call(0, "{\\\"path\\\":\\\""), more), "16 MiB"),
        (
            "calls",
            Flood { first: String::new(), next: Box::new(move |number| call(number, "{}")) },
            "512 tool calls",
        ),
        (
            "blocks",
            Flood {
                first: String::new(),
                next: Box::new(|number| match number % 2 {
                    0 => event("{\"content\":\"a\"}"),
                    _ => event("{\"reasoning_content\":\"b\"}"),
                }),
            },
            "16 MiB",
        ),
        (
            "one event of text",
            plain("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"".to_owned(), x.clone()),
            "an event larger than",
        ),
        (
            "one event of calls",
            Flood {
                first: "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{}".to_owned(),
                next: Box::new(|number| match number {
                    0..200 => ",{}".repeat(10_000),
                    200 => "]}}]}\n\n".to_owned(),
                    _ => event("{\"content\":\"x\"}"),
                }),
            },
            "200000 values",
        ),
        (
            "one name",
            plain(
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\""
                    .to_owned(),
                x,
            ),
            "an event larger than",
        ),
    ]
}

// proves: SEC-046
#[test]
fn an_answer_without_end_is_ended_with_a_reason() {
    for (kind, flood, reason) in floods() {
        let home = home(serve(flood));
        let (output, peak) = run_measured(&home, &["-p", "go"]);
        assert_eq!(output.code, Some(1), "{kind}: {}", output.stderr);
        assert!(output.stderr.contains(reason), "{kind}: {}", output.stderr);
        assert!(output.stdout.len() < 1024 * 1024, "{kind}: {} bytes", output.stdout.len());
        assert!(peak <= MOST_MEMORY, "{kind}: {} MB", peak / (1024 * 1024));
        // What is kept is small, and the next prompt is answered.
        let files = session_files(&home);
        assert!(kind.starts_with("one ") || files.len() == 1, "{kind}: an answer that had begun is kept");
        let saved: u64 = files.iter().map(|file| std::fs::metadata(file).expect("a session").len()).sum();
        assert!(saved < 1024 * 1024, "{kind}: {saved} bytes");
        eprintln!("{kind}: peak {} MB, saved {} KB", peak / (1024 * 1024), saved / 1024);
        let output = omp_run(&home, &["-c", "-p", "again"]);
        assert_eq!((output.stdout.as_str(), output.code), ("ok\n", Some(0)), "{kind}: {}", output.stderr);
    }
}

/// The same for programs that read events as they come.
// proves: SEC-046
#[test]
fn a_flood_of_events_is_bounded() {
    for (kind, flood, reason) in floods().into_iter().take(4) {
        let home = home(serve(flood));
        let (output, peak) = run_measured(&home, &["--mode", "json", "go"]);
        assert_eq!(output.code, Some(1), "{kind}: {}", output.stderr);
        assert!(output.stdout.contains(reason), "{kind}");
        assert!(output.stdout.len() < 80 * 1024 * 1024, "{kind}: {} bytes", output.stdout.len());
        assert!(peak <= MOST_MEMORY, "{kind}: {} MB", peak / (1024 * 1024));
    }
}

/// Calls that a model writes as text count the same, on a wire and in a socket alike.
// proves: SEC-046
#[test]
fn calls_in_the_text_are_counted() {
    let call = "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>\n";
    let text: String = (0..600).map(|number| call.replace("a.txt", &format!("{number}.txt"))).collect();
    let server = Server::start([Reply::new().text(&text).delta_size(4000), Reply::new().text("ok")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "tools:\n  format: glm\n");
    let output = omp_run(&home, &["-p", "go"]);
    assert_eq!(output.code, Some(1), "{}", output.stdout);
    assert!(output.stderr.contains("512 tool calls"), "{}", output.stderr);
    assert_eq!(omp_run(&home, &["-c", "-p", "again"]).stdout, "ok\n");
    server.finish();
}

/// Just below the bound everything works as ever.
// proves: SEC-046
#[test]
fn a_large_answer_within_the_bounds_is_whole() {
    let text: String = (0..500_000).map(|number| format!("{number} ")).collect();
    let calls = (0..200).fold(Reply::new(), |reply, _| {
        reply.tool_call("read", serde_json::json!({"_i": "x", "path": "a.txt"}))
    });
    let server = Server::start([calls, Reply::new().text(&text).delta_size(50_000)]);
    let home = support::home(&server, Wire::AnthropicMessages);
    home.write("work/a.txt", "a");
    let output = omp_run(&home, &["-p", "go"]);
    assert_eq!((output.stdout.trim_end(), output.code), (text.trim_end(), Some(0)), "{}", output.stderr);
    server.finish();
}
