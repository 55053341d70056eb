(() => {
'use strict';
// What makes the page answer. Without it every number is there, in tables.

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

// --- pictures, and the value below the pointer: a figure's table has it
const source = document.getElementById('data'), list = document.getElementById('list');
const data = source && JSON.parse(source.textContent);
const pen = document.createElement('canvas').getContext('2d');
const measure = (s, bold) => { pen.font = (bold ? 'bold ' : '') + '11px sans-serif'; return pen.measureText(s).width; };
const tip = make('div', { id: 'tip', role: 'status', hidden: '' });
const save = (f, drawn) => {
  const style = '<style>' + document.getElementById('of-plots').textContent + '</style>';
  const href = URL.createObjectURL(new Blob([drawn.svg.replace('>', '>' + style)], { type: 'image/svg+xml' }));
  make('a', { href, download: f.id + '.svg' }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
};
(data ? data.figures : []).forEach(f => {
  const section = document.getElementById(f.id), frame = section.querySelector('.frame'), table = section.querySelector('table');
  const rows = [...table.tBodies[0].rows], [title, ...heads] = [...table.tHead.rows[0].cells].map(c => c.textContent);
  const hot = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  let drawn, svg, index = -1;
  hot.setAttribute('class', 'hot');
  const show = (i, x, y) => {
    index = i;
    hot.remove();
    tip.hidden = i < 0;
    if (i < 0) return;
    const place = drawn.places[i];
    ['x', 'y', 'width', 'height'].forEach((k, n) => hot.setAttribute(k, place.box[n]));
    svg.append(hot);
    tip.replaceChildren(...place.rows.map(r => rows[r]).flatMap(row => [
      make('b', {}, place.name || (['trace', 'value'].includes(title) ? '' : title + ' ') + row.cells[0].textContent),
      make('table', {}, ...[...row.cells].slice(1).map((cell, k) =>
        make('tr', {}, make('th', {}, heads[k]), make('td', {}, cell.textContent)))),
    ]));
    frame.append(tip);
    tip.style.left = Math.max(0, Math.min(x + 14, frame.clientWidth - tip.offsetWidth)) + 'px';
    tip.style.top = y + 16 + 'px';
  };
  const at = e => {
    const b = svg.getBoundingClientRect(), [x, y] = [e.clientX - b.left, e.clientY - b.top];
    show(drawn.places.findLastIndex(({ box: [left, top, w, h] }) => x >= left && x < left + w && y >= top && y < top + h), x, y);
  };
  const draw = () => {
    drawn = plots.draw(f, frame.clientWidth, measure);
    frame.innerHTML = drawn.svg;
    svg = frame.firstChild;
    svg.setAttribute('aria-label', f.title + '. The table below it has its numbers.');
    svg.tabIndex = 0;
    svg.onpointermove = svg.onpointerdown = at;
    svg.onpointerleave = svg.onblur = () => show(-1);
    svg.onclick = e => {
      at(e);
      const row = index < 0 ? null : rows[drawn.places[index].rows[0]];
      if (row && row.dataset.trace !== undefined && e.pointerType !== 'touch') location.hash = 'runs-of-' + row.dataset.trace;
    };
    svg.onkeydown = e => { // the arrows go from place to place
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      e.preventDefault();
      const next = Math.max(0, Math.min(drawn.places.length - 1, index + step)), [x, y, , h] = drawn.places[next].box;
      show(next, x, Math.min(y + h, drawn.height));
    };
  };
  draw();
  new ResizeObserver(() => { if (frame.isConnected && Math.abs(frame.clientWidth - drawn.width) > 1) draw(); }).observe(frame);
  frame.after(make('button', { type: 'button', class: 'save', title: 'Save the picture as a file', onclick: () => save(f, drawn) }, 'SVG'));
});

// --- runs: a table of all, filtered for every table of the page, and a section for one
if (!data || !list) return null;
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
