//! A program with a library in C that calls back: Rust calls Lua, whose functions call Rust, which allocates. The
//! memory that Lua takes for itself comes from Rust's allocator, too.

use std::{cell::RefCell, rc::Rc};

use allometer::{Config, Profiler, SamplingAllocator, system::System};
use consumer_readers::{Answer, path, write};
use mlua::{Function, Lua, Table};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// `keep` is Rust's; `names` is a table of Lua's own.
const SCRIPT: &str = "
    local function walk(depth)
        if depth > 0 then walk(depth - 1) else keep(65536) end
    end
    for _ = 1, 16 do walk(3) end

    local names = {}
    for number = 1, 2000 do names[number] = 'name ' .. number end
    return names
";

type Kept = Rc<RefCell<Vec<Vec<u8>>>>;

fn main() -> Answer<()> {
    let path = path()?;
    let profiler = Profiler::start(Config::default().sample_interval(1))?;
    let lua = Lua::new();
    let kept = Kept::default();
    lua.globals().set("keep", keeper(&lua, &kept)?)?;
    let names: Table = lua.load(SCRIPT).eval()?;
    let profile = profiler.snapshot()?.profile();
    if (kept.borrow().len(), names.raw_len()) != (16, 2000) {
        return Err("the script kept something else".into());
    }
    Ok(write(&profile, &path)?)
}

fn keeper(lua: &Lua, kept: &Kept) -> mlua::Result<Function> {
    let kept = kept.clone();
    lua.create_function(move |_, bytes: usize| {
        keep(&kept, bytes);
        Ok(())
    })
}

#[inline(never)]
fn keep(kept: &Kept, bytes: usize) {
    kept.borrow_mut().push(vec![1; bytes]);
}
