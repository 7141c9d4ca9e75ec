// Objects by classes, each twice as wide as the one before.

// `classes` is objects by class; `edge` the text of where a class begins.
function histogram(title, classes, edge) {
  const filled = [...classes.keys()].filter(index => classes[index] > 0)
  if (!filled.length) return null
  const [first, last] = [filled[0], filled.at(-1)]
  const most = Math.max(...filled.map(index => classes[index]))
  const figure = document.createElement('figure')
  const caption = document.createElement('figcaption')
  caption.textContent = title
  const bars = document.createElement('div')
  bars.className = 'bars'
  for (let index = first; index <= last; index += 1) {
    const objects = classes[index] ?? 0
    const bar = document.createElement('div')
    bar.className = 'bar'
    bar.style.height = `${(100 * objects) / most}%`
    bar.title = `${edge(index)} to ${edge(index + 1)}: ${count(objects)} objects`
    bars.append(bar)
  }
  const ends = document.createElement('div')
  ends.className = 'ends'
  for (const text of [edge(first), edge(last + 1)]) {
    const end = document.createElement('span')
    end.textContent = text
    ends.append(end)
  }
  figure.append(caption, bars, ends)
  return figure
}

const edgeOfTime = index => time(index ? 2 ** (index - 1) / 1e6 : 0)
const edgeOfSize = index => bytes(index ? 2 ** (index - 1) : 0)
