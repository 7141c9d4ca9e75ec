// What changed between two moments: by function, and by call stack; so many rows at first.

function growthView(limit) {
  let changes = null
  const change = ({ growth, growth_error: error }) => signed(growth, bytesWithError(growth, error))
  const columns = [
    { title: 'growth', of: row => row.growth, text: change, first: true },
    { title: 'before', of: row => row.before, text: row => bytes(row.before) },
    { title: 'after', of: row => row.after, text: row => bytes(row.after) },
    nameColumn('where'),
  ]
  const shown = table(part('grown-table'), { limit, more: part('grown-more') })

  function draw() {
    const { rows, hidden } = changes[document.querySelector('[name=by]:checked').value]
    shown.show(rows.map(row => ({ ...row, name: row.place })), columns)
    const rest = `${count(hidden.rows)} more changed, each by what noise may explain: ${change(hidden)} together.`
    say(part('grown-rest'), hidden.rows ? rest : '')
  }

  for (const radio of document.getElementsByName('by')) radio.addEventListener('change', draw)

  return {
    // `both` is what changed by function, and what changed by stack.
    show(both) {
      changes = both
      part('grown').hidden = false
      const { total } = changes[0]
      say(part('grown-total'), `The live heap: ${change(total)}${total.is_significant ? '' : ', which noise explains'}.`)
      draw()
    },
  }
}
