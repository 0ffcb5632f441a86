/** The shopping habits of the household: what, how often, and where. Data only. Amounts in milliunits of a euro. */

/** A purchase that occurs at random. */
export interface HabitPlan {
  readonly category: string;
  readonly payees: readonly [string, ...string[]];
  readonly per_month: number;
  readonly min: number;
  readonly max: number;
  readonly accounts: readonly [string, ...string[]];
  /** The months of the year in which it occurs. All months if absent. */
  readonly months?: readonly number[];
}

export const HABITS: readonly HabitPlan[] = [
  {
    category: 'Groceries',
    payees: ['Greenleaf Market', 'Corner Pantry', 'Harvest Hall', 'Daily Basket'],
    per_month: 9.5,
    min: 14_000,
    max: 112_000,
    accounts: ['Checking', 'Blue Card', 'Blue Card'],
  },
  {
    category: 'Eating Out',
    payees: ['Trattoria Pomodoro', 'Noodle Lantern', 'The Copper Kettle', 'Falafel Corner', 'Bistro Nord'],
    per_month: 3.6,
    min: 14_000,
    max: 68_000,
    accounts: ['Blue Card', 'Checking'],
  },
  {
    category: 'Coffee & Bakery',
    payees: ['Bean & Bloom', 'Old Mill Bakery', 'Kiosk at the Park'],
    per_month: 6,
    min: 2_800,
    max: 11_800,
    accounts: ['Wallet', 'Wallet', 'Blue Card'],
  },
  {
    category: 'Public Transport',
    payees: ['Metro Tickets', 'Blue Line Trams'],
    per_month: 3,
    min: 4_800,
    max: 39_000,
    accounts: ['Blue Card', 'Checking'],
  },
  {
    category: 'Household Goods',
    payees: ['Hammer & Home', 'The Soap Shelf', 'Lamp & Linen'],
    per_month: 2.4,
    min: 6_000,
    max: 44_000,
    accounts: ['Checking', 'Blue Card'],
  },
  {
    category: 'Clothing',
    payees: ['Thread & Needle', 'Puddle Boots', 'Little Stripes'],
    per_month: 2,
    min: 15_000,
    max: 79_000,
    accounts: ['Blue Card'],
  },
  {
    category: 'School',
    payees: ['Maple School', 'Paper & Pencil'],
    per_month: 1.4,
    min: 5_000,
    max: 38_000,
    accounts: ['Checking'],
  },
  {
    category: 'Pets',
    payees: ['Whisker World', 'Dr Paws'],
    per_month: 1.8,
    min: 11_000,
    max: 42_000,
    accounts: ['Checking', 'Blue Card'],
  },
  {
    category: 'Pharmacy',
    payees: ['Sunflower Pharmacy'],
    per_month: 1.6,
    min: 4_500,
    max: 26_000,
    accounts: ['Wallet', 'Checking'],
  },
  {
    category: 'Doctor & Dentist',
    payees: ['Dental Studio Quartz', 'Dr Amari'],
    per_month: 0.4,
    min: 25_000,
    max: 95_000,
    accounts: ['Checking'],
  },
  {
    category: 'Fuel',
    payees: ['Roadside Energy', 'Pumpkin Petrol'],
    per_month: 2.2,
    min: 38_000,
    max: 66_000,
    accounts: ['Blue Card'],
  },
  {
    category: 'Car Repairs',
    payees: ['Garage Piston'],
    per_month: 0.25,
    min: 70_000,
    max: 240_000,
    accounts: ['Checking'],
  },
  {
    category: 'Hobbies',
    payees: ['Yarn & Yonder', 'Page Turner Books', 'Strings Attached'],
    per_month: 1.9,
    min: 9_000,
    max: 48_000,
    accounts: ['Blue Card', 'Checking'],
  },
  {
    category: 'Gifts',
    payees: ['Toy Tower', 'Petal Post'],
    per_month: 1.1,
    min: 12_000,
    max: 60_000,
    accounts: ['Blue Card'],
  },
  {
    category: 'Gifts',
    payees: ['Toy Tower', 'Page Turner Books'],
    per_month: 4,
    min: 18_000,
    max: 75_000,
    accounts: ['Blue Card'],
    months: [12],
  },
  {
    category: 'Holiday',
    payees: ['Seaside Cabins', 'Harbour Ferries', 'Gelato Grande', 'Museum of Small Things'],
    per_month: 13,
    min: 12_000,
    max: 165_000,
    accounts: ['Travel Card'],
    months: [7],
  },
];

export const MEMOS: readonly [string, ...string[]] = [
  'Birthday 🎂',
  'for the weekend',
  'with Jonas & Mila',
  '🌧️ umbrella again',
  'half price',
  'ask for the receipt',
  'Team lunch 🍜',
  'last one, promised',
];

/** Latitude and longitude of some of the shops. */
export const LOCATIONS: Readonly<Record<string, readonly [string, string]>> = {
  'Greenleaf Market': ['48.2082', '16.3738'],
  'Corner Pantry': ['48.2101', '16.3655'],
  'Bean & Bloom': ['48.1986', '16.3710'],
  'Old Mill Bakery': ['48.2204', '16.3561'],
  'Roadside Energy': ['48.1767', '16.3302'],
  'Sunflower Pharmacy': ['48.2049', '16.3620'],
  'Seaside Cabins': ['45.4371', '13.5128'],
};
