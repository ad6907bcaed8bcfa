//! The read tool, as a model uses it.

use std::io::Cursor;
use std::time::Duration;

use crate::support::{Project, meta, numbered, set_age, text};
use futures_util::future::BoxFuture;
use omp_tools::{InternalUrl, Resource, Resources, Scheme};
use omp_types::UserBlock;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The lines of `f`, which holds `line 1` to `line 50`, that a selector shows; notices are left out.
async fn lines_of(selector: &str) -> Vec<u64> {
    let project = Project::new();
    project.file("f", numbered(50));
    let text = project.read(&format!("f{selector}")).await;
    text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect()
}

fn range(start: u64, end: u64) -> Vec<u64> {
    (start..=end).collect()
}

// proves: FIL-001
#[tokio::test]
async fn paths_are_relative_to_the_project_and_know_the_home() {
    let project = Project::new();
    project.file("sub/f", "in the project\n");
    std::fs::write(project.home().join("g"), "at home\n").unwrap();
    assert_eq!(project.read("sub/f").await, "in the project");
    assert_eq!(project.read("~/g").await, "at home");
    assert_eq!(project.read("/").await, project.read(".").await);
    assert!(project.read("/").await.starts_with("sub/"));
}

// proves: FIL-002
#[tokio::test]
async fn file_urls_are_paths() {
    let project = Project::new();
    let path = project.file("a b.txt", numbered(50));
    let url = format!("file://{}", path.display()).replace(' ', "%20");
    assert!(project.read(&url).await.starts_with("line 1\n"));
    assert_eq!(project.read(&format!("{url}:raw:7-7")).await.lines().next(), Some("line 7"));
}

// proves: FIL-017
#[tokio::test]
async fn forms_of_ranges() {
    for selector in [":raw:45", ":raw:L45", ":raw:45-"] {
        assert_eq!(lines_of(selector).await, range(45, 50), "{selector}");
    }
    for selector in [":raw:5-7", ":raw:L5-L7", ":raw:5+3"] {
        assert_eq!(lines_of(selector).await, range(5, 7), "{selector}");
    }
    let mut project = Project::new();
    project.settings.read.default_limit = 10;
    project.file("f", numbered(50));
    let text = project.read("f:raw:5").await;
    assert!(
        text.starts_with("line 5\n") && text.contains("line 14\n") && !text.contains("line 15"),
        "{text}"
    );
}

// proves: FIL-018
#[tokio::test]
async fn several_ranges_are_sorted_and_merged() {
    assert_eq!(lines_of(":raw:20-25,5-8,7-10").await, [range(5, 10), range(20, 25)].concat());
    assert_eq!(lines_of(":20-25,5-8,7-10").await, [range(4, 13), range(19, 28)].concat());
}

// proves: FIL-019
#[tokio::test]
async fn raw_is_verbatim() {
    let mut project = Project::new();
    project.settings.read.line_numbers = true;
    project.file("f", "a\r\n  b \n\nc");
    assert_eq!(project.read("f:raw").await, "a\r\n  b \n\nc");
    assert_eq!(project.read("f").await, "1|a\n2|  b \n3|\n4|c");
    project.file("g", "x\ny\n");
    assert_eq!(project.read("g:raw").await, "x\ny\n");
    for selector in [":2-3:raw", ":raw:2-3"] {
        let text = project.read(&format!("f{selector}")).await;
        assert!(text.starts_with("  b \n"), "{text}");
        assert!(!text.contains('a') && !text.contains("2|"), "{text}");
    }
}

// proves: FIL-021, FIL-022, FIL-024
#[tokio::test]
async fn wrong_selectors_are_explained() {
    let project = Project::new();
    project.file("f", numbered(20));
    let zero = "Line selector 0 is invalid; lines are 1-indexed. Use :1.";
    assert_eq!(project.read_error("f:0").await, zero);
    assert_eq!(project.read_error("f:0-5").await, zero);
    assert!(project.read_error("f:5+0").await.contains("'5+0': the count after + must be at least 1"));
    assert!(project.read_error("f:9-3").await.contains("'9-3': the end 3 is before the start 9"));
    assert!(project.read_error("f:1-2,9-3").await.contains("'9-3'"));
    for compound in ["f:conflicts:1-1", "f:1-2:3-4", "f:raw:raw"] {
        assert!(project.read_error(compound).await.starts_with("Invalid selector"), "{compound}");
    }
}

