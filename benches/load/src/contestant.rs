//! Who is measured, and how each is started: alone, without leader election, with its client's
//! own limits lifted.

use crate::kueue;
use crate::stage::Stage;
use crate::work::Dialect;
use e2e::{Fault, Muster, Process, VOLCANO_CONFIG, Volcano, kube_scheduler};
use std::path::PathBuf;
use std::process::Command;

/// A scheduler, or what stands for the machine itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contestant {
    /// The null binder: the ceiling.
    Null,
    /// muster, with groups of its own.
    Muster,
    /// muster, with Kubernetes' own groups.
    Native,
    /// kube-scheduler, with Kubernetes' own groups.
    KubeScheduler,
    /// Volcano's scheduler, with Volcano's groups.
    Volcano,
    /// Kueue, which admits work and binds nothing: in B5 only.
    Kueue,
}

/// What contestants are started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// This harness's own binary, which is also the null binder.
    pub load: PathBuf,
    /// Binds in flight of the null binder; muster has its default.
    pub in_flight: usize,
}

/// A scheduler that runs. Dropping it kills it.
#[derive(Debug)]
pub enum Running {
    /// muster.
    Muster(Box<Muster>),
    /// Anything else.
    Other(Process),
}

impl Contestant {
    /// All of them, the ceiling first.
    pub const ALL: [Self; 6] =
        [Self::Null, Self::Muster, Self::Native, Self::KubeScheduler, Self::Volcano, Self::Kueue];

    /// As tables and arguments name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Muster => "muster",
            Self::Native => "muster-native",
            Self::KubeScheduler => "kube-scheduler",
            Self::Volcano => "volcano",
            Self::Kueue => "kueue",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The `schedulerName` of its pods.
    #[must_use]
    pub const fn scheduler(self) -> &'static str {
        match self {
            Self::Muster | Self::Native => "muster",
            Self::KubeScheduler => "peer",
            Self::Null | Self::Volcano | Self::Kueue => self.name(),
        }
    }

    /// The words of its groups.
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Null | Self::Kueue => Dialect::Plain,
            Self::Muster => Dialect::Muster,
            Self::Native | Self::KubeScheduler => Dialect::Kubernetes,
            Self::Volcano => Dialect::Volcano,
        }
    }

    /// The words in which it is given pods that are on their own. Volcano's controller, which
    /// does not run here, would make a group for each: its scheduler takes nothing without.
    #[must_use]
    pub const fn dialect_of_singles(self) -> Dialect {
        match self {
            Self::Volcano => Dialect::Volcano,
            _ => Dialect::Plain,
        }
    }

    /// Starts it on a stage that was made for it. It may not be ready yet.
    pub async fn start(self, stage: &Stage) -> Result<Running, Fault> {
        let plane = &stage.plane;
        Ok(match self {
            Self::Null => {
                let mut command = Command::new(&stage.settings.load);
                command.arg("null-binder").arg(&stage.kubeconfig).arg(self.scheduler());
                command.arg(stage.settings.in_flight.to_string());
                Running::Other(plane.start_process("null-binder", command)?)
            }
            Self::Muster | Self::Native => {
                let muster = plane.muster().arg("--no-leader-election").start()?;
                Running::Muster(Box::new(muster))
            }
            Self::KubeScheduler => Running::Other(kube_scheduler(plane, self.scheduler()).await?),
            Self::Volcano => {
                let volcano = Volcano::installed(plane);
                Running::Other(volcano.scheduler(self.scheduler(), VOLCANO_CONFIG).await?)
            }
            Self::Kueue => Running::Other(kueue::start(plane).await?),
        })
    }
}

impl Running {
    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        match self {
            Self::Muster(muster) => muster.id(),
            Self::Other(process) => process.id(),
        }
    }
}
