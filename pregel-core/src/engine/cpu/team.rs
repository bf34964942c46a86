//! Threads that stay from one small superstep to the next.
//!
//! To wake a thread takes as long as a thousand edges take, and a thread that is woken for a part
//! of the work that just comes along finds nothing of it in its caches. The threads of a team wait
//! in a loop, and always get the same part.

use std::any::Any;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{panicking, yield_now};
use std::time::{Duration, Instant};

/// The most threads of a team. One after another is called, and looked after.
const MOST: usize = 16;

/// The team is asked to join once it would have sent along this many edges.
const MISSED: u64 = 1 << 14;

/// The most edges that must be missed if threads did not come when they were asked.
const DEAREST: u64 = 1 << 22;

/// How long a thread waits in vain before it leaves.
const PATIENCE: Duration = Duration::from_micros(200);

/// How long a thread stays at most, so that whatever else its pool has to do gets its turn.
const SHIFT: Duration = Duration::from_millis(10);

/// A waiting thread reads the clock once for this many reads of its seat.
const LOOKS: u32 = 64;

/// Some threads of the current pool, and the one that calls them.
#[derive(Debug)]
pub(super) struct Team {
    shared: Arc<Shared>,
    /// Edges that the team would have sent along if it had been here.
    missed: u64,
    /// How many must be missed before threads are asked to join.
    price: u64,
}

#[derive(Debug)]
struct Shared {
    /// A seat for each thread but the one that calls.
    seats: Vec<Seat>,
    /// How many are taken.
    present: AtomicUsize,
    /// How many threads have been asked to join and have not left, or not come, since.
    asked: AtomicUsize,
    /// Whether the team is dissolved.
    over: AtomicBool,
    work: Work,
    /// What a thread panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Does the part of this number.
type Job = dyn Fn(usize) + Sync;

/// What the team works on. It is read by threads whose seats say [`WORKS`], and written while none
/// does.
#[derive(Debug)]
struct Work(UnsafeCell<*const Job>);

// SAFETY: what it points to is `Sync`. `Team::share` writes the pointer before it calls a thread
// and after the last has finished, and threads read it in between; the seats order these accesses.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Sync for Work {}

/// The place of a thread, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seat(AtomicU8);

/// No thread is there.
const EMPTY: u8 = 0;
/// A thread waits to be called.
const WAITS: u8 = 1;
/// It is called, but has not begun.
const CALLED: u8 = 2;
/// It works.
const WORKS: u8 = 3;

impl Seat {
    /// Goes from one state to another; returns whether it was in the first.
    fn turn(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Acquire, Relaxed).is_ok()
    }

    /// The same, and shows the other side what was written before.
    fn pass(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Release, Relaxed).is_ok()
    }

    /// Waits until the thread does not work.
    fn wait(&self) {
        let mut looks = 0_u32;
        while self.0.load(Acquire) == WORKS {
            looks += 1;
            if looks.is_multiple_of(LOOKS) { yield_now() } else { spin_loop() }
        }
    }
}

impl Team {
    /// A team of threads of the current pool, none of which is here.
    pub(super) fn new() -> Self {
        let seats = rayon::current_num_threads().min(MOST) - 1;
        let shared = Shared {
            seats: (0..seats).map(|_| Seat::default()).collect(),
            present: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            work: Work(UnsafeCell::new(&|_| ())),
            panic: Mutex::new(None),
        };
        Self { shared: Arc::new(shared), missed: 0, price: MISSED }
    }

    /// How many threads it has, with the one that calls.
    pub(super) fn size(&self) -> usize {
        self.shared.seats.len() + 1
    }

    /// Whether all are here. Otherwise they are asked to join, once that is worth it: `edges` are
    /// what they would send along now.
    pub(super) fn is_here(&mut self, edges: u64) -> bool {
        let (shared, seats) = (&self.shared, self.shared.seats.len());
        if seats == 0 || shared.present.load(Relaxed) == seats {
            self.price = MISSED;
            return seats > 0;
        }
        self.missed = self.missed.saturating_add(edges);
        if self.missed >= self.price && shared.asked.load(Relaxed) == 0 {
            // Other work may keep them from coming, or the machine has fewer cores.
            (self.missed, self.price) = (0, DEAREST.min(2 * self.price));
            self.ask();
        }
        false
    }

