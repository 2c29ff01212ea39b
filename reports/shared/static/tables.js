// Long tables, built when they are opened, for the setting that is shown.
function chosenRows(table) {
  const by = table[settings.chosenBy];
  const rows = Array.from({ length: rowCount(table) }, (_, row) => row);
  return by && shown.chosen !== null ? rows.filter((row) => by[row] === shown.chosen) : rows;
}

function element(name, text, properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

function cellOf(tag, column, value) {
  if (column.decimals === null || value === null) {
    return element(tag, value === null ? "\u2013" : String(value), { className: column.decimals === null ? "" : "num" });
  }
  const cell = element(tag, undefined, { className: "num" });
  const number = element("data", written(value, column.decimals), { value: String(value) });
  number.dataset.number = "";
  cell.append(number);
  return cell;
}

// A picture is in the page once, under the words of the cells that show it; one without a file is null.
let picturesInRows = null;

function pictureOf(words) {
  picturesInRows ??= new Map(Object.entries(JSON.parse(document.getElementById("page-pictures").textContent)));
  const found = picturesInRows.get(words);
  if (!found) {
    return found === null ? [element("div", uiWords("no_picture"), { className: "small" })] : [];
  }
  const [src, width, height] = found;
  const alt = uiWords("picture_of", { name: words });
  return [element("img", undefined, { className: "in-row", loading: "lazy", width, height, alt, src })];
}

const MOST_ROWS = 500;

// Rows with all the words of the search, sorted by the head that was chosen; nulls come last either way.
function foundRows(spec, source, state) {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (row) => spec.columns.map((column) => source[column.name][row]).join(" ").toLowerCase();
  const rows = chosenRows(source).filter((row) => !words.length || words.every((word) => text(row).includes(word)));
  if (state.by === null) {
    return rows;
  }
  const values = source[state.by];
  const sign = state.down ? -1 : 1;
  return rows.sort((one, two) => {
    const [a, b] = [values[one], values[two]];
    if (a === null || b === null) {
      return (a === null) - (b === null);
    }
    return sign * (typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
  });
}

function sortHead(place, spec, column) {
  const state = place.state;
  const head = element("th", undefined, { scope: "col", className: column.decimals === null ? "" : "num" });
  const button = element("button", said(column.label), { type: "button", className: "sort" });
  button.addEventListener("click", async () => {
    state.down = state.by === column.name ? !state.down : column.decimals !== null;
    state.by = column.name;
    await buildTable(place);
    place.querySelector(`button[data-column="${CSS.escape(column.name)}"]`).focus();
  });
  button.dataset.column = column.name;
  if (state.by === column.name) {
    head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
  }
  head.append(button);
  return head;
}

function searchField(place) {
  const label = element("label", uiWords("filter"), { className: "search" });
  const field = element("input", undefined, { type: "search", value: place.state.search });
  field.addEventListener("input", async () => {
    place.state.search = field.value;
    const at = field.selectionStart;
    await buildTable(place);
    const again = place.querySelector("input[type=search]");
    again.focus();
    again.setSelectionRange(at, at);
  });
  label.append(" ", field);
  return label;
}

async function buildTable(place) {
  const spec = JSON.parse(place.dataset.table);
  const source = (await pageData()).tables[spec.source];
  place.state ??= { search: "", by: null, down: true };
  const all = chosenRows(source);
  const rows = spec.searchable ? foundRows(spec, source, place.state) : all;
  const shownRows = spec.searchable ? rows.slice(0, MOST_ROWS) : rows;
  const table = element("table");
  const caption = element("caption");
  caption.append(element("span", place.dataset[shown.language]));
  table.append(caption);
  const head = element("tr");
  for (const column of spec.columns) {
    const numeric = column.decimals === null ? "" : "num";
    const plain = () => element("th", said(column.label), { scope: "col", className: numeric });
    head.append(spec.searchable ? sortHead(place, spec, column) : plain());
  }
  table.createTHead().append(head);
  const body = table.createTBody();
  for (const row of shownRows) {
    const line = element("tr");
    spec.columns.forEach((column, at) => {
      const cell = cellOf(at ? "td" : "th", column, source[column.name][row]);
      if (!at) {
        cell.scope = "row";
      }
      if (column.pictured) {
        cell.prepend(...pictureOf(source[column.name][row]));
      }
      line.append(cell);
    });
    body.append(line);
  }
  const box = element("div", undefined, { className: "scroll", tabIndex: 0 });
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", place.dataset[shown.language]);
  box.append(table);
  const counted = { found: written(rows.length, 0), all: written(all.length, 0), shown: written(shownRows.length, 0) };
  const above = spec.searchable ? [searchField(place), element("p", uiWords(shownRows.length < rows.length ? "rows" : "all_rows", counted), { className: "small" })] : [];
  place.replaceChildren(...above, box);
}

// On a phone a row is a list: each number with its column's head in front. Sorting needs the heads where they are.
const PHONE = window.matchMedia("(max-width: 40rem)");

function stackTables() {
  if (!PHONE.matches) {
    return;
  }
  for (const table of document.querySelectorAll(".scroll > table:not(.stacks, #matrix)")) {
    const heads = Array.from(table.tHead.rows[0].cells);
    if (heads.length < 3 || table.closest(".built")) {
      continue;
    }
    table.classList.add("stacks");
    for (const cell of table.querySelectorAll("tbody td")) {
      const label = element("span", undefined, { className: "in-stack" });
      const head = heads[cell.cellIndex].cloneNode(true);
      head.querySelector(".help")?.remove();
      label.append(...head.childNodes);
      const line = element("span", undefined, { className: "line" });
      line.append(...cell.childNodes);
      cell.append(...(line.hasChildNodes() ? [label, line] : []));
    }
  }
}

function buildOpenTables() {
  return Promise.all(
    Array.from(document.querySelectorAll("details[open] > [data-table]")).map(buildTable));
}
