//! A sequence of bits, and the codes of natural numbers in it: Boldi and
//! Vigna, "Codes for the World Wide Web", Internet Mathematics 2(4), 2005.

/// How natural numbers are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// As many zeros, then a one.
    Unary,
    /// The length of n + 1 in unary, then its bits without the first.
    Gamma,
    /// The length of n + 1 in γ, then its bits without the first.
    Delta,
    /// How many groups of `k` bits n + 1 has in unary, then those in minimal
    /// binary; `k` is at least 1.
    Zeta { k: u64 },
    /// The quotient by `modulus`, at least 1, in unary, then the remainder in
    /// minimal binary.
    Golomb { modulus: u64 },
    /// Groups of three bits; the bit before each says whether it is the last.
    Nibble,
    /// Elias' ω.
    Omega,
    /// The length of n + 1 in a Rice code with `k` low bits, then its bits
    /// without the first.
    Pi { k: u32 },
}

/// Why there is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The bits end.
    End,
    /// It does not fit in 64 bits.
    TooLarge,
}

/// A reader of bits. They begin at the highest bit of each byte, or at the
/// lowest if `LITTLE`; so do the bits of each number.
pub(super) struct Bits<'a, const LITTLE: bool> {
    bytes: &'a [u8],
    at: u64,
}

/// The most bits that one window is sure to hold.
const WINDOW: u32 = 57;

impl<'a, const LITTLE: bool> Bits<'a, LITTLE> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The place of the next bit.
    pub fn at(&self) -> u64 {
        self.at
    }

    fn end(&self) -> u64 {
        8 * self.bytes.len() as u64
    }

    /// The next bits, at least [`WINDOW`] of them, followed by zeros: from the
    /// highest bit down, or from the lowest up if `LITTLE`.
    fn window(&self) -> u64 {
        let rest = usize::try_from(self.at / 8).ok().and_then(|byte| self.bytes.get(byte..));
        let rest = rest.unwrap_or_default();
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        });
        let before = self.at % 8;
        if LITTLE { u64::from_le_bytes(word) >> before } else { u64::from_be_bytes(word) << before }
    }

    fn unary(&mut self) -> Result<u64, Failure> {
        let start = self.at;
        while self.at < self.end() {
            let window = self.window();
            let zeros = if LITTLE { window.trailing_zeros() } else { window.leading_zeros() };
            if window != 0 {
                let end = self.at + u64::from(zeros);
                self.at = end + 1;
                return Ok(end - start);
            }
            self.at += 64 - self.at % 8;
        }
        Err(Failure::End)
    }

    /// A number of `count` bits, at most 64.
    fn fixed(&mut self, count: u32) -> Result<u64, Failure> {
        if count > WINDOW {
            let (first, second) = if LITTLE { (32, count - 32) } else { (count - 32, 32) };
            let (first, second) = (self.fixed(first)?, self.fixed(second)?);
            return Ok(if LITTLE { second << 32 | first } else { first << 32 | second });
        }
        if u64::from(count) > self.end().saturating_sub(self.at) {
            return Err(Failure::End);
        }
        let window = self.window();
        self.at += u64::from(count);
        Ok(match count {
            0 => 0,
            _ if LITTLE => window & ((1 << count) - 1),
            _ => window >> (64 - count),
        })
    }

    /// What a number with `length` bits after its first is, less 1.
    fn after_first(&mut self, length: u64) -> Result<u64, Failure> {
        if length >= 64 {
            return Err(Failure::TooLarge);
        }
        let rest = self.fixed(length as u32)?;
        Ok((1 << length | rest) - 1)
    }

    /// A number below `bound`, in minimal binary.
    fn minimal_binary(&mut self, bound: u64) -> Result<u64, Failure> {
        let length = bound.ilog2();
        // There are this many short codes; it is 2^(length + 1) - bound.
        let short = (1 << length) - (bound - (1 << length));
        let value = self.fixed(length)?;
        if value < short {
            return Ok(value);
        }
        Ok((value << 1 | self.fixed(1)?) - short)
    }

    fn gamma(&mut self) -> Result<u64, Failure> {
        let length = self.unary()?;
        self.after_first(length)
    }

    fn zeta(&mut self, k: u64) -> Result<u64, Failure> {
        let groups = self.unary()?;
        let low = groups.checked_mul(k).filter(|low| low.saturating_add(k) < 64);
        let low = low.ok_or(Failure::TooLarge)?;
        let first = 1 << low;
        let bound = (first << k) - first;
        Ok(first + self.minimal_binary(bound)? - 1)
    }

    fn golomb(&mut self, modulus: u64) -> Result<u64, Failure> {
        let quotient = self.unary()?;
        let rest = self.minimal_binary(modulus)?;
        let value = quotient.checked_mul(modulus).and_then(|value| value.checked_add(rest));
        value.ok_or(Failure::TooLarge)
    }

    fn nibbles(&mut self) -> Result<u64, Failure> {
        let mut value = 0u64;
        loop {
            if value >> 61 != 0 {
                return Err(Failure::TooLarge);
            }
            let last = self.fixed(1)?;
            value = value << 3 | self.fixed(3)?;
            if last == 1 {
                return Ok(value);
            }
        }
    }

    fn omega(&mut self) -> Result<u64, Failure> {
        let mut value = 1;
        while self.fixed(1)? == 1 {
            // It is the first of `value` + 1 bits, in either order of bits.
            if value >= 64 {
                return Err(Failure::TooLarge);
            }
            value = 1 << value | self.fixed(value as u32)?;
        }
        Ok(value - 1)
    }

    fn pi(&mut self, k: u32) -> Result<u64, Failure> {
        let high = self.unary()?;
        if high >= 64 {
            return Err(Failure::TooLarge);
        }
        let length = high << k | self.fixed(k)?;
        self.after_first(length)
    }

    /// Reads a number.
    pub fn read(&mut self, code: Code) -> Result<u64, Failure> {
        match code {
            Code::Unary => self.unary(),
            Code::Gamma => self.gamma(),
            Code::Delta => {
                let length = self.gamma()?;
                self.after_first(length)
            }
            Code::Zeta { k } => self.zeta(k),
            Code::Golomb { modulus } => self.golomb(modulus),
            Code::Nibble => self.nibbles(),
            Code::Omega => self.omega(),
            Code::Pi { k } => self.pi(k),
        }
    }
}
