// Steps through the frames of each player of the page: a title, notes, and tables whose cells that have changed since
// the frame before are marked. Pointing at a cell marks all that hold the same. A frame is
// {title, note, tables: [{caption, columns: [text], rows: [{label, cells: [text]}]}]}.
"use strict";

function element(tag, text, style) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = style || "";
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
    row.cells.forEach((text, k) => {
      const old = before?.rows[i]?.cells[k];
      line.append(element("td", text, before && old !== text ? "changed" : ""));
    });
  });
  return table;
}

function play(player) {
  const frames = JSON.parse(player.querySelector("script").textContent);
  const [back, on] = player.querySelectorAll("button");
  const title = player.querySelector(".title"), note = player.querySelector(".note");
  const view = player.querySelector(".view");
  let at = 0;
  function show(to) {
    at = Math.max(0, Math.min(frames.length - 1, to));
    const frame = frames[at], before = frames[at - 1];
    title.textContent = `${at} of ${frames.length - 1}: ${frame.title}`;
    note.textContent = frame.note;
    view.replaceChildren(...frame.tables.map((table, i) => tableOf(table, before?.tables[i])));
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
    for (const cell of view.querySelectorAll("td"))
      cell.classList.toggle("same", event.target.tagName === "TD" && cell.textContent === event.target.textContent);
  };
  show(0);
}

document.querySelectorAll(".player").forEach(play);
