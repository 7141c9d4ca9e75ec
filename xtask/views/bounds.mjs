// How much of a page is drawn, however much there is.

import { must } from './checks.mjs'
import { cellsOf } from './flamegraph.mjs'

// More are not drawn: a cell is at least so much of the width, at each of so many levels.
const NARROWEST = 0.0006
const ROWS = 400

export async function bounds(page, check, { sites }) {
  await check('how much is drawn', async () => {
    const cells = await cellsOf(page)
    const levels = Math.max(...cells.map(({ depth }) => depth)) + 1
    must(cells.length > 2 && cells.length <= levels / NARROWEST, `${cells.length} cells at ${levels} levels`)
    const rows = await page.$$eval('tbody tr', all => all.length)
    must(rows > 0 && rows <= ROWS, `${rows} rows`)
    return `${sites} sites, ${cells.length} cells, ${rows} rows`
  })
}
