// Numbers with units that a person reads.

function scaled(value, base, units, end) {
  let unit = 0;
  let left = value / base;
  while (left >= 999.5 && unit < units.length - 1) {
    left /= base;
    unit++;
  }
  return digits(left) + " " + units[unit] + end;
}

const digits = value => value < 99.95 ? value.toFixed(1) : value.toFixed(0);

export const bytes = value => value < 1000 ? Math.round(value) + " B" : scaled(value, 1024, "KMGTPE", "iB");

export const count = value => value < 1e6 ? Math.round(value).toLocaleString("en") : scaled(value, 1000, "kMGTPE", "");

export const rate = value => value < 99.95 ? value.toFixed(1) : count(value);

export function nanos(value) {
  const micros = value / 1e3;
  return micros < 999.5 ? digits(micros) + " us" : micros < 999500 ? digits(micros / 1e3) + " ms" : digits(micros / 1e6) + " s";
}

export function age(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) {
    return seconds + " s";
  }
  if (seconds < 3600) {
    return Math.floor(seconds / 60) + " min";
  }
  return seconds < 86400
    ? Math.floor(seconds / 3600) + " h " + Math.floor(seconds / 60) % 60 + " min"
    : Math.floor(seconds / 86400) + " d " + Math.floor(seconds / 3600) % 24 + " h";
}

export const number = value => value === null ? "not finite" : String(Number(value.toPrecision(4)));

export const clock = millis => new Date(millis).toLocaleTimeString("en-GB");
