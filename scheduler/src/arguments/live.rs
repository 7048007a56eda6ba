//! Arguments of everything that talks to a cluster.

use crate::run::config::{Format, Level, Listen};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const RUN_ENDS: &str = "\
Flags go before environment variables, and both before the file.

Exit codes:
  0  it was asked to stop (SIGTERM, SIGINT) and left everything in order
  1  it lost its lease or its admin address; start it again
  2  a flag or the configuration is wrong, or the cluster cannot be reached at all

SIGTERM a second time ends it at once. docs/METRICS.md lists the metrics of --listen.";

/// How to run.
#[derive(Clone, Debug, Args)]
#[command(after_help = RUN_ENDS)]
pub struct Run {
    /// Configuration; `muster config show-default` prints one.
    #[arg(long, value_name = "FILE", env = "MUSTER_CONFIG")]
    pub config: Option<PathBuf>,

    /// Kubeconfig; else KUBECONFIG, ~/.kube/config, or the service account of the pod.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// A schedulerName whose pods are placed; may be given more than once.
    #[arg(
        long = "scheduler-name",
        value_name = "NAME",
        env = "MUSTER_SCHEDULER_NAMES",
        value_delimiter = ','
    )]
    pub scheduler_names: Vec<String>,

    /// Address of the admin server, such as :9090 or 127.0.0.1:9090.
    #[arg(long, value_name = "ADDRESS", env = "MUSTER_LISTEN", value_parser = Listen::parse)]
    pub listen: Option<Listen>,

    /// error, warn, info, debug, trace, or filters such as info,scheduler=debug.
    #[arg(long, value_name = "LEVEL", env = "MUSTER_LOG_LEVEL", value_parser = Level::parse)]
    pub log_level: Option<Level>,

    /// Form of the log.
    #[arg(long, value_enum, env = "MUSTER_LOG_FORMAT")]
    pub log_format: Option<Format>,

    /// Uses no lease: only where this is the one replica there is.
    #[arg(long)]
    pub no_leader_election: bool,

    /// Namespace of the lease; else the configuration, else that of the pod.
    #[arg(long, value_name = "NAME", env = "POD_NAMESPACE")]
    pub lease_namespace: Option<String>,

    /// What this replica is called in the lease and to people; else the name of the computer.
    #[arg(long, value_name = "NAME", env = "POD_NAME")]
    pub identity: Option<String>,
}

/// What to do with a configuration.
#[derive(Clone, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Says what is wrong with a file, with line and remedy; exit code 2 if anything is.
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Prints every key with its default and a comment.
    ShowDefault,
}

/// Which cluster, in kubectl's flags.
#[derive(Clone, Debug, Default, Args)]
pub struct Cluster {
    /// Kubeconfig; else KUBECONFIG, ~/.kube/config, or the service account of the pod.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// Where the leader's admin server is asked: through the API server.
    #[arg(
        long,
        value_name = "NAMESPACE/SERVICE:PORT",
        env = "MUSTER_ADMIN_SERVICE",
        default_value = "muster-system/muster:admin"
    )]
    pub admin_service: String,

    /// Asks the admin server at this address instead, such as http://127.0.0.1:9090.
    #[arg(long, value_name = "URL", env = "MUSTER_ADMIN_URL")]
    pub admin_url: Option<String>,
}

/// Form of what a live cluster is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A table with more columns.
    Wide,
    /// For programs.
    Json,
    /// The same as JSON, in YAML.
    Yaml,
}

const EXPLAIN_ENDS: &str = "\
It needs the right to get the group in its namespace, nothing else. A gang without a group is asked of
the leader; who may not ask it is told what the pod, or the pods of job/NAME, say.

Exit codes: 0 printed; 2 there is no such gang, or the cluster does not answer.";

/// Which gang to explain.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXPLAIN_ENDS)]
pub struct Explain {
    /// The gang: its group's name, job/NAME and the like for a plain gang, or a pod's name.
    #[arg(value_name = "[NAMESPACE/]GANG")]
    pub gang: String,

    /// Namespace, where the name has none; else that of the context.
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,

    /// Form of the output.
    #[arg(short, long, value_enum)]
    pub output: Option<Form>,

    /// Which cluster.
    #[command(flatten)]
    pub cluster: Cluster,
}

/// Which gangs to list.
#[derive(Clone, Debug, Args)]
pub struct Gangs {
    /// Namespace; else that of the context.
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,

    /// Those of all namespaces.
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub all_namespaces: bool,

    /// Only those of this queue and of queues below it.
    #[arg(long, value_name = "NAME")]
    pub queue: Option<String>,

    /// Form of the output.
    #[arg(short, long, value_enum)]
    pub output: Option<Form>,

    /// Which cluster.
    #[command(flatten)]
    pub cluster: Cluster,
}

const QUEUES_ENDS: &str = "\
The table has one line per queue and resource: devices such as nvidia.com/gpu and whatever has a limit,
else cpu and memory. -o wide has all of them, by flavour too, with a bar of use: # its own, + borrowed,
- its own and not in use, . what it may use beside. docs/queues.md explains each number.";

/// How to list queues.
#[derive(Clone, Debug, Args)]
#[command(after_help = QUEUES_ENDS)]
pub struct Queues {
    /// Form of the output.
    #[arg(short, long, value_enum)]
    pub output: Option<Form>,

    /// Which cluster.
    #[command(flatten)]
    pub cluster: Cluster,
}
