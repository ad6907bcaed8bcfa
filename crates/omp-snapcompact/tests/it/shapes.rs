//! Which shape a model gets.

use omp_snapcompact::{Archive, Input, Shape, compact};

use crate::{pictures, user};

fn printed(shape: Shape) -> Archive {
    let messages = [user("Which look does a model get?")];
    let input = Input { previous: None, previous_summary: None, shape, budget: 8 };
    compact(messages.iter(), input).expect("frames").0
}

/// The shape follows the model's id; whoever carries the request does not change it. Other models get the shape of
/// those who speak their language.
/// proves: CMP-076
#[test]
fn the_shape_follows_the_model() {
    let cases = [
        ("claude-sonnet-4-5", "anthropic-messages", "6x12-dim", 1568),
        ("claude-opus-4-7", "anthropic-messages", "6x12-dim", 1932),
        ("claude-opus-4.8", "openai-completions", "6x12-dim", 1932),
        ("anthropic/claude-fable-5", "openai-completions", "6x12-dim", 1932),
        ("claude-mythos", "google-vertex", "6x12-dim", 1932),
        ("claude-opus-4-1-20250805", "google-vertex", "6x12-dim", 1568),
        ("gemini-3-pro", "google-generative-ai", "doc-8on16-sent-dim", 2048),
        ("google/gemini-3-flash", "openai-completions", "doc-8on16-sent-dim", 2048),
        ("gpt-5.2", "openai-responses", "8on16-bw", 1568),
        ("kimi-k2.5", "anthropic-messages", "8on16-bw", 1568),
        ("zai/glm-5", "openai-completions", "8on16-bw", 1568),
        ("somebody-else", "anthropic-messages", "6x12-dim", 1568),
        ("somebody-else", "ollama-chat", "6x12-dim", 1568),
        ("somebody-else", "google-vertex", "doc-8on16-sent-dim", 2048),
        ("somebody-else", "openai-completions", "8on16-bw", 1568),
        ("somebody-else", "azure-openai-responses", "8on16-bw", 1568),
    ];
    for (model, api, name, width) in cases {
        let shape = Shape::of("auto", model, api);
        assert_eq!(shape.name, name, "{model} over {api}");
        let frames = pictures(&printed(shape));
        assert_eq!(frames.iter().map(|frame| frame.width).collect::<Vec<_>>(), [width], "{model} over {api}");
    }
}

/// Every name is a shape of its own, whatever the model is.
#[test]
fn the_settings_can_force_a_shape() {
    let mut seen = std::collections::HashSet::new();
    for name in Shape::names() {
        let shape = Shape::of(name, "claude-opus-4-7", "anthropic-messages");
        assert_eq!(shape.name, name);
        let archive = printed(shape);
        assert_eq!(archive.frames[0].shape, name);
        let frame = &pictures(&archive)[0];
        assert!(seen.insert(frame.pixels.clone()), "{name} looks like another");
    }
    assert_eq!(Shape::of("8x8r-bw", "gpt-5", "openai-responses").cell, (8, 8));
    assert_eq!(Shape::of("6x6u-bw", "gpt-5", "openai-responses").cell, (6, 6));
    assert_eq!(Shape::of("5x8-bw", "gpt-5", "openai-responses").cell, (5, 8));
}
