import { type FieldTable, type FieldTree, isKept, treeOf } from './field-table.ts';

const mostFound = 20;
const mostNames = 500;
const mostItems = 50;
/** Names with many digits or other characters may be data: times, ids, positions. */
const plainName = /^[A-Za-z][A-Za-z_]{0,59}\d?$/;

/**
 * The paths of fields of an item that its table does not list, without their values. A name that may be data is `other`. Of a
 * list the first entry is looked at. An item that is kept whole has none.
 */
export function unlistedFields(item: unknown, table: FieldTable): string[] {
  const isWhole = Object.values(table).some((field) => isKept(field) && field.ends.includes('event.data'));
  if (isWhole) return [];
  const found = new Set<string>();
  visit(item, treeOf(table), '', found);
  return [...found];
}

function visit(value: unknown, tree: FieldTree, path: string, found: Set<string>): void {
  if (tree.field !== null || typeof value !== 'object' || value === null) return;
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return;
  for (const [name, one] of Object.entries(first).slice(0, mostNames)) {
    if (found.size >= mostFound) return;
    const below = tree.below.get(name);
    if (below === undefined) found.add(`${path}${plainName.test(name) ? name : 'other'}`);
    else visit(one, below, `${path}${name}.`, found);
  }
}

/** As `unlistedFields`, of the first items of a list that may be of any of the tables: a field is listed if one of them has it. */
export function unlistedInAll(items: readonly unknown[], tables: readonly FieldTable[]): string[] {
  const found = items.slice(0, mostItems).flatMap((item) => {
    const [first = [], ...rest] = tables.map((table) => unlistedFields(item, table));
    return first.filter((name) => rest.every((others) => others.includes(name)));
  });
  return [...new Set(found)].slice(0, mostFound);
}
