//! `inspect_image`: what is sent to the model that looks, and what comes of its answer.

use std::sync::{Arc, Mutex};

use base64::Engine;
use futures_util::stream;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, RgbaImage};
use omp_agent::{BatchStream, Model, ModelIdentity, Updates};
use omp_tools::{Context, Seer, Vision, VisionError, builtin};
use omp_types::{
    AssistantBlock, AssistantMessage, Failure, FailureKind, Message, ModelRequest, StopReason, StreamEvent,
    TextBlock, ThinkingLevel, ToolOutput, Usage, UserBlock, UserContent,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::pictures::{encoded, noise};
use crate::support::{Project, invocation, text};

/// A model that remembers what it was shown.
struct Eye {
    seen: Mutex<Vec<ModelRequest>>,
    answer: StreamEvent,
}

impl Model for Eye {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity { api: "test".into(), provider: "eyes".into(), id: "sharp".into() }
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        self.seen.lock().unwrap().push(request);
        let answer = if cancel.is_cancelled() {
            failure(FailureKind::Aborted, "stopped")
        } else {
            self.answer.clone()
        };
        Box::pin(stream::iter([vec![StreamEvent::Start], vec![answer]]))
    }
}

/// Always this model, or none.
struct Only(Result<(Arc<Eye>, bool), VisionError>);

impl Vision for Only {
    fn choose(&self) -> Result<Seer, VisionError> {
        let (eye, sees) = self.0.clone()?;
        Ok(Seer { model: eye, sees, thinking: ThinkingLevel::Off })
    }
}

fn said(blocks: &[&str]) -> StreamEvent {
    let block =
        |text: &&str| AssistantBlock::Text(TextBlock { text: (*text).to_owned(), ..TextBlock::default() });
    let message = AssistantMessage {
        content: blocks.iter().map(block).collect(),
        api: "test".into(),
        provider: "eyes".into(),
        model: "sharp".into(),
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: 0,
    };
    StreamEvent::Done { reason: StopReason::Stop, message: Box::new(message) }
}

fn failure(kind: FailureKind, message: &str) -> StreamEvent {
    let StreamEvent::Done { message: answer, .. } = said(&[]) else { unreachable!() };
    let failure = Failure { kind, message: message.into(), status: None, retry_after_ms: None };
    StreamEvent::Error { reason: StopReason::Error, failure, message: answer }
}

fn eye(answer: StreamEvent) -> Arc<Eye> {
    Arc::new(Eye { seen: Mutex::default(), answer })
}

/// Calls the tool of a session with this model.
async fn look_with(
    project: &Project,
    vision: Option<Only>,
    path: &str,
    cancel: CancellationToken,
) -> Result<ToolOutput, String> {
    let (scope, environment) = (project.scope.clone(), project.environment.clone());
    let mut context = Context::new(project.path(), Some(project.home()), scope, environment);
    context.settings = project.settings.clone();
    if let Some(vision) = vision {
        assert!(context.vision.set(Arc::new(vision)).is_ok());
    }
    let tools = builtin(&Arc::new(context));
    let tool = tools.iter().find(|tool| tool.definition().name == "inspect_image").unwrap();
    let arguments = json!({ "path": path, "question": "What is it?" });
    tool.run(invocation(&arguments, cancel, Updates::ignored())).await.map_err(|error| error.message)
}

async fn look(project: &Project, eye: &Arc<Eye>, path: &str) -> Result<ToolOutput, String> {
    look_with(project, Some(Only(Ok((Arc::clone(eye), true)))), path, CancellationToken::new()).await
}

/// What the model was shown last: the bytes, their kind, and the words behind them.
fn shown(eye: &Eye) -> (Vec<u8>, String, String) {
    let seen = eye.seen.lock().unwrap();
    let [message] = seen.last().unwrap().messages.as_slice() else { panic!("one message") };
    let Message::User(message) = message.as_ref() else { panic!("{message:?}") };
    let UserContent::Blocks(blocks) = &message.content else { panic!("{message:?}") };
    let [UserBlock::Image(image), UserBlock::Text(question)] = blocks.as_slice() else {
        panic!("{blocks:?}")
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(&image.data).unwrap();
    (bytes, image.mime_type.clone(), question.text.clone())
}

fn jpeg(picture: &DynamicImage, quality: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&picture.to_rgb8()).unwrap();
    bytes
}

const UNSUPPORTED: &str =
    "inspect_image only supports PNG, JPEG, GIF, and WEBP files detected by file content.";

