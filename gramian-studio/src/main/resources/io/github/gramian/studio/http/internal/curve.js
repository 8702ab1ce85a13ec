// The accuracy over the number of labels.
const make = (name, attributes, text = '') => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

/** @param points pairs of a number of labels and an accuracy from 0 to 1 */
export function curve(points) {
  const low = Math.min(...points.map(point => point[0]));
  const high = Math.max(low + 1, ...points.map(point => point[0]));
  const floor = Math.min(0.5, Math.floor(10 * Math.min(...points.map(point => point[1]))) / 10);
  const x = n => 36 + 254 * (n - low) / (high - low);
  const y = value => 100 - 90 * (value - floor) / (1 - floor);
  const drawn = make('svg', { viewBox: '0 0 300 120', role: 'img', 'aria-label': 'Accuracy over the number of labels' });
  for (const value of [floor, (1 + floor) / 2, 1]) {
    drawn.append(make('line', { class: 'axis', x1: 36, x2: 290, y1: y(value), y2: y(value) }), make('text', { x: 0, y: y(value) + 3 }, `${Math.round(100 * value)} %`));
  }
  drawn.append(make('polyline', { class: 'curve', points: points.map(([n, value]) => `${x(n)},${y(value)}`).join(' ') }));
  const [n, value] = points.at(-1);
  drawn.append(make('circle', { cx: x(n), cy: y(value), r: 3, class: 'curve' }), make('text', { x: 36, y: 116 }, `${low}`), make('text', { x: 290, y: 116, 'text-anchor': 'end' }, `${high} labels`));
  return drawn;
}
