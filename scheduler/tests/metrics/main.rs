//! The metrics: every one is told, none grows with pods or gangs, and the page is as made.

use scheduler::run::metrics::figures::Figures;
use scheduler::run::metrics::table::{ROWS, VOLCANO_ROWS};
use scheduler::run::metrics::{Metrics, Watched, page};
use scheduler_core::census::{NodeCensus, QueueCensus};
use scheduler_core::queues::QueueAmounts;
use scheduler_kube::send::Sent;
use scheduler_live::news::{Leadership, Notice, Started};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{Dialect, GangKey};
use scheduler_model::time::{Span, Time};
use std::path::Path;
use std::time::Duration;

fn key(number: u32) -> GangKey {
    GangKey { namespace: "a".into(), name: format!("g{number}"), dialect: Dialect::Muster }
}

fn sent(verb: &'static str, resource: &'static str, code: Option<u16>) -> Sent {
    Sent { verb, resource, code, took: Duration::from_millis(4) }
}

fn started(number: u32, queue: &str) -> Notice {
    Notice::Started(Started {
        gang: key(number),
        queue: queue.to_owned(),
        wait: Span::from_secs(100),
        members: Span::from_secs(10),
        quota: Span::from_secs(20),
        placement: Span::from_secs(60),
        bind: Span::from_secs(10),
        skew: Span::from_ms(30),
        at: Time::ZERO,
    })
}

/// A life of `gangs` gangs of 20 pods in `queues` queues, told to the metrics.
fn burst(metrics: &Metrics, gangs: u32, queues: u32) {
    for number in 0..gangs {
        let queue = format!("team-{}", number % queues);
        metrics.notice(&Notice::Cycle { steps: 1000, plans: 1, waits: 0 });
        metrics.cycle(Duration::from_millis(2));
        let reason = ["room", "limit", "members"][(number % 3) as usize];
        let sentence = format!("gang {number} waits");
        metrics.notice(&Notice::Waits {
            gang: key(number),
            queue: queue.clone(),
            reason,
            sentence,
        });
        let planned = |is_minimum| Notice::Planned {
            gang: key(number),
            queue: queue.clone(),
            members: 20,
            is_minimum,
        };
        metrics.notice(&planned(true));
        metrics.notice(&planned(false));
        for member in 0..20 {
            let code = if member == 0 { 409 } else { 201 };
            metrics.request(&sent("create", "pods/binding", Some(code)));
            let (gang, why) = (key(number), String::new());
            metrics.notice(&Notice::Bind { gang, result: "done", why });
        }
        metrics.request(&sent("delete", "pods", Some(200)));
        metrics.notice(&started(number, &queue));
        metrics.notice(&Notice::Rejected(key(number), format!("OutOf{number}")));
        metrics.notice(&Notice::Broken(key(number)));
        metrics.notice(&Notice::Repaired(key(number)));
        metrics.notice(&Notice::Released { gang: key(number), times: 1, pods: 2 });
        metrics.notice(&Notice::Withdrawn(key(number), "gone".to_owned()));
        metrics.notice(&Notice::Trouble("x".to_owned()));
    }
    metrics.notice(&Notice::Led(Leadership::Leading));
}

/// A queue that borrows.
fn amounts() -> QueueAmounts {
    let [kept, entitled, deserved, used, fair, demand, limit] =
        [1000, 4000, 5000, 8000, 9000, 10_000, 12_000].map(Amount::new);
    QueueAmounts { used, kept, entitled, deserved, fair, demand, limit: Some(limit) }
}

/// The cluster with so many queues, each of which has gangs that wait for three reasons.
fn figures(queues: u32, resources: u32) -> Figures {
    let mut figures = Figures { nodes: 1000, problems: 3, ..Figures::default() };
    let census = &mut figures.census;
    for number in 0..queues {
        let name = format!("team-{number}");
        for reason in ["room", "limit", "members"] {
            census.pending.insert((name.clone(), reason), 2);
        }
        census.oldest.insert(name.clone(), Span::from_secs(60));
        let amounts =
            ["cpu", "memory", "nvidia.com/gpu"].map(|it| (it.to_owned(), amounts())).into();
        census.vacancy.insert((name.clone(), "nvidia.com/gpu".to_owned()), 16_000);
        census.queues.insert(name, QueueCensus { weight: 3, amounts });
    }
    for number in 0..resources {
        let sums = NodeCensus { capacity: Amount::new(10), ..NodeCensus::default() };
        census.nodes.insert(format!("example.com/r{number}"), sums);
    }
    figures
}

fn watched() -> Vec<Watched> {
    let one = |kind: &str| Watched {
        kind: kind.to_owned(),
        is_synced: true,
        silent: Duration::from_secs(1),
    };
    (0..40).map(|number| one(&format!("kind{number}"))).collect()
}

fn series(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

fn value(text: &str, series: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(series));
    line.map(|rest| rest.trim().parse().expect("a number"))
}

