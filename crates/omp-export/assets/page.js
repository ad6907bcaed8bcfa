'use strict';
(() => {
  const find = (selector, below = document) => below.querySelector(selector);
  const all = (selector, below = document) => [...below.querySelectorAll(selector)];
  const page = document.documentElement;
  page.classList.add('js');

  /* colours: as the system says, or as the reader does */
  const themes = ['', 'light', 'dark'];
  const theme = find('#theme');
  const remembered = (value) => {
    try {
      if (value === undefined) return localStorage.getItem('omp-theme') || '';
      localStorage.setItem('omp-theme', value);
    } catch { /* a page from a file may have no storage */ }
    return value || '';
  };
  const paint = (name) => {
    if (name) page.dataset.theme = name; else delete page.dataset.theme;
    theme.textContent = { light: '☀', dark: '☾' }[name] || '◐';
    theme.title = name ? `Colours: ${name}` : 'Colours: as the system';
  };
  paint(remembered());
  theme.addEventListener('click', () => {
    const next = themes[(themes.indexOf(page.dataset.theme || '') + 1) % themes.length];
    remembered(next);
    paint(next);
  });

  /* the tree: entry number -> its row, what is above and below it */
  const flow = find('#flow');
  const rows = new Map();
  for (const line of all('#rows > li')) {
    const link = find('a', line);
    const number = Number(link.hash.slice(2));
    const above = line.dataset.parent;
    rows.set(number, { line, link, above: above === undefined ? null : Number(above), below: [] });
  }
  for (const number of [...rows.keys()].sort((a, b) => a - b)) {
    const { above } = rows.get(number);
    if (above !== null) rows.get(above).below.push(number);
  }
  let path = new Set([...rows].filter(([, row]) => row.line.classList.contains('on')).map(([number]) => number));

  /* articles with the way to other branches that stands before them */
  const pieces = new Map();
  const collect = (holder) => {
    let before = [];
    for (const child of [...holder.children]) {
      if (child.tagName !== 'ARTICLE') { before.push(child); continue; }
      pieces.set(Number(child.id.slice(1)), [...before, child]);
      before = [];
    }
  };
  collect(flow);
  const others = find('main > .branches');
  if (others) {
    for (const holder of all('.flow', others)) collect(holder);
    others.remove();
  }

  /* of the results of one call, only those of the branch in sight */
  const settle = () => {
    for (const result of all('.result', flow)) result.hidden = !path.has(Number(result.id.slice(1)));
  };
  settle();
  const show = (number) => {
    if (path.has(number)) return;
    let tip = number;
    for (let next; (next = rows.get(tip).below.at(-1)) !== undefined;) tip = next;
    path = new Set();
    for (let at = tip; at !== null; at = rows.get(at).above) path.add(at);
    const order = [...path].sort((a, b) => a - b);
    flow.replaceChildren(...order.flatMap((at) => pieces.get(at) || []));
    for (const [at, row] of rows) row.line.classList.toggle('on', path.has(at));
    settle();
  };
  const unfold = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  };
  const reveal = (number) => {
    if (!rows.has(number)) return;
    show(number);
    for (const row of all('#rows a[aria-current]')) row.removeAttribute('aria-current');
    const { link } = rows.get(number);
    link.setAttribute('aria-current', 'true');
    link.scrollIntoView({ block: 'nearest' });
    const place = document.getElementById(`e${number}`);
    if (!place) return;
    unfold(place.parentElement);
    place.scrollIntoView({ block: place.clientHeight > innerHeight / 2 ? 'start' : 'center' });
    place.focus({ preventScroll: true });
    place.classList.add('here');
    setTimeout(() => place.classList.remove('here'), 1700);
  };

  /* transcripts of sub-agents open beside the task that started them */
  const panel = find('#panel');
  const body = find('#panelbody');
  const opened = [];
  const putBack = () => {
    const agent = opened.at(-1);
    if (agent && body.firstChild) agent.append(body.firstChild);
  };
  const display = () => {
    const agent = opened.at(-1);
    body.append(find('.flow', agent) || document.createElement('p'));
    find('#paneltitle').textContent = find('summary strong', agent).textContent;
    find('#back').hidden = opened.length < 2;
    if (!panel.open) panel.showModal();
    panel.scrollTop = 0;
  };
  const enter = (agent) => {
    if (opened.at(-1) === agent) return;
    putBack();
    opened.push(agent);
    display();
  };
  find('#back').addEventListener('click', () => { putBack(); opened.pop(); display(); });
  find('#close').addEventListener('click', () => panel.close());
  panel.addEventListener('click', (event) => { if (event.target === panel) panel.close(); });
  panel.addEventListener('close', () => {
    putBack();
    opened.length = 0;
    if (/^#a\d/.test(location.hash)) history.replaceState(null, '', location.pathname + location.search);
  });

  const follow = () => {
    const entry = /^#e(\d+)$/.exec(location.hash);
    const agent = /^#(a\d+)(e\d+)?$/.exec(location.hash);
    if (!agent && panel.open) panel.close();
    if (entry) reveal(Number(entry[1]));
    if (agent && document.getElementById(agent[1])) {
      enter(document.getElementById(agent[1]));
      const place = agent[2] && document.getElementById(agent[0].slice(1));
      if (place) { unfold(place); place.scrollIntoView(); }
    }
  };
  addEventListener('hashchange', follow);
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) { event.preventDefault(); follow(); }
  });

  /* search: every word somewhere in the entry, its label or its kind */
  const search = find('#search');
  const texts = new Map();
  const text = (number, row) => {
    if (!texts.has(number)) {
      const piece = pieces.get(number)?.at(-1) || document.getElementById(`e${number}`);
      texts.set(number, `${row.line.className} ${row.line.textContent} ${(piece?.textContent || '').slice(0, 20000)}`.toLowerCase());
    }
    return texts.get(number);
  };
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const [number, row] of rows) {
      const hit = words.every((word) => text(number, row).includes(word));
      row.line.classList.toggle('miss', !hit);
      found += hit;
    }
    find('#nothing').hidden = found > 0;
  });

  /* keys */
  const visible = () => all('#rows a').filter((link) => link.offsetParent);
  const step = (by) => {
    const shown = all('.msg', panel.open ? body : flow);
    const edge = panel.open ? 60 : 80;
    const at = shown.findIndex((message) => message.getBoundingClientRect().bottom > edge);
    const next = shown[Math.max(0, Math.min(shown.length - 1, (at < 0 ? shown.length : at) + by))];
    if (next) { next.scrollIntoView({ block: 'start' }); next.focus({ preventScroll: true }); }
  };
  const expand = find('#expand');
  const expandAll = () => {
    const open = expand.textContent === 'Expand all';
    for (const fold of all('details', panel.open ? body : flow)) fold.open = open;
    expand.textContent = open ? 'Fold all' : 'Expand all';
  };
  expand.addEventListener('click', expandAll);
  find('#tree').addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.target === search && event.key === 'Enter') visible()[0]?.click();
    if (event.target === search && event.key === 'Escape') { search.value = ''; search.dispatchEvent(new Event('input')); search.blur(); }
    if (!by || event.target.type === 'radio') return;
    event.preventDefault();
    const links = visible();
    const at = links.indexOf(document.activeElement);
    const next = event.target === search ? (by > 0 ? links[0] : search) : links[at + by] || (by < 0 ? search : links[at]);
    next?.focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, pre')) return;
    const action = { '/': () => search.focus(), j: () => step(1), k: () => step(-1), e: expandAll }[event.key];
    if (action) { event.preventDefault(); action(); }
  });

  /* one button that copies the block it is in */
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'copy';
  copy.setAttribute('aria-label', 'Copy');
  const offer = (event) => {
    const block = event.target.closest?.('pre');
    if (!block || copy.parentElement === block || !navigator.clipboard) return;
    copy.classList.remove('done');
    block.append(copy);
  };
  document.addEventListener('pointerover', offer);
  document.addEventListener('focusin', offer);
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(copy.parentElement.textContent);
    copy.classList.add('done');
  });

  follow();
})();
