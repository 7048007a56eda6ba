//! What can be asked of the program. What concerns a live cluster stands in [`live`].

pub mod live;

use clap::{Args, Parser, Subcommand, ValueEnum};
use live::{Cluster, ConfigCommand, Explain, Gangs, Queues, Run};
use scheduler_model::time::{Span, Time};
use std::path::PathBuf;

/// A gang-aware batch and GPU scheduler for Kubernetes: a pod group starts whole, or not at all.
#[derive(Clone, Debug, Parser)]
#[command(name = "muster", version, about, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Runs the scheduler on a cluster.
    Run(Run),
    /// Checks or shows the configuration of `muster run`.
    Config {
        /// What to do with it.
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Shows what the scheduler would do with these objects, without touching any cluster.
    Simulate(Simulate),
    /// Tells why a gang of a live cluster waits, and what would let it run.
    Explain(Explain),
    /// Lists the gangs of a live cluster.
    Gangs(Gangs),
    /// Lists the queues of a live cluster, what they use and what waits.
    Queues(Queues),
    /// Writes what the scheduler of a live cluster sees as a scenario for `muster simulate`.
    Dump(Dump),
    /// Prints the completion script of a shell.
    Completion {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Turns a public trace into Kubernetes objects for `muster simulate -`.
    Trace {
        /// Which trace.
        #[command(subcommand)]
        trace: Trace,
    },
}

const SIMULATE_ENDS: &str = "\
Exit codes:
  0  it ran, whatever was decided
  1  --strict and a gang waits; an expectation of a scenario fails; --check found a fault
  2  an input is missing, cannot be read to its end, or has no object that is read

The engine is the one that runs in clusters. docs/simulate.md describes input and output.";

/// Input and output of a simulation.
#[derive(Clone, Debug, Args)]
#[command(after_help = SIMULATE_ENDS)]
pub struct Simulate {
    /// Files or folders with Kubernetes objects (YAML, JSON, lists, .gz) or scenarios; - is
    /// standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Stops after so much virtual time, such as 2h or 30m.
    #[arg(long, value_name = "SPAN", value_parser = span)]
    pub until: Option<Span>,

    /// A schedulerName whose pods are placed; may be given more than once.
    #[arg(long = "scheduler-name", value_name = "NAME", default_value = "muster")]
    pub scheduler_names: Vec<String>,

    /// Tells all about one gang; may be given more than once.
    #[arg(long, value_name = "[NAMESPACE/]GANG")]
    pub explain: Vec<String>,

    /// Lists starts and ends in order of time.
    #[arg(long)]
    pub timeline: bool,

    /// Form of the output.
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    pub output: Output,

    /// Writes the input, before any decision, as a scenario that decides the same.
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,

    /// Ends with code 1 if a gang waits in the end.
    #[arg(long)]
    pub strict: bool,

    /// How long the first gang of a queue waits before freed room is held for it; 0 at once.
    #[arg(long, value_name = "SPAN", value_parser = span, default_value = "5m")]
    pub hold_after: Span,

    /// Lets gangs evict others where their queues allow it, as `muster run` does.
    #[arg(long)]
    pub evict: bool,

    /// Lets them do so against PodDisruptionBudgets where no other victims would do.
    #[arg(long, requires = "evict")]
    pub break_budgets: bool,

    /// When virtual time begins, such as 2026-11-30T06:00:00Z; else the latest moment that an
    /// object mentions.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub start: Option<Time>,

    /// Judges every placement by a second, independent implementation of the rules; slow.
    #[arg(long)]
    pub check: bool,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Table,
    /// For programs; docs/simulate.md has the schema.
    Json,
    /// The same as JSON, in YAML.
    Yaml,
}

const DUMP_ENDS: &str = "\
Use it as
  muster dump > cluster.yaml                  # what the scheduler sees, asked of the leader
  $(muster dump --kubectl) > cluster.json     # the objects, where muster does not run yet
  muster simulate cluster.json new-job.yaml

Exit codes: 0 printed; 2 the cluster or the leader does not answer, or kubectl is missing.";

/// How to dump a cluster.
#[derive(Clone, Debug, Args)]
#[command(after_help = DUMP_ENDS)]
pub struct Dump {
    /// Prints a kubectl command instead, for the kinds that this cluster has and muster reads.
    #[arg(long)]
    pub kubectl: bool,

    /// The kubectl to ask, and to print.
    #[arg(long, value_name = "PATH", default_value = "kubectl", requires = "kubectl")]
    pub kubectl_path: String,

    /// Which cluster.
    #[command(flatten)]
    pub cluster: Cluster,
}

/// Which trace.
#[derive(Clone, Debug, Subcommand)]
pub enum Trace {
    /// The GPU cluster trace of 2023 known as openb: its nodes, and gangs made from its pods.
    Openb(Openb),
}

/// Files of the trace, and what to make of them.
#[derive(Clone, Debug, Args)]
pub struct Openb {
    /// The node list (sn, cpu_milli, memory_mib, gpu, model).
    #[arg(long, value_name = "FILE")]
    pub nodes: PathBuf,

    /// A pod list (cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec and more).
    #[arg(long, value_name = "FILE")]
    pub pods: PathBuf,

    /// Number of gangs to make.
    #[arg(long, value_name = "COUNT")]
    pub gangs: u32,

    /// Chooses the gangs: the same number, the same gangs.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

fn span(text: &str) -> Result<Span, String> {
    let span = scheduler_kube::duration::parse(text);
    span.ok_or_else(|| "write it like 90s, 30m or 1h30m; a plain number is seconds".to_owned())
}

fn time(text: &str) -> Result<Time, String> {
    use scheduler_kube::translate::{Problems, time};
    let mut problems = Problems::of("--start", &scheduler_kube::wire::Meta::default());
    time(Some(text), "", &mut problems)
        .ok_or_else(|| "write it like 2026-11-30T06:00:00Z".to_owned())
}