#[tokio::test]
async fn names_with_colons_work() {
    let project = Project::new();
    project.file("a:b.txt", numbered(30));
    project.file("log:12", "a name like a selector\n");
    assert!(project.read("a:b.txt").await.starts_with("line 1\n"));
    assert!(project.read("a:b.txt:raw:7-8").await.starts_with("line 7\nline 8\n"));
    assert_eq!(project.read("log:12").await, "a name like a selector");
    project.file("log:12:raw", numbered(30));
    assert_eq!(project.read("log:12:raw:7-7:raw").await.lines().next(), Some("line 7"));
    assert!(project.read("log:12:1-1").await.starts_with("a name like a selector"));
    assert_eq!(project.read("log:12:raw:raw:9-9").await.lines().next(), Some("line 9"));
    assert!(project.read_error("log:12:1-1:2-2").await.starts_with("Invalid selector ':1-1:2-2'"));
}

// proves: FIL-033, FIL-034
#[tokio::test]
async fn without_an_end_the_default_limit_holds_and_says_how_to_continue() {
    let mut project = Project::new();
    project.file("f.txt", numbered(1_000));
    let text = project.read("f.txt").await;
    assert_eq!(text.lines().filter(|line| line.starts_with("line ")).count(), 300);
    assert!(
        text.ends_with("\n\n[Showing lines 1-300 of 1000; 700 more lines. Use :301 to continue]"),
        "{text}"
    );
    let rest = project.read("f.txt:301").await;
    assert!(rest.starts_with("line 300\nline 301\n"), "{rest}");
    assert!(rest.contains("[Showing lines 300-600 of 1000; 400 more lines. Use :601 to continue]"));

    for (setting, expected) in [(0, 1), (7, 7), (9_999, 3_000)] {
        project.settings.read.default_limit = setting;
        project.file("g.txt", "x\n".repeat(4_000));
        let shown = project.read("g.txt").await.lines().filter(|line| *line == "x").count();
        assert_eq!(shown, expected, "limit {setting}");
    }
}

// proves: FIL-035
#[tokio::test]
async fn ranges_come_with_context_unless_raw() {
    assert_eq!(lines_of(":10-12").await, range(9, 15));
    assert_eq!(lines_of(":1-2").await, range(1, 5));
    assert_eq!(lines_of(":10").await, range(9, 50));
    assert_eq!(lines_of(":raw:31-31").await, [31]);
    assert_eq!(lines_of(":49-50").await, range(48, 50));
}

// proves: FIL-004, FIL-005, FIL-007
#[tokio::test]
async fn results_are_limited_in_lines_and_bytes() {
    let project = Project::new();
    let path = project.file("short", "x\n".repeat(10_000));
    let output = project.read_output("short:raw:1-10000").await;
    let shown = text(&output);
    assert_eq!(shown.lines().filter(|line| *line == "x").count(), 3_000);
    assert!(shown.ends_with(
        "[Showing lines 1-3000 of 10000 (3000 line limit); 7000 more lines. Use :3001 to continue]"
    ));
    let expected = json!({
        "source": { "type": "path", "value": path.to_str().unwrap() },
        "truncation": {
            "direction": "head", "truncatedBy": "lines", "totalLines": 10_000, "totalBytes": 20_000,
            "outputLines": 3_000, "outputBytes": 6_000, "shownRange": { "start": 1, "end": 3_000 },
            "nextOffset": 3_001,
        },
    });
    assert_eq!(meta(&output), expected);

    project.file("wide", format!("{}\n", "y".repeat(99)).repeat(2_000));
    let output = project.read_output("wide:raw:1-2000").await;
    let body: usize =
        text(&output).lines().filter(|line| line.starts_with('y')).map(|line| line.len() + 1).sum();
    assert_eq!(body, 51_200);
    assert_eq!(meta(&output)["truncation"]["truncatedBy"], "bytes");
    assert_eq!(meta(&output)["truncation"]["nextOffset"], 513);
    assert!(text(&output).contains("(50 KB limit); 1488 more lines. Use :513 to continue]"));

    let whole = project.read_output("short:raw:1-3").await;
    assert_eq!(meta(&whole).get("truncation"), None);
}

#[tokio::test]
async fn a_line_longer_than_the_limit_is_cut() {
    let project = Project::new();
    project.file("f", format!("{}\nnext\n", "漢".repeat(50_000)));
    let text = project.read("f").await;
    assert!(text.contains("line truncated at the 50 KB limit"));
    assert!(text.ends_with("1 more line. Use :2 to continue]"), "{}", &text[text.len() - 200..]);
    assert!(text.len() < 52_000 && text.starts_with("漢漢"));
}

