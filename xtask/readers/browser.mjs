// A headless browser, and what a person would see in it.

import fs from 'node:fs'

import puppeteer from 'puppeteer-core'

// How long a page may take until it shows what is waited for, in milliseconds.
const PATIENCE = 30_000
// How long a page must not change until it is taken to be done, in milliseconds.
const QUIET = 300
// How many colours a page without content has.
const BLANK = 2
const VIEWPORT = { width: 1600, height: 1000 }

// Gives `work` a browser; it is gone afterwards, whatever happens.
export async function withBrowser(work) {
  const software = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage']
  // Chromium refuses to run as root in its sandbox.
  const args = process.getuid() === 0 ? [...software, '--no-sandbox'] : software
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, args })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

// Gives `look` a page at `url`, and adds what the page complained of to its answer.
export async function onPage(browser, url, look) {
  const page = await browser.newPage()
  const faults = []
  try {
    page.setDefaultTimeout(PATIENCE)
    page.on('pageerror', error => faults.push(`page error: ${error.message}`))
    page.on('console', message => {
      if (message.type() === 'error') faults.push(`console error: ${message.text()}`)
    })
    page.on('dialog', dialog => {
      faults.push(`dialog: ${dialog.message()}`)
      dialog.dismiss()
    })
    await page.setViewport(VIEWPORT)
    await page.goto(url)
    const seen = await look(page)
    return { ...seen, faults: [...faults, ...(seen.faults ?? [])] }
  } catch (error) {
    throw new Error([...faults, error.message].join('; '))
  } finally {
    await page.close()
  }
}

// Waits until two frames were painted, so that what was asked for before is on the screen.
export function painted(page) {
  return page.evaluate(
    () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  )
}

// Waits until the page changes no more: some move what they draw to its place.
export function settled(page) {
  return page.evaluate(
    quiet =>
      new Promise(done => {
        let timer = setTimeout(done, quiet)
        const again = () => {
          clearTimeout(timer)
          timer = setTimeout(done, quiet)
        }
        new MutationObserver(again).observe(document, { attributes: true, childList: true, subtree: true })
      }),
    QUIET,
  )
}

// Keeps a screenshot once there is something in it below `top` pixels, where something has to be; answers what is
// wrong with it.
export async function screenshot(page, file, top, hasContent) {
  for (const started = Date.now(); ; await painted(page)) {
    const base64 = await page.screenshot({ encoding: 'base64' })
    fs.writeFileSync(file, Buffer.from(base64, 'base64'))
    if (!hasContent || (await colours(page, base64, top)) > BLANK) return []
    if (Date.now() - started > PATIENCE) return ['the page is blank']
  }
}

// How many colours are in a picture below `top` pixels.
function colours(page, base64, top) {
  return page.evaluate(
    async (base64, top) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob())
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, top, image.width, image.height - top)
      return new Set(new Uint32Array(data.buffer)).size
    },
    base64,
    top,
  )
}
