//! States that stay where an engine has them, for a run that follows another.

use super::RunError;
use crate::program::Value;

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
}

impl<T: Value> Kept<T> for Vec<T> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn to_vec(&self) -> Result<Vec<T>, RunError> {
        Ok(self.clone())
    }
}
