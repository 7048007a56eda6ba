//! `docs/METRICS.md`, made from the table.

use super::table::{Kind, ROWS, Row, VOLCANO_LEFT_OUT, VOLCANO_ROWS};
use std::fmt::Write;

const HEAD: &str = "\
# Metrics

Made from the table in `scheduler/src/run/metrics/table.rs`; after a change there, write this page
anew with `UPDATE=1 cargo test -p scheduler --test metrics`.

They are served under `/metrics` of the admin port. There are fewer than 2,000 series, whatever the
number of pods, gangs and queues: the 50 busiest queues have series of their own, all others together
are the queue `other`. Shares (dedicated, entitled, deserved, fair, demand, borrowed) are told of the
busiest of those: of all while there are few, of eleven beside 50 queues of three resources;
`muster queues` shows them all. A queue that is deleted takes its series along. What the cluster looks like (queues, nodes, waiting
gangs) is told by the leader alone; `muster_leader` says who that is. Amounts are in base units:
cores, bytes, pieces.

What a queue has (`muster_queue_*`) counts all that is below it, so a sum over queues counts twice
where queues have parents. `other` has no limits and no shares. [Queues](queues.md) explains each
number.

Where a gang waits, `reason` is the word that `muster explain -o json` shows, or `broken` for a gang
that lost members and holds room with fewer than its minimum.

";

const PROCESS: &str = "\
Beside these, the usual ones of the process: `process_cpu_seconds_total`, `process_max_fds`,
`process_open_fds`, `process_resident_memory_bytes`, `process_start_time_seconds`,
`process_threads`, `process_virtual_memory_bytes`.

## Volcano's names

With `metrics.volcanoNames: true` these are served too, so that dashboards made for Volcano go on.
They cost up to 50 series each, and one per resource where they have that label.

";

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    table(&mut page, ROWS);
    page.push_str(PROCESS);
    table(&mut page, VOLCANO_ROWS);
    page.push_str("Not served:\n\n| name | why |\n|---|---|\n");
    for (name, why) in VOLCANO_LEFT_OUT {
        let _ = writeln!(page, "| `{name}` | {why} |");
    }
    page.push_str(
        "\n## Bounds of histograms\n\nIn seconds, those of Volcano's in milliseconds.\n\n",
    );
    page.push_str("| name | bounds |\n|---|---|\n");
    for row in ROWS.iter().chain(VOLCANO_ROWS) {
        if let Kind::Histogram(bounds) = row.kind {
            let bounds: Vec<String> = bounds.iter().map(ToString::to_string).collect();
            let _ = writeln!(page, "| `{}` | {} |", row.name, bounds.join(", "));
        }
    }
    page
}

fn table(page: &mut String, rows: &[Row]) {
    page.push_str("| name | type | labels | what it says |\n|---|---|---|---|\n");
    for row in rows {
        let kind = match row.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        let labels: Vec<String> = row.labels.iter().map(|label| format!("`{label}`")).collect();
        let _ =
            writeln!(page, "| `{}` | {kind} | {} | {} |", row.name, labels.join(", "), row.help);
    }
    page.push('\n');
}
