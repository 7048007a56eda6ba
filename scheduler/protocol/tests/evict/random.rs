//! Random answers and plans that are called off at any moment, and what holds all the same.

use crate::stage::{Desk, PLAN, code, plan, words};
use proptest::prelude::*;
use scheduler_model::effect::Outcome;
use scheduler_model::time::Span;
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::Send;
use scheduler_protocol::retry::splitmix64;
use std::collections::{BTreeMap, BTreeSet};

const VICTIMS: u64 = 4;

/// What the API has of the victims.
#[derive(Default)]
struct Server {
    marked: BTreeSet<String>,
    /// How often each was deleted: the first delete of a pod that is there takes it away.
    deleted: BTreeMap<String, u32>,
    is_called_off: bool,
}

impl Server {
    fn carry_out(&mut self, send: &Send) -> Answer {
        let call = words(&send.call);
        let (what, pod) = call.split_once(' ').expect("two words");
        let is_gone = self.deleted.contains_key(pod);
        match what {
            _ if is_gone => return code(404),
            "mark" => {
                self.marked.insert(pod.to_owned());
            }
            "unmark" => {
                self.marked.remove(pod);
            }
            _ => {
                assert!(self.marked.contains(pod), "{pod} is deleted without a mark");
                *self.deleted.entry(pod.to_owned()).or_insert(0) += 1;
            }
        }
        code(200)
    }

    fn serve(&mut self, send: &Send, roll: u64) -> Answer {
        match roll % 12 {
            0 => Answer::Lost("time".to_owned()),
            1 => Answer::Unsent("no connection".to_owned()),
            2 => code(429),
            3 => {
                self.carry_out(send);
                Answer::Lost("time".to_owned())
            }
            4 if roll.is_multiple_of(7) => code(403),
            _ => self.carry_out(send),
        }
    }
}

/// Plays one world; answers whether somebody was deleted.
fn play(seed: u64) -> bool {
    let mut state = seed;
    let mut roll = move || {
        state = state.wrapping_add(1);
        splitmix64(state)
    };
    let mut desk = Desk::with(VICTIMS);
    let mut server = Server::default();
    let mut air: Vec<(Send, Answer)> = Vec::new();
    let mut is_recorded = false;
    for step in 0..400 {
        match roll() % 8 {
            0 if !server.is_called_off && roll() % 9 == 0 => {
                desk.call_off();
                server.is_called_off = true;
            }
            1 if roll() % 3 == 0 => {
                is_recorded = true;
                desk.show(Some(PLAN), Some("n"));
            }
            2 => desk.pass(Span::from_secs(7)),
            3 | 4 if !air.is_empty() => {
                let index = usize::try_from(roll()).unwrap_or(0) % air.len();
                let (send, answer) = air.swap_remove(index);
                desk.answer(&send, &answer);
            }
            _ => {
                for send in desk.send() {
                    let is_delete = words(&send.call).starts_with("delete");
                    assert!(is_recorded, "sent before it was recorded");
                    assert!(!is_delete || !server.is_called_off, "deleted for nobody");
                    let answer = server.serve(&send, roll());
                    air.push((send, answer));
                }
            }
        }
        // In the end all is answered as it is.
        if step > 300 {
            for (send, answer) in std::mem::take(&mut air) {
                desk.answer(&send, &answer);
            }
        }
    }
    judge(&desk, &server, is_recorded);
    !server.deleted.is_empty()
}

fn judge(desk: &Desk, server: &Server, is_recorded: bool) {
    let mut ends: Vec<u64> = desk.settled.iter().map(|(effect, _)| *effect).collect();
    ends.extend(&desk.stays);
    ends.sort_unstable();
    let is_whole = ends == (1..=VICTIMS).collect::<Vec<u64>>();
    if is_recorded || server.is_called_off {
        assert!(is_whole, "each effect ends once: {ends:?}");
        assert!(desk.evictor.is_empty());
    }
    for (effect, outcome) in &desk.settled {
        if *outcome == Outcome::Done {
            assert!(server.deleted.contains_key(&format!("v{effect}")), "{effect} is not gone");
        }
    }
    assert_eq!(desk.evictor.stage(&plan()).is_none(), desk.evictor.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_eviction_ends_once_and_nobody_goes_unmarked_or_for_nobody(seed in any::<u64>()) {
        play(seed);
    }
}

#[test]
fn in_many_worlds_somebody_goes() {
    let went = (0..64).filter(|seed| play(*seed)).count();
    assert!(went > 16, "{went} of 64");
}
