//! Code of libraries that can be unloaded: whose it is, and its rules.

// unsafe: reads tables of modules that the stack returns into.
#![allow(unsafe_code)]

use std::fmt;

use allometer_profile::RecordedModule;

use super::{
    find_object::FindObject,
    late_modules::{LateModules, LateModulesPlace},
    rule::Rule,
    rule_cache::{ENTRIES, RuleCache},
    unwind_table::UnwindTable,
};
use crate::{
    arena::{Layout, Place},
    capture::frame::{Code, Frame},
    os::Reservation,
    sync::AtomicU64,
};

/// What is known of such code. It is asked about frames of the stack that is walked: the stack returns into their
/// modules, so the program must not unload those meanwhile.
pub(super) struct LateCode {
    find: FindObject,
    modules: LateModules,
    /// By number of the module and offset in it, see [`Visited::key`].
    rules: RuleCache<'static>,
}

/// Where its parts are in memory.
pub(super) struct LateCodePlace {
    modules: LateModulesPlace,
    rules: Place<AtomicU64>,
}

/// The module of the frame before, in which the next one mostly is, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visited {
    start: usize,
    end: usize,
    table: UnwindTable,
    code: Code,
    /// Whether its rules can be remembered: no other module is taken for it.
    is_certain: bool,
}

impl Visited {
    pub(super) fn contains(&self, address: usize) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// What a rule of the module is remembered by: the number of the module, from one, above 32 bits for the offset in
    /// it. Less than an address has, and more than the first of them, as the cache wants it.
    fn key(&self, return_address: usize) -> Option<usize> {
        let Code::Late(number) = self.code else { return None };
        let offset = return_address - self.start;
        (self.is_certain && offset >> 32 == 0).then_some((number + 1) << 32 | offset)
    }
}

impl LateCodePlace {
    pub(super) fn new(layout: &mut Layout) -> Self {
        Self { modules: LateModulesPlace::new(layout), rules: layout.place(ENTRIES) }
    }

    /// What is known, in `memory`; nothing where the loader cannot be asked without a lock.
    ///
    /// # Safety
    ///
    /// The memory stays; the place was made with its layout and is used once.
    pub(super) unsafe fn code(&self, memory: &Reservation) -> Option<LateCode> {
        let find = FindObject::load()?;
        // SAFETY: forwarded from the caller.
        let (modules, rules) = unsafe { (self.modules.table(memory), memory.slice(&self.rules)) };
        Some(LateCode { find, modules, rules: RuleCache::new(rules)? })
    }
}

impl LateCode {
    /// The rule of a frame and the frame itself, as a word. `visited` is the module of the frame before.
    pub(super) fn frame(&self, return_address: usize, visited: &mut Option<Visited>) -> (Rule, usize) {
        let call = return_address.wrapping_sub(1);
        if visited.is_none_or(|visited| !visited.contains(call)) {
            *visited = self.visit(call);
        }
        let code = visited.map_or(Code::Unknown, |visited| visited.code);
        let rule = visited.as_ref().map_or(Rule::UNKNOWN, |visited| self.rule(return_address, visited));
        (rule, Frame { address: return_address, code }.to_word())
    }

    fn rule(&self, return_address: usize, visited: &Visited) -> Rule {
        if visited.code == Code::Unknown {
            self.modules.count_lost();
        }
        // SAFETY: the stack returns into this module.
        let look_up = || unsafe { visited.table.rule(return_address - 1) };
        let Some(key) = visited.key(return_address) else { return look_up() };
        self.rules.get(key).unwrap_or_else(|| {
            let rule = look_up();
            self.rules.put(key, rule);
            rule
        })
    }

    /// The module at `address`, if one is there.
    fn visit(&self, address: usize) -> Option<Visited> {
        let found = self.find.at(address)?;
        // SAFETY: the stack returns into this module.
        let (code, is_certain) = unsafe { self.modules.code(&found) };
        Some(Visited { start: found.start, end: found.end, table: found.table(), code, is_certain })
    }

    pub(super) fn is_code(&self, address: usize) -> bool {
        self.find.at(address).is_some()
    }

    /// The module of a frame.
    pub(super) fn record(&self, number: usize) -> Option<RecordedModule> {
        self.modules.record(number)
    }

    /// How many frames were in modules that found no room in the list of modules.
    pub(super) fn lost(&self) -> u64 {
        self.modules.lost()
    }
}

impl fmt::Debug for LateCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LateCode").field("find", &self.find).finish_non_exhaustive()
    }
}
