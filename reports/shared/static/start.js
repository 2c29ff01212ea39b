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
    folded = Array.from(document.querySelectorAll("details.card:not([open])"));
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

async function start() {
  document.documentElement.classList.remove("no-script");
  showLanguage(firstLanguage());
  showChoice();
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
    details.addEventListener("toggle", buildOpenTables);
  }
  printWhole();
  const needsUnpacking = document.getElementById("page-data").type === "application/gzip";
  for (const button of document.querySelectorAll("[data-download]")) {
    button.disabled = needsUnpacking && !canUnpack();
    button.addEventListener("click", () => download(button));
  }
  await startCharts();
  revealEntry();
  document.documentElement.dataset.ready = "";
}

start();
