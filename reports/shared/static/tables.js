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

async function buildTable(place) {
  const spec = JSON.parse(place.dataset.table);
  const source = (await pageData()).tables[spec.source];
  const table = element("table");
  const caption = element("caption");
  caption.append(element("span", place.dataset[shown.language]));
  table.append(caption);
  const head = element("tr");
  for (const column of spec.columns) {
    const numeric = column.decimals === null ? "" : "num";
    head.append(element("th", said(column.label), { scope: "col", className: numeric }));
  }
  table.createTHead().append(head);
  const body = table.createTBody();
  for (const row of chosenRows(source)) {
    const line = element("tr");
    spec.columns.forEach((column, at) => {
      const cell = cellOf(at ? "td" : "th", column, source[column.name][row]);
      if (!at) {
        cell.scope = "row";
      }
      line.append(cell);
    });
    body.append(line);
  }
  const box = element("div", undefined, { className: "scroll", tabIndex: 0 });
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", place.dataset[shown.language]);
  box.append(table);
  place.replaceChildren(box);
}

function buildOpenTables() {
  return Promise.all(
    Array.from(document.querySelectorAll("details[open] > [data-table]")).map(buildTable));
}
