//! Compares the CPU engine, with every strategy and several numbers of threads, with
//! the reference on every program of the roster and every graph of the zoo.
//!
//! An engine or a strategy joins by one line here, a program by one line in
//! [`pregel_roster::roster`].

use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_roster::conformance;
use pregel_roster::suite::{cpu, reference};

conformance! { whole:
    reference_again: reference(Auto);
    cpu_1_auto: cpu(1, Auto, false);
    cpu_1_push: cpu(1, Push, false);
    cpu_1_pull: cpu(1, Pull, false);
    cpu_1_mailbox: cpu(1, Mailbox, false);
    cpu_1_auto_deterministic: cpu(1, Auto, true);
    cpu_1_push_deterministic: cpu(1, Push, true);
    cpu_1_pull_deterministic: cpu(1, Pull, true);
    cpu_1_mailbox_deterministic: cpu(1, Mailbox, true);
    cpu_2_auto: cpu(2, Auto, false);
    cpu_2_push: cpu(2, Push, false);
    cpu_2_pull: cpu(2, Pull, false);
    cpu_2_mailbox: cpu(2, Mailbox, false);
    cpu_2_auto_deterministic: cpu(2, Auto, true);
    cpu_2_push_deterministic: cpu(2, Push, true);
    cpu_2_pull_deterministic: cpu(2, Pull, true);
    cpu_2_mailbox_deterministic: cpu(2, Mailbox, true);
    cpu_4_auto: cpu(4, Auto, false);
    cpu_4_push: cpu(4, Push, false);
    cpu_4_pull: cpu(4, Pull, false);
    cpu_4_mailbox: cpu(4, Mailbox, false);
    cpu_4_auto_deterministic: cpu(4, Auto, true);
    cpu_4_push_deterministic: cpu(4, Push, true);
    cpu_4_pull_deterministic: cpu(4, Pull, true);
    cpu_4_mailbox_deterministic: cpu(4, Mailbox, true);
}