    #[cold]
    fn ask(&self) {
        let Some(own) = rayon::current_thread_index() else { return };
        let seats = self.shared.seats.len();
        self.shared.asked.store(rayon::current_num_threads() - 1, Relaxed);
        let shared = Arc::clone(&self.shared);
        rayon::spawn_broadcast(move |thread| {
            // A thread has the same seat whenever this one calls.
            let seat = match thread.index() {
                index if index == own => return,
                index => index - usize::from(index > own),
            };
            if seat < seats {
                shared.stay(seat, PATIENCE, SHIFT);
            }
            shared.asked.fetch_sub(1, Relaxed);
        });
    }

    /// Calls `part` once with each number below [`size`](Self::size), each on a thread of its own
    /// as far as they are here; the caller does what is left.
    ///
    /// # Panics
    /// If `part` does, after all threads have finished.
    pub(super) fn share(&mut self, part: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.shared;
        // No thread may use `part` once this function is left, even by a panic.
        let _calls = Calls(shared);
        let work: *const (dyn Fn(usize) + Sync + '_) = part;
        // SAFETY: only the lifetime changes, and no thread works.
        unsafe {
            *shared.work.0.get() =
                transmute::<*const (dyn Fn(usize) + Sync + '_), *const Job>(work);
        }
        let mut called = [false; MOST];
        for (seat, called) in shared.seats.iter().zip(&mut called) {
            *called = seat.pass(WAITS, CALLED);
        }
        part(0);
        for (i, (seat, called)) in shared.seats.iter().zip(called).enumerate() {
            // A thread that has not begun may not even have a core.
            if !called || seat.turn(CALLED, WAITS) {
                part(i + 1);
            }
        }
        shared.seats.iter().for_each(Seat::wait);
        if let Some(panic) = shared.panic() {
            resume_unwind(panic);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.over.store(true, Relaxed);
    }
}

/// Ends the calls of a [`Team::share`] that unwinds: takes back those that have not begun, and waits
/// for the others.
struct Calls<'a>(&'a Shared);

impl Drop for Calls<'_> {
    fn drop(&mut self) {
        // Otherwise `share` has done this already.
        if panicking() {
            for seat in &self.0.seats {
                seat.turn(CALLED, WAITS);
                seat.wait();
            }
            // One panic is enough.
            self.0.panic();
        }
    }
}

impl Shared {
    /// Stays on a seat until nothing has come for `patience`, or for a whole `shift`.
    fn stay(&self, seat: usize, patience: Duration, shift: Duration) {
        let (part, seat) = (seat + 1, &self.seats[seat]);
        if self.over.load(Relaxed) || !seat.turn(EMPTY, WAITS) {
            return;
        }
        self.present.fetch_add(1, Relaxed);
        let came = Instant::now();
        let (mut last, mut looks) = (came, 0_u32);
        loop {
            let works = seat.0.load(Relaxed) == CALLED && seat.turn(CALLED, WORKS);
            if works {
                self.work(part);
                seat.0.store(WAITS, Release);
            } else {
                spin_loop();
                looks = looks.wrapping_add(1);
                if !looks.is_multiple_of(LOOKS) {
                    continue;
                }
            }
            let now = Instant::now();
            last = if works { now } else { last };
            let enough = now - last > patience || now - came > shift || self.over.load(Relaxed);
            if enough && seat.turn(WAITS, EMPTY) {
                self.present.fetch_sub(1, Relaxed);
                return;
            }
        }
    }

