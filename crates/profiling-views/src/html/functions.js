// The columns of the table of functions.

const sizeColumn = (title, of) => ({ title, of: row => of(row).bytes, text: row => bytesWithError(of(row).bytes, of(row).bytes_error) })
const numberColumn = (title, of) => ({ title, of: row => of(row).objects, text: row => count(of(row).objects) })
const nameColumn = title => ({ title, name: true, of: row => row.name, text: row => row.name })

function functionColumns({ metadata, total }, rows) {
  const main = metadata.live_recorded ? 'live' : 'allocated'
  const columns = []
  if (metadata.live_recorded) columns.push(sizeColumn('live', row => row.live), numberColumn('live objects', row => row.live))
  columns.push({
    title: `${main}, with callees`,
    of: row => row.below.bytes,
    text: row => `${bytes(row.below.bytes)} ${percent(row.below.bytes, total[main].bytes)}`,
  })
  columns.push({ title: 'mean size', of: row => row.mean, text: row => bytes(row.mean) })
  if (metadata.peak_seconds !== null) {
    columns.push({ title: 'at the peak', of: row => row.peak.bytes, text: row => bytes(row.peak.bytes) })
  }
  if (total.slack) {
    const text = ({ slack }) => (slack ? bytesWithError(slack.bytes, slack.bytes_error) : '')
    columns.push({ title: 'slack', of: row => row.slack?.bytes ?? null, text })
  }
  columns.push(sizeColumn('allocated', row => row.allocated), numberColumn('allocated objects', row => row.allocated))
  if (rows.some(row => row.lived !== null)) {
    columns.push({ title: 'median lifetime', of: row => row.lived, text: row => (row.lived === null ? '' : time(row.lived)) })
  }
  columns.push(nameColumn('function'))
  return columns.map(column => ({ ...column, first: column.title === main }))
}
