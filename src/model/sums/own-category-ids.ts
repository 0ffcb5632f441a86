/** The ids of the service's own categories that say what a line means. */
import { isReadyToAssign, isUncategorized } from '../bookkeeping/own-categories.ts';
import type { Category } from '../replica/entities.ts';
import type { GroupNameOf } from './group-names.ts';

type Ids = ReadonlySet<string>;

const idsOf =
  (isWanted: (category: Category, group: string | null) => boolean) =>
  (categories: readonly Category[], groupNameOf: GroupNameOf): Ids =>
    new Set(categories.filter((each) => isWanted(each, groupNameOf(each))).map(({ id }) => id));

/** Those of lines that have no category. Most versions of the service give such lines none at all. */
export const uncategorizedIds = idsOf(isUncategorized);

export const incomeIds = idsOf(isReadyToAssign);