#[test]
fn ten_thousand_pods_in_500_gangs_and_as_many_queues_stay_under_2000_series() {
    let metrics = Metrics::new(false);
    burst(&metrics, 500, 500);
    let text = metrics.text(Some(&figures(500, 300)), &watched());
    let count = series(&text).len();
    assert!(count < 2000, "{count} series");
    assert!(count > 1000, "{count} series; the burst should reach most of them");
    assert!(text.contains("queue=\"other\""), "the 51st queue is counted too");
    let told = series(&text).iter().filter(|it| it.starts_with("muster_queue_fair{")).count();
    assert_eq!(told, 11 * 3, "the busiest queues have shares, of three resources each");
}

#[test]
fn thirty_queues_all_have_shares_and_stay_under_2000_series_too() {
    let metrics = Metrics::new(false);
    burst(&metrics, 500, 30);
    let text = metrics.text(Some(&figures(30, 300)), &watched());
    let count = series(&text).len();
    assert!(count < 2000, "{count} series");
    let told = series(&text).iter().filter(|it| it.starts_with("muster_queue_fair{")).count();
    assert_eq!(told, 30 * 3);
}

#[test]
fn shares_of_queues_are_told_but_not_of_all_the_others_together() {
    let metrics = Metrics::new(true);
    burst(&metrics, 60, 60);
    let text = metrics.text(Some(&figures(60, 0)), &[]);
    let of = |name: &str, queue: &str| {
        value(&text, &format!("muster_queue_{name}{{queue=\"{queue}\",resource=\"cpu\"}}"))
    };
    let wants = [
        ("dedicated", 1.0),
        ("entitled", 4.0),
        ("deserved", 5.0),
        ("fair", 9.0),
        ("demand", 10.0),
        ("borrowed", 4.0),
        ("limit", 12.0),
    ];
    for (name, want) in wants {
        assert_eq!((of(name, "team-0"), of(name, "other")), (Some(want), None), "{name}");
    }
    assert_eq!(of("used", "other"), Some(80.0));
    for (name, want) in [("share", 2.0), ("weight", 3.0), ("overused", 1.0)] {
        let name = format!("volcano_queue_{name}{{queue_name=\"team-0\"}}");
        assert_eq!(value(&text, &name), Some(want), "{name}");
    }
    let own = "volcano_queue_deserved_scalar_resources";
    let own = format!("{own}{{queue_name=\"team-0\",resource=\"nvidia.com/gpu\"}}");
    assert_eq!(value(&text, &own), Some(4_000_000.0));
}

#[test]
fn a_queue_has_no_share_of_what_nobody_divides() {
    let metrics = Metrics::new(false);
    metrics.notice(&started(1, "team-0"));
    let mut figures = figures(1, 0);
    let pods = QueueAmounts { used: Amount::new(5), ..QueueAmounts::default() };
    let queue = figures.census.queues.get_mut("team-0").expect("it was made");
    queue.amounts.insert("pods".to_owned(), pods);
    let text = metrics.text(Some(&figures), &[]);
    let of = |name: &str| {
        value(&text, &format!("muster_queue_{name}{{queue=\"team-0\",resource=\"pods\"}}"))
    };
    assert_eq!([of("used"), of("entitled"), of("borrowed")], [Some(5.0), None, None]);
}

#[test]
fn no_name_of_a_pod_or_gang_is_a_label() {
    let metrics = Metrics::new(true);
    burst(&metrics, 60, 2);
    let text = metrics.text(Some(&figures(2, 1)), &watched());
    for name in ["\"g1\"", "\"p1\"", "\"u1\"", "a/g1"] {
        assert!(!text.contains(name), "{name} is in {text}");
    }
    assert_eq!(series(&text).iter().filter(|it| it.contains("OutOf")).count(), 30);
}

