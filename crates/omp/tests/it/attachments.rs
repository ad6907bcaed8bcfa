use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire, run};

use crate::support::{LIMIT, home, last_user, omp, omp_run};

fn ask(home_setup: impl Fn(&Home), args: &[&str], stdin: &[u8]) -> (Server, Home, omp_testkit::Output) {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home_setup(&home);
    let output = run(omp(&home, args), Some(stdin), LIMIT);
    (server, home, output)
}

/// Text files in order, before the message; `~` and relative paths.
// proves: CLI-036, CLI-037
#[test]
fn text_files_become_blocks() {
    let (server, home, output) = ask(
        |home| {
            home.write("work/a.md", "Alpha\nBeta\n");
            home.write("home/b.txt", "no newline");
        },
        &["-p", "@a.md", "@~/b.txt", "question"],
        b"",
    );
    output.assert_success();
    let expected = format!(
        "<file name=\"{}\">\nAlpha\nBeta\n</file>\n<file name=\"{}\">\nno newline\n</file>\nquestion",
        home.path("work/a.md").canonicalize().unwrap().display(),
        home.path("home/b.txt").display(),
    );
    assert_eq!(last_user(&server.requests()[0].body), &expected);
    server.finish();
}

/// A large picture is scaled, a small one is passed on; each has its reference.
// proves: CLI-038, CLI-047
#[test]
fn images_become_image_blocks() {
    let (server, home, output) = ask(
        |home| {
            home.write("work/big.png", png(2400, 600));
        },
        &["-p", "@big.png"],
        b"",
    );
    output.assert_success();
    let content = last_user(&server.requests()[0].body).clone();
    let path = home.path("work/big.png").canonicalize().unwrap();
    let text = content[0]["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("<file name=\"{}\">", path.display())), "{text}");
    assert!(text.contains("2400x600") && text.contains("2000x500"), "{text}");
    let url = content[1]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/"), "{}", &url[..30]);
    assert_eq!(size_of_png(url), (2000, 500));
    server.finish();

    let (server, _home, output) = ask(
        |home| {
            home.write("work/s.png", png(20, 10));
        },
        &["-p", "@s.png", "see"],
        b"",
    );
    output.assert_success();
    let content = last_user(&server.requests()[0].body).clone();
    assert!(content[0]["text"].as_str().unwrap().ends_with("></file>\nsee"), "{content}");
    assert_eq!(size_of_png(content[1]["image_url"]["url"].as_str().unwrap()), (20, 10));
    server.finish();
}

/// A white PNG, written by hand: stored (uncompressed) deflate blocks.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let row = width as usize + 1;
    let raw: Vec<u8> =
        (0..row * height as usize).map(|i| if i % row == 0 { 0 } else { (i % 251) as u8 }).collect();
    let mut deflate = vec![0x78, 0x01];
    let mut blocks = raw.chunks(65_535).peekable();
    while let Some(block) = blocks.next() {
        deflate.push(u8::from(blocks.peek().is_none()));
        deflate.extend((block.len() as u16).to_le_bytes());
        deflate.extend((!(block.len() as u16)).to_le_bytes());
        deflate.extend(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &raw {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    deflate.extend(((b << 16) | a).to_be_bytes());
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 0, 0, 0, 0]);
    for (name, data) in [(b"IHDR", header), (b"IDAT", deflate), (b"IEND", Vec::new())] {
        file.extend((data.len() as u32).to_be_bytes());
        let start = file.len();
        file.extend(name);
        file.extend(data);
        let checksum = crc32(&file[start..]);
        file.extend(checksum.to_be_bytes());
    }
    file
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
        crc
    })
}

/// Width and height from the header of a base64 PNG or the frame header of a JPEG.
fn size_of_png(url: &str) -> (u32, u32) {
    use base64::Engine;
    let data = url.split_once(',').unwrap().1;
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
    if bytes.starts_with(b"\x89PNG") {
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        return (number(16), number(20));
    }
    let mut at = 2;
    loop {
        let length = u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]) as usize;
        if matches!(bytes[at + 1], 0xc0..=0xc2) {
            let number = |at: usize| u32::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
            return (number(at + 7), number(at + 5));
        }
        at += 2 + length;
    }
}

// proves: CLI-040
#[test]
fn oversized_files_are_skipped_with_a_warning() {
    let (server, home, output) = ask(
        |home| {
            home.write("work/big.txt", "x".repeat(6 * 1024 * 1024));
        },
        &["-p", "@big.txt", "q"],
        b"",
    );
    output.assert_success();
    let path = home.path("work/big.txt").canonicalize().unwrap();
    let text = last_user(&server.requests()[0].body).as_str().unwrap().to_owned();
    assert!(
        text.starts_with(&format!("<file name=\"{}\">\n(skipped: too large, 6", path.display())),
        "{text}"
    );
    assert!(output.stderr.contains("big.txt"), "{}", output.stderr);
    server.finish();
}

// proves: CLI-041
#[test]
fn missing_files_fail_before_anything_exists_and_empty_ones_add_nothing() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let before = home.list_files();
    let missing = omp_run(&home, &["-p", "@gone.txt", "q"]);
    assert_eq!(missing.code, Some(1));
    let expected = format!(
        "Error: File not found: {}\n",
        home.work_dir().canonicalize().unwrap().join("gone.txt").display()
    );
    assert_eq!(missing.stderr, expected);
    assert!(server.requests().is_empty());
    assert_eq!(home.list_files(), before);
    home.write("work/empty.txt", "");
    omp_run(&home, &["-p", "@empty.txt", "q"]).assert_success();
    assert_eq!(last_user(&server.requests()[0].body), "q");
    server.finish();
}

