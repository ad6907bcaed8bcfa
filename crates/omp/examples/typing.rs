//! How long a key takes to appear while an answer streams in a long session:
//! `cargo run -p omp --example typing -- <program> [entries] [keys]`.
//!
//! The program runs in a pseudo-terminal in front of a scripted model. The times include our reading of its screen.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, ModelOptions, Wire};

fn main() -> std::io::Result<()> {
    let (mut words, mut out) = (std::env::args().skip(1), std::io::stdout());
    let Some(program) = words.next() else {
        return Err(std::io::Error::other("Name the program to measure: target/release/omp"));
    };
    let mut number = |usual: usize| words.next().and_then(|word| word.parse().ok()).unwrap_or(usual);
    let (entries, keys) = (number(100_000), number(500));
    let home = Home::new();
    let options = ModelOptions::new().yaml(&serve(), Wire::OpenAiCompletions);
    home.write("home/.omp/agent/models.yml", options);
    let session = write_session(&home, entries);

    let mut command =
        home.terminal_command(Path::new(&program).canonicalize().expect("the program is there"));
    command.arg("--resume").arg(session);
    let begun = Instant::now();
    let mut terminal = Terminal::start(command, 40, 120, Answers::Kind);
    terminal.wait_for("Ask anything");
    writeln!(out, "{entries} entries: on the screen after {} ms", begun.elapsed().as_millis())?;
    terminal.send("go").wait_for("go").send("\r").wait_for("word ");

    let mut times: Vec<Duration> = (0..keys).map(|key| echo(&mut terminal, key)).collect();
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    writeln!(
        out,
        "{keys} keys while an answer streams: p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms",
        at(50),
        at(90),
        at(99)
    )?;
    writeln!(out, "still streaming: {}", terminal.screen().contains("Working"))?;
    writeln!(out, "memory of the program: {} MB", resident(terminal.pid()) / 1024)?;
    Ok(())
}

/// A model that says 700 pieces a second until nobody listens; its address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    format!("http://{address}/v1")
}

fn answer(mut stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").ok()?;
    for number in 0_usize.. {
        let end = if number % 40 == 39 { "\n\n" } else { "" };
        let delta = serde_json::json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
            "choices": [{"index": 0, "delta": {"content": format!("word {number}, {end}")}, "finish_reason": null}]});
        stream.write_all(format!("data: {delta}\n\n").as_bytes()).ok()?;
        std::thread::sleep(Duration::from_micros(1300));
    }
    Some(())
}

/// Types one character and waits for it.
fn echo(terminal: &mut Terminal, key: usize) -> Duration {
    if key.is_multiple_of(40) {
        terminal.send("\x15").wait_for("Ask anything");
    }
    let letters: String = (key / 40 * 40..=key).map(|key| char::from(b'a' + (key % 23) as u8)).collect();
    std::thread::sleep(Duration::from_millis(7));
    let begun = Instant::now();
    terminal.send(&letters[letters.len() - 1..]).wait_for(&letters);
    begun.elapsed()
}

/// A conversation of so many messages. As in real life it was summed up now and then: otherwise the first prompt would
/// lead to that, with a model that never stops talking.
fn write_session(home: &Home, entries: usize) -> String {
    let id = "0195f0c0-0000-7000-8000-000000000001";
    let cwd = home.work_dir().display().to_string();
    let time = "2026-01-01T00:00:00.000Z";
    let header =
        serde_json::json!({"type": "session", "version": 3, "id": id, "timestamp": time, "cwd": cwd});
    let mut text = format!("{header}\n");
    let mut parent = serde_json::Value::Null;
    for number in 0..entries {
        let entry = format!("{number:08x}");
        let said =
            format!("message number {number}, with a few words so that it takes a row or two on the screen");
        let message = |message: serde_json::Value| serde_json::json!({"type": "message", "message": message});
        let mut line = match number {
            number if number % 2000 == 1999 => {
                serde_json::json!({"type": "compaction", "summary": said,
                    "firstKeptEntryId": format!("{:08x}", number - 100), "tokensBefore": 9})
            }
            number if number % 2 == 0 => {
                message(serde_json::json!({"role": "user", "content": said, "timestamp": 1}))
            }
            _ => {
                message(serde_json::json!({"role": "assistant", "content": [{"type": "text", "text": said}],
                "api": "x", "provider": "x", "model": "x", "stopReason": "stop", "timestamp": 1}))
            }
        };
        line["id"] = entry.as_str().into();
        line["parentId"] = parent;
        line["timestamp"] = time.into();
        text.push_str(&format!("{line}\n"));
        parent = entry.into();
    }
    let file = home.write(format!("work/2026-01-01T00-00-00-000Z_{id}.jsonl"), text);
    file.display().to_string()
}

/// Kilobytes in memory.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}
