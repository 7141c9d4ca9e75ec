//! Registers that hold anything: a walk may end early, and may not fault.

use std::{cell::Cell, hint::black_box, ops::Range, process, thread};

use allometer::{Config, Profiler, Unwinding};

use crate::{
    check::Check,
    handler::{self, install_on_stack},
    leaf::{keep, stay},
    memory::{Memory, protect, thread_on},
    native::{self, interrupted_with, through, visit, with_rbp},
    ways::Ways,
};

pub const CHECKS: &[Check] = &[
    Check { name: "corruption::any_frame_pointer_on_the_main_thread", run: on_the_main_thread },
    Check { name: "corruption::any_frame_pointer_on_a_thread", run: on_a_thread },
    Check { name: "corruption::memory_beside_the_stack_that_goes_away", run: beside_the_stack },
    Check { name: "corruption::a_forged_frame_that_leads_off_the_stack", run: forged },
    Check { name: "corruption::interrupted_with_any_registers", run: interrupted },
];

/// Values of one check.
const VALUES: usize = 10_000;

/// Numbers that could be taken for frame pointers.
struct Values {
    state: u64,
    own: Range<usize>,
    other: Range<usize>,
    heap: Range<usize>,
}

impl Values {
    /// Always the same, so that a failure can be looked at. `own` and `other` are stacks.
    fn new(own: Range<usize>, other: Range<usize>) -> Self {
        let block = vec![0x55_u8; 1 << 16].leak().as_ptr_range();
        Self { state: 0x9e37_79b9_7f4a_7c15, own, other, heap: block.start.addr()..block.end.addr() }
    }

    /// Xorshift (Marsaglia, J. Statistical Software 8, 2003).
    fn random(&mut self) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state as usize
    }

    fn within(&mut self, range: Range<usize>) -> usize {
        range.start + self.random() % range.len()
    }

    fn around(&mut self, address: usize) -> usize {
        let offset = self.random() % 128;
        address.wrapping_sub(64).wrapping_add(offset)
    }

    fn next(&mut self) -> usize {
        let (own, other, heap) = (self.own.clone(), self.other.clone(), self.heap.clone());
        let value = match self.random() % 12 {
            0 => self.random() % 4096,
            // Anywhere that a program can have memory.
            1 => self.random() >> 17,
            2 => usize::MAX - self.random() % 4096,
            3 => self.within(heap),
            4 => self.within(other),
            5 => self.around(own.start),
            6 => self.around(own.end),
            7 | 8 => self.within(own),
            // Where there are return addresses.
            9 => (&raw const own).addr() + self.random() % 2048,
            10 => self.around(Self::within as *const () as usize),
            _ => self.random(),
        };
        if self.random().is_multiple_of(4) { value } else { value & !7 }
    }
}

fn session() -> Profiler {
    let config = Config::default().sample_interval(1).live_heap(false);
    Profiler::start(config.unwinding(Unwinding::FramePointers)).unwrap()
}

#[inline(never)]
fn allocate() {
    drop(black_box(Vec::<u8>::with_capacity(61)));
    stay();
}

/// Allocates in a callback of code that has this value in the register.
#[inline(never)]
fn allocate_with(rbp: usize) {
    let body: &dyn Fn() = &allocate;
    // SAFETY: calls `visit` with this data, which lives; the register is the caller's again when it returns.
    unsafe { with_rbp(visit, (&raw const body).cast(), rbp) };
    stay();
}

fn any_frame_pointer(mut values: Values) {
    let profiler = session();
    (0..VALUES).for_each(|_| allocate_with(values.next()));
    let stats = profiler.stats().unwrap();
    assert_eq!(stats.unwinding, Unwinding::FramePointers);
    assert!(stats.samples >= VALUES as u64);
    // Some values led on, to wherever they did.
    assert!(stats.sites > 3, "{stats:?}");
}