/// Documents of every kind are sent as text; one that cannot be converted is named.
// proves: CLI-039
#[test]
fn documents_become_text() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../omp-documents/tests/fixtures");
    let documents = [
        ("page.pdf", "Hello from a page\n"),
        ("letter.doc", "Dear reader,"),
        ("words.docx", "Some **bold** words"),
        ("talk.ppt", "Second point"),
        ("slide.pptx", "First point"),
        ("people.xls", "Grace"),
        ("cells.xlsx", "| Ada | 36 |"),
        ("rich.rtf", "Hello World\nBye"),
        ("book.epub", "First *words*."),
    ];
    let mut arguments = vec!["-p".to_owned()];
    arguments.extend(documents.map(|(name, _)| format!("@{name}")));
    arguments.extend(["@broken.pdf".to_owned(), "question".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (server, home, output) = ask(
        |home| {
            for (name, _) in documents {
                home.write(format!("work/{name}"), std::fs::read(fixtures.join(name)).unwrap());
            }
            home.write("work/broken.pdf", b"%PDF-1.4 not really".as_slice());
        },
        &arguments,
        b"",
    );
    output.assert_success();
    let text = last_user(&server.requests()[0].body).as_str().unwrap().to_owned();
    let block = |name: &str| {
        let path = home.path(format!("work/{name}")).canonicalize().unwrap();
        let (_, rest) = text.split_once(&format!("<file name=\"{}\">\n", path.display())).unwrap();
        rest.split_once("\n</file>\n").unwrap().0.to_owned()
    };
    for (name, words) in documents {
        assert!(block(name).contains(words), "{name}: {}", block(name));
    }
    assert!(
        block("broken.pdf").starts_with("[Cannot read .pdf file: ") && block("broken.pdf").ends_with(']')
    );
    assert!(text.ends_with("question") && output.stderr.contains("broken.pdf"), "{}", output.stderr);
    server.finish();
}

#[test]
fn odd_files_are_named_not_sent() {
    let (server, _home, output) = ask(
        |home| {
            home.write("work/bin.dat", b"\x00\x01\x02\x03".as_slice());
            home.write("work/doc.pdf", b"%PDF-1.4 not really".as_slice());
            home.write(
                "work/wide.txt",
                [
                    b"\xff\xfe".as_slice(),
                    "w\u{ef}de".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice(),
                ]
                .concat(),
            );
        },
        &["-p", "@bin.dat", "@doc.pdf", "@wide.txt", "q"],
        b"",
    );
    output.assert_success();
    let text = last_user(&server.requests()[0].body).as_str().unwrap().to_owned();
    assert!(text.contains("(skipped:") && text.contains("[Cannot read .pdf file: "), "{text}");
    assert!(text.contains("w\u{ef}de"), "{text}");
    assert!(output.stderr.contains("bin.dat") && output.stderr.contains("doc.pdf"), "{}", output.stderr);
    server.finish();
    for (name, setup) in [("@.", None), ("@secret", Some("work/secret"))] {
        let server = Server::start([Reply::new()]);
        let home = home(&server, Wire::OpenAiCompletions);
        if let Some(path) = setup {
            home.write(path, "x");
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(home.path(path), std::fs::Permissions::from_mode(0o000)).unwrap();
            if std::fs::read(home.path(path)).is_ok() {
                continue; // root reads everything
            }
        }
        let output = omp_run(&home, &["-p", name, "q"]);
        assert_eq!(output.code, Some(1), "{name}");
        assert!(output.stderr.starts_with("Error: cannot "), "{}", output.stderr);
    }
}

// proves: CLI-043
#[test]
fn piped_text_comes_before_the_question() {
    let (server, _home, output) = ask(|_| {}, &["-p", "review"], b"+ a diff\n");
    output.assert_success();
    assert_eq!(last_user(&server.requests()[0].body), "+ a diff\nreview");
    server.finish();
}

// proves: CLI-044
#[test]
fn piped_text_alone_is_a_prompt_and_blank_input_is_none() {
    let (server, _home, output) = ask(|_| {}, &[], b"hi\n");
    assert_eq!(output.stdout, "ok\n");
    assert_eq!(last_user(&server.requests()[0].body), "hi");
    server.finish();
    let (server, _home, output) = ask(|_| {}, &["-p", "q"], b"  \n\n");
    output.assert_success();
    assert_eq!(last_user(&server.requests()[0].body), "q");
    server.finish();
}

#[test]
fn input_that_is_not_text_is_repaired_and_said() {
    let (server, _home, output) = ask(|_| {}, &["-p", "q"], b"caf\xe9\n");
    output.assert_success();
    assert_eq!(last_user(&server.requests()[0].body), "caf\u{fffd}\nq");
    assert!(output.stderr.contains("UTF-8"), "{}", output.stderr);
    server.finish();
}

// proves: CLI-045
#[test]
fn waiting_for_input_is_announced() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut running = omp_testkit::start(omp(&home, &["-p", "q"]));
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while !running.stderr_so_far().contains("EOF") {
        assert!(std::time::Instant::now() < deadline, "no notice");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(running.stderr_so_far().contains("Ctrl+C"));
    running.close_stdin();
    running.wait(LIMIT).assert_success();
    server.finish();
}
