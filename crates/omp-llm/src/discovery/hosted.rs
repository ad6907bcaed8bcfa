//! Lists of Anthropic and Google, which come in pages.

use serde_json::Value;

use super::ask::Asker;
use super::listed::{Listed, ListedModel, limit, tokens};
use super::{ListError, Outcome};

/// Nobody has more pages than this; whoever does, repeats them.
const MAX_PAGES: usize = 50;

/// `/v1/models`, in pages that continue after the last id.
pub(super) async fn anthropic(asker: &Asker<'_>) -> Outcome {
    let base = asker.source.base_url.trim().trim_end_matches('/');
    let root = base.strip_suffix("/v1").unwrap_or(base);
    let mut pages = Pages::default();
    let mut after: Option<String> = None;
    loop {
        let mut url = format!("{root}/v1/models?limit=1000");
        if let Some(after) = &after {
            url.push_str("&after_id=");
            url.extend(url::form_urlencoded::byte_serialize(after.as_bytes()));
        }
        let page = asker.get(&url).await?.json()?;
        let more = page["has_more"].as_bool() == Some(true);
        after = page["last_id"].as_str().map(str::to_owned).filter(|_| more);
        pages.add(&page["data"], from_anthropic)?;
        if after.is_none() {
            return Ok(pages.listed());
        }
    }
}

fn from_anthropic(entry: &Value) -> Option<ListedModel> {
    let model = ListedModel::new(entry["id"].as_str()?).named(entry["display_name"].as_str());
    let can = |word: &str| entry["capabilities"][word]["supported"].as_bool();
    Some(ListedModel {
        context_window: tokens(entry, &["max_input_tokens"]),
        max_tokens: limit(entry, &["max_tokens"]),
        reasoning: can("thinking"),
        ..model.sees(can("image_input"))
    })
}

/// `<base>/models`, in pages that continue with a token.
pub(super) async fn google(asker: &Asker<'_>) -> Outcome {
    let base = asker.source.base_url.trim().trim_end_matches('/');
    let mut pages = Pages::default();
    let mut next: Option<String> = None;
    loop {
        let mut url = format!("{base}/models?pageSize=1000");
        if let Some(token) = &next {
            url.push_str("&pageToken=");
            url.extend(url::form_urlencoded::byte_serialize(token.as_bytes()));
        }
        let page = asker.get(&url).await?.json()?;
        next = page["nextPageToken"].as_str().filter(|token| !token.is_empty()).map(str::to_owned);
        pages.add(&page["models"], from_google)?;
        if next.is_none() {
            return Ok(pages.listed());
        }
    }
}

/// `None` for what does not generate text.
fn from_google(entry: &Value) -> Option<ListedModel> {
    let methods = entry["supportedGenerationMethods"].as_array()?;
    let generates = methods.iter().any(|method| method == "generateContent");
    let name = entry["name"].as_str()?;
    let id = name.strip_prefix("models/").unwrap_or(name);
    let talks = id.starts_with("gemini") || id.starts_with("gemma");
    let odd =
        ["-tts", "-image", "embedding", "-live", "-audio", "robotics"].iter().any(|part| id.contains(part));
    if !generates || !talks || odd {
        return None;
    }
    Some(ListedModel {
        context_window: tokens(entry, &["inputTokenLimit"]),
        max_tokens: limit(entry, &["outputTokenLimit"]),
        reasoning: entry["thinking"].as_bool(),
        ..ListedModel::new(id).named(entry["displayName"].as_str())
    })
}

/// The entries of several answers.
#[derive(Default)]
struct Pages {
    entries: Vec<Option<ListedModel>>,
    count: usize,
}

impl Pages {
    fn add(&mut self, list: &Value, read: impl Fn(&Value) -> Option<ListedModel>) -> Result<(), ListError> {
        let missing =
            || ListError::NoList { place: "the server".to_owned(), what: "unexpected data".to_owned() };
        let list = list.as_array().ok_or_else(missing)?;
        self.count += 1;
        if self.count > MAX_PAGES {
            return Err(ListError::Endless(MAX_PAGES));
        }
        self.entries.extend(list.iter().map(read));
        Ok(())
    }

    fn listed(self) -> Listed {
        Listed::collect(self.entries)
    }
}
