//! Are the judges right? Rules one by one, then the oracle against plain brute force.

mod asked;
mod audits;
mod brute;
mod claim_rules;
mod independence;
mod make;
mod node_rules;
mod optimum;
mod oracle;
mod partner_rules;
mod port_and_room_rules;
mod spread_rules;
mod worlds;
