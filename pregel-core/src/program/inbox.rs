//! How messages reach a vertex: combined into one, or all of them.

use core::cell::Cell;
use core::marker::PhantomData;

use super::{Monoid, Program, Value};

/// The message type of a program.
pub type Message<P> = <<P as Program>::Combiner as Delivery>::Message;

/// What [`VertexCompute::vertex_compute`](super::VertexCompute::vertex_compute)
/// receives: `Option<Message>` with a combiner, [`Mail`] with a [`List`].
pub type Inbox<'a, P> = <<P as Program>::Combiner as Delivery>::Inbox<'a>;

/// How the messages of one vertex and one superstep are handed over.
///
/// Implemented for every [`Monoid`] and for [`List`]; nothing else can be,
/// because an engine has to know how to make an inbox.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a combiner nor a message list",
    label = "not a combiner",
    note = "use `Min<T>`, `Max<T>`, `Sum<T>`, `Or<T>`, `Any<T>`, `List<T>`, or implement `Monoid` for a type of your own",
    note = "`Any<T>` and `List<T>` take plain data (`Pod`), the others numbers"
)]
pub trait Delivery: sealed::Sealed + Copy + Send + Sync + 'static {
    /// What travels along an edge.
    type Message: Value;
    /// What the vertex is given.
    type Inbox<'a>;
    /// Whether messages combine; if not, engines must keep each of them.
    const COMBINES: bool;
    /// See [`Monoid::LAW`]; a list is `Exact`: nothing is combined.
    const MERGE_LAW: super::Law;
    /// See [`Monoid::NATIVE`]; a list combines nothing.
    const MERGE_NATIVE: Option<super::Native>;

    /// Combines two messages; a list never asks.
    fn merge(a: Self::Message, b: Self::Message) -> Self::Message;
    /// See [`Monoid::identity`]; zeroes for a list.
    fn neutral() -> Self::Message;
    /// See [`Monoid::absorbing`]; never for a list.
    fn settled(value: &Self::Message) -> bool;

    /// Makes the inbox of a combiner program from the combined message.
    /// A list sees a mail of at most one message.
    fn inbox_of_one(message: &mut Option<Self::Message>) -> Self::Inbox<'_>;
    /// Makes the inbox from every message of the vertex.
    fn inbox_of_all(messages: &mut [Self::Message]) -> Self::Inbox<'_>;
    /// The same from `len` messages that lie `stride` apart.
    ///
    /// # Panics
    /// If `cells` is too short to hold them, or `stride` is 0.
    fn inbox_of_cells(cells: &[Cell<Self::Message>], stride: usize, len: usize) -> Self::Inbox<'_>;
}

mod sealed {
    pub trait Sealed {}
    #[diagnostic::do_not_recommend]
    impl<M: super::Monoid> Sealed for M {}
    impl<T: super::Value> Sealed for super::List<T> {}
}

#[diagnostic::do_not_recommend]
impl<M: Monoid> Delivery for M {
    type Message = M::Value;
    type Inbox<'a> = Option<M::Value>;
    const COMBINES: bool = true;
    const MERGE_LAW: super::Law = M::LAW;
    const MERGE_NATIVE: Option<super::Native> = M::NATIVE;

    #[inline(always)]
    fn merge(a: M::Value, b: M::Value) -> M::Value {
        M::combine(a, b)
    }
    #[inline(always)]
    fn neutral() -> M::Value {
        M::identity()
    }
    #[inline(always)]
    fn settled(value: &M::Value) -> bool {
        M::absorbing(value)
    }
    #[inline(always)]
    fn inbox_of_one(message: &mut Option<M::Value>) -> Option<M::Value> {
        *message
    }
    #[inline(always)]
    fn inbox_of_all(messages: &mut [M::Value]) -> Option<M::Value> {
        messages.iter().copied().reduce(M::combine)
    }
    #[inline(always)]
    fn inbox_of_cells(cells: &[Cell<M::Value>], stride: usize, len: usize) -> Option<M::Value> {
        cells.iter().step_by(stride).take(len).map(Cell::get).reduce(M::combine)
    }
}

/// Marks a program whose vertices receive every message, uncombined.
#[derive(Clone, Copy, Debug)]
pub struct List<T>(PhantomData<fn() -> T>);

impl<T: Value> Delivery for List<T> {
    type Message = T;
    type Inbox<'a> = Mail<'a, T>;
    const COMBINES: bool = false;
    const MERGE_LAW: super::Law = super::Law::Exact;
    const MERGE_NATIVE: Option<super::Native> = None;

