// Shows what the server sends: each event has the fields of the state that have changed. Draws at most once a frame.

import {age, bytes, clock, count, nanos, number, rate} from "./units.js";
import {AreaMap, colour, lines} from "./charts.js";

const HISTORY = 120;
const MOST_LINES = 8;

const state = {
  cluster: null, members: [], lost: [], events: [], checkpoints: [], memory: [], tensors: [], functions: [], recent: [],
  load: [], slices: [], waiting: [], hotKeys: [], reports: [], countedNanos: 0, problem: "",
};
const $ = id => document.getElementById(id);

function add(parent, name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  parent?.append(element);
  return element;
}

const setText = (element, text) => {
  if (element.textContent !== text) {
    element.textContent = text;
  }
};

/** A table whose rows are kept by their keys, so that a change of numbers changes the numbers alone. */
class Table {
  /** @param columns names; of words if they end in a space, left out on narrow screens if they begin with one */
  constructor(section, caption, columns) {
    this.columns = columns;
    const scroll = add(section, "div", {className: "scroll", tabIndex: 0});
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-labelledby", section.id + "-title");
    const table = add(scroll, "table");
    this.caption = add(table, "caption", {textContent: caption});
    const head = add(add(table, "thead"), "tr");
    columns.forEach((name, i) => add(head, "th", {textContent: name.trim(), className: this.kind(i), scope: "col"}));
    this.body = add(table, "tbody");
    this.rows = new Map();
  }

  kind(i) {
    return (this.columns[i].endsWith(" ") ? "words" : "") + (this.columns[i].startsWith(" ") ? " wide" : "");
  }

  /** @param rows [[key, cells, isBad]], of which a cell is a text or a maker of an element */
  show(rows) {
    const before = this.rows;
    this.rows = new Map();
    let at = this.body.firstElementChild;
    for (const [key, cells, isBad] of rows) {
      let row = before.get(key);
      if (!row) {
        row = add(null, "tr");
        row.dataset.key = key;
        cells.forEach((cell, i) => add(row, "td", {className: this.kind(i)}));
      }
      before.delete(key);
      this.rows.set(key, row);
      row.className = isBad ? "bad" : "";
      cells.forEach((cell, i) =>
        typeof cell === "function" ? cell(row.children[i]) : setText(row.children[i], cell));
      if (row === at) {
        at = at.nextElementSibling;
      } else {
        this.body.insertBefore(row, at);
      }
    }
    before.forEach(row => row.remove());
  }
}

/** A chart of lines with their names below it. */
class Chart {
  constructor(parent, title) {
    const figure = add(parent, "figure");
    this.title = title;
    this.figure = figure;
    add(figure, "h3", {textContent: title});
    this.canvas = add(figure, "canvas");
    this.canvas.setAttribute("role", "img");
    this.names = add(figure, "figcaption");
  }

  /** @param all [{name, xs, ys}] */
  show(all, axes) {
    const shown = all.slice(0, MOST_LINES);
    lines(this.canvas, shown, axes);
    const newest = line => line.name + " " + axes.y(line.ys.at(-1));
    this.canvas.setAttribute("aria-label", this.title + ": " + shown.map(newest).join(", "));
    while (this.names.children.length > shown.length) {
      this.names.lastElementChild.remove();
    }
    shown.forEach((line, i) => {
      let label = this.names.children[i];
      if (!label) {
        label = add(this.names, "span", {}, add(null, "i"), add(null, "span"));
        label.firstElementChild.style.background = colour(i);
      }
      setText(label.lastElementChild, newest(line));
    });
  }
}

/** What the last second's counts were, for rates: of the functions and servers by name. */
class Rates {
  constructor() {
    this.before = null;
    this.now = new Map();
    this.history = [];
  }

  /** @param counts Map of a name to [requests, bytes] */
  add(nanos, counts) {
    if (this.before && nanos <= this.before.nanos) {
      this.before = null;
      this.history = [];
    }
    const seconds = this.before ? (nanos - this.before.nanos) / 1e9 : 0;
    if (seconds > 0 && seconds < .2) {
      return;
    }
    this.now = new Map([...counts].map(([name, values]) => {
      const then = this.before?.counts.get(name) ?? (this.before ? [0, 0] : values);
      return [name, values.map((value, i) => seconds ? (value - then[i]) / seconds : 0)];
    }));
    if (this.before) {
      this.history = [...this.history.slice(1 - HISTORY), {at: Date.now(), rates: this.now}];
    }
    this.before = {nanos, counts};
  }

