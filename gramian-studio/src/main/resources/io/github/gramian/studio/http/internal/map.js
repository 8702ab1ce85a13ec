// All photographs as points. A lasso selects; a label goes to the selection.
import { $, colour, element, get, give, guarded, photographs, retarget, shared, thumbnail } from './page.js';

const MARGIN = 14;
const SHOWN = 60;
const MANY = 5000;

export function map(root) {
  const canvas = element('canvas', { 'aria-label': 'Map of the photographs', tabindex: '0' });
  const count = element('h2', { id: 'selection' });
  const strip = element('div', { class: 'strip' });
  const clear = element('button', { type: 'button', hidden: true, onclick: () => select([]) }, 'Clear ', element('kbd', {}, 'Esc'));
  const zoom = (sign, text) => element('button', { type: 'button', 'aria-label': text, onclick: () => scaleBy(sign, [size.width / 2, size.height / 2]) }, sign > 0 ? '+' : '−');
  const whole = element('button', { type: 'button', onclick: () => { seen = { x: 0, y: 0, scale: 1 }; render(); } }, 'Whole map');
  const peekImage = element('img', { alt: '' });
  const peekText = element('span');
  const peek = element('div', { class: 'peek', hidden: true }, peekImage, peekText);
  root.append(element('div', { class: 'map' }, element('div', {}, canvas,
    element('div', { class: 'row' }, zoom(1, 'Zoom in'), zoom(-1, 'Zoom out'), whole, element('span', { class: 'quiet' }, 'Filled points have a label. ', element('span', { class: 'keys' }, 'The wheel zooms.')))),
  element('div', { class: 'chosen' }, count, element('div', { class: 'row' }, clear), strip)), peek);
  const context = canvas.getContext('2d');
  const layer = document.createElement('canvas');
  const chosen = new Set();
  let points = [];
  let lasso = [];
  let seen = { x: 0, y: 0, scale: 1 };
  let size = { width: 1, height: 1 };

  const load = guarded(async () => {
    if (shared.state.phase !== 'ready') {
      count.textContent = 'The map appears when all photographs are analysed.';
      return;
    }
    points = await get('api/map');
    resize();
    told();
  });

  const place = image => [
    (MARGIN + points[2 * image] / 10000 * (size.width - 2 * MARGIN) - seen.x) * seen.scale,
    (MARGIN + points[2 * image + 1] / 10000 * (size.height - 2 * MARGIN) - seen.y) * seen.scale];

  function resize() {
    const scale = devicePixelRatio || 1;
    const room = innerWidth > 760 ? innerHeight - canvas.getBoundingClientRect().top - scrollY - $('classes').offsetHeight - 70 : 0.45 * innerHeight;
    size = { width: canvas.clientWidth, height: Math.max(260, room), scale };
    for (const one of [canvas, layer]) {
      one.width = size.width * scale;
      one.height = size.height * scale;
    }
    canvas.style.height = `${size.height}px`;
    render();
  }

  /** Draws all points once; a lasso is drawn over the result. */
  function render() {
    const on = layer.getContext('2d');
    on.setTransform(size.scale, 0, 0, size.scale, 0, 0);
    on.clearRect(0, 0, size.width, size.height);
    const many = points.length > 2 * MANY;
    const radius = many ? 1.5 : 4.5;
    const text = getComputedStyle(document.body).color;
    on.lineWidth = 1.5;
    for (const labelled of [false, true]) {
      for (let image = 0; 2 * image < points.length; image++) {
        if (points[2 * image] < 0 || (shared.labels[image] >= 0) !== labelled) continue;
        const [x, y] = place(image);
        if (x < -9 || y < -9 || x > size.width + 9 || y > size.height + 9) continue;
        const now = chosen.has(image);
        if (many && !now) {
          on.fillStyle = colour(shared.labels[image]);
          on.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
          continue;
        }
        on.beginPath();
        on.arc(x, y, now ? radius + 2 : radius, 0, 7);
        if (labelled) {
          on.fillStyle = colour(shared.labels[image]);
          on.fill();
        }
        if (now || !labelled) {
          on.strokeStyle = now ? text : colour(-1);
          on.stroke();
        }
      }
    }
    draw();
  }

  function draw() {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(layer, 0, 0);
    if (lasso.length > 1) {
      context.setTransform(size.scale, 0, 0, size.scale, 0, 0);
      context.beginPath();
      lasso.forEach(([x, y], at) => (at ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.strokeStyle = getComputedStyle(document.body).color;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }

  function told() {
    count.textContent = `${chosen.size} of ${photographs(shared.paths.length)} selected`;
    clear.hidden = chosen.size === 0;
    strip.replaceChildren(...[...chosen].slice(0, SHOWN).map(image => element('button', { type: 'button', title: `${shared.paths[image]}: click to leave it out`, onclick: () => {
      chosen.delete(image);
      render();
      told();
    } }, thumbnail(image))), chosen.size > SHOWN ? element('span', { class: 'quiet' }, `and ${chosen.size - SHOWN} more`) : '');
    retarget();
  }

  function select(images) {
    chosen.clear();
    images.forEach(image => chosen.add(image));
    render();
    told();
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

  function scaleBy(sign, [x, y]) {
    const scale = Math.min(64, Math.max(1, seen.scale * (sign > 0 ? 1.4 : 1 / 1.4)));
    const limit = (value, length) => Math.min(Math.max(0, value), length * (1 - 1 / scale));
    seen = { scale, x: limit(seen.x + x / seen.scale - x / scale, size.width), y: limit(seen.y + y / seen.scale - y / scale, size.height) };
    render();
  }

  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    scaleBy(-event.deltaY, at(event));
  }, { passive: false });
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    peek.hidden = true;
    if (!event.shiftKey && chosen.size > 0) select([]);
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
    peek.hidden = image < 0;
    if (image >= 0) {
      if (peekImage.dataset.image !== String(image)) peekImage.src = `thumbnail/${image}`;
      peekImage.dataset.image = image;
      peekText.textContent = `${shared.paths[image]}${shared.labels[image] >= 0 ? `: ${shared.classes[shared.labels[image]]}` : ''}`;
      peek.style.left = `${Math.min(event.clientX + 16, innerWidth - 170)}px`;
      peek.style.top = `${Math.max(8, Math.min(event.clientY + 16, innerHeight - 240))}px`;
    }
  });
  canvas.addEventListener('pointerleave', () => { peek.hidden = true; });
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
    render();
    told();
  });
  addEventListener('resize', resize);
  load();
  return {
    ready: load,
    target: () => chosen.size > 0 ? `the selection (${chosen.size})` : '',
    choose: name => give([...chosen], name),
    changed: () => render(),
    key(event) {
      if (event.key === 'Delete' || event.key === 'Backspace') give([...chosen], '');
      else if (event.key === 'Escape') select([]);
      else if (event.key === '+' || event.key === '-') scaleBy(event.key === '+' ? 1 : -1, [size.width / 2, size.height / 2]);
      else return false;
      return true;
    },
    close: () => removeEventListener('resize', resize),
  };
}
