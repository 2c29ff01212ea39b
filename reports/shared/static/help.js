// The help: a search that needs all of its words, in whatever language they are written.
function folded(text) {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLocaleLowerCase();
}

function searchHelp(input) {
  const wanted = folded(input.value).split(/\s+/).filter(Boolean);
  let found = 0;
  const entries = document.querySelectorAll("#glossary .entry");
  for (const entry of entries) {
    const text = folded(entry.textContent);
    entry.hidden = !wanted.every((word) => text.includes(word));
    found += entry.hidden ? 0 : 1;
  }
  const parts = { found: written(found, 0), all: written(entries.length, 0) };
  const key = found ? "found" : "found_nothing";
  document.getElementById("found").textContent = wanted.length ? uiWords(key, parts) : "";
}

function clearSearch(input) {
  input.value = "";
  searchHelp(input);
}

// A link to what is folded, or to an entry that the search hides, would lead nowhere.
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const fold = target?.querySelector(":scope > details.fold") || target?.closest("details");
  if (fold) {
    fold.open = true;
  }
  if (target?.classList.contains("entry")) {
    if (target.hidden) {
      clearSearch(document.getElementById("search"));
    }
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }
}

// What a term means, next to where it is asked for; the help has the rest.
function explain(link) {
  const entry = document.getElementById(link.hash.slice(1));
  const box = document.getElementById("explained");
  const name = document.getElementById("explained-name");
  name.replaceChildren(...entry.querySelector("h3").cloneNode(true).childNodes);
  const meaning = Array.from(entry.querySelectorAll("p:not(.source)"), (one) => one.cloneNode(true));
  const more = element("a", uiWords("more"), { href: link.hash });
  more.addEventListener("click", () => box.hidePopover());
  box.replaceChildren(name, ...meaning, more);
  box.showPopover();
  const at = link.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8));
  const below = at.bottom + 6 + box.offsetHeight <= window.innerHeight;
  box.style.left = `${left + window.scrollX}px`;
  box.style.top = `${(below ? at.bottom + 6 : Math.max(8, at.top - 6 - box.offsetHeight)) + window.scrollY}px`;
  box.focus({ preventScroll: true });
}

function startHelp() {
  const input = document.getElementById("search");
  input.addEventListener("input", () => searchHelp(input));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      clearSearch(input);
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.closest("details").open = true;
      input.focus();
      input.scrollIntoView({ block: "center" });
    }
  });
  window.addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link?.classList.contains("help") && "showPopover" in link) {
      event.preventDefault();
      explain(link);
    } else if (link) {
      // The same link twice changes no address.
      setTimeout(reveal);
    }
  });
}
