//! Identity: which slot each item of a file is. An item is bound to an entry of the record of the last sync, the entry to a slot of the
//! page by its id. The first of these rules that fits decides:
//!
//! 1. The `id` that the item gives, also an earlier id of the slot.
//! 2. Equal hashes of all keys that the file mentions: a longest common subsequence first, then anywhere.
//! 3. An item that equals a slot of the page which the last sync did not know is that slot (it was made on both sides).
//! 4. A telling value in common, most of them first, then neighbours in common.
//! 5. The only item and the only entry of a type between the same neighbours.
//!
//! Where nothing tells which of several slots an item is, and the slots differ on the page, it is refused.

mod adoption;
mod between;
mod binder;
mod by_id;
mod equal;
mod identify;
mod read_only;
mod recreated;
mod resembling;

pub(super) use identify::{Identities, ItemIdentity, identify};
