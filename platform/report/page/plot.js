// Draws a figure from its numbers. It needs no document, so it runs outside a browser, too.
// plots.draw(figure, width, measure): the figure's <svg> as text, its size, and its places: what the
// pointer can lie over, each a box and the rows of the figure that belong to it.
const plots = (() => {
'use strict';
const COLOURS = 8, ROW = 15, RIGHT = 20;

// --- text of elements
const escape = s => String(s).replace(/[<>&"]/g, c => '&#' + c.charCodeAt(0) + ';');
const tenth = v => typeof v === 'number' ? +v.toFixed(1) : v;
const path = (strings, ...values) => String.raw({ raw: strings }, ...values.map(tenth));
const el = (tag, set, inside = '') => '<' + tag +
  Object.entries(set).map(([k, v]) => ' ' + k + '="' + escape(tenth(v)) + '"').join('') + '>' + inside + '</' + tag + '>';
const words = (kind, x, y, s) => s ? el('text', { class: kind, x, y }, escape(s)) : '';
const line = (kind, d) => d ? el('path', { class: kind, d }) : '';
const box = (kind, x, y, width, height) => el('rect', { class: kind, x, y, width, height });
const range = n => [...Array(n).keys()];
const isNumber = v => v !== null && v !== undefined && isFinite(v);
const widthOf = s => [...s].reduce((w, c) => w + (/[mwMW_@%]/.test(c) ? 10 : /[ijlftr.,:;\-' ]/.test(c) ? 4.6 : 7), 0);
const fitted = (p, s, room, bold) => {
  let cut = s;
  while (cut.length > 1 && p.measure(cut === s ? s : cut + '..', bold) > room) cut = cut.slice(0, -1);
  return cut === s ? s : cut + '..';
};

// --- axes: ticks at 1, 2 or 5 times a power of ten, or, on a logarithmic axis, at `ticks` or powers of ten
const axis = (values, from, to, count, ticks) => {
  const seen = values.filter(isNumber);
  let least = Math.min(...seen), most = Math.max(...seen), step = 0;
  const f = ticks ? Math.log10 : v => v;
  if (!(most > least)) {
    const around = Math.abs(least) * 0.1 || 1;
    [least, most] = [least - around, most + around];
  }
  if (!ticks) {
    const raw = (most - least) / count, power = 10 ** Math.floor(Math.log10(raw));
    step = power * [1, 2, 5, 10][[1.5, 3.5, 7.5].filter(limit => raw / power >= limit).length];
    [least, most] = [Math.floor(least / step + 1e-9) * step, Math.ceil(most / step - 1e-9) * step];
    ticks = range(Math.round((most - least) / step) + 1).map(i => least + i * step);
  } else if (!ticks.length) {
    [least, most] = [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))];
    ticks = range(Math.round(Math.log10(most / least)) + 1).map(i => least * 10 ** i);
  }
  const at = v => from + (f(v) - f(least)) / (f(most) - f(least)) * (to - from);
  return { at, ticks, step, least, most, from, to };
};
// Positive numbers over more than three powers of ten would crowd at one end.
const decades = values => {
  const seen = values.filter(isNumber);
  return Math.min(...seen) > 0 && Math.max(...seen) >= 1000 * Math.min(...seen) ? [] : null;
};
// "0.5", "2000", "3 M": large numbers with a unit, so that they do not run into one another.
const tick = (a, v) => {
  const far = a.step || v, unit = far >= 1e12 ? 2 : far >= 1e9 ? 1 : far >= 1e5 ? 0 : -1;
  const scale = unit < 0 ? 1 : [1e6, 1e9, 1e12][unit], step = a.step / scale;
  const digits = !step || step >= 1 ? 0 : Math.ceil(-Math.log10(step) - 1e-9);
  const value = Math.abs(v) < a.step / 1e6 ? 0 : v / scale;
  return (a.step ? value.toFixed(digits) : String(+value.toPrecision(6))) + (unit < 0 || !value ? '' : ' ' + 'MGT'[unit]);
};
const xTicks = (a, top, bottom) => line('grid', a.ticks.map(v => path`M${a.at(v)} ${top}V${bottom}`).join('')) +
  a.ticks.map(v => words('tick middle', a.at(v), bottom + 13, tick(a, v))).join('');
const yTicks = (a, left, right) => line('grid', a.ticks.map(v => path`M${left} ${a.at(v)}H${right}`).join('')) +
  a.ticks.map(v => words('tick end', left - 4, a.at(v) + 4, tick(a, v))).join('');

// --- marks and legend: columns differ in colour and in shape
const shapes = [
  (x, y, r) => path`M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (x, y, r) => path`M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => path`M${x} ${y - 1.2 * r}l${1.2 * r} ${2 * r}h${-2.4 * r}z`,
  (x, y, r) => path`M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`,
  (x, y, r) => path`M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`,
];
const marks = (c, points) => line('marks c' + c % COLOURS + (c % 5 === 4 ? ' cross' : ''),
  points.map(([x, y, r]) => shapes[c % 5](x, y, r)).join(''));
const legend = (f, p, names) => {
  let x = 4, y = 10, svg = '';
  names.map(s => fitted(p, s, p.width - 24)).forEach((name, c) => {
    const width = 20 + p.measure(name);
    if (x > 4 && x + width > p.width) [x, y] = [4, y + ROW];
    svg += (f.plot === 'stacked' ? box('s' + c % COLOURS, x + 1, y - 8, 8, 8) : marks(c, [[x + 5, y - 4, 4]])) +
      words('start', x + 14, y, name);
    x += width;
  });
  for (const [, label] of f.marks || []) {
    y += ROW;
    svg += line('rule dash', path`M4 ${y - 4}h12`) + words('start', 20, y, label);
  }
  return { svg, height: y + 6 };
};

// --- a row a line: dots around the value that means no difference, or bars of parts
const byRow = (f, p) => {
  const stacked = f.plot === 'stacked', head = legend(f, p, f.columns), right = p.width - RIGHT;
  const names = f.rows.map(r => fitted(p, r.name, 0.42 * p.width, r.mean));
  const left = 8 + Math.max(24, ...names.map((name, i) => p.measure(name, f.rows[i].mean)));
  const top = head.height + 4, bottom = top + ROW * f.rows.length, y = r => top + ROW * (r + 0.5);
  const values = f.rows.flatMap(r => [...r.v, ...(r.low || []), ...(r.high || [])]);
  const longest = Math.max(...f.rows.map(r => r.v.reduce((sum, v) => sum + Math.max(v, 0), 0)));
  const seen = [f.neutral, ...(f.marks || []).map(m => m[0]), ...values];
  const a = stacked ? axis([0, longest > 0.5 && longest < 1 + 1e-6 ? 1 : longest], left + 4, right, p.width / 80)
    : axis(seen, left + 4, right, p.width / 95, decades(seen));
  const bar = (r, i) => {
    let sum = 0;
    return r.v.map((v, c) => v > 0
      ? box('s' + c % COLOURS, a.at(sum), y(i) - 5.5, a.at(sum += v) - a.at(sum - v), ROW - 4) : '').join('');
  };
  const dots = c => line('range c' + c % COLOURS, f.rows.map((r, i) => r.low && a.at(r.high[c]) - a.at(r.low[c]) > 6
    ? path`M${a.at(r.low[c])} ${y(i)}H${a.at(r.high[c])}` : '').join('')) +
    marks(c, f.rows.flatMap((r, i) => isNumber(r.v[c]) ? [[a.at(r.v[c]), y(i), r.mean ? 4 : 3]] : []));
  return { height: bottom + 34, places: f.rows.map((r, i) => ({ rows: [i], box: [0, y(i) - ROW / 2, p.width, ROW] })),
    svg: head.svg + f.rows.map((r, i) => r.mean && !stacked ? box('band', left, y(i) - ROW / 2, right - left, ROW) : '').join('') +
      xTicks(a, top, bottom) +
      names.map((name, i) => words(f.rows[i].mean ? 'end mean' : 'end', left - 5, y(i) + 4, name)).join('') +
      (isNumber(f.neutral) ? line('rule', path`M${a.at(f.neutral)} ${top}V${bottom}`) : '') +
      (f.marks || []).map(([at]) => line('rule dash', path`M${a.at(at)} ${top}V${bottom}`)).join('') +
      (stacked ? f.rows.map(bar) : f.columns.map((_, c) => dots(c))).join('') +
      words('middle', (left + right) / 2, bottom + 28, f.axis) };
};

// --- a sweep over two options as tables: the first option's values down, the second's across
const pivot = (f, c) => ({ down: f.axes[0].values, across: f.axes[1].values,
  rows: f.axes[0].values.map((name, r) => ({ name, v: f.axes[1].values.map((_, k) => f.rows[r * f.axes[1].values.length + k].v[c]) })) });

// --- lines over a number or over names, steps over time; columns of several units have a panel each
const lines = (f, p) => {
  const PANEL = 126, HEAD = 22, LEFT = 48, right = p.width - RIGHT, pivoted = (f.axes || []).length === 2;
  const tables = pivoted ? f.columns.map((_, c) => pivot(f, c).rows) : f.together ? [f.rows]
    : f.columns.map((_, c) => f.rows.map(r => ({ name: r.name, v: [r.v[c]] })));
  const names = pivoted ? f.axes[1].values.map(v => f.axes[1].title + ' ' + v) : f.columns;
  const head = pivoted || f.together ? legend(f, p, names) : { svg: '', height: -2 };
  const rows = tables[0], numbers = rows.every(r => r.name.trim() !== '' && isFinite(r.name));
  const x = r => numbers ? +rows[r].name : r, count = rows.length;
  const wide = !f.steps && f.axes && numbers && count > 2 && range(count - 1).every(r => x(r) > 0 && x(r + 1) >= 1.5 * x(r));
  const ends = f.steps ? [...range(count).map(x), f.end] : range(count).map(x);
  const a = numbers ? axis(ends, LEFT, right, p.width / 76, wide ? ends : null)
    : { at: v => LEFT + (v + 0.5) / count * (right - LEFT), ticks: [] };
  const each = PANEL + 24, first = head.height + 4, bottom = first + each * tables.length;
  const room = (right - LEFT) / count, labels = rows.map(r => fitted(p, r.name, 84));
  const every = Math.ceil((Math.max(...labels.map(s => p.measure(s))) + 6) / room);
  const panel = (table, i) => {
    const top = first + each * i, low = top + PANEL, title = f.together && !pivoted ? f.unit : f.columns[i];
    const values = [f.neutral, ...table.flatMap(r => r.v)];
    if (!values.some(isNumber)) return words('start', 4, top + 9, title) + words('start', LEFT, top + 30, 'no number to draw');
    const y = axis(values, low, top + HEAD, 4, decades(values));
    const curve = (_, c) => {
      let d = '', on = false;
      table.forEach((r, k) => {
        if (isNumber(r.v[c])) {
          d += path`${on ? 'L' : 'M'}${a.at(x(k))} ${y.at(r.v[c])}` + (f.steps ? path`H${a.at(ends[k + 1])}` : '');
        }
        on = isNumber(r.v[c]) || (on && !f.steps); // time without a value is a gap
      });
      const colour = table[0].v.length > 1 ? c : i;
      return line('path c' + colour % COLOURS, d) + (f.steps || count > 30 ? ''
        : marks(colour, table.flatMap((r, k) => isNumber(r.v[c]) ? [[a.at(x(k)), y.at(r.v[c]), 3]] : [])));
    };
    return words('start', 4, top + 9, title) + (numbers ? xTicks(a, top + HEAD, low)
      : labels.map((s, k) => k % every ? '' : words('tick middle', a.at(k), low + 13, s)).join('')) + yTicks(y, LEFT, right) +
      (isNumber(f.neutral) ? line('rule', path`M${LEFT} ${y.at(f.neutral)}H${right}`) : '') + table[0].v.map(curve).join('');
  };
  const edge = k => f.steps ? a.at(ends[k]) : k <= 0 ? LEFT : k >= count ? right : (a.at(x(k - 1)) + a.at(x(k))) / 2;
  const of = pivoted ? names.length : 1;
  return { height: bottom + 20, svg: head.svg + tables.map(panel).join('') + words('middle', p.width / 2, bottom + 14, f.down),
    places: range(count).map(k => ({ rows: range(of).map(i => k * of + i), box: [edge(k), 0, edge(k + 1) - edge(k), bottom] })) };
};

// --- heat map: the darker, the larger; around a value that means no difference, below it in the other colour
const shade = share => {
  const to = share < 0 ? [166, 70, 0] : [8, 69, 148], f = Math.min(Math.abs(share), 1);
  return 'rgb(' + [247, 247, 245].map((v, i) => Math.round(v + f * (to[i] - v))).join() + ')';
};
const map = (f, p) => {
  const CELL = 22, AXES = 32, HEAD = 34, { down, across } = pivot(f, 0), places = [];
  const names = down.map(s => fitted(p, s, 0.42 * p.width)), left = 8 + Math.max(24, ...names.map(s => p.measure(s)));
  const wide = Math.min((p.width - left - 4) / across.length, 140), each = HEAD + CELL * down.length + 8;
  const cell = (v, share, x, y) => {
    const text = v.toFixed(f.digits);
    return el('rect', { x, y, width: wide - 1, height: CELL - 1, fill: shade(share) }) + (p.measure(text) < wide
      ? words('middle ' + (Math.abs(share) > 0.55 ? 'on-dark' : 'on-light'), x + wide / 2, y + CELL / 2 + 4, text) : '');
  };
  const panel = (name, c) => {
    const { rows } = pivot(f, c), top = AXES + each * c + HEAD;
    const seen = [f.neutral, ...rows.flatMap(r => r.v)].filter(isNumber), least = Math.min(...seen), most = Math.max(...seen);
    const far = Math.max(most - f.neutral, f.neutral - least);
    const share = v => isNumber(f.neutral) ? (far > 0 ? (v - f.neutral) / far : 0) : most > least ? (v - least) / (most - least) : 0.5;
    return words('start mean', 4, top - HEAD + 12, name) +
      across.map((s, k) => words('tick middle', left + wide * (k + 0.5), top - 4, fitted(p, s, wide))).join('') +
      rows.map((r, i) => words('end', left - 5, top + CELL * (i + 0.5) + 4, names[i]) + r.v.map((v, k) => {
        const [x, y] = [left + wide * k, top + CELL * i];
        places.push({ rows: [i * across.length + k], box: [x, y, wide, CELL] });
        return isNumber(v) ? cell(v, share(v), x, y) : words('tick middle', x + wide / 2, y + CELL / 2 + 4, '-');
      }).join('')).join('');
  };
  const bottom = AXES + each * f.columns.length;
  return { height: bottom + 18, places, svg: words('start', 4, 12, 'down: ' + f.axes[0].title) +
    words('start', 4, 26, 'across: ' + f.axes[1].title) + f.columns.map(panel).join('') + words('start tick', 4, bottom + 10,
    isNumber(f.neutral) ? 'blue: above ' + f.neutral + '; orange: below' : 'the darker, the larger') };
};

// --- roofline: how many instructions the banks and the schedulers let pass, and how many do. A row holds a block of
// columns each for instructions a cycle, instructions an access, and the two roofs.
const roofline = (f, p) => {
  const count = f.columns.length, head = legend(f, p, f.columns), left = 44, top = head.height + 20, places = [];
  const bottom = top + 230, right = p.width - RIGHT, of = (block, v) => f.rows.map(r => r.v[block * count + v]);
  const roofs = range(count).flatMap(v => {
    const slopes = of(2, v).map((roof, r) => roof / of(1, v)[r]);
    const k = slopes.findIndex((s, r) => isNumber(s) && s > 0 && isNumber(of(3, v)[r]));
    return k < 0 ? [] : [{ slope: slopes[k], flat: of(3, v)[k] }];
  }).filter((roof, i, all) => !all.slice(0, i).some(o => Math.abs(o.slope / roof.slope - 1) + Math.abs(o.flat / roof.flat - 1) < 1e-6));
  const x = axis([0, ...roofs.map(r => 1.2 * r.flat / r.slope), ...range(count).flatMap(v => of(1, v))], left, right, 5);
  const y = axis([0, ...roofs.map(r => r.flat), ...range(count).flatMap(v => of(0, v))], bottom, top, 4);
  const points = v => marks(v, f.rows.flatMap((r, i) => {
    const [py, px] = [of(0, v)[i], of(1, v)[i]];
    if (!isNumber(px) || !isNumber(py)) return [];
    places.push({ rows: [i], box: [x.at(px) - 5, y.at(py) - 5, 10, 10], name: r.name + ', ' + f.columns[v] });
    return [[x.at(px), y.at(py), 3]];
  }));
  const last = roofs[roofs.length - 1];
  return { height: bottom + 34, places, svg: head.svg + words('start', 4, top - 7, 'warp instructions a cycle and SM') +
    xTicks(x, top, bottom) + yTicks(y, left, right) + roofs.map(({ slope, flat }) => {
      const corner = Math.min(flat / slope, x.most);
      return line('rule roof', path`M${x.at(0)} ${y.at(0)}L${x.at(corner)} ${y.at(corner * slope)}H${x.at(x.most)}`);
    }).join('') + (last ? words('end', right - 4, y.at(last.flat) + 14, 'every scheduler issues') +
      words('start', x.at(0.7 * last.flat / last.slope) + 8, y.at(0.7 * last.flat) + 4, 'banks are full') : '') +
    range(count).map(points).join('') + words('middle', (left + right) / 2, bottom + 28, 'warp instructions an access of the banks') };
};

const draw = (f, width, measure = widthOf) => {
  const made = { dots: byRow, stacked: byRow, lines, map, roofline }[f.plot](f, { width, measure });
  const { height } = made;
  return { ...made, width, svg: el('svg', { xmlns: 'http://www.w3.org/2000/svg', class: 'plot', viewBox: `0 0 ${tenth(width)} ${tenth(height)}`,
    width, height, role: 'img', 'aria-label': f.title }, box('paper', 0, 0, width, height) + made.svg) };
};
return { draw };
})();
