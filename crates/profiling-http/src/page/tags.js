// Memory by what it is for: the tags of a profile.

const NO_TAG = '[no tag]'

// A row for each tag; none where nothing has one.
function tagsOf(profile) {
  if (!profile.sites.some(site => site.tag !== undefined)) return []
  const rows = new Map()
  for (const { tag, live, allocated, peak } of profile.sites) {
    let row = rows.get(tag)
    if (!row) {
      row = { tag, name: tag ?? NO_TAG, live: none(), allocated: none(), peak: none() }
      rows.set(tag, row)
    }
    add(row.live, live)
    add(row.allocated, allocated)
    add(row.peak, peak)
  }
  return [...rows.values()]
}

// What of a profile is in a row. Sizes are known of the whole only.
function ofTag(profile, { tag, live, allocated, peak }) {
  return {
    ...profile,
    metadata: { ...profile.metadata, sizes: [] },
    total: { live, allocated, peak },
    sites: profile.sites.filter(site => site.tag === tag),
  }
}

function tagColumns({ metadata }) {
  const columns = []
  if (metadata.live_recorded) columns.push(sizeColumn('live', row => row.live), numberColumn('live objects', row => row.live))
  if (metadata.peak_seconds !== null) columns.push(sizeColumn('at the peak', row => row.peak))
  columns.push(sizeColumn('allocated', row => row.allocated), numberColumn('allocated objects', row => row.allocated))
  columns.push(nameColumn('tag'))
  return columns.map((column, index) => ({ ...column, first: index === 0 }))
}
