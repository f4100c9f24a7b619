import { Link } from '../router.tsx';

/** One number, and the list that it leads to. `value` is null if its service does not answer. */
export interface TileProps {
  readonly to: string;
  readonly name: string;
  readonly value: string | null;
  readonly note?: string;
  readonly isBad?: boolean;
}

/** A number that leads to its list. */
export function Tile({ to, name, value, note = '', isBad = false }: TileProps) {
  return (
    <li>
      <Link to={to} class={isBad ? 'tile bad' : 'tile'}>
        <span>{name}</span>
        <strong>{value ?? 'unknown'}</strong>
        <span class="faint">{value === null ? 'its service does not answer' : note}</span>
      </Link>
    </li>
  );
}
