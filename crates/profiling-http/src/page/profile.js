// The profile that is shown: all of it, or what has one tag.

// `load` answers with a profile, or with null.
function profileLoader(load) {
  const view = profileView()
  const tags = table(part('tags-table'), { limit: 16, more: part('more-tags'), onRow: choose })
  let profile = null
  let rows = []
  // The name of a row.
  let chosen = null

  function choose(row) {
    chosen = row?.name ?? null
    draw()
  }

  function draw() {
    const row = rows.find(row => row.name === chosen)
    say(part('only'), row ? `Only what has the tag ${row.name}:` : '')
    view.show(row ? ofTag(profile, row) : profile)
  }

  return {
    isEmpty: () => profile?.sites.length === 0,
    async refresh() {
      part('refresh').setAttribute('aria-busy', 'true')
      const next = await load()
      part('refresh').removeAttribute('aria-busy')
      if (!next) return
      profile = next
      rows = tagsOf(profile)
      part('tags').hidden = !rows.length
      tags.renew(rows, tagColumns(profile))
      showRemarks(profile.metadata)
      say(part('taken'), `as of ${clock(Date.now())}`)
      draw()
    },
  }
}
