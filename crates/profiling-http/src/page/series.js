// From the history of a program to the lines of a chart.

// As many as there are colours.
const LINES = 8

// A line is { name, values, errors, colour, isDrawn }: a value for each point of time, null where there is none; errors only
// of what is estimated; and whether it is drawn until somebody chooses.
function linesOf(points, provider) {
  const lines = [
    { name: 'live heap', values: points.map(point => point.live_bytes), errors: points.map(point => point.live_bytes_error), isDrawn: true },
    { name: 'resident', values: points.map(point => point.resident_bytes), isDrawn: true },
    // Of a whole machine it may be, and then the rest would be a line at the bottom.
    { name: 'control group', values: points.map(point => point.cgroup_bytes), isDrawn: false },
  ]
  const names = new Set(points.flatMap(point => (point.provider_figures ?? []).map(figure => figure.name)))
  for (const name of names) {
    const valueOf = point => point.provider_figures?.find(figure => figure.name === name)?.bytes ?? null
    lines.push({ name: `${provider ?? 'allocator'}: ${name}`, values: points.map(valueOf), isDrawn: true })
  }
  return lines
    .slice(0, LINES)
    .map((line, colour) => ({ ...line, colour }))
    .filter(line => line.values.some(value => value !== null))
}

// The parts of a line without a gap, as indices of points. What is estimated is so for a session: between two of them is a gap.
function runsOf(line, points) {
  const runs = []
  let run = null
  line.values.forEach((value, index) => {
    const isOther = line.errors && index > 0 && points[index].session !== points[index - 1].session
    if (value === null || isOther) run = null
    if (value === null) return
    if (!run) runs.push((run = []))
    run.push(index)
  })
  return runs
}

function valueAsText(line, index) {
  const value = line.values[index]
  if (value === null) return 'unknown'
  return line.errors ? bytesWithError(value, line.errors[index]) : bytes(value)
}
