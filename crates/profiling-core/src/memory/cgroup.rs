//! The memory of the control group that the process is in, with its limit: cgroups(7).

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::MemoryUse;

/// Without a limit version 1 answers a number near 2⁶³.
const NO_LIMIT: u64 = 1 << 60;

/// What one version calls its files.
#[derive(Debug, PartialEq, Eq)]
struct Files {
    used: &'static str,
    limit: &'static str,
    /// The line of `memory.stat` for pages of files that nobody used lately.
    inactive: &'static str,
}

const VERSION_1: Files =
    Files { used: "memory.usage_in_bytes", limit: "memory.limit_in_bytes", inactive: "total_inactive_file" };
const VERSION_2: Files = Files { used: "memory.current", limit: "memory.max", inactive: "inactive_file" };

/// The control group that the process is in.
#[derive(Debug)]
struct Cgroup {
    files: &'static Files,
    /// Where the hierarchy is mounted.
    mount: PathBuf,
    /// The group's path below that.
    path: PathBuf,
}

/// See [`MemoryUse::control_group`].
pub(super) fn read() -> Option<MemoryUse> {
    let read = |path| fs::read_to_string(path).ok();
    let (groups, mounts) = (read("/proc/self/cgroup")?, read("/proc/self/mountinfo")?);
    // A machine may have both, with memory in either.
    let of = |version| Cgroup::find(version, &groups, &mounts)?.memory_use();
    of(&VERSION_1).or_else(|| of(&VERSION_2))
}

impl Cgroup {
    /// From the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
    fn find(files: &'static Files, groups: &str, mounts: &str) -> Option<Self> {
        let is_first = *files == VERSION_1;
        // A line is `4:memory:/path` or, for version 2, `0::/path`.
        let path = groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let is_it = if is_first { has(controllers, "memory") } else { controllers.is_empty() };
            is_it.then_some(path)
        })?;
        let (root, mount) = mounts.lines().find_map(|line| {
            // `35 31 0:32 /root /mount rw … - cgroup cgroup rw,memory`
            let (left, right) = line.split_once(" - ")?;
            let mut right = right.split(' ');
            let (kind, options) = (right.next()?, right.nth(1)?);
            let is_it = if is_first { kind == "cgroup" && has(options, "memory") } else { kind == "cgroup2" };
            let mut left = left.split(' ').skip(3);
            is_it.then_some((left.next()?, left.next()?))
        })?;
        // In a container, a group above it may be what is mounted; one that is not below it cannot be read by name,
        // and what is mounted is the container's own.
        let path = Path::new(path).strip_prefix(root).map(Path::to_path_buf).unwrap_or_default();
        Some(Self { files, mount: PathBuf::from(mount), path })
    }

    /// Of this group or one around it, the use that is nearest to its limit.
    fn memory_use(&self) -> Option<MemoryUse> {
        let uses = self.path.ancestors().filter_map(|path| self.at(&self.mount.join(path)));
        uses.max_by(|a, b| a.fraction().total_cmp(&b.fraction()))
    }

    fn at(&self, group: &Path) -> Option<MemoryUse> {
        let number = |name| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
        let limit = number(self.files.limit).filter(|limit| (1..NO_LIMIT).contains(limit))?;
        let used = number(self.files.used)?;
        let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let inactive =
            statistics.lines().find_map(|line| line.strip_prefix(self.files.inactive)?.strip_prefix(' '));
        let inactive = inactive.and_then(|value| value.trim().parse().ok()).unwrap_or(0);
        Some(MemoryUse { used: used.saturating_sub(inactive), limit })
    }
}

/// Whether a list with commas has this word.
fn has(list: &str, word: &str) -> bool {
    list.split(',').any(|each| each == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hierarchy on disk: groups with their use, limit and inactive pages.
    fn hierarchy(files: &Files, groups: &[(&str, &str, &str, u64)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, used, limit, inactive) in groups {
            let group = root.path().join(path);
            fs::create_dir_all(&group).unwrap();
            fs::write(group.join(files.used), format!("{used}\n")).unwrap();
            fs::write(group.join(files.limit), format!("{limit}\n")).unwrap();
            let statistics = format!("anon 5\n{}_x 9\n{} {inactive}\n", files.inactive, files.inactive);
            fs::write(group.join("memory.stat"), statistics).unwrap();
        }
        root
    }

    fn mounts(version_1: &Path, version_2: &Path, root: &str) -> String {
        format!(
            "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
             34 31 0:31 / /nowhere rw,relatime shared:4 - cgroup cgroup rw,cpuset\n\
             35 31 0:32 {root} {} rw,relatime shared:5 master:1 - cgroup cgroup rw,memory\n\
             41 31 0:38 {root} {} rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n",
            version_1.display(),
            version_2.display()
        )
    }

    const NONE: &str = "9223372036854771712";

    #[test]
    fn the_group_nearest_to_its_limit_counts() {
        let two =
            hierarchy(&VERSION_2, &[("a/b", "90", "max", 0), ("a", "80", "100", 30), ("", "7", "20", 0)]);
        let one =
            hierarchy(&VERSION_1, &[("a/b", "60", "100", 10), ("a", "90", NONE, 0), ("", "1", NONE, 0)]);
        let mounts = mounts(one.path(), two.path(), "/");
        let groups = "5:memory,hugetlb:/a/b\n3:cpuset:/other\n0::/a/b\n";
        let found = |files| Cgroup::find(files, groups, &mounts).unwrap().memory_use();
        assert_eq!(found(&VERSION_1), Some(MemoryUse { used: 50, limit: 100 }));
        assert_eq!(found(&VERSION_2), Some(MemoryUse { used: 50, limit: 100 }), "of the one around it");
    }

    #[test]
    fn in_a_container_the_group_is_what_is_mounted() {
        let two = hierarchy(&VERSION_2, &[("", "7", "20", 100), ("c", "19", "20", 0)]);
        let found = |root, groups: &str| {
            Cgroup::find(&VERSION_2, groups, &mounts(Path::new("/no"), two.path(), root))
                .unwrap()
                .memory_use()
        };
        let own = Some(MemoryUse { used: 0, limit: 20 });
        assert_eq!(found("/", "0::/\n"), own, "with a name space of its own");
        assert_eq!(found("/docker/1f", "0::/docker/1f\n"), own);
        assert_eq!(found("/docker/1f", "0::/docker/1f/c\n"), Some(MemoryUse { used: 19, limit: 20 }));
        assert_eq!(found("/docker/1f", "0::/elsewhere\n"), own);
        assert_eq!(found("/docker/1f", "0::/docker/1fa\n"), own, "another one");
    }

    #[test]
    fn where_there_is_no_limit_there_is_no_use() {
        let groups = "4:memory:/\n0::/\n";
        let one = hierarchy(&VERSION_1, &[("", "5", NONE, 0)]);
        let two = hierarchy(&VERSION_2, &[("", "5", "0", 0)]);
        let mounts = mounts(one.path(), two.path(), "/");
        for files in [&VERSION_1, &VERSION_2] {
            assert_eq!(Cgroup::find(files, groups, &mounts).unwrap().memory_use(), None);
            assert!(Cgroup::find(files, groups, "").is_none() && Cgroup::find(files, "", &mounts).is_none());
            assert!(Cgroup::find(files, "4:\n:::\n", "- \n1 2 - cgroup2\n").is_none());
        }
    }
}
