// Which lines are drawn.

// `changed` is called when somebody chooses.
function legendView(element, changed) {
  // What was chosen, by name.
  const isDrawn = new Map()
  let names = ''
  let figures = []

  function entry(line) {
    const label = document.createElement('label')
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.checked = isDrawn.get(line.name)
    box.addEventListener('change', () => {
      isDrawn.set(line.name, box.checked)
      changed()
    })
    const swatch = document.createElement('span')
    swatch.className = `swatch colour-${line.colour}`
    const figure = document.createElement('span')
    label.append(box, swatch, `${line.name} `, figure)
    element.append(label)
    return figure
  }

  return {
    // Those of the lines that are drawn; the legend has all, with their last values.
    show(lines) {
      for (const line of lines) if (!isDrawn.has(line.name)) isDrawn.set(line.name, line.isDrawn)
      const now = lines.map(line => line.name).join()
      if (now !== names) {
        for (const label of element.querySelectorAll('label')) label.remove()
        figures = lines.map(entry)
        names = now
      }
      lines.forEach((line, index) => say(figures[index], valueAsText(line, line.values.length - 1)))
      return lines.filter(line => isDrawn.get(line.name))
    },
  }
}
