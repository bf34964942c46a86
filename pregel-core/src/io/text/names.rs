//! Vertices that have names.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::{LineError, shown};
use crate::graph::Ids;
use crate::io::LoadError;

/// Names in the order in which they first came.
#[derive(Default)]
pub(in crate::io) struct NameTable<'a> {
    vertices: HashMap<Cow<'a, str>, u32>,
}

impl<'a> NameTable<'a> {
    /// The dense id of a name, a new one if it comes for the first time.
    pub fn vertex(&mut self, name: Cow<'a, [u8]>) -> Result<u32, LineError> {
        let wrong = |name: &[u8]| LineError::Name { found: shown(name) };
        let known = std::str::from_utf8(&name).map_err(|_| wrong(&name))?;
        if let Some(vertex) = self.vertices.get(known) {
            return Ok(*vertex);
        }
        if known.chars().any(char::is_control) {
            return Err(wrong(&name));
        }
        let vertex = self.vertices.len() as u32;
        let name = match name {
            Cow::Borrowed(name) => std::str::from_utf8(name).map(Cow::Borrowed).ok(),
            Cow::Owned(name) => String::from_utf8(name).map(Cow::Owned).ok(),
        };
        self.vertices.extend(name.map(|name| (name, vertex)));
        Ok(vertex)
    }

    /// The ids of the vertices so far.
    pub fn finish(self, path: &Path) -> Result<Ids, LoadError> {
        let mut order = vec![""; self.vertices.len()];
        for (name, vertex) in &self.vertices {
            order[*vertex as usize] = name;
        }
        let text = order.concat().into_bytes();
        let end = |end: &mut u64, name: &&str| {
            *end += name.len() as u64;
            Some(*end)
        };
        let ends: Vec<u64> = order.iter().scan(0, end).collect();
        let damaged = |source| LoadError::Ids { path: path.to_owned(), source };
        Ids::names(text.into(), ends.into()).map_err(damaged)
    }
}
