//! What is asked of the cluster about the claims of a pod.

use scheduler_framework::profile::Profile;
use scheduler_live::driver::Live;
use scheduler_live::news::News;
use scheduler_live::settings::Settings;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    ClaimSpec, ClaimState, ClaimUse, Labels, LateClaim, NodeSpec, PodSpec, QueueSpec, Resources,
    VolumeSpec,
};
use scheduler_model::time::Time;
use scheduler_protocol::call::Call;

const NOW: Time = Time::from_ms(1_000_000);

/// A pod with the late claim `d/data`, and a volume that exists, kept for that claim or for none.
fn with_volume(kept_for: Option<&str>) -> Live {
    let late = LateClaim {
        class: "local".to_owned(),
        bytes: Amount::new(1),
        modes: Vec::new(),
        is_block: false,
        selector: None,
        provision: None,
        chosen: None,
    };
    let claim = ClaimSpec {
        key: "d/data".to_owned(),
        uid: "c".to_owned(),
        owner: None,
        is_once_pod: false,
        state: ClaimState::Late(late),
    };
    let volume = VolumeSpec {
        name: "disk".to_owned(),
        version: "7".to_owned(),
        class: "local".to_owned(),
        bytes: Amount::new(1),
        modes: Vec::new(),
        is_block: false,
        labels: Labels::new(),
        reach: None,
        attach: None,
        kept_for: kept_for.map(str::to_owned),
    };
    let allocatable = Resources::from([("pods".to_owned(), Amount::new(10))]);
    let node = NodeSpec { name: "n".to_owned(), ready: true, allocatable, ..NodeSpec::default() };
    let uses = vec![ClaimUse { name: "data".to_owned(), is_own: false }];
    let pod = PodSpec { claims: uses, ..PodSpec::new("d", "p") };
    let mut live = Live::new(Profile::default(), Settings::of("me", None));
    let events = [
        Event::Queue(QueueSpec::named("default")),
        Event::Node(Box::new(node)),
        Event::Claim(Box::new(claim)),
        Event::Volume(Box::new(volume)),
        Event::Pod(Box::new(pod)),
    ];
    events.into_iter().for_each(|event| live.take(News::Event(event), NOW));
    live.take(News::Ready(true), NOW);
    live
}

#[test]
fn a_volume_that_a_person_kept_for_the_claim_is_taken_as_one() {
    for (kept_for, is_meant) in [(Some("d/data"), true), (None, false)] {
        let sends = with_volume(kept_for).turn(NOW).sends;
        let mut steps = sends.iter().filter_map(|send| match &send.call {
            Call::TakeVolume { volume, is_kept, .. } => Some((volume.as_str(), *is_kept)),
            _ => None,
        });
        assert_eq!(steps.next(), Some(("disk", is_meant)), "{sends:?}");
    }
}
