//! The vertices that scatter: lists while they are few, a bitmap otherwise.

use super::bitmap::Bitmap;
use crate::program::VertexId;

/// A thread of a team has found too much if its part has more than this percentage of the edges of
/// an equal share.
const UNEVEN: u64 = 115;

/// A set of vertices in one of three forms.
#[derive(Debug)]
pub(super) struct Frontier {
    pub(super) bits: Bitmap,
    list: Vec<VertexId>,
    /// What each thread of a team has found.
    parts: Vec<Part>,
    form: Form,
    /// Number of vertices.
    pub(super) count: u64,
    /// Number of edges along which they send.
    pub(super) edges: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Bits,
    List,
    Parts,
}

/// A part of the set.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) list: Vec<VertexId>,
    /// Number of edges along which they send.
    pub(super) edges: u64,
}

impl Frontier {
    pub(super) fn new(vertices: u32) -> Self {
        let bits = Bitmap::new(vertices);
        let (list, parts) = (Vec::new(), Vec::new());
        Self { bits, list, parts, form: Form::Bits, count: 0, edges: 0 }
    }

    /// Notes that `bits` now holds the set.
    pub(super) fn now_bits(&mut self, count: u64, edges: u64) {
        (self.form, self.count, self.edges) = (Form::Bits, count, edges);
    }

    /// Replaces the set by a list without duplicates. `list` then has room for another.
    pub(super) fn now_list(&mut self, list: &mut Vec<VertexId>, edges: u64) {
        (self.form, self.count, self.edges) = (Form::List, list.len() as u64, edges);
        std::mem::swap(&mut self.list, list);
    }

    /// Replaces the set by the lists of `count` parts, which `change` replaces. No vertex may be in
    /// two of them.
    pub(super) fn now_parts(&mut self, count: usize, change: impl FnOnce(&mut [Part])) {
        self.parts.resize_with(count, Part::default);
        change(&mut self.parts);
        self.form = Form::Parts;
        self.count = self.parts.iter().map(|part| part.list.len() as u64).sum();
        self.edges = self.parts.iter().map(|part| part.edges).sum();
    }

    /// The set as `count` parts: those that were found, unless some are much larger than others.
    pub(super) fn as_parts(&mut self, count: usize) -> &[Part] {
        let largest = self.parts.iter().map(|part| part.edges).max().unwrap_or(0);
        let is_even = 100 * largest * count as u64 <= UNEVEN * self.edges;
        if self.form != Form::Parts || self.parts.len() != count || !is_even {
            self.as_list();
            self.parts.resize_with(count, Part::default);
            let each = self.list.len().div_ceil(count);
            let mut rest = &self.list[..];
            for part in &mut self.parts {
                let (own, later) = rest.split_at(each.min(rest.len()));
                part.list.clear();
                part.list.extend_from_slice(own);
                rest = later;
            }
        }
        &self.parts
    }

    /// Joins the parts.
    fn join(&mut self) {
        if self.form == Form::Parts {
            self.list.clear();
            self.parts.iter().for_each(|part| self.list.extend_from_slice(&part.list));
            self.form = Form::List;
        }
    }

    /// The set as bits; O(V / 64) after lists.
    pub(super) fn as_bits(&mut self) -> &Bitmap {
        self.join();
        if self.form == Form::List {
            self.bits.clear();
            for v in &self.list {
                self.bits.insert::<false>(*v);
            }
            self.form = Form::Bits;
        }
        &self.bits
    }

    /// Calls `f` with the set as bits, of `vertices` vertices.
    pub(super) fn with_bits<R>(&self, vertices: u32, f: impl FnOnce(&Bitmap) -> R) -> R {
        match self.form {
            Form::Bits => f(&self.bits),
            Form::List => f(&Bitmap::of(vertices, self.list.iter())),
            Form::Parts => f(&Bitmap::of(vertices, self.parts.iter().flat_map(|part| &part.list))),
        }
    }

    /// The set as a list; O(V / 64) after bits.
    pub(super) fn as_list(&mut self) -> &[VertexId] {
        self.join();
        if self.form == Form::Bits {
            self.bits.list_into(&mut self.list);
            self.form = Form::List;
        }
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_in_all_forms() {
        let members = [3, 64, 65, 66, 70, 129];
        let mut set = Frontier::new(130);
        set.now_list(&mut members.to_vec(), 60);
        for count in [1, 2, 4, 7] {
            let parts = set.as_parts(count);
            assert_eq!(parts.len(), count);
            let lists: Vec<&[VertexId]> = parts.iter().map(|part| &part.list[..]).collect();
            assert_eq!(lists.concat(), members);
            assert!(lists.iter().all(|list| list.len() <= 6_usize.div_ceil(count)));
            set.now_parts(count, |_| ());
            set.with_bits(130, |bits| {
                assert!((0..130).all(|v| bits.contains(v) == members.contains(&v)))
            });
            assert_eq!(set.as_list(), members);
        }
        set.as_parts(3);
        set.now_parts(3, |_| ());
        set.as_bits();
        assert_eq!(set.as_list(), members);
        assert_eq!(set.as_parts(2)[1].list, members[3..]);
    }

    #[test]
    fn parts_stay_as_they_were_found_while_they_are_even() {
        let mut set = Frontier::new(130);
        set.now_list(&mut vec![1, 2, 3], 30);
        set.as_parts(2);
        let found = |edges: [u64; 2]| {
            move |parts: &mut [Part]| {
                for ((part, list), edges) in
                    parts.iter_mut().zip([vec![5], vec![6, 7, 8]]).zip(edges)
                {
                    *part = Part { list, edges };
                }
            }
        };
        set.now_parts(2, found([100, 115]));
        assert_eq!((set.count, set.edges), (4, 215));
        assert_eq!(set.as_parts(2)[0].list, [5]);
        set.now_parts(2, found([100, 140]));
        assert_eq!(set.as_parts(2)[0].list, [5, 6]);
    }
}
