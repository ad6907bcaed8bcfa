//! Prints how long the store takes for what people wait for. Run in release mode, on a quiet machine:
//!
//! ```text
//! cargo run --release -p omp-session --example session_speed -- [megabytes of the long session, 1024] [sessions, 5000]
//! ```
//!
//! `session_speed list HOME PROJECT` lists the sessions of a project once, for a measurement with cold caches.
//!
//! Everything else happens in a directory of its own below the system's temporary one, which is removed afterwards.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use omp_session::{IfHeld, NewSession, Sessions};
use omp_types::{AssistantBlock, AssistantMessage, Message, StopReason, TextBlock, Usage};

const APPENDS: u32 = 20_000;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    if let [_, list, home, project] = words.as_slice()
        && list == "list"
    {
        return list_once(Path::new(home), Path::new(project));
    }
    let number = |place: usize| std::env::args().nth(place).and_then(|word| word.parse::<u32>().ok());
    let (megabytes, listed) = (number(1).unwrap_or(1024), number(2).unwrap_or(5000));
    let base = std::env::temp_dir().join(format!("omp-session-speed-{}", std::process::id()));
    std::fs::create_dir_all(base.join("home/project"))?;
    let result = measure(&base, megabytes.into(), listed);
    std::fs::remove_dir_all(&base)?;
    result
}

/// Lists what is there once, so that a shell can empty the system's caches before.
fn list_once(home: &Path, project: &Path) -> io::Result<()> {
    let sessions = Sessions::new(&home.join(".omp/agent"), home, &std::env::temp_dir());
    let begun = Instant::now();
    let found = sessions.list(project).len();
    writeln!(io::stdout(), "list {found} sessions          {:>10.1?}", begun.elapsed())
}

fn measure(base: &Path, megabytes: u64, listed: u32) -> io::Result<()> {
    let mut out = io::stdout();
    let sessions = Sessions::new(&base.join("agent"), &base.join("home"), &base.join("tmp"));
    let project = base.join("home/project");

    let mut writer = sessions.create(&project, NewSession::default());
    writer.append_message(&answer("begin"));
    let text = "a line of an ordinary answer. ".repeat(30);
    let message = answer(&text);
    let mut worst = Duration::ZERO;
    let all = Instant::now();
    for _ in 0..APPENDS {
        let one = Instant::now();
        writer.append_message(&message);
        worst = worst.max(one.elapsed());
    }
    let each = all.elapsed() / APPENDS;
    writeln!(out, "append, {} bytes            {each:>10.1?}   worst {worst:.1?}", text.len())?;
    drop(writer);

    many(&sessions, &project, listed)?;
    let list = (Instant::now(), processor());
    let found = sessions.list(&project).len();
    writeln!(
        out,
        "list {found} sessions          {:>10.1?}   processor {:.1?}",
        list.0.elapsed(),
        processor() - list.1
    )?;
    let recent = Instant::now();
    let shown = sessions.recent(&project, 10).len();
    writeln!(out, "the {shown} most recent             {:>10.1?}", recent.elapsed())?;

    let path = long(&sessions.dir_for(&project), megabytes)?;
    for name in ["without an index", "with the index"] {
        let before = (peak(), processor());
        let start = Instant::now();
        let mut opened = sessions.resume(&path, &project, IfHeld::Refuse).map_err(io::Error::other)?;
        let opening = start.elapsed();
        let worked = processor() - before.1;
        let shown = opened.archive.tail(50).map_err(io::Error::other)?.len();
        let tail = start.elapsed();
        opened.writer.append_message(&message);
        let append = start.elapsed();
        assert!(opened.writer.problem().is_none());
        writeln!(
            out,
            "open {megabytes} MB {name:<17} {opening:>10.1?}   processor {worked:.1?}; {} messages; {shown} shown after {tail:.1?}, appended \
             after {append:.1?}; peak memory {} MB (before {} MB)",
            opened.context.messages.len(),
            peak(),
            before.0
        )?;
        let flush = Instant::now();
        opened.writer.flush();
        writeln!(out, "  flush with fsync            {:>10.1?}", flush.elapsed())?;
    }
    Ok(())
}

fn answer(text: &str) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage {
        content: vec![AssistantBlock::Text(TextBlock { text: text.to_owned(), text_signature: None })],
        api: "demo".to_owned(),
        provider: "acme".to_owned(),
        model: "m1".to_owned(),
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: 1_760_000_000_000,
    }))
}

/// Session files with a head and a tail each.
fn many(sessions: &Sessions, project: &Path, count: u32) -> io::Result<()> {
    let directory = sessions.dir_for(project);
    for number in 0..count {
        let mut file = BufWriter::new(File::create(directory.join(format!("{number:06}_s.jsonl")))?);
        header(&mut file, &format!("s{number}"))?;
        for line in 0..20 {
            entry(&mut file, line, "a line of an ordinary answer. ", 20)?;
        }
        file.flush()?;
    }
    Ok(())
}

/// One long conversation with a compaction now and then, as a program would have written it.
fn long(directory: &Path, megabytes: u64) -> io::Result<PathBuf> {
    let path = directory.join("long_s.jsonl");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    header(&mut file, "long")?;
    let mut written = 0;
    let mut number = 0_u32;
    while written < megabytes << 20 {
        if number % 400 == 399 {
            writeln!(
                file,
                r#"{{"type":"compaction","id":"{number:08x}","parentId":"{:08x}","timestamp":"2026-02-16T10:20:30.000Z","summary":"so far","firstKeptEntryId":"{:08x}","tokensBefore":100000}}"#,
                number - 1,
                number - 20
            )?;
        } else {
            written += entry(&mut file, number, "output of a tool, \\\"quoted\\\"\\n", 130)?;
        }
        number += 1;
    }
    file.flush()?;
    Ok(path)
}

fn header(file: &mut impl Write, id: &str) -> io::Result<()> {
    writeln!(
        file,
        r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/p"}}"#
    )
}

fn entry(file: &mut impl Write, number: u32, text: &str, times: usize) -> io::Result<u64> {
    let parent = number.checked_sub(1).map_or("null".to_owned(), |before| format!("\"{before:08x}\""));
    let text = text.repeat(times);
    let message = if number.is_multiple_of(2) {
        format!(r#"{{"role":"user","content":"{text}","timestamp":1}}"#)
    } else {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"api":"demo","provider":"acme","model":"m1","usage":{{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"stop","timestamp":1}}"#
        )
    };
    let line = format!(
        r#"{{"type":"message","id":"{number:08x}","parentId":{parent},"timestamp":"2026-02-16T10:21:00.000Z","message":{message}}}"#
    );
    writeln!(file, "{line}")?;
    Ok(line.len() as u64 + 1)
}

/// The time this process was running, in all its threads. On a machine with other work it is less than has passed.
fn processor() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let seconds = |time: nix::sys::time::TimeVal| {
        Duration::from_secs(time.tv_sec().unsigned_abs())
            + Duration::from_micros(time.tv_usec().unsigned_abs())
    };
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// The most memory this process has had, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
