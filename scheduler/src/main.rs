//! The program `muster`. All of it is in the library, so that tests and tools can call it.

use std::process::ExitCode;

/// It gives memory back after a burst of pods, which the usual allocator does not.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    scheduler::main()
}
