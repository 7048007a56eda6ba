//! Disruption budgets in the full form.

use super::mirror;
use scheduler_model::spec::{BudgetSpec, LabelSelector};

mirror! {
    BudgetSpec as BudgetFile,
    base BudgetSpec {
        namespace: "default".to_owned(),
        name: String::new(),
        selector: None,
        allowed: 0,
    },
    required { name: String }
    optional { namespace: String, selector: Option<LabelSelector>, allowed: u32 }
}
