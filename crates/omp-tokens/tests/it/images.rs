//! Providers count pictures by formulas of their own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_tokens::{Billing, image_size};
use omp_types::ImageBlock;

#[test]
fn each_provider_has_its_formula() {
    let cases = [
        ("anthropic-messages", "claude-opus-4-7", 1932, 1932, 69 * 69),
        ("anthropic-messages", "claude-fable-5", 5000, 5000, 4_784),
        ("bedrock-converse-stream", "claude-sonnet-4-5", 1568, 1568, 56 * 56),
        ("anthropic-messages", "claude-sonnet-4-5-20250929", 4000, 4000, 56 * 56),
        ("anthropic-messages", "claude-opus-4-20250514", 4000, 4000, 56 * 56),
        ("google-generative-ai", "gemini-3-pro", 2048, 2048, 1_120),
        ("google-vertex", "gemini-3-pro", 100, 100, 1_120),
        ("openai-responses", "gpt-5", 1568, 1568, 49 * 49),
        ("openai-completions", "kimi-k2", 33, 32, 2),
        ("openai-codex-responses", "gpt-5", 9000, 9000, 10_000),
    ];
    for (api, model, width, height, tokens) in cases {
        assert_eq!(Billing::of(api, model).tokens(width, height), tokens, "{api} {model} {width}x{height}");
    }
}

fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    image_size(&ImageBlock { data: STANDARD.encode(bytes), mime_type: "image/x".to_owned(), detail: None })
}

#[test]
fn sizes_are_read_from_the_first_bytes() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 7, 140, 0, 0, 1, 2, 8, 0, 0, 0, 0]);
    assert_eq!(size(&png), Some((1932, 258)));
    assert_eq!(size(b"GIF89a\x10\x01\x20\0\0\0"), Some((272, 32)));
    let mut jpeg = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 50, 1, 0];
    jpeg.extend([0; 40]);
    assert_eq!(size(&jpeg), Some((256, 50)));
    let mut webp = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0".to_vec();
    webp.extend([99, 0, 0, 49, 0, 0, 0, 0]);
    assert_eq!(size(&webp), Some((100, 50)));
    for bad in [&b""[..], b"RIFF", b"\x89PNG", &[0xff, 0xd8, 0xff], &[0xff, 0xd8, 0xff, 0xe0, 0, 0]] {
        assert_eq!(size(bad), None, "{bad:?}");
    }
}
