// A table whose columns sort it.

// Columns are { title, of, text, name }: what a row is sorted by, what is shown, and whether it is a name.
// `onRow` is called with a row that is clicked, if there is such a function.
function table(element, columns, { sortedBy, ascending = false, limit = Infinity, onRow, more }) {
  let rows = []
  let shown = limit
  let by = columns.find(column => column.title === sortedBy) ?? columns[0]
  let isMatch = null
  let chosen = null
  const head = document.createElement('tr')
  element.tHead.replaceChildren(head)

  const titles = columns.map(column => {
    const title = document.createElement('th')
    title.textContent = column.title
    title.scope = 'col'
    title.tabIndex = 0
    if (column.name) title.className = 'name'
    const sort = () => {
      ascending = by === column ? !ascending : Boolean(column.name)
      by = column
      draw()
    }
    title.addEventListener('click', sort)
    title.addEventListener('keydown', event => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      sort()
    })
    head.append(title)
    return title
  })

  function compare(a, b) {
    const [x, y] = [by.of(a), by.of(b)]
    // What has no value comes last.
    if (x === null || y === null) return (x === null) - (y === null)
    const order = x < y ? -1 : x > y ? 1 : 0
    return ascending ? order : -order
  }

  function draw() {
    titles.forEach((title, index) => {
      const order = columns[index] === by ? (ascending ? 'ascending' : 'descending') : 'none'
      title.setAttribute('aria-sort', order)
    })
    const wanted = rows.filter(row => !isMatch || isMatch(row.name)).sort(compare)
    element.tBodies[0].replaceChildren(...wanted.slice(0, shown).map(line))
    if (more) {
      more.hidden = wanted.length <= shown
      more.textContent = `${count(wanted.length - shown)} more`
    }
  }

  function line(row) {
    const line = document.createElement('tr')
    for (const column of columns) {
      const cell = line.insertCell()
      cell.textContent = column.text(row)
      if (column.name) cell.className = 'name'
    }
    if (onRow) {
      line.tabIndex = 0
      line.classList.toggle('selected', row === chosen)
      const choose = () => {
        chosen = row === chosen ? null : row
        for (const other of element.tBodies[0].rows) other.classList.toggle('selected', other === line && chosen !== null)
        onRow(chosen)
      }
      line.addEventListener('click', choose)
      line.addEventListener('keydown', event => event.key === 'Enter' && choose())
    }
    return line
  }

  more?.addEventListener('click', () => {
    shown *= 4
    draw()
  })

  return {
    show(all) {
      rows = all
      shown = limit
      draw()
    },
    filter(matches) {
      isMatch = matches
      shown = limit
      draw()
    },
  }
}
