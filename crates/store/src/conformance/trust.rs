//! Trust is for what was seen, not for what came after.

use super::sample::at;
use super::{World, wait};
use crate::store::Store;
use crate::trust::Trusted;

pub fn trust_is_for_exactly_one_hash(world: &impl World) {
    let store = world.open();
    assert!(!wait(store.is_trusted("/p", "h1")).unwrap());
    wait(store.grant("/p", "h1", at(0))).unwrap();
    assert!(wait(store.is_trusted("/p", "h1")).unwrap());
    assert!(!wait(store.is_trusted("/p", "h2")).unwrap());
    assert!(!wait(store.is_trusted("/q", "h1")).unwrap());
    wait(store.grant("/p", "h2", at(1))).unwrap();
    assert!(!wait(store.is_trusted("/p", "h1")).unwrap());
    let only = Trusted { what: "/p".to_owned(), hash: "h2".to_owned(), at: at(1) };
    assert_eq!(wait(store.trusted()).unwrap(), [only]);
}

pub fn trust_can_be_taken_back(world: &impl World) {
    let store = world.open();
    wait(store.grant("/p", "h", at(0))).unwrap();
    assert!(wait(store.revoke("/p")).unwrap());
    assert!(!wait(store.revoke("/p")).unwrap());
    assert!(!wait(store.is_trusted("/p", "h")).unwrap());
    assert_eq!(wait(store.trusted()).unwrap(), []);
}
