import { type Extra, mostExtraBytes } from './extra.ts';
import { type FieldTable, type FieldTree, isExtra, isMarkedAbsent, treeOf } from './field-table.ts';

const mostEntries = 100;
const longestText = 500;

/**
 * The fields of an item, or of the part of it at `path`, that its table lists as `extra`. Nothing else is kept: an item may contain positions, tokens and
 * ids of accounts under names that nobody has seen, so that a list of forbidden names would never be complete. A field is a
 * number, a flag, a text or a list of these; the table decides what is nested. Fields beyond `mostExtraBytes`, in the order
 * of their names, are left out. Texts lose NUL and unpaired surrogates, which PostgreSQL rejects.
 */
export function extraOf(item: unknown, table: FieldTable, ...path: readonly string[]): Extra {
  let tree: FieldTree | undefined = treeOf(table);
  for (const name of path) tree = tree?.below.get(name);
  const chosen = tree === undefined ? undefined : chosenOf(item, tree);
  if (!isObject(chosen)) return null;
  const kept: Record<string, unknown> = {};
  let bytes = 0;
  for (const name of Object.keys(chosen).sort()) {
    const size = Buffer.byteLength(JSON.stringify([name, chosen[name]]));
    if (bytes + size > mostExtraBytes) continue;
    bytes += size;
    kept[name] = chosen[name];
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

/** The extra fields of several parts of one item. */
export function extrasTogether(...parts: readonly Extra[]): Extra {
  const all = Object.assign({}, ...parts);
  return Object.keys(all).length === 0 ? null : all;
}

// Undefined: nothing of the value is kept.
function chosenOf(value: unknown, tree: FieldTree): unknown {
  if (tree.field !== null)
    return isExtra(tree.field) && !isMarkedAbsent(tree.field, value) ? plainOf(value) : undefined;
  if (Array.isArray(value)) return filled(value.slice(0, mostEntries).map((one) => chosenOf(one, tree)));
  if (!isObject(value)) return undefined;
  const found = [...tree.below].map(([name, below]) => [name, chosenOf(value[name], below)] as const);
  const known = found.filter(([, one]) => one !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function plainOf(value: unknown): unknown {
  if (!Array.isArray(value)) return scalarOf(value);
  return value.length > mostEntries ? undefined : filled(value.map(scalarOf));
}

function scalarOf(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value.slice(0, longestText)) || undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

const filled = (list: readonly unknown[]) =>
  list.every((one) => one === undefined) ? undefined : list.map((one) => one ?? null);
const storableText = (text: string) => text.replaceAll('\0', '').toWellFormed();

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
