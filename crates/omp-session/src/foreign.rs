//! Messages of roles that other releases write and this one does not.
//!
//! In memory they are messages of the program: the content is what the model reads, in the form it was sent when it was
//! written, and the details are the message as it was found, so that it can be written again.
//!
//! | role | what the model reads |
//! |---|---|
//! | `developer` | the content |
//! | `hookMessage` | the content, like that of a `custom` message |
//! | `fileMention` | each file in an element with its path; pictures in a message of their own |
//! | `pythonExecution` | the code, what it printed, how it ended; nothing if it is private |

use std::fmt::Write;

use omp_types::{BashExecution, CustomMessage, ImageBlock, Message, UserBlock, UserContent};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

const DEVELOPER: &str = "developer";
const FILE_MENTION: &str = "fileMention";
const PYTHON: &str = BashExecution::OF_PYTHON;
const HOOK: &str = "hookMessage";

/// The type of a plan that is drawn, and told to the model by other words.
pub(crate) const PREWALK_PLAN: &str = "prewalk-plan";

/// Of an answer that failed, the mark that another one took its place.
pub(crate) const SUPERSEDED: &str = "retryRecovery";

/// Does another message stand in the place of this one?
pub(crate) fn is_superseded(message: &Value) -> bool {
    message["role"] == "assistant" && message.get(SUPERSEDED).is_some_and(|mark| !mark.is_null())
}

/// Reads a message of such a role; `None` if it has another one, or cannot be read.
pub(crate) fn read(message: &Value) -> Option<Message> {
    let role = message["role"].as_str()?;
    let content = match role {
        DEVELOPER => UserContent::deserialize(&message["content"]).ok()?,
        FILE_MENTION => mentioned(message)?,
        PYTHON => UserContent::Text(executed(message)?),
        HOOK => return hook(message),
        _ => return None,
    };
    Some(Message::Custom(CustomMessage {
        custom_type: role.to_owned(),
        content,
        display: role == PYTHON,
        details: Some(message.clone()),
        timestamp: message["timestamp"].as_u64().unwrap_or_default(),
    }))
}

/// The message as it was found, if this is one that [`read`] made and nobody changed.
pub(crate) fn written(custom: &CustomMessage) -> Option<&Value> {
    let found = custom.details.as_ref().filter(|found| found["role"] == custom.custom_type.as_str())?;
    match read(found) {
        Some(Message::Custom(same)) if same.content == custom.content => Some(found),
        _ => None,
    }
}

/// What was said for people to find it by; `None` if the message is of another role.
pub(crate) fn role(custom: &CustomMessage) -> Option<&'static str> {
    let roles = [DEVELOPER, FILE_MENTION, PYTHON];
    let role = roles.into_iter().find(|role| *role == custom.custom_type)?;
    let found = custom.details.as_ref()?;
    (found["role"] == role).then_some(role)
}

/// Texts and pictures of files that were mentioned together: each goes in a message of its own, because pictures are
/// shown by users only. `None` if there is nothing to take apart.
pub(crate) fn split(message: &Message) -> Option<(Message, Message)> {
    let Message::Custom(custom) = message else { return None };
    let UserContent::Blocks(blocks) = &custom.content else { return None };
    let [UserBlock::Text(texts), pictures @ ..] = blocks.as_slice() else { return None };
    if role(custom) != Some(FILE_MENTION) || !matches!(pictures.first(), Some(UserBlock::Text(_))) {
        return None;
    }
    let with = |content: UserContent| Message::Custom(CustomMessage { content, ..custom.clone() });
    let texts = with(UserContent::Text(texts.text.clone()));
    Some((texts, with(UserContent::Blocks(pictures.to_vec()))))
}

/// The level that stands for none.
pub(crate) fn no_thinking() -> String {
    "off".to_owned()
}

/// Later releases write nothing where a model does not think.
pub(crate) fn thinking_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(no_thinking))
}

/// Later releases write the tiers of three families of providers; here one word stands for all of them.
pub(crate) fn service_tier<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let of = |family: &str| value[family].as_str().filter(|_| value.is_object());
    let word = match (of("openai"), of("anthropic"), of("google")) {
        (Some("priority"), None, None) => Some("openai-only"),
        (None, Some("priority"), None) => Some("claude-only"),
        (Some(tier), ..) => Some(tier),
        (None, Some("priority"), Some("priority")) => Some("priority"),
        _ => value.as_str(),
    };
    Ok(word.map(str::to_owned))
}

/// A message of a hook is one of an extension.
fn hook(message: &Value) -> Option<Message> {
    let mut message = message.clone();
    let fields = message.as_object_mut()?;
    fields.insert("role".to_owned(), json!("custom"));
    fields.entry("display").or_insert(json!(true));
    serde_json::from_value(message).ok()
}

/// A file that the user named in a prompt, as it was read then.
#[derive(Deserialize)]
struct File {
    path: String,
    #[serde(default)]
    content: String,
    #[serde(default, deserialize_with = "picture")]
    image: Option<ImageBlock>,
}

/// A picture that cannot be read is no reason to lose the words beside it.
fn picture<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ImageBlock>, D::Error> {
    Ok(ImageBlock::deserialize(Value::deserialize(deserializer)?).ok())
}

