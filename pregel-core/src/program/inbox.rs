//! How messages reach a vertex: combined into one, or all of them.

use core::cell::Cell;
use core::marker::PhantomData;

use super::{Mail, Monoid, Program, Value};

/// The message type of a program.
pub type Message<P> = <<P as Program>::Combiner as Delivery>::Message;

/// What [`VertexCompute::vertex_compute`](super::VertexCompute::vertex_compute)
/// receives: `Option<Message>` with a combiner, [`Mail`] with a [`List`] or [`Sorted`].
pub type Inbox<'a, P> = <<P as Program>::Combiner as Delivery>::Inbox<'a>;

/// How the messages of one vertex and one superstep are handed over.
///
/// Implemented for every [`Monoid`], for [`List`] and [`Sorted`]; nothing else can
/// be, because an engine has to know how to make an inbox.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a combiner nor a message list",
    label = "not a combiner",
    note = "`List<T>` takes plain data: numbers, and structs that derive `Pod`",
    note = "`Sorted<T>` takes plain data that is `Ord`: integers, but not floats, which have no total order",
    note = "`Min<T>`, `Max<T>` and `Sum<T>` take numbers, `Or<T>` unsigned integers, `Any<T>` plain data; or implement `Monoid` for a type of your own"
)]
pub trait Delivery: sealed::Sealed + Copy + Send + Sync + 'static {
    /// What travels along an edge.
    type Message: Value;
    /// What the vertex is given.
    type Inbox<'a>;
    /// Whether messages combine; if not, engines must keep each of them.
    const COMBINES: bool;
    /// Whether messages are handed over in ascending order.
    const SORTED: bool = false;
    /// See [`Monoid::LAW`]; a list is `Exact`: nothing is combined.
    const MERGE_LAW: super::Law;
    /// [`Monoid::NATIVE`], if it fits the value that it claims to combine; a
    /// list combines nothing.
    const MERGE_NATIVE: Option<super::Native>;

    /// Combines two messages. Never called for a list.
    fn merge(a: Self::Message, b: Self::Message) -> Self::Message;
    /// See [`Monoid::identity`]; zeroes for a list.
    fn neutral() -> Self::Message;
    /// See [`Monoid::absorbing`]; never for a list.
    fn settled(value: &Self::Message) -> bool;
    /// Whether `a` may stand before `b` in the inbox.
    #[inline(always)]
    fn in_order(_a: &Self::Message, _b: &Self::Message) -> bool {
        true
    }

    /// Makes the inbox of a combiner program from the combined message.
    /// A list sees a mail of at most one message.
    fn inbox_of_one(message: &mut Option<Self::Message>) -> Self::Inbox<'_>;
    /// Makes the inbox from every message of the vertex.
    fn inbox_of_all(messages: &mut [Self::Message]) -> Self::Inbox<'_>;
    /// The same from `len` messages that lie `stride` apart and, if `sorted`, are in
    /// order already.
    ///
    /// # Panics
    /// If `cells` is too short to hold them, or `stride` is 0.
    fn inbox_of_cells(
        cells: &[Cell<Self::Message>],
        stride: usize,
        len: usize,
        sorted: bool,
    ) -> Self::Inbox<'_>;
}

mod sealed {
    pub trait Sealed {}
    #[diagnostic::do_not_recommend]
    impl<M: super::Monoid> Sealed for M {}
    impl<T: super::Value> Sealed for super::List<T> {}
    impl<T: super::Value + Ord> Sealed for super::Sorted<T> {}
}

impl<M: Monoid> Delivery for M {
    type Message = M::Value;
    type Inbox<'a> = Option<M::Value>;
    const COMBINES: bool = true;
    const MERGE_LAW: super::Law = M::LAW;
    const MERGE_NATIVE: Option<super::Native> = super::Native::of_monoid::<M>();

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
    fn inbox_of_cells(
        cells: &[Cell<M::Value>],
        stride: usize,
        len: usize,
        _: bool,
    ) -> Option<M::Value> {
        cells.iter().step_by(stride).take(len).map(Cell::get).reduce(M::combine)
    }
}

/// Marks a program whose vertices receive every message, uncombined, in no
/// particular order.
#[derive(Debug)]
pub struct List<T>(PhantomData<fn() -> T>);

/// Marks a program whose vertices receive every message, uncombined, in ascending
/// order.
///
/// The engine sorts. On a GPU many threads do so for a vertex with many messages,
/// while [`Mail::sort`] has only one. What a program makes of sorted messages does not
/// depend on the order in which they arrived.
#[derive(Debug)]
pub struct Sorted<T>(PhantomData<fn() -> T>);

super::monoid::copy! {
    List<T>;
    Sorted<T>;
}

/// What both have in common: every message is kept.
macro_rules! kept {
    () => {
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
    };
}

impl<T: Value> Delivery for List<T> {
    kept!();

    #[inline(always)]
    fn inbox_of_all(messages: &mut [T]) -> Mail<'_, T> {
        Mail::new(messages)
    }
    #[inline(always)]
    fn inbox_of_cells(cells: &[Cell<T>], stride: usize, len: usize, _: bool) -> Mail<'_, T> {
        Mail::strided(cells, stride, len)
    }
}

impl<T: Value + Ord> Delivery for Sorted<T> {
    kept!();
    const SORTED: bool = true;

    #[inline(always)]
    fn in_order(a: &T, b: &T) -> bool {
        a <= b
    }
    #[inline(always)]
    fn inbox_of_all(messages: &mut [T]) -> Mail<'_, T> {
        let mut mail = Mail::new(messages);
        mail.sort();
        mail
    }
    #[inline(always)]
    fn inbox_of_cells(cells: &[Cell<T>], stride: usize, len: usize, sorted: bool) -> Mail<'_, T> {
        let mut mail = Mail::strided(cells, stride, len);
        if sorted {
            mail.mark_sorted();
        } else {
            mail.sort();
        }
        mail
    }
}
