use clap::Parser;
use std::io::Write;

use brush_core::{ExecutionControlFlow, ExecutionResult, builtins};

/// Exit the shell.
#[derive(Parser)]
pub(crate) struct ExitCommand {
    /// The exit code to return.
    #[arg(allow_hyphen_values = true)]
    code: Option<String>,
}

impl builtins::Command for ExitCommand {
    type Error = brush_core::Error;

    async fn execute<SE: brush_core::ShellExtensions>(
        &self,
        context: brush_core::ExecutionContext<'_, SE>,
    ) -> Result<brush_core::ExecutionResult, Self::Error> {
        #[expect(clippy::cast_sign_loss)]
        let code_8bit = if let Some(code) = &self.code {
            if let Ok(code) = code.parse::<i64>() {
                (code & 0xFF) as u8
            } else {
                writeln!(
                    context.stderr(),
                    "{}: {code}: numeric argument required",
                    context.command_name
                )?;
                2
            }
        } else {
            context.shell.last_exit_status()
        };

        let result = ExecutionResult::new(code_8bit);
        let mut result = context.shell.run_exit_trap(result, &context.params).await;
        result.next_control_flow = ExecutionControlFlow::ExitShell;

        Ok(result)
    }
}
