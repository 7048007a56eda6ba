//! Which gangs' views may have changed since somebody last asked, for whoever writes them down.

use crate::engine::Engine;
use scheduler_model::ids::GangId;
use scheduler_model::spec::GangKey;
use std::collections::BTreeSet;

/// Gangs to look at again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    live: BTreeSet<GangId>,
    gone: BTreeSet<GangKey>,
}

impl Touched {
    /// Notes gangs.
    pub(crate) fn extend<'a>(&mut self, gangs: impl IntoIterator<Item = &'a GangId>) {
        self.live.extend(gangs);
    }

    /// Notes a gang that is gone. If its row has a new tenant, that one is noted by itself.
    pub(crate) fn forget(&mut self, key: GangKey) {
        self.gone.insert(key);
    }
}

impl Engine {
    /// Gangs whose view may have changed since the last call, gone ones included: members,
    /// decisions, reasons, queue. What time alone changes is noted by the cycle in which it does.
    pub fn take_touched(&mut self) -> Vec<GangKey> {
        self.forget_gone();
        let Touched { live, gone: mut keys } = std::mem::take(&mut self.touched);
        let live = live.into_iter().filter_map(|id| self.snapshot.gangs().live(id));
        keys.extend(live.map(|gang| gang.key.clone()));
        keys.into_iter().collect()
    }
}
