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

// A link to an entry that the search hides would lead nowhere.
function revealEntry() {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.classList.contains("entry")) {
    if (target.hidden) {
      clearSearch(document.getElementById("search"));
    }
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }
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
      input.focus();
      input.scrollIntoView({ block: "center" });
    }
  });
  window.addEventListener("hashchange", revealEntry);
  document.addEventListener("click", (event) => {
    // The same link twice changes no address.
    if (event.target.closest?.("a.help")) {
      setTimeout(revealEntry);
    }
  });
}
