// Whether the page can be used without a mouse: everything is reached by Tab, can be seen to be, and has a name.

import { must } from '../views/checks.mjs'

// Rows of tables are reached, too.
const MOST = 800
const CONTROLS = 'button, input, select, [tabindex="0"]'

export async function keyboard(page, check) {
  await check('everything by Tab', async () => {
    const wanted = await page.$$eval(CONTROLS, all => {
      // One of the radio buttons of a group is reached by Tab, the others by arrows.
      const isReached = each => each.checkVisibility() && !each.disabled && !(each.type === 'radio' && !each.checked)
      return all.map((each, index) => (isReached(each) ? index : -1)).filter(index => index >= 0)
    })
    await page.evaluate(() => {
      document.activeElement.blur()
      scrollTo(0, 0)
    })
    const reached = new Map()
    for (let presses = 0; presses < MOST && reached.size < wanted.length; presses += 1) {
      await page.keyboard.press('Tab')
      const { index, ...seen } = await page.evaluate(controls => {
        const element = document.activeElement
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        const named = element.getAttribute('aria-label') ?? [...(element.labels ?? [])].map(label => label.textContent).join()
        return {
          index: [...document.querySelectorAll(controls)].indexOf(element),
          what: `${element.tagName} ${element.id}`,
          name: (named || element.textContent).trim(),
          outline: outlineStyle === 'none' ? 0 : parseFloat(outlineWidth),
        }
      }, CONTROLS)
      if (index < 0) continue
      must(seen.name, `${seen.what} has no name`)
      must(seen.outline >= 1, `${seen.what} cannot be seen to be chosen`)
      reached.set(index, seen.what)
    }
    const missed = wanted.find(index => !reached.has(index))
    const what = index => page.$$eval(CONTROLS, (all, index) => `${all[index].tagName} ${all[index].id}`, index)
    if (missed !== undefined) must(false, `${await what(missed)} is not reached`)
    must(wanted.length > 20, `there are ${wanted.length} controls`)
    return `${reached.size} of ${wanted.length}`
  })
}
