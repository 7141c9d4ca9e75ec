// The page of one profile, and of what changed since an earlier one.

const dataOf = id => JSON.parse(part(id).textContent)
const profile = dataOf('profile')
const changes = dataOf('changes')

showHeader(profile)
showMemory(profile.memory)
showProvider(profile.metadata.provider_figures)
showRemarks(profile.metadata)
if (changes) growthView(100).show(changes)
profileView().show(profile)
