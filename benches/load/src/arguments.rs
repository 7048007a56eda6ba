//! The arguments of `load`.

use benches_load::contestant::{Contestant, Settings};
use benches_load::null::NullBinder;
use benches_load::program::{Family, Program, Size};
use std::path::PathBuf;
use std::time::Duration;

/// What `load --help` prints.
pub(crate) const HELP: &str = "\
Runs muster and its peers on a real API server and prints tables of what came of it.

usage: load [FLAG VALUE]...

  --only NAME,NAME         which scenarios, of b1, b2, b5, b6, b7, shares; all of them if
                           absent
  --size small|large       minutes or hours; small if absent
  --with NAME,NAME         who is measured, of null, muster, muster-native, kube-scheduler,
                           volcano, kueue (in b5 only); all but muster-native and kueue if
                           absent
  --rounds N               how often each; 3 if absent
  --seconds N              how long pods arrive in B2 (b); 30 if absent
  --full N                 for how many seconds queues are full in shares; 240 if absent
  --queues N               how many queues B5 has; 100 if absent
  --in-flight N            binds in flight of the null binder; 64 if absent
  --out FILE               where the tables go, too
";

/// What the caller wants.
#[derive(Debug)]
pub(crate) enum Wish {
    Help,
    /// To be the null binder.
    Bind(NullBinder),
    Measure(Box<Arguments>),
}

/// What to measure, and where the page goes.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) program: Program,
    pub(crate) out: Option<PathBuf>,
}

/// Reads the arguments behind the name of the program.
pub(crate) fn read(arguments: Vec<String>) -> Result<Wish, String> {
    let mut rest = arguments.into_iter();
    let first = rest.next();
    match first.as_deref() {
        Some("--help" | "-h") => Ok(Wish::Help),
        Some("null-binder") => null_binder(rest.collect()),
        _ => measure(first.into_iter().chain(rest)),
    }
}

fn null_binder(rest: Vec<String>) -> Result<Wish, String> {
    let [kubeconfig, scheduler, in_flight] = <[String; 3]>::try_from(rest)
        .map_err(|_| "usage: load null-binder KUBECONFIG SCHEDULER IN-FLIGHT".to_owned())?;
    let in_flight = number(&in_flight)?;
    Ok(Wish::Bind(NullBinder { kubeconfig: kubeconfig.into(), scheduler, in_flight }))
}

fn measure(mut rest: impl Iterator<Item = String>) -> Result<Wish, String> {
    let load = std::env::current_exe().map_err(|error| error.to_string())?;
    let extra = [Contestant::Native, Contestant::Kueue];
    let usual = Contestant::ALL.into_iter().filter(|it| !extra.contains(it));
    let mut program = Program {
        families: Family::ALL.to_vec(),
        size: Size::Small,
        contestants: usual.collect(),
        rounds: 3,
        arrivals: Duration::from_secs(30),
        full: 240,
        queues: 100,
        settings: Settings { load, in_flight: 64 },
    };
    let mut out = None;
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{flag} needs a value; see load --help"))?;
        match flag.as_str() {
            "--only" => program.families = named(&value, family)?,
            "--with" => program.contestants = named(&value, Contestant::of)?,
            "--size" => {
                program.size = match value.as_str() {
                    "small" => Size::Small,
                    "large" => Size::Large,
                    _ => return Err(format!("{value} is no size: small or large")),
                }
            }
            "--rounds" => program.rounds = number(&value)?,
            "--seconds" => program.arrivals = Duration::from_secs(number(&value)? as u64),
            "--full" => program.full = number(&value)?,
            "--queues" => program.queues = number(&value)?,
            "--in-flight" => program.settings.in_flight = number(&value)?,
            "--out" => out = Some(PathBuf::from(value)),
            _ => return Err(format!("{flag} is unknown; see load --help")),
        }
    }
    Ok(Wish::Measure(Box::new(Arguments { program, out })))
}

fn family(name: &str) -> Option<Family> {
    Family::ALL.into_iter().find(|family| family.name() == name)
}

fn named<T>(list: &str, of: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    let one = |name: &str| of(name).ok_or_else(|| format!("{name} is unknown; see load --help"));
    list.split(',').map(one).collect()
}

fn number(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("{text} is no number above 0"))
}
