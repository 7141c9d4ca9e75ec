// Where the memory is: the table is held against the JSON that it is made of.

import { must, mustBe } from './checks.mjs'
import { rowsOf } from './tables.mjs'

// `read` answers that part of the JSON; `isKnown` says whether there has to be one.
export async function memory(page, check, isKnown, read) {
  await check('where the memory is', async () => {
    const memory = await read()
    must(Boolean(memory) === isKnown, memory ? 'it is made up' : 'nothing is said about it')
    must((await page.$eval('#memory', section => section.checkVisibility())) === isKnown, 'the section is not as it should be')
    if (!memory) return 'not known'
    const rows = await rowsOf(page, '#memory-table')
    must(rows.length === memory.parts.length && rows.length > 2, `${rows.length} rows of ${memory.parts.length}`)
    memory.parts.forEach(({ title, bytes, meaning }, index) => {
      must(rows[index][0] === title && rows[index][3] === meaning, `${rows[index][0]} is not ${title}`)
      mustBe(rows[index][1], bytes, 0, title)
    })
    const sum = memory.parts.reduce((sum, { bytes }) => sum + bytes, 0)
    must(Math.abs(sum - memory.total_bytes) < 1, `the parts are ${sum} of ${memory.total_bytes}`)
    return `${rows.length} parts`
  })
}
