// The page's head and tables: totals, losses, functions, their histograms, what changed.

import { figure, must } from './checks.mjs'
import { clear } from './flamegraph.mjs'

// So many rows are compared with each other.
const ROWS = 40

// The cells of the rows of a table, as texts.
export function rowsOf(page, table) {
  return page.$$eval(`${table} tbody tr`, rows => rows.map(row => [...row.cells].map(cell => cell.textContent)))
}

function titlesOf(page, table) {
  return page.$$eval(`${table} th`, all => all.map(title => ({ title: title.textContent, sort: title.getAttribute('aria-sort') })))
}

export function texts(page, selector) {
  return page.$$eval(selector, all => all.map(each => each.textContent))
}

// Asks that texts are in order, as far as what they are rounded to tells.
function mustBeInOrder(column, sort, title) {
  const isName = ['function', 'where', 'tag'].includes(title)
  for (let index = 1; index < column.length; index += 1) {
    const [a, b] = sort === 'ascending' ? [column[index - 1], column[index]] : [column[index], column[index - 1]]
    // What has no value is last.
    if (column[index] === '') continue
    must(column[index - 1] !== '', `${title}: what has no value stands before ${column[index]}`)
    const isInOrder = isName ? a <= b : figure(a).value - figure(a).within <= figure(b).value + figure(b).within
    must(isInOrder, `${sort} by ${title}, ${column[index - 1]} stands before ${column[index]}`)
  }
}

export async function sorts(page, table) {
  const seen = []
  const titles = await titlesOf(page, table)
  for (let index = 0; index < titles.length; index += 1) {
    const { title } = titles[index]
    const columns = []
    // By mouse, then by the keyboard.
    for (const act of [head => head.click(), head => head.press('Enter')]) {
      const heads = await page.$$(`${table} th`)
      await act(heads[index])
      const now = await titlesOf(page, table)
      const { sort } = now[index]
      must(sort === 'ascending' || sort === 'descending', `${title} is clicked and sorts ${sort}`)
      must(now.every((other, at) => at === index || other.sort === 'none'), `by ${title} another column is sorted, too`)
      const column = (await rowsOf(page, table)).slice(0, ROWS).map(row => row[index])
      mustBeInOrder(column, sort, title)
      columns.push({ sort, column: column.join('\n') })
    }
    must(columns[0].sort !== columns[1].sort, `${title} sorts ${columns[0].sort} twice`)
    must(columns[0].column !== columns[1].column || new Set(columns[0].column.split('\n')).size < 2, `${title} is the same both ways`)
    seen.push(title)
  }
  return `${seen.length} columns`
}

export async function sortBy(page, table, title, wanted) {
  for (let clicks = 0; clicks < 2; clicks += 1) {
    const titles = await titlesOf(page, table)
    const index = titles.findIndex(each => each.title === title)
    must(index >= 0, `there is no column ${title}`)
    if (titles[index].sort === wanted) return
    await (await page.$$(`${table} th`))[index].click()
  }
}

export async function head(page, check, { totals, losses }) {
  await check('totals', async () => {
    const [shown] = await texts(page, '#totals')
    must(shown.startsWith(totals), `it says ${shown}, not ${totals}`)
    return totals
  })
  await check('losses', async () => {
    const shown = await texts(page, '#losses li')
    must(shown.length === losses.length, `it tells ${shown.length} losses of ${losses.length}`)
    losses.forEach((loss, index) => must(shown[index].includes(loss), `it says ${shown[index]}, not ${loss}`))
    const height = await page.$eval('#losses', list => list.getBoundingClientRect().height)
    must(height > 0 === losses.length > 0, 'the list of losses is not as it should be')
    return `${losses.length}`
  })
}

