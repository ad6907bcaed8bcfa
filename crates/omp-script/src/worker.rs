//! The event loop of one unit: messages of the program, outcomes of operations, timers.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::error::ScriptError;
use crate::ops::Outcome;
use crate::state::{State, Tools, Waiting};
use crate::unit::{Shared, Unit, UnitOptions};
use crate::vm::{Event, Vm};

pub(crate) enum Message {
    Call { function: String, arguments: Value, reply: oneshot::Sender<Result<Value, ScriptError>> },
    Complete { number: u32, outcome: Outcome },
    End { grace: Duration, done: Option<oneshot::Sender<()>> },
}

/// A process that nobody may kill must not keep a unit from ending.
const GONE: Duration = Duration::from_secs(7);

/// Says that the unit is over, however its task ended.
struct Epitaph(Arc<Shared>);

impl Drop for Epitaph {
    fn drop(&mut self) {
        self.0.finish("the script engine failed");
    }
}

struct Worker {
    state: Rc<State>,
    vm: Vm,
    inbox: mpsc::UnboundedReceiver<Message>,
    /// Since the end was asked for: until when calls may finish, and who waits.
    end: Option<Instant>,
    done: Vec<oneshot::Sender<()>>,
}

/// The life of a unit.
pub(crate) async fn run(
    options: UnitOptions,
    shared: Arc<Shared>,
    tools: Tools,
    reply: oneshot::Sender<Result<Unit, ScriptError>>,
) {
    if shared.ended().is_some() {
        return;
    }
    let epitaph = Epitaph(shared.clone());
    let (sender, inbox) = mpsc::unbounded_channel();
    let (limits, prelude) = (options.limits, options.prelude.name().to_owned());
    let state = State::new(options, shared, tools, sender);
    let vm = match Vm::new(&state, limits) {
        Ok(vm) => vm,
        Err(error) => {
            let _ = reply.send(Err(error));
            return;
        }
    };
    let number = state.expect(Waiting::Load(reply));
    let mut worker = Worker { state, vm, inbox, end: None, done: Vec::new() };
    let reason = match worker.vm.dispatch(Event::Load { number, name: &prelude }) {
        Ok(()) => worker.turns().await,
        Err(reason) => reason,
    };
    worker.bury(&reason).await;
    drop(epitaph);
}

impl Worker {
    /// Runs until the unit is over; says why.
    async fn turns(&mut self) -> String {
        loop {
            if let Some(end) = self.end
                && (!self.state.has_calls() || end <= Instant::now())
            {
                let _ = self.vm.dispatch(Event::Exit);
                return "it was ended".to_owned();
            }
            // A thread that was given up and came back: everybody else thinks that its units are over.
            if self.state.pulse.is_lost() {
                return "the script engine was lost".to_owned();
            }
            let due = self.state.timers.borrow().first().copied();
            let until = [due.map(|(at, _)| at), self.end].into_iter().flatten().min();
            let far = Instant::now() + Duration::from_secs(3600);
            let result = tokio::select! {
                message = self.inbox.recv() => match message {
                    Some(message) => self.take(message),
                    None => return "the script engine has stopped".to_owned(),
                },
                () = tokio::time::sleep_until(until.unwrap_or(far)) => self.timers(),
            };
            if let Err(reason) = result {
                return reason;
            }
        }
    }

    fn take(&mut self, message: Message) -> Result<(), String> {
        match message {
            Message::Call { function, arguments, reply } => {
                let number = self.state.expect(Waiting::Call(reply));
                let arguments = arguments.to_string();
                self.vm.dispatch(Event::Call { number, function: &function, arguments })
            }
            Message::Complete { number, outcome } => {
                self.state.finished(number);
                self.vm.dispatch(Event::Complete { number, outcome })
            }
            Message::End { grace, done } => {
                let end = Instant::now() + grace;
                self.end = Some(self.end.map_or(end, |before| before.min(end)));
                self.done.extend(done);
                Ok(())
            }
        }
    }

    /// Runs the timers that are due now; those they start wait for the next round.
    fn timers(&mut self) -> Result<(), String> {
        let now = Instant::now();
        let due: Vec<_> =
            self.state.timers.borrow().iter().take_while(|(at, _)| *at <= now).copied().collect();
        for timer in due {
            // One that ran before may have cleared it.
            if self.state.timers.borrow_mut().remove(&timer) {
                self.vm.dispatch(Event::Timer { number: timer.1 })?;
            }
        }
        Ok(())
    }

    async fn bury(mut self, reason: &str) {
        self.state.shared.finish(reason);
        let children = self.state.stop();
        self.state.settle_all();
        self.vm.drop_values();
        self.inbox.close();
        while let Ok(message) = self.inbox.try_recv() {
            match message {
                Message::Call { reply, .. } => drop(reply.send(Err(self.state.shared.end_error()))),
                Message::End { done, .. } => self.done.extend(done),
                Message::Complete { .. } => {}
            }
        }
        let Self { vm, done, .. } = self;
        drop(vm);
        let gone = async {
            for mut child in children {
                child.gone().await;
            }
        };
        let _ = tokio::time::timeout(GONE, gone).await;
        for done in done {
            let _ = done.send(());
        }
    }
}
