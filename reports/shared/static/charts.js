// Charts: the page carries each as a picture; where the browser can unpack Vega, it draws them anew, in the reader's
// language, for the setting that is shown, and as wide as there is room.
const NARROW_PX = 560;
const LETTER_PX = 6.5;
let specs = null;

// What a specification leaves open: words by language, rows of the embedded table for the setting that is shown.
function resolved(node, source, rows) {
  if (Array.isArray(node)) {
    return node.map((one) => resolved(one, source, rows));
  }
  if (node === null || typeof node !== "object") {
    return node;
  }
  if ("$t" in node) {
    return node.$t[shown.language];
  }
  if ("$rows" in node) {
    return rows.map((row) => Object.fromEntries(node.$rows.map((name) => [name, source[name][row]])));
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value, source, rows)]));
}

function options() {
  const [decimal, thousands] = MARKS[shown.language];
  return {
    actions: false,
    // Without it Vega compiles expressions, which the page's policy forbids, as it does styles that come later.
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    renderer: "svg",
    formatLocale: { decimal, thousands, grouping: [3], currency: ["", ""], minus: "\u2212" },
  };
}

// As many entries in a row as there is room for the longest.
function columnsOfLegend(layers, width) {
  const labels = layers.flatMap((layer) => layer.encoding.fill?.scale?.domain || []);
  const longest = Math.max(1, ...labels.map((label) => label.length));
  return Math.max(1, Math.floor(width / (LETTER_PX * longest + 34)));
}

async function drawChart(plot) {
  const spec = specs[plot.dataset.chart];
  const source = spec.source ? (await pageData()).tables[spec.source] : {};
  const rows = spec.source ? chosenRows(source) : [];
  const layers = [...spec.chart.layer, ...(spec.variants[shown.chosen] || [])];
  // What is folded has no width yet.
  const width = plot.clientWidth || document.getElementById("main").clientWidth;
  const chart = resolved({ ...spec.chart, layer: layers, width }, source, rows);
  chart.config.legend.columns = columnsOfLegend(chart.layer, width);
  if (width < NARROW_PX) {
    chart.config.axisY = { labelLimit: width / 2, labelFontSize: 10 };
  }
  const place = element("div");
  const drawn = await window.vegaEmbed(place, chart, options());
  plot.drawn?.finalize();
  plot.drawn = drawn;
  plot.dataset.width = String(width);
  // The picture gives way to the drawing at once, so that paper never shows a half of either.
  plot.replaceChildren(place);
}

async function startCharts() {
  const plots = Array.from(document.querySelectorAll("[data-chart]"));
  if (!plots.length) {
    return;
  }
  if (!canUnpack()) {
    document.getElementById("too-old").hidden = false;
    return;
  }
  const library = document.createElement("script");
  // The policy allows this very text and no other.
  library.textContent = await unpacked("page-library");
  document.head.append(library);
  // Last: what unfolds meanwhile is drawn with the rest.
  specs = JSON.parse(document.getElementById("page-charts").textContent);
  await drawCharts();
  let waiting;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => drawCharts(true), 150);
  });
}

async function drawCharts(onlyOtherWidths = false) {
  if (!specs) {
    return;
  }
  for (const plot of document.querySelectorAll("[data-chart]")) {
    if (!onlyOtherWidths || (plot.clientWidth && plot.dataset.width !== String(plot.clientWidth))) {
      await drawChart(plot);
    }
  }
}
