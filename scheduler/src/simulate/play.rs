//! Plays a stage to its end, and shows that it lives where that takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scheduler_sim::stage::{Fault, Stage};
use std::time::{Duration, Instant};

/// A run that is over sooner needs no bar.
const LONG: Duration = Duration::from_secs(1);

/// Plays to the end. The bar is drawn on standard error, and only if that is a terminal.
pub(super) fn play(stage: &mut Stage) -> Result<(), Fault> {
    let began = Instant::now();
    let mut bar = None;
    while stage.step()? {
        if began.elapsed() < LONG {
            continue;
        }
        let bar: &ProgressBar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        bar.tick();
        let virtual_time = stage.now().since(stage.start());
        bar.set_message(format!("simulated {virtual_time}, {} events", stage.timeline().len()));
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(())
}
