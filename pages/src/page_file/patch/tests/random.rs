//! Random page files and random edits, against a model on the values alone.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::printer::{Choices, Comment, Printed, object, printed, value};
use crate::page_file::emit::is_full;

/// Returns all paths of a value.
fn paths<'v>(value: &'v Value, path: &Path, found: &mut Vec<(Path, &'v Value)>) {
    found.push((path.clone(), value));
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                paths(item, &path.clone().item(at), found);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                paths(item, &path.clone().key(key), found);
            }
        }
        _ => {}
    }
}

fn edit(tree: &Value, choices: &mut Choices, number: usize) -> Edit {
    let mut places = Vec::new();
    paths(tree, &Path::root(), &mut places);
    let (path, old) = choices.of(&places).clone();
    let new = value(choices, 2);
    let new_mark = choices.one_in(4).then_some(MarkedConflict::Kept(1.into()));
    match (old, choices.below(5)) {
        (Value::Array(items), kind @ (0 | 1)) => {
            let after = choices.below(items.len() + 1).checked_sub(1);
            match kind {
                1 if !items.is_empty() => {
                    Edit::Move { list: path, item: choices.below(items.len()), after }
                }
                _ => Edit::Insert { list: path, after, value: new, mark: new_mark },
            }
        }
        (Value::Null, 0) => Edit::Insert { list: path, after: None, value: new, mark: new_mark },
        (Value::Object(_), 0) => Edit::Set { path: path.key(format!("new {number}")), value: new },
        (Value::Object(_), 1) => Edit::Insert {
            list: path.key(format!("new {number}")),
            after: None,
            value: new,
            mark: new_mark,
        },
        (_, 2) => Edit::Mark { path, conflict: MarkedConflict::Changed(new) },
        _ if path.0.is_empty() => Edit::Set { path: path.key(format!("new {number}")), value: new },
        (_, 3) => Edit::Remove { path },
        _ => Edit::Set { path, value: new },
    }
}

/// Tells whether two edits contradict each other.
fn contradict(one: &Edit, other: &Edit) -> bool {
    let whole = |edit: &Edit| matches!(edit, Edit::Set { .. } | Edit::Remove { .. });
    let (left, right) = (&one.path().0, &other.path().0);
    if left == right {
        return match (one, other) {
            (Edit::Mark { .. }, Edit::Mark { .. } | Edit::Set { .. })
            | (Edit::Set { .. }, Edit::Mark { .. }) => false,
            (Edit::Move { item, .. }, Edit::Move { item: same, .. }) => item == same,
            _ => whole(one) || whole(other),
        };
    }
    let moved = |edit: &Edit| match edit {
        Edit::Move { list, item, .. } => Some(list.clone().item(*item).0),
        _ => None,
    };
    whole(one) && right.starts_with(left)
        || whole(other) && left.starts_with(right)
        || matches!(one, Edit::Remove { .. }) && moved(other).as_ref() == Some(left)
        || matches!(other, Edit::Remove { .. }) && moved(one).as_ref() == Some(right)
}

/// Tells whether items of one list follow each other in a circle.
fn is_circular(edits: &[Edit]) -> bool {
    let next = |list: &Path, from: usize| {
        edits.iter().find_map(|edit| match edit {
            Edit::Move { list: same, item, after } if same == list && *item == from => *after,
            _ => None,
        })
    };
    edits.iter().any(|edit| match edit {
        Edit::Move { list, item, .. } => {
            let steps = std::iter::successors(Some(*item), |from| next(list, *from));
            steps.take(edits.len() + 2).count() > edits.len() + 1
        }
        _ => false,
    })
}

