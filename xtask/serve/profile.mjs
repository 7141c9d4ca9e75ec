// The profile: figures, search, lifetimes, and what stays when there is a new one.

import { must } from '../views/checks.mjs'
import { cellsOf, clear, click } from '../views/flamegraph.mjs'
import { sortBy, texts } from '../views/tables.mjs'
import { text } from './live.mjs'

export async function profile(page, check, { search, lifetimes }) {
  await check('figures', async () => {
    const figures = await page.$$eval('#figure option', all => all.map(option => option.value))
    const wholes = []
    for (const figure of figures) {
      await page.select('#figure', figure)
      wholes.push(`${figure} ${(await cellsOf(page))[0].value}`)
    }
    await page.select('#figure', 'live bytes')
    for (const word of ['live bytes', 'live objects', 'allocated bytes', 'allocated objects', 'bytes at the peak']) {
      must(figures.includes(word) || word.endsWith('peak'), `there is no choice of ${word}`)
    }
    must(new Set(wholes.map(each => each.match(/[\d.,]+.*$/)[0])).size > 2, `they are ${wholes}`)
    return wholes.join(', ')
  })

  await check('search', async () => {
    await page.type('#search', search)
    const matched = await text(page, '#matched')
    must(/^[\d.,]+ \w+, [\d.]+% in what matches$/.test(matched), `it says ${JSON.stringify(matched)}`)
    const wrong = (await cellsOf(page)).find(({ name, match }) => match !== name.toLowerCase().includes(search.toLowerCase()))
    must(!wrong, `${wrong?.name} is ${wrong?.match ? '' : 'not '}marked`)
    await clear(page)
    return matched
  })

  if (lifetimes) {
    await check('lifetimes by function', async () => {
      await sortBy(page, '#functions', 'allocated', 'descending')
      const seen = []
      for (const row of (await page.$$('#functions tbody tr')).slice(0, 8)) {
        await row.click()
        const titles = await texts(page, '#histograms figcaption')
        if (titles.includes('lifetimes of freed objects')) seen.push(await text(page, '#distribution-of'))
        await row.click()
      }
      must(seen.length > 0, 'no function has lifetimes')
      const column = await texts(page, '#functions th')
      must(column.includes('median lifetime'), `the columns are ${column}`)
      return seen[0]
    })
  }

  if (lifetimes) {
    await check('lifetimes by stack', async () => {
      const freed = () => page.evaluate(() => [...document.querySelectorAll('#histograms figure:first-child .bar')].map(bar => bar.title).join())
      const [of, whole] = [await text(page, '#distribution-of'), await freed()]
      const cell = (await cellsOf(page)).find(({ depth, width, whole }) => depth > 1 && width > 0.01 * whole && width < 0.9 * whole)
      await click(page, cell)
      const said = await text(page, '#distribution-of')
      must(said.startsWith('of what is below ') && said.endsWith(cell.name), `for ${cell.name} it says ${said}`)
      must((await freed()) !== whole, 'a part has the lifetimes of all')
      await page.click('#reset')
      must((await text(page, '#distribution-of')) === of && (await freed()) === whole, 'those of all do not come back')
      return said
    })
  }

  await check('what stays in a new profile', async () => {
    await sortBy(page, '#functions', 'allocated', 'ascending')
    await sortBy(page, '#functions', 'allocated', 'descending')
    await page.type('#search', search)
    const cells = await cellsOf(page)
    const cell = cells.find(({ depth, width, whole }) => depth > 1 && width > 0.01 * whole && width < 0.95 * whole) ?? cells[1]
    await click(page, cell)
    await (await page.$('#functions tbody tr')).click()
    const state = () =>
      page.evaluate(() => ({
        looked: document.querySelector('#flamegraph .cell.selected').getAttribute('aria-label').replace(/, [^,]*, [^,]*$/, ''),
        above: document.querySelectorAll('#flamegraph .cell.above').length,
        row: document.querySelector('#functions tr.selected td.name').textContent,
        of: document.getElementById('distribution-of').textContent,
        sort: document.querySelector('#functions th[aria-sort=descending]').textContent,
        search: document.getElementById('search').value,
        marked: document.querySelectorAll('.cell.match').length > 0,
        focus: document.activeElement.id,
        scroll: Math.round(scrollY),
      }))
    await page.focus('#refresh')
    const before = await state()
    const done = page.waitForResponse(response => response.url().includes('/pprof/heap') && response.ok())
    await page.keyboard.press('Enter')
    await done
    await page.waitForSelector('#refresh:not([aria-busy])')
    const after = await state()
    for (const [what, value] of Object.entries(before)) must(after[what] === value, `${what} was ${value} and is ${after[what]}`)
    must(before.above > 0, 'no part was looked at')
    await (await page.$('#functions tr.selected')).click()
    await page.click('#reset')
    await clear(page)
    return `${before.looked}, ${before.above} levels down`
  })
}
