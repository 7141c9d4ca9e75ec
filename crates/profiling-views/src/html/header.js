// What a profile says of itself, in lines of text.

const part = id => document.getElementById(id)

// Changes a text only where it is another one: what is read aloud, or marked by somebody, stays.
function say(element, text) {
  if (element.textContent !== text) element.textContent = text
}

function sayLines(list, lines) {
  while (list.children.length > lines.length) list.lastChild.remove()
  lines.forEach((line, index) => say(list.children[index] ?? list.appendChild(document.createElement('li')), line))
}

// A sum for each amount that there is: { name: amount }.
function sumsAsText(amounts) {
  const sum = ([name, { bytes: size, bytes_error: error, objects }]) =>
    `${bytesWithError(size, error)} ${name} in ${count(objects)} objects`
  return Object.entries(amounts).map(sum).join(', ')
}

function intervalAsText(interval) {
  if (interval === 1) return 'every allocation recorded'
  return interval > 1 ? `one sample in ${bytes(interval)}, ± one standard error` : ''
}

const lossAsText = ({ what, events, objects, bytes: size }) =>
  `not in the samples: ${what}: ${count(events)} events, ${count(objects)} objects, ${bytes(size)}`

function showHeader({ metadata, total }) {
  const amounts = {}
  if (metadata.live_recorded) amounts.live = total.live
  amounts.allocated = total.allocated
  if (metadata.peak_seconds !== null) amounts['at the peak'] = total.peak
  say(part('totals'), sumsAsText(amounts))
  const about = []
  if (metadata.start) about.push(`from ${metadata.start}`)
  if (metadata.duration_seconds) about.push(`for ${time(metadata.duration_seconds)}`)
  about.push(intervalAsText(metadata.sample_interval_bytes))
  if (metadata.provider) about.push(`allocator ${metadata.provider}`)
  say(part('about'), about.filter(Boolean).join(', '))
  sayLines(part('losses'), metadata.losses.map(lossAsText))
}

function showRemarks({ comments }) {
  part('remarks').hidden = !comments.length
  sayLines(part('comments'), comments)
}

// Of the allocator itself: [{ name, bytes }].
function showProvider(figures) {
  part('provider').hidden = !figures.length
  const line = ({ name, bytes: size }) => {
    const row = document.createElement('tr')
    row.insertCell().textContent = name
    row.insertCell().textContent = bytes(size)
    return row
  }
  part('provider-table').tBodies[0].replaceChildren(...figures.map(line))
}
