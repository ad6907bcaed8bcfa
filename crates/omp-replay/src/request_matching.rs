//! Which recorded request another one means, when several are under way at the same time.

use serde_json::{Map, Value};

use crate::line::Exchange;

/// The recorded request that is the same, else the one that is most like it: it asks the same model for the same kind of
/// thing. Of several, the one that was answered first.
pub(crate) fn closest(recorded: &[(usize, Exchange)], request: &Value) -> Option<usize> {
    if let Some(same) = recorded.iter().position(|(_, exchange)| exchange.request == *request) {
        return Some(same);
    }
    let like = |place: &usize| likeness(&recorded[*place].1.request, request);
    (0..recorded.len()).rev().max_by_key(like)
}

/// How much of a request is the same: its fields, then how far the conversation in it is.
fn likeness(recorded: &Value, request: &Value) -> (usize, usize) {
    let (Some(was), Some(is)) = (recorded.as_object(), request.as_object()) else { return (0, 0) };
    let same = is.iter().filter(|(name, value)| was.get(*name) == Some(*value)).count();
    (same, conversation(was, is))
}

/// So many messages are the same from the beginning; one of the same number counts more than any of another.
fn conversation(was: &Map<String, Value>, is: &Map<String, Value>) -> usize {
    let names = ["messages", "input", "contents"];
    let lists = names.iter().find_map(|name| Some((was.get(*name)?.as_array()?, is.get(*name)?.as_array()?)));
    let Some((was, is)) = lists else { return 0 };
    let same = was.iter().zip(is).take_while(|(one, other)| one == other).count();
    2 * same + usize::from(was.len() == is.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recorded(requests: &[Value]) -> Vec<(usize, Exchange)> {
        let exchange = |request: &Value| Exchange { request: request.clone(), ..Exchange::default() };
        requests.iter().enumerate().map(|(at, request)| (at + 1, exchange(request))).collect()
    }

    #[test]
    fn requests_are_known_by_what_they_ask() {
        let title = json!({"model": "small", "tools": ["set_title"], "messages": ["s", "hello"]});
        let turn = json!({"model": "large", "tools": ["read"], "messages": ["s", "hello"]});
        let next = json!({"model": "large", "tools": ["read"], "messages": ["s", "hello", "a", "b"]});
        let all = recorded(&[title.clone(), turn.clone(), next.clone()]);
        assert_eq!([&title, &turn, &next].map(|request| closest(&all, request)), [Some(0), Some(1), Some(2)]);
        // Something else is said: the same kind of request is meant, not the first in the list.
        let other = json!({"model": "large", "tools": ["read"], "messages": ["s", "hello", "a", "c"]});
        assert_eq!(closest(&all, &other), Some(2));
        let other = json!({"model": "small", "tools": ["set_title"], "messages": ["s", "goodbye"]});
        assert_eq!(closest(&all, &other), Some(0));
        assert_eq!(closest(&[], &other), None);
        // Of two that are alike the one that came first.
        let twice = recorded(&[turn.clone(), turn]);
        assert_eq!(closest(&twice, &json!({"model": "large"})), Some(0));
    }
}
