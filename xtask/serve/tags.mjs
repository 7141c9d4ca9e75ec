// Tags: how much has which, and the profile of one.

import { must, mustBe } from '../views/checks.mjs'
import { cellsOf } from '../views/flamegraph.mjs'
import { rowsOf, sortBy, sorts } from '../views/tables.mjs'
import { answer, text } from './live.mjs'

export async function tags(page, check, { tags }) {
  const table = '#tags-table'
  if (!tags.length) {
    await check('no tags', async () => must(await page.$eval('#tags', section => section.hidden), 'there are tags'))
    return
  }
  await check('tags', async () => {
    const names = (await rowsOf(page, table)).map(row => row.at(-1))
    for (const tag of tags) must(names.includes(tag), `${tag} is none of ${names}`)
    const { sites } = answer(page, 'heap')
    await sortBy(page, table, 'live', 'descending')
    for (const row of await rowsOf(page, table)) {
      const tag = row.at(-1) === '[no tag]' ? undefined : row.at(-1)
      const live = sites.filter(site => site.tag === tag).reduce((sum, site) => sum + site.live.bytes, 0)
      mustBe(row[0], live, 1, row.at(-1))
    }
    return (await rowsOf(page, table)).map(row => `${row.at(-1)} ${row[0]}`).join(', ')
  })
  await check('tags sort', () => sorts(page, table))
  await check('the profile of a tag', async () => {
    const whole = (await cellsOf(page))[0].value
    const functions = (await rowsOf(page, '#functions')).length
    const { sites } = answer(page, 'heap')
    const [tag] = tags
    const live = sites.filter(site => site.tag === tag).reduce((sum, site) => sum + site.live.bytes, 0)
    const lineOf = async () => {
      const index = (await rowsOf(page, table)).findIndex(row => row.at(-1) === tag)
      return (await page.$$(`${table} tbody tr`))[index]
    }
    await (await lineOf()).click()
    mustBe((await cellsOf(page))[0].value, live, 1, tag)
    must((await text(page, '#only')).includes(tag), `it says ${await text(page, '#only')}`)
    const some = (await rowsOf(page, '#functions')).length
    must(some > 0 && some <= functions, `${some} functions of ${functions}`)
    // By the keyboard, back to all.
    await (await lineOf()).focus()
    await page.keyboard.press('Enter')
    must((await cellsOf(page))[0].value === whole, 'all does not come back')
    must((await text(page, '#only')) === '', 'it still speaks of a tag')
    return `${tag}: ${some} of ${functions} functions`
  })
}
