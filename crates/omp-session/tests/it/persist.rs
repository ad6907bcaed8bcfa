//! What becomes of large and transient things on their way to the disk, and of images on their way back.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_session::{BlobHash, BlobStore, Custom, EntryKind, Sessions};
use omp_types::{
    AssistantBlock, ImageBlock, Message, NativeBlock, StopReason, TextBlock, ThinkingBlock,
    ToolResultMessage, UserBlock, UserContent, UserMessage,
};
use serde_json::{Value, json};

use crate::support::{World, answer, answer_with, lines, user};

const NOTICE: &str = "[Session persistence truncated large content]";

fn blobs(world: &World) -> PathBuf {
    world.base.join("agent/blobs")
}

fn picture(data: &str) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        content: UserContent::Blocks(vec![
            UserBlock::text("look"),
            UserBlock::Image(ImageBlock {
                data: data.to_owned(),
                mime_type: "image/png".to_owned(),
                detail: None,
            }),
        ]),
        steering: false,
        sealed: None,
        timestamp: 1,
    }))
}

fn image_data(message: &Message) -> &str {
    let Message::User(UserMessage { content: UserContent::Blocks(blocks), .. }) = message else { panic!() };
    let UserBlock::Image(image) = &blocks[1] else { panic!() };
    &image.data
}