#[tokio::test]
async fn results_name_their_source() {
    let project = Project::new();
    let path = project.file("sub/f", "x\n");
    let expected = |path: &std::path::Path| json!({ "type": "path", "value": path.to_str().unwrap() });
    assert_eq!(meta(&project.read_output("sub/f").await)["source"], expected(&path));
    assert_eq!(meta(&project.read_output("sub").await)["source"], expected(path.parent().unwrap()));
}

// proves: FIL-042
#[tokio::test]
async fn a_start_beyond_the_end_is_explained() {
    let project = Project::new();
    project.file("f", numbered(12));
    project.file("empty", "");
    let expected = "Line 9999 is beyond the end of the file (12 lines). Use :1 to read from the start, or :12 to read \
                    the last line.";
    assert_eq!(project.read("f:9999").await, expected);
    assert!(project.read("f:13").await.starts_with("Line 13 is beyond the end of the file (12 lines)."));
    assert_eq!(
        project.read("empty:5").await,
        "Line 5 is beyond the end of the file: the file is empty (0 \
                                               lines)."
    );
    assert_eq!(project.read("empty").await, "(empty file)");
}

// proves: FIL-043
#[tokio::test]
async fn a_range_of_a_list_beyond_the_end_is_skipped() {
    let project = Project::new();
    project.file("f", numbered(12));
    let text = project.read("f:1-2,9000-9010").await;
    assert!(text.starts_with("line 1\nline 2\nline 3\nline 4\nline 5\n"), "{text}");
    assert!(text.contains("[Skipped 9000-9010: beyond the end of the file (12 lines)]"), "{text}");
    // The context before a skipped range is not shown for itself.
    let text = project.read("f:1-2,13-20").await;
    assert!(!text.contains("line 12") && text.contains("[Skipped 13-20:"), "{text}");
}

#[tokio::test]
async fn line_numbers_are_a_setting() {
    let mut project = Project::new();
    project.file("f", numbered(12));
    assert!(project.read("f").await.starts_with("line 1\nline 2\n"));
    project.settings.read.line_numbers = true;
    assert!(project.read("f").await.starts_with("1|line 1\n2|line 2\n"));
    assert!(project.read("f").await.contains("\n12|line 12"));
    assert!(project.read("f:raw").await.starts_with("line 1\n"));
}

#[tokio::test]
async fn other_encodings_are_text() {
    let project = Project::new();
    let utf16: Vec<u8> = "\u{feff}größe\r\n漢\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project.file("wide.txt", utf16);
    assert_eq!(project.read("wide.txt").await, "größe\n漢");
    project.file("mark.txt", "\u{feff}x\n");
    assert_eq!(project.read("mark.txt").await, "x");
    project.file("latin.txt", b"caf\xe9\n");
    assert_eq!(project.read("latin.txt").await, "café");
    project.file("broken.txt", b"gr\xc3\xb6\xc3\x9fe \xff\n");
    assert_eq!(
        project.read("broken.txt").await,
        "größe \u{fffd}\n\n[Bytes that are not valid UTF-8 text are shown as U+FFFD]"
    );
}

/// References inside stored entries are nothing that a model can name.
// proves: SES-103
#[tokio::test]
async fn a_blob_reference_is_no_address() {
    let project = Project::new();
    let error = project.read_error(&format!("blob:sha256:{}", "a".repeat(64))).await;
    assert!(error.contains("not found") || error.contains("does not exist"), "{error}");
    let error = project.read_error(&format!("blob://sha256/{}", "a".repeat(64))).await;
    assert!(error.starts_with("Unknown protocol: blob://"), "{error}");
}

// proves: FIL-047
#[tokio::test]
async fn a_directory_is_a_tree() {
    let project = Project::new();
    (0..30).for_each(|number| set_age(&project.file(&format!("sub/f{number:02}"), "x"), 60 * (number + 1)));
    (0..20).for_each(|number| set_age(&project.file(&format!("r{number:02}"), "four"), 7_200 + number));
    project.file("sub/deep/unseen", "x");
    set_age(&project.path().join("sub/deep"), 10);
    set_age(&project.path().join("sub"), 5);
    let output = project.read_output(".").await;
    let shown = text(&output);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..3], ["sub/  just now", "  deep/  just now", "  f00  1B  1m ago"]);
    assert_eq!(lines[12..15], ["  f10  1B  11m ago", "  … 19 more", "r00  4B  2h ago"]);
    assert_eq!(lines.len(), 1 + 12 + 1 + 20);
    assert_eq!(output.details.unwrap()["isDirectory"], true);
}