/// A stack of a thread that sleeps for as long as the process lives.
fn other_stack() -> Range<usize> {
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let local = 0_u8;
        sender.send((&raw const local).addr()).unwrap();
        loop {
            thread::park();
        }
    });
    let address = receiver.recv().unwrap();
    address - (64 << 10)..address + 1024
}

/// The mapping that holds this address.
fn mapping(address: usize) -> Range<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
    let ranges = maps.lines().map(|line| {
        let (start, rest) = line.split_once('-').unwrap();
        number(start)..number(rest.split(' ').next().unwrap())
    });
    ranges.into_iter().find(|range| range.contains(&address)).unwrap()
}

fn on_the_main_thread() {
    let local = 0_u8;
    any_frame_pointer(Values::new(mapping((&raw const local).addr()), other_stack()));
}

fn on_a_thread() {
    let memory = Memory::new(1, 1 << 20);
    let other = other_stack();
    thread_on(memory.piece(0), &|| any_frame_pointer(Values::new(memory.piece(0), other.clone())));
}

/// Other memory borders on a thread's stack, and looks like part of it: what is done with that later is nothing
/// to a walk.
fn beside_the_stack() {
    let memory = Memory::new(1, 2 << 20).piece(0);
    let middle = memory.start + memory.len() / 2;
    let (stack, beside) = (memory.start..middle, middle..memory.end);
    thread_on(stack.clone(), &|| {
        let _session = session();
        allocate();
        protect(beside.clone(), libc::PROT_NONE);
        let mut values = Values::new(stack.clone(), beside.clone());
        for _ in 0..1000 {
            let rbp = values.within(beside.clone()) & !7;
            allocate_with(rbp);
        }
    });
}

/// A frame that is none, whose rule is the one of a large frame: the next one would lie in other memory.
fn forged() {
    let ways = Ways::of(|| through(native::roomy, &keep));
    let frame = ways.frame_pointers.stack().frames.iter().find(|frame| frame.functions == ["roomy"]);
    let return_address = frame.and_then(|frame| frame.address).unwrap() as usize;
    let memory = Memory::new(2, 2 << 20);
    protect(memory.piece(1), libc::PROT_NONE);
    thread_on(memory.piece(0), &|| {
        let profiler = session();
        let frame = black_box([0, return_address]);
        allocate_with((&raw const frame).addr());
        assert_eq!(profiler.stats().unwrap().portable_stacks, 1);
    });
}

thread_local! {
    static IS_HANDLED: Cell<bool> = const { Cell::new(false) };
}

extern "C" fn on_signal(_signal: i32) {
    allocate();
    IS_HANDLED.set(true);
    stay();
}

/// As [`any_frame_pointer`], with the stack pointer of the interrupted code as well.
fn interrupted() {
    install_on_stack(libc::SIGUSR1, on_signal);
    let (memory, other) = (Memory::new(3, 1 << 20), other_stack());
    let start = memory.piece(0).start;
    thread_on(memory.piece(1), &|| {
        handler::use_stack(memory.piece(2));
        let profiler = session();
        let mut values = Values::new(memory.piece(1), other.clone());
        // The lowest word of a mapping, with a frame pointer below it.
        interrupt_with(start, start - 8);
        for _ in 0..VALUES {
            let (rsp, rbp) = (values.next(), values.next());
            // To the kernel such a stack pointer would say that a handler runs already.
            if !memory.piece(2).contains(&rsp) {
                interrupt_with(rsp, rbp);
            }
        }
        assert!(profiler.stats().unwrap().samples >= VALUES as u64);
    });
}

fn interrupt_with(rsp: usize, rbp: usize) {
    IS_HANDLED.set(false);
    // SAFETY: takes no pointer (gettid(2)).
    let thread = unsafe { libc::gettid() };
    // SAFETY: the handler runs on another stack, so nothing is done with these values but walking.
    unsafe { interrupted_with(rsp, rbp, process::id().cast_signed(), thread, libc::SIGUSR1) };
    assert!(IS_HANDLED.get());
}
