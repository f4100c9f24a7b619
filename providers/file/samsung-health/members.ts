/** The name of a table by that of its member: tables move between prefixes, and a sidecar such as `exercise.weather` is another one. */
const tableName = /(?:^|\/)(com\.samsung\.s?health\.(?:tracker\.)?([\w.]+?))\.(\d{8,17})\.csv$/i;

/** A member that is a table. */
export interface TableMember {
  readonly name: string;
  readonly table: string;
  /** The time of the export in its name. */
  readonly time: string;
}

/** Whether a member is a table of Samsung Health. */
export const isTable = (name: string) => tableName.test(name);

/** The tables of the newest export by their names: each export is whole, and a folder may have several. */
export function newestTables(names: Iterable<string>): TableMember[] {
  const newest = new Map<string, TableMember>();
  for (const name of [...names].toSorted()) {
    const [, full = '', table = '', time = ''] = tableName.exec(name) ?? [];
    const other = newest.get(full);
    if (full !== '' && (other === undefined || time >= other.time)) newest.set(full, { name, table, time });
  }
  return [...newest.values()];
}

/** The local time of an export by the name of a table, in milliseconds as if it were UTC; null if the name has none. */
export function exportMs({ time }: TableMember): number | null {
  const [, date, hours, minutes] = /^(\d{8})(\d\d)(\d\d)/.exec(time) ?? [];
  if (date === undefined) return null;
  const ms = Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${hours}:${minutes}:00Z`);
  return Number.isNaN(ms) ? null : ms;
}

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern of exact names. */
export const exactly = (names: readonly string[]) =>
  new RegExp(`^(?:${names.map(literal).join('|') || '(?!)'})$`);

/** The JSON of the rows of a table, in the folder with its name. `part`: the name of its column. */
export const jsonOf = (table: string, part: string) =>
  new RegExp(
    `(?:^|/)com\\.samsung\\.s?health\\.(?:tracker\\.)?${literal(table)}/(?:.*[./])?(?:${part})\\.json$`,
    'i',
  );

/** The id of the row that JSON belongs to, which is the beginning of its name. */
export const rowIdOf = (name: string) =>
  (name.slice(name.lastIndexOf('/') + 1).split('.')[0] ?? '').toLowerCase();
