// The pictures that `allometer flamegraph` writes: node picture.mjs <directory for screenshots> <description, JSON> ..
//
// A description: { name, svg, folded, search, differs }, of which `differs` says whether colours tell what grew.

import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { painted } from '../readers/browser.mjs'
import { checksOf, must, sayAll } from './checks.mjs'
import { matching, stacksOf, totalOf } from './folded.mjs'

const NEAR = 2

const [directory, ...descriptions] = process.argv.slice(2)

// The frames that are to be seen.
function framesOf(page) {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll('#frames g')]
    const frames = all.map((group, index) => {
      const rect = group.querySelector('rect')
      const { left, top, width, height } = rect.getBoundingClientRect()
      const { fill } = getComputedStyle(rect)
      const title = group.querySelector('title').textContent
      // The name stands before the figures, which are in the last brackets.
      return { index, name: title.replace(/ \([^()]*\)$/, ''), title, left, top, width, height, fill, shown: getComputedStyle(group).display !== 'none' }
    })
    return frames.filter(({ shown, width }) => shown && width > 0)
  })
}

const outline = frames => JSON.stringify(frames.map(({ index, left, top, width }) => [index, Math.round(left), Math.round(top), Math.round(width)]))

async function click(page, selector, index = 0) {
  // As a mouse does: what is covered does not get it.
  const handle = await page.evaluateHandle((selector, index) => document.querySelectorAll(selector)[index], selector, index)
  await handle.click()
  await painted(page)
}

async function look(page, { name, svg, folded, search, differs }) {
  const url = pathToFileURL(svg).href
  const requests = []
  let answer = null
  page.on('request', request => requests.push(request.url()))
  await page.goto(url)
  // What is searched is asked for in a dialog.
  page.removeAllListeners('dialog')
  page.on('dialog', dialog => (dialog.type() === 'prompt' ? dialog.accept(answer) : dialog.dismiss()))
  await painted(page)
  const { all, check } = checksOf(name, () => page.reload())
  const picture = async what => page.screenshot({ path: path.join(directory, `svg-${name}-${what}.png`) })
  await picture('first')
  const whole = await framesOf(page)

  await check('search', async () => {
    answer = search
    await click(page, '#search')
    const found = await framesOf(page)
    const changed = found.filter(({ index, fill }) => whole.find(frame => frame.index === index)?.fill !== fill)
    must(changed.length > 0, 'no frame is marked')
    const wrong = found.find(frame => frame.name !== 'all' && frame.name.includes(search) !== changed.includes(frame))
    must(!wrong, `${wrong?.name} is ${changed.includes(wrong) ? '' : 'not '}marked`)
    await picture('search')
    const [, share] = (await page.$eval('#matched', text => text.textContent)).match(/([\d.]+)%/) ?? []
    if (!differs) {
      const stacks = stacksOf(folded)
      const wanted = (100 * matching(stacks, search)) / totalOf(stacks)
      must(Math.abs(Number(share) - wanted) < 0.2, `${share} % matches, not ${wanted}`)
    }
    await click(page, '#search')
    must(outline(await framesOf(page)) === outline(whole), 'the end of the search changes the picture')
    const left = (await framesOf(page)).filter(({ index, fill }) => whole.find(frame => frame.index === index)?.fill !== fill)
    must(left.length === 0, 'frames stay marked')
    return `${changed.length} of ${found.length} frames, ${share} %`
  })

  await check('zoom by click', async () => {
    const widest = Math.max(...whole.map(({ width }) => width))
    const isPart = most => ({ width }) => width > 0.05 * widest && width < most * widest
    // Where a program does one thing only, the rest is a sliver beside it.
    const frame = whole.find(isPart(0.6)) ?? whole.find(isPart(0.9999))
    must(frame, 'there is no frame to look at')
    await click(page, '#frames g', frame.index)
    const after = await framesOf(page)
    const now = after.find(({ index }) => index === frame.index)
    must(now && Math.abs(now.width - widest) <= NEAR, `${frame.name} is ${now?.width} of ${widest} pixels wide`)
    must(after.length < whole.length, 'what is beside it stays')
    await picture('zoom')
    await click(page, '#unzoom')
    must(outline(await framesOf(page)) === outline(whole), 'the button does not bring back the whole picture')
    return `${whole.length} frames, ${after.length} of them below or above ${frame.name}`
  })

  await check('colours', () => {
    const parsed = whole.map(({ fill }) => fill.match(/[\d.]+/g).map(Number))
    const isRed = ([r, , b]) => r > b
    const isBlue = ([r, , b]) => b > r
    const [red, blue] = [isRed, isBlue].map(is => parsed.filter(is).length)
    // What grew is red, and nothing else is; what shrank is blue.
    if (differs) must(name === 'growth' ? red > blue && red > 0 : blue > red && blue > 0, `${red} frames are red, ${blue} blue`)
    return `${red} red, ${blue} blue`
  })

  await check('requests', () => {
    // What is searched for is kept behind the name.
    const others = requests.filter(each => each.split('?')[0] !== url && !each.startsWith('data:'))
    must(others.length === 0, `it asks for ${others[0]}`)
  })
  return { all }
}

await sayAll(descriptions, look)
