// The desk: a query, its documents, and the choices, which stay in the browser until they are sent in all at once; a
// reload or a closed tab does not lose them.
// A key decides the document that is marked at that moment, whatever the server is doing; one that cannot be placed
// for sure switches the keys off, and the page says so. Text of a study only ever becomes `textContent`.

const KEYS = "ynbsu"
const KEYS_LISTED = [
  ["Y", "relevant: decides the marked document and marks the next one"],
  ["N", "not relevant: the same"],
  ["B", "back: marks the document before, to decide it again"],
  ["S", "saves the query's choices, all at once, and goes on"],
  ["U", "takes back the last choice that is not saved; where there is none, what you sent in last"],
  ["?", "shows or hides this list"],
]
const NO_ANSWER_MS = 10_000
const JUST_TYPED_MS = 2_000

const drafts = new Map()
let view = null // the data on the screen, the element that shows them, and the way to the server
let pending = null // what was sent in and has no answer yet; `lost` counts keys typed meanwhile
let lock = null // why keys are off, and how many came since
let said = ""
let typed_at = -JUST_TYPED_MS
let mark = null // place of the document that the next key decides; null where all are decided
let resume = null // where the marks go on after going back
let done = [] // each choice, to be taken back

const counted = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`

function make(tag, kind, text) {
  const made = document.createElement(tag)
  if (kind) made.className = kind
  if (text !== undefined) made.textContent = text
  return made
}

function button(words, key, kind, press) {
  const made = make("button", kind, words)
  made.type = "button"
  if (key) made.append(" ", make("kbd", "", key))
  made.addEventListener("click", press)
  return made
}

const key_of = (query_row) => `touchstone review ${JSON.stringify([view.data.study, view.data.reviewer, query_row])}`

function draft() {
  const key = key_of(view.data.query_row)
  if (!drafts.has(key)) drafts.set(key, stored(key))
  return drafts.get(key)
}

function stored(key) {
  let found = null
  try {
    found = JSON.parse(localStorage.getItem(key))
  } catch {
    // Storage may be switched off, and what is in it anybody's: then there is no draft.
  }
  // Another study of that name may have been here before: its choices are about other words.
  if (found?.query !== view.data.query) found = null
  const { choices = [], reason = "", note = "", seen = false } = found ?? {}
  return { choices: new Map(choices), reason, note, seen }
}

function keep() {
  const { choices, reason, note, seen } = draft()
  const kept = { query: view.data.query, choices: [...choices], reason, note, seen }
  try {
    localStorage.setItem(key_of(view.data.query_row), JSON.stringify(kept))
  } catch {
    // The choices are on the screen still.
  }
}

function forget(query_row) {
  const key = key_of(query_row)
  const seen = drafts.get(key)?.seen ?? false
  drafts.delete(key)
  try {
    if (!seen) return localStorage.removeItem(key)
    // A reviewer who has seen the scores does not vote blind later either.
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), choices: [], reason: "", note: "" }))
  } catch {
    // Nothing was stored.
  }
}

function is_unsaved() {
  if (view === null || view.data.query_row === null) return false
  const { reason, note } = draft()
  return decided().length > 0 || reason !== "" || note !== ""
}

window.addEventListener("beforeunload", (event) => {
  if (is_unsaved()) event.preventDefault()
})

const rows = () => view.data.documents.map((one) => one.row)
const decided = () => rows().filter((row) => draft().choices.has(row))

function next_open(after) {
  const places = rows().flatMap((row, place) => (draft().choices.has(row) ? [] : [place]))
  return places.find((place) => place > after) ?? places[0] ?? null
}

function choose(place, relevant, by_key) {
  const row = rows()[place]
  done.push({ row, before: draft().choices.get(row), mark, resume })
  draft().choices.set(row, relevant)
  keep()
  said = ""
  if (by_key && resume !== null && place + 1 < resume) {
    mark = place + 1
  } else {
    resume = null
    mark = next_open(place)
  }
  draw(by_key)
}

function back() {
  const from = mark ?? rows().length
  if (from === 0) return say("This is the first document.")
  resume = Math.max(resume ?? 0, from)
  mark = from - 1
  said = ""
  draw(true)
}

function say(words) {
  said = words
  draw()
}

function take_back() {
  const last = done.pop()
  if (last !== undefined) {
    if (last.before === undefined) draft().choices.delete(last.row)
    else draft().choices.set(last.row, last.before)
    keep()
    ;({ mark, resume } = last)
    said = "The last choice is taken back."
    return draw(true)
  }
  if (view.data.sent === null) return say("There is nothing to take back.")
  send("undo")
}

function save() {
  if (rows().length === 0) return say("There is nothing to save.")
  if (decided().length === 0) return say("Nothing to save yet: say of one document whether it is relevant.")
  send("save")
}

function skip() {
  const n = decided().length
  if (n > 0) return say(`Not skipped: ${counted(n, "choice")} would be lost. Save first, then skip what is left.`)
  send("skip")
}

function send(act) {
  const { submission, query_row, sent } = view.data
  const nothing = { choices: new Map(), reason: "", note: "", seen: false }
  const { choices, reason, note, seen } = query_row === null ? nothing : draft()
  const number = crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}`
  const chosen = act === "save" ? decided().map((row) => [row, choices.get(row)]) : []
  pending = { number, submission, query_row, lost: 0, timer: setTimeout(give_up, NO_ANSWER_MS) }
  lock = null
  said = ""
  view.send({ number, submission, act, choices: chosen, reason, note, blind: !seen, undo: sent })
  draw()
}

