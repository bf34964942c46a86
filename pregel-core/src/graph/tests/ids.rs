use proptest::prelude::*;

use crate::graph::{Id, IdError, Ids};

/// Every vertex is found by its id, as text and as number.
fn round_trip(ids: &Ids) {
    for v in 0..ids.len() {
        let id = ids.get(v);
        assert_eq!(ids.find(&id.to_string()), Some(v), "{id}");
        if let Id::Integer(id) = id {
            assert_eq!(ids.find_integer(id), Some(v));
        }
    }
}

fn names(names: &[&str]) -> Result<Ids, IdError> {
    let mut end = 0;
    let ends: Vec<u64> = names
        .iter()
        .map(|name| {
            end += name.len() as u64;
            end
        })
        .collect();
    Ids::names(names.concat().into_bytes().into(), ends.into())
}

#[test]
fn ranges_find_their_ids_only() {
    let ids = Ids::range(5, 4);
    round_trip(&ids);
    for stray in ["4", "9", "-1", "", "x", "5 ", "18446744073709551616"] {
        assert_eq!(ids.find(stray), None, "{stray:?}");
    }
    round_trip(&Ids::range(u64::MAX - 3, 4));
    assert!(Ids::range(0, 0).is_empty());
    assert!(Ids::range(u64::MAX, 0).is_empty());
}

#[test]
fn ranges_end_with_the_largest_id() {
    assert_eq!(Ids::range(u64::MAX, 1).find("18446744073709551615"), Some(0));
    let error = Ids::try_range(u64::MAX - 2, 4).unwrap_err();
    assert_eq!(error, IdError::TooLarge { first: u64::MAX - 2, count: 4 });
    assert_eq!(
        error.to_string(),
        "4 ids from 18446744073709551613 on exceed 18446744073709551615, the largest id"
    );
}

#[test]
fn dense_integers_become_a_range() {
    let ids = Ids::integers(vec![3, 4, 5].into()).unwrap();
    assert!(format!("{ids:?}").contains("Range"));
    round_trip(&ids);
    assert!(Ids::integers(Vec::new().into()).unwrap().is_empty());
}

#[test]
fn integers_must_ascend() {
    let refused = |ids: Vec<u64>| Ids::integers(ids.into()).unwrap_err();
    assert_eq!(refused(vec![1, 3, 3]), IdError::Order { vertex: 2 });
    assert_eq!(refused(vec![2, 1]), IdError::Order { vertex: 1 });
}

#[test]
fn names_are_found() {
    let ids = names(&["b", "", "a", "ä", "ba"]).unwrap();
    round_trip(&ids);
    assert_eq!(ids.get(3), Id::Name("ä"));
    assert_eq!(ids.find("bb"), None);
    assert_eq!(ids.find_integer(0), None);
    assert!(names(&[]).unwrap().is_empty());
}

#[test]
fn damaged_names_are_refused() {
    let refused = |text: &[u8], ends: &[u64]| {
        Ids::names(text.to_vec().into(), ends.to_vec().into()).unwrap_err()
    };
    assert_eq!(names(&["x", "y", "x"]).unwrap_err(), IdError::Twice { name: "x".into() });
    assert_eq!(refused(b"ab", &[2, 1]), IdError::Name { vertex: 1 });
    assert_eq!(refused(b"ab", &[1, 3]), IdError::Name { vertex: 1 });
    assert_eq!(refused(b"ab", &[1]), IdError::Name { vertex: 1 });
    assert_eq!(refused(b"a\xff", &[1, 2]), IdError::Name { vertex: 1 });
    // A name must not end inside a character.
    assert_eq!(refused("ä".as_bytes(), &[1, 2]), IdError::Name { vertex: 0 });
}

proptest! {
    #[test]
    fn integers_round_trip(ids in prop::collection::btree_set(any::<u64>(), 0..50), stray: u64) {
        let sparse = Ids::integers(ids.iter().copied().collect::<Vec<_>>().into()).unwrap();
        round_trip(&sparse);
        prop_assert_eq!(sparse.len() as usize, ids.len());
        prop_assert_eq!(sparse.find_integer(stray).is_some(), ids.contains(&stray));
    }

    #[test]
    fn names_round_trip(words in prop::collection::hash_set(".{0,6}", 0..50), stray in ".{0,6}") {
        let list: Vec<_> = words.iter().map(String::as_str).collect();
        let ids = names(&list).unwrap();
        round_trip(&ids);
        prop_assert_eq!(ids.find(&stray).is_some(), words.contains(&stray));
    }
}
