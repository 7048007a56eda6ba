//! The program `muster`. All of it is in the library, so that tests and tools can call it.

use std::process::ExitCode;

fn main() -> ExitCode {
    scheduler::main()
}
