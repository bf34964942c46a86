//! The inputs of a run: the caller's, or the states of another run, which stay where an
//! engine has them.

use std::borrow::Cow;
use std::fmt;

use super::{Engine, RunError};
use crate::program::{Program, Value};

/// One value per vertex, in the order of the graph's ids, where an engine keeps it: in
/// memory, or on a GPU.
///
/// [`Run::keep`](super::Run::keep) returns one, and
/// [`Session::follow`](super::Session::follow) takes it.
pub trait Kept<T> {
    /// Number of values.
    fn len(&self) -> usize;

    /// Whether there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the values. O(V).
    ///
    /// # Errors
    /// [`RunError::Device`] if a device fails.
    fn to_vec(&self) -> Result<Vec<T>, RunError>;

    /// The values in the memory of the host, copied if they are not there. O(V).
    ///
    /// # Errors
    /// As [`to_vec`](Kept::to_vec).
    fn into_vec(self) -> Result<Vec<T>, RunError>
    where
        Self: Sized,
    {
        self.to_vec()
    }
}

impl<T: Value> Kept<T> for Vec<T> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn to_vec(&self) -> Result<Vec<T>, RunError> {
        Ok(self.clone())
    }

    fn into_vec(self) -> Result<Self, RunError> {
        Ok(self)
    }
}

/// The inputs of a run, one per vertex, in the order of the graph's ids.
pub enum Inputs<'a, T: Clone, K> {
    /// Those of the caller. An empty slice stands for any number of zero-sized inputs.
    Given(Cow<'a, [T]>),
    /// The states that another run [kept](super::Run::keep).
    Kept(K),
}

/// The inputs that a session of engine `E` takes for program `P`.
pub type InputsOf<'a, E, P> =
    Inputs<'a, <P as Program>::Input, <E as Engine>::Kept<<P as Program>::Input>>;

impl<'a, T: Value, K: Kept<T>> Inputs<'a, T, K> {
    /// Number of inputs.
    pub fn len(&self) -> usize {
        match self {
            Self::Given(values) => values.len(),
            Self::Kept(kept) => kept.len(),
        }
    }

    /// Whether there are no inputs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The inputs in the memory of the host, copied if they are not there.
    ///
    /// # Errors
    /// [`RunError::Device`] if a device fails.
    pub fn into_host(self) -> Result<Cow<'a, [T]>, RunError> {
        match self {
            Self::Given(values) => Ok(values),
            Self::Kept(kept) => kept.into_vec().map(Cow::Owned),
        }
    }
}

impl<'a, T: Clone, K> From<&'a [T]> for Inputs<'a, T, K> {
    fn from(values: &'a [T]) -> Self {
        Self::Given(Cow::Borrowed(values))
    }
}

impl<T: Clone, K> fmt::Debug for Inputs<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(values) => f.debug_struct("Given").field("values", &values.len()).finish(),
            Self::Kept(_) => f.debug_struct("Kept").finish_non_exhaustive(),
        }
    }
}
