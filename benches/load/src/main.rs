//! `load`: runs the scenarios and prints their tables. `load --help` says how.

mod arguments;

use arguments::{Arguments, Wish};
use benches_load::program;
use benches_load::rounds::tell;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect();
    let done = match arguments::read(arguments) {
        Ok(Wish::Help) => {
            let _ = std::io::stdout().write_all(arguments::HELP.as_bytes());
            return ExitCode::SUCCESS;
        }
        Ok(Wish::Bind(binder)) => binder.run().map_err(|fault| fault.to_string()),
        Ok(Wish::Measure(arguments)) => measure(&arguments),
        Err(why) => Err(why),
    };
    done.map_or_else(|why| failed(&why), |()| ExitCode::SUCCESS)
}

fn failed(why: &str) -> ExitCode {
    tell(&format!("load: {why}"));
    ExitCode::FAILURE
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let text = runtime.block_on(program::run(&arguments.program))?;
    let _ = std::io::stdout().write_all(text.as_bytes());
    match &arguments.out {
        Some(path) => {
            let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            let written = folder.and_then(|()| std::fs::write(path, text));
            written.map_err(|error| format!("{}: {error}", path.display()))
        }
        None => Ok(()),
    }
}
