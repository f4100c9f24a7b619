import type { ComponentChildren } from 'preact';
import { PulsebusError } from '../../../clients/typescript/src/index.ts';
import type { Resource } from '../resource.ts';

/** Shows what is read, or why it is not there. */
export function Loaded<T>({
  of,
  what,
  children,
}: {
  of: Resource<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, isLoading, reload } = of;
  if (data !== undefined)
    return (
      <div aria-busy={isLoading}>
        {error !== undefined && <Problem error={error} what={what} retry={reload} />}
        {children(data)}
      </div>
    );
  if (error !== undefined) return <Problem error={error} what={what} retry={reload} />;
  return <Skeleton what={what} />;
}

/** Stands where something is being read, so that the page keeps its form. */
export function Skeleton({ what }: { what: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading {what} …</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** Why something is not there, and a button that tries again. */
export function Problem({ error, what, retry }: { error: Error; what: string; retry?: () => void }) {
  const id = error instanceof PulsebusError ? error.requestId : null;
  return (
    <div class="state problem" role="alert">
      <p>
        The {what} could not be loaded: {error.message}
      </p>
      {id !== null && <p class="faint">Request {id}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A sentence in place of an empty list: why it is empty, and what fills it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="state">{children}</p>;
}
