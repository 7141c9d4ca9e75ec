// From the sites of a profile to what is shown.

const FIGURES = {
  'live bytes': { of: site => site.live.bytes, text: bytes },
  'live objects': { of: site => site.live.objects, text: count },
  'allocated bytes': { of: site => site.allocated.bytes, text: bytes },
  'allocated objects': { of: site => site.allocated.objects, text: count },
  'bytes at the peak': { of: site => site.peak.bytes, text: bytes },
  'slack bytes': { of: site => site.slack?.bytes ?? 0, text: bytes },
}

// Those that the profile has.
function figuresOf(profile) {
  const has = name => {
    if (name.startsWith('slack')) return Boolean(profile.total.slack)
    if (name.startsWith('live')) return profile.metadata.live_recorded
    return name.startsWith('allocated') || profile.metadata.peak_seconds !== null
  }
  return Object.keys(FIGURES).filter(has)
}

// The frames of a site, leaf first. A function that was inlined belongs to its caller where those are not shown.
function stackOf(profile, site, withInlined) {
  const frames = site.stack.map(index => profile.frames[index])
  const shown = withInlined ? frames : frames.filter(frame => !frame.inlined)
  return shown.length ? shown : [{ function: '[empty stack]' }]
}

// Who calls whom: { name, frame, value, own, parent, children }, the largest child first.
function treeOf(profile, figure, withInlined) {
  const root = { name: 'everything', frame: null, value: 0, own: 0, parent: null, byName: new Map() }
  for (const site of profile.sites) {
    const value = figure.of(site)
    if (!(value > 0)) continue
    let node = root
    node.value += value
    for (const frame of stackOf(profile, site, withInlined).reverse()) {
      let child = node.byName.get(frame.function)
      if (!child) {
        child = { name: frame.function, frame, value: 0, own: 0, parent: node, byName: new Map() }
        node.byName.set(frame.function, child)
      }
      child.value += value
      node = child
    }
    node.own += value
  }
  // Without recursion: stacks may be of any depth.
  const open = [root]
  while (open.length) {
    const node = open.pop()
    node.children = [...node.byName.values()].sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
    delete node.byName
    open.push(...node.children)
  }
  return root
}

const none = () => ({ objects: 0, objects_error: 0, bytes: 0, bytes_error: 0 })

// Of independent figures: variances add up.
function add(sum, more) {
  sum.objects += more.objects
  sum.bytes += more.bytes
  sum.objects_error = Math.hypot(sum.objects_error, more.objects_error)
  sum.bytes_error = Math.hypot(sum.bytes_error, more.bytes_error)
}

// The same of bytes alone, of which there may have been none.
function sumOfBytes(sum, more) {
  if (!sum) return more
  return { bytes: sum.bytes + more.bytes, bytes_error: Math.hypot(sum.bytes_error, more.bytes_error) }
}

function addClasses(sum, durations) {
  for (const [index, objects] of durations?.classes ?? []) sum[index] = (sum[index] ?? 0) + objects
}

// A row for each function. What a stack allocated belongs to its innermost function that is not of the standard
// library.
function functionsOf(profile) {
  const rows = new Map()
  for (const site of profile.sites) {
    const stack = stackOf(profile, site, true)
    const owner = (stack.find(frame => !frame.std) ?? stack[0]).function
    for (const name of new Set(stack.map(frame => frame.function))) {
      let row = rows.get(name)
      if (!row) {
        row = { name, live: none(), allocated: none(), peak: none(), slack: null, below: none(), lifetimes: [], ages: [] }
        rows.set(name, row)
      }
      add(row.below, profile.metadata.live_recorded ? site.live : site.allocated)
      if (name !== owner) continue
      add(row.live, site.live)
      add(row.allocated, site.allocated)
      add(row.peak, site.peak)
      if (site.slack) row.slack = sumOfBytes(row.slack, site.slack)
      addClasses(row.lifetimes, site.lifetimes)
      addClasses(row.ages, site.ages)
    }
  }
  for (const row of rows.values()) {
    const amount = row.live.objects > 0 ? row.live : row.allocated
    row.mean = amount.objects > 0 ? amount.bytes / amount.objects : 0
    row.lived = median(row.lifetimes)
  }
  return [...rows.values()]
}

// Class n is for durations whose whole microseconds need n bits; within one, objects are taken as spread evenly.
function median(classes) {
  const total = classes.reduce((sum, objects) => sum + objects, 0)
  let below = 0
  for (const index of classes.keys()) {
    const objects = classes[index] ?? 0
    if (objects > 0 && below + objects >= total / 2) {
      const start = index ? 2 ** (index - 1) : 0
      return (start + ((total / 2 - below) / objects) * (2 ** index - start)) / 1e6
    }
    below += objects
  }
  return null
}
