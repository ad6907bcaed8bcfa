//! One line of a file is changed, in every encoding, with every kind of line end, by every tool that can: all other
//! bytes stay, or nothing changes at all and the answer says why. The table is printed:
//! `cargo nextest run -p omp-tools -E 'test(encodings)' --no-capture`.

use std::collections::BTreeMap;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
use omp_tools::EditMode;
use serde_json::json;

use crate::support::Project;
use crate::support::session::Session;

/// How a text becomes bytes.
#[derive(Clone, Copy)]
enum As {
    Utf8,
    Utf8Bom,
    /// Little endian, with a mark.
    Utf16(bool, bool),
    Legacy(&'static Encoding),
    /// UTF-8 with a few bytes that are none.
    Broken,
}

impl As {
    fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf8Bom => ["\u{feff}", text].concat().into_bytes(),
            Self::Utf16(little, marked) => {
                let unit = if little { u16::to_le_bytes } else { u16::to_be_bytes };
                let mark = marked.then_some(0xfeff);
                mark.into_iter().chain(text.encode_utf16()).flat_map(unit).collect()
            }
            Self::Legacy(encoding) => {
                let (bytes, _, unmappable) = encoding.encode(text);
                assert!(!unmappable, "{text}");
                bytes.into_owned()
            }
            Self::Broken => {
                let marked = text.replace('¡', "\0");
                marked.bytes().map(|byte| if byte == 0 { 0xff } else { byte }).collect()
            }
        }
    }
}

/// A name, how it is written, and words of a language that is written so.
fn encodings() -> Vec<(&'static str, As, [&'static str; 4])> {
    let german = ["Grüße aus Köln", "ärgerlich größer", "schöne Öfen", "für die Straße"];
    let japanese = ["これは日本語の文章です", "二行目もあります", "最後の行ではない", "漢字とかな"];
    let korean = ["안녕하세요 세계", "두 번째 줄입니다", "마지막 줄이 아닙니다", "한국어 문장"];
    let chinese = ["这是中文的一句话", "第二行也在这里", "不是最后一行", "汉字和标点"];
    let taiwan = ["這是中文的一句話", "第二行也在這裡", "不是最後一行", "漢字與標點"];
    let russian = ["Привет, большой мир", "вторая строка здесь", "не последняя строка", "русские слова"];
    let broken = ["größe ¡ kaputt", "schöne ¡¡ Öfen", "für ä ö ü ß die Straße", "ß ü ö ä"];
    vec![
        ("UTF-8", As::Utf8, german),
        ("UTF-8 with mark", As::Utf8Bom, german),
        ("UTF-16 LE with mark", As::Utf16(true, true), german),
        ("UTF-16 BE with mark", As::Utf16(false, true), german),
        ("UTF-16 LE", As::Utf16(true, false), german),
        ("UTF-16 BE", As::Utf16(false, false), german),
        ("windows-1252", As::Legacy(WINDOWS_1252), german),
        ("windows-1251", As::Legacy(WINDOWS_1251), russian),
        ("Shift_JIS", As::Legacy(SHIFT_JIS), japanese),
        ("EUC-JP", As::Legacy(EUC_JP), japanese),
        ("EUC-KR", As::Legacy(EUC_KR), korean),
        ("GB18030", As::Legacy(GB18030), chinese),
        ("Big5", As::Legacy(BIG5), taiwan),
        ("broken UTF-8", As::Broken, broken),
    ]
}

/// The ends of the five lines.
const ENDS: [(&str, [&str; 5]); 6] = [
    ("LF", ["\n"; 5]),
    ("CRLF", ["\r\n"; 5]),
    ("mixed", ["\r\n", "\n", "\r\n", "\n", "\r\n"]),
    ("CR", ["\r"; 5]),
    ("no final LF", ["\n", "\n", "\n", "\n", ""]),
    ("no final CRLF", ["\r\n", "\r\n", "\r\n", "\r\n", ""]),
];

