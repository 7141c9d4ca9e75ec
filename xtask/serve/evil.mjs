// A name that would be a part of the page, were it not written as text.

import { must } from '../views/checks.mjs'
import { clear } from '../views/flamegraph.mjs'
import { rowsOf, sortBy } from '../views/tables.mjs'
import { compare } from './live.mjs'

const PLACES = ['#functions td', '#grown-table td']

export async function evil(page, check, { evil }) {
  await check('names are text', async () => {
    await compare(page)
    await sortBy(page, '#grown-table', 'growth', 'descending')
    await page.type('#search', evil.slice(0, 24))
    must((await rowsOf(page, '#functions')).length > 0, 'it is not found')
    const seen = await page.evaluate(
      (name, places) => ({
        images: document.images.length,
        title: document.title,
        places: places.filter(place => ![...document.querySelectorAll(place)].some(each => each.textContent.includes(name))),
      }),
      evil,
      PLACES,
    )
    must(seen.images === 0, 'a name has become an image')
    must(seen.title.startsWith('Live heap'), `the title is ${seen.title}`)
    must(seen.places.length === 0, `it is not shown in ${seen.places}`)
    await clear(page)
  })
}