// proves: FIL-005, FIL-048
#[tokio::test]
async fn listings_can_be_empty_or_capped() {
    let project = Project::new();
    assert_eq!(project.read(".").await, "(empty directory)");
    (0..20).for_each(|number| set_age(&project.file(&format!("d/f{number:02}"), "x"), number));
    let output = project.read_output("d:1-5").await;
    let shown = text(&output);
    assert_eq!(shown.lines().filter(|line| line.starts_with('f')).count(), 5);
    assert!(shown.ends_with("\n\n[Showing 5 of 20 lines. Use :6 to continue]"), "{shown}");
    assert_eq!(meta(&output)["limits"]["resultLimit"], json!({ "reached": 5, "suggestion": 10 }));
    assert_eq!(meta(&project.read_output("d").await).get("limits"), None);
    let rest = project.read("d:6").await;
    assert!(rest.starts_with("f05") && rest.lines().count() == 15, "{rest}");
}

#[tokio::test]
async fn missing_paths_get_suggestions() {
    let project = Project::new();
    ["src/main.rs", "src/matrix.rs", "src/README.md"].iter().for_each(|name| drop(project.file(name, "")));
    assert_eq!(
        project.read_error("src/mian.rs").await,
        "Path 'src/mian.rs' not found. Did you mean src/main.rs or src/matrix.rs?"
    );
    assert_eq!(
        project.read_error("src/readme.md").await,
        "Path 'src/readme.md' not found. Did you mean src/README.md?"
    );
    assert_eq!(
        project.read_error("srx/main.rs").await,
        "Path 'srx/main.rs' not found. The working directory has no 'srx'. Did you mean src?"
    );
    assert_eq!(
        project.read_error("zzz").await,
        "Path 'zzz' not found. Read the directory to list its contents."
    );
    assert!(project.read_error("src/main.rs/x").await.starts_with("Path 'src/main.rs/x' not found."));
    assert_eq!(
        project.read_error("src/main.rs:lines").await,
        "src/main.rs exists, but ':lines' is not a selector. Use :N, :A-B, :A+C, a list of them, or :raw."
    );
    assert!(project.read_error("src/mian.rs:5-9").await.contains("Did you mean src/main.rs or"));
}

#[tokio::test]
async fn binary_files_are_named_not_shown() {
    let project = Project::new();
    project.file("program", [b"\x7fELF\x02\x01\x01\0".to_vec(), vec![0; 5_000]].concat());
    assert_eq!(
        project.read_error("program").await,
        "program is a binary file (ELF executable, 4.9KB); read shows text and images only. Use bash to inspect it, \
         e.g. file, strings or xxd."
    );
    project.file("doc.bin", "%PDF-1.7\nrest");
    let error = project.read_error("doc.bin").await;
    assert!(error.contains("a PDF document (13B), but its name does not end in .pdf"), "{error}");
    project.file("a.jar", b"PK\x03\x04\x14\0\0\0");
    assert!(
        project.read_error("a.jar").await.contains("a ZIP archive (8B), but its name does not end in .zip")
    );
    project.file("x.data", b"SQLite format 3\0rest");
    assert!(project.read_error("x.data").await.contains("a SQLite database (20B), but its name"));
    project.file("text.db", "just text\n");
    assert_eq!(project.read("text.db").await, "just text");
}

#[tokio::test]
async fn resources_of_later_releases_are_named() {
    let project = Project::new();
    assert!(project.read_error("artifact://3").await.contains("artifact:// resources are not available yet"));
}

