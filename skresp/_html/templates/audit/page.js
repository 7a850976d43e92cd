"use strict";
// Sort tables by a click on a heading, and filter long ones. Everything else on the page
// works without scripts.
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const value = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = Array.from(body.rows);
      rows.sort((a, b) => {
        const x = value(a, i), y = value(b, i);
        const order = typeof x === "number" ? x - y : x.localeCompare(y);
        return up ? order : -order;
      });
      body.append(...rows);
    });
  });
  if (body.rows.length > 8) {
    const input = document.createElement("input");
    input.type = "search";
    input.className = "filter";
    input.placeholder = "Show only …";
    input.setAttribute("aria-label", "Show only rows whose name contains this text");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      for (const row of body.rows) {
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      }
    });
    table.parentElement.before(input);
  }
}