const TOOLS: [&str; 6] = ["hashline", "replace", "patch", "apply_patch", "ast_edit", "write"];

/// A program of five lines; the third is what is changed.
fn text(words: &[&str; 4], third: &str, ends: &[&str; 5]) -> String {
    let lines = [0, 1, 9, 2, 3]
        .map(|word| words.get(word).map_or(third.to_owned(), |word| format!("f(\"{word}\");")));
    lines.iter().zip(ends).map(|(line, end)| format!("{line}{end}")).collect()
}

async fn change(session: &Session, tool: &str, name: &str, new: &str, whole: &str) -> Result<(), String> {
    let arguments = match tool {
        "hashline" => {
            let header = session.read(name).await.lines().next().unwrap_or_default().to_owned();
            json!({ "input": format!("{header}\nSWAP 3.=3:\n+{new}\n") })
        }
        "replace" => json!({ "path": name, "old_string": "g(1);", "new_string": new }),
        "patch" => json!({ "path": name, "edits": [{ "diff": format!("@@\n-g(1);\n+{new}\n") }] }),
        "apply_patch" => {
            json!({ "input": format!("*** Begin Patch\n*** Update File: {name}\n@@\n-g(1);\n+{new}\n*** End Patch\n") })
        }
        "ast_edit" => {
            let ops = json!([{ "pat": "g($A);", "out": new }]);
            session.call("ast_edit", json!({ "ops": ops, "paths": [name] })).await?;
            let resolve = |action: &str| session.call("resolve", json!({ "action": action, "reason": "r" }));
            let applied = resolve("apply").await.map(drop);
            if applied.is_err() {
                // What could not be applied waits for another word.
                resolve("discard").await?;
            }
            return applied;
        }
        _ => return session.call("write", json!({ "path": name, "content": whole })).await.map(drop),
    };
    session.call("edit", arguments).await.map(drop)
}

fn session(tool: &str) -> Session {
    let mut project = Project::new();
    project.settings.edit.mode = EditMode::from_word(tool).unwrap_or_default();
    Session::with(project)
}

#[tokio::test]
async fn every_encoding_survives_every_tool() {
    let mut table: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for tool in TOOLS {
        let session = session(tool);
        for (row, (encoding, written_as, words)) in encodings().into_iter().enumerate() {
            for (column, (ends_name, ends)) in ENDS.into_iter().enumerate() {
                let name = format!("{row}-{column}.js");
                let new = format!("h(\"{}\");", words[3].replace('¡', ""));
                let before = written_as.bytes(&text(&words, "g(1);", &ends));
                session.project.file(&name, &before);
                // A whole text is sent with plain line ends, and gets those of the file where it has one kind.
                let plain = ends.map(|end| if end.is_empty() { "" } else { "\n" });
                let whole = text(&words, &new, &plain).replace('¡', "");
                let mut expected = written_as.bytes(&text(&words, &new, &ends));
                if tool == "write" {
                    let ends = if ends_name.contains("CRLF") { ends } else { plain };
                    expected = written_as.bytes(&text(&words, &new, &ends).replace('¡', ""));
                }
                let said = change(&session, tool, &name, &new, &whole).await;
                let after = session.project.content(&name);
                let cell = match &said {
                    Ok(()) if after == expected => "kept",
                    Err(_) if after == before => "refused",
                    _ => "DAMAGED",
                };
                assert_ne!(
                    cell, "DAMAGED",
                    "{tool}, {encoding}, {ends_name}: {said:?}\n{before:?}\n{after:?}\n{expected:?}"
                );
                assert_eq!(
                    cell == "refused",
                    is_refused(tool, encoding, ends_name),
                    "{tool}, {encoding}, {ends_name}: {said:?}"
                );
                table.entry((row, column)).or_default().push(cell.to_owned());
            }
        }
    }
    print(&table);
}