#[tokio::test]
async fn special_files_neither_hang_nor_crash() {
    let project = Project::new();
    let fifo = project.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(project.read_error("fifo").await.starts_with("fifo is a named pipe and"));
    assert!(project.read_error("/dev/zero").await.starts_with("/dev/zero is a character device and"));
    assert!(project.read_error("/dev/tty").await.starts_with("/dev/tty is a character device and"));
    assert!(project.read("/proc/self/status").await.starts_with("Name:"));
    for odd in ["/proc/self/mem", "/proc/self/pagemap", "/proc/kmsg", "/proc/self/environ", "/proc", "/sys"] {
        let answer = project.call("read", json!({ "path": odd }));
        let answer = tokio::time::timeout(Duration::from_secs(20), answer).await.expect(odd);
        let (Ok(_) | Err(_)) = answer;
    }
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image::DynamicImage::from(image::RgbImage::new(width, height))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn images_come_with_a_note() {
    let project = Project::new();
    project.file("small.dat", png(3, 2));
    let output = project.read_output("small.dat").await;
    assert_eq!(text(&output), "Read image small.dat [image/png, 3x2]");
    let [_, UserBlock::Image(image)] = &output.content[..] else { panic!("{:?}", output.content) };
    assert_eq!((image.mime_type.as_str(), image.data.starts_with("iVBOR")), ("image/png", true));

    project.file("large.png", png(3_000, 1_000));
    let note = project.read("large.png").await;
    assert!(
        note.ends_with("[Shown at 2000x667. Multiply coordinates by 1.50 to get those of the original.]"),
        "{note}"
    );
    project.file("pole.png", png(1, 3_000));
    let note = project.read("pole.png").await;
    assert!(note.contains("[Shown at 1x2000. Multiply coordinates by 1.50 "), "{note}");
}

// proves: FIL-066
#[tokio::test]
async fn images_are_judged_by_their_content() {
    let project = Project::new();
    project.file("renamed.png", "only text\n");
    assert_eq!(project.read("renamed.png").await, "only text");
    let mut damaged = png(100, 100);
    damaged.truncate(60);
    project.file("damaged.png", damaged);
    assert!(project.read_error("damaged.png").await.starts_with("Cannot read damaged.png as an image:"));
    project.file("cut.jpg", b"\xff\xd8\xff\xe0");
    let said = project.read_error("cut.jpg").await;
    assert!(said.lines().count() == 1 && said.ends_with('.') && !said.ends_with(".."), "{said}");
    project.file("words.md", "GIF89a is how such files begin.\n");
    assert_eq!(project.read("words.md").await, "GIF89a is how such files begin.");
    let mut large = png(2, 2);
    large.resize(21 << 20, 0);
    project.file("large.png", large);
    assert_eq!(
        project.read_error("large.png").await,
        "The image large.png is too large: 21MB, the limit is 20MB. Make a smaller copy first."
    );
    project.file("icon.tiff", b"II*\0\x08\0\0\0");
    let said = project.read_error("icon.tiff").await;
    assert!(said.contains("is a TIFF image") && said.contains("Convert it to PNG"), "{said}");
}

/// A directory as large as those that freeze other programs: all of it can be seen, page by page.
///
/// proves: FIL-047
#[tokio::test]
async fn every_entry_of_a_huge_directory_can_be_seen() {
    let project = Project::new();
    let path = project.path();
    (0..4_000).for_each(|number| drop(std::fs::File::create(path.join(format!("f{number}"))).unwrap()));
    let mut seen = std::collections::BTreeSet::new();
    let mut next = "1".to_owned();
    while seen.len() < 4_000 {
        let output = project.read_output(&format!(".:{next}")).await;
        let shown = text(&output);
        let before = seen.len();
        seen.extend(shown.lines().filter(|line| line.starts_with('f')).map(str::to_owned));
        assert!(seen.len() > before && shown.len() < 52_000, "{shown}");
        if seen.len() == 4_000 {
            break;
        }
        let notice = shown.lines().last().unwrap();
        assert!(notice.contains(" of 4000 lines. Use :"), "{notice}");
        next = notice.split("Use :").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        assert!(meta(&output)["limits"]["resultLimit"]["reached"].as_u64().unwrap() > 1_000);
    }
}

/// A file and a text behind `skill://`.
struct Shelf(std::path::PathBuf);

impl Scheme for Shelf {
    fn name(&self) -> &'static str {
        "skill"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        let opened = match url.target() {
            "file" => Ok(Resource::path(self.0.clone(), "text/markdown")),
            "text" => Ok(Resource::text("one\ntwo\nthree\n", "text/markdown")),
            _ => Err(format!("no {url}")),
        };
        Box::pin(std::future::ready(opened))
    }
}

/// Internal URLs take the same selectors as paths, whatever the case of their scheme, and say what they are.
#[tokio::test]
async fn internal_urls_are_read_like_files() {
    let mut project = Project::new();
    let file = project.file("s.md", "a\nb\nc\n");
    project.resources = Resources::new(vec![std::sync::Arc::new(Shelf(file))]);
    assert_eq!(project.read("skill://file:raw:2-3").await, "b\nc\n");
    assert_eq!(project.read("SKILL://text:raw:2-3").await, "two\nthree\n");
    let output = project.read_output("skill://text").await;
    assert_eq!(output.details.as_ref().unwrap()["contentType"], "text/markdown");
    let source = &meta(&output)["source"];
    assert_eq!((&source["type"], &source["value"]), (&"internal".into(), &"skill://text".into()));
    assert_eq!(project.read_error("skill://other").await, "no skill://other");
    assert!(project.read_error("rule://x").await.contains("not available yet"));
}
