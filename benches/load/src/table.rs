//! Scenarios as tables that read well as text and are Markdown.

use crate::figures::{Measure, Ratio, Scenario};

/// A promise about two contestants, or about one.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// What is measured.
    pub measure: Measure,
    /// Whom it is compared with; the value itself counts where there is nobody.
    pub over: Option<&'static str>,
    /// The least or the most it may be.
    pub bound: Bound,
}

/// A limit.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// No less.
    Least(f64),
    /// No more.
    Most(f64),
}

/// Who the promises are about.
pub const OURS: &str = "muster";

/// A scenario with its medians, the runs without a score, and how the aims stand.
#[must_use]
pub fn show(scenario: &Scenario, aims: &[Aim]) -> String {
    let measures = scenario.measures();
    let mut head = vec!["median of rounds".to_owned()];
    head.extend(measures.iter().map(|measure| measure.name.to_owned()));
    let mut rows = vec![head];
    for (name, runs) in &scenario.rows {
        let scored = runs.iter().filter(|run| run.is_ok()).count();
        let mut cells = vec![format!("{name} ({scored} of {})", runs.len())];
        cells.extend(measures.iter().map(|measure| {
            let median = scenario.median(name, *measure);
            median.map_or_else(|| "–".to_owned(), |it| format!("{it:.*}", measure.digits))
        }));
        rows.push(cells);
    }
    let mut text = format!("### {}\n\n{}", scenario.title, table(&rows));
    for (name, runs) in &scenario.rows {
        for (round, run) in runs.iter().enumerate() {
            if let Err(why) = run {
                text.push_str(&format!("\nNo score for {name} in round {}: {why}\n", round + 1));
            }
        }
    }
    let aims: Vec<Vec<String>> = aims.iter().filter_map(|aim| row(scenario, aim)).collect();
    if !aims.is_empty() {
        let mut rows = vec![["aim", "now", "rounds", ""].map(str::to_owned).to_vec()];
        rows.extend(aims);
        text.push_str(&format!("\n{}", table(&rows)));
    }
    text
}

/// How one aim stands; nothing where one of the two was not measured.
fn row(scenario: &Scenario, aim: &Aim) -> Option<Vec<String>> {
    let Measure { name, digits } = aim.measure;
    let (is_met, limit) = match aim.bound {
        Bound::Least(least) => (Box::new(move |it| it >= least) as Box<dyn Fn(f64) -> bool>, {
            format!("≥ {least}")
        }),
        Bound::Most(most) => (Box::new(move |it| it <= most) as _, format!("≤ {most}")),
    };
    let (what, now, rounds, value) = match aim.over {
        Some(other) => {
            let Ratio { medians, least, most } = scenario.ratio(OURS, other, aim.measure)?;
            let rounds = format!("{least:.2}–{most:.2}");
            (format!("{name} over {other} {limit}"), format!("{medians:.2}"), rounds, medians)
        }
        None => {
            let value = scenario.median(OURS, aim.measure)?;
            let each = scenario.runs(OURS).iter().flatten().filter_map(|it| it.get(aim.measure));
            let least = each.clone().fold(f64::INFINITY, f64::min);
            let most = each.fold(0.0, f64::max);
            let rounds = format!("{least:.digits$}–{most:.digits$}");
            (format!("{name} {limit}"), format!("{value:.digits$}"), rounds, value)
        }
    };
    let verdict = if is_met(value) { "met" } else { "missed" };
    Some(vec![what, now, rounds, verdict.to_owned()])
}

/// Rows as a table, columns aligned; the first row is the head.
#[must_use]
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let wide = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| wide(&row[column])).max().unwrap_or(0).max(3))
        .collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let fill = " ".repeat(widths[column] - wide(cell));
            // Names to the left, numbers to the right.
            let cell = if column == 0 { format!("{cell}{fill}") } else { format!("{fill}{cell}") };
            text.push_str(&format!("| {cell} "));
        }
        text.push_str("|\n");
        if index == 0 {
            for (column, width) in widths.iter().enumerate() {
                let dashes = "-".repeat(width - 1);
                let (left, right) = if column == 0 { (":", "") } else { ("", ":") };
                text.push_str(&format!("| {left}{dashes}{right} "));
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Figures, RATE};

    #[test]
    fn a_table_shows_medians_scores_and_aims() {
        let run = |value| {
            let mut figures = Figures::default();
            figures.add(RATE, value);
            Ok(figures)
        };
        let rows = vec![
            ("muster".to_owned(), vec![run(90.0), run(110.0), Err("half a gang".to_owned())]),
            ("null".to_owned(), vec![run(100.0), run(100.0), run(100.0)]),
        ];
        let scenario = Scenario { title: "T".to_owned(), rows };
        let aims = [
            Aim { measure: RATE, over: Some("null"), bound: Bound::Least(0.9) },
            Aim { measure: RATE, over: None, bound: Bound::Most(50.0) },
        ];
        let wanted = "\
### T

| median of rounds | pods/s |
| :--------------- | -----: |
| muster (2 of 3)  |    100 |
| null (3 of 3)    |    100 |

No score for muster in round 3: half a gang

| aim                     |  now |    rounds |        |
| :---------------------- | ---: | --------: | -----: |
| pods/s over null ≥ 0.9  | 1.00 | 0.90–1.10 |    met |
| pods/s ≤ 50             |  100 |    90–110 | missed |
";
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let squeezed = |text: &str| {
            let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
            lines(text).iter().map(words).collect::<Vec<_>>()
        };
        let shown = show(&scenario, &aims);
        let without_rules = |lines: Vec<String>| {
            lines.into_iter().filter(|line| !line.starts_with("| :-")).collect::<Vec<_>>()
        };
        assert_eq!(without_rules(squeezed(&shown)), without_rules(squeezed(wanted)));
    }
}
