'use strict';
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const data = JSON.parse(one('#data').textContent);

  // Elements. Strings become text, never markup, so that no name of a class or file can run as a script.
  const svgSpace = document.createRange().createContextualFragment('<svg></svg>').firstChild.namespaceURI;
  const build = (element, attributes, children) => {
    Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children.filter((child) => child !== null));
    return element;
  };
  const html = (name, attributes, ...children) => build(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => build(document.createElementNS(svgSpace, name), attributes, children);

  // Numbers. One that is not known is null.
  const known = (value) => Number.isFinite(value);
  const trimmed = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  const at = (value) => trimmed(value.toFixed(1));
  const percent = (share) => (known(share) ? `${(100 * share).toFixed(1)} %` : '–');
  const count = (value, word) => `${value.toLocaleString('en')} ${word}${value === 1 ? '' : 's'}`;
  const compact = (value) => {
    if (!known(value)) return '–';
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size < 1e-3 || size >= 1e6) {
      const [digits, exponent] = value.toExponential(1).split('e');
      return `${trimmed(digits)}e${Number(exponent)}`;
    }
    return Number.isInteger(value) ? value.toLocaleString('en') : trimmed(value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(size)))));
  };
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const shortened = (text, letters) => {
    const points = Array.from(text);
    return points.length <= letters ? text : `${points.slice(0, letters - 1).join('')}…`;
  };
  const className = (index) => (data.names && index < data.names.length ? data.names[index] : `class ${index}`);

  // Axes: ticks are round numbers, and place() is 0 at the low end and 1 at the high end.
  const ticked = (first, last, step) => {
    const ticks = [];
    for (let i = 0; first + i * step <= last + step / 2; i++) ticks.push(Math.round((first + i * step) / step) * step);
    return { ticks, place: (value) => (value - first) / (last - first), shows: known };
  };
  const linearAxis = (low, high) => {
    const equal = high - low < 1e-12 * Math.max(1, Math.abs(high));
    const from = equal ? low - 0.1 * Math.abs(low) : low;
    const to = equal ? high + (high === 0 ? 1 : 0.1 * Math.abs(high)) : high;
    const least = (to - from) / 5;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) * power;
    return ticked(Math.floor(from / step) * step, Math.ceil(to / step - 1e-9) * step, step);
  };
  const shareAxis = (low) => {
    const from = clamp(Math.floor(low * 10) / 10, 0, 0.9);
    const step = from >= 0.9 ? 0.02 : from >= 0.5 ? 0.1 : 0.2;
    return ticked(Math.floor(from / step + 1e-9) * step, 1, step);
  };
  const logarithmicAxis = (low, high) => {
    const first = Math.floor(Math.log10(low) + 1e-9);
    const last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
    const ticks = [];
    for (let power = first; power <= last; power += Math.floor((last - first + 4) / 5)) ticks.push(10 ** power);
    return { ticks, place: (value) => (Math.log10(value) - first) / (last - first), shows: (value) => known(value) && value > 0 };
  };
  const axes = {
    linear: (low, high) => linearAxis(low >= 0 && low < high / 2 ? 0 : low, high),
    logarithmic: logarithmicAxis,
    share: shareAxis,
    wholeShare: () => shareAxis(0),
  };

  const panel = (title, keys, drawing) => html('figure', { class: 'panel' }, html('figcaption', {}, title, keys), drawing);
  const text = (style, x, y, content) => svg('text', { class: style, x: at(x), y: at(y) }, content);
  const chart = (width, height, label) => svg('svg', {
    class: 'chart', tabindex: 0, role: 'img', viewBox: `0 0 ${width} ${height}`, 'aria-label': `${label}. Arrow keys read the values.`,
  });

  // Curves over equally spaced places. A curve is [name, style, values]; null leaves a gap.
  const lineChart = (title, scale, given, { along = '', places = [], ends = ['', ''], marked = [], dividers = [], narrow = false }) => {
    const shows = (value) => known(value) && (scale !== 'logarithmic' || value > 0);
    const curves = given.filter(([, , values]) => values.some(known));
    const values = curves.flatMap((curve) => curve[2]).filter(shows);
    if (values.length === 0) return null;
    const axis = axes[scale](values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b)));
    const share = scale === 'share' || scale === 'wholeShare';
    const format = share ? percent : compact;
    const [width, height, left, right, top, bottom] = [narrow ? 230 : 360, narrow ? 200 : 220, 52, 12, 12, 34];
    const length = Math.max(...curves.map((curve) => curve[2].length));
    const x = (place) => left + (length === 1 ? 0.5 : place / (length - 1)) * (width - left - right);
    const y = (value) => top + (1 - clamp(axis.place(value), 0, 1)) * (height - top - bottom);
    const summary = curves.map(([name, , numbers]) => {
      const own = numbers.filter(known);
      return `${name} from ${format(own[0])} to ${format(own[own.length - 1])}`;
    });
    const drawing = chart(width, height, [title, ...summary].join('; '));
    axis.ticks.forEach((tick) => drawing.append(
      svg('path', { class: 'grid', d: `M${left} ${at(y(tick))}H${width - right}` }),
      text('tick end', left - 6, y(tick) + 3.5, share ? `${Math.round(100 * tick)} %` : compact(tick))));
    dividers.forEach((place) => drawing.append(svg('path', { class: 'divider', d: `M${at(x(place - 0.5))} ${top}V${height - bottom}` })));
    const base = height - bottom + 16;
    drawing.append(text('tick', left, base, ends[0]), text('tick end', width - right, base, ends[1]),
      text('tick mid', (left + width - right) / 2, base + 13, along));
    curves.forEach(([, style, numbers]) => {
      const steps = numbers.map((value, i) => {
        if (!axis.shows(value)) return '';
        const drawn = i > 0 && axis.shows(numbers[i - 1]);
        return `${drawn ? 'L' : 'M'}${at(x(i))} ${at(y(value))}${!drawn && !axis.shows(numbers[i + 1]) ? 'h0' : ''}`;
      });
      drawing.append(svg('path', { class: `line s${style}`, d: steps.join('') }));
    });
    const last = curves[curves.length - 1][2];
    marked.filter((place) => axis.shows(last[place])).forEach((place) => drawing.append(
      svg('circle', { class: 'best', r: 5, cx: at(x(place)), cy: at(y(last[place])) })));
    // Invisible columns that carry the numbers for pointer and keyboard.
    const stride = 1 + Math.floor((length - 1) / 400);
    const stop = (width - left - right) / Math.max(1, length - 1) * stride;
    for (let i = 0; i < length; i += stride) {
      const lines = curves.filter((curve) => known(curve[2][i])).map(([name, , numbers]) => `${name}: ${format(numbers[i])}`);
      const tip = [places[i] || '', ...lines, ...(marked.includes(i) ? ['best so far, selected'] : [])].join('\n');
      drawing.append(svg('rect', {
        class: 'stop', x: at(x(i) - stop / 2), width: at(Math.max(1, stop)), y: top, height: height - top - bottom, 'data-tip': tip,
      }));
    }
    const keys = curves.length < 2 ? null : html('span', { class: 'keys' }, ...curves.map(([name, style]) => html('span', { class: 'key' },
      svg('svg', { width: 18, height: 8, 'aria-hidden': true }, svg('path', { class: `line s${style}`, d: 'M0 4H18' })), name)));
    return panel(title, keys, drawing);
  };

  // Charts over the epochs of this run, with a line between stages.
  const stage = (epoch) => `Stage ${epoch.stage}${epoch.all ? ' on all images' : ''}`;
  const overEpochs = (title, scale, curves, more) => {
    const { epochs } = data;
    const dividers = epochs.flatMap((epoch, i) => (i > 0 && stage(epoch) !== stage(epochs[i - 1]) ? [i] : []));
    const staged = dividers.length > 0;
    const [first, last] = [epochs[0], epochs[epochs.length - 1]];
    return lineChart(title, scale, curves, {
      along: staged ? 'epoch (lines divide stages)' : 'epoch',
      places: epochs.map((epoch) => `${stage(epoch)}, epoch ${epoch.epoch}`),
      ends: staged ? [stage(first), stage(last)] : [`${first.epoch}`, `${last.epoch}`],
      dividers,
      ...more,
    });
  };
  const ofEpochs = (field) => data.epochs.map((epoch) => epoch[field]);

  const draw = {
    curves: () => {
      const best = {};
      data.epochs.forEach((epoch, i) => { if (epoch.best) best[stage(epoch)] = i; });
      const marked = Object.values(best);
      return [
        overEpochs('Loss', 'linear', [['training', 0, ofEpochs('trainLoss')], ['validation', 1, ofEpochs('validationLoss')]], { marked }),
        overEpochs('Accuracy', 'share', [['training', 0, ofEpochs('trainAccuracy')], ['validation', 1, ofEpochs('validationAccuracy')]], { marked }),
        overEpochs('Learning rate', 'logarithmic', [['learning rate', 2, ofEpochs('rate')]]),
      ];
    },

    health: () => {
      const health = (field) => data.epochs.map((epoch) => epoch.health[field]);
      const gradients = [];
      for (let from = 0; from < data.health.gradients.length; from += 6) {
        gradients.push(overEpochs('Norm of gradients', 'logarithmic',
          data.health.gradients.slice(from, from + 6).map((one, i) => [one.name, i, one.norms])));
      }
      return [
        overEpochs('Share of dead channels', 'linear', [['dead channels', 0, health('deadChannels')]]),
        overEpochs('Kernel width σ', 'linear', [['smallest', 0, health('sigmaSmallest')], ['largest', 1, health('sigmaLargest')]]),
        overEpochs('Smallest eigenvalue', 'logarithmic',
          [['of K', 0, health('kernelSmallestEigenvalue')], ['of Y', 1, health('transformedSmallestEigenvalue')]]),
        overEpochs('Condition (largest ÷ smallest eigenvalue)', 'logarithmic',
          [['of K', 0, health('kernelCondition')], ['of Y', 1, health('transformedCondition')]]),
        overEpochs('Fraction of negative eigenvalues after ReLU', 'linear', [['negative', 0, health('negativeAfterRelu')]]),
        overEpochs('Distance of W from orthonormal', 'logarithmic', [['|WᵀW − I|', 0, health('orthonormality')]]),
        ...gradients,
        overEpochs('Images per second', 'linear', [['images per second', 2, ofEpochs('imagesPerSecond')]]),
      ];
    },

    ridge: (place) => {
      const { lambda, table } = data.ridge.fits[place.dataset.at];
      const along = {
        along: 'λ',
        places: table.map((row) => `λ = ${compact(row.lambda)}`),
        ends: [compact(table[0].lambda), compact(table[table.length - 1].lambda)],
        marked: table.flatMap((row, i) => (Math.abs(row.lambda - lambda) <= 1e-6 * Math.abs(lambda) ? [i] : [])),
      };
      return [
        lineChart('Accuracy over λ', 'share', [['held-out accuracy', 1, table.map((row) => row.accuracy)]], along),
        lineChart('Log loss over λ', 'linear', [['log loss', 0, table.map((row) => row.logLoss)]], along),
      ];
    },

    sets: () => {
      const levels = data.certainty.sets.levels.map((one) => one.level);
      const along = {
        along: 'requested coverage',
        places: levels.map((level) => `coverage ${percent(level)}`),
        ends: [percent(levels[0]), percent(levels[levels.length - 1])],
      };
      return [
        lineChart('Observed coverage', 'share', [['asked for', 1, levels], ['observed', 0, data.certainty.sets.levels.map((one) => one.coverage)]], along),
        lineChart('Mean number of classes in a set', 'linear', [['classes', 0, data.certainty.sets.levels.map((one) => one.meanSize)]], along),
      ];
    },

    robustness: () => {
      const { clean, corruptions } = data.robustness;
      const severities = [...new Set(corruptions.map((cell) => cell.severity))].sort((a, b) => a - b);
      return [...new Set(corruptions.map((cell) => cell.name))].map((name) => lineChart(name.replace(/_/g, ' '), 'wholeShare', [['accuracy', 0, [
        clean, ...severities.map((severity) => (corruptions.find((cell) => cell.name === name && cell.severity === severity) || {}).accuracy),
      ]]], {
        along: 'severity',
        places: ['clean', ...severities.map((severity) => `severity ${severity}`)],
        ends: ['0', `${severities[severities.length - 1]}`],
        narrow: true,
      }));
    },

    spectrum: (place) => {
      const { name, spectrum } = data.spectra[place.dataset.at];
      const left = spectrum.filter((value) => value <= 0).length;
      return [lineChart(`Eigenvalues of ${name}`, 'logarithmic', [['eigenvalue', 1, spectrum]], {
        along: left === 0 ? 'rank' : `rank (${left} values ≤ 0 left out)`,
        places: spectrum.map((value, i) => `Number ${i + 1}`),
        ends: ['1', `${spectrum.length}`],
        narrow: true,
      })];
    },

    reliability: () => {
      const [left, top, across, down] = [48, 12, 300, 244];
      const bars = (title, label, axis, height, style, tickText) => {
        const drawing = chart(360, 300, label);
        axis.ticks.forEach((tick) => drawing.append(
          svg('path', { class: 'grid', d: `M${left} ${at(top + (1 - axis.place(tick)) * down)}h${across}` }),
          text('tick end', left - 6, top + (1 - axis.place(tick)) * down + 3.5, tickText(tick))));
        data.reliability.bins.filter((bin) => known(height(bin))).forEach((bin) => {
          const tall = clamp(axis.place(height(bin)), 0, 1) * down;
          drawing.append(svg('rect', {
            class: style,
            x: at(left + bin.lower * across + 1),
            width: at(Math.max(1, (bin.upper - bin.lower) * across - 2)),
            y: at(top + down - tall),
            height: at(tall),
            'data-tip': `Confidence ${Math.round(100 * bin.lower)}–${Math.round(100 * bin.upper)} %\n${count(bin.count, 'image')}\n`
              + `mean confidence ${percent(bin.meanConfidence)}\nright ${percent(bin.accuracy)}`,
          }));
        });
        const base = top + down + 16;
        drawing.append(text('tick', left, base, '0 %'), text('tick end', left + across, base, '100 %'), text('tick mid', left + across / 2, base + 13, 'confidence'));
        return [title, drawing];
      };
      const [right, diagram] = bars('Right answers by confidence', 'Share of right answers for every range of confidence',
        ticked(0, 1, 0.25), (bin) => (bin.count > 0 ? bin.accuracy : null), 'column', (tick) => `${100 * tick} %`);
      diagram.append(svg('path', { class: 'ideal', d: `M${left} ${top + down}L${left + across} ${top}` }));
      const [images, counts] = bars('Images by confidence', 'Number of images in every range of confidence',
        linearAxis(0, Math.max(1, ...data.reliability.bins.map((bin) => bin.count))), (bin) => bin.count, 'column plain', compact);
      return [panel(right, null, diagram), panel(images, null, counts)];
    },

    // Only cells that are not zero are drawn; the buttons move rows and columns.
    confusion: (place) => {
      const { cells, support } = data.confusion;
      const classes = support.length;
      const side = classes <= 4 ? 72 : classes <= 12 ? 46 : classes <= 24 ? 26 : classes <= 50 ? 16 : 640 / classes;
      const named = classes <= 50;
      const margin = named ? 116 : 4;
      const extent = margin + classes * side + 4;
      const letters = Math.max(...support.map((images, i) => shortened(className(i), 16).length));
      // Slanted names may reach beyond the last column, where any class may come to stand.
      const width = extent + (named ? Math.max(0, letters * 8 * Math.cos(Math.PI / 3) + 8 - side / 2) : 0);
      const matrix = svg('svg', {
        id: 'matrix', role: 'img', viewBox: `0 0 ${at(width)} ${at(extent)}`,
        'aria-label': `${place.closest('section').querySelector('h2').textContent} of ${classes} classes`,
      }, svg('rect', { class: 'field', x: margin, y: margin, width: at(classes * side), height: at(classes * side) }));
      matrix.style.maxWidth = `${width}px`;
      matrix.style.minWidth = `${Math.min(width, named ? Math.max(300, 0.8 * width) : 300)}px`;
      const recall = support.map((images) => (images === 0 ? 2 : 0));
      cells.filter(([truth, predicted]) => truth === predicted).forEach(([truth, , images]) => { recall[truth] = images / support[truth]; });
      const rows = support.map((images, i) => svg('text', { class: 'name end', dy: '.35em', 'data-row': i, 'data-recall': recall[i], 'data-tip': className(i) },
        named ? shortened(className(i), 16) : null));
      const columns = !named ? [] : support.map((images, i) => svg('text',
        { class: 'name', dy: '.35em', 'data-column': i, 'data-tip': className(i) }, shortened(className(i), 16)));
      const squares = cells.map(([truth, predicted, images]) => {
        const right = truth === predicted;
        const share = support[truth] === 0 ? 0 : images / support[truth];
        // Rare mistakes are what one looks for: even a single one among hundreds gets a visible tint.
        const strength = right ? 0.15 + 0.85 * share : Math.min(1, (side < 24 ? 0.5 : 0.3) + 1.4 * share);
        const depth = strength > (right ? 0.75 : 0.9) ? ' strong' : strength > 0.6 ? ' middle' : '';
        const what = right ? 'recognised' : `predicted as ${className(predicted)}`;
        return svg('g', {
          class: (right ? 'right' : 'wrong') + depth, 'data-row': truth, 'data-column': predicted,
          'data-tip': `${className(truth)}\n${what}: ${images} of ${support[truth]} (${percent(share)})`,
        }, svg('rect', { width: at(side), height: at(side), 'fill-opacity': compact(strength) }),
        side >= 24 ? svg('text', { x: at(side / 2), y: at(side / 2), dy: '.35em' }, `${images}`) : null);
      });
      matrix.append(...rows, ...columns, ...squares);
      const orders = {
        given: () => 0,
        name: (a, b) => className(a).localeCompare(className(b), undefined, { numeric: true }),
        recall: (a, b) => recall[a] - recall[b],
      };
      const arrange = (order) => {
        const places = [];
        support.map((images, i) => i).sort(orders[order]).forEach((index, i) => { places[index] = i; });
        const middle = (index) => margin + (places[index] + 0.5) * side;
        rows.forEach((row, i) => row.setAttribute('transform', `translate(${margin - 6} ${middle(i)})`));
        columns.forEach((column, i) => column.setAttribute('transform', `translate(${middle(i)} ${margin - 6}) rotate(-60)`));
        squares.forEach((square, i) => square.setAttribute('transform',
          `translate(${margin + places[cells[i][1]] * side} ${margin + places[cells[i][0]] * side})`));
      };
      arrange('given');
      const buttons = [['given', 'list'], ['name', 'name'], ['recall', 'worst first']].map(([order, name]) => html('button',
        { type: 'button', 'data-order': order, 'aria-pressed': order === 'given' }, name));
      buttons.forEach((button) => button.addEventListener('click', () => {
        buttons.forEach((other) => other.setAttribute('aria-pressed', other === button));
        arrange(button.dataset.order);
      }));
      return [html('div', { class: 'tools', role: 'group', 'aria-label': 'Order of the classes' }, 'Order by', ...buttons),
        html('div', { class: 'scroll', tabindex: 0 }, matrix)];
    },

    // Eight colours and five shapes distinguish forty classes. A point is [class, predicted class, x, y, file].
    map: () => {
      const [width, height, margin, { points }] = [640, 480, 16, data.map];
      const shapes = ['m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z', 'm-3.6-3.6h7.2v7.2h-7.2z', 'm0-4.8l4.6 8h-9.2z', 'm0-5l5 5l-5 5l-5-5z',
        'm-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z'];
      const shape = (index) => shapes[Math.floor(index / 8) % shapes.length];
      const range = (field) => points.reduce(([low, high], point) => [Math.min(low, point[field]), Math.max(high, point[field])], [points[0][field], points[0][field]]);
      const [[left, right], [low, high]] = [range(2), range(3)];
      // One factor for both directions, so that distances remain comparable.
      const factor = Math.min((width - 2 * margin) / Math.max(1e-30, right - left), (height - 2 * margin) / Math.max(1e-30, high - low));
      const byClass = new Map();
      points.forEach((point) => {
        if (!byClass.has(point[0])) byClass.set(point[0], []);
        byClass.get(point[0]).push(point);
      });
      const indices = [...byClass.keys()].sort((a, b) => a - b);
      const plane = svg('svg', {
        id: 'plane', class: points.length > 1000 ? 'many' : '', role: 'img', viewBox: `0 0 ${width} ${height}`,
        'aria-label': `Map of ${count(points.length, 'image')} of ${indices.length} ${indices.length === 1 ? 'class' : 'classes'}`,
      }, ...indices.map((index) => svg('g', { class: `points k${index % 8}`, 'data-class': index }, ...byClass.get(index).flatMap(
        ([truth, predicted, across, up, file]) => {
          const x = at(width / 2 + factor * (across - left / 2 - right / 2));
          const y = at(height / 2 - factor * (up - low / 2 - high / 2));
          const wrong = predicted >= 0 && predicted !== truth;
          const tip = [className(truth), ...(wrong ? [`predicted as ${className(predicted)}`] : []), file].join('\n');
          return [svg('path', { d: `M${x} ${y}${shape(truth)}`, 'data-tip': tip }), ...(wrong ? [svg('circle', { class: 'ring', r: 8, cx: x, cy: y })] : [])];
        }))));
      const legend = indices.map((index) => html('button', { type: 'button', 'aria-pressed': false, 'data-class': index },
        svg('svg', { class: `points k${index % 8}`, width: 14, height: 14, viewBox: '-7 -7 14 14', 'aria-hidden': true }, svg('path', { d: `M0 0${shape(index)}` })),
        html('span', {}, className(index)), html('small', {}, `${byClass.get(index).length}`)));
      const mistakes = html('button', { type: 'button', id: 'only-mistakes', 'aria-pressed': false }, 'only mistakes');
      const everything = html('button', { type: 'button', id: 'all-classes' }, 'all classes');
      const pressed = (button) => button.getAttribute('aria-pressed') === 'true';
      const update = () => {
        const chosen = legend.filter(pressed).map((button) => button.dataset.class);
        plane.classList.toggle('chosen', chosen.length > 0);
        plane.classList.toggle('mistakes', pressed(mistakes));
        all('g', plane).forEach((group) => group.classList.toggle('lit', chosen.includes(group.dataset.class)));
      };
      [mistakes, ...legend].forEach((button) => button.addEventListener('click', () => {
        button.setAttribute('aria-pressed', !pressed(button));
        update();
      }));
      everything.addEventListener('click', () => {
        [mistakes, ...legend].forEach((button) => button.setAttribute('aria-pressed', false));
        update();
      });
      return [html('div', {}, plane), html('div', {}, html('div', { class: 'tools' }, mistakes, everything),
        html('div', { class: 'legend', role: 'group', 'aria-label': 'Classes on the map' }, ...legend))];
    },

    // Accuracy against cost of the candidates of a search.
    front: () => {
      const [width, height, left, right, top, bottom, { candidates }] = [760, 360, 56, 16, 14, 44, data];
      const up = linearAxis(Math.max(0, Math.min(...candidates.map((one) => 100 * (one.accuracy - one.half)))),
        Math.min(100, Math.max(...candidates.map((one) => 100 * (one.accuracy + one.half)))));
      const along = linearAxis(0, Math.max(...candidates.map((one) => one.millis)));
      const x = (one) => left + clamp(along.place(one.millis), 0, 1) * (width - left - right);
      const y = (share) => top + (1 - clamp(up.place(100 * share), 0, 1)) * (height - top - bottom);
      const drawing = chart(width, height, 'Accuracy against milliseconds per image');
      up.ticks.forEach((tick) => drawing.append(svg('path', { class: 'grid', d: `M${left} ${at(y(tick / 100))}H${width - right}` }),
        text('tick end', left - 6, y(tick / 100) + 3.5, `${compact(tick)} %`)));
      along.ticks.forEach((tick) => drawing.append(text('tick mid', x({ millis: tick }), height - bottom + 16, compact(tick))));
      drawing.append(text('tick mid', (left + width - right) / 2, height - 8, 'milliseconds per image, from file to descriptor'));
      const best = candidates.filter((one) => one.front).sort((a, b) => a.millis - b.millis);
      drawing.append(svg('path', { class: 'line s0', d: best.map((one, i) => `${i ? 'L' : 'M'}${at(x(one))} ${at(y(one.accuracy))}`).join('') }));
      candidates.forEach((one) => drawing.append(...[
        one.chosen ? svg('circle', { class: 'best', r: 8, cx: at(x(one)), cy: at(y(one.accuracy)) }) : null,
        svg('path', { class: 'spread', d: `M${at(x(one))} ${at(y(one.accuracy - one.half))}V${at(y(one.accuracy + one.half))}` }),
        svg('circle', { class: `candidate ${one.front ? 'k0' : 'k7'}`, r: 4, cx: at(x(one)), cy: at(y(one.accuracy)), 'data-tip': `${one.label}\n${percent(one.accuracy)}` }),
        one.front || one.chosen ? text('tick', x(one) + 7, y(one.accuracy) - 5, `${one.rank}`) : null, // labels of all would overlap
      ].filter((part) => part !== null)));
      return [html('figure', { class: 'panel' }, drawing)];
    },
  };
  all('[data-draw]').forEach((place) => place.append(...draw[place.dataset.draw](place).filter((part) => part !== null)));

  // Light and dark: the system's wish, until the button is used. Pages opened from disk may have no storage.
  const root = document.documentElement;
  const remember = (theme) => { try { localStorage.setItem('gramian-theme', theme); } catch (none) { /* not kept */ } };
  try {
    const kept = localStorage.getItem('gramian-theme');
    if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  } catch (none) { /* the system's wish stands */ }
  one('#theme').hidden = false;
  one('#theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    remember(root.dataset.theme);
  });

  // How much of a photograph shows through its map.
  if (one('#opacity')) {
    one('#opacity').addEventListener('input', (event) => all('.layer').forEach((layer) => {
      layer.style.opacity = event.target.value / 100;
    }));
  }

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
  const pointed = (event) => {
    const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
    if (mark) show(mark, event.clientX, event.clientY); else if (now) hide();
  };
  document.addEventListener('pointermove', pointed);
  document.addEventListener('pointerdown', pointed);
  document.addEventListener('scroll', hide, { passive: true });
  all('svg.chart').forEach((drawing) => {
    const marks = all('[data-tip]', drawing);
    let place = -1;
    drawing.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || marks.length === 0) return;
      event.preventDefault();
      place = clamp(place + step, 0, marks.length - 1);
      const box = marks[place].getBoundingClientRect();
      show(marks[place], box.x + box.width / 2, box.y + box.height / 2);
      marks[place].classList.add('now');
    });
    drawing.addEventListener('blur', hide);
  });

  // Tables sorted by a heading: numbers begin with the lowest, where the trouble is.
  all('table.sortable').forEach((table) => {
    const headings = all('thead th', table);
    Array.from(table.tBodies[0].rows).forEach((row, place) => { row.cells[0].dataset.value = place; });
    headings.forEach((heading, column) => heading.querySelector('button').addEventListener('click', () => {
      const direction = heading.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      headings.forEach((other) => other.setAttribute('aria-sort', 'none'));
      heading.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
      const value = (row) => Number(row.cells[column].dataset.value);
      const body = table.tBodies[0];
      Array.from(body.rows).sort((a, b) => direction * (value(a) - value(b))).forEach((row) => body.append(row));
    }));
  });

  addEventListener('beforeprint', () => all('details').forEach((details) => { details.open = true; }));
})();
