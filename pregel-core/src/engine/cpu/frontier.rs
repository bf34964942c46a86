//! The vertices that scatter: a list while they are few, a bitmap otherwise.

use super::bitmap::Bitmap;
use crate::program::VertexId;

/// A set of vertices in one of two forms.
#[derive(Debug)]
pub(super) struct Frontier {
    pub(super) bits: Bitmap,
    list: Vec<VertexId>,
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
}

impl Frontier {
    pub(super) fn new(vertices: u32) -> Self {
        let bits = Bitmap::new(vertices);
        Self { bits, list: Vec::new(), form: Form::Bits, count: 0, edges: 0 }
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

    /// The set as bits; O(V / 64) after a list.
    pub(super) fn as_bits(&mut self) -> &Bitmap {
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
            Form::List => f(&Bitmap::of(vertices, &self.list)),
        }
    }

    /// The set as a list; O(V / 64) after bits.
    pub(super) fn as_list(&mut self) -> &[VertexId] {
        if self.form == Form::Bits {
            self.list = self.bits.to_list(self.count as usize);
            self.form = Form::List;
        }
        &self.list
    }
}
