//! `/share`: a link, unless the person does not want to wait for it.

use omp_commands::Call;
use omp_theme::Token;
use tokio_util::sync::CancellationToken;

use crate::app::commands::text_answer;
use crate::app::{App, Task};
use crate::panels::waiting::Waiting;

pub(crate) fn share(app: &mut App, call: Call<'_>) {
    let (context, command, cancel) = (app.shown.command_context(), call.command, CancellationToken::new());
    let given_up = cancel.clone();
    app.spawn(async move {
        let call = Call { command, arguments: "" };
        let answer = given_up.run_until_cancelled(omp_commands::answer(&context, &call)).await;
        Box::new(move |app: &mut App| {
            // What comes after the person gave up is not wanted.
            if let Some(answer) = answer.filter(|_| !given_up.is_cancelled()) {
                app.close::<Waiting>();
                text_answer::show_answer(app, command, answer);
            }
        }) as Task
    });
    app.open(Waiting::new("Sharing the conversation", cancel, |app| {
        app.hint(Token::Muted, "Share cancelled");
    }));
}
