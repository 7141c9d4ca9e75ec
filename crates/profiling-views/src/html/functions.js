// The table of functions, and how long the objects of one of them live.

const sizeColumn = (title, of) => ({ title, of: row => of(row).bytes, text: row => bytesWithError(of(row).bytes, of(row).bytes_error) })
const numberColumn = (title, of) => ({ title, of: row => of(row).objects, text: row => count(of(row).objects) })
const nameColumn = title => ({ title, name: true, of: row => row.name, text: row => row.name })

function functionColumns({ metadata, total }, rows) {
  const main = metadata.live_recorded ? 'live' : 'allocated'
  const columns = []
  if (metadata.live_recorded) columns.push(sizeColumn('live', row => row.live), numberColumn('live objects', row => row.live))
  columns.push({
    title: `${main}, with callees`,
    of: row => row.below.bytes,
    text: row => `${bytes(row.below.bytes)} ${percent(row.below.bytes, total[main].bytes)}`,
  })
  columns.push({ title: 'mean size', of: row => row.mean, text: row => bytes(row.mean) })
  if (metadata.peak_seconds !== null) {
    columns.push({ title: 'at the peak', of: row => row.peak.bytes, text: row => bytes(row.peak.bytes) })
  }
  columns.push(sizeColumn('allocated', row => row.allocated), numberColumn('allocated objects', row => row.allocated))
  if (rows.some(row => row.lived !== null)) {
    columns.push({ title: 'median lifetime', of: row => row.lived, text: row => (row.lived === null ? '' : time(row.lived)) })
  }
  columns.push(nameColumn('function'))
  return columns.map(column => ({ ...column, first: column.title === main }))
}

// Of one function, or of all.
function showDistributions(profile, row) {
  const sum = kind => {
    const classes = []
    for (const site of profile.sites) addClasses(classes, site[kind])
    return classes
  }
  say(part('distribution-of'), row ? `of ${row.name} itself` : 'of the whole profile')
  const all = [
    histogram('lifetimes of freed objects', row ? row.lifetimes : sum('lifetimes'), edgeOfTime),
    histogram('ages of live objects', row ? row.ages : sum('ages'), edgeOfTime),
    row ? null : histogram('sizes of allocated objects', profile.metadata.sizes, edgeOfSize),
  ].filter(Boolean)
  part('histograms').replaceChildren(...all)
  part('distributions').hidden = !all.length && !row
}
