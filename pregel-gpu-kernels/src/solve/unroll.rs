//! Loops that are written out before the compiler sees them.
//!
//! An array stays in registers only if all of its indices are constants. The compiler unrolls
//! loops too late for large ones: they then lie in local memory, which is that of the device.

/// Writes a block once for each value of a constant.
macro_rules! unroll {
    (2, |$i:ident| $body:block) => { $crate::solve::unroll::each!($i $body 0 1) };
    (4, |$i:ident| $body:block) => { $crate::solve::unroll::each!($i $body 0 1 2 3) };
    (8, |$i:ident| $body:block) => { $crate::solve::unroll::each!($i $body 0 1 2 3 4 5 6 7) };
}

macro_rules! each {
    ($i:ident $body:block $($value:literal)+) => {
        $({
            #[allow(non_upper_case_globals)]
            const $i: usize = $value;
            $body
        })+
    };
}

pub(super) use {each, unroll};
