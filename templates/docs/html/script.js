// What a page of the reference can do with JavaScript: search, filter, copy, follow the reader, remember a theme.
"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  root.classList.add("js");

  // Settings outlive the page where the browser lets it: a page from disk may have no storage.
  const settings = {
    get(name) {
      try { return localStorage.getItem("reference." + name); } catch { return null; }
    },
    set(name, value) {
      try {
        if (value === null) localStorage.removeItem("reference." + name);
        else localStorage.setItem("reference." + name, value);
      } catch { /* not remembered */ }
    },
  };

  // Before the page is drawn: what it looks like.
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const theme = settings.get("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  root.classList.toggle("hide-old", settings.get("deprecated") === "hide");

  function startTheme() {
    const button = byId("ui-theme");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      const want = isDark() ? "light" : "dark";
      const isSystem = (want === "dark") === systemDark.matches;
      if (isSystem) delete root.dataset.theme;
      else root.dataset.theme = want;
      settings.set("theme", isSystem ? null : want);
      show();
    });
    systemDark.addEventListener("change", show);
    show();
  }

  // Deprecated things: hidden on request, but never the one that an address names.

  function hideDeprecated(yes) {
    root.classList.toggle("hide-old", yes);
    byId("ui-deprecated").setAttribute("aria-pressed", String(yes));
  }

  function startDeprecated() {
    const button = byId("ui-deprecated");
    button.setAttribute("aria-pressed", String(root.classList.contains("hide-old")));
    button.addEventListener("click", () => {
      const yes = !root.classList.contains("hide-old");
      hideDeprecated(yes);
      settings.set("deprecated", yes ? "hide" : null);
      follow();
      if (search.open) search.run();
    });
    reveal();
    addEventListener("hashchange", reveal);
  }

  function target() {
    try { return byId(decodeURIComponent(location.hash.slice(1))); } catch { return null; }
  }

  function reveal() {
    const to = target();
    if (to && to.closest(".old") && root.classList.contains("hide-old")) {
      hideDeprecated(false);
    }
  }

  // What the browser lays out on the way to a place moves the place: the page goes there again, until it stays or the
  // reader takes over.

  const framesToSettle = 12;
  let landing = null;

  function land() {
    const to = target();
    landing = to;
    let frames = 0;
    const again = () => {
      if (landing !== to) return;
      to.scrollIntoView();
      if (++frames < framesToSettle) requestAnimationFrame(again);
    };
    if (to) again();
  }

  function startLanding() {
    for (const event of ["wheel", "touchstart", "pointerdown", "keydown"]) {
      addEventListener(event, () => { landing = null; }, { passive: true });
    }
    addEventListener("hashchange", land);
    land();
  }

  // The sidebar shows where the reader is: at the last place that has scrolled past the top. Places stand in the order
  // of the page, so that few need to be looked at, and none inside of what the browser has not laid out.

  let places = [];
  let current = null;
  let awaited = false;

  function placeOfReader() {
    const page = document.scrollingElement;
    if (places.length > 0 && page.scrollTop > 0 && page.scrollTop + innerHeight > page.scrollHeight - 2) {
      // Nothing scrolls any further: what is named, if it is in sight, or the last.
      const named = target()?.closest("section[id]");
      if (named && places.includes(named) && named.getBoundingClientRect().top >= 0) return named;
      return places[places.length - 1];
    }
    const bar = parseFloat(getComputedStyle(byId("ui-main")).scrollMarginTop) + 1;
    const line = page.scrollTop > 0 ? Math.max(bar, innerHeight / 4) : bar;
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle].getBoundingClientRect().top <= line) low = middle + 1;
      else high = middle;
    }
    return places[low - 1];
  }

  function follow() {
    awaited = false;
    const link = linkTo(placeOfReader());
    if (link === current) return;
    if (current) {
      current.removeAttribute("aria-current");
      const details = current.closest("details");
      if (details && details.dataset.opened && !(link && details.contains(link))) {
        details.open = false;
        delete details.dataset.opened;
      }
    }
    current = link;
    if (!link) return;
    link.setAttribute("aria-current", "true");
    const details = link.closest("details");
    if (!details.open) {
      details.open = true;
      details.dataset.opened = "yes"; // by us: we may close it
    }
    showInSidebar(link);
  }

  function showInSidebar(link) {
    const nav = byId("ui-nav");
    const box = nav.getBoundingClientRect();
    const at = link.getBoundingClientRect();
    if (at.top < box.top + 20 || at.bottom > box.bottom - 40) nav.scrollTop += at.top - box.top - box.height / 3;
  }

  let links = null;

  function linkTo(place) {
    if (!place) return null;
    if (!links) links = new Map(Array.from(document.querySelectorAll("nav a[href^='#']"), (a) => [a.hash, a]));
    return links.get("#" + place.id) || links.get(new URL("#" + place.id, location.href).hash) || null;
  }

  function startFollowing() {
    places = Array.from(document.querySelectorAll("main section[id]")).filter((s) => linkTo(s));
    const later = () => {
      if (!awaited) {
        awaited = true;
        requestAnimationFrame(follow);
      }
    };
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later, { passive: true });
    follow();
  }

  function startMenu() {
    const button = byId("ui-menu");
    const set = (open) => {
      root.classList.toggle("menu-open", open);
      button.setAttribute("aria-expanded", String(open));
      if (open && current) showInSidebar(current);
    };
    button.addEventListener("click", () => set(!root.classList.contains("menu-open")));
    byId("ui-nav").addEventListener("click", (e) => {
      if (e.target.closest("a")) set(false);
    });
    addEventListener("keydown", (e) => {
      if (e.key === "Escape" && root.classList.contains("menu-open")) {
        set(false);
        button.focus();
      }
    });
  }

  // Copying code.

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // no permission, or a page from disk
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "unseen";
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  function startCopying() {
    byId("ui-main").addEventListener("click", async (e) => {
      const button = e.target.closest(".copy");
      if (!button) return;
      await copy(button.parentElement.querySelector("pre").textContent);
      button.focus();
      button.textContent = "Copied";
      byId("ui-status").textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // Colours of code, made where the reader is: the page has only text.

  const token = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(?<![\w.-])(-?\d[\w.+-]*)|\b(true|false|null|curl|grpcurl)\b/g;

  function paint(code) {
    const text = code.firstChild;
    if (!text || code.childNodes.length !== 1 || code.dataset.painted) return;
    code.dataset.painted = "yes";
    for (const m of text.data.matchAll(token)) {
      const kind = m[1] ? (m[2] ? "key" : "string") : m[3] ? "number" : "word";
      const range = new Range();
      range.setStart(text, m.index);
      range.setEnd(text, m.index + (m[1] || m[0]).length);
      CSS.highlights.get("code-" + kind).add(range);
    }
  }

  function startPainting() {
    if (!CSS.highlights) return;
    for (const kind of ["key", "string", "number", "word"]) CSS.highlights.set("code-" + kind, new Highlight());
    const paintIn = (box) => box.querySelectorAll("code.language-json, code.language-sh").forEach(paint);
    byId("ui-main").addEventListener("contentvisibilityautostatechange", (e) => {
      if (!e.skipped) paintIn(e.target);
    }, true);
    for (const part of document.querySelectorAll("main .part")) {
      if (part.getBoundingClientRect().top > 2 * innerHeight) break;
      paintIn(part);
    }
  }

  // The search. Its index is an element of the page, or a script of its own that is loaded when it is wanted.

  const kinds = ["Services", "RPCs", "Messages", "Enums", "Enum values", "Fields", "Oneofs", "Extensions", "Files"];
  const [SERVICE, RPC, MESSAGE, ENUM, VALUE, FIELD, ONEOF, EXTENSION, FILE] = kinds.keys();
  const typeKinds = [SERVICE, MESSAGE, ENUM, EXTENSION];
  const memberKinds = [RPC, FIELD, VALUE, EXTENSION];
  const [OLD, IN_ONEOF, EXTENDS] = [1, 2, 4];
  const shown = 60; // results at most
  const slice = 4096; // entries between two looks at the clock
  const patience = 12; // milliseconds until others get a turn

  const search = { open: false, entries: null, turn: 0 };

  function loadIndex() {
    if (!search.loading) {
      search.loading = new Promise((done, fail) => {
        const here = byId("ui-index");
        if (here) {
          done(JSON.parse(here.textContent));
          return;
        }
        const script = document.createElement("script");
        script.src = root.dataset.root + "search.js";
        script.onload = () => done(window.referenceIndex);
        script.onerror = () => fail(new Error("search.js is missing"));
        document.head.append(script);
      }).then((index) => {
        search.entries = flatten(index);
      });
    }
    return search.loading;
  }

  // anchorOf is the anchor of a full name. One that could be that of a heading's words has a dot before it.
  const anchorOf = (full) => (/[./]/.test(full) || full !== full.toLowerCase() ? full : "." + full);

  // flatten makes an entry of each declaration. `low` is its name in lower case, `full` that with all around it: a word
  // that is not in `full` is not in `low`.
  function flatten(index) {
    const entries = [];
    const add = (kind, name, scope, anchor, page, number, flags, text) => {
      entries.push({
        kind, name, scope, anchor, page,
        text: text || "",
        lowText: text ? text.toLowerCase() : "",
        number: number === undefined || number === null ? "" : String(number),
        old: Boolean(flags & OLD),
        low: name.toLowerCase(),
        full: (scope ? scope + "." + name : name).toLowerCase(),
      });
    };
    for (const [pageNumber, path, fileAnchor, pkg, ...types] of index.files) {
      const page = index.pages[pageNumber] ? root.dataset.root + index.pages[pageNumber] : "";
      add(FILE, path, "", fileAnchor, page);
      for (const [kind, name, flags, text, members] of types) {
        const full = pkg ? pkg + "." + name : name;
        if (typeKinds[kind] !== EXTENSION) add(typeKinds[kind], name, pkg, anchorOf(full), page, null, flags, text);
        const scope = typeKinds[kind] === EXTENSION ? pkg : full;
        for (const [member, number, memberFlags = 0, memberText] of members) {
          let memberKind = memberKinds[kind];
          if (memberFlags & IN_ONEOF) memberKind = ONEOF;
          if (memberFlags & EXTENDS) memberKind = EXTENSION;
          const anchor = anchorOf(scope ? scope + "." + member : member);
          add(memberKind, member, scope, anchor, page, number, memberFlags, memberText);
        }
      }
    }
    return entries;
  }

  // rank tells how well an entry fits a word: 0 is best, -1 is not at all.
  function rank(entry, word) {
    if (entry.number === word && entry.low !== word) return entry.kind === VALUE ? 0 : 2;
    if (!entry.full.includes(word)) return entry.lowText.includes(word) ? 5 : -1;
    const at = entry.low.indexOf(word);
    if (at < 0) return 4;
    if (at === 0) return entry.low.length === word.length ? 0 : 1;
    return startsWord(entry.name, at) ? 2 : 3;
  }

  // startsWord tells whether a word begins there: in snake_case, in camelCase or behind a dot.
  function startsWord(name, at) {
    const before = name[at - 1];
    return "_./".includes(before) || (name[at] !== name[at].toLowerCase() && before === before.toLowerCase());
  }

  function rankAll(entry, words) {
    let sum = 0;
    for (const word of words) {
      const r = rank(entry, word);
      if (r < 0) return -1;
      sum += r;
    }
    return sum;
  }

  // find looks at all entries, some at a time, and gives up when the query has changed. The best of each rank are kept.
  async function find(query, isCurrent) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const byRank = [];
    let count = 0;
    const hideOld = root.classList.contains("hide-old");
    let since = performance.now();
    for (let i = 0; i < search.entries.length; i++) {
      if (i % slice === 0 && performance.now() - since > patience) {
        await new Promise((next) => { setTimeout(next); });
        if (!isCurrent()) return null;
        since = performance.now();
      }
      const entry = search.entries[i];
      if (hideOld && entry.old) continue;
      const r = rankAll(entry, words);
      if (r < 0) continue;
      count++;
      (byRank[r] ||= []).push(entry);
    }
    const found = [];
    for (const list of byRank) {
      if (!list) continue;
      list.sort((a, b) => a.old - b.old || a.kind - b.kind || a.name.length - b.name.length);
      found.push(...list.slice(0, shown - found.length));
      if (found.length >= shown) break;
    }
    return { found, count, words };
  }

  function element(name, className, ...children) {
    const e = document.createElement(name);
    if (className) e.className = className;
    e.append(...children);
    return e;
  }

  // marked is a name in which the words that were looked for stand out.
  function marked(name, words) {
    const low = name.toLowerCase();
    const out = element("span", "name");
    let at = 0;
    for (;;) {
      let next = -1;
      let length = 0;
      for (const word of words) {
        const i = low.indexOf(word, at);
        if (i >= 0 && (next < 0 || i < next || (i === next && word.length > length))) [next, length] = [i, word.length];
      }
      if (next < 0) break;
      out.append(name.slice(at, next), element("mark", "", name.slice(next, next + length)));
      at = next + length;
    }
    out.append(name.slice(at));
    return out;
  }

  function resultItem(entry, words) {
    const link = element("a", "", marked(entry.name, words));
    link.href = entry.page + "#" + encodeURI(entry.anchor);
    if (entry.number) link.append(" ", element("span", "value", "= " + entry.number));
    if (entry.old) link.append(" ", element("span", "badge deprecated", "deprecated"));
    if (entry.scope) link.append(" ", element("span", "context", entry.scope));
    if (entry.text) link.append(" ", element("span", "text", entry.text));
    return element("li", "", link);
  }

  function show({ found, count, words }) {
    const groups = new Map();
    for (const entry of found) {
      if (!groups.has(entry.kind)) groups.set(entry.kind, element("ul", ""));
      groups.get(entry.kind).append(resultItem(entry, words));
    }
    const box = byId("ui-results");
    box.replaceChildren();
    for (const [kind, list] of groups) box.append(element("h2", "", kinds[kind]), list);
    let status = count === 1 ? "1 result" : `${count} results`;
    if (count === 0) status = "Nothing found";
    if (count > found.length) status = `The best ${found.length} of ${count} results`;
    if (count === 0 || count > found.length) box.append(element("p", "", status));
    byId("ui-status").textContent = status;
    box.scrollTop = 0;
    setOpen(true);
  }

  function setOpen(open) {
    search.open = open;
    byId("ui-results").hidden = !open;
    if (!open) search.turn++;
  }

  search.run = async () => {
    const query = byId("ui-search").value.trim();
    const turn = ++search.turn;
    if (!query) {
      byId("ui-status").textContent = "";
      setOpen(false);
      return;
    }
    try {
      await loadIndex();
    } catch (error) {
      byId("ui-results").replaceChildren(element("p", "", "The search does not work: " + error.message + "."));
      setOpen(true);
      return;
    }
    if (turn !== search.turn) return;
    const start = performance.now();
    const result = await find(query, () => turn === search.turn);
    if (!result) return;
    show(result);
    performance.measure("search", { start, detail: query }); // for those who look at the page's speed
  };

  function startSearch() {
    const input = byId("ui-search");
    const box = byId("ui-results");
    input.addEventListener("focus", () => {
      loadIndex().catch(() => {}); // told when there is a query
      if (input.value) search.run();
    });
    input.addEventListener("input", search.run);
    const move = (by) => {
      const all = Array.from(box.querySelectorAll("a"));
      const at = all.indexOf(document.activeElement) + by;
      (at < 0 ? input : all[Math.min(at, all.length - 1)] || input).focus();
    };
    document.querySelector("search").addEventListener("keydown", (e) => {
      const inBox = box.contains(document.activeElement);
      if (e.key === "ArrowDown" && search.open) move(1);
      else if (e.key === "ArrowUp" && inBox) move(-1);
      else if (e.key === "Home" && inBox) box.querySelector("a").focus();
      else if (e.key === "End" && inBox) move(shown);
      else if (e.key === "Enter" && !inBox && search.open) box.querySelector("a")?.click();
      else if (e.key === "Escape") {
        if (!search.open) input.value = "";
        setOpen(false);
        if (inBox) input.select();
      } else {
        if (inBox && e.key.length === 1 && !e.ctrlKey && !e.metaKey && !e.altKey) input.focus(); // goes on typing
        return;
      }
      e.preventDefault();
    });
    box.addEventListener("click", (e) => {
      if (e.target.closest("a") && !e.ctrlKey && !e.metaKey && !e.shiftKey) setOpen(false);
    });
    addEventListener("pointerdown", (e) => {
      if (search.open && !e.target.closest("search")) setOpen(false);
    });
    addEventListener("focusin", (e) => {
      if (search.open && !e.target.closest("search")) setOpen(false);
    });
    addEventListener("keydown", (e) => {
      if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, search")) return;
      e.preventDefault();
      input.select();
      input.focus();
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    startTheme();
    startSearch();
    startDeprecated();
    startLanding();
    startFollowing();
    startMenu();
    startCopying();
    startPainting();
  });
})();