/// Returns the value that edits make, `None` for one that is removed.
fn edited(value: &Value, path: &Path, edits: &[Edit]) -> Option<Value> {
    for edit in edits {
        match edit {
            Edit::Set { path: at, value } if at == path => return Some(value.clone()),
            Edit::Remove { path: at } if at == path => return None,
            _ => {}
        }
    }
    let inserted = |list: &Path| {
        let items = edits.iter().filter_map(|edit| match edit {
            Edit::Insert { list: at, value, .. } if at == list => Some(value.clone()),
            _ => None,
        });
        items.collect::<Vec<_>>()
    };
    Some(match value {
        Value::Object(map) => {
            let kept = map.iter().filter_map(|(key, value)| {
                Some((key.clone(), edited(value, &path.clone().key(key), edits)?))
            });
            let new = edits.iter().filter_map(|edit| {
                let Some(PathStep::Key(key)) = edit.path().0.last() else { return None };
                if edit.path() != &path.clone().key(key) || map.contains_key(key) {
                    return None;
                }
                match edit {
                    Edit::Set { value, .. } => Some((key.clone(), value.clone())),
                    Edit::Insert { list, .. } => Some((key.clone(), inserted(list).into())),
                    _ => None,
                }
            });
            Value::Object(kept.chain(new).collect())
        }
        Value::Array(items) => {
            let is_moved = |at: usize| {
                edits.iter().any(|edit| matches!(edit, Edit::Move { list, item, .. } if list == path && *item == at))
            };
            let mut out = Vec::new();
            after(None, items, path, edits, &mut out);
            for at in (0..items.len()).filter(|at| !is_moved(*at)) {
                out.extend(edited(&items[at], &path.clone().item(at), edits));
                after(Some(at), items, path, edits, &mut out);
            }
            Value::Array(out)
        }
        Value::Null if !inserted(path).is_empty() => inserted(path).into(),
        other => other.clone(),
    })
}

fn after(place: Option<usize>, items: &[Value], path: &Path, edits: &[Edit], out: &mut Vec<Value>) {
    for edit in edits {
        match edit {
            Edit::Insert { list, after, value, .. } if list == path && *after == place => {
                out.push(value.clone());
            }
            Edit::Move { list, item, after: anchor } if list == path && *anchor == place => {
                out.extend(edited(&items[*item], &path.clone().item(*item), edits));
                after(Some(*item), items, path, edits, out);
            }
            _ => {}
        }
    }
}

/// Numbers of the comments of a text in their order.
fn notes(text: &str) -> Vec<usize> {
    let parts = text.split("# note-").skip(1);
    parts.filter_map(|part| part.split('.').next()?.parse().ok()).collect()
}

/// Tells whether a comment may be gone.
fn may_go(comment: &Comment, tree: &Value, edits: &[Edit]) -> bool {
    let owner = &comment.owner.0;
    let emptied = (0..=owner.len()).any(|length| {
        let path = Path(owner[..length].to_vec());
        let mut places = Vec::new();
        paths(tree, &Path::root(), &mut places);
        let old = places.iter().find(|(at, _)| *at == path).map(|(_, value)| *value);
        let new = old.and_then(|old| edited(old, &path, edits));
        old.is_some_and(is_full) && new.is_none_or(|new| !is_full(&new))
    });
    emptied
        || edits.iter().any(|edit| match edit {
            // The last comment of a list may be indented deeper than its last item, and is then a part of that.
            Edit::Remove { path } => {
                owner.starts_with(&path.0)
                    || path.0.len() == owner.len() + 1
                        && path.0.starts_with(owner)
                        && is_last_item(tree, path)
            }
            Edit::Set { path, .. } => {
                owner.starts_with(&path.0) && !(comment.is_outside && *owner == path.0)
            }
            _ => false,
        })
}

/// Tells whether a path is that of the last item of a list.
fn is_last_item(tree: &Value, path: &Path) -> bool {
    let Some((PathStep::Item(last), list)) = path.0.split_last() else { return false };
    let mut places = Vec::new();
    paths(tree, &Path::root(), &mut places);
    let found = places.iter().find(|(at, _)| at.0 == list);
    found.and_then(|(_, value)| value.as_array()).is_some_and(|items| items.len() == last + 1)
}

