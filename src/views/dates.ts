/** Formats dates and percentages for a person, in the language of the host. Pure. */

export interface Dates {
  /** Such as `November 2026`. */
  month(month: string): string;
  /** Such as `Nov`, or the year of a year. */
  shortMonth(month: string): string;
  /** Such as `Nov 21, 2026`. */
  day(date: string): string;
  /** Such as `Nov 21`. */
  shortDay(date: string): string;
  /** Such as `Nov 21 – 28`. */
  shortRange(first: string, last: string): string;
  /** A moment with its time. */
  moment(iso: string): string;
  /** A range of days. Whole months are written as months. */
  range(since: string, until: string): string;
  percent(part: number): string;
  readonly direction: 'ltr' | 'rtl';
}

/** The digits of amounts. */
const numberingSystem = 'latn';
/** The calendar of the service, whose days have no time zone. */
const always = { timeZone: 'UTC', calendar: 'gregory', numberingSystem } as const;

const rightToLeft = /^(ar|he|fa|ur|ps|ckb|dv|sd|ug|yi)\b/;

export function datesFor(wanted: string | undefined): Dates {
  const locale = supported(wanted);
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, { ...always, ...options });
    return (date: string) => formatter.format(new Date(date));
  };
  const long = format({ month: 'long', year: 'numeric' });
  const short = format({ month: 'short' });
  const day = format({ dateStyle: 'medium' });
  const days = new Intl.DateTimeFormat(locale, { ...always, dateStyle: 'medium' });
  const shortDays = new Intl.DateTimeFormat(locale, { ...always, month: 'short', day: 'numeric' });
  const month = (text: string) => (text.length === 4 ? text : long(text.slice(0, 7)));
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    numberingSystem,
    useGrouping: false,
  });
  return {
    month,
    shortMonth: (text) => (text.length === 4 ? text : short(text.slice(0, 7))),
    day,
    shortDay: (date) => shortDays.format(new Date(date)),
    shortRange: (first, last) => shortDays.formatRange(new Date(first), new Date(last)),
    moment: format({ dateStyle: 'medium', timeStyle: 'short', timeZone: undefined }),
    range(since, until) {
      const [first, last] = [since.slice(0, 7), until.slice(0, 7)];
      if (!since.endsWith('-01') || !isLastDay(until))
        return days.formatRange(new Date(since), new Date(until));
      return first === last ? month(first) : `${month(first)} – ${month(last)}`;
    },
    percent: (part) => percent.format(part),
    direction: rightToLeft.test(locale) ? 'rtl' : 'ltr',
  };
}

function supported(locale = 'en'): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

const isLastDay = (date: string) => new Date(Date.parse(date) + 86_400_000).getUTCDate() === 1;