  of(name) {
    return this.now.get(name) ?? [0, 0];
  }
}

const functionRates = new Rates();
const serverRates = new Rates();
const sliceRates = new Rates();
const growth = new Map();
/** The times of the functions that ran, each of a second. */
let times = [];

const OWN = new Set(["psf.list", "psf.model.newest", "psf.stats", "psf.report.collect", "psf.keys.hot"]);
const ofJob = each => !OWN.has(each.function) && !each.function.startsWith("psf.connection.");
const requests = each => Object.values(each.outcomes).reduce((sum, n) => sum + n, 0);
const failed = each => requests(each) - (each.outcomes.OK ?? 0);
const total = part => part.valueBytes + part.slotBytes + part.indexBytes + part.attachmentBytes;

/** A time in nanoseconds, if there is one. */
const time = value => value === undefined || value === null ? "-" : nanos(value);

const sliceName = each => each.server + " " + each.slice + " " + each.tensor;

function counted() {
  functionRates.add(state.countedNanos, new Map(state.functions.map(each =>
    [each.function, [requests(each), each.bytesIn + each.bytesOut]])));
  serverRates.add(state.countedNanos, new Map(state.load.map(each => [each.server, [each.requests, each.bytes]])));
  sliceRates.add(state.countedNanos, new Map(state.slices.map(each =>
    [sliceName(each), [each.requests ?? 0, each.traffic ?? 0, each.busySeconds ?? 0]])));
  times = [...times.slice(1 - HISTORY), {
    at: Date.now(), of: new Map(state.recent.filter(each => each.running.count).map(each => [each.function, each])),
  }];
  for (const tensor of state.tensors.filter(each => each.grows)) {
    const line = growth.get(tensor.name) ?? {name: tensor.name, xs: [], ys: []};
    line.xs = [...line.xs.slice(1 - HISTORY), Date.now()];
    line.ys = [...line.ys.slice(1 - HISTORY), tensor.rows];
    growth.set(tensor.name, line);
  }
}