export async function functions(page, check, { top, search, lifetimes }) {
  const table = '#functions'
  await check('columns sort', () => sorts(page, table))
  for (const [title, names] of Object.entries(top)) {
    await check(`first by ${title}`, async () => {
      await sortBy(page, table, title, 'descending')
      const shown = (await rowsOf(page, table)).map(row => row.at(-1)).slice(0, names.length)
      must(JSON.stringify(shown) === JSON.stringify(names), `it shows ${shown}, not ${names}`)
      return `${names.length} as in top`
    })
  }
  await check('filter', async () => {
    const all = await rowsOf(page, table)
    await page.type('#search', search)
    const some = await rowsOf(page, table)
    must(some.length > 0 && some.every(row => row.at(-1).toLowerCase().includes(search)), 'rows are left that do not match')
    await page.type('#search', ' no such function')
    must((await rowsOf(page, table)).length === 0, 'rows are left where nothing matches')
    await clear(page)
    must((await rowsOf(page, table)).length === all.length, 'rows do not come back')
    return `${all.length} rows, ${some.length} match`
  })
  await check('more functions', () => more(page, table, '#more'))
  await check('histograms of a function', async () => {
    await sortBy(page, table, 'live', 'descending')
    const whole = await objectsByHistogram(page)
    const row = await page.$(`${table} tbody tr`)
    await row.click()
    const [name] = await row.$$eval('td.name', all => all.map(cell => cell.textContent))
    const [of] = await texts(page, '#distribution-of')
    must(of === `of ${name} itself`, `for ${name} it says ${of}`)
    const own = await objectsByHistogram(page)
    const kind = 'lifetimes of freed objects'
    if (lifetimes) {
      must(own[kind] === lifetimes.first && whole[kind] === lifetimes.all, `of ${own[kind]} and ${whole[kind]} objects, not ${lifetimes.first} and ${lifetimes.all}`)
    }
    must(JSON.stringify(own) !== JSON.stringify(whole) || Object.keys(whole).length === 0, 'a function has the histograms of all')
    await row.click()
    must((await texts(page, '#distribution-of'))[0] === 'of the whole profile', 'a second click does not bring back all')
    must(JSON.stringify(await objectsByHistogram(page)) === JSON.stringify(whole), 'the histograms of all do not come back')
    return Object.entries(whole).map(([title, objects]) => `${title} ${objects}`).join(', ')
  })
}

// The objects in all bars of each histogram.
function objectsByHistogram(page) {
  return page.$$eval('#histograms figure', all => {
    const objects = bar => Number(bar.title.match(/: ([\d,]+) objects$/)[1].replaceAll(',', ''))
    const sum = figure => [...figure.querySelectorAll('.bar')].reduce((sum, bar) => sum + objects(bar), 0)
    return Object.fromEntries(all.map(figure => [figure.querySelector('figcaption').textContent, sum(figure)]))
  })
}

// A table that has more rows than it shows says how many, and shows them when it is asked.
async function more(page, table, button) {
  const text = await page.$eval(button, element => (element.hidden ? null : element.textContent))
  if (text === null) return 'all are shown'
  const before = (await rowsOf(page, table)).length
  await page.click(button)
  const after = (await rowsOf(page, table)).length
  const left = await page.$eval(button, element => (element.hidden ? 0 : Number(element.textContent.match(/[\d,]+/)[0].replaceAll(',', ''))))
  const said = Number(text.match(/[\d,]+/)[0].replaceAll(',', ''))
  must(after > before && after - before === said - left, `of ${text}, ${after - before} come, and then it says ${left}`)
  return `${before} rows, then ${after}, and ${left} more`
}

export async function changes(page, check, { diff }) {
  const table = '#grown-table'
  for (const [value, by] of ['function', 'stack'].entries()) {
    await check(`what changed by ${by}`, async () => {
      await page.click(`input[name=by][value="${value}"]`)
      await sortBy(page, table, 'growth', 'descending')
      const { rows, hidden } = diff[by]
      const shown = (await rowsOf(page, table)).map(row => row.at(-1))
      const wanted = rows.map(({ place }) => place)
      const isSame = shown.length <= wanted.length && shown.every(name => wanted.includes(name)) && (shown.length > 0 || wanted.length === 0)
      must(isSame, `it shows ${shown.length} rows, and diff ${wanted.length}; the first is ${shown[0]}`)
      const [rest] = await texts(page, '#grown-rest')
      must(hidden === 0 ? rest === '' : rest.startsWith(`${hidden.toLocaleString('en-US')} more changed`), `of ${hidden} more it says ${rest}`)
      return `${shown.length} of ${wanted.length} rows, ${hidden} hidden`
    })
  }
  await check('more that changed', () => more(page, table, '#grown-more'))
  if (Math.max(...Object.values(diff).map(({ rows }) => rows.length)) > 1) {
    await check('columns of what changed sort', () => sorts(page, table))
  }
}
