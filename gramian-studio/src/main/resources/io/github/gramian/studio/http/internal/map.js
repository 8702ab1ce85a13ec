// All photographs as points. A lasso selects; a label goes to the selection.
import { $, colour, element, get, give, guarded, shared } from './page.js';

const MARGIN = 12;

export function map(root) {
  const canvas = element('canvas', { 'aria-label': 'Map of the photographs', tabindex: '0' });
  const count = element('span', { id: 'selection', class: 'quiet' });
  const preview = element('img', { alt: '', width: '96', height: '96', hidden: true });
  root.append(element('div', { class: 'row' }, preview, element('span', { class: 'quiet' }, 'Draw around points to select them. Digits label the selection.'), count), canvas);
  const context = canvas.getContext('2d');
  const chosen = new Set();
  let points = [];
  let lasso = [];
  let size = { width: 1, height: 1 };

  const load = guarded(async () => {
    if (shared.state.phase !== 'ready') {
      count.textContent = 'The map appears when all features are computed.';
      return;
    }
    points = await get('api/map');
    draw();
  });

  const place = image => [
    MARGIN + points[2 * image] / 10000 * (size.width - 2 * MARGIN),
    MARGIN + points[2 * image + 1] / 10000 * (size.height - 2 * MARGIN)];

  function draw() {
    const scale = devicePixelRatio || 1;
    size = { width: canvas.clientWidth, height: Math.max(260, innerHeight - canvas.getBoundingClientRect().top - $('classes').offsetHeight - 24) };
    canvas.style.height = `${size.height}px`;
    canvas.width = size.width * scale;
    canvas.height = size.height * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const radius = points.length > 20000 ? 1.5 : 4;
    for (let image = 0; 2 * image < points.length; image++) {
      if (points[2 * image] < 0) continue;
      const [x, y] = place(image);
      context.beginPath();
      context.arc(x, y, chosen.has(image) ? radius + 2 : radius, 0, 7);
      context.fillStyle = colour(shared.labels[image]);
      context.globalAlpha = shared.labels[image] < 0 ? 0.55 : 0.95;
      context.fill();
      context.globalAlpha = 1;
      if (chosen.has(image)) {
        context.strokeStyle = getComputedStyle(document.body).color;
        context.stroke();
      }
    }
    if (lasso.length > 1) {
      context.beginPath();
      lasso.forEach(([x, y], at) => (at ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.strokeStyle = getComputedStyle(document.body).color;
      context.stroke();
    }
    count.textContent = `${chosen.size} of ${shared.paths.length} selected`;
  }

  function inside([x, y]) {
    let within = false;
    for (let i = 0, j = lasso.length - 1; i < lasso.length; j = i++) {
      const [a, b] = lasso[i];
      const [c, d] = lasso[j];
      if ((b > y) !== (d > y) && x < (c - a) * (y - b) / (d - b) + a) within = !within;
    }
    return within;
  }

  const at = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function nearest([x, y]) {
    let best = -1;
    let distance = 144;
    for (let image = 0; 2 * image < points.length; image++) {
      const [a, b] = place(image);
      const far = (a - x) ** 2 + (b - y) ** 2;
      if (points[2 * image] >= 0 && far < distance) {
        distance = far;
        best = image;
      }
    }
    return best;
  }

  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    if (!event.shiftKey) chosen.clear();
    lasso = [at(event)];
    draw();
  });
  canvas.addEventListener('pointermove', event => {
    if (lasso.length > 0) {
      // Browsers join moves between two frames into one event.
      const moves = event.getCoalescedEvents?.() ?? [];
      lasso.push(...(moves.length > 0 ? moves : [event]).map(at));
      draw();
      return;
    }
    const image = nearest(at(event));
    preview.hidden = image < 0;
    if (image >= 0) preview.src = `thumbnail/${image}`;
  });
  canvas.addEventListener('pointerup', event => {
    if (lasso.length === 0) return;
    lasso.push(at(event));
    if (lasso.length < 5) {
      const image = nearest(at(event));
      if (image >= 0) chosen.add(image);
    } else {
      for (let image = 0; 2 * image < points.length; image++) if (points[2 * image] >= 0 && inside(place(image))) chosen.add(image);
    }
    lasso = [];
    draw();
  });
  addEventListener('resize', draw);
  load();
  return {
    ready: load,
    choose: name => give([...chosen], name),
    changed: draw,
    key(event) {
      if (event.key !== 'Delete' && event.key !== 'Escape') return false;
      if (event.key === 'Delete') give([...chosen], '');
      else chosen.clear();
      draw();
      return true;
    },
    close: () => removeEventListener('resize', draw),
  };
}