/// proves: WEB-089
#[tokio::test]
async fn pictures_are_told_by_their_content() {
    let project = Project::new();
    let eye = eye(said(&["a dot"]));
    let formats = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
    for (format, mime) in formats.into_iter().zip(["image/png", "image/jpeg", "image/gif", "image/webp"]) {
        let bytes = encoded(&noise(8, 8), format);
        project.file("notes.txt", &bytes);
        look(&project, &eye, "notes.txt").await.unwrap();
        assert_eq!(shown(&eye), (bytes, mime.to_owned(), "What is it?".to_owned()));
    }
    let asked = eye.seen.lock().unwrap().len();
    project.file("fake.png", "no picture at all");
    project.file("empty.png", "");
    project.file("bitmap.png", encoded(&noise(8, 8), ImageFormat::Bmp));
    for path in ["fake.png", "empty.png", "bitmap.png", "."] {
        assert_eq!(look(&project, &eye, path).await.unwrap_err(), UNSUPPORTED, "{path}");
    }
    let missing = look(&project, &eye, "fak.png").await.unwrap_err();
    assert_eq!(missing, "Path 'fak.png' not found. Did you mean fake.png?");
    let page = look(&project, &eye, "https://example.com/a.png").await.unwrap_err();
    assert!(page.contains("Download the image first"), "{page}");
    assert_eq!(eye.seen.lock().unwrap().len(), asked, "nobody was asked");
}

/// proves: WEB-090
#[tokio::test]
async fn huge_files_are_not_sent() {
    let project = Project::new();
    let eye = eye(said(&["a dot"]));
    let path = project.file("huge.png", encoded(&noise(8, 8), ImageFormat::Png));
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(21 << 20).unwrap();
    let error = look(&project, &eye, "huge.png").await.unwrap_err();
    assert_eq!(error, "Image file too large: 21MB exceeds 20MB limit.");
    assert!(eye.seen.lock().unwrap().is_empty());
}

/// proves: WEB-091
#[tokio::test]
async fn pictures_are_fitted_unless_the_user_wants_them_whole() {
    let mut project = Project::new();
    let eye = eye(said(&["a dot"]));
    // Within both bounds; only wider; only heavier; both.
    let plain = DynamicImage::from(RgbImage::new(1_568, 40));
    let wide = DynamicImage::from(RgbImage::new(2_000, 50));
    let heavy = noise(300, 300);
    let both = noise(1_800, 400);
    for (name, picture, kept, size) in [
        ("plain.png", &plain, true, (1_568, 40)),
        ("wide.png", &wide, false, (1_568, 39)),
        ("heavy.png", &heavy, false, (300, 300)),
        ("both.png", &both, false, (1_568, 348)),
    ] {
        let bytes = encoded(picture, ImageFormat::Png);
        project.file(name, &bytes);
        look(&project, &eye, name).await.unwrap();
        let (sent, ..) = shown(&eye);
        let decoded = image::load_from_memory(&sent).unwrap();
        assert_eq!((decoded.width(), decoded.height()), size, "{name}");
        assert!(sent.len() <= 500 * 1024, "{name}: {}", sent.len());
        assert_eq!(sent == bytes, kept, "{name}: {} of {}", sent.len(), bytes.len());
        project.settings.images.resize = false;
        look(&project, &eye, name).await.unwrap();
        assert_eq!(shown(&eye).0, bytes, "{name}");
        project.settings.images.resize = true;
    }
}

/// proves: WEB-092
#[tokio::test]
async fn a_picture_goes_down_the_ladder_as_far_as_it_must() {
    let project = Project::new();
    let eye = eye(said(&["a dot"]));
    let limit = 500 * 1024;
    let sent = async |picture: &DynamicImage| {
        project.file("p.png", encoded(picture, ImageFormat::Png));
        look(&project, &eye, "p.png").await.unwrap();
        let (bytes, mime, _) = shown(&eye);
        (bytes, mime)
    };

    // Few colours are smallest without loss, a gradient with a little noise as JPEG of quality 75.
    let stripes =
        RgbImage::from_fn(1_600, 200, |x, y| Rgb([(x / 7 % 2 * 255) as u8, (y / 9 % 2 * 255) as u8, 0]));
    assert_ne!(sent(&stripes.into()).await.1, "image/jpeg");
    let soft = noise(400, 300);
    assert_eq!(sent(&soft).await, (jpeg(&soft, 75), "image/jpeg".to_owned()));

    // Noise: all qualities, then all scales, and the first that fits wins.
    let hard = noise(1_568, 900);
    let whole = [70, 60, 50, 40].map(|quality| (1.0, quality));
    let scaled = [0.75, 0.5, 0.35, 0.25]
        .into_iter()
        .flat_map(|scale| [70, 60, 50, 40].map(|quality| (scale, quality)));
    assert!(jpeg(&hard, 75).len() > limit);
    let expected = whole.into_iter().chain(scaled).find_map(|(scale, quality)| {
        let side = |pixels: u32| (f64::from(pixels) * scale).round() as u32;
        let step = match scale < 1.0 {
            true => hard.resize_exact(side(hard.width()), side(hard.height()), FilterType::Triangle),
            false => hard.clone(),
        };
        let bytes = jpeg(&step, quality);
        (bytes.len() <= limit).then_some((bytes, scale))
    });
    let (expected, scale) = expected.unwrap();
    assert!(scale < 1.0, "the picture is hard enough");
    assert!(sent(&hard).await == (expected, "image/jpeg".to_owned()));
}

