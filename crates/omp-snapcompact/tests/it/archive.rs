//! Frames over several compactions.

use omp_snapcompact::{Archive, Input, Shape, compact, frame_budget};
use omp_types::{Message, UserBlock};

use crate::{pictures, user};

fn shape() -> Shape {
    Shape::named("8on16-bw").expect("a shape")
}

/// Words for so many frames, with a mark at their start.
fn frames_of(mark: &str, frames: usize) -> Vec<Message> {
    let words = "lorem ipsum dolor ".repeat((shape().capacity() * frames - shape().capacity() / 2) / 18);
    vec![user(&format!("{mark} {words}"))]
}

fn next(previous: Option<&Archive>, messages: &[Message], budget: usize) -> (Archive, String) {
    let input = Input { previous, previous_summary: None, shape: shape(), budget };
    compact(messages.iter(), input).expect("frames")
}

fn data(archive: &Archive, at: usize) -> String {
    match &archive.content[at] {
        UserBlock::Image(image) => image.data.clone(),
        UserBlock::Text(_) => panic!("a picture"),
    }
}

/// No more frames than the provider takes and never more than eight, however long the history is.
/// proves: CMP-081
#[test]
fn a_long_history_stays_in_the_budget() {
    for (provider, frames) in [("anthropic", 8), ("openrouter", 8), ("groq", 5), ("a-server-of-my-own", 5)] {
        assert_eq!(frame_budget(provider), frames, "{provider}");
    }
    let (archive, _) = next(None, &frames_of("START", 7), frame_budget("a-server-of-my-own"));
    assert_eq!(archive.frames.len(), 5);
    assert_eq!(pictures(&archive).len(), 5);
}

/// Frames are carried forward; when they are too many, the first stays and the oldest others go.
/// proves: CMP-082
#[test]
fn the_first_frame_stays_and_the_oldest_others_go() {
    let (first, _) = next(None, &frames_of("ONE", 3), 5);
    assert_eq!(first.frames.len(), 3);
    let (second, _) = next(Some(&first), &frames_of("TWO", 2), 5);
    assert_eq!(second.frames.len(), 5);
    assert!((0..3).all(|at| data(&second, at) == data(&first, at)), "nothing is drawn again");
    assert_eq!(second.dropped, 0);
    let (third, guide) = next(Some(&second), &frames_of("THREE", 2), 5);
    assert_eq!(third.frames.len(), 5);
    assert_eq!(data(&third, 0), data(&second, 0), "the first stays");
    assert_eq!(data(&third, 1), data(&second, 3), "the oldest others are gone");
    assert_eq!(data(&third, 2), data(&second, 4));
    assert_eq!(third.dropped, 2);
    assert!(guide.contains("2 frames from the middle of the history were dropped"), "{guide}");
}

/// What does not fit waits as text, at most as much as two frames hold, and is printed next time.
/// proves: CMP-083
#[test]
fn what_does_not_fit_waits_as_text() {
    let (archive, guide) = next(None, &frames_of("START", 3), 2);
    assert_eq!(archive.frames.len(), 2);
    let tail = archive.text_tail.text();
    assert!(!tail.is_empty() && tail.chars().count() <= shape().capacity());
    assert!(guide.contains(&tail), "the text is part of the summary");
    let (long, guide) = next(None, &frames_of("START", 12), 2);
    let kept = long.text_tail.text();
    let notice = kept.find(" characters left out").expect("the middle is gone");
    assert!(notice > shape().capacity() / 2 && notice < kept.len() - shape().capacity() / 2);
    assert!(kept.chars().count() <= 2 * shape().capacity() + 60);
    assert!(guide.contains(&kept));
    let (after, guide) = next(Some(&archive), &[user("and on")], 8);
    assert_eq!(after.frames.len(), 3, "the tail is on a frame now");
    assert!(after.text_tail.spans.is_empty());
    assert!(!guide.contains("history-tail"), "{guide}");
    let on_frames: usize = after.frames.iter().map(|frame| frame.characters).sum();
    let (whole, _) = next(None, &[frames_of("START", 3), vec![user("and on")]].concat(), 8);
    assert_eq!(
        on_frames,
        whole.frames.iter().map(|frame| frame.characters).sum::<usize>(),
        "no letter is lost"
    );
}

/// A summary in words comes first on the frames.
#[test]
fn a_summary_in_words_is_printed_first() {
    let input = |summary| Input { previous: None, previous_summary: summary, shape: shape(), budget: 8 };
    let messages = [user("go on")];
    let (with, _) = compact(messages.iter(), input(Some("They built a bridge."))).expect("frames");
    let (without, _) = compact(messages.iter(), input(None)).expect("frames");
    let printed = "[Summary of earlier history] They built a bridge. ";
    assert_eq!(with.frames[0].characters, without.frames[0].characters + printed.len());
}

/// The guide names the geometry and the tags; the same input gives the same bytes.
#[test]
fn the_guide_says_how_to_read() {
    let (archive, guide) = next(None, &frames_of("START", 2), 8);
    let (columns, rows) = shape().grid();
    for wanted in ["2 pictures", "8x16 pixels", "[user]", "[call]", "left out"] {
        assert!(guide.contains(wanted), "{wanted} in {guide}");
    }
    assert!(guide.contains(&format!("{columns} characters a line and up to {rows} lines")));
    let again = next(None, &frames_of("START", 2), 8);
    assert_eq!((archive, guide), again);
}

#[test]
fn an_archive_survives_the_session_file() {
    let (archive, _) = next(None, &frames_of("START", 3), 2);
    let line = serde_json::to_string(&archive).expect("a line");
    assert_eq!(serde_json::from_str::<Archive>(&line).expect("an archive"), archive);
}
