// What starts and stops the session, where the program allows it.

// `done` is called after something was done.
function sessionView(done) {
  const interval = part('interval')

  async function order(what, path) {
    const answer = await ask(what, path, { method: 'POST', read: String })
    say(part('done'), answer ?? '')
    if (answer !== null) done()
  }
  const chosen = () => encodeURIComponent(interval.value.trim())
  // Without an interval it is the program's own.
  const start = () => order('start', chosen() ? `start?interval=${chosen()}` : 'start')
  const change = () => order('interval', `interval?to=${chosen()}`)

  part('start').addEventListener('click', start)
  part('change').addEventListener('click', change)
  part('stop').addEventListener('click', () => order('stop', 'stop'))
  part('purge').addEventListener('click', () => order('give free memory back', 'purge'))
  part('session').addEventListener('submit', event => {
    event.preventDefault()
    if (part('start').hidden) change()
    else start()
  })

  return {
    show({ active, can_start: canStart, can_purge: canPurge, sample_interval_bytes: now }) {
      part('session').hidden = !canStart && !canPurge
      interval.parentElement.hidden = !canStart
      part('start').hidden = !canStart || active
      part('stop').hidden = !canStart || !active
      part('change').hidden = !canStart || !active
      part('purge').hidden = !canPurge
      // What somebody typed stays.
      if (interval.value === interval.defaultValue) interval.value = interval.defaultValue = now ? intervalAsInput(now) : ''
    },
  }
}

// In the largest unit of which it is a whole number.
function intervalAsInput(interval) {
  let unit = 0
  while (unit < 3 && interval % 1024 ** (unit + 1) === 0) unit += 1
  return `${interval / 1024 ** unit}${unit ? BYTES[unit] : ''}`
}
