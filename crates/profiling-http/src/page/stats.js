// The figures of the session and of the process, in the page's head.

function showStats(stats) {
  say(part('totals'), stats.active ? sumsAsText(amountsOf(stats)) : 'No session is running.')
  say(part('process'), processAsText(stats))
  say(part('about'), stats.active ? sessionAsText(stats) : '')
  sayLines(part('losses'), (stats.losses ?? []).map(lossAsText))
  showMemory(stats.memory)
  showProvider(stats.provider_figures ?? [])
}

function amountsOf({ live_recorded: hasLive, live, allocated }) {
  return hasLive ? { live, allocated } : { allocated }
}

function sessionAsText(stats) {
  const about = [`session ${stats.session} for ${time(stats.elapsed_seconds)}`, intervalAsText(stats.sample_interval_bytes)]
  if (stats.provider) about.push(`allocator ${stats.provider}`)
  const counted = { samples: stats.samples, sites: stats.sites, 'live samples': stats.live_samples, tags: stats.tags, threads: stats.threads }
  for (const [name, number] of Object.entries(counted)) if (number > 0) about.push(`${count(number)} ${name}`)
  if (stats.unwinding) about.push(`stacks: ${stats.unwinding}`)
  return about.filter(Boolean).join(', ')
}

function processAsText({ resident, cgroup }) {
  const use = (name, { used, limit }) => `${name} ${bytes(used)}${limit ? ` of ${bytes(limit)}` : ''}`
  return [resident && use('resident', resident), cgroup && use('control group', cgroup)].filter(Boolean).join(', ')
}
