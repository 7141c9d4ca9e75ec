// The flamegraph: a cell for each function that is wide enough to be seen.

const ROW = 19
// Of the whole width: less is no pixel.
const NARROWEST = 0.0006

// Draws into `element`; `tell` is given the node that is pointed at, and none when there is no such node, `looked` the names on
// the way to the node that somebody looks at.
function flamegraph(element, tell, looked) {
  let root = null
  let focus = null
  let selected = null
  let total = 0
  let text = String
  let isMatch = null
  let cells = new Map()

  function colourOf(node) {
    if (!node.frame) return 'hsl(0 0% 78%)'
    // One hue for what is of the same crate.
    const crate = node.name.replace(/^[<&*\s]+/, '').split('::')[0]
    let hash = 7
    for (const letter of crate) hash = (hash * 31 + letter.codePointAt(0)) >>> 0
    return node.frame.std ? `hsl(210 12% ${74 + (hash % 8)}%)` : `hsl(${(hash % 60) + 5} 80% ${64 + (hash % 9)}%)`
  }

  function place(node, depth, left, width) {
    const cell = document.createElement('div')
    cell.className = 'cell'
    cell.setAttribute('role', 'treeitem')
    cell.style.top = `${depth * ROW}px`
    cell.style.left = `${left * 100}%`
    cell.style.width = `${width * 100}%`
    cell.style.background = colourOf(node)
    // A label in less would be nothing but dots.
    cell.textContent = width > 0.015 ? node.name : ''
    cell.setAttribute('aria-label', `${node.name}, ${text(node.value)}, ${percent(node.value, total)}`)
    cell.title = cell.getAttribute('aria-label')
    cell.classList.toggle('match', Boolean(isMatch?.(node.name)) && node.frame !== null)
    element.append(cell)
    cells.set(node, cell)
    cell.addEventListener('click', () => look(node))
    // Not what comes to lie under a mouse that rests.
    cell.addEventListener('mousemove', event => (event.movementX || event.movementY) && tell(node))
    cell.addEventListener('mouseleave', () => tell(selected))
    return cell
  }

  function draw() {
    element.replaceChildren()
    cells = new Map()
    const above = []
    for (let node = focus.parent; node; node = node.parent) above.unshift(node)
    above.forEach((node, depth) => place(node, depth, 0, 1).classList.add('above'))
    let deepest = above.length
    const open = [{ node: focus, depth: above.length, left: 0 }]
    while (open.length) {
      const { node, depth, left } = open.pop()
      const width = focus.value ? node.value / focus.value : 1
      if (width < NARROWEST) continue
      place(node, depth, left, width)
      deepest = Math.max(deepest, depth)
      let next = left
      for (const child of node.children) {
        open.push({ node: child, depth: depth + 1, left: next })
        next += child.value / focus.value
      }
    }
    // Cells have no height of their own in the element.
    element.style.height = `${(deepest + 1) * ROW + 2}px`
    select(cells.has(selected) ? selected : focus)
  }

  function select(node) {
    cells.get(selected)?.classList.remove('selected')
    selected = node
    cells.get(node)?.classList.add('selected')
    tell(node)
  }

  // As somebody asked for it: so that it can be seen.
  function reach(node) {
    select(node)
    cells.get(node)?.scrollIntoView({ block: 'nearest' })
  }

  function look(node) {
    focus = node
    selected = node
    draw()
    reach(selected)
    looked(pathOf(node))
  }

  function take(tree, textOf) {
    root = tree
    total = tree.value
    text = textOf
  }

  function pathOf(node) {
    const names = []
    for (let each = node; each?.parent; each = each.parent) names.unshift(each.name)
    return names
  }

  // As far down a path as there is one.
  function follow(path) {
    let node = root
    for (const name of path) {
      const next = node.children.find(child => child.name === name)
      if (!next) break
      node = next
    }
    return node
  }

  // The nearest that is drawn, among the siblings in one direction.
  function sibling(step) {
    const all = selected.parent?.children ?? [selected]
    const next = all[all.indexOf(selected) + step]
    return next && cells.has(next) ? next : selected
  }

  const keys = {
    ArrowUp: () => reach(selected.parent ?? selected),
    ArrowDown: () => reach(selected.children.find(child => cells.has(child)) ?? selected),
    ArrowLeft: () => reach(sibling(-1)),
    ArrowRight: () => reach(sibling(1)),
    Enter: () => look(selected),
    Escape: () => look(root),
  }
  element.addEventListener('keydown', event => {
    if (!keys[event.key] || !selected) return
    event.preventDefault()
    keys[event.key]()
  })

  return {
    show(tree, textOf) {
      take(tree, textOf)
      focus = tree
      selected = tree
      draw()
    },
    // As `show`, but what is looked at and chosen stays, as far as it is in this tree.
    renew(tree, textOf) {
      const [atFocus, atSelected] = [focus, selected].map(pathOf)
      const { scrollTop } = element
      take(tree, textOf)
      focus = follow(atFocus)
      selected = follow(atSelected)
      draw()
      element.scrollTop = scrollTop
    },
    whole: () => root && look(root),
    // Marks what matches; answers how much that is, what is below another match counted once.
    mark(matches) {
      isMatch = matches
      for (const [node, cell] of cells) cell.classList.toggle('match', Boolean(matches?.(node.name)) && node.frame !== null)
      if (!matches) return 0
      let sum = 0
      const open = [root]
      while (open.length) {
        const node = open.pop()
        if (node.frame && matches(node.name)) sum += node.value
        else open.push(...node.children)
      }
      return sum
    },
  }
}
