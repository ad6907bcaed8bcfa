//! Trap handling for the shell.

use crate::{
    ExecutionControlFlow, ExecutionParameters, ExecutionResult, ProcessGroupPolicy, error, sys,
    traps::TrapSignal,
};

impl<SE: crate::extensions::ShellExtensions> crate::Shell<SE> {
    /// Runs any exit steps for the shell.
    ///
    /// This currently includes invoking the `EXIT` trap handler, if any.
    pub async fn on_exit(&mut self) -> Result<(), error::Error> {
        let result = ExecutionResult::new(self.last_exit_status);
        self.run_exit_trap(result, &self.default_exec_params()).await;

        Ok(())
    }

    /// Runs the `EXIT` trap, if there is one, and returns the result with which the shell ends.
    /// The trap only runs once.
    ///
    /// # Arguments
    ///
    /// * `result`: The result with which the shell would have ended.
    ///
    /// * `params`: Execution parameters to use for handler.
    pub async fn run_exit_trap(
        &mut self,
        mut result: ExecutionResult,
        params: &ExecutionParameters,
    ) -> ExecutionResult {
        if self.traps.handles(TrapSignal::Exit)
            && !self.call_stack().is_trap_signal_active(TrapSignal::Exit)
        {
            self.last_exit_status = result.exit_code.into();
            if let Ok(trap_result) = self.invoke_trap_handler(TrapSignal::Exit, params).await
                && matches!(
                    trap_result.next_control_flow,
                    ExecutionControlFlow::ExitShell
                )
            {
                result.exit_code = trap_result.exit_code;
            }
            self.traps.remove_handlers(TrapSignal::Exit);
        }

        result
    }

    /// Does what has to be done when a subshell has run its commands, and returns the result as
    /// seen by its parent.
    ///
    /// # Arguments
    ///
    /// * `result`: What came of the commands.
    ///
    /// * `params`: Execution parameters of the commands.
    pub(crate) async fn end_subshell(
        &mut self,
        result: Result<ExecutionResult, error::Error>,
        params: &ExecutionParameters,
    ) -> ExecutionResult {
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                // Display the error to stderr, but prevent fatal error propagation.
                let _ = self.display_error(&mut params.stderr(self), &error);
                error.into_result(self)
            }
        };
        let result = self.run_exit_trap(result, params).await;

        #[cfg(unix)]
        if let Some(mask) = self.saved_umask.take()
            && let Ok(mask) = nix::libc::mode_t::try_from(mask)
        {
            nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(mask));
        }

        // Preserve the subshell's exit code, but don't honor any of its requests to exit
        // the shell, break out of loops, etc.
        ExecutionResult::from(result.exit_code)
    }

    /// Makes the process do what the traps of the shell say about a signal. Subshells only have
    /// their own signals, which need no help of the system.
    ///
    /// # Arguments
    ///
    /// * `signal`: The signal for which a trap was set or removed.
    pub fn apply_trap_disposition(&self, signal: TrapSignal) -> Result<(), error::Error> {
        let TrapSignal::Signal(signal) = signal else {
            return Ok(());
        };
        if self.is_subshell() {
            return Ok(());
        }
        let disposition = match self.traps.get_handler(TrapSignal::Signal(signal)) {
            None => sys::signal::Disposition::Default,
            Some(handler) if handler.command.is_empty() => sys::signal::Disposition::Ignore,
            Some(_) => sys::signal::Disposition::Trap,
        };
        sys::signal::set_disposition(signal, disposition)
    }

    /// Did a signal arrive that the shell has to do something about?
    pub fn any_signal_pending(&self) -> bool {
        self.process.is_none() && sys::signal::any_trapped_signal_pending()
    }

    /// Runs the traps of signals that have arrived. Returns a result if the shell has to end.
    ///
    /// # Arguments
    ///
    /// * `params`: Execution parameters to use for handlers.
    pub(crate) async fn handle_signals(
        &mut self,
        params: &ExecutionParameters,
    ) -> Result<Option<ExecutionResult>, error::Error> {
        let signals = match &self.process {
            Some(process) => process.take_signals(),
            None => sys::signal::take_trapped_signals(),
        };

        for number in signals {
            let Ok(signal) = TrapSignal::try_from(number) else {
                continue;
            };
            match self.traps.get_handler(signal) {
                Some(handler) if handler.command.is_empty() => (),
                Some(_) => {
                    let result = self.invoke_trap_handler(signal, params).await?;
                    if matches!(result.next_control_flow, ExecutionControlFlow::ExitShell) {
                        return Ok(Some(result));
                    }
                }
                None if self.process.is_none()
                    || crate::virtualprocess::is_ignored_by_default(number) => {}
                None => return Ok(Some(ExecutionResult::killed(number))),
            }
        }

        Ok(None)
    }

    /// Invokes the handler registered for `signal`, if any.
    ///
    /// Behavior varies by signal type:
    ///
    /// * **Per-signal recursion guard** — each trap guards against its own self-recursion, but
    ///   different traps *can* fire from within each other's handlers (matching bash semantics).
    ///
    /// * **Inheritance** — in functions and subshells, some traps are only inherited when the
    ///   corresponding shell option is enabled (e.g. `errtrace` / `set -E` for `ERR`, `functrace` /
    ///   `set -T` for `DEBUG`/`RETURN`).
    ///
    /// * **`$?` preservation** — `last_exit_status` is saved before and restored after the handler
    ///   runs so the trap does not clobber the status that triggered it.
    ///
    /// # Arguments
    ///
    /// * `signal`: Signal to run handler for.
    ///
    /// * `params`: Execution parameters to use for handler.
    pub(crate) async fn invoke_trap_handler(
        &mut self,
        signal: TrapSignal,
        params: &ExecutionParameters,
    ) -> Result<ExecutionResult, error::Error> {
        // Per-signal self-recursion guard: don't re-enter a trap that is
        // already being handled. Different traps *can* fire from each
        // other's handlers (e.g. ERR inside EXIT, EXIT inside ERR).
        if self.call_stack().is_trap_signal_active(signal) {
            return Ok(ExecutionResult::success());
        }

        // Don't fire traps that have been explicitly suppressed (e.g. DEBUG
        // during programmable completion).
        if self.call_stack().is_trap_delivery_suppressed() {
            return Ok(ExecutionResult::success());
        }

        // N.B. Traps that aren't inherited by functions and subshells were put aside when those
        // were entered.
        let Some(handler) = self.traps.get_handler(signal).cloned() else {
            return Ok(ExecutionResult::success());
        };

        let mut params = params.clone();
        params.process_group_policy = ProcessGroupPolicy::SameProcessGroup;

        // Preserve $? across trap handler execution so the handler doesn't
        // clobber the status that triggered it.
        let orig_last_exit_status = self.last_exit_status;

        // N.B. We use manual enter/leave rather than an RAII guard because a guard
        // would need to hold `&mut Shell`, preventing the mutable borrow required by
        // `run_string()`. This is safe because `result` is captured into a variable
        // (never early-returned with `?`), so `leave_trap_handler()` always runs.
        self.enter_trap_handler(signal, Some(&handler));

        let result = self
            .run_string(&handler.command, &handler.source_info, &params)
            .await;

        self.leave_trap_handler();
        self.last_exit_status = orig_last_exit_status;

        result
    }
}
