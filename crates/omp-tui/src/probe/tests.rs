//! Terminals that answer everything, nothing, or something.

use super::*;
use crate::input::{Decoder, Event};

const NOW: Duration = Duration::from_secs(5);

struct Heard {
    probes: Probes,
    facts: Vec<Fact>,
    bytes: Vec<u8>,
}

fn ask(probes: &[Probe]) -> Heard {
    let (probes, _) = Probes::ask(probes, NOW);
    Heard { probes, facts: Vec::new(), bytes: Vec::new() }
}

impl Heard {
    /// What the terminal sends, byte by byte, through the decoder. Nothing of it may be input.
    fn hear(&mut self, answer: &str) -> &mut Self {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        for byte in answer.as_bytes() {
            decoder.feed(&[*byte], NOW, &mut events);
        }
        assert_eq!(decoder.deadline(), None, "{answer:?}");
        for event in events {
            let Event::Reply(reply) = event else { panic!("{answer:?} became input: {event:?}") };
            self.probes.reply(&reply, &mut self.facts, &mut self.bytes);
        }
        self
    }

    fn wrote(&mut self) -> String {
        String::from_utf8(std::mem::take(&mut self.bytes)).unwrap()
    }
}

const DA1: &str = "\x1b[?62;22c";

fn answer(probe: Probe) -> String {
    match probe {
        Probe::Keyboard => "\x1b[?0u".to_owned(),
        Probe::Background => "\x1b]11;rgb:0000/0000/0000\x1b\\".to_owned(),
        Probe::Notifications => "\x1b]99;i=omp:p=?;p=title,body\x1b\\".to_owned(),
        Probe::PrivateMode(mode) => format!("\x1b[?{mode};2$y"),
        Probe::Graphics => "\x1b_Gi=31;OK\x1b\\".to_owned(),
    }
}

/// proves: TUI-064
#[test]
fn everything_is_asked_at_start() {
    let (_, bytes) = Probes::ask(&ALL, NOW);
    let asked = String::from_utf8(bytes).unwrap();
    for question in
        ["\x1b[?u", "\x1b]11;?", "\x1b[?2031$p", "\x1b]99;", "\x1b[?2026$p", "\x1b[?2048$p", "\x1b_Gi=31,"]
    {
        assert!(asked.contains(question), "{question:?}");
    }
    assert_eq!(asked.matches("\x1b[c").count(), ALL.len());
}

/// proves: TUI-062
#[test]
fn each_end_mark_belongs_to_its_question() {
    // Every combination of answered and unanswered questions.
    for answered in 0..1u32 << ALL.len() {
        let mut heard = ask(&ALL);
        for (index, probe) in ALL.into_iter().enumerate() {
            if answered & (1 << index) != 0 {
                heard.hear(&answer(probe));
            }
            heard.hear(DA1);
        }
        let unanswered = ALL.into_iter().enumerate().filter(|(index, _)| answered & (1 << index) == 0);
        let expected: Vec<Fact> = unanswered.map(|(_, probe)| Fact::Unanswered(probe)).collect();
        heard.facts.retain(|fact| matches!(fact, Fact::Unanswered(_)));
        assert_eq!(heard.facts, expected, "{answered:b}");
        assert!(!heard.probes.is_waiting());
    }
    // An end mark that nobody asked for changes nothing.
    let mut heard = ask(&[]);
    heard.hear(DA1);
    assert!(heard.facts.is_empty());
}

/// proves: TUI-060
#[test]
fn the_keyboard_protocol_is_chosen_by_the_answer() {
    let mut heard = ask(&[Probe::Keyboard]);
    assert_eq!(heard.hear("\x1b[?0u").wrote(), "\x1b[>7u");
    assert_eq!(heard.hear(DA1).wrote(), "");
    assert_eq!((heard.probes.redo(), heard.probes.undo()), (b"\x1b[>7u".to_vec(), b"\x1b[<u".to_vec()));

    let mut heard = ask(&[Probe::Keyboard]);
    assert_eq!(heard.hear(DA1).wrote(), "\x1b[>4;2m");
    assert_eq!(heard.probes.undo(), b"\x1b[>4;0m");

    // A terminal that answers nothing.
    let mut heard = ask(&[Probe::Keyboard]);
    let deadline = heard.probes.deadline().unwrap();
    heard.probes.expire(deadline - Duration::from_millis(1), &mut heard.facts, &mut heard.bytes);
    assert_eq!(heard.wrote(), "");
    heard.probes.expire(deadline, &mut heard.facts, &mut heard.bytes);
    assert_eq!(heard.wrote(), "\x1b[>4;2m");
    assert_eq!(heard.probes.deadline(), None);
    // One that answers late.
    assert_eq!(heard.hear("\x1b[?0u").wrote(), "\x1b[>4;0m\x1b[>7u");
}

/// proves: TUI-038
#[test]
fn the_report_corrects_synchronized_output() {
    use crate::capability::Choice;
    for (answer, on) in [("\x1b[?2026;2$y", true), ("\x1b[?2026;1$y", true), ("\x1b[?2026;0$y", false)] {
        let mut heard = ask(&[Probe::PrivateMode(SYNCHRONIZED)]);
        heard.hear(answer).hear(DA1);
        let [Fact::PrivateMode(SYNCHRONIZED, mode)] = heard.facts[..] else { panic!("{:?}", heard.facts) };
        for default in [true, false] {
            assert_eq!(Choice::Default(default).reported(mode).value(), on);
            assert_eq!(Choice::Forced(default).reported(mode).value(), default);
        }
    }
}

#[test]
fn news_and_attributes() {
    let mut heard = ask(&[Probe::PrivateMode(APPEARANCE)]);
    assert_eq!(heard.hear("\x1b[?2031;2$y").wrote(), "\x1b[?2031h");
    assert_eq!(
        (heard.probes.redo(), heard.probes.undo()),
        (b"\x1b[?2031h".to_vec(), b"\x1b[?2031l".to_vec())
    );
    heard.hear("\x1b[?62;4;22c").hear("\x1b[?997;1n");
    assert!(heard.facts.contains(&Fact::Sixel));
    assert!(heard.facts.contains(&Fact::Appearance(Appearance::Dark)));
}
