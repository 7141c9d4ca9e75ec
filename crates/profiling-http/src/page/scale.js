// Where the lines of a grid are.

const SECOND = 1000
const TIME_STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map(seconds => seconds * SECOND)

// From 0 to the first that is not below `most`: a power of two apart, as the units of bytes are.
function byteTicks(most, parts) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(most, 1) / parts)))
  const ticks = [0]
  while (ticks.at(-1) < most || ticks.length < 2) ticks.push(ticks.length * step)
  return ticks
}

// Between two times in milliseconds, at full minutes and the like of the clock on the wall.
function timeTicks(first, last, parts) {
  const step = TIME_STEPS.find(step => (last - first) / step <= parts) ?? TIME_STEPS.at(-1) * Math.ceil((last - first) / parts / TIME_STEPS.at(-1))
  const offset = new Date(last).getTimezoneOffset() * 60 * SECOND
  const ticks = []
  for (let at = Math.ceil((first - offset) / step) * step + offset; at <= last; at += step) ticks.push(at)
  return ticks
}

const clock = time => new Date(time).toLocaleTimeString('en-GB')
