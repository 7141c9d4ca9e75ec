// A profile as a flamegraph and as a table of functions, with one search over both.

function profileView() {
  let profile = null
  let rows = []
  // What the distributions are about: { name } of a function, or the { path } to a part of the graph, whichever was last
  // chosen; without it, everything.
  let subject = null
  let whole = 0
  const functions = table(part('functions'), { limit: 100, more: part('more'), onRow: choose })
  const graph = flamegraph(part('flamegraph'), tell, look)
  const figure = () => FIGURES[part('figure').value]

  function tell(node) {
    if (!node) return
    const where = node.frame?.file ? ` at ${node.frame.file}${node.frame.line ? `:${node.frame.line}` : ''}` : ''
    const own = node.own > 0 ? `, ${figure().text(node.own)} of its own` : ''
    say(part('frame'), `${node.name}${where}: ${figure().text(node.value)}, ${percent(node.value, whole)}${own}`)
  }

  function choose(row) {
    subject = row ? { name: row.name } : null
    distribute()
  }

  function look(path) {
    subject = path.length ? { path } : null
    functions.release()
    distribute()
  }

  function distribute() {
    const isAny = showDistributions(...distributions())
    part('distributions').hidden = !isAny && !subject
  }

  // What they are about, and they.
  function distributions() {
    const row = rows.find(row => row.name === subject?.name)
    if (row) return [`of ${row.name} itself`, row]
    const sites = subject?.path ? sitesBelow(profile, subject.path, part('inlined').checked) : []
    if (sites.length) return [`of what is below ${subject.path.join(' > ')}`, classesOf(sites)]
    return ['of the whole profile', { ...classesOf(profile.sites), sizes: profile.metadata.sizes }]
  }

  // By what the controls choose; `show` is a way of the graph to show a tree.
  function draw(show) {
    if (!profile) return
    const tree = treeOf(profile, figure(), part('inlined').checked)
    whole = tree.value
    show(tree, figure().text)
    mark()
  }

  // Marks what matches; answers what a name has to be.
  function mark() {
    const wanted = part('search').value.trim().toLowerCase()
    const matches = wanted ? name => name.toLowerCase().includes(wanted) : null
    const sum = graph.mark(matches)
    say(part('matched'), matches ? `${figure().text(sum)}, ${percent(sum, whole)} in what matches` : '')
    return matches
  }

  function showFigures() {
    const names = figuresOf(profile)
    const select = part('figure')
    if (names.join() === [...select.options].map(option => option.value).join()) return
    const before = select.value
    select.replaceChildren(...names.map(name => new Option(name)))
    if (names.includes(before)) select.value = before
  }

  // Another tree is looked at as a whole.
  for (const id of ['figure', 'inlined']) {
    part(id).addEventListener('change', () => {
      draw(graph.show)
      if (subject?.path) look([])
    })
  }
  part('search').addEventListener('input', () => {
    if (profile) functions.filter(mark())
  })
  part('reset').addEventListener('click', () => graph.whole())
  part('controls').addEventListener('submit', event => event.preventDefault())

  return {
    // What somebody looks at, chose and searched stays, as far as the names are in this profile, too.
    show(next) {
      profile = next
      rows = functionsOf(profile)
      showFigures()
      functions.renew(rows, functionColumns(profile, rows))
      distribute()
      draw(graph.renew)
    },
  }
}