    /// Takes what a thread panicked with.
    fn panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn work(&self, part: usize) {
        // SAFETY: the seat of this thread says that it works. Until that has changed, `share`
        // does not return, and what it was given lives.
        let work = unsafe { &**self.work.0.get() };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(part))) {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// How often each part was done in `rounds` rounds, whoever was there.
    fn rounds(team: &mut Team, rounds: usize) -> Vec<usize> {
        let done: Vec<AtomicUsize> = (0..team.size()).map(|_| AtomicUsize::new(0)).collect();
        for _ in 0..rounds {
            team.is_here(MISSED);
            team.share(&|part| {
                done[part].fetch_add(1, Relaxed);
            });
        }
        done.into_iter().map(AtomicUsize::into_inner).collect()
    }

    /// Calls `f` with a team of three, on whose seats threads stay until it is over.
    fn with_threads_that_stay(f: impl FnOnce(&mut Team)) {
        let team = pool(3).install(Team::new);
        let shared = &Arc::clone(&team.shared);
        std::thread::scope(|scope| {
            // Dropped here, even if `f` panics.
            let mut team = team;
            for seat in 0..2 {
                scope.spawn(move || shared.stay(seat, Duration::MAX, Duration::MAX));
            }
            while !team.is_here(0) {
                yield_now();
            }
            f(&mut team);
        });
        assert_eq!(shared.present.load(Relaxed), 0);
    }

    #[test]
    fn every_part_is_done_once() {
        for threads in [1, 2, 3, 5] {
            let mut team = pool(threads).install(Team::new);
            assert_eq!(team.size(), threads);
            assert_eq!(pool(threads).install(|| rounds(&mut team, 500)), vec![500; threads]);
        }
        // A thread that is called, but does not come.
        let mut team = pool(3).install(Team::new);
        team.shared.seats[0].0.store(WAITS, Relaxed);
        assert_eq!(rounds(&mut team, 10), [10; 3]);
        with_threads_that_stay(|team| assert_eq!(rounds(team, 500), [500; 3]));
    }

    #[test]
    fn threads_that_are_here_take_part() {
        with_threads_that_stay(|team| {
            let (begun, own) = (AtomicUsize::new(0), std::thread::current().id());
            team.share(&|part| {
                begun.fetch_add(1, Relaxed);
                // The caller takes nothing back before the others have begun.
                while begun.load(Relaxed) < 3 {
                    yield_now();
                }
                assert_eq!(part == 0, std::thread::current().id() == own);
            });
        });
    }

    #[test]
    fn a_thread_leaves_if_nothing_comes_or_for_other_work() {
        let team = pool(2).install(Team::new);
        let shared = &team.shared;
        shared.stay(0, Duration::ZERO, Duration::MAX);
        shared.stay(0, Duration::MAX, Duration::ZERO);
        shared.over.store(true, Relaxed);
        shared.stay(0, Duration::MAX, Duration::MAX);
        assert_eq!(shared.present.load(Relaxed), 0);
    }

    #[test]
    fn threads_are_asked_less_often_if_they_do_not_come() {
        let mut team = pool(2).install(Team::new);
        let asks = |team: &mut Team, edges| {
            team.is_here(edges);
            team.missed == 0
        };
        let found = [MISSED - 1, 1, MISSED, MISSED, MISSED].map(|edges| asks(&mut team, edges));
        assert_eq!(found, [false, true, false, true, false]);
        // One thread alone is no team.
        let mut alone = pool(1).install(Team::new);
        assert!(!alone.is_here(MISSED) && alone.price == MISSED);
    }

    #[test]
    fn a_panic_reaches_the_caller_after_all_have_finished() {
        with_threads_that_stay(|team| {
            for guilty in 0..3 {
                let (begun, running) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    team.share(&|part| {
                        begun.fetch_add(1, Relaxed);
                        running.fetch_add(1, Relaxed);
                        while begun.load(Relaxed) < 3 {
                            yield_now();
                        }
                        if part != guilty {
                            std::thread::sleep(Duration::from_millis(1));
                        }
                        running.fetch_sub(1, Relaxed);
                        assert_ne!(part, guilty);
                    });
                }));
                assert!(caught.is_err());
                assert_eq!(running.into_inner(), 0);
                assert_eq!(rounds(team, 1), [1; 3]);
            }
        });
    }
}