fn checked(tree: &Value, printed: &Printed, edits: &[Edit]) -> Result<(), TestCaseError> {
    let read = |text: &str| {
        crate::page_file::read::read(text.trim_start_matches('\u{feff}'))
            .map(|root| root.to_json().to_string())
    };
    prop_assert_eq!(
        read(&printed.text).map_err(|it| format!("{it:?}")),
        Ok(tree.to_string()),
        "{}",
        printed.text
    );
    prop_assert_eq!(&patch(&printed.text, &[]).unwrap(), &printed.text);

    let result = patch(&printed.text, edits);
    let pairs = edits
        .iter()
        .enumerate()
        .flat_map(|(at, one)| edits[at + 1..].iter().map(move |it| (one, it)));
    if pairs.into_iter().any(|(one, other)| contradict(one, other)) || is_circular(edits) {
        prop_assert!(matches!(result, Err(PatchError::Overlap(_))), "{:?}", result);
        return Ok(());
    }
    let is_mark =
        |edit: &&Edit| matches!(edit, Edit::Mark { .. } | Edit::Insert { mark: Some(_), .. });
    let expected = edited(tree, &Path::root(), edits).unwrap_or_default();
    if !is_full(&expected) && is_full(tree) {
        prop_assert!(matches!(result, Err(PatchError::NotInPlace { .. })), "{:?}", result);
        return Ok(());
    }
    if printed.is_json && edits.iter().any(|edit| is_mark(&edit)) {
        prop_assert!(matches!(result, Err(PatchError::NotMarkable { .. })), "{:?}", result);
        return Ok(());
    }
    let after = match result {
        Ok(after) => after,
        // The line of a mark may begin in another entry, if a flow collection has several entries on a line.
        Err(PatchError::NotInPlace { reason: "it shares lines with other values", .. })
            if printed.has_flow_lines && edits.iter().any(|edit| is_mark(&edit)) =>
        {
            return Ok(());
        }
        Err(PatchError::NotInPlace {
            reason: "there are comments between its entries", ..
        }) if printed.has_flow_lines => return Ok(()),
        Err(error) => return Err(TestCaseError::fail(format!("{error:?}"))),
    };
    prop_assert_eq!(read(&after).unwrap(), expected.to_string(), "{}", after);
    prop_assert_eq!(after.contains("\r\n"), printed.text.contains("\r\n") && after.contains('\n'));
    prop_assert_eq!(after.starts_with('\u{feff}'), printed.text.starts_with('\u{feff}'));

    let (before, left) = (notes(&printed.text), notes(&after));
    let kept: BTreeSet<usize> = left.iter().copied().collect();
    prop_assert_eq!(kept.len(), left.len(), "a comment is repeated in\n{}", after);
    let kept_marks = kept.iter().filter(|number| printed.comments[**number].is_mark).count();
    let new_marks = edits.iter().filter(is_mark).count();
    prop_assert_eq!(marks(&after).len(), kept_marks + new_marks, "{}", after);
    for (number, comment) in printed.comments.iter().enumerate() {
        let is_there = kept.contains(&number) || may_go(comment, tree, edits);
        prop_assert!(is_there, "{} is gone from\n{}\nin\n{}", number, printed.text, after);
    }
    if !edits.iter().any(|edit| matches!(edit, Edit::Move { .. })) {
        let in_order: Vec<usize> = before.into_iter().filter(|it| kept.contains(it)).collect();
        prop_assert_eq!(left, in_order, "{}\nbecame\n{}", printed.text, after);
    }
    Ok(())
}

fn run(values: Vec<u16>) -> Result<(), TestCaseError> {
    let choices = &mut Choices::new(values);
    let count = 1 + choices.below(6);
    let mut tree = object(choices, 3);
    if !is_full(&tree) {
        tree = json!({"profile": "cafe", "socials": []});
    }
    let edits: Vec<Edit> = (0..count).map(|number| edit(&tree, choices, number)).collect();
    let printed = printed(&tree, choices);
    checked(&tree, &printed, &edits)
        .map_err(|error| TestCaseError::fail(format!("{error}\n{}\nwith {edits:?}", printed.text)))
}

proptest! {
    #[test]
    fn items_come_into_every_order(order in Just((0..12).collect::<Vec<usize>>()).prop_shuffle()) {
        let list = json!((0..12).collect::<Vec<_>>()).to_string();
        let edits = moves(&Path::root(), &order);
        let after: Vec<usize> = serde_json::from_str(&patch(&list, &edits).unwrap()).unwrap();
        prop_assert_eq!(after, order);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_patched_file_is_read_as_the_tree_with_the_edits(values in proptest::collection::vec(any::<u16>(), 0..1_500)) {
        run(values)?;
    }
}