/// What is transparent lies on white paper, also where the format knows no transparency.
#[tokio::test]
async fn transparency_becomes_white() {
    let project = Project::new();
    let eye = eye(said(&["a dot"]));
    let mut state = 1_u32;
    let picture = RgbaImage::from_fn(500, 400, |x, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.to_be_bytes();
        image::Rgba([a, b, c, if x < 250 { 0 } else { 255 }])
    });
    project.file("p.png", encoded(&picture.into(), ImageFormat::Png));
    look(&project, &eye, "p.png").await.unwrap();
    let (bytes, mime, _) = shown(&eye);
    assert_eq!(mime, "image/jpeg");
    let pixel = image::load_from_memory(&bytes).unwrap().to_rgb8().get_pixel(100, 100).0;
    assert!(pixel.iter().all(|channel| *channel > 245), "{pixel:?}");
}

/// proves: WEB-093
#[tokio::test]
async fn what_is_sent_may_be_another_format_and_what_cannot_be_decoded_is_sent_as_it_is() {
    let project = Project::new();
    let eye = eye(said(&["a dot"]));
    project.file("p.gif", encoded(&noise(700, 500), ImageFormat::Gif));
    let output = look(&project, &eye, "p.gif").await.unwrap();
    let (_, mime, _) = shown(&eye);
    assert_ne!(mime, "image/gif");
    assert_eq!(output.details.unwrap()["mimeType"], mime.as_str());
    let whole = encoded(&noise(600, 400), ImageFormat::Png);
    let truncated = &whole[..whole.len() / 2];
    project.file("p.png", truncated);
    look(&project, &eye, "p.png").await.unwrap();
    assert_eq!(shown(&eye), (truncated.to_vec(), "image/png".to_owned(), "What is it?".to_owned()));
}

/// proves: WEB-094
#[tokio::test]
async fn answers_that_are_none() {
    let project = Project::new();
    project.file("p.png", encoded(&noise(8, 8), ImageFormat::Png));
    for (answer, expected) in [
        (failure(FailureKind::Fatal, "Overloaded, come back later."), "Overloaded, come back later."),
        (failure(FailureKind::Fatal, ""), "inspect_image request failed."),
        (failure(FailureKind::Aborted, "Request was aborted"), "inspect_image request aborted."),
        (said(&[]), "inspect_image model returned no text output."),
        (said(&[" \n"]), "inspect_image model returned no text output."),
    ] {
        assert_eq!(look(&project, &eye(answer), "p.png").await.unwrap_err(), expected);
    }
    let aborted = CancellationToken::new();
    aborted.cancel();
    let vision = Only(Ok((eye(said(&["a dot"])), true)));
    let error = look_with(&project, Some(vision), "p.png", aborted).await.unwrap_err();
    assert_eq!(error, "inspect_image request aborted.");
    let several = look(&project, &eye(said(&[" a ", "dot\n"])), "p.png").await.unwrap();
    assert_eq!(text(&several), "a dot");
}

/// proves: WEB-095
#[tokio::test]
async fn names_are_found_in_other_spellings() {
    let project = Project::new();
    let eye = eye(said(&["a dot"]));
    let bytes = encoded(&noise(8, 8), ImageFormat::Png);
    for (there, typed) in [
        ("two words.png", "two\\ words.png"),
        ("Screenshot at 9.41.07\u{202f}AM.png", "Screenshot at 9.41.07 AM.png"),
        ("Screenshot at 9.41.08\u{202f}PM.png", "Screenshot\\ at\\ 9.41.08\\ PM.png"),
        ("cafe\u{301}.png", "caf\u{e9}.png"),
        ("Anna\u{2019}s.png", "Anna's.png"),
        ("sub/deep.png", "./sub/deep.png"),
    ] {
        let path = project.file(there, &bytes);
        let output = look(&project, &eye, typed).await.unwrap_or_else(|error| panic!("{typed}: {error}"));
        let found = output.details.unwrap()["imagePath"].as_str().unwrap().to_owned();
        assert_eq!(std::fs::canonicalize(found).unwrap(), std::fs::canonicalize(path).unwrap());
    }
}

/// The words of the tool itself; which model a session finds is proved with a session.
#[tokio::test]
async fn who_cannot_look_is_told_before_the_file_is_touched() {
    let mut project = Project::new();
    let ask = async |project: &Project, vision| {
        look_with(project, vision, "missing.png", CancellationToken::new()).await.unwrap_err()
    };
    let none = |error| Some(Only(Err(error)));
    assert_eq!(ask(&project, None).await, "Model registry is unavailable for inspect_image.");
    assert_eq!(ask(&project, none(VisionError::NoModels)).await, "No models available for inspect_image.");
    assert_eq!(
        ask(&project, none(VisionError::Unresolved)).await,
        "Unable to resolve a model for inspect_image."
    );
    let blind = || Some(Only(Ok((eye(said(&["a dot"])), false))));
    assert!(
        ask(&project, blind()).await.starts_with("Resolved model eyes/sharp does not support image input.")
    );
    project.settings.images.block = true;
    assert!(ask(&project, blind()).await.starts_with("Image submission is disabled by settings"));
}
