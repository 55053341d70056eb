(() => {
'use strict';
// What makes the page answer. Without it every figure, table and number is there, too.

const each = (of, from = document) => [...from.querySelectorAll(of)];
const make = (tag, set = {}, ...inside) => {
  const e = document.createElement(tag);
  for (const k in set) {
    if (k.startsWith('on')) e[k] = set[k];
    else e.setAttribute(k, set[k]);
  }
  e.append(...inside);
  return e;
};
const text = n => n === null || n === undefined ? '–' :
  Math.abs(n) >= 1000 ? Math.round(n).toLocaleString('en') : String(+n.toPrecision(4));

// --- light and dark
const themes = ['as the system', 'light', 'dark'];
const kept = { get: () => { try { return localStorage.getItem('theme'); } catch { return null; } },
  set: v => { try { localStorage.setItem('theme', v); } catch { /* a page from a file may not */ } } };
const setTheme = name => {
  document.documentElement.style.colorScheme = name === themes[0] ? '' : name;
  document.documentElement.dataset.theme = name;
};
const theme = make('select', { id: 'theme', onchange: () => { setTheme(theme.value); kept.set(theme.value); } },
  ...themes.map(t => make('option', {}, t)));
theme.value = themes.includes(kept.get()) ? kept.get() : themes[0];
setTheme(theme.value);
document.getElementById('bar').append(make('label', {}, 'colours ', theme));

// --- the main part: again when a page that is served has changed
const start = (before = {}) => {
// --- tables that sort
const number = s => { const n = parseFloat(s.replace(/[^0-9.eE+-]/g, '')); return isNaN(n) ? -Infinity : n; };
const sortRows = (rows, of, numeric, down) => rows.sort((a, b) => {
  const x = of(a), y = of(b);
  return (numeric ? number(x) - number(y) : x.localeCompare(y, 'en', { numeric: true })) * (down ? -1 : 1);
});
const sortable = (table, sort) => each('thead th', table).forEach((th, i, all) => {
  const b = make('button', { type: 'button', onclick: () => {
    const down = th.getAttribute('aria-sort') === 'ascending';
    all.forEach(o => o.removeAttribute('aria-sort'));
    th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    sort(i, down);
  } });
  b.append(...th.childNodes);
  th.append(b);
});
each('table.sorts').forEach(table => sortable(table, (i, down) => {
  const body = table.tBodies[0], rows = [...body.rows];
  const of = r => r.cells[i].textContent.trim();
  const numeric = rows.filter(r => of(r) !== '–').every(r => /^[-+]?[0-9.,]+/.test(of(r)));
  body.append(...sortRows(rows, of, numeric, down));
}));

// --- the value below the pointer: a figure's table has it
const tip = make('div', { id: 'tip', role: 'status', hidden: '' });
const svgNs = 'http://www.w3.org/2000/svg';
const rowsAt = (svg, rows, p) => {
  const [kind, ...w] = svg.dataset.hover.split(' '), n = w.map(Number);
  if (kind === 'rows') {
    const r = Math.floor((p.y - n[0]) / n[1]);
    return rows[r] && { rows: [rows[r]], box: [0, n[0] + r * n[1], svg.viewBox.baseVal.width, n[1]], index: r };
  }
  if (kind === 'x') {
    const [least, most, from, to, of] = n.slice(1), places = Math.floor(rows.length / of);
    const x = least + (p.x - from) / (to - from) * (most - least);
    const at = i => w[0] === 'names' ? i : parseFloat(rows[i * of].cells[0].textContent);
    let best = -1;
    for (let i = 0; i < places; i++) {
      if (w[0] === 'steps' ? at(i) <= x : best < 0 || Math.abs(at(i) - x) < Math.abs(at(best) - x)) best = i;
    }
    if (best < 0 || p.x < from - 9 || p.x > to + 9) return null;
    const px = v => from + (v - least) / (most - least) * (to - from);
    const end = w[0] === 'steps' && best + 1 < places ? px(at(best + 1)) : px(at(best)) + 1;
    return { rows: rows.slice(best * of, best * of + of), box: [px(at(best)) - 1, 0, Math.max(2, end - px(at(best))), svg.viewBox.baseVal.height], index: best };
  }
  if (kind === 'map') {
    const [left, top, wide, high, down, across, panel] = n;
    const k = Math.floor((p.y - top) / panel), r = Math.floor((p.y - top - k * panel) / high);
    const c = Math.floor((p.x - left) / wide);
    if (k < 0 || r < 0 || c < 0 || r >= down || c >= across) return null;
    return { rows: [rows[r * across + c]], box: [left + c * wide, top + k * panel + r * high, wide, high], index: r * across + c };
  }
  return null;
};
const show = (svg, figure, found, x, y) => {
  each('.hot', svg).forEach(e => e.remove());
  if (!found || !found.rows[0]) { tip.hidden = true; return; }
  const [bx, by, bw, bh] = found.box, hot = document.createElementNS(svgNs, 'rect');
  for (const [k, v] of Object.entries({ class: 'hot', x: bx, y: by, width: bw, height: bh })) hot.setAttribute(k, v);
  svg.append(hot);
  const heads = figure.heads;
  tip.replaceChildren(...found.rows.flatMap(row => [
    make('b', {}, (figure.rowTitle === 'trace' || figure.rowTitle === 'value' ? '' : figure.rowTitle + ' ') + row.cells[0].textContent),
    make('table', {}, ...[...row.cells].slice(1).map((cell, i) =>
      make('tr', {}, make('th', {}, heads[i]), make('td', {}, cell.textContent)))),
  ]));
  const frame = svg.closest('.frame');
  if (tip.parentNode !== frame) frame.append(tip);
  tip.hidden = false;
  const room = frame.clientWidth;
  tip.style.left = Math.max(0, Math.min(x + 14, room - tip.offsetWidth)) + 'px';
  tip.style.top = y + 16 + 'px';
};
each('.plot').forEach(svg => {
  const section = svg.closest('.figure'), table = section.querySelector('table'), rows = [...table.tBodies[0].rows];
  const title = svg.querySelector('title'), name = title.textContent;
  title.remove(); // no second tip of the browser's own
  svg.setAttribute('aria-label', name + '. The table below it has its numbers.');
  const figure = { rowTitle: table.tHead.rows[0].cells[0].textContent, heads: [...table.tHead.rows[0].cells].slice(1).map(c => c.textContent) };
  let index = -1;
  const at = e => {
    const box = svg.getBoundingClientRect(), v = svg.viewBox.baseVal;
    const frame = svg.closest('.frame').getBoundingClientRect();
    const found = rowsAt(svg, rows, { x: (e.clientX - box.left) / box.width * v.width, y: (e.clientY - box.top) / box.height * v.height });
    index = found ? found.index : -1;
    show(svg, figure, found, e.clientX - frame.left, e.clientY - frame.top);
    return found;
  };
  if (svg.dataset.hover === 'title') return;
  svg.onpointermove = svg.onpointerdown = at;
  svg.onpointerleave = () => show(svg, figure, null);
  svg.onclick = e => {
    const found = at(e), row = found && found.rows[0];
    if (row && row.dataset.trace !== undefined && e.pointerType !== 'touch') location.hash = 'runs-of-' + row.dataset.trace;
  };
  svg.tabIndex = 0;
  svg.onkeydown = e => { // the arrows go from row to row
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (!step || !['rows', 'x'].includes(svg.dataset.hover.split(' ')[0])) return;
    e.preventDefault();
    index = Math.max(0, Math.min(rows.length - 1, index + step));
    const [kind, ...w] = svg.dataset.hover.split(' '), n = w.map(Number), v = svg.viewBox.baseVal;
    const value = i => w[0] === 'names' ? i : parseFloat(rows[i * n[5]].cells[0].textContent) + (w[0] === 'steps' ? 1e-9 : 0);
    const p = kind === 'rows' ? { x: 0, y: n[0] + (index + 0.5) * n[1] }
      : rows[index * n[5]] ? { x: n[3] + (value(index) - n[1]) / (n[2] - n[1]) * (n[4] - n[3]), y: 0 } : null;
    const scale = svg.getBoundingClientRect().width / v.width;
    if (p) show(svg, figure, rowsAt(svg, rows, p), p.x * scale, p.y * scale);
  };
  svg.onblur = () => show(svg, figure, null);
});

// --- runs: a table of all, filtered for every table of the page, and a section for one
const source = document.getElementById('data'), list = document.getElementById('list');
if (!source || !list) return null;
const data = JSON.parse(source.textContent);
const [cyclesAt, ipcAt, hitsAt] = [3, 4, 5];
const base = new Map(data.runs.filter(r => r[0] === data.base).map(r => [r[1], r]));
const ratio = r => base.has(r[1]) && base.get(r[1])[ipcAt] > 0 && r[2] === 0 ? r[ipcAt] / base.get(r[1])[ipcAt] : null;
const states = ['', 'failed', 'not yet run'];
const columns = [
  ['program', r => data.traces[r[1]][0], 1], ['group', r => data.traces[r[1]][1], 1],
  ['variant', r => data.variants[r[0]][0], 1], ['mechanism', r => data.variants[r[0]][1], 1],
  ['settings', r => data.variants[r[0]][2], 1],
  ['cycles', r => r[cyclesAt]], ['IPC', r => r[ipcAt]],
  ['IPC / ' + (data.variants[data.base] || [''])[0], ratio], ['hit ratio', r => r[hitsAt]],
];
const unique = of => [...new Set(data.runs.map(of))].filter(s => s).sort();
const choice = (label, words) => make('label', {}, label, make('select', { name: label },
  make('option', { value: '' }, 'all'), ...words.map(w => make('option', {}, w))));
const program = make('input', { type: 'search', name: 'program', placeholder: 'part of a name' });
const group = choice('group', unique(columns[1][1])), mechanism = choice('mechanism', unique(columns[3][1]));
const count = make('span', { role: 'status' });
const tools = make('form', { class: 'tools', 'aria-label': 'Which runs', onsubmit: e => e.preventDefault() },
  make('label', {}, 'program', program), group, mechanism,
  make('button', { type: 'reset' }, 'all runs'), count);
const head = make('tr', {}, ...columns.map(c => make('th', { scope: 'col', class: c[2] ? 'text' : '' }, c[0])));
const body = make('tbody');
const table = make('table', {}, make('caption', {}, 'Choose a program to see its run. The numbers are means over the seeds. The filters also apply to the tables below the figures.'), make('thead', {}, head), body);
const more = make('button', { type: 'button' });
const one = make('div', { 'aria-live': 'polite' });
let order = data.runs.slice(), shown = 50;
const fits = (t, m) => (!program.value || data.traces[t][0].includes(program.value.trim())) &&
  (!group.lastChild.value || data.traces[t][1] === group.lastChild.value) &&
  (!mechanism.lastChild.value || m === undefined || m === mechanism.lastChild.value);
const draw = () => {
  const rows = order.filter(r => fits(r[1], data.variants[r[0]][1]));
  count.textContent = rows.length.toLocaleString('en') + ' of ' + data.runs.length.toLocaleString('en') + ' runs' +
    (data.left_out ? ' (' + data.left_out.toLocaleString('en') + ' more in results.csv)' : '');
  body.replaceChildren(...rows.slice(0, shown).map(r => make('tr', {}, ...columns.map((c, i) => {
    const v = c[1](r);
    return i === 0 ? make('th', { scope: 'row' }, make('a', { href: '#run-' + r[0] + '-' + r[1] }, v))
      : make('td', { class: c[2] ? 'text' : '' }, c[2] ? v : i === 5 && r[2] ? states[r[2]] : text(v));
  }))));
  more.hidden = rows.length <= shown;
  more.textContent = 'the next of ' + (rows.length - shown) + ' more';
  each('tr[data-trace]').forEach(tr => { tr.hidden = !fits(+tr.dataset.trace); });
  each('th[data-variant]').forEach(th => {
    const hide = mechanism.lastChild.value && data.variants[th.dataset.variant][1] !== mechanism.lastChild.value;
    each('tr', th.closest('table')).forEach(tr => { tr.cells[th.cellIndex].hidden = !!hide; });
  });
};
more.onclick = () => { shown += 200; draw(); };
tools.oninput = () => { shown = 50; draw(); };
tools.onreset = () => setTimeout(draw);
sortable(table, (i, down) => {
  const of = columns[i][1], up = down ? -1 : 1;
  order.sort((a, b) => columns[i][2] ? of(a).localeCompare(of(b), 'en', { numeric: true }) * up
    : ((of(a) ?? -Infinity) - (of(b) ?? -Infinity)) * up || 0);
  draw();
});
list.replaceChildren(tools, one, make('div', { class: 'wide' }, table), more);
const stallsOf = r => data.columns.slice(data.columns.length - data.stalls).map((name, i) =>
  [name.replace('issue.stalls.', ''), r[r.length - data.stalls + i] || 0]);
const openRun = r => {
  const [name, mech, settings, words] = data.variants[r[0]], [trace, of, path] = data.traces[r[1]];
  const facts = columns.slice(5).map(c => make('li', {}, c[0] + ': ' + (r[2] ? states[r[2]] : text(c[1](r)))));
  const stalls = data.stalls && !r[2] ? stallsOf(r) : [], all = stalls.reduce((s, x) => s + x[1], 0);
  one.replaceChildren(make('section', { class: 'run', tabindex: '-1' },
    make('h3', {}, trace + ' under ' + name),
    make('p', {}, 'Group ' + of + ', mechanism ' + mech + (settings ? ', ' + settings : '') + '.'),
    make('ul', {}, ...facts),
    ...(all ? [make('h4', {}, 'Where the schedulers\u2019 cycles go'), make('div', { class: 'bars' },
      ...stalls.filter(s => s[1] > 0.001 * all).sort((a, b) => b[1] - a[1]).flatMap(s => [
        make('span', {}, s[0]), make('i', { style: 'width:' + 100 * s[1] / stalls.reduce((m, x) => Math.max(m, x[1]), 0) + '%' }),
        make('span', {}, (100 * s[1] / all).toFixed(1) + ' %')]))] : []),
    ...(words ? [make('p', {}, 'Where its time goes, by instruction:'), make('pre', {}, 'smrf profile ' + words + ' ' + path)] : []),
    make('p', {}, make('a', { href: '#runs-of-' + r[1] }, 'all runs of ' + trace)),
  ));
  one.firstChild.focus({ preventScroll: true });
  one.scrollIntoView({ block: 'start' });
};
// From the tables of figures to runs.
each('tr[data-trace]').forEach(tr => {
  const th = tr.cells[0];
  th.replaceChildren(make('a', { href: '#runs-of-' + tr.dataset.trace }, th.textContent));
});
each('.figure details').forEach(d => d.addEventListener('toggle', () => each('th[data-variant]', d).forEach(th => {
  each('tr[data-trace]', d).forEach(tr => {
    const cell = tr.cells[th.cellIndex];
    if (!cell.firstElementChild && cell.textContent !== '–') {
      cell.replaceChildren(make('a', { href: '#run-' + th.dataset.variant + '-' + tr.dataset.trace }, cell.textContent));
    }
  });
}), { once: true }));
const follow = () => {
  const run = /^#run-(\d+)-(\d+)$/.exec(location.hash), of = /^#runs-of-(\d+)$/.exec(location.hash);
  if (run) {
    const r = data.runs.find(x => x[0] === +run[1] && x[1] === +run[2]);
    if (r) openRun(r);
  } else if (of && data.traces[of[1]]) {
    tools.reset();
    program.value = data.traces[of[1]][0];
    one.replaceChildren();
    draw();
    document.getElementById('runs').scrollIntoView();
  }
};
for (const k in before.filter) tools.elements[k].value = before.filter[k];
draw();
return { follow, filter: () => Object.fromEntries([...tools.elements].filter(e => e.name).map(e => [e.name, e.value])) };
};
let page = start();
addEventListener('hashchange', () => page && page.follow());
if (page) page.follow();

// --- a page that is served: how far its runs are, and its new numbers
if (!location.protocol.startsWith('http')) return;
const told = make('p', { role: 'status' });
document.getElementById('bar').prepend(told);
let version = null;
const renew = async () => {
  const next = new DOMParser().parseFromString(await (await fetch('./')).text(), 'text/html');
  const filter = page ? page.filter() : {}, open = each('details').map(d => d.open), y = scrollY;
  document.getElementById('main').replaceWith(next.getElementById('main'));
  page = start({ filter });
  each('details').forEach((d, i, all) => { if (all.length === open.length) d.open = open[i]; });
  if (page && location.hash.startsWith('#run-')) page.follow();
  scrollTo(0, y);
};
const poll = async () => {
  try {
    const state = await (await fetch('./state')).json();
    told.textContent = state.planned ? (state.whole + state.failed) + ' of ' + state.planned + ' runs' +
      (state.failed ? ', ' + state.failed + ' failed' : '') + (state.running ? ', ' + state.running + ' running' : '') +
      (state.error ? '. The page is not up to date: ' + state.error : '') : '';
    if (version !== null && state.version !== version) await renew();
    version = state.version;
  } catch { told.textContent = 'The server does not answer: the page is as it last was.'; }
  setTimeout(poll, 2000);
};
poll();
})();
