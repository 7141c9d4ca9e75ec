// A table whose columns sort it.

// Columns are { title, of, text, name, first }: what a row is sorted by, what is shown, whether it is a name, and whether it
// sorts until another one is chosen.
// `onRow` is called with a row that is clicked, and with none when it is no longer chosen, if there is such a function.
function table(element, { limit = Infinity, onRow, more }) {
  let rows = []
  let columns = []
  let titles = []
  let by = null
  let ascending = false
  let shown = limit
  let isMatch = null
  // The name of the row.
  let chosen = null
  // Names by lines of the table.
  let names = new Map()

  function titleOf(column) {
    const title = document.createElement('th')
    title.textContent = column.title
    title.scope = 'col'
    title.tabIndex = 0
    if (column.name) title.className = 'name'
    const sort = () => {
      ascending = by.title === column.title ? !ascending : Boolean(column.name)
      by = columns.find(other => other.title === column.title)
      draw()
    }
    title.addEventListener('click', sort)
    title.addEventListener('keydown', event => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      sort()
    })
    return title
  }

  function take(all, next) {
    rows = all
    const isNew = next.map(column => column.title).join() !== columns.map(column => column.title).join()
    columns = next
    by = columns.find(column => column.title === by?.title) ?? columns.find(column => column.first)
    if (!isNew) return
    titles = columns.map(titleOf)
    const head = document.createElement('tr')
    head.append(...titles)
    element.tHead.replaceChildren(head)
  }

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
    const held = names.get(document.activeElement)
    names = new Map()
    element.tBodies[0].replaceChildren(...wanted.slice(0, shown).map(line))
    if (held !== undefined) [...names].find(([, name]) => name === held)?.[0].focus({ preventScroll: true })
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
      names.set(line, row.name)
      line.classList.toggle('selected', row.name === chosen)
      const choose = () => {
        chosen = row.name === chosen ? null : row.name
        for (const [other, name] of names) other.classList.toggle('selected', name === chosen)
        onRow(chosen === null ? null : row)
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
    show(all, next) {
      shown = limit
      take(all, next)
      draw()
    },
    // As `show`, with as many rows as there were.
    renew(all, next) {
      take(all, next)
      draw()
    },
    // Chooses no row.
    release() {
      chosen = null
      for (const line of names.keys()) line.classList.remove('selected')
    },
    filter(matches) {
      isMatch = matches
      shown = limit
      draw()
    },
  }
}
