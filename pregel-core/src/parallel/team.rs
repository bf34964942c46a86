//! Threads that stay from one parallel loop to the next.
//!
//! To wake a thread takes as long as a thousand edges take. The threads of a team wait on seats of
//! their own, and watch a number that the leader of the team changes when a loop begins and when it
//! ends. A thread that has not joined by the end is not waited for: it may not even have a core.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::array::from_fn;
use std::cell::{Cell, UnsafeCell};
use std::hint::spin_loop;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{available_parallelism, panicking, yield_now};
use std::time::{Duration, Instant};

use super::share::{self, Share};

/// How long a thread waits in vain before it leaves.
const PATIENCE: Duration = Duration::from_micros(200);

/// How long a thread stays at most, so that whatever else its pool has to do gets its turn.
const SHIFT: Duration = Duration::from_millis(10);

/// A waiting thread reads the clock once for this many looks.
const LOOKS: u32 = 64;

thread_local! {
    /// The team that this thread leads, unless it is in the midst of a loop that it shares.
    static LED: Cell<Option<Arc<Shared>>> = const { Cell::new(None) };
}

/// The threads of a pool, one of which [leads](Self::lead) the others at a time.
#[derive(Debug, Default)]
pub(crate) struct Team(OnceLock<Option<Arc<Shared>>>);

#[derive(Debug)]
struct Shared {
    /// A seat for each thread of the pool.
    seats: Vec<Seat>,
    /// Counts up when a loop begins, and when it ends: one is going on while this is odd.
    turn: Turn,
    /// How many threads may join the loop, besides the leader.
    wanted: AtomicUsize,
    job: Published,
    /// Whether some thread leads the team.
    led: AtomicBool,
    /// Whether the team is dissolved.
    over: AtomicBool,
    /// What a thread panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// What a thread does in a loop. It is given the number of its seat.
type Job = dyn Fn(usize) + Sync;

/// The job of the loop that is going on.
#[derive(Debug)]
struct Published(UnsafeCell<*const Job>);

// SAFETY: what it points to is `Sync`. The leader writes the pointer before a loop begins, and
// threads read it while one is going on, which they know by `Shared::turn`.
unsafe impl Send for Published {}
// SAFETY: as above.
unsafe impl Sync for Published {}

/// What all waiting threads read, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Turn(AtomicUsize);

/// The place of a thread, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seat(AtomicU8);

/// No thread is there.
const EMPTY: u8 = 0;
/// Its thread has been asked to come.
const ASKED: u8 = 1;
/// The thread waits for a loop.
const WAITS: u8 = 2;
/// It works, or is about to see whether the loop has ended.
const WORKS: u8 = 3;

impl Seat {
    /// Waits until the thread does not work.
    fn wait(&self) {
        let mut looks = 0_u32;
        while self.0.load(SeqCst) == WORKS {
            looks += 1;
            if looks.is_multiple_of(LOOKS) { yield_now() } else { spin_loop() }
        }
    }
}

impl Team {
    /// Does `work`. The team shares its parallel loops if this is a thread of a pool and no other
    /// thread leads the team. A team always belongs to the same pool.
    pub(crate) fn lead<R>(&self, work: impl FnOnce() -> R) -> R {
        let shared = self.0.get_or_init(|| Shared::of(rayon::current_num_threads()));
        let Some(shared) = shared.as_ref().filter(|shared| !shared.led.swap(true, Acquire)) else {
            return work();
        };
        let _lead = Lead(shared);
        let _led = Led::put(Some(Arc::clone(shared)));
        work()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take().flatten() {
            shared.over.store(true, Relaxed);
        }
    }
}

/// Some thread leads a team until this is dropped.
struct Lead<'a>(&'a Shared);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.0.led.store(false, Release);
    }
}

/// Puts back what the current thread led before.
struct Led(Option<Arc<Shared>>);

impl Led {
    /// Lets the current thread lead another team, or none.
    fn put(other: Option<Arc<Shared>>) -> Self {
        Self(LED.replace(other))
    }
}