const panels = {
  rates: section => {
    const chart = new Chart(section, "requests a second");
    const slowest = new Chart(section, "99th percentile of the time that handlers run");
    const table = new Table(section, "", [
      "function", " requests", "per s", " bytes/s", " wait p50", "wait p99", " run p50", "run p99", " failed"]);
    return () => {
      const functions = state.functions.filter(ofJob).sort((a, b) => requests(b) - requests(a));
      chart.show(functions.slice(0, MOST_LINES).map(each => ({
        name: each.function,
        xs: functionRates.history.map(then => then.at),
        ys: functionRates.history.map(then => then.rates.get(each.function)?.[0] ?? 0),
      })).filter(line => line.xs.length), {x: clock, y: rate});
      slowest.show(functions.slice(0, MOST_LINES).map(each => ({
        name: each.function,
        xs: times.map(then => then.at),
        ys: times.map(then => then.of.get(each.function)?.running.p99Nanos ?? null),
      })), {x: clock, y: time});
      const last = times.at(-1)?.of ?? new Map();
      table.show(functions.map(each => {
        const [perSecond, bytesPerSecond] = functionRates.of(each.function);
        const {waiting, running} = last.get(each.function) ?? {};
        return [each.function, [
          each.function, count(requests(each)), rate(perSecond), bytes(bytesPerSecond), time(waiting?.p50Nanos),
          time(waiting?.p99Nanos), time(running?.p50Nanos), time(running?.p99Nanos),
          count(failed(each))], failed(each) > 0];
      }));
      setText(table.caption, "rates and times of the last second; requests and failures since the servers began to count, "
        + age(state.countedNanos / 1e6) + " ago");
      return functions.length;
    };
  },
  reports: section => {
    const charts = new Map();
    return () => {
      const tags = new Map();
      state.reports.forEach(each => tags.set(each.tag, [...(tags.get(each.tag) ?? []), each]));
      const first = tag => tag === "loss" ? "" : tag;
      [...tags.keys()].sort((a, b) => first(a) < first(b) ? -1 : 1).forEach(tag => {
        const chart = charts.get(tag) ?? new Chart(section, tag);
        charts.set(tag, chart);
        section.append(chart.figure);
        chart.show(tags.get(tag).map(each => ({
          name: each.worker < 0 ? "client " + -each.worker : "worker " + each.worker, xs: each.steps, ys: each.values,
        })), {x: step => "step " + step, y: number});
      });
      charts.forEach((chart, tag) => tags.has(tag) || (chart.figure.remove(), charts.delete(tag)));
      return tags.size;
    };
  },
  waits: section => {
    const table = new Table(section, "", ["function", "tensor ", "calls", "longest", "workers ", "wait for ", " why "]);
    const ranks = all => all.length > 8 ? all.slice(0, 8).join(", ") + " and " + (all.length - 8) + " more" : all.join(", ");
    return () => {
      table.show(state.waiting.filter(each => each.nanos > 1e8).sort((a, b) => b.nanos - a.nanos).map(each => [
        each.server + each.function + each.tensor, [
          each.function, each.tensor || "-", count(each.calls), nanos(each.nanos), ranks(each.workers) || "-",
          ranks(each.awaited) || "-", each.reason]]));
      return table.rows.size;
    };
  },
  load: section => {
    const canvas = add(section, "canvas", {tabIndex: 0});
    canvas.setAttribute("role", "img");
    const note = add(section, "p", {className: "note", role: "status"});
    const usual = "Areas are bytes. Colours are the time that handlers take, the busiest slice the warmest. The arrow keys choose one.";
    const map = new AreaMap(canvas, text => setText(note, text || usual));
    return () => {
      const most = Math.max(1e-9, ...state.slices.map(each => sliceRates.of(sliceName(each))[2] ?? 0));
      const servers = new Map();
      for (const each of state.slices) {
        const [perSecond, bytesPerSecond, busy = 0] = sliceRates.of(sliceName(each));
        if (!servers.has(each.server)) {
          servers.set(each.server, []);
        }
        servers.get(each.server).push({
          name: each.tensor, area: each.bytes ?? 0, heat: busy / most,
          text: `server ${each.server}, ${each.tensor}, slice ${each.slice}: ${count(each.rows ?? 0)} rows, ${bytes(each.bytes ?? 0)}; `
            + `${rate(perSecond)} requests/s, ${bytes(bytesPerSecond)}/s, busy ${(100 * busy).toFixed(1)} %`,
        });
      }
      const groups = [...servers].map(([server, parts]) =>
        ({server, name: "server " + server, area: parts.reduce((sum, each) => sum + each.area, 0), parts}));
      map.draw(groups);
      canvas.setAttribute("aria-label", groups.map(each =>
        `${each.name} has ${bytes(each.area)} and ${rate(serverRates.of(each.server)[0])} requests a second`).join("; "));
      return groups.length;
    };
  },
  memory: section => {
    const servers = new Table(section, "", ["server", "used", "limit", "share"]);
    const tensors = new Table(section, "", ["tensor", "bytes", "rows", " width", " slices", "optimizer "]);
    return () => {
      servers.show(state.memory.map(each => {
        const isBounded = each.most < 2 ** 62;
        const share = isBounded ? each.bytes / each.most : 0;
        return ["" + each.server, [
          "server " + each.server, bytes(each.bytes), isBounded ? bytes(each.most) : "none",
          cell => {
            const meter = cell.firstElementChild ?? add(cell, "meter", {min: 0, max: 1, high: .9, low: .75, optimum: 0});
            meter.value = share;
            meter.textContent = Math.round(100 * share) + " %";
            meter.setAttribute("aria-label", "server " + each.server + " uses " + Math.round(100 * share) + " %");
          }], share > .9];
      }));
      tensors.show(state.tensors.map(each => [each, each.parts.reduce((sum, part) => sum + total(part), 0)])
        .sort((a, b) => b[1] - a[1])
        .map(([each, all]) => [each.name, [
          each.name, bytes(all), count(each.rows) + (each.grows ? "+" : ""), count(each.width),
          count(each.parts.reduce((sum, part) => sum + part.slices, 0)), each.optimizer]]));
      return state.memory.length;
    };
  },
  time: section => {
    const table = new Table(section, "", ["when", "what ", "of "]);
    return () => {
      const saved = state.checkpoints.map(each =>
        ({at: Date.parse(each.saved), kind: "saved", text: each.model + ", step " + each.step}));
      const events = [...state.events, ...saved].sort((a, b) => b.at - a.at);
      table.show(events.map(each => [
        each.at + each.kind + each.text, [clock(each.at), each.kind, each.text], each.kind === "lost"]));
      return events.length;
    };
  },
  checkpoints: section => {
    const table = new Table(section, "", ["model", "step", "age"]);
    return () => {
      table.show(state.checkpoints.map(each =>
        [each.model, [each.model, count(each.step), age(Date.now() - Date.parse(each.saved))]]));
      return state.checkpoints.length;
    };
  },
  hot: section => {
    const table = new Table(section, "keys that calls name most often, of the largest tensors", ["tensor", "key", "share"]);
    return () => {
      table.show([...state.hotKeys].sort((a, b) => b.share - a.share).map(each =>
        [each.tensor + " " + each.key, [each.tensor, each.key, (100 * each.share).toFixed(0) + " %"]]));
      return state.hotKeys.length;
    };
  },
  growing: section => {
    const chart = new Chart(section, "rows");
    return () => {
      const shown = state.tensors.filter(each => each.grows).sort((a, b) => b.rows - a.rows).map(each => growth.get(each.name));
      chart.show(shown.filter(Boolean), {x: clock, y: count});
      return shown.length;
    };
  },
  nodes: section => {
    const table = new Table(section, "", ["node", "state ", "address "]);
    const row = (each, text, isBad) => [
      each.role + each.rank, [each.role + " " + each.rank, text, each.host ? each.host + ":" + each.port : ""], isBad];
    return () => {
      table.show([
        ...state.lost.map(each => row(each, (each.awaited ? "awaited: " : "lost: ") + each.reason, true)),
        ...state.members.map(each => row(each, "present", false))]);
      return state.members.length;
    };
  },
};
const shows = Object.entries(panels).map(([id, make]) => [$(id), make($(id))]);

