//! Guard against plans that delete much without being confirmed.

use serde::Serialize;

use super::Plan;

/// Deletes that the user allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeleteLimits {
    /// Number of deletes that were confirmed in advance.
    pub max_deletes: Option<usize>,
    /// Allows deletes of a file without any slots.
    pub allow_empty: bool,
}

/// Reason why a plan may not be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum GuardRefusal {
    /// The file has no slots, so slots of the page would be deleted, and this was not allowed.
    #[error("the file has no slots")]
    Empty,
    /// A large part of the page would be deleted, and no number was confirmed.
    #[error("{deletes} of {slots} slots would be deleted")]
    ManyDeletes {
        /// Deletes of the plan.
        deletes: usize,
        /// Slots on the page.
        slots: usize,
    },
    /// More slots would be deleted than was confirmed.
    #[error("{} would be deleted, but the maximum is {max}", count(*.deletes))]
    OverMaxDeletes {
        /// Deletes of the plan.
        deletes: usize,
        /// Deletes that were confirmed.
        max: usize,
    },
}

fn count(slots: usize) -> String {
    if slots == 1 { "1 slot".to_owned() } else { format!("{slots} slots") }
}

/// Refuses deletes of a file without slots, more than 20 deletes, and deletes of more than 30 % of a page with at least 10 slots,
/// unless they are allowed.
///
/// `slots` is the number of slots on the page.
pub fn guard(plan: &Plan, slots: usize, limits: &DeleteLimits) -> Result<(), GuardRefusal> {
    let deletes = plan.deletes.len();
    if plan.items == 0 && deletes > 0 && !limits.allow_empty {
        return Err(GuardRefusal::Empty);
    }
    let many = deletes > 20 || slots >= 10 && deletes * 10 > slots * 3;
    match limits.max_deletes {
        Some(max) if deletes > max => Err(GuardRefusal::OverMaxDeletes { deletes, max }),
        None if many => Err(GuardRefusal::ManyDeletes { deletes, slots }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::PlannedDelete;
    use super::*;

    #[test]
    fn drastic_plans_need_to_be_allowed() {
        let refused = |deletes, slots| Err(GuardRefusal::ManyDeletes { deletes, slots });
        let over = |deletes, max| Err(GuardRefusal::OverMaxDeletes { deletes, max });
        for (items, deletes, slots, max_deletes, allow_empty, expected) in [
            (1, 0, 0, None, false, Ok(())),
            (0, 0, 0, None, false, Ok(())),
            (0, 0, 3, None, false, Ok(())),
            (0, 1, 3, None, false, Err(GuardRefusal::Empty)),
            (0, 3, 3, None, true, Ok(())),
            (1, 9, 9, None, false, Ok(())),
            (1, 3, 10, None, false, Ok(())),
            (1, 4, 10, None, false, refused(4, 10)),
            (1, 4, 13, None, false, refused(4, 13)),
            (1, 4, 14, None, false, Ok(())),
            (1, 20, 500, None, false, Ok(())),
            (1, 21, 500, None, false, refused(21, 500)),
            (1, 21, 500, Some(21), false, Ok(())),
            (1, 21, 500, Some(20), false, over(21, 20)),
            (1, 1, 500, Some(0), false, over(1, 0)),
            (0, 10, 10, None, true, refused(10, 10)),
        ] {
            let delete = PlannedDelete { id: 1.into(), kind: "text".into(), label: None };
            let plan = Plan { items, deletes: vec![delete; deletes], ..Plan::default() };
            let limits = DeleteLimits { max_deletes, allow_empty };
            assert_eq!(guard(&plan, slots, &limits), expected, "{deletes} of {slots}, {limits:?}");
        }
    }
}
