// A profile as a flamegraph and as a table of functions, with one search over both.

function profileView() {
  let profile = null
  let rows = []
  // The name of the function whose distributions are shown.
  let chosen = null
  let whole = 0
  const functions = table(part('functions'), { limit: 100, more: part('more'), onRow: choose })
  const graph = flamegraph(part('flamegraph'), tell)
  const figure = () => FIGURES[part('figure').value]

  function tell(node) {
    if (!node) return
    const where = node.frame?.file ? ` at ${node.frame.file}${node.frame.line ? `:${node.frame.line}` : ''}` : ''
    const own = node.own > 0 ? `, ${figure().text(node.own)} of its own` : ''
    say(part('frame'), `${node.name}${where}: ${figure().text(node.value)}, ${percent(node.value, whole)}${own}`)
  }

  function choose(row) {
    chosen = row?.name ?? null
    showDistributions(profile, row)
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

  part('figure').addEventListener('change', () => draw(graph.show))
  part('inlined').addEventListener('change', () => draw(graph.show))
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
      choose(rows.find(row => row.name === chosen))
      draw(graph.renew)
    },
  }
}