function showHead() {
  const {cluster} = state;
  if (cluster) {
    const present = role => state.members.filter(each => each.role === role).length;
    const name = cluster.name || "psf";
    setText($("name"), name);
    document.title = (state.lost.length ? "! " : "") + name;
    const workers = present("worker");
    setText($("summary"), `${cluster.service ? "service" : "job"}, ${present("server")} of ${cluster.servers} servers, `
      + `${workers}${cluster.service ? "" : " of " + Math.max(cluster.workers, workers)} workers, for ${age(cluster.ageMillis)}`);
  }
  const alarms = state.lost.map(each =>
    `${each.role} ${each.rank} is ${each.awaited ? "awaited" : "lost"}: ${each.reason}`);
  if (state.problem) {
    alarms.push(state.problem);
  }
  const list = $("alarms");
  if (alarms.join("\n") !== [...list.children].map(each => each.textContent).join("\n")) {
    list.replaceChildren(...alarms.map(text => add(null, "li", {textContent: text})));
  }
}

/** How long the last frames took, in milliseconds, for those who measure. */
window.psfFrames = [];
let isDirty = false;

function show() {
  isDirty = false;
  const begin = performance.now();
  showHead();
  for (const [section, draw] of shows) {
    const has = draw();
    if (section.hidden && has) {
      section.hidden = false;
      draw(); // a hidden canvas has no width
    } else {
      section.hidden = !has;
    }
  }
  window.psfFrames = [...window.psfFrames.slice(-99), performance.now() - begin];
}

function changed() {
  if (!isDirty) {
    isDirty = true;
    requestAnimationFrame(show);
  }
}

function follow() {
  const source = new EventSource("events" + location.search);
  source.onmessage = event => {
    const changes = JSON.parse(event.data);
    Object.assign(state, changes);
    if ("countedNanos" in changes) {
      counted();
    }
    changed();
  };
  source.onopen = () => setText($("connection"), "live");
  source.onerror = () => setText($("connection"),
    source.readyState === EventSource.CLOSED ? "refused: open the address that the scheduler's log shows" : "not connected");
}

follow();
addEventListener("resize", changed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
