//! Messages that only the model sees: with its next step while it works, with the next prompt otherwise.

use omp_agent::{Clock as _, Control};
use omp_types::{CustomMessage, UserContent};

use crate::clock::SystemClock;

/// Tells the model something that happened outside the conversation.
pub(crate) fn tell_model(control: &Control, custom_type: &str, text: String) {
    send(
        control,
        CustomMessage {
            custom_type: custom_type.to_owned(),
            content: UserContent::Text(text),
            display: false,
            details: None,
            timestamp: SystemClock.now_ms(),
        },
    );
}

/// Lets a message go with what the model reads next.
pub(crate) fn send(control: &Control, message: CustomMessage) {
    match control.is_running() {
        true => control.aside(Box::new(move || Some(message))),
        false => control.next_prompt(message),
    }
}
