"use strict";

// Tables: a click on a column's name sorts by it, another one turns the order round.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => {
      const upwards = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row.cells[column]), row]);
      rows.sort(([a], [b]) => compare(a, b, upwards));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}

function sortKey(cell) {
  const text = cell.dataset.value ?? cell.textContent.trim();
  if (text === "") return null;
  const number = parseFloat(text);
  return Number.isNaN(number) || /^[a-z]/i.test(text) ? text : number;
}

// Numbers before words, nothing last in either order.
function compare(a, b, upwards) {
  if (a === null || b === null) return (a === null) - (b === null);
  const sign = upwards ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

const filter = document.getElementById("filter");
filter?.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll("#rows tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
});

// Gantt charts of one instance: one SVG per schedule, all on one time axis.
const instances = JSON.parse(document.getElementById("charts").textContent);
const select = document.getElementById("instance");

function escaped(text) {
  const holder = document.createElement("span");
  holder.textContent = text;
  return holder.innerHTML.replaceAll('"', "&quot;");
}

function jobColour(index) {
  // The golden angle keeps neighbours apart however many there are.
  return `hsl(${(index * 137.508 + 205) % 360} 48% ${index % 2 ? 62 : 70}%)`;
}

function drawInstance() {
  const instance = instances[Number(select.value)];
  const gpus = instance.servers.reduce((sum, [, count]) => sum + count, 0);
  const known = instance.optimum === null ? `optimum at least ${instance.bound}` : `optimum ${instance.optimum}`;
  document.getElementById("about-instance").textContent =
    `${instance.jobs.length} jobs · ${instance.servers.length} servers, ${gpus} GPUs · ${known}`;
  const end = Math.max(...instance.charts.map((chart) => chart.makespan));
  const reference = instance.optimum ?? instance.charts[0].makespan;
  document.getElementById("gantt").innerHTML = instance.charts
    .map((chart, index) => {
      const ratio = (chart.makespan / reference).toFixed(3);
      const relative = instance.optimum === null ? "× best known" : "× optimum";
      return `<article class="chart${index === 0 ? " best" : ""}"><header><b>${escaped(chart.method)}</b>` +
        `<span>makespan ${chart.makespan}</span><span class="ratio">${ratio} ${relative}</span></header>` +
        `${drawChart(instance, chart, end, reference, gpus)}</article>`;
    })
    .join("");
}

function drawChart(instance, chart, end, reference, gpus) {
  const width = Math.max(300, document.getElementById("gantt").clientWidth - (innerWidth <= 640 ? 22 : 34));
  const lane = gpus <= 16 ? 15 : gpus <= 48 ? 9 : gpus <= 160 ? 4 : 2.2;
  const gap = lane < 4 ? 2 : 6;
  const left = 34, right = 10;
  const x = (slot) => left + ((width - left - right) * slot) / end;
  const top = [];
  let y = 4;
  const parts = [];
  for (const [name, count] of instance.servers) {
    parts.push(`<rect x="${left}" y="${y}" width="${width - left - right}" height="${count * lane}" rx="2" class="server"/>`);
    if (count * lane >= 9) parts.push(`<text x="${left - 8}" y="${y + (count * lane) / 2 + 3.5}" text-anchor="end" class="tick">${escaped(name)}</text>`);
    for (let gpu = 0; gpu < count; gpu++) top.push(y + gpu * lane);
    y += count * lane + gap;
  }
  const bottom = y - gap;
  chart.jobs.forEach((job, index) => parts.push(drawJob(instance, job, index, x, top, lane)));
  for (const slot of ticks(end, width)) {
    parts.push(`<line x1="${x(slot)}" x2="${x(slot)}" y1="${bottom}" y2="${bottom + 4}" class="axis"/>` +
      `<text x="${x(slot)}" y="${bottom + 15}" text-anchor="middle" class="tick">${slot}</text>`);
  }
  parts.push(`<line x1="${x(reference)}" x2="${x(reference)}" y1="0" y2="${bottom + 4}" class="reference"/>`);
  const style = "<style>.server{fill:#f5f3ee}.tick{fill:#6b7280;font-size:10px}.axis{stroke:#b8b3a7}" +
    ".reference{stroke:#1c2430;stroke-width:1.2;stroke-dasharray:3 3}.name{font-size:9.5px;fill:#1c2430;pointer-events:none}</style>";
  const hatch = '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
    '<line x1="0" x2="0" y1="0" y2="5" stroke="#1c2430" stroke-opacity=".5" stroke-width="1.6"/></pattern></defs>';
  return `<svg viewBox="0 0 ${width} ${bottom + 20}" role="img" aria-label="Gantt chart of ${escaped(chart.method)}">${style}${hatch}${parts.join("")}</svg>`;
}

function drawJob(instance, [start, stop, blocks, contended], index, x, top, lane) {
  const [name, wanted] = instance.jobs[index];
  const spans = new Set(blocks.map(([first]) => serverOf(instance, first))).size;
  const shared = contended.map(([from, to, level]) => `, ${level} jobs share a link in ${from}-${to}`).join("");
  const title = `${name}: ${wanted} GPU${wanted > 1 ? "s" : ""} on ${spans} server${spans > 1 ? "s" : ""}, slots ${start}-${stop}${shared}`;
  const outline = spans > 1 ? ` stroke="#1c2430" stroke-width="${lane < 4 ? 0.5 : 1.3}"` : ' stroke="#fff" stroke-width=".6"';
  const width = x(stop) - x(start);
  const parts = blocks.map(([first, count]) => {
    const y = top[first], height = count * lane;
    const box = `<rect x="${x(start)}" y="${y}" width="${width}" height="${height}" rx="${lane < 9 ? 0 : 2}" fill="${jobColour(index)}"${outline}/>`;
    const hatches = contended.map(([from, to]) =>
      `<rect x="${x(from)}" y="${y}" width="${x(to) - x(from)}" height="${height}" fill="url(#hatch)"/>`).join("");
    const label = height >= 9 && width > 7 * name.length
      ? `<text x="${x(start) + 4}" y="${y + Math.min(height / 2 + 3.5, 12)}" class="name">${escaped(name)}</text>` : "";
    return box + hatches + label;
  });
  return `<g><title>${escaped(title)}</title>${parts.join("")}</g>`;
}

function serverOf(instance, gpu) {
  let first = 0;
  return instance.servers.findIndex(([, count]) => (first += count) > gpu);
}

function ticks(end, width) {
  const most = Math.max(2, Math.floor(width / 70));
  const rough = Math.max(1, end / most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough));
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}

if (select) {
  const move = (by) => {
    select.selectedIndex = (select.selectedIndex + by + select.options.length) % select.options.length;
    drawInstance();
  };
  select.addEventListener("change", drawInstance);
  document.getElementById("previous").addEventListener("click", () => move(-1));
  document.getElementById("next").addEventListener("click", () => move(1));
  let drawnWidth = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== drawnWidth) drawInstance();
    drawnWidth = innerWidth;
  });
  drawInstance();
}