#[test]
fn every_metric_of_the_table_is_told_and_nothing_else() {
    let metrics = Metrics::new(true);
    burst(&metrics, 3, 2);
    let text = metrics.text(Some(&figures(2, 1)), &watched());
    let told: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    let told: Vec<&str> = told.iter().filter_map(|line| line.split(' ').next()).collect();
    for row in ROWS.iter().chain(VOLCANO_ROWS) {
        assert!(told.contains(&row.name), "{} is not told", row.name);
    }
    let strange = told.iter().filter(|name| {
        let known = ROWS.iter().chain(VOLCANO_ROWS).any(|row| row.name == **name);
        !known && !name.starts_with("process_")
    });
    assert_eq!(strange.collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn volcano_names_are_told_only_on_request() {
    let metrics = Metrics::new(false);
    burst(&metrics, 3, 2);
    assert!(!metrics.text(Some(&figures(2, 1)), &[]).contains("volcano_"));
}

#[test]
fn a_queue_that_is_gone_takes_its_series_along() {
    let metrics = Metrics::new(false);
    burst(&metrics, 4, 2);
    assert!(metrics.text(Some(&figures(2, 0)), &[]).contains("queue=\"team-1\""));
    let text = metrics.text(Some(&figures(1, 0)), &[]);
    assert!(!text.contains("team-1"), "{text}");
    assert!(text.contains("queue=\"team-0\""), "{text}");
}

#[test]
fn what_it_costs_to_hold_room_never_falls() {
    let metrics = Metrics::new(false);
    metrics.notice(&started(1, "team-0"));
    let key = ("team-0".to_owned(), "nvidia.com/gpu".to_owned());
    let mut figures = figures(1, 0);
    let mut told = |spent| {
        figures.census.vacancy = [(key.clone(), spent)].into();
        let text = metrics.text(Some(&figures), &[]);
        let name = "muster_hold_idle_resource_seconds_total";
        value(&text, &format!("{name}{{queue=\"team-0\",resource=\"nvidia.com/gpu\"}}"))
    };
    assert_eq!([told(16_000), told(16_000), told(20_000)], [Some(16.0), Some(16.0), Some(20.0)]);
    assert_eq!(told(1000), Some(21.0), "another engine leads");
    assert_eq!(told(3000), Some(23.0));
}

#[test]
fn a_standby_tells_nothing_of_the_cluster() {
    let metrics = Metrics::new(true);
    burst(&metrics, 3, 2);
    let _ = metrics.text(Some(&figures(2, 1)), &[]);
    let text = metrics.text(None, &[]);
    for name in ["muster_pending_gangs{", "muster_queue_used{", "muster_nodes "] {
        assert!(!text.contains(name), "{name}");
    }
}

#[test]
fn waits_and_amounts_are_in_base_units() {
    let metrics = Metrics::new(true);
    metrics.notice(&started(1, "team-0"));
    let text = metrics.text(Some(&figures(1, 0)), &[]);
    let of = |name: &str| value(&text, name);
    assert_eq!(of("muster_gang_wait_seconds_sum{queue=\"team-0\"}"), Some(100.0));
    assert_eq!(of("muster_gang_wait_seconds_bucket{queue=\"team-0\",le=\"30\"}"), Some(0.0));
    assert_eq!(of("muster_gang_wait_seconds_bucket{queue=\"team-0\",le=\"120\"}"), Some(1.0));
    assert_eq!(of("muster_gang_wait_placement_seconds_sum"), Some(60.0));
    let quota = "muster_gang_wait_phase_seconds_total{phase=\"quota\",queue=\"team-0\"}";
    assert_eq!(of(quota), Some(20.0));
    assert_eq!(of("muster_queue_used{queue=\"team-0\",resource=\"cpu\"}"), Some(8.0));
    assert_eq!(of("muster_queue_used{queue=\"team-0\",resource=\"memory\"}"), Some(8000.0));
    assert_eq!(of("volcano_queue_allocated_milli_cpu{queue_name=\"team-0\"}"), Some(8000.0));
    assert_eq!(of("muster_pending_gangs{queue=\"other\",reason=\"room\"}"), None);
}

#[test]
fn requests_are_counted_by_what_became_of_them() {
    let metrics = Metrics::new(false);
    metrics.request(&sent("get", "pods", Some(404)));
    metrics.request(&sent("get", "pods", None));
    metrics.request(&sent("delete", "pods", Some(409)));
    metrics.request(&sent("delete", "pods", Some(200)));
    let text = metrics.text(None, &[]);
    for code in ["404", "none"] {
        let name =
            format!("muster_api_requests_total{{code=\"{code}\",kind=\"pods\",verb=\"get\"}}");
        assert_eq!(value(&text, &name), Some(1.0), "{name}");
    }
    assert_eq!(value(&text, "muster_api_request_seconds_count{verb=\"get\"}"), Some(1.0));
}

#[test]
fn evicted_pods_are_counted_by_what_for() {
    let metrics = Metrics::new(true);
    metrics.notice(&Notice::Released { gang: key(1), times: 1, pods: 2 });
    for (gainer_queue, pods) in [("a", 3), ("b", 4)] {
        metrics.notice(&Notice::Evicted {
            gang: key(1),
            queue: "a".to_owned(),
            pods,
            gainer: key(2),
            gainer_queue: gainer_queue.to_owned(),
        });
    }
    let text = metrics.text(None, &[]);
    let of = |reason: &str| value(&text, &format!("muster_evictions_total{{reason=\"{reason}\"}}"));
    assert_eq!(of("release"), Some(2.0));
    assert_eq!(of("preemption"), Some(3.0), "within its queue");
    assert_eq!(of("reclaim"), Some(4.0));
    assert_eq!(value(&text, "volcano_total_preemption_attempts"), Some(2.0));
    assert_eq!(value(&text, "volcano_pod_preemption_victims"), Some(4.0));
}

#[test]
fn the_page_is_as_made_from_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/METRICS.md");
    let page = page::page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("docs can be written");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == page,
        "docs/METRICS.md is old: UPDATE=1 cargo test -p scheduler --test metrics"
    );
}