/// Without line feeds a file is one line: it has no third, it is not `g(1);`, and if it holds bytes that are no text, no
/// part of it can be written again.
fn is_refused(tool: &str, encoding: &str, ends: &str) -> bool {
    match tool {
        "write" => false,
        "replace" | "ast_edit" => ends == "CR" && encoding == "broken UTF-8",
        _ => ends == "CR",
    }
}

#[allow(clippy::print_stdout, reason = "a table for people: --no-capture shows it")]
fn print(table: &BTreeMap<(usize, usize), Vec<String>>) {
    println!("| encoding | line ends | {} |\n|---|---|{}", TOOLS.join(" | "), "---|".repeat(TOOLS.len()));
    for ((row, column), cells) in table {
        println!("| {} | {} | {} |", encodings()[*row].0, ENDS[*column].0, cells.join(" | "));
    }
}

/// A mark at the start of a line is text, and so are characters that an encoding can write in two ways: what an edit
/// takes over of a line stays as it is, or the edit is refused.
#[tokio::test]
async fn what_cannot_be_written_again_is_not_taken_over() {
    let session = session("replace");
    let call = |old: &str, new: &str| json!({ "path": "a.txt", "old_string": old, "new_string": new });
    // U+FEFF in the middle of a text in UTF-16.
    let wide = As::Utf16(true, true);
    session.project.file("a.txt", wide.bytes("one\n\u{feff}two x\nthree\n"));
    session.call("edit", call("x", "y")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), wide.bytes("one\n\u{feff}two y\nthree\n"));
    // Two codes of Shift_JIS for one sign: 81 E0 is what is written, 87 90 is what stands there.
    let sentence = SHIFT_JIS.encode("これは日本語の文章です。\n二行目もあります。\n").0;
    let old = [&sentence, b"a \x87\x90 b\n".as_slice()].concat();
    session.project.file("a.txt", &old);
    let error = session.call("edit", call("a ", "c ")).await.unwrap_err();
    assert!(error.contains("line 3") && error.contains("no unique encoding"), "{error}");
    assert_eq!(session.project.content("a.txt"), old);
    session.call("edit", call("a ≒ b\n", "c\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), [&sentence, b"c\n".as_slice()].concat());
}

/// The encoding of a few bytes is a guess, and an edit may change the guess. What a result shows and names is what the
/// next read shows and names.
#[tokio::test]
async fn a_result_says_what_the_next_read_says() {
    let few = "日本語の文章";
    for (before, hunk, after) in [
        // Without its one good letter, the other is one of an old encoding.
        (b"}\xe9\nx\n\xc3\xa4\n".to_vec(), "SWAP 3:\n+plain", b"}\xe9\nx\nplain\n".to_vec()),
        // Too little is left to tell the language.
        (
            As::Legacy(SHIFT_JIS).bytes(&format!("{few}\n{few}\nx\n日\n")),
            "DEL 1.=2",
            As::Legacy(SHIFT_JIS).bytes("x\n日\n"),
        ),
        (b"x\ny\n".to_vec(), "INS.HEAD:\n+\u{feff}z", b"\xef\xbb\xbfz\nx\ny\n".to_vec()),
    ] {
        let session = session("hashline");
        session.project.file("a.txt", &before);
        let header = session.read("a.txt").await.lines().next().unwrap().to_owned();
        let answer = session.edit(&format!("{header}\n{hunk}\n")).await.unwrap();
        assert_eq!(session.project.content("a.txt"), after, "{hunk}");
        let read = session.read("a.txt").await;
        assert_eq!(answer.lines().next(), read.lines().next(), "{hunk}:\n{answer}\n{read}");
        let shown = answer.lines().filter(|line| *line != "…");
        assert!(shown.clone().all(|line| read.lines().any(|row| row == line)), "{hunk}:\n{answer}\n{read}");
    }
}
