//! What Enter, Escape and double presses mean.

use std::time::Duration;

use omp_editor::decide::{
    ClearKey, ClearPresses, ClearState, DoubleEscape, DoubleLeft, Enter, EnterState, Escape, EscapeState,
    ExitKey, LeftState, LeftTarget, Presses, Queue, SendKey, StillBusy, clear_key, enter, escape, exit_key,
};
use omp_editor::{Border, Meaning, Prefix, Visibility};
use omp_types::ThinkingLevel;

fn at(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn prefixes_decide_what_a_text_is() {
    let shell = |command: &str, visibility| Meaning::Shell { command: command.to_owned(), visibility };
    let python = |code: &str, visibility| Meaning::Python { code: code.to_owned(), visibility };
    let table = [
        ("!ls -l", shell("ls -l", Visibility::Shared)),
        ("!! ls", shell("ls", Visibility::Private)),
        ("!", shell("", Visibility::Shared)),
        ("$1 + 1", python("1 + 1", Visibility::Shared)),
        ("$$print(1)", python("print(1)", Visibility::Private)),
        ("${x} is what?", Meaning::Prompt),
        (".", Meaning::Continue),
        (" c \n", Meaning::Continue),
        ("..", Meaning::Prompt),
        ("cc", Meaning::Prompt),
        ("hello !ls", Meaning::Prompt),
        (" !ls", Meaning::Prompt),
        ("/help", Meaning::Prompt),
        (" \n ", Meaning::Empty),
    ];
    for (text, meaning) in table {
        assert_eq!(Meaning::of(text), meaning, "{text:?}");
    }
}

#[test]
fn the_border_says_what_the_text_is() {
    let high = Some(ThinkingLevel::High);
    assert_eq!(Border::of(Prefix::of("!x"), high), Border::Shell);
    assert_eq!(Border::of(Prefix::of("$x"), high), Border::Python);
    assert_eq!(Border::of(Prefix::of("${x"), high), Border::Thinking(ThinkingLevel::High));
    assert_eq!(Border::of(Prefix::of("x"), None), Border::Normal);
}

#[test]
fn enter_does_what_fits() {
    let idle = EnterState::default();
    let streaming = EnterState { streaming: true, ..idle };
    let queued = EnterState { queued: true, ..streaming };
    let compacting = EnterState { compacting: true, ..streaming };
    let shell = EnterState { shell_running: true, ..idle };
    let python = EnterState { python_running: true, ..idle };
    let run = |command: &str, visibility| Enter::Shell { command: command.to_owned(), visibility };
    let code = |code: &str, visibility| Enter::Python { code: code.to_owned(), visibility };
    use SendKey::{Enter as Key, FollowUp};
    let table = [
        (Key, "hi", idle, Enter::Prompt),
        (FollowUp, "hi", idle, Enter::Prompt),
        (Key, "hi", streaming, Enter::Queue(Queue::Steer)),
        (FollowUp, "hi", streaming, Enter::Queue(Queue::FollowUp)),
        (Key, "hi", compacting, Enter::AfterCompaction(Queue::Steer)),
        (FollowUp, "hi", compacting, Enter::AfterCompaction(Queue::FollowUp)),
        (Key, "", idle, Enter::Nothing),
        (Key, "", streaming, Enter::Nothing),
        (Key, "", queued, Enter::DeliverQueue),
        (FollowUp, "", queued, Enter::Nothing),
        (Key, ".", idle, Enter::Continue),
        (FollowUp, "c", streaming, Enter::Queue(Queue::FollowUp)),
        (Key, "!ls", idle, run("ls", Visibility::Shared)),
        (Key, "!!ls", streaming, run("ls", Visibility::Private)),
        (Key, "!ls", shell, Enter::Keep(StillBusy::ShellBusy)),
        (Key, "!ls", python, run("ls", Visibility::Shared)),
        (Key, "!", idle, Enter::Nothing),
        (Key, "$1", shell, code("1", Visibility::Shared)),
        (Key, "$$1", python, Enter::Keep(StillBusy::PythonBusy)),
        (Key, "${1}", idle, Enter::Prompt),
    ];
    for (key, text, state, expected) in table {
        assert_eq!(enter(key, &Meaning::of(text), state), expected, "{key:?} {text:?} {state:?}");
    }
    assert!(StillBusy::ShellBusy.message().contains("Esc"));
}

/// Whatever is there, the first in the order is left first.
#[test]
fn escape_leaves_one_thing_at_a_time() {
    type Set = fn(&mut EscapeState) -> &mut bool;
    let order: [(Set, Escape); 11] = [
        (|s| &mut s.editor_open, Escape::Editor),
        (|s| &mut s.compacting, Escape::CancelCompaction),
        (|s| &mut s.handing_off, Escape::CancelHandoff),
        (|s| &mut s.retrying, Escape::CancelRetry),
        (|s| &mut s.looping, Escape::PauseLoop),
        (|s| &mut s.panel_open, Escape::ClosePanel),
        (|s| &mut s.subagent_focused, Escape::LeaveSubagent),
        (|s| &mut s.streaming, Escape::AbortTurn),
        (|s| &mut s.shell_running, Escape::AbortShell),
        (|s| &mut s.python_running, Escape::AbortPython),
        (|s| &mut s.has_text, Escape::ClearText),
    ];
    for mask in 0_u32..1 << order.len() {
        let mut state = EscapeState::default();
        for (bit, (set, _)) in order.iter().enumerate() {
            *set(&mut state) = mask & (1 << bit) != 0;
        }
        let first = order.get(mask.trailing_zeros() as usize).map_or(Escape::Nothing, |(_, action)| *action);
        assert_eq!(escape(state, &mut Presses::default(), at(0)), first, "{state:?}");
    }
}

#[test]
fn two_escapes_open_what_the_setting_says() {
    let press = |double, gap: u64| {
        let mut presses = Presses::default();
        let state = EscapeState { double, ..EscapeState::default() };
        assert_eq!(escape(state, &mut presses, at(1000)), Escape::Nothing);
        escape(state, &mut presses, at(1000 + gap))
    };
    assert_eq!(press(DoubleEscape::Tree, 500), Escape::OpenTree);
    assert_eq!(press(DoubleEscape::Branch, 10), Escape::OpenBranch);
    assert_eq!(press(DoubleEscape::None, 10), Escape::Nothing);
    assert_eq!(press(DoubleEscape::Tree, 501), Escape::Nothing);
    // A press that did something is not the first of two.
    let mut presses = Presses::default();
    let text = EscapeState { has_text: true, ..EscapeState::default() };
    assert_eq!(escape(text, &mut presses, at(0)), Escape::ClearText);
    assert_eq!(escape(EscapeState::default(), &mut presses, at(10)), Escape::Nothing);
    assert_eq!(escape(EscapeState::default(), &mut presses, at(20)), Escape::OpenTree);
    assert_eq!(escape(EscapeState::default(), &mut presses, at(30)), Escape::Nothing, "a third begins anew");
}

#[test]
fn the_clear_key_ends_the_program_at_the_second_press() {
    let twice = |gap| {
        let mut presses = ClearPresses::default();
        assert_eq!(clear_key(ClearState::default(), &mut presses, at(0)), ClearKey::Clear);
        clear_key(ClearState::default(), &mut presses, at(gap))
    };
    assert_eq!(twice(400), ClearKey::Exit);
    assert_eq!(twice(700), ClearKey::Clear);
    let selected = ClearState { has_selection: true, is_running: true };
    assert_eq!(clear_key(selected, &mut ClearPresses::default(), at(0)), ClearKey::Copy);
    let running = ClearState { is_running: true, ..ClearState::default() };
    let stopped_then = |state, gap| {
        let mut presses = ClearPresses::default();
        assert_eq!(clear_key(running, &mut presses, at(0)), ClearKey::Interrupt);
        clear_key(state, &mut presses, at(gap))
    };
    assert_eq!(stopped_then(ClearState::default(), 1_900), ClearKey::Exit);
    assert_eq!(stopped_then(ClearState::default(), 2_100), ClearKey::Clear);
    assert_eq!(stopped_then(running, 1_900), ClearKey::Exit, "it does not end by itself");
    assert_eq!(stopped_then(running, 2_100), ClearKey::Interrupt);
    assert_eq!(exit_key(false), ExitKey::Exit);
    assert_eq!(exit_key(true), ExitKey::DeleteForward);
}

#[test]
fn two_left_arrows_lead_to_the_agents() {
    let agents = LeftState { empty: true, subagents: true, focused: false };
    let run = |state, times: &[u64]| {
        let mut left = DoubleLeft::default();
        times.iter().filter_map(|time| left.press(state, at(*time))).collect::<Vec<_>>()
    };
    assert_eq!(run(agents, &[1000, 1200]), [LeftTarget::Hub]);
    assert_eq!(run(LeftState { focused: true, ..agents }, &[1000, 1200]), [LeftTarget::Main]);
    assert_eq!(run(agents, &[1000, 1600]), []);
    assert_eq!(run(LeftState { empty: false, ..agents }, &[1000, 1200]), []);
    assert_eq!(run(LeftState { subagents: false, ..agents }, &[1000, 1200]), []);
    let bursts: Vec<u64> = (0..5).flat_map(|burst| (0..6).map(move |n| burst * 200 + n * 8)).collect();
    assert_eq!(run(agents, &bursts), [], "a wheel is not a finger");
}
