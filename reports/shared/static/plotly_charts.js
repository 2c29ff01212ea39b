// Charts: Plotly comes with the page, packed, and is started only where the browser can unpack it.
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const AXIS = { gridcolor: "#e2e8f0", linecolor: "#a0aec0", zerolinecolor: "#cbd5e0", tickcolor: "#a0aec0", fixedrange: true };
const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
let specs = null;

function harmless(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function short(text) {
  const letters = Array.from(text);
  return letters.length > 48 ? letters.slice(0, 47).join("") + "\u2026" : text;
}

function columnValues(source, name, rows) {
  return rows.map((row) => {
    const value = source[name][row];
    return typeof value === "string" ? harmless(short(value)) : value;
  });
}

// What a specification leaves open: words by language, columns by the setting that is shown.
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
  if ("$column" in node) {
    return columnValues(source, node.$column, rows);
  }
  if ("$mean" in node) {
    return rows.map((row) => node.$mean.reduce((sum, name) => sum + source[name][row], 0) / node.$mean.length);
  }
  if ("$hover" in node) {
    const columns = node.$hover.map((name) => columnValues(source, name, rows));
    return rows.map((_, at) => columns.map((values) => values[at]));
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value, source, rows)]));
}

function layoutOf(spec, variant, width) {
  const layout = {
    font: { family: FONT, size: 13, color: "#1a202c" },
    paper_bgcolor: "#ffffff",
    plot_bgcolor: "#ffffff",
    margin: { l: 56, r: 20, t: 28, b: 48 },
    separators: MARKS[shown.language].join(""),
    hoverlabel: { bgcolor: "#1a202c", bordercolor: "#1a202c", font: { color: "#ffffff", family: FONT }, align: "left" },
    showlegend: false,
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 12 } },
    dragmode: false,
    ...spec.layout,
    ...(variant.layout || {}),
    shapes: [...(spec.layout.shapes || []), ...((variant.layout || {}).shapes || [])],
    annotations: [...(spec.layout.annotations || []), ...((variant.layout || {}).annotations || [])],
    width,
  };
  for (const name of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
    const axis = { ...AXIS, automargin: true, ...layout[name] };
    layout[name] = axis.title ? { ...axis, title: { standoff: 10, ...axis.title } } : axis;
  }
  return layout;
}

// With a view box the picture can be made narrower by style alone, which is what printing does.
function scalable(plot) {
  for (const svg of plot.querySelectorAll(".main-svg")) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  }
  const first = plot.querySelector(".main-svg");
  plot.style.setProperty("--ratio", `${first.getAttribute("width")} / ${first.getAttribute("height")}`);
}

async function drawChart(plot) {
  const spec = specs[plot.dataset.chart];
  const source = spec.source ? (await pageData()).tables[spec.source] : {};
  const rows = spec.source ? chosenRows(source) : [];
  const variant = spec.variants[shown.chosen] || {};
  const traces = resolved([...spec.traces, ...(variant.traces || [])], source, rows);
  const layout = resolved(layoutOf(spec, variant, undefined), source, rows);
  plot.querySelector(".waiting")?.remove();
  await window.Plotly.react(plot, traces, layout, CONFIG);
  scalable(plot);
}

async function startCharts() {
  const plots = Array.from(document.querySelectorAll("[data-chart]"));
  if (!plots.length) {
    return;
  }
  if (!canUnpack()) {
    document.getElementById("too-old").hidden = false;
    for (const plot of plots) {
      plot.style.minHeight = "0";
      plot.replaceChildren(element("p", uiWords("no_chart"), { className: "nothing" }));
    }
    return;
  }
  specs = JSON.parse(document.getElementById("page-charts").textContent);
  const library = document.createElement("script");
  // The policy allows this very text and no other.
  library.textContent = await unpacked("page-library");
  document.head.append(library);
  await drawCharts();
  for (const plot of plots) {
    plot.on("plotly_afterplot", () => scalable(plot));
  }
}

async function drawCharts() {
  if (!specs) {
    return;
  }
  for (const plot of document.querySelectorAll("[data-chart]")) {
    await drawChart(plot);
  }
}
