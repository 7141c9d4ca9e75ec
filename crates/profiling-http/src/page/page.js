// The page of a running program: what it asks for, how often, and who is told.

// Seconds between two looks at the figures, and at the profile.
const FIGURES_EVERY = 3
const PROFILE_EVERY = 30
// Rows of what changed: what is below them shall be seen, too.
const CHANGED = 12

let history = { every_seconds: 0, points: [], moments: [] }
let asked = -Infinity
let provider = null
// The last session that was met.
let met = null

document.title = `Live heap of ${location.host}`

const legend = legendView(part('legend'), drawChart)
const moments = momentsView(drawChart)
const grown = growthView(CHANGED)
const over = chart(part('chart'), { tell: tellReading, pick: moments.pick })
const profiles = profileLoader(() => ask('profile', '../pprof/heap?format=json', { patience: PATIENCE_FOR_PROFILE }))
const session = sessionView(() => {
  asked = -Infinity
  figures.now()
})
let shown = []

function drawChart() {
  shown = legend.show(linesOf(history.points, provider))
  over.show({ points: history.points, lines: shown, moments: history.moments, chosen: moments.chosen() })
}

function tellReading(index) {
  const slider = part('chart')
  const point = history.points[index]
  const text = point ? `${clock(point.time_ms)}: ${shown.map(line => `${line.name} ${valueAsText(line, index)}`).join(', ')}` : 'Nothing is known yet.'
  say(part('reading'), text)
  const values = { valuemin: 0, valuemax: Math.max(history.points.length - 1, 0), valuenow: Math.max(index, 0), valuetext: text }
  for (const [name, value] of Object.entries(values)) slider.setAttribute(`aria-${name}`, value)
}

async function lookAtFigures() {
  const stats = await ask('figures', '../pprof/stats')
  if (!stats) return
  provider = stats.provider
  showStats(stats)
  session.show(stats)
  say(part('updated'), `as of ${clock(Date.now())}`)
  if (performance.now() - asked >= 1000 * history.every_seconds) await lookAtHistory()
  // In a session that has just begun there is nothing yet.
  if (stats.active && (stats.session !== met || (stats.samples > 0 && profiles.isEmpty()))) profile.now()
  met = stats.session
}

async function lookAtHistory() {
  const next = await ask('history', 'history')
  if (!next) return
  asked = performance.now()
  history = next
  moments.show(history.moments)
  drawChart()
}

async function compare() {
  const { from, to } = moments.chosen()
  const texts = [from, to].map(moments.asText)
  part('compare').setAttribute('aria-busy', 'true')
  const changes = await ask('comparison', `growth?from=${from}&to=${to}`, { patience: PATIENCE_FOR_PROFILE })
  part('compare').removeAttribute('aria-busy')
  if (!changes) return
  grown.show(changes)
  const [{ basis, false_discovery_rate: rate }] = changes
  const meaning = `rows are changes that noise does not explain, but for at most ${percent(rate, 1)} of them`
  say(part('compared'), `From ${texts[0]} to ${texts[1]}; ${meaning}; ${basis}.`)
}

const figures = pace(lookAtFigures, FIGURES_EVERY, true)
const profile = pace(profiles.refresh, PROFILE_EVERY, false)

part('pause').addEventListener('click', () => {
  const isPaused = part('pause').getAttribute('aria-pressed') !== 'true'
  part('pause').setAttribute('aria-pressed', isPaused)
  say(part('pause'), isPaused ? 'Go on' : 'Pause')
  figures.turnOn(!isPaused)
})
part('refresh').addEventListener('click', profile.now)
part('automatic').addEventListener('change', () => profile.turnOn(part('automatic').checked))
part('moments').addEventListener('submit', event => {
  event.preventDefault()
  compare()
})
figures.now()
