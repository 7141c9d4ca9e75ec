// Work that is done again and again, while the page is seen.

// Every so many seconds, the time that the work takes aside; `work` is never done twice at once.
function pace(work, seconds, isOn) {
  let timer = null
  let isAtWork = false

  async function turn() {
    clearTimeout(timer)
    if (isAtWork) return
    isAtWork = true
    await work()
    isAtWork = false
    wait()
  }

  function wait() {
    clearTimeout(timer)
    if (isOn && !document.hidden) timer = setTimeout(turn, 1000 * seconds)
  }

  document.addEventListener('visibilitychange', () => (isOn && !document.hidden ? turn() : wait()))

  return {
    now: turn,
    turnOn(on) {
      isOn = on
      if (isOn) turn()
      else wait()
    },
  }
}
