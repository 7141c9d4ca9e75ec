// How long objects live, and how large they are.

// Of the objects of some sites.
function classesOf(sites) {
  const sum = { lifetimes: [], ages: [] }
  for (const site of sites) for (const kind of Object.keys(sum)) addClasses(sum[kind], site[kind])
  return sum
}

// The sites whose stacks begin with a path of names, roots first.
function sitesBelow(profile, path, withInlined) {
  const isBelow = site => {
    const stack = stackOf(profile, site, withInlined)
    return path.every((name, depth) => stack.at(-1 - depth)?.function === name)
  }
  return profile.sites.filter(isBelow)
}

// `of` says what they are about. Sizes are known of a whole profile only. Answers whether there are any.
function showDistributions(of, { lifetimes, ages, sizes = [] }) {
  say(part('distribution-of'), of)
  const all = [
    histogram('lifetimes of freed objects', lifetimes, edgeOfTime),
    histogram('ages of live objects', ages, edgeOfTime),
    histogram('sizes of allocated objects', sizes, edgeOfSize),
  ].filter(Boolean)
  part('histograms').replaceChildren(...all)
  return all.length > 0
}