    #[inline(always)]
    fn merge(a: T, _: T) -> T {
        a
    }
    #[inline(always)]
    fn neutral() -> T {
        T::zeroed()
    }
    #[inline(always)]
    fn settled(_: &T) -> bool {
        false
    }
    #[inline(always)]
    fn inbox_of_one(message: &mut Option<T>) -> Mail<'_, T> {
        Mail::new(message.as_mut_slice())
    }
    #[inline(always)]
    fn inbox_of_all(messages: &mut [T]) -> Mail<'_, T> {
        Mail::new(messages)
    }
    #[inline(always)]
    fn inbox_of_cells(cells: &[Cell<T>], stride: usize, len: usize) -> Mail<'_, T> {
        Mail::strided(cells, stride, len)
    }
}

/// All messages of one vertex in one superstep, in no particular order.
///
/// The messages may lie side by side or `stride` apart (the column-major
/// buffer of a GPU); the methods hide which. They are the vertex's own
/// scratch space until the call returns.
#[allow(missing_debug_implementations, reason = "a view that lives for one call")]
pub struct Mail<'a, T>(Place<'a, T>);

enum Place<'a, T> {
    Contiguous(&'a mut [T]),
    Strided { cells: &'a [Cell<T>], stride: usize, len: usize },
}

impl<'a, T: Value> Mail<'a, T> {
    /// Messages side by side.
    #[inline(always)]
    pub fn new(messages: &'a mut [T]) -> Self {
        Self(Place::Contiguous(messages))
    }

    /// `len` messages, `stride` apart, the first at `cells[0]`. For engines.
    ///
    /// # Panics
    /// If `cells` is too short to hold them, or `stride` is 0.
    #[inline(always)]
    pub fn strided(cells: &'a [Cell<T>], stride: usize, len: usize) -> Self {
        assert!(stride > 0 && (len == 0 || (len - 1) * stride < cells.len()));
        Self(Place::Strided { cells, stride, len })
    }

    /// Number of messages.
    #[inline(always)]
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Contiguous(messages) => messages.len(),
            Place::Strided { len, .. } => *len,
        }
    }

    /// Whether no message came.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Message `i`.
    ///
    /// # Panics
    /// If there is no such message.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        assert!(i < self.len());
        match &self.0 {
            Place::Contiguous(messages) => messages[i],
            Place::Strided { cells, stride, .. } => cells[i * stride].get(),
        }
    }

    /// Replaces message `i`.
    ///
    /// # Panics
    /// If there is no such message.
    #[inline(always)]
    pub fn set(&mut self, i: usize, value: T) {
        assert!(i < self.len());
        match &mut self.0 {
            Place::Contiguous(messages) => messages[i] = value,
            Place::Strided { cells, stride, .. } => cells[i * *stride].set(value),
        }
    }

    /// Every message.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }
}

impl<T: Value + Ord> Mail<'_, T> {
    /// Sorts the messages in place, without allocating; O(k log k).
    pub fn sort(&mut self) {
        if let Place::Contiguous(messages) = &mut self.0 {
            messages.sort_unstable();
            return;
        }
        // Heapsort: the messages of a GPU's vertex are not a slice.
        let len = self.len();
        for root in (0..len / 2).rev() {
            self.sift_down(root, len);
        }
        for end in (1..len).rev() {
            let last = self.get(end);
            self.set(end, self.get(0));
            self.set(0, last);
            self.sift_down(0, end);
        }
    }

    /// Restores the heap below `root` among the first `end` messages.
    fn sift_down(&mut self, mut root: usize, end: usize) {
        let value = self.get(root);
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                break;
            }
            if child + 1 < end && self.get(child + 1) > self.get(child) {
                child += 1;
            }
            if self.get(child) <= value {
                break;
            }
            self.set(root, self.get(child));
            root = child;
        }
        self.set(root, value);
    }

    /// The most frequent message and how often it came; of equally frequent
    /// ones the smallest. `None` without messages. Sorts the mail.
    pub fn mode(&mut self) -> Option<(T, usize)> {
        self.sort();
        let mut best: Option<(T, usize)> = None;
        let mut start = 0;
        while start < self.len() {
            let value = self.get(start);
            let mut end = start + 1;
            while end < self.len() && self.get(end) == value {
                end += 1;
            }
            if best.is_none_or(|(_, count)| end - start > count) {
                best = Some((value, end - start));
            }
            start = end;
        }
        best
    }
}
