//! Rearrangement of the items of a page file, each with its original place in the text.

use links_sdk::apply::{DesiredSlot, literal_key};

use super::Document;
use super::node::{Key, Node, Span, Tree};

/// Item of a rearranged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LayoutChange {
    /// Item at this index of the original file, without these keys of its data.
    Own { at: usize, without: Vec<String> },
    /// Slot of the page that is not in the file and stays unchanged.
    New { id: i64, kind: String },
}

impl LayoutChange {
    /// Id of the slot that the item names, if any. `items` are the items of the file.
    pub(crate) fn id(&self, items: &[DesiredSlot]) -> Option<i64> {
        match self {
            Self::Own { at, .. } => items.get(*at)?.id,
            Self::New { id, .. } => Some(*id),
        }
    }
}

impl Document {
    /// Returns the document with these items as its `slots`.
    #[must_use]
    pub(crate) fn rearranged(mut self, items: &[LayoutChange]) -> Self {
        if let Tree::Map(entries) = &mut self.root.tree
            && let Some((_, slots)) = entries.iter_mut().find(|(key, _)| key.name == "slots")
            && let Tree::List(written) = &slots.tree
        {
            let span = &slots.span;
            let item = |item: &LayoutChange| match item {
                LayoutChange::Own { at, without } => written.get(*at).map(|it| pruned(it, without)),
                LayoutChange::New { id, kind } => Some(made(span, *id, kind)),
            };
            slots.tree = Tree::List(items.iter().filter_map(item).collect());
        }
        self
    }
}

/// Returns an item without these keys of its data.
fn pruned(item: &Node, without: &[String]) -> Node {
    let mut item = item.clone();
    if let Tree::Map(entries) = &mut item.tree
        && let Some((_, data)) = entries.iter_mut().find(|(key, _)| key.name == "data")
        && let Tree::Map(entries) = &mut data.tree
    {
        let name = |key: &Key| literal_key(&key.name).unwrap_or(&key.name).to_owned();
        entries.retain(|(key, _)| !without.contains(&name(key)));
    }
    item
}

/// Creates an item that is not in the text.
fn made(span: &Span, id: i64, kind: &str) -> Node {
    let entry = |name: &str, tree| {
        let key = Key { span: span.clone(), name: name.to_owned(), is_literal: true };
        (key, Node { span: span.clone(), tree })
    };
    let entries =
        vec![entry("id", Tree::Number(id.into())), entry("type", Tree::Text(kind.to_owned()))];
    Node { span: span.clone(), tree: Tree::Map(entries) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rearranged_items_keep_their_lines_in_the_source() {
        let text = "profile: cafe\nslots:\n- {id: 1, type: text, data: {title: A, note: b}}\n- {type: divider}\n";
        let document = Document::from_bytes("page.yaml", text.into()).unwrap();
        let items = [
            LayoutChange::Own { at: 1, without: Vec::new() },
            LayoutChange::New { id: 9, kind: "text".into() },
            LayoutChange::Own { at: 0, without: vec!["note".into()] },
        ];
        let document = document.rearranged(&items);
        assert_eq!(
            document.root.to_json()["slots"],
            json!([{"type": "divider"}, {"id": 9, "type": "text"}, {"id": 1, "type": "text", "data": {"title": "A"}}])
        );
        let bad = document.refuse([("slots.2.data.title", "refused")]);
        assert_eq!(bad.places().next().map(|(line, ..)| line), Some(3));
    }
}
