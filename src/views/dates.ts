/** Formats dates and percentages for a person, in the language of the host. Pure. */

export type Dates = ReturnType<typeof datesFor>;

/** The digits of amounts. */
const numberingSystem = 'latn';
/** The calendar of the service, whose days have no time zone. */
const always = { timeZone: 'UTC', calendar: 'gregory', numberingSystem } as const;

const rightToLeft = /^(ar|he|fa|ur|ps|ckb|dv|sd|ug|yi)\b/;

export function datesFor(wanted: string | undefined) {
  const locale = supported(wanted);
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, { ...always, ...options });
    return (date: string) => formatter.format(new Date(date));
  };
  const long = format({ month: 'long', year: 'numeric' });
  const short = format({ month: 'short' });
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
    /** Such as `November 2026`. */
    month,
    /** Such as `Nov`, or the year of a year. */
    shortMonth: (text: string) => (text.length === 4 ? text : short(text.slice(0, 7))),
    /** Such as `Nov 21, 2026`. */
    day: format({ dateStyle: 'medium' }),
    /** Such as `Nov 21`. */
    shortDay: (date: string) => shortDays.format(new Date(date)),
    /** Such as `Nov 21 – 28`. */
    shortRange: (first: string, last: string) => shortDays.formatRange(new Date(first), new Date(last)),
    /** A moment with its time. */
    moment: format({ dateStyle: 'medium', timeStyle: 'short', timeZone: undefined }),
    /** A range of days. Whole months are written as months. */
    range(since: string, until: string): string {
      const [first, last] = [since.slice(0, 7), until.slice(0, 7)];
      if (!since.endsWith('-01') || !isLastDay(until))
        return days.formatRange(new Date(since), new Date(until));
      return first === last ? month(first) : `${month(first)} – ${month(last)}`;
    },
    percent: (part: number) => percent.format(part),
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
