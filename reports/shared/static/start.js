// What the reader does and what follows.
function showChoice() {
  for (const select of document.querySelectorAll("[data-choose]")) {
    select.value = shown.chosen;
  }
  for (const part of document.querySelectorAll("[data-of-choice]")) {
    part.hidden = part.dataset.ofChoice !== shown.chosen;
  }
}

async function refresh() {
  await buildOpenTables();
  await drawCharts();
}

// Paper has nothing to click: what is folded is printed open.
function printWhole() {
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = Array.from(document.querySelectorAll("details:is(.card, .fold):not([open])"));
    for (const card of folded) {
      card.open = true;
    }
  });
  window.addEventListener("afterprint", () => {
    for (const card of folded) {
      card.open = false;
    }
    folded = [];
  });
}

// The contents show which section is read.
function markContents() {
  const links = new Map(Array.from(document.querySelectorAll(".contents a"), (link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      seen[entry.isIntersecting ? "add" : "delete"](entry.target.id);
    }
    const first = Array.from(links.keys()).find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id === first) {
        link.setAttribute("aria-current", "true");
      } else {
        link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-80px 0px -40% 0px" });
  for (const id of links.keys()) {
    observer.observe(document.getElementById(id));
  }
}

async function start() {
  document.documentElement.classList.remove("no-script");
  showLanguage(firstLanguage());
  showChoice();
  stackTables();
  PHONE.addEventListener("change", stackTables);
  startHelp();
  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", () => {
      remember(button.dataset.language);
      showLanguage(button.dataset.language);
      searchHelp(document.getElementById("search"));
      return refresh();
    });
  }
  for (const select of document.querySelectorAll("[data-choose]")) {
    select.addEventListener("change", () => {
      shown.chosen = select.value;
      showChoice();
      return refresh();
    });
  }
  for (const details of document.querySelectorAll("details")) {
    details.addEventListener("toggle", async () => {
      await buildOpenTables();
      await drawCharts(true);
    });
  }
  printWhole();
  const needsUnpacking = document.getElementById("page-data").type === "application/gzip";
  for (const button of document.querySelectorAll("[data-download]")) {
    button.disabled = needsUnpacking && !canUnpack();
    button.addEventListener("click", () => download(button));
  }
  await startCharts();
  reveal();
  markContents();
  document.documentElement.dataset.ready = "";
}

start();