/// The names of files in a directory, in order.
fn names(directory: &Path) -> Vec<String> {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// proves: SES-073
#[test]
fn long_texts_are_cut_between_characters() {
    let world = World::new();
    let mut writer = world.create();
    // Two units each: the limit falls into the middle of one.
    let emoji = "x".to_owned() + &"😀".repeat(300_000);
    let exact = "y".repeat(500_000);
    let result = |text: &str| {
        Arc::new(Message::ToolResult(ToolResultMessage {
            tool_call_id: "c".into(),
            tool_name: "bash".into(),
            content: vec![UserBlock::text(text)],
            details: Some(json!({"deep": [{"output": text}]})),
            is_error: false,
            timestamp: 1,
        }))
    };
    writer.append_message(&answer("start"));
    writer.append_message(&result(&emoji));
    writer.append_message(&result(&exact));
    let written = lines(writer.path().unwrap());
    let texts = |line: &Value| {
        let message = &line["message"];
        [&message["content"][0]["text"], &message["details"]["deep"][0]["output"]]
            .map(|text| text.as_str().unwrap().to_owned())
    };
    for text in texts(&written[2]) {
        let units = text.encode_utf16().count();
        assert!(text.ends_with(NOTICE) && (499_990..=500_000).contains(&units), "{units}");
        let kept = text.strip_suffix(NOTICE).unwrap().trim_end();
        assert!(emoji.starts_with(kept), "what is kept is the beginning, unbroken");
    }
    assert_eq!(texts(&written[3]), [exact.clone(), exact], "what fits is not touched");
}

/// proves: SES-074
#[test]
fn signatures_are_never_cut() {
    let world = World::new();
    let mut writer = world.create();
    let signature = "s".repeat(600_000);
    let thinking = "t".repeat(600_000);
    let blocks = vec![
        AssistantBlock::Thinking(ThinkingBlock {
            thinking: thinking.clone(),
            thinking_signature: Some(signature.clone()),
        }),
        AssistantBlock::Thinking(ThinkingBlock { thinking: thinking.clone(), thinking_signature: None }),
        AssistantBlock::Text(TextBlock { text: "a".into(), text_signature: Some(signature.clone()) }),
    ];
    let sent = answer_with(StopReason::Stop, blocks);
    writer.append_message(&sent);
    let message = lines(writer.path().unwrap())[1]["message"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert_eq!(text(&message["content"][0]["thinkingSignature"]), signature);
    assert_eq!(text(&message["content"][0]["thinking"]), thinking, "a signature is valid for the whole text");
    assert!(text(&message["content"][1]["thinking"]).ends_with(NOTICE));
    assert_eq!(text(&message["content"][2]["textSignature"]), signature);
}

/// proves: SES-075, SES-076
#[test]
fn transient_fields_are_dropped_and_lines_are_counted_again() {
    let world = World::new();
    let mut writer = world.create();
    writer.append_message(&answer("start"));
    let data = json!({
        "partialJson": "{\"a", "kept": [{"jsonlEvents": [1, 2], "partialJson": null, "b": 1}],
        "file": {"content": "line\n".repeat(120_000), "lineCount": 120_001},
        "small": {"content": "one\ntwo", "lineCount": 7},
    });
    writer.append(EntryKind::Custom(Custom { custom_type: "x".into(), data: Some(data) }));
    let stored = &lines(writer.path().unwrap())[2]["data"];
    assert_eq!((stored.get("partialJson"), &stored["kept"]), (None, &json!([{"b": 1}])));
    let content = stored["file"]["content"].as_str().unwrap();
    assert!(content.ends_with(NOTICE));
    assert_eq!(stored["file"]["lineCount"], json!(content.split('\n').count()));
    assert_eq!(
        stored["small"],
        json!({"content": "one\ntwo", "lineCount": 7}),
        "nothing was cut, nothing changes"
    );
}

/// proves: SES-008, SES-077, SES-080, SES-082, SES-084
#[test]
fn images_go_to_the_blob_store_and_come_back() {
    let world = World::new();
    let bytes: Vec<u8> = (0..2000_u32).map(|number| (number * 7) as u8).collect();
    let data = STANDARD.encode(&bytes);
    let message = picture(&data);
    let mut writer = world.create();
    writer.append_message(&message);
    writer.append_message(&answer("a picture"));
    assert_eq!(image_data(&message), data, "memory keeps the image");

    let path = writer.path().unwrap().to_owned();
    let stored = lines(&path)[1]["message"]["content"][1]["data"].as_str().unwrap().to_owned();
    let hash = BlobHash::of(&bytes);
    assert_eq!(stored, format!("blob:sha256:{}", hash.as_str()));
    assert_eq!(names(&blobs(&world)), [hash.as_str().to_owned(), format!("{}.png", hash.as_str())]);
    let file = blobs(&world).join(hash.as_str());
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let inode = |path: &Path| std::fs::metadata(path).unwrap().ino();
    assert_eq!(inode(&file), inode(&file.with_extension("png")));

    let context = world.open(&path).0.context();
    assert_eq!(context.messages[0], message, "the model sees the image again");
    assert!(context.missing_images.is_empty());
}

/// proves: SES-078
#[test]
fn small_images_stay() {
    let world = World::new();
    let mut writer = world.create();
    // 765 bytes are 1020 characters, 768 are 1024.
    let [small, large] = [765, 768].map(|length| STANDARD.encode(vec![7_u8; length]));
    writer.append_message(&picture(&small));
    writer.append_message(&picture(&large));
    writer.append_message(&answer("ok"));
    let written = lines(writer.path().unwrap());
    assert_eq!(written[1]["message"]["content"][1]["data"], json!(small));
    assert!(written[2]["message"]["content"][1]["data"].as_str().unwrap().starts_with("blob:sha256:"));
}

/// proves: SES-079, SES-082
#[test]
fn data_urls_go_to_the_blob_store_and_come_back() {
    let world = World::new();
    let url = format!("data:image/png;base64,{}", STANDARD.encode(vec![9_u8; 900]));
    let value = json!({"items": [{"image_url": url}, {"image_url": {"url": url, "detail": "high"}},
        {"image_url": "https://example.com/a.png"}, {"image_url": "data:image/svg+xml,<svg/>"}]});
    let native = AssistantBlock::Native(NativeBlock { api: "demo".into(), value });
    let message = answer_with(StopReason::Stop, vec![native]);
    let mut writer = world.create();
    writer.append_message(&message);
    let path = writer.path().unwrap().to_owned();
    let items = lines(&path)[1]["message"]["content"][0]["value"]["items"].clone();
    let reference = BlobHash::of(url.as_bytes()).reference();
    assert_eq!(
        (&items[0]["image_url"], &items[1]["image_url"]["url"]),
        (&json!(reference), &json!(reference))
    );
    assert_eq!(items[2]["image_url"], "https://example.com/a.png");
    assert_eq!(items[3]["image_url"], "data:image/svg+xml,<svg/>");
    let blob = std::fs::read(blobs(&world).join(BlobHash::of(url.as_bytes()).as_str())).unwrap();
    assert_eq!(blob, url.as_bytes(), "the blob is the URL itself");
    assert_eq!(world.open(&path).0.context().messages[0], message);
}

/// proves: SES-008, SES-081
#[test]
fn the_same_image_is_stored_once() {
    let world = World::new();
    let data = STANDARD.encode(vec![5_u8; 3000]);
    for _ in 0..2 {
        let mut writer = world.create();
        writer.append_message(&picture(&data));
        writer.append_message(&picture(&data));
        writer.append_message(&answer("ok"));
        assert!(writer.problem().is_none());
    }
    assert_eq!(names(&blobs(&world)).len(), 2, "one blob and its second name");
    // A blob that a loss of power cut off is written again.
    let hash = BlobHash::of(&[5; 3000]);
    let store = BlobStore::new(&blobs(&world));
    std::fs::write(store.path(&hash), b"cut").unwrap();
    assert_eq!(store.get(&hash), None);
    store.put(&[5; 3000], Some("png")).unwrap();
    assert_eq!(store.get(&hash), Some(vec![5; 3000]));
}

/// proves: SES-083
#[test]
fn a_missing_blob_is_named_and_its_reference_stays() {
    let world = World::new();
    let bytes = vec![3_u8; 3000];
    let mut writer = world.create();
    writer.append_message(&picture(&STANDARD.encode(&bytes)));
    writer.append_message(&answer("ok"));
    let path = writer.path().unwrap().to_owned();
    let hash = BlobHash::of(&bytes);
    std::fs::remove_file(blobs(&world).join(hash.as_str())).unwrap();
    let context = world.open(&path).0.context();
    assert_eq!(context.missing_images, std::slice::from_ref(&hash));
    assert_eq!(image_data(&context.messages[0]), hash.reference());
    assert_eq!(context.messages.len(), 2, "everything else is there");
}

/// Words that look like a reference are words.
#[test]
fn only_images_are_references() {
    let world = World::new();
    let mut writer = world.create();
    let words = format!("what is {}?", BlobHash::of(b"x").reference());
    writer.append_message(&user(&words));
    writer.append_message(&answer("ok"));
    let context = world.open(writer.path().unwrap()).0.context();
    assert_eq!(context.messages[0], user(&words));
    assert!(context.missing_images.is_empty() && !blobs(&world).exists());
    assert_eq!(BlobHash::from_reference("blob:sha256:../../etc/passwd"), None);
}

/// A blob is on disk before the line that refers to it: where no blob can be written, no line refers to one.
/// proves: SES-085
#[test]
fn no_line_refers_to_what_is_not_there() {
    let world = World::new();
    let data = STANDARD.encode(vec![8_u8; 3000]);
    let mut writer = world.create();
    writer.append_message(&answer("start"));
    std::fs::write(blobs(&world), "in the way").unwrap();
    writer.append_message(&picture(&data));
    let path = writer.path().unwrap().to_owned();
    assert!(writer.problem().is_none());
    assert_eq!(
        lines(&path)[2]["message"]["content"][1]["data"],
        json!(data),
        "the image is kept in the line"
    );

    // With a watcher that looks at every line as it appears.
    std::fs::remove_file(blobs(&world)).unwrap();
    let store = BlobStore::new(&blobs(&world));
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let watcher = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            let mut seen = 0;
            loop {
                let last = stop.load(std::sync::atomic::Ordering::SeqCst);
                for line in lines(&path) {
                    let data = line["message"]["content"][1]["data"].as_str().unwrap_or_default();
                    if let Some(hash) = BlobHash::from_reference(data) {
                        assert!(store.get(&hash).is_some(), "a line refers to nothing");
                        seen += 1;
                    }
                }
                if last {
                    return seen;
                }
            }
        }
    });
    for number in 0..20_u8 {
        writer.append_message(&picture(&STANDARD.encode(vec![number; 3000])));
    }
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(watcher.join().unwrap() >= 20);
}

/// The store's part of SES-011; the rest is proved where it is wired.
#[test]
fn everything_moves_with_the_agent_directory() {
    let world = World::new();
    let moved = world.base.join("elsewhere");
    let sessions = Sessions::new(&moved, &world.base.join("home"), &world.base.join("tmp"));
    let mut writer = sessions.create(&world.project, Default::default());
    sessions.leave_breadcrumb("pts-1", &mut writer);
    writer.append_message(&picture(&STANDARD.encode(vec![1_u8; 3000])));
    writer.append_message(&answer("hi"));
    let mut history = sessions.prompt_history().unwrap();
    history.add("hello", &world.project, "s");
    drop(history);
    assert!(writer.path().unwrap().starts_with(&moved));
    for name in ["sessions", "terminal-sessions/pts-1", "blobs", "history.db"] {
        assert!(moved.join(name).exists(), "{name}");
    }
    assert_eq!(names(&world.base.join("agent")), [""; 0]);
    assert_eq!(names(&world.base.join("home/.omp")), [""; 0]);
}
