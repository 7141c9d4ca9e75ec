// The chart: lines over time, a band around what is estimated, and marks of the moments that can be compared.

const HEIGHT = 260
const MARGIN = { left: 76, right: 16, top: 12, bottom: 26 }
const PARTS = 5
// Points that Page Up and Page Down go.
const PAGE = 30

function shape(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  if (text !== undefined) made.textContent = text
  return made
}

// Draws into `element`. `tell` is given the index of the point that is read, `pick` the id of a moment and which end it shall
// be: 'from', 'to', or none, for the one that is nearer.
function chart(element, { tell, pick }) {
  const picture = shape('svg', { height: HEIGHT, 'aria-hidden': 'true' })
  const cursor = shape('g', {})
  element.append(picture)
  let points = []
  let lines = []
  let moments = []
  let chosen = {}
  // The time of the point that is read; without one it is the last point.
  let at = null
  let x = null
  let y = null

  function scale() {
    const width = Math.max(element.clientWidth, 300)
    picture.setAttribute('width', width)
    const [first, last] = [points[0].time_ms, points.at(-1).time_ms]
    const top = line => line.values.map((value, index) => (value ?? 0) + (line.errors?.[index] ?? 0))
    const ticks = byteTicks(lines.reduce((most, line) => top(line).reduce((a, b) => Math.max(a, b), most), 0), PARTS)
    const inside = width - MARGIN.left - MARGIN.right
    x = time => MARGIN.left + (inside * (time - first)) / Math.max(last - first, 1)
    y = value => HEIGHT - MARGIN.bottom - ((HEIGHT - MARGIN.top - MARGIN.bottom) * value) / ticks.at(-1)
    return { ticks, times: timeTicks(first, last, Math.max(2, Math.floor(width / 160))), right: width - MARGIN.right }
  }

  const place = (index, value) => `${x(points[index].time_ms).toFixed(1)},${y(value).toFixed(1)}`

  function linesOfGrid({ ticks, times, right }) {
    const across = ticks.flatMap(tick => [
      shape('line', { class: 'grid', x1: MARGIN.left, x2: right, y1: y(tick), y2: y(tick) }),
      shape('text', { x: MARGIN.left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, bytes(tick)),
    ])
    const along = times.map(time => shape('text', { x: x(time), y: HEIGHT - 8, 'text-anchor': 'middle' }, clock(time)))
    return [...across, ...along]
  }

  function drawn(line) {
    const runs = runsOf(line, points)
    const shapes = []
    if (line.errors) {
      const edge = (run, sign) => run.map(index => place(index, Math.max(0, line.values[index] + sign * line.errors[index])))
      const around = runs.map(run => `M${edge(run, 1).join('L')}L${edge(run, -1).reverse().join('L')}Z`)
      shapes.push(shape('path', { class: `band colour-${line.colour}`, d: around.join('') }))
    }
    // A run of one point is a dot.
    const along = runs.map(run => `M${run.map(index => place(index, line.values[index])).join('L')}h0`)
    shapes.push(shape('path', { class: `line colour-${line.colour}`, d: along.join('') }))
    return shapes
  }

  function ends({ right }) {
    const bottom = HEIGHT - MARGIN.bottom
    const timeOf = id => moments.find(moment => moment.id === id)?.time_ms
    const [from, to] = [timeOf(chosen.from), timeOf(chosen.to)].map(time => (time === undefined ? right : x(time)))
    if (timeOf(chosen.from) === undefined) return []
    const end = at => shape('line', { class: 'end', x1: at, x2: at, y1: MARGIN.top, y2: bottom })
    const between = { class: 'between', x: Math.min(from, to), width: Math.abs(to - from), y: MARGIN.top, height: bottom - MARGIN.top }
    return [shape('rect', between), end(from), end(to)]
  }

  function markOf(moment) {
    const isChosen = moment.id === chosen.from || moment.id === chosen.to
    const mark = shape('circle', { class: isChosen ? 'moment chosen' : 'moment', cx: x(moment.time_ms), cy: HEIGHT - MARGIN.bottom, r: 6 })
    mark.append(shape('title', {}, `moment ${clock(moment.time_ms)}`))
    mark.addEventListener('click', () => pick(moment.id))
    return mark
  }

  function draw() {
    picture.replaceChildren()
    if (points.length) {
      const grid = scale()
      const seen = moments.filter(moment => moment.time_ms >= points[0].time_ms && moment.time_ms <= points.at(-1).time_ms)
      picture.append(...linesOfGrid(grid), ...ends(grid), ...lines.flatMap(drawn), cursor, ...seen.map(markOf))
    }
    read()
  }

  // The index of the point nearest to a time.
  function nearest(time) {
    let best = 0
    for (let index = 1; index < points.length; index += 1) {
      if (Math.abs(points[index].time_ms - time) <= Math.abs(points[best].time_ms - time)) best = index
    }
    return best
  }

  const reading = () => (at === null ? points.length - 1 : nearest(at))

  function read() {
    cursor.replaceChildren()
    const index = reading()
    tell(index)
    if (at === null || index < 0) return
    const left = x(points[index].time_ms)
    cursor.append(shape('line', { class: 'cursor', x1: left, x2: left, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }))
    for (const line of lines.filter(line => line.values[index] !== null)) {
      cursor.append(shape('circle', { class: `dot colour-${line.colour}`, cx: left, cy: y(line.values[index]), r: 4 }))
    }
  }

  function go(index) {
    at = points[Math.min(Math.max(index, 0), points.length - 1)].time_ms
    read()
  }

  function pickNear(end) {
    const time = points[reading()].time_ms
    const distance = moment => Math.abs(moment.time_ms - time)
    const [moment] = [...moments].sort((a, b) => distance(a) - distance(b))
    if (moment) pick(moment.id, end)
  }

  const keys = {
    ArrowLeft: () => go(reading() - 1),
    ArrowRight: () => go(reading() + 1),
    PageUp: () => go(reading() - PAGE),
    PageDown: () => go(reading() + PAGE),
    Home: () => go(0),
    End: () => go(points.length - 1),
    f: () => pickNear('from'),
    t: () => pickNear('to'),
  }
  element.addEventListener('keydown', event => {
    const key = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!key || !points.length) return
    event.preventDefault()
    key()
  })
  element.addEventListener('pointermove', event => {
    if (!points.length) return
    const [first, last] = [points[0].time_ms, points.at(-1).time_ms]
    const share = (event.clientX - picture.getBoundingClientRect().left - x(first)) / (x(last) - x(first) || 1)
    go(nearest(first + share * (last - first)))
  })
  element.addEventListener('pointerleave', () => {
    at = null
    read()
  })
  new ResizeObserver(draw).observe(element)

  return {
    show(next) {
      ;({ points, lines, moments, chosen } = next)
      draw()
    },
  }
}
