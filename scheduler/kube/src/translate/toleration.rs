//! Tolerations. One that cannot be read tolerates nothing, with a problem.
//!
//! The `not-ready` and `unreachable` tolerations that admission adds (NoExecute, 300 s) are
//! not added to hand-written pods: they would only open nodes whose sole mark is such a
//! NoExecute taint, and such nodes are not ready anyway.

use super::{Problems, shorten};
use crate::wire;
use scheduler_model::spec::{TaintEffect, Toleration, TolerationOperator};

/// All readable tolerations, in the order of the object, without repeats.
pub fn all(written: &[wire::Toleration], problems: &mut Problems) -> Vec<Toleration> {
    let mut read: Vec<Toleration> = Vec::with_capacity(written.len());
    for (index, toleration) in written.iter().enumerate() {
        match one(toleration) {
            Ok(toleration) if read.contains(&toleration) => {}
            Ok(toleration) => read.push(toleration),
            Err((message, remedy)) => problems.add(
                format!("spec.tolerations[{index}]"),
                format!("{message}; it tolerates nothing"),
                remedy,
            ),
        }
    }
    read
}

/// The effect called `text`.
#[must_use]
pub fn effect(text: &str) -> Option<TaintEffect> {
    match text {
        "NoSchedule" => Some(TaintEffect::NoSchedule),
        "PreferNoSchedule" => Some(TaintEffect::PreferNoSchedule),
        "NoExecute" => Some(TaintEffect::NoExecute),
        _ => None,
    }
}

fn one(written: &wire::Toleration) -> Result<Toleration, (String, &'static str)> {
    let operator = match written.operator.as_str() {
        "" | "Equal" => TolerationOperator::Equal,
        "Exists" => TolerationOperator::Exists,
        "Gt" => TolerationOperator::Gt,
        "Lt" => TolerationOperator::Lt,
        other => {
            let message = format!("`{}` is not an operator here", shorten(other));
            return Err((message, "use Equal, Exists, Gt or Lt"));
        }
    };
    let effect = match written.effect.as_str() {
        "" => None,
        text => Some(effect(text).ok_or_else(|| {
            let message = format!("`{}` is not an effect", shorten(text));
            (message, "use NoSchedule, PreferNoSchedule or NoExecute, or none for all")
        })?),
    };
    if written.key.is_empty() && operator != TolerationOperator::Exists {
        return Err(("it has no key".to_owned(), "name the taint's key, or use Exists"));
    }
    let is_numeric = matches!(operator, TolerationOperator::Gt | TolerationOperator::Lt);
    if is_numeric && !is_decimal(&written.value) {
        let message = format!("`{}` is not an integer", shorten(&written.value));
        return Err((message, "Gt and Lt compare with an integer such as 950"));
    }
    // The value of `Exists` is never looked at; dropping it keeps classes few.
    let value = match operator {
        TolerationOperator::Exists => String::new(),
        _ => written.value.clone(),
    };
    Ok(Toleration { key: written.key.clone(), operator, value, effect })
}

/// An integer as the API wants it: no plus sign, no leading zeros.
fn is_decimal(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}