/// Texts first, in one block; then, in another one, what is known of pictures, and the pictures.
fn mentioned(message: &Value) -> Option<UserContent> {
    let files: Vec<File> = Vec::deserialize(&message["files"]).ok()?;
    let (pictures, texts): (Vec<File>, Vec<File>) = files.into_iter().partition(|file| file.image.is_some());
    let elements = |files: &[File]| files.iter().map(element).collect::<Vec<_>>().join("\n");
    if pictures.is_empty() {
        return Some(UserContent::Text(elements(&texts)));
    }
    let mut blocks = Vec::new();
    if !texts.is_empty() {
        blocks.push(UserBlock::text(elements(&texts)));
    }
    blocks.push(UserBlock::text(elements(&pictures)));
    blocks.extend(pictures.into_iter().filter_map(|file| file.image).map(UserBlock::Image));
    Some(UserContent::Blocks(blocks))
}

fn element(file: &File) -> String {
    let File { path, content, .. } = file;
    let inner = if content.is_empty() { "\n".to_owned() } else { format!("\n{content}\n") };
    format!("<file path=\"{path}\">{inner}</file>")
}

/// Code that the user ran beside the model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Execution {
    code: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(default)]
    cancelled: bool,
    #[serde(default)]
    exclude_from_context: bool,
    #[serde(default)]
    meta: Value,
}

fn executed(message: &Value) -> Option<String> {
    let run = Execution::deserialize(message).ok()?;
    if run.exclude_from_context {
        return Some(String::new());
    }
    let mut text = format!("Ran Python:\n```python\n{}\n```\n", run.code);
    match run.output.as_str() {
        "" => text.push_str("(no output)"),
        output => _ = write!(text, "Output:\n```\n{output}\n```"),
    }
    match run.exit_code {
        _ if run.cancelled => text.push_str("\n\n(execution cancelled)"),
        Some(code) if code != 0 => _ = write!(text, "\n\nExecution failed with code {code}"),
        _ => {}
    }
    let cut = &run.meta["truncation"];
    if let (Some(shown), Some(all)) = (cut["outputLines"].as_u64(), cut["totalLines"].as_u64()) {
        let whole = cut["artifactId"].as_str().map(|id| format!("; the whole: artifact://{id}"));
        _ = write!(text, "\n\n[{shown} of {all} lines{}]", whole.unwrap_or_default());
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(message: &Value) -> UserContent {
        match read(message) {
            Some(Message::Custom(custom)) => {
                assert_eq!(written(&custom), Some(message).filter(|message| message["role"] != HOOK));
                custom.content
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_role_is_read() {
        let developer =
            json!({"role": "developer", "content": [{"type": "text", "text": "a"}], "timestamp": 5});
        assert_eq!(content(&developer).text(), "a");
        let hook = json!({"role": "hookMessage", "customType": "x", "content": "b", "display": false});
        assert_eq!(content(&hook).text(), "b");
        let mention = json!({"role": "fileMention", "files": [{"path": "a.md", "content": "A"}, {"path": "e", "content": ""}]});
        assert_eq!(content(&mention).text(), "<file path=\"a.md\">\nA\n</file>\n<file path=\"e\">\n</file>");
        let run = json!({"role": "pythonExecution", "code": "1/0", "output": "oops", "exitCode": 1});
        let said =
            "Ran Python:\n```python\n1/0\n```\nOutput:\n```\noops\n```\n\nExecution failed with code 1";
        assert_eq!(content(&run).text(), said);
        let private = json!({"role": "pythonExecution", "code": "x", "excludeFromContext": true});
        assert_eq!(content(&private).text(), "");
        assert_eq!(read(&json!({"role": "hologram", "content": "c"})), None);
        assert_eq!(read(&json!({"role": "fileMention", "files": "none"})), None);
    }

    #[test]
    fn pictures_go_apart_from_texts() {
        let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png"});
        let mention = json!({"role": "fileMention", "files": [
            {"path": "a.png", "content": "", "image": image}, {"path": "b.md", "content": "B"}]});
        let (texts, pictures) = split(&read(&mention).unwrap()).unwrap();
        let (Message::Custom(texts), Message::Custom(pictures)) = (texts, pictures) else { panic!() };
        assert_eq!(texts.content.text(), "<file path=\"b.md\">\nB\n</file>");
        assert_eq!(pictures.content.text(), "<file path=\"a.png\">\n</file>");
        let UserContent::Blocks(blocks) = pictures.content else { panic!() };
        assert!(matches!(blocks.last(), Some(UserBlock::Image(_))));
        let alone = json!({"role": "fileMention", "files": [{"path": "a.png", "image": image}]});
        assert_eq!(split(&read(&alone).unwrap()), None);
    }

    #[test]
    fn what_was_changed_is_no_longer_what_was_found() {
        let run = json!({"role": "pythonExecution", "code": "1", "output": "long"});
        let Some(Message::Custom(mut custom)) = read(&run) else { panic!() };
        custom.content = UserContent::Text("[taken out]".to_owned());
        assert_eq!(written(&custom), None);
    }
}
