//! Keys in, rows and wishes out.

use omp_keys::Bindings;
use omp_tui::input::{Code, Key, Modifiers};

use super::{Asks, Login, LoginRequest};
use crate::testing::{assert_fits, letters, look, plain, size, text};

fn press(login: &mut Login, keys: &[Key]) -> Option<LoginRequest> {
    keys.iter().filter_map(|key| login.key(*key, &Bindings::default())).last()
}

fn shown(login: &Login) -> String {
    text(&login.draw(&look(60), size(60, 30), Some("Alt+Shift+C")))
}

#[test]
fn a_key_is_never_shown() {
    let mut login = Login::new("Groq", Asks::Key);
    press(&mut login, &letters("sk-secret"));
    login.paste("-more");
    assert!(shown(&login).contains("**************") && !shown(&login).contains("sk-"), "{}", shown(&login));
    assert!(!format!("{login:?}").contains("sk-"));
    let wish = press(&mut login, &[plain(Code::Enter)]);
    assert_eq!(wish, Some(LoginRequest::Line("sk-secret-more".to_owned())));
    assert!(!format!("{wish:?}").contains("sk-"));
    assert!(shown(&login).contains("One moment"));
    assert_eq!(press(&mut login, &letters("x")), None);
    login.say("Groq does not know this key.");
    assert!(shown(&login).contains("does not know") && shown(&login).contains("Paste the API key"));
    assert_eq!(press(&mut login, &[plain(Code::Enter)]), None, "nothing was typed");
}

#[test]
fn an_address_is_shown_whole_and_can_be_copied() {
    let mut login = Login::new("Claude", Asks::Nothing);
    let address = format!("https://example.org/authorize?state={}", "x".repeat(90));
    login.open(address.clone());
    let joined: String = shown(&login).lines().map(str::trim).collect();
    assert!(joined.contains(&address), "{}", shown(&login));
    let copy = Key::new(Code::Char('c'), Modifiers::ALT | Modifiers::SHIFT);
    assert_eq!(press(&mut login, &[copy]), Some(LoginRequest::Copy(address)));
    assert_eq!(press(&mut login, &[plain(Code::Enter)]), None);
    login.ask(Asks::Address);
    press(&mut login, &letters("code#state"));
    assert!(shown(&login).contains("code#state"));
    assert_eq!(press(&mut login, &[plain(Code::Enter)]), Some(LoginRequest::Line("code#state".to_owned())));
    assert_eq!(press(&mut login, &[plain(Code::Tab)]), Some(LoginRequest::Wait));
    assert_eq!(press(&mut login, &[plain(Code::Escape)]), Some(LoginRequest::Cancel));
}

#[test]
fn it_fits_every_screen() {
    let mut login = Login::new("Claude", Asks::Address);
    login.open("https://example.org/".repeat(20));
    login.enter("ABCD-EFGH");
    login.say("That address belongs to another login.");
    login.paste(&"x".repeat(500));
    assert_fits(|look, size| login.draw(look, size, None));
}
