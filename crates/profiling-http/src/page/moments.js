// The two moments that are compared.

const NOW = 'now'

// `changed` is called when others are chosen.
function momentsView(changed) {
  const [from, to] = [part('from'), part('to')]
  let moments = []
  const timeOf = id => moments.find(moment => String(moment.id) === id)?.time_ms

  // A moment that is kept no longer is taken for the one that was nearest to it.
  function fill(select, options, time, otherwise) {
    const before = select.value
    select.replaceChildren(...options)
    if (options.some(option => option.value === before)) select.value = before
    else if (time !== undefined && moments.length) {
      const distance = moment => Math.abs(moment.time_ms - time)
      select.value = moments.reduce((best, moment) => (distance(moment) < distance(best) ? moment : best)).id
    } else select.value = otherwise
  }

  const optionOf = ({ id, time_ms: time, live_bytes: size, live_bytes_error: error }) =>
    new Option(`${clock(time)}, ${bytesWithError(size, error)}`, id)

  for (const select of [from, to]) select.addEventListener('change', changed)

  return {
    show(next) {
      if (next.map(moment => moment.id).join() === moments.map(moment => moment.id).join()) return
      const [start, end] = [timeOf(from.value), timeOf(to.value)]
      moments = next
      fill(from, moments.map(optionOf), start, moments[0]?.id)
      fill(to, [...moments.map(optionOf), new Option(NOW)], end, NOW)
      part('no-moments').hidden = moments.length > 0
      part('compare').disabled = moments.length === 0
    },
    chosen: () => ({ from: Number(from.value), to: to.value === NOW ? NOW : Number(to.value) }),
    // At the end that is named, or at the one that is nearer.
    pick(id, end) {
      const time = timeOf(String(id))
      const far = select => Math.abs((timeOf(select.value) ?? Date.now()) - time)
      const select = end ? part(end) : far(from) <= far(to) ? from : to
      select.value = id
      changed()
    },
    asText: value => (value === NOW ? `now (${clock(Date.now())})` : clock(timeOf(String(value)))),
  }
}
