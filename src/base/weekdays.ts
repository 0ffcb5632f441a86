/** The names of weekdays. Not in `calendar.ts`, because the views read them and cannot read a clock. */
export const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
