// The data of the report: read from the page itself, handed out as JSON and CSV.
const FORMULA = /^[=+\-@\t\r]/;

function canUnpack() {
  return "DecompressionStream" in window;
}

async function unpacked(id) {
  const element = document.getElementById(id);
  if (element.type !== "application/gzip") {
    return element.textContent;
  }
  const letters = atob(element.textContent);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) {
    bytes[place] = letters.charCodeAt(place);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

let loading = null;
function pageData() {
  loading ??= unpacked("page-data").then(JSON.parse);
  return loading;
}

function rowCount(table) {
  const columns = Object.values(table);
  return columns.length ? columns[0].length : 0;
}

function records(table) {
  const names = Object.keys(table);
  return Array.from({ length: rowCount(table) }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, table[name][row]])));
}

function csvCell(value) {
  if (value === null) {
    return "";
  }
  if (typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A spreadsheet would run a cell that begins like this.
  const guarded = FORMULA.test(text) ? "'" + text : text;
  return /[",\r\n']/.test(guarded) ? '"' + guarded.replaceAll('"', '""') + '"' : guarded;
}

function csvOf(table) {
  const names = Object.keys(table);
  const lines = [names.map(csvCell).join(",")];
  for (let row = 0; row < rowCount(table); row += 1) {
    lines.push(names.map((name) => csvCell(table[name][row])).join(","));
  }
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  return "\uFEFF" + lines.join("\r\n") + "\r\n";
}

function handOut(name, kind, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function download(button) {
  const data = await pageData();
  if (button.dataset.download === "json") {
    const tables = Object.fromEntries(Object.entries(data.tables).map(([name, table]) => [name, records(table)]));
    handOut(`${data.stem}.json`, "application/json", JSON.stringify({ about: data.about, tables }, null, 1));
  } else {
    const name = button.dataset.name;
    handOut(`${data.stem}-${name}.csv`, "text/csv;charset=utf-8", csvOf(data.tables[name]));
  }
}
