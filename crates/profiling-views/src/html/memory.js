// Where the memory of the process is: parts that add up, each with what it means.

function showMemory(memory) {
  part('memory').hidden = !memory
  if (!memory) return
  say(part('memory-about'), memoryAsText(memory))
  const line = ({ title, bytes: size, bytes_error: error, meaning }) => {
    const row = document.createElement('tr')
    row.insertCell().textContent = title
    row.insertCell().textContent = bytesWithError(size, error)
    row.insertCell().textContent = percent(size, memory.total_bytes)
    row.insertCell().textContent = meaning
    return row
  }
  part('memory-table').tBodies[0].replaceChildren(...memory.parts.map(line))
}

function memoryAsText({ total_bytes: total, is_resident: isResident, fragmentation, retained_bytes: retained }) {
  const about = [isResident ? `${bytes(total)} of the process are in memory` : `${bytes(total)} are the allocator's`]
  if (fragmentation !== null) about.push(`pages in use are ${fragmentation.toFixed(2)} times what is in blocks`)
  if (retained > 0) about.push(`${bytes(retained)} more of addresses are kept, with no memory behind them`)
  return `${about.join('; ')}.`
}