impl Drop for Led {
    fn drop(&mut self) {
        LED.set(self.0.take());
    }
}

/// Calls `f` with the team that the current thread leads and its own seat, if there is one.
/// Meanwhile it leads none.
fn with_team<R>(f: impl FnOnce(&Arc<Shared>, usize) -> R) -> Option<R> {
    let led = Led::put(None);
    let team = led.0.as_ref()?;
    let own = rayon::current_thread_index().filter(|own| *own < team.seats.len())?;
    Some(f(team, own))
}

/// Calls `work` with each number below `count`, if the current thread leads a team. Returns
/// whether it does. If `count` is at most [`size`], a thread is always given the same number, and
/// the leader takes those of threads that are not here. Otherwise it takes some that follow one
/// another, and then what others have not taken yet.
///
/// # Panics
/// If `work` does, after all threads have finished.
pub(super) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) -> bool {
    with_team(|team, own| team.each(own, count, work)).is_some()
}

/// How many threads the current thread's team has, [`MOST`] at most; 1 if it leads none.
pub(crate) fn size() -> usize {
    with_team(|team, _| team.size()).unwrap_or(1)
}

/// Whether the current thread leads a team whose threads are all here. Those that are not are
/// asked to come.
pub(crate) fn is_here() -> bool {
    with_team(Shared::is_here).unwrap_or(false)
}

/// The number of the thread with this seat, if the leader, whose seat is `own`, has number 0.
fn number(seat: usize, own: usize) -> usize {
    match seat {
        _ if seat == own => 0,
        _ if seat < own => seat + 1,
        _ => seat,
    }
}

/// The most threads that are given numbers of their own.
const MOST: usize = 16;

