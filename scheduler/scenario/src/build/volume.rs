//! Volume claims and what serves them.

use super::Builder;
use crate::error::Error;
use crate::file::{ClaimFile, GangFile, LateFile, PoolFile, Sections, VolumeFile};
use crate::read::{Text, plain, read_amount};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, ClaimUse, LateClaim, NodeTerm, PoolSpec, Provision,
    Reach, VolumeSpec,
};

/// The pod's own name in the name of a claim.
const POD: &str = "{pod}";

impl Builder {
    /// Claims, volumes and room.
    pub(super) fn volumes(&mut self, sections: &Sections) -> Result<(), Error> {
        for claim in &sections.claims {
            self.claims(&claim.value, claim.referenced.line())?;
        }
        for volume in &sections.volumes {
            self.volume(&volume.value, volume.referenced.line())?;
        }
        for pool in &sections.pools {
            self.pool(&pool.value, pool.referenced.line())?;
        }
        Ok(())
    }

    fn claims(&mut self, file: &ClaimFile, line: u64) -> Result<(), Error> {
        let namespace = file.namespace.as_deref().unwrap_or("default");
        let ways = [file.bound.is_some(), file.late.is_some(), file.unready.is_some()];
        if file.name.0.is_empty() || ways.iter().filter(|way| **way).count() != 1 {
            return Err(Error::at(
                line,
                "a claim has a name, and exactly one of bound, late and unready",
                "write for instance { name: data, bound: { on: [zone=a] } }",
            ));
        }
        let late = file.late.as_ref().map(|late| self.late(late, line)).transpose()?;
        let owners: Vec<Option<&String>> = match file.of.0.is_empty() {
            true => vec![None],
            false => file.of.0.iter().map(Some).collect(),
        };
        for owner in owners {
            for name in &file.name.0 {
                let name = owner.map_or_else(|| name.clone(), |pod| format!("{pod}-{name}"));
                let state = match (&file.bound, &late, &file.unready) {
                    (Some(bound), _, _) => ClaimState::Bound(BoundVolume {
                        name: name.clone(),
                        reach: reach(bound.on.as_ref()),
                        attach: attach(bound.driver.as_ref(), &name),
                    }),
                    (_, Some(late), _) => ClaimState::Late(late.clone()),
                    (_, _, why) => ClaimState::Unready(why.clone().unwrap_or_default()),
                };
                self.world.events.push(Event::Claim(Box::new(ClaimSpec {
                    key: format!("{namespace}/{name}"),
                    uid: format!("claim:{namespace}/{name}"),
                    owner: owner.map(|pod| format!("pod:{namespace}/{pod}")),
                    is_once_pod: file.once_pod,
                    state,
                })));
            }
        }
        Ok(())
    }

    fn late(&self, file: &LateFile, line: u64) -> Result<LateClaim, Error> {
        let driver = file.driver.as_ref();
        Ok(LateClaim {
            class: file.class.clone(),
            bytes: size(file.size.as_ref(), line)?,
            modes: sorted(&file.modes),
            is_block: file.block,
            selector: file.selector.as_ref().map(|text| text.0.clone()),
            provision: driver.map(|driver| Provision {
                driver: driver.clone(),
                reach: reach(file.on.as_ref()),
                counts_room: file.counts_room,
            }),
            chosen: None,
        })
    }

    fn volume(&mut self, file: &VolumeFile, line: u64) -> Result<(), Error> {
        let bytes = size(file.size.as_ref(), line)?;
        for name in &file.name.0 {
            self.world.events.push(Event::Volume(Box::new(VolumeSpec {
                name: name.clone(),
                version: "1".to_owned(),
                class: file.class.clone(),
                bytes,
                modes: sorted(&file.modes),
                is_block: file.block,
                labels: file.labels.clone(),
                reach: reach(file.on.as_ref()),
                attach: attach(file.driver.as_ref(), name),
                kept_for: file.kept_for.clone(),
            })));
        }
        Ok(())
    }

    fn pool(&mut self, file: &PoolFile, line: u64) -> Result<(), Error> {
        self.world.events.push(Event::Pool(Box::new(PoolSpec {
            key: file.name.clone(),
            class: file.class.clone(),
            reach: reach(file.on.as_ref()),
            largest: size(file.largest.as_ref(), line)?,
        })));
        Ok(())
    }
}

/// The claims of the pod of this name.
pub(super) fn claims_of(file: &GangFile, pod: &str) -> Vec<ClaimUse> {
    let named = file.claims.iter().map(|name| (name.replace(POD, pod), false));
    let own = file.ephemeral.iter().map(|volume| (format!("{pod}-{volume}"), true));
    let mut claims: Vec<ClaimUse> =
        named.chain(own).map(|(name, is_own)| ClaimUse { name, is_own }).collect();
    claims.sort();
    claims.dedup();
    claims
}

fn reach(terms: Option<&Vec<Text<NodeTerm>>>) -> Reach {
    terms.map(|terms| plain(terms.clone()))
}

fn attach(driver: Option<&String>, handle: &str) -> Option<Attach> {
    let attach = |driver: &String| Attach { driver: driver.clone(), handle: handle.to_owned() };
    driver.map(attach)
}

fn sorted(modes: &[String]) -> Vec<String> {
    let mut modes = modes.to_vec();
    modes.sort();
    modes.dedup();
    modes
}

fn size(text: Option<&String>, line: u64) -> Result<Amount, Error> {
    let Some(text) = text else { return Ok(Amount::ZERO) };
    read_amount("storage", text).map_err(|why| Error::at(line, why, "write a size such as 10Gi"))
}
