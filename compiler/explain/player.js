// Steps through the frames of each player of the page: a title, a note, and tables. Pointing at a cell marks all that
// hold the same. Where cells name elements, with their values beside, elements move from where they were in the frame
// before; elsewhere, cells that have changed are marked. A frame is {title, note, tables: [{caption, columns: [text],
// rows: [{label, cells: [text], values: [text], accessed: [column]}]}]}; rows may lack the last two.
"use strict";

const MOVE = {duration: 500, easing: "ease-in-out"};
const MOST_MOVED = 1024; // cells

function element(tag, text, style) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = style || "";
  return made;
}

function cellOf(row, k, before) {
  const made = element("td", row.cells[k], row.accessed?.includes(k) ? "accessed" : "");
  made.dataset.name = row.cells[k];
  if (row.values?.[k]) made.append(element("span", row.values[k], "value"));
  const isChanged = row.values ? before?.values?.[k] !== row.values[k] : before?.cells[k] !== row.cells[k];
  if (before && isChanged) made.classList.add("changed");
  return made;
}

function tableOf(described, before) {
  const table = element("table", "");
  table.append(element("caption", described.caption));
  const head = table.insertRow();
  for (const text of described.columns) head.append(element("th", text));
  described.rows.forEach((row, i) => {
    const line = table.insertRow();
    line.append(element("th", row.label));
    row.cells.forEach((_, k) => line.append(cellOf(row, k, before?.rows[i])));
  });
  return table;
}

/// The first place of every name.
function placesIn(view) {
  const places = new Map();
  for (const cell of view.querySelectorAll("td"))
    if (cell.dataset.name && !places.has(cell.dataset.name)) places.set(cell.dataset.name, cell.getBoundingClientRect());
  return places;
}

function moveFrom(places, view) {
  const cells = view.querySelectorAll("td");
  if (cells.length > MOST_MOVED || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const cell of cells) {
    const old = places.get(cell.dataset.name);
    if (!old) continue;
    const now = cell.getBoundingClientRect();
    if (old.left !== now.left || old.top !== now.top)
      cell.animate([{transform: `translate(${old.left - now.left}px, ${old.top - now.top}px)`}, {transform: "none"}], MOVE);
  }
}

function play(player) {
  const frames = JSON.parse(player.querySelector("script").textContent);
  const isOfElements = player.classList.contains("elements");
  const [back, on] = player.querySelectorAll("button");
  const title = player.querySelector(".title"), note = player.querySelector(".note");
  const view = player.querySelector(".view");
  let at = 0;
  function show(to) {
    const places = isOfElements ? placesIn(view) : null;
    at = Math.max(0, Math.min(frames.length - 1, to));
    const frame = frames[at], before = frames[at - 1];
    title.textContent = `${at} of ${frames.length - 1}: ${frame.title}`;
    note.textContent = frame.note;
    // Tables of one place are compared; where elements have gone to another place, all of them have moved.
    view.replaceChildren(...frame.tables.map((table, i) => {
      const old = before?.tables[i];
      return tableOf(table, old?.caption === table.caption ? old : undefined);
    }));
    if (places) moveFrom(places, view);
    back.disabled = at === 0;
    on.disabled = at === frames.length - 1;
  }
  back.onclick = () => show(at - 1);
  on.onclick = () => show(at + 1);
  player.onkeydown = (event) => {
    if (event.key === "ArrowLeft") show(at - 1);
    if (event.key === "ArrowRight") show(at + 1);
  };
  view.onmouseover = (event) => {
    const name = event.target.closest("td")?.dataset.name;
    for (const cell of view.querySelectorAll("td")) cell.classList.toggle("same", !!name && cell.dataset.name === name);
  };
  show(0);
}

document.querySelectorAll(".player").forEach(play);
