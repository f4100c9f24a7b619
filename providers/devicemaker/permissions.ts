import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { scopesIn } from '../scopes.ts';

const Names = z.array(z.string()).max(1000);
const Switches = z
  .record(z.string(), z.boolean())
  .transform((map) => Object.keys(map).filter((name) => map[name] === true));
const Permissions = z.union([
  Names,
  z.object({ permissions: z.union([Names, Switches]) }).transform((one) => one.permissions),
  Switches,
]);

/** The permissions in an answer, which is a list or a map of booleans. Null if it contains neither. */
export function readPermissions(text: string): string[] | null {
  const { data } = Permissions.safeParse(jsonOrNull(text));
  return data === undefined ? null : scopesIn(data);
}
