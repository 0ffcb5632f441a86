/**
 * How large the household is. A budget of a realistic size for ten years has more months, categories and payees than
 * those that the plans of the household name. This file makes up the names of the others.
 */
import { type EnvelopePlan, GROUPS } from './household-envelopes.ts';

export interface HouseholdSize {
  /** The number of transactions to create. Without it, the number follows from the months. */
  readonly transactions?: number | undefined;
  /** How many months the household reaches back from the current one. */
  readonly months?: number | undefined;
  /** The number of categories, without internal ones and those of card payments. */
  readonly categories?: number | undefined;
  /** The number of payees, including those of transfers. */
  readonly payees?: number | undefined;
}

export const DEFAULT_MONTHS = 24;
/** Transactions in an average month of the household. */
const TRANSACTIONS_A_MONTH = 66;
/** The number of categories that the plans name. */
export const MIN_CATEGORIES = Object.values(GROUPS).flat().length;
/** At least the number of payees that the plans name. */
export const MIN_PAYEES = 100;

/** A household of so many months has fewer transactions of its own than this. */
export const minTransactions = (months: number) => (TRANSACTIONS_A_MONTH + 4) * (months + 1);

export function monthsOf({ months, transactions }: HouseholdSize): number {
  if (months !== undefined) return months;
  if (transactions === undefined) return DEFAULT_MONTHS;
  return Math.min(DEFAULT_MONTHS, Math.max(1, Math.floor(transactions / TRANSACTIONS_A_MONTH) - 1));
}

/** The groups of the categories beyond those that the plans name. */
export function addedGroups({ categories = MIN_CATEGORIES }: HouseholdSize): Record<string, EnvelopePlan[]> {
  const groups: Record<string, EnvelopePlan[]> = {};
  for (let index = 0; index < categories - MIN_CATEGORIES; index += 1) {
    const [area, thing] = [Math.floor(index / THINGS.length), THINGS[index % THINGS.length]];
    const group = numbered(AREAS, area);
    groups[group] ??= [];
    groups[group].push({ name: `${group} ${thing}`, monthly: 30_000, fill: 'refill' });
  }
  return groups;
}

/** The names of the payees beyond those that the plans name. */
export const addedPayees = ({ payees = MIN_PAYEES }: HouseholdSize): string[] =>
  Array.from({ length: payees - MIN_PAYEES }, (_, index) => {
    const [kind, rest] = [KINDS[index % KINDS.length], Math.floor(index / KINDS.length)];
    const [adjective, place] = [ADJECTIVES[rest % ADJECTIVES.length], Math.floor(rest / ADJECTIVES.length)];
    return `${adjective} ${kind} ${numbered(PLACES, place)}`;
  });

/** The names in order, and then again with a number. */
function numbered(names: readonly string[], index: number): string {
  const round = Math.floor(index / names.length);
  return `${names[index % names.length]}${round === 0 ? '' : ` ${round + 1}`}`;
}

const AREAS = [
  'Garden',
  'Kitchen',
  'Bathroom',
  'Workshop',
  'Piano',
  'Football',
  'Camping',
  'Sailing',
  'Skiing',
  'Painting',
  'Bicycle',
  'Motorbike',
  'Grandparents',
  'Neighbours',
  'Choir',
  'Chess',
  'Theatre',
  'Photography',
  'Balcony',
  'Cellar',
  'Aquarium',
  'Beehives',
  'Library',
  'Language',
  'Office',
];
const THINGS = [
  'tools',
  'repairs',
  'lessons',
  'books',
  'clothes',
  'gifts',
  'fees',
  'insurance',
  'travel',
  'supplies',
  'rent',
  'snacks',
];
const KINDS = [
  'Bakery',
  'Books',
  'Butcher',
  'Café',
  'Chemist',
  'Cinema',
  'Cleaners',
  'Deli',
  'Florist',
  'Garage',
  'Grocer',
  'Hardware',
  'Hotel',
  'Kiosk',
  'Market',
  'Optician',
  'Parking',
  'Pizzeria',
  'Shoes',
  'Stationery',
  'Taxi',
  'Tea House',
  'Toys',
  'Wines',
  'Workshop',
];
const ADJECTIVES = [
  'Amber',
  'Blue',
  'Bright',
  'Central',
  'Copper',
  'Crystal',
  'Eastern',
  'Golden',
  'Green',
  'Little',
  'Lucky',
  'Old',
  'Quiet',
  'Red',
  'Royal',
  'Silver',
  'Sunny',
  'Swift',
  'Western',
  'White',
];
const PLACES = [
  'Aarhus',
  'Bergen',
  'Cádiz',
  'Delft',
  'Essen',
  'Faro',
  'Gdańsk',
  'Helsinki',
  'Innsbruck',
  'Jena',
  'Kraków',
  'Linz',
  'Malmö',
  'Nîmes',
  'Oslo',
  'Porto',
  'Québec',
  'Riga',
  'Sofia',
  'Turku',
];