impl Shared {
    /// Seats for the threads of a pool. There are none, and loops are shared as the pool does it,
    /// if it has one thread, or more than the machine has cores: then those that wait would take
    /// the time of those that work.
    fn of(threads: usize) -> Option<Arc<Self>> {
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from));
        let cores = if cfg!(test) { cores.max(8) } else { cores };
        (2..=cores).contains(&threads).then(|| Arc::new(Self::new(threads)))
    }

    fn new(threads: usize) -> Self {
        Self {
            seats: (0..threads).map(|_| Seat::default()).collect(),
            turn: Turn::default(),
            wanted: AtomicUsize::new(0),
            job: Published(UnsafeCell::new(&|_| ())),
            led: AtomicBool::new(false),
            over: AtomicBool::new(false),
            panic: Mutex::new(None),
        }
    }

    fn size(&self) -> usize {
        self.seats.len().min(MOST)
    }

    /// The seats of the first `count` threads besides the leader, whose seat is `own`.
    fn others(&self, own: usize, count: usize) -> impl Iterator<Item = &Seat> {
        let seats = self.seats.iter().enumerate().filter(move |(i, _)| *i != own);
        seats.map(|(_, seat)| seat).take(count)
    }

    fn is_here(self: &Arc<Self>, own: usize) -> bool {
        let mut others = self.others(own, self.size() - 1);
        let all = others.all(|seat| seat.0.load(Relaxed) == WAITS);
        if !all {
            self.ask(own, self.size() - 1);
        }
        all
    }

    /// Asks the first `count` threads to come, unless they have been asked since they left.
    fn ask(self: &Arc<Self>, own: usize, count: usize) {
        let mut asked = false;
        for seat in self.others(own, count) {
            // Only to look is cheaper, and most are here.
            asked |= seat.0.load(Relaxed) == EMPTY
                && seat.0.compare_exchange(EMPTY, ASKED, Relaxed, Relaxed).is_ok();
        }
        if asked {
            self.broadcast();
        }
    }

    #[cold]
    fn broadcast(self: &Arc<Self>) {
        let shared = Arc::clone(self);
        rayon::spawn_broadcast(move |thread| shared.stay(thread.index(), PATIENCE, SHIFT));
    }

    fn each(self: &Arc<Self>, own: usize, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let (others, size) = (count.saturating_sub(1), self.size());
        self.ask(own, others);
        if count <= size {
            return self.parts(own, count, work);
        }
        let shares: [Share; MOST] = from_fn(|i| Share::of(count, i.min(size - 1), size));
        self.run(own, others, &|seat| {
            share::take_all(&shares[..size], number(seat, own) % size, work);
        });
    }

    /// The same for at most [`MOST`] numbers: a thread is always given the same one.
    fn parts(&self, own: usize, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let taken = [const { AtomicBool::new(false) }; MOST];
        let take = |i: usize| {
            if !taken[i].swap(true, Relaxed) {
                work(i);
            }
        };
        self.run(own, count.saturating_sub(1), &|seat| {
            if seat == own {
                // Its own, and those of threads that have not begun.
                (0..count).for_each(take);
            } else {
                take(number(seat, own));
            }
        });
    }

    /// Does `job` on this thread, whose seat is `own`, and up to `wanted` others.
    fn run(&self, own: usize, wanted: usize, job: &(dyn Fn(usize) + Sync)) {
        let published: *const (dyn Fn(usize) + Sync + '_) = job;
        // SAFETY: only the lifetime changes. No loop is going on, so that no thread reads it, and
        // `Loop` waits for all that do before `job` ends.
        unsafe {
            *self.job.0.get() =
                transmute::<*const (dyn Fn(usize) + Sync + '_), *const Job>(published);
        }
        self.wanted.store(wanted + usize::from(own < wanted), Relaxed);
        let going_on = Loop::begin(self);
        job(own);
        drop(going_on);
        if let Some(panic) = self.panic() {
            resume_unwind(panic);
        }
    }

    /// Stays on a seat, if its thread has been asked to, until nothing has come for `patience`, or
    /// for a whole `shift`.
    fn stay(&self, seat: usize, patience: Duration, shift: Duration) {
        let Some(place) = self.seats.get(seat) else { return };
        if place.0.compare_exchange(ASKED, WAITS, Relaxed, Relaxed).is_err() {
            return;
        }
        let came = Instant::now();
        let (mut last, mut looks, mut seen) = (came, 0_u32, 0);
        loop {
            let turn = self.turn.0.load(Acquire);
            let begun = turn != seen && !turn.is_multiple_of(2);
            seen = turn;
            let works = begun && seat < self.wanted.load(Relaxed);
            if works {
                place.0.store(WORKS, SeqCst);
                if self.turn.0.load(SeqCst) == turn {
                    self.work(seat);
                }
                place.0.store(WAITS, Release);
            } else {
                spin_loop();
                looks = looks.wrapping_add(1);
                if !looks.is_multiple_of(LOOKS) {
                    continue;
                }
            }
            let now = Instant::now();
            last = if works { now } else { last };
            if now - last > patience || now - came > shift || self.over.load(Relaxed) {
                return place.0.store(EMPTY, Relaxed);
            }
        }
    }

    /// Takes what a thread panicked with.
    fn panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn work(&self, seat: usize) {
        // SAFETY: the loop was going on when the seat of this thread said that it works. Until
        // that has changed, the leader does not go on, and what it has published lives.
        let job = unsafe { &**self.job.0.get() };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(seat))) {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }
}

/// A loop that is going on. It ends when this is dropped: then no more threads join it, and the
/// leader waits for those that have.
struct Loop<'a>(&'a Shared);

impl<'a> Loop<'a> {
    fn begin(shared: &'a Shared) -> Self {
        shared.turn.0.fetch_add(1, Release);
        Self(shared)
    }
}

impl Drop for Loop<'_> {
    fn drop(&mut self) {
        // A thread first says that it works, and then looks whether the turn is still the same. So
        // it sees this, or is seen here.
        self.0.turn.0.fetch_add(1, SeqCst);
        self.0.seats.iter().for_each(Seat::wait);
        if panicking() {
            // One panic is enough.
            self.0.panic();
        }
    }
}
