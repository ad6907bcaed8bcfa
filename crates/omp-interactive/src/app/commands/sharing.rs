//! `/share`: a link, unless the person does not want to wait for it.

use omp_commands::Call;
use omp_theme::Token;
use tokio_util::sync::CancellationToken;

use crate::app::{App, Task};
use crate::panels::waiting::Waiting;

impl App {
    pub(in crate::app) fn share(&mut self, call: Call<'_>) {
        let (context, command, cancel) = (self.command_context(), call.command, CancellationToken::new());
        let given_up = cancel.clone();
        self.spawn(async move {
            let call = Call { command, arguments: "" };
            let answer = given_up.run_until_cancelled(omp_commands::answer(&context, &call)).await;
            Box::new(move |app: &mut Self| {
                // What comes after the person gave up is not wanted.
                if let Some(answer) = answer.filter(|_| !given_up.is_cancelled()) {
                    app.close::<Waiting>();
                    app.show_answer(command, answer);
                }
            }) as Task
        });
        self.open(Waiting::new("Sharing the conversation", cancel, |app| {
            app.hint(Token::Muted, "Share cancelled");
        }));
    }
}
