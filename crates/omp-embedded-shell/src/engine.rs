//! The interpreter and what one command changes in it.

use std::fs::File;
use std::path::Path;

use brush_core::openfiles::{OpenFile, OpenFiles};
use brush_core::options::RuntimeOptions;
use brush_core::traps::TrapSignal;
use brush_core::{
    Error, ExecutionControlFlow, ExecutionResult, ProfileLoadBehavior, RcLoadBehavior, Shell, ShellVariable,
    SourceInfo,
};
use omp_shell::session::{Report, Request};

use crate::builtins::builtins;
use crate::messages::Extensions;

/// A shell that lives through many requests.
pub(crate) struct Engine {
    shell: Shell<Extensions>,
}

/// What follows a command.
pub(crate) enum Outcome {
    /// The shell is ready for the next.
    Goes(Report),
    /// The command ended the shell with this status.
    Ends(u8),
}

impl Engine {
    pub(crate) async fn new() -> Result<Self, Error> {
        let mut shell = Shell::builder_with_extensions::<Extensions>()
            .builtins(builtins())
            .profile(ProfileLoadBehavior::Skip)
            .rc(RcLoadBehavior::Skip)
            .shell_name("bash".to_owned())
            .command_string_mode(true)
            .build()
            .await?;
        shell.start_command_string_mode();
        Ok(Self { shell })
    }

    /// Runs one command. Strict modes and traps of the shell's own events hold for the command only, as variables of
    /// the request do.
    pub(crate) async fn run(&mut self, request: &Request) -> Outcome {
        if self.open(&request.output).is_err() {
            return Outcome::Ends(1); // Nobody could read what the command prints.
        }
        let strictness = Strictness::of(self.shell.options());
        let before = self.set_variables(&request.env);
        // A command that is no command ends nothing, whatever the interpreter makes of it.
        let is_command = self.shell.parse_string(request.command.as_str()).is_ok();
        let result = self.execute(request).await;
        strictness.restore(self.shell.options_mut());
        let exits = is_command && matches!(result.next_control_flow, ExecutionControlFlow::ExitShell);
        let params = self.shell.default_exec_params();
        let result = self.shell.run_exit_trap(result, &params).await; // What the command wanted done at its end.
        let status = u8::from(result.exit_code);
        for signal in [TrapSignal::Exit, TrapSignal::Debug, TrapSignal::Err, TrapSignal::Return] {
            self.shell.traps_mut().remove_handlers(signal);
        }
        if exits {
            return Outcome::Ends(status);
        }
        self.restore_variables(before);
        if let Some(directory) = &request.leave_to {
            let _ = self.shell.set_working_dir(directory); // It may be gone; then the shell stays.
        }
        self.close();
        Outcome::Goes(Report { status: status.into(), cwd: self.shell.working_dir().to_owned() })
    }

    async fn execute(&mut self, request: &Request) -> ExecutionResult {
        if let Some(directory) = &request.enter
            && self.shell.set_working_dir(directory).is_err()
        {
            return ExecutionResult::general_error();
        }
        let params = self.shell.default_exec_params();
        let source = SourceInfo::from("bash");
        match self.shell.run_string(request.command.as_str(), &source, &params).await {
            Ok(result) => result,
            Err(error) => {
                let _ = self.shell.display_error(&mut self.shell.stderr(), &error);
                ExecutionResult::general_error()
            }
        }
    }

    /// Leads the standard streams of the next command to a file.
    fn open(&mut self, output: &Path) -> Result<(), Error> {
        let output = File::options().write(true).open(output)?;
        let errors = output.try_clone()?;
        let files = self.shell.open_files_mut();
        files.set_fd(OpenFiles::STDIN_FD, brush_core::openfiles::null()?);
        files.set_fd(OpenFiles::STDOUT_FD, OpenFile::from(output));
        files.set_fd(OpenFiles::STDERR_FD, OpenFile::from(errors));
        Ok(())
    }

    /// Lets go of the file, so that its reader sees the end.
    fn close(&mut self) {
        for fd in [OpenFiles::STDOUT_FD, OpenFiles::STDERR_FD] {
            self.shell.open_files_mut().remove_fd(fd);
        }
    }

    /// Sets exported variables and returns what they were.
    fn set_variables(&mut self, env: &[(String, String)]) -> Vec<(String, Option<ShellVariable>)> {
        let mut before = Vec::with_capacity(env.len());
        for (name, value) in env {
            before.push((name.clone(), self.shell.env_var(name).cloned()));
            let mut variable = ShellVariable::new(value.as_str());
            variable.export();
            let _ = self.shell.set_env_global(name, variable); // A constant of the user's stays.
        }
        before
    }

    fn restore_variables(&mut self, before: Vec<(String, Option<ShellVariable>)>) {
        for (name, variable) in before {
            let _ = match variable {
                Some(variable) => self.shell.set_env_global(&name, variable),
                None => self.shell.env_mut().unset(&name).map(|_| ()),
            };
        }
    }
}

/// Modes that would end the shell, or disturb what it prints, in a later command.
struct Strictness {
    exit_on_failure: bool,
    refuse_unset: bool,
    pipe_failure: bool,
    trace: bool,
    verbose: bool,
    /// A shell that executes nothing is of no use to the next call.
    deaf: bool,
}

impl Strictness {
    fn of(options: &RuntimeOptions) -> Self {
        Self {
            exit_on_failure: options.exit_on_nonzero_command_exit,
            refuse_unset: options.treat_unset_variables_as_error,
            pipe_failure: options.return_last_failure_from_pipeline,
            trace: options.print_commands_and_arguments,
            verbose: options.print_shell_input_lines,
            deaf: options.do_not_execute_commands,
        }
    }

    fn restore(&self, options: &mut RuntimeOptions) {
        options.exit_on_nonzero_command_exit = self.exit_on_failure;
        options.treat_unset_variables_as_error = self.refuse_unset;
        options.return_last_failure_from_pipeline = self.pipe_failure;
        options.print_commands_and_arguments = self.trace;
        options.print_shell_input_lines = self.verbose;
        options.do_not_execute_commands = self.deaf;
    }
}
