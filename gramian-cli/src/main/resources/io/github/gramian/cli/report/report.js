'use strict';
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));

  // Light and dark: the system's wish, until the button is used. Pages opened from disk may have no storage.
  const root = document.documentElement;
  const remember = (theme) => { try { localStorage.setItem('gramian-theme', theme); } catch (none) { /* not kept */ } };
  try {
    const kept = localStorage.getItem('gramian-theme');
    if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  } catch (none) { /* the system's wish stands */ }
  one('#theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    remember(root.dataset.theme);
  });

  // What a mark means, beside the pointer or, with the arrow keys, beside the mark.
  const tip = one('#tip');
  let now = null;
  const hide = () => { tip.hidden = true; if (now) now.classList.remove('now'); now = null; };
  const show = (mark, x, y) => {
    if (now && now !== mark) now.classList.remove('now');
    now = mark;
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = x + 14 + box.width > innerWidth ? x - box.width - 14 : x + 14;
    const top = y + 14 + box.height > innerHeight ? y - box.height - 14 : y + 14;
    tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  };
  document.addEventListener('pointermove', (event) => {
    const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
    if (mark) show(mark, event.clientX, event.clientY); else if (now) hide();
  });
  document.addEventListener('pointerdown', (event) => {
    const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
    if (mark) show(mark, event.clientX, event.clientY); else hide();
  });
  document.addEventListener('scroll', hide, { passive: true });
  all('svg.chart').forEach((chart) => {
    const marks = all('[data-tip]', chart);
    let place = -1;
    chart.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || marks.length === 0) return;
      event.preventDefault();
      place = Math.max(0, Math.min(marks.length - 1, place + step));
      const box = marks[place].getBoundingClientRect();
      show(marks[place], box.x + box.width / 2, box.y + box.height / 2);
      marks[place].classList.add('now');
    });
    chart.addEventListener('blur', hide);
  });

  // The confusion matrix in another order.
  const matrix = one('#matrix');
  if (matrix) {
    const side = Number(matrix.dataset.side);
    const margin = Number(matrix.dataset.margin);
    const rows = all('text[data-row]', matrix);
    const orders = {
      given: () => 0,
      name: (a, b) => a.dataset.name.localeCompare(b.dataset.name, undefined, { numeric: true }),
      recall: (a, b) => Number(a.dataset.recall) - Number(b.dataset.recall),
    };
    const arrange = (order) => {
      const place = [];
      rows.slice().sort(orders[order]).forEach((row, i) => { place[row.dataset.row] = i; });
      const middle = (index) => margin + (place[index] + 0.5) * side;
      rows.forEach((row) => row.setAttribute('transform', `translate(${margin - 6} ${middle(row.dataset.row)})`));
      all('text[data-column]', matrix).forEach((column) => column.setAttribute(
        'transform', `translate(${middle(column.dataset.column)} ${margin - 6}) rotate(-60)`));
      all('g[data-row]', matrix).forEach((cell) => cell.setAttribute(
        'transform', `translate(${margin + place[cell.dataset.column] * side} ${margin + place[cell.dataset.row] * side})`));
    };
    const buttons = all('button[data-order]');
    buttons.forEach((button) => button.addEventListener('click', () => {
      buttons.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
      arrange(button.dataset.order);
    }));
  }

  // Tables sorted by a heading: numbers begin with the lowest, where the trouble is.
  all('table.sortable').forEach((table) => {
    const headings = all('thead th', table);
    headings.forEach((heading, column) => heading.querySelector('button').addEventListener('click', () => {
      const direction = heading.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      headings.forEach((other) => other.setAttribute('aria-sort', 'none'));
      heading.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
      const value = (row) => Number(row.cells[column].dataset.value);
      const body = table.tBodies[0];
      Array.from(body.rows).sort((a, b) => direction * (value(a) - value(b))).forEach((row) => body.append(row));
    }));
  });

  // One or more classes of the map alone.
  const map = one('#plane');
  if (map) {
    const buttons = all('.legend button');
    const update = () => {
      const chosen = buttons.filter((button) => button.getAttribute('aria-pressed') === 'true').map((button) => button.dataset.class);
      map.classList.toggle('chosen', chosen.length > 0);
      all('g[data-class]', map).forEach((group) => group.classList.toggle('lit', chosen.includes(group.dataset.class)));
    };
    const press = (button) => {
      const pressed = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(pressed));
      return pressed;
    };
    buttons.forEach((button) => button.addEventListener('click', () => { press(button); update(); }));
    one('#only-mistakes').addEventListener('click', (event) => map.classList.toggle('mistakes', press(event.currentTarget)));
    one('#all-classes').addEventListener('click', () => {
      buttons.forEach((button) => button.setAttribute('aria-pressed', 'false'));
      one('#only-mistakes').setAttribute('aria-pressed', 'false');
      map.classList.remove('mistakes');
      update();
    });
  }

  addEventListener('beforeprint', () => all('details').forEach((details) => { details.open = true; }));
})();
