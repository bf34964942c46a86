//! Whether a team does its loops, and only those.
#![allow(clippy::unwrap_used)]

use super::*;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Calls `f` on a thread that leads a team.
fn led<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    let team = Team::default();
    pool(threads).install(|| team.lead(f))
}

/// Calls `f` on a thread that leads a team of three, on whose other seats threads stay until
/// it is over.
fn with_threads_that_stay(f: impl FnOnce() + Send) {
    let pool = pool(3);
    let shared = pool.install(|| {
        let (team, own) = (Team::default(), rayon::current_thread_index().unwrap());
        let shared = team.lead(|| with_team(|shared, _| Arc::clone(shared))).unwrap();
        std::thread::scope(|scope| {
            // Dropped here, even if `f` panics.
            let team = team;
            for seat in (0..3).filter(|seat| *seat != own) {
                let shared = &shared;
                shared.seats[seat].0.store(ASKED, Relaxed);
                scope.spawn(move || shared.stay(seat, Duration::MAX, Duration::MAX));
            }
            team.lead(|| {
                while !is_here() {
                    yield_now();
                }
                f();
            });
        });
        shared
    });
    assert!(shared.seats.iter().all(|seat| seat.0.load(Relaxed) == EMPTY));
}

/// How often each number below `count` comes in `rounds` loops.
fn counts(count: usize, rounds: usize) -> Vec<usize> {
    let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    for _ in 0..rounds {
        let is_led = each(count, &|i| {
            done[i].fetch_add(1, Relaxed);
        });
        assert!(is_led);
    }
    done.into_iter().map(AtomicUsize::into_inner).collect()
}

#[test]
fn each_number_comes_once() {
    for count in [0, 1, 2, 3, 100] {
        for threads in [2, 3, 5] {
            assert_eq!(led(threads, || counts(count, 500)), vec![500; count]);
        }
        with_threads_that_stay(|| assert_eq!(counts(count, 500), vec![500; count]));
    }
}

#[test]
fn threads_that_are_here_take_part_and_keep_their_numbers() {
    with_threads_that_stay(|| {
        let own = std::thread::current().id();
        let who = [const { Mutex::new(None) }; 3];
        for _ in 0..10 {
            let begun = AtomicUsize::new(0);
            each(3, &|i| {
                begun.fetch_add(1, Relaxed);
                // The leader takes nothing else before the others have begun.
                while begun.load(Relaxed) < 3 {
                    yield_now();
                }
                let this = std::thread::current().id();
                assert_eq!(*who[i].lock().unwrap().get_or_insert(this), this);
                assert_eq!(i == 0, this == own);
            });
        }
    });
}

#[test]
fn a_thread_that_comes_late_takes_part() {
    let shared = &Shared::new(2);
    shared.seats[1].0.store(ASKED, Relaxed);
    std::thread::scope(|scope| {
        let came = AtomicBool::new(false);
        shared.run(0, 1, &|seat| {
            if seat == 1 {
                came.store(true, Relaxed);
            } else {
                scope.spawn(|| shared.stay(1, Duration::MAX, Duration::MAX));
                while !came.load(Relaxed) {
                    yield_now();
                }
            }
        });
        shared.over.store(true, Relaxed);
    });
}

#[test]
fn a_thread_leaves_if_nothing_comes_or_for_other_work() {
    let shared = &Shared::new(2);
    let stays = |patience, shift| {
        shared.stay(1, patience, shift);
        assert_eq!(shared.seats[1].0.load(Relaxed), EMPTY);
    };
    // It has not been asked.
    stays(Duration::MAX, Duration::MAX);
    for (patience, shift) in [(Duration::ZERO, Duration::MAX), (Duration::MAX, Duration::ZERO)] {
        shared.seats[1].0.store(ASKED, Relaxed);
        stays(patience, shift);
    }
    shared.over.store(true, Relaxed);
    shared.seats[1].0.store(ASKED, Relaxed);
    stays(Duration::MAX, Duration::MAX);
}

#[test]
fn one_thread_leads_at_a_time_and_no_loop_within_a_loop() {
    let (pool, team) = (pool(2), Team::default());
    assert_eq!((size(), is_here()), (1, false));
    assert!(!team.lead(|| each(3, &|_| ())), "a thread of no pool has no seat");
    let other = self::pool(2);
    pool.install(|| {
        team.lead(|| {
            assert_eq!(size(), 2);
            assert!(each(2, &|_| assert!(!each(2, &|_| ()))));
            other.install(|| team.lead(|| assert_eq!(size(), 1)));
            // What this thread leads comes back.
            Team::default().lead(|| assert_eq!(size(), 2));
            assert_eq!(size(), 2);
        });
        assert_eq!(size(), 1);
        team.lead(|| assert_eq!(size(), 2));
    });
    // One thread alone is no team.
    assert_eq!(led(1, size), 1);
}

#[test]
fn a_panic_reaches_the_leader_after_all_have_finished() {
    with_threads_that_stay(|| {
        for guilty in 0..3 {
            let (begun, running) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let caught = catch_unwind(AssertUnwindSafe(|| {
                each(3, &|i| {
                    begun.fetch_add(1, Relaxed);
                    running.fetch_add(1, Relaxed);
                    while begun.load(Relaxed) < 3 {
                        yield_now();
                    }
                    if i != guilty {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    running.fetch_sub(1, Relaxed);
                    assert_ne!(i, guilty);
                })
            }));
            assert!(caught.is_err());
            assert_eq!(running.into_inner(), 0);
            assert_eq!(counts(3, 1), [1; 3]);
        }
    });
}
