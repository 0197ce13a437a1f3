/** Formats of numbers, moments and sentences. To make one takes longer than to use it a hundred times, so each is kept. */

export const LOCALE = "en-GB";

const numbers = new Map<string, Intl.NumberFormat>();
const moments = new Map<string, Intl.DateTimeFormat>();

/** Return the format of numbers with these options. */
export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept(numbers, options, () => new Intl.NumberFormat(LOCALE, options));
}

/** Return the format of moments with these options. */
export function momentFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(moments, options, () => new Intl.DateTimeFormat(LOCALE, options));
}

/** How a moment is written in a list. */
export const SHORT: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "short" };

/** Return a time zone, or UTC in the place of one that is younger than what this browser knows. */
export function knownZone(timeZone: string): string {
  try {
    momentFormat({ ...SHORT, timeZone });
    return timeZone;
  } catch {
    return "UTC";
  }
}

/** Make a format while there is time: with the first one, a browser loads what it knows of languages. */
export function prepareFormats(): void {
  numberFormat();
}

let distances: Intl.RelativeTimeFormat | undefined;

/** Return the format of distances from now. */
export function distanceFormat(): Intl.RelativeTimeFormat {
  distances ??= new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
  return distances;
}

/** Return text with a capital letter and a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?:…]$/.test(trimmed) || !trimmed ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

function kept<T>(formats: Map<string, T>, options: object, make: () => T): T {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? make();
  formats.set(name, format);
  return format;
}
