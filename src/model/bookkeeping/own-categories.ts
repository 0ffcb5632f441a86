/**
 * Which categories belong to the service itself: those that hold the money that is ready to be assigned, and those that
 * gather what credit cards will be paid from. Newer versions of the service mark them as `internal`. In older versions
 * they are recognised by the names of their groups (docs/interface.md, Category).
 */

/** In older versions, the group of the internal categories. */
const INTERNAL_GROUP = 'Internal Master Category';

/** The group of the payment categories. The interface does not say whether they are marked as internal. */
const PAYMENT_GROUP = 'Credit Card Payments';

/** The internal category of transactions without a category. */
const UNCATEGORIZED = 'Uncategorized';

/** The internal category of money that is not assigned to a category yet. */
const READY_TO_ASSIGN = 'Inflow: Ready to Assign';

/** Where the service shows the user's hidden categories. */
const HIDDEN_GROUP = 'Hidden Categories';

interface Group {
  readonly name: string;
  readonly internal?: boolean | undefined;
}

/** Some versions leave out the name of the group. The caller then has to know it. */
interface Category extends Group {
  readonly category_group_name: string | null;
}

/** A group of the service itself, in which no category can be created. */
export const isOwnGroup = ({ internal, name }: Group): boolean =>
  internal ?? [INTERNAL_GROUP, PAYMENT_GROUP, HIDDEN_GROUP].includes(name);

export const isPaymentCategory = (category: Category, group = category.category_group_name): boolean =>
  group === PAYMENT_GROUP;

/** Its balance means nothing to users. The user's own hidden categories are not internal, though their group may be. */
export const isInternalCategory = (category: Category, group = category.category_group_name): boolean =>
  !isPaymentCategory(category, group) && (category.internal ?? group === INTERNAL_GROUP);

export const isUncategorized = (category: Category, group = category.category_group_name): boolean =>
  category.name === UNCATEGORIZED && isInternalCategory(category, group);

export const isReadyToAssign = (category: Category, group = category.category_group_name): boolean =>
  category.name === READY_TO_ASSIGN && isInternalCategory(category, group);
