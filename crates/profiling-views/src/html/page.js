// The page: what is on it, and what it does.

const part = id => document.getElementById(id)
const dataOf = id => JSON.parse(part(id).textContent)

const profile = dataOf('profile')
const changes = dataOf('changes')
const { metadata, total } = profile
const rows = functionsOf(profile)

function texts(list, lines) {
  for (const line of lines) {
    const entry = document.createElement('li')
    entry.textContent = line
    list.append(entry)
  }
}

function header() {
  const sums = []
  const sum = (name, { bytes: size, bytes_error: error, objects }) =>
    sums.push(`${bytesWithError(size, error)} ${name} in ${count(objects)} objects`)
  if (metadata.live_recorded) sum('live', total.live)
  sum('allocated', total.allocated)
  if (metadata.peak_seconds !== null) sum('at the peak', total.peak)
  part('totals').textContent = sums.join(', ')
  const about = []
  if (metadata.start) about.push(`from ${metadata.start}`)
  if (metadata.duration_seconds) about.push(`for ${time(metadata.duration_seconds)}`)
  const interval = metadata.sample_interval_bytes
  if (interval === 1) about.push('every allocation recorded')
  if (interval > 1) about.push(`one sample in ${bytes(interval)}, ± one standard error`)
  if (metadata.provider) about.push(`allocator ${metadata.provider}`)
  part('about').textContent = about.join(', ')
  const loss = ({ what, events, objects, bytes: size }) =>
    `not in the samples: ${what}: ${count(events)} events, ${count(objects)} objects, ${bytes(size)}`
  texts(part('losses'), metadata.losses.map(loss))
  part('remarks').hidden = !metadata.comments.length
  texts(part('comments'), metadata.comments)
  part('provider').hidden = !metadata.provider_figures.length
  for (const { name, bytes: size } of metadata.provider_figures) {
    const line = part('provider-table').tBodies[0].insertRow()
    line.insertCell().textContent = name
    line.insertCell().textContent = bytes(size)
  }
}

function functions() {
  const size = (title, of) => ({ title, of: row => of(row).bytes, text: row => bytesWithError(of(row).bytes, of(row).bytes_error) })
  const number = (title, of) => ({ title, of: row => of(row).objects, text: row => count(of(row).objects) })
  const main = metadata.live_recorded ? 'live' : 'allocated'
  const columns = []
  if (metadata.live_recorded) columns.push(size('live', row => row.live), number('live objects', row => row.live))
  columns.push({
    title: `${main}, with callees`,
    of: row => row.below.bytes,
    text: row => `${bytes(row.below.bytes)} ${percent(row.below.bytes, total[main].bytes)}`,
  })
  columns.push({ title: 'mean size', of: row => row.mean, text: row => bytes(row.mean) })
  if (metadata.peak_seconds !== null) {
    columns.push({ title: 'at the peak', of: row => row.peak.bytes, text: row => bytes(row.peak.bytes) })
  }
  columns.push(size('allocated', row => row.allocated), number('allocated objects', row => row.allocated))
  if (rows.some(row => row.lived !== null)) {
    columns.push({ title: 'median lifetime', of: row => row.lived, text: row => (row.lived === null ? '' : time(row.lived)) })
  }
  columns.push({ title: 'function', name: true, of: row => row.name, text: row => row.name })
  const shown = table(part('functions'), columns, { sortedBy: main, limit: 100, more: part('more'), onRow: distributions })
  shown.show(rows)
  return shown
}

// Of one function, or of all.
function distributions(row) {
  const sum = kind => {
    const classes = []
    for (const site of profile.sites) addClasses(classes, site[kind])
    return classes
  }
  part('distribution-of').textContent = row ? `of ${row.name} itself` : 'of the whole profile'
  const all = [
    histogram('lifetimes of freed objects', row ? row.lifetimes : sum('lifetimes'), edgeOfTime),
    histogram('ages of live objects', row ? row.ages : sum('ages'), edgeOfTime),
    row ? null : histogram('sizes of allocated objects', metadata.sizes, edgeOfSize),
  ].filter(Boolean)
  part('histograms').replaceChildren(...all)
  part('distributions').hidden = !all.length && !row
}

function grown() {
  if (!changes) return
  part('grown').hidden = false
  const change = ({ growth, growth_error: error }) => signed(growth, bytesWithError(growth, error))
  const { total: all } = changes[0]
  part('grown-total').textContent = `The live heap: ${change(all)}${all.is_significant ? '' : ', which noise explains'}.`
  const columns = [
    { title: 'growth', of: row => row.growth, text: change },
    { title: 'before', of: row => row.before, text: row => bytes(row.before) },
    { title: 'after', of: row => row.after, text: row => bytes(row.after) },
    { title: 'where', name: true, of: row => row.name, text: row => row.name },
  ]
  const shown = table(part('grown-table'), columns, { sortedBy: 'growth', limit: 100, more: part('grown-more') })
  const show = ({ rows: changed, hidden }) => {
    shown.show(changed.map(row => ({ ...row, name: row.place })))
    part('grown-rest').textContent = hidden.rows
      ? `${count(hidden.rows)} more changed, each by what noise may explain: ${change(hidden)} together.`
      : ''
  }
  for (const radio of document.getElementsByName('by')) radio.addEventListener('change', () => show(changes[radio.value]))
  show(changes[0])
}

header()
grown()
const shownFunctions = functions()
distributions(null)

let graphTotal = 0
const graph = flamegraph(part('flamegraph'), node => {
  const figure = FIGURES[part('figure').value]
  if (!node) return
  const where = node.frame?.file ? ` at ${node.frame.file}${node.frame.line ? `:${node.frame.line}` : ''}` : ''
  const own = node.own > 0 ? `, ${figure.text(node.own)} of its own` : ''
  part('frame').textContent = `${node.name}${where}: ${figure.text(node.value)}, ${percent(node.value, graphTotal)}${own}`
})

function draw() {
  const figure = FIGURES[part('figure').value]
  const tree = treeOf(profile, figure, part('inlined').checked)
  graphTotal = tree.value
  graph.show(tree, figure.text)
  search()
}

function search() {
  const wanted = part('search').value.trim().toLowerCase()
  const matches = wanted ? name => name.toLowerCase().includes(wanted) : null
  const sum = graph.mark(matches)
  const figure = FIGURES[part('figure').value]
  part('matched').textContent = matches ? `${figure.text(sum)}, ${percent(sum, graphTotal)} in what matches` : ''
  shownFunctions.filter(matches)
}

for (const name of figuresOf(profile)) part('figure').append(new Option(name))
part('figure').addEventListener('change', draw)
part('inlined').addEventListener('change', draw)
part('search').addEventListener('input', search)
part('reset').addEventListener('click', () => graph.whole())
part('controls').addEventListener('submit', event => event.preventDefault())
draw()
