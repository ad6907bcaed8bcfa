//! Text on pictures in requests: the system prompt and long results of tools, where the settings want it.
//!
//! A picture costs fewer tokens than the text on it. What becomes a picture depends only on what stands before it, so that a
//! request still begins with the bytes of the one before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{StreamExt, stream};
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_config::settings::{Settings, keys};
use omp_snapcompact::{Script, Shape, Span, collapse, frame_budget, frames, printable_share};
use omp_tokens::{Billing, estimate};
use omp_types::{Message, ModelRequest, ToolResultMessage, UserBlock, UserContent, UserMessage};
use tokio_util::sync::CancellationToken;

const SYSTEM: &str = include_str!("../../prompts/imaged-system.md");
const RESULT: &str = include_str!("../../prompts/imaged-result.md");

/// Texts whose pictures are remembered; drawing takes time.
const REMEMBERED: usize = 64;
/// Less of a text than this on a picture is not worth one.
const LEAST_PRINTED: f64 = 0.95;
/// Texts of fewer characters stay texts.
const SHORTEST: usize = 2_000;

/// What the settings want on pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Wanted {
    system: bool,
    results: bool,
    shape: String,
}

/// A text in a look.
#[derive(PartialEq, Eq, Hash)]
struct Drawing {
    shape: &'static str,
    width: usize,
    text: String,
}

/// The pictures of one session.
#[derive(Default)]
pub(crate) struct Imaging {
    wanted: Mutex<Wanted>,
    drawn: Mutex<HashMap<Drawing, Arc<Vec<UserBlock>>>>,
}

impl Imaging {
    pub(crate) fn new(settings: &Settings) -> Self {
        let imaging = Self::default();
        imaging.set(settings);
        imaging
    }

    /// Takes up changed settings; they hold from the next request on.
    pub(crate) fn set(&self, settings: &Settings) {
        *lock(&self.wanted) = Wanted {
            system: settings.get(keys::SNAPCOMPACT_SYSTEM_PROMPT),
            results: settings.get(keys::SNAPCOMPACT_TOOL_RESULTS),
            shape: settings.get(keys::SNAPCOMPACT_SHAPE).to_owned(),
        };
    }

    /// The pictures of a text, if they are cheaper than the text.
    fn pictures(&self, text: &str, look: &Look) -> Option<Arc<Vec<UserBlock>>> {
        if text.len() < SHORTEST || printable_share(text) < LEAST_PRINTED {
            return None;
        }
        let key = Drawing { shape: look.shape.name, width: look.shape.width, text: text.to_owned() };
        let known = lock(&self.drawn).get(&key).cloned();
        let drawn = match known {
            Some(drawn) => drawn,
            None => {
                let script = Script { spans: vec![Span::plain(collapse(text))] };
                let drawn = Arc::new(frames(&script, look.shape).ok()?);
                let mut all = lock(&self.drawn);
                if all.len() >= REMEMBERED {
                    all.clear();
                }
                all.insert(key, Arc::clone(&drawn));
                drawn
            }
        };
        let cost: u64 = drawn
            .iter()
            .map(|block| match block {
                UserBlock::Image(image) => look.billing.image(image),
                UserBlock::Text(text) => estimate(&text.text),
            })
            .sum();
        (cost < estimate(text)).then_some(drawn)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a model wants its pictures.
struct Look {
    shape: Shape,
    billing: Billing,
    /// Pictures that the request may still get.
    left: usize,
}

/// A model that gets pictures for text.
pub(crate) struct ImagedModel {
    pub(crate) inner: Arc<dyn Model>,
    pub(crate) imaging: Arc<Imaging>,
    pub(crate) model: Arc<omp_llm::Model>,
}

impl Model for ImagedModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let wanted = lock(&self.imaging.wanted).clone();
        if !(wanted.system || wanted.results) || !self.model.accepts_images() {
            return self.inner.stream(request, cancel);
        }
        let (inner, imaging, model) =
            (Arc::clone(&self.inner), Arc::clone(&self.imaging), Arc::clone(&self.model));
        let plain = request.clone();
        let begun = async move {
            let drawing = move || draw(&imaging, &wanted, &model, request);
            // A request without pictures is better than none.
            let drawn = tokio::task::spawn_blocking(drawing).await.unwrap_or(plain);
            inner.stream(drawn, cancel)
        };
        Box::pin(stream::once(begun).flatten())
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}

fn draw(
    imaging: &Imaging,
    wanted: &Wanted,
    model: &omp_llm::Model,
    mut request: ModelRequest,
) -> ModelRequest {
    let api = model.api.name();
    let mut look = Look {
        shape: Shape::of(&wanted.shape, &model.id, api),
        billing: Billing::of(api, &model.id),
        left: frame_budget(&model.provider),
    };
    let first = if wanted.system { system(imaging, &mut look, &mut request) } else { None };
    if wanted.results {
        for message in &mut request.messages {
            look.left = look.left.saturating_sub(pictures_in(message));
            if let Some(drawn) = result(imaging, &mut look, message) {
                *message = Arc::new(drawn);
            }
        }
    }
    if let Some(first) = first {
        request.messages.insert(0, Arc::new(first));
        request.options.identity_from += usize::from(request.options.identity_from > 0);
    }
    request
}

/// The system prompt as the first message; in its place stands where it is.
fn system(imaging: &Imaging, look: &mut Look, request: &mut ModelRequest) -> Option<Message> {
    let text = request.system.join("\n\n");
    let drawn = imaging.pictures(&text, look).filter(|drawn| drawn.len() <= look.left)?;
    look.left -= drawn.len();
    let note = SYSTEM.trim_end().replace("{pictures}", &drawn.len().to_string());
    request.system = Arc::from([note.clone()]);
    let mut blocks = vec![UserBlock::text(note)];
    blocks.extend(drawn.iter().cloned());
    Some(Message::User(UserMessage {
        content: UserContent::Blocks(blocks),
        steering: false,
        sealed: None,
        timestamp: 0,
    }))
}

/// A long result on pictures.
fn result(imaging: &Imaging, look: &mut Look, message: &Message) -> Option<Message> {
    let found = message.as_tool_result().filter(|result| !result.is_error)?;
    let [UserBlock::Text(text)] = found.content.as_slice() else { return None };
    let drawn = imaging.pictures(&text.text, look).filter(|drawn| drawn.len() <= look.left)?;
    look.left -= drawn.len();
    let note = RESULT.trim_end().replace("{pictures}", &drawn.len().to_string());
    let mut content = vec![UserBlock::text(note)];
    content.extend(drawn.iter().cloned());
    Some(Message::ToolResult(ToolResultMessage { content, ..found.clone() }))
}

fn pictures_in(message: &Message) -> usize {
    let count =
        |blocks: &[UserBlock]| blocks.iter().filter(|block| matches!(block, UserBlock::Image(_))).count();
    match message {
        Message::User(UserMessage { content: UserContent::Blocks(blocks), .. }) => count(blocks),
        Message::ToolResult(result) => count(&result.content),
        _ => 0,
    }
}