function give_up() {
  const { lost } = pending
  pending = null
  if (lost > 0) off(`There is no answer from the server, and ${counted(lost, "key")} typed meanwhile decided nothing.`)
  said = "There is no answer from the server. Your choices are still here: save again, which counts once."
  draw()
}

const off = (why) => (lock = { why, since: 0 })

function on() {
  lock = null
  draw()
}

function is_written_in(target) {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches("textarea, select")) return true
  return target.matches("input") && !["button", "checkbox", "radio", "submit"].includes(target.type)
}

document.addEventListener(
  "keydown",
  (event) => {
    const target = event.composedPath()[0]
    if (view === null || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return
    if (is_written_in(target)) {
      // A filter just chosen still has the cursor: keys meant for the query that it brings end there.
      if (!view.root.contains(target)) typed_at = performance.now()
      return
    }
    if (event.key === "Enter" && lock !== null && !(target instanceof HTMLElement && target.matches("button, a"))) {
      event.preventDefault()
      return on()
    }
    const listed = event.key === "?" ? view.root.querySelector(".keys") : null
    if (listed !== null) {
      event.preventDefault()
      listed.open = !listed.open
      return
    }
    const key = event.key.toLowerCase()
    if (key.length !== 1 || !KEYS.includes(key)) return
    event.preventDefault()
    if (event.repeat) return
    typed_at = performance.now()
    if (pending !== null) {
      // A second S asks for nothing else than the first.
      if (key !== "s") pending.lost += 1
      return
    }
    if (lock !== null) {
      lock.since += 1
      return draw()
    }
    if (key === "s") return save()
    if (key === "u") return take_back()
    if (rows().length === 0) return say("There is nothing to decide.")
    if (key === "b") return back()
    if (mark !== null) return choose(mark, key === "y", true)
    const all = rows().length === 1 ? "The document was decided already" : `All ${rows().length} documents were decided already`
    off(`${all} when another ${key.toUpperCase()} came. Nothing is saved yet: look whether each choice is the one you meant.`)
    draw()
  },
  true,
)

function build() {
  const { data, root } = view
  const kept = data.query_row === null ? null : draft()
  root.replaceChildren()
  if (kept !== null && !kept.seen && data.documents.some((one) => one.scores !== null)) {
    kept.seen = true
    keep()
  }
  if (kept !== null) {
    root.append(make("h1", "words query", data.query), make("p", "aside", data.caption))
    data.documents.forEach((one, place) => root.append(card(one, place)))
    root.append(
      written("Reason", `at most ${data.longest_reason} characters, kept with the ground truth; needed to skip; colleagues see it after their own vote`, kept, "reason", data.longest_reason),
      written("Note", "kept with the vote; colleagues see it after their own", kept, "note", data.longest_note),
    )
  }
  const bar = make("div", "bar")
  bar.appendChild(make("div", "notice")).setAttribute("role", "status")
  if (kept !== null) {
    const actions = make("div", "actions")
    actions.append(button("Save and next", "S", "main", save), button("Skip", "", "skip", skip))
    bar.append(actions, keys_listed())
  }
  root.append(bar)
}

function keys_listed() {
  const made = make("details", "keys")
  const summary = made.appendChild(make("summary", "", "Keys "))
  summary.append(make("kbd", "", "?"))
  const list = made.appendChild(make("dl"))
  for (const [key, what] of KEYS_LISTED) {
    list.appendChild(make("dt")).append(make("kbd", "", key))
    list.append(make("dd", "", what))
  }
  return made
}

function card(one, place) {
  const made = make("article", "document")
  const name = made.appendChild(make("h2", "words name", one.doc_id))
  name.id = `document-${one.row}`
  made.setAttribute("aria-labelledby", name.id)
  if (one.aside) made.append(make("p", "aside", one.aside))
  if (one.document) {
    const body = made.appendChild(make("div", "words body", one.document))
    if (one.is_long) body.tabIndex = 0
  }
  if (one.scores) made.append(make("div", "words scores", one.scores))
  const choices = made.appendChild(make("div", "choices"))
  choices.append(
    button("Relevant", "Y", "yes", () => choose(place, true, false)),
    button("Not relevant", "N", "no", () => choose(place, false, false)),
    button("Back", "B", "back", back),
  )
  for (const [kind, words] of [["yes", "Relevant"], ["no", "Not relevant"]]) {
    choices.querySelector(`.${kind}`).setAttribute("aria-label", `${words}: ${one.doc_id}`)
  }
  return made
}

function written(title, more, kept, name, longest) {
  const label = make("label", "written", title)
  const field = make("textarea", "")
  const count = make("span", "aside", "")
  const tell = () => (count.textContent = `${field.value.length}/${longest}`)
  Object.assign(field, { rows: 2, maxLength: longest, value: kept[name] })
  field.addEventListener("input", () => {
    kept[name] = field.value
    keep()
    tell()
  })
  tell()
  label.append(make("span", "aside", ` (${more})`), field, count)
  return label
}

function draw(follow = false) {
  if (view === null) return
  const { data, root } = view
  root.querySelectorAll(".document").forEach((one, place) => {
    const chosen = draft().choices.get(data.documents[place].row)
    const is_marked = place === mark
    one.classList.toggle("current", is_marked)
    if (is_marked) one.setAttribute("aria-current", "true")
    else one.removeAttribute("aria-current")
    one.querySelector(".yes").setAttribute("aria-pressed", String(chosen === true))
    one.querySelector(".no").setAttribute("aria-pressed", String(chosen === false))
    // The keys that are shown are those that count here.
    one.querySelectorAll(".yes kbd, .no kbd").forEach((key) => (key.hidden = !is_marked))
    one.querySelector(".back").hidden = !(is_marked ? place > 0 : mark === null && place === data.documents.length - 1)
    if (is_marked && follow) one.scrollIntoView({ block: "nearest" })
  })
  root.querySelectorAll("button:not(.on), textarea").forEach((one) => (one.disabled = pending !== null))
  const notice = root.querySelector(".notice")
  notice.classList.toggle("off", lock !== null)
  const held = lock?.since ? ` ${counted(lock.since, "key")} since then decided nothing either.` : ""
  const progress = data.query_row === null ? "" : `${decided().length} of ${counted(rows().length, "document")} decided`
  notice.textContent = lock ? `${lock.why}${held} Keys are off.` : pending ? "Sending…" : said || progress
  if (lock !== null) {
    const go = button("Go on", "Enter", "on", on)
    notice.append(" ", go)
    go.focus({ preventScroll: true })
  }
}

function receive(data, parent, to_server) {
  const before = view?.data ?? null
  const is_new = before === null || before.submission !== data.submission || before.reviewer !== data.reviewer
  const answer = pending !== null && data.answered === pending.number ? pending : null
  if (answer !== null) {
    clearTimeout(answer.timer)
    pending = null
  }
  let root = parent.querySelector(".desk")
  if (root === null) root = parent.appendChild(make("section", "desk"))
  view = { data, root, parent, send: to_server }
  if (answer !== null && data.sent === answer.submission) forget(answer.query_row)
  if (is_new) {
    const again = before === null && is_unsaved() ? "Your choices and words from before are here again, not saved yet." : ""
    ;[lock, said, resume, done] = [null, again, null, []]
    mark = data.query_row === null ? null : next_open(-1)
    if (before !== null) {
      if (is_written_in(document.activeElement)) document.activeElement.blur()
      document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)
    }
    const typed = answer === null && before !== null && performance.now() - typed_at < JUST_TYPED_MS
    if (typed && rows().length) off("The page went to another query while you typed; nothing of it is saved.")
  } else if (answer !== null && data.has_problem) {
    said = "This was not done: the message at the top of the page says why."
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)
  }
  if (answer !== null && answer.lost > 0 && rows().length) {
    off(`${counted(answer.lost, "key")} came before this was on the screen and decided nothing.`)
  }
  // The same task drawn anew would take the cursor out of a note.
  if (is_new || root.childElementCount === 0 || JSON.stringify(before.documents) !== JSON.stringify(data.documents)) build()
  draw()
}

export default function desk({ data, parentElement, setTriggerValue }) {
  receive(data, parentElement, (message) => setTriggerValue("sent", message))
  return () => {
    if (view?.parent === parentElement) view = null
  }
}
