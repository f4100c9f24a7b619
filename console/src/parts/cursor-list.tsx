import type { ComponentChildren } from 'preact';
import { useCursors } from '../cursors.ts';
import { type Resource, useResource } from '../resource.ts';
import { Loaded } from './states.tsx';

interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** A list whose pages are linked by cursors: one page at a time, with buttons to both sides. */
export function CursorList<Item>({
  name,
  what,
  load,
  children,
  version = 0,
}: {
  name: string;
  what: string;
  load: (query: { cursor?: string }, signal: AbortSignal) => PromiseLike<Page<Item>>;
  children: (items: readonly Item[], reload: () => void) => ComponentChildren;
  version?: number;
}) {
  const { cursor, page: number, next, previous } = useCursors(name);
  const page: Resource<Page<Item>> = useResource(
    `${name}|${cursor ?? ''}|${version}`,
    (signal) => load(cursor === undefined ? {} : { cursor }, signal),
    true,
  );
  return (
    <Loaded of={page} what={what}>
      {({ data, pagination: { next_cursor, has_more } }) => (
        <>
          {children(data, page.reload)}
          {(number > 1 || has_more) && (
            <nav class="row pages" aria-label={`Pages of ${what}`}>
              <button type="button" disabled={number === 1} onClick={previous}>
                Previous
              </button>
              <span>Page {number}</span>
              <button
                type="button"
                disabled={!has_more || next_cursor === null}
                onClick={() => next_cursor !== null && next(next_cursor)}
              >
                Next
              </button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
}
