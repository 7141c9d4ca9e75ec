// Figures as text, as the tables in a terminal have them.

const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
const TIMES = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'µs']]

// The unit of a number of bytes, and its number of decimals. What would be shown as 1024.0 is 1.0 of the next unit.
function unitOf(value) {
  let unit = 0
  while (unit < BYTES.length - 1 && Math.abs(value) >= 1024 ** unit * (unit ? 1023.95 : 1023.5)) unit += 1
  return { size: 1024 ** unit, name: BYTES[unit], decimals: unit ? 1 : 0 }
}

function bytes(value) {
  const { size, name, decimals } = unitOf(value)
  return `${(value / size).toFixed(decimals)} ${name}`
}

function bytesWithError(value, error) {
  if (!(error > 0)) return bytes(value)
  const { size, name, decimals } = unitOf(Math.max(Math.abs(value), error))
  return `${(value / size).toFixed(decimals)} ${name} ± ${(error / size).toFixed(decimals)}`
}

function count(value) {
  return Math.round(value).toLocaleString('en-US')
}

function countWithError(value, error) {
  return error > 0 ? `${count(value)} ± ${count(error)}` : count(value)
}

function percent(part, whole) {
  return `${(whole ? (100 * part) / whole : 0).toFixed(1)}%`
}

function time(seconds) {
  const [size, name] = TIMES.find(([size]) => seconds >= size * 0.9999) ?? TIMES.at(-1)
  return `${(seconds / size).toFixed(1)} ${name}`
}

function signed(value, text) {
  return value < 0 ? text : `+${text}`
}
