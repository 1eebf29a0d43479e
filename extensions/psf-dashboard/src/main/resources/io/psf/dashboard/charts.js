// Lines and areas on a canvas. Each has a name for those who do not see it.

const COLOURS = ["#1f77b4", "#d9660a", "#2a9d4b", "#c92a3a", "#8a63c0", "#8c564b", "#d565ae", "#7f7f7f"];

export const colour = index => COLOURS[index % COLOURS.length];

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Returns the canvas's context, in CSS pixels, cleared. */
function cleared(canvas, height) {
  const width = canvas.clientWidth;
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  return {context, width, height};
}

/**
 * Draws lines.
 *
 * @param lines [{xs, ys}], of which a null among the ys is a gap
 * @param axes {x, y} write a number of an axis
 */
export function lines(canvas, lines, axes, height = 150) {
  const {context, width} = cleared(canvas, height);
  const xs = lines.flatMap(line => line.xs);
  const ys = lines.flatMap(line => line.ys).filter(y => y !== null);
  if (!xs.length || !ys.length) {
    return;
  }
  const [left, right, top, bottom] = [46, width - 8, 8, height - 18];
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const y0 = low >= 0 && low < high / 2 ? 0 : low;
  const y1 = high > y0 ? high : y0 + 1;
  const x = value => left + (right - left) * (x1 > x0 ? (value - x0) / (x1 - x0) : 1);
  const y = value => bottom - (bottom - top) * (value - y0) / (y1 - y0);
  context.strokeStyle = style("--line");
  context.fillStyle = style("--faint");
  context.textAlign = "right";
  for (let i = 0; i <= 2; i++) {
    const value = y0 + (y1 - y0) * i / 2;
    context.beginPath();
    context.moveTo(left, y(value));
    context.lineTo(right, y(value));
    context.stroke();
    context.fillText(axes.y(value), left - 4, y(value) + 4);
  }
  context.fillText(axes.x(x1), right, height - 4);
  context.textAlign = "left";
  context.fillText(axes.x(x0), left, height - 4);
  lines.forEach((line, index) => {
    context.strokeStyle = context.fillStyle = colour(index);
    context.lineWidth = 1.6;
    context.beginPath();
    let drawing = false;
    line.xs.forEach((at, i) => {
      if (line.ys[i] !== null) {
        drawing ? context.lineTo(x(at), y(line.ys[i])) : context.moveTo(x(at), y(line.ys[i]));
      }
      drawing = line.ys[i] !== null;
    });
    context.stroke();
    if (line.xs.length === 1 && line.ys[0] !== null) {
      context.fillRect(x(line.xs[0]) - 2, y(line.ys[0]) - 2, 4, 4);
    }
  });
  context.lineWidth = 1;
}

/** Divides a rectangle among areas, in rows (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000). */
function squarify(areas, x, y, width, height) {
  const all = areas.reduce((sum, each) => sum + each.area, 0);
  const placed = [];
  if (!all || width <= 0 || height <= 0) {
    return placed;
  }
  const scale = width * height / all;
  const rest = areas.filter(each => each.area > 0).sort((a, b) => b.area - a.area);
  let from = 0;
  while (from < rest.length) {
    const side = Math.min(width, height);
    let sum = 0;
    let worst = Infinity;
    let to = from;
    while (to < rest.length) {
      const next = sum + rest[to].area * scale;
      const [most, least] = [rest[from].area * scale, rest[to].area * scale];
      const ratio = Math.max(side * side * most / (next * next), next * next / (side * side * least));
      if (ratio > worst) {
        break;
      }
      [sum, worst, to] = [next, ratio, to + 1];
    }
    const thick = sum / side;
    let at = 0;
    for (; from < to; from++) {
      const long = rest[from].area * scale / thick;
      placed.push(width >= height
        ? {...rest[from], x, y: y + at, width: thick, height: long}
        : {...rest[from], x: x + at, y, width: long, height: thick});
      at += long;
    }
    if (width >= height) {
      [x, width] = [x + thick, width - thick];
    } else {
      [y, height] = [y + thick, height - thick];
    }
  }
  return placed;
}

/**
 * A map of groups of areas, whose colours are heats from 0 to 1. The arrow keys and the mouse choose an area.
 */
export class AreaMap {
  /** @param say receives the text of the area that is chosen */
  constructor(canvas, say) {
    this.canvas = canvas;
    this.say = say;
    this.areas = [];
    this.chosen = -1;
    canvas.addEventListener("mousemove", event => this.choose(this.areas.findIndex(each =>
      event.offsetX >= each.x && event.offsetX < each.x + each.width
      && event.offsetY >= each.y && event.offsetY < each.y + each.height)));
    canvas.addEventListener("keydown", event => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (step && this.areas.length) {
        event.preventDefault();
        this.choose((Math.max(this.chosen, step < 0 ? 0 : -1) + step + this.areas.length) % this.areas.length);
      }
    });
  }

  choose(index) {
    if (index !== this.chosen) {
      this.chosen = index;
      this.paint();
    }
  }

  /** @param groups [{name, area, heat, parts: [{name, area, heat, text}]}] */
  draw(groups, height = 260) {
    this.height = height;
    const width = this.canvas.clientWidth;
    this.groups = squarify(groups, 0, 0, width, height);
    this.areas = this.groups.flatMap(group => {
      const head = group.height > 40 && group.width > 50 ? 15 : 0;
      return squarify(group.parts, group.x + 1, group.y + 1 + head, group.width - 2, group.height - 2 - head);
    });
    this.paint();
  }

  paint() {
    const {context} = cleared(this.canvas, this.height);
    const [cold, hot] = ["--cold", "--hot"].map(name => style(name).split(",").map(Number));
    const mixed = heat => "rgb(" + cold.map((each, i) => Math.round(each + (hot[i] - each) * heat)).join() + ")";
    const [border, ink] = [style("--card"), style("--text")];
    for (const each of this.areas) {
      context.fillStyle = mixed(each.heat);
      context.fillRect(each.x, each.y, Math.max(.5, each.width - .5), Math.max(.5, each.height - .5));
    }
    context.fillStyle = ink;
    for (const group of this.groups) {
      context.strokeStyle = border;
      context.strokeRect(group.x, group.y, group.width, group.height);
      if (group.height > 40 && group.width > 50) {
        context.fillText(group.name, group.x + 4, group.y + 12, group.width - 8);
      }
    }
    for (const each of this.areas) {
      if (each.width > 60 && each.height > 18) {
        context.fillText(each.name, each.x + 4, each.y + 13, each.width - 8);
      }
    }
    const chosen = this.areas[this.chosen];
    if (chosen) {
      context.strokeStyle = ink;
      context.strokeRect(chosen.x + .5, chosen.y + .5, chosen.width - 1, chosen.height - 1);
    }
    this.say(chosen ? chosen.text : "");
  }
}
