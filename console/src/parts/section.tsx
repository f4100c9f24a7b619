import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Resource } from '../resource.ts';
import { Action } from './action.tsx';
import { Loaded } from './states.tsx';

/** A list with its title, and a field that adds an entry by its name. */
export function Section<T>({
  title,
  what,
  of,
  add,
  children,
}: {
  title: string;
  what: string;
  of: Resource<T>;
  add?: { label: string; run: (name: string) => Promise<void>; fields?: ComponentChildren };
  children: (data: T) => ComponentChildren;
}) {
  const [name, setName] = useState('');
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Loaded of={of} what={what}>
        {children}
      </Loaded>
      {add !== undefined && (
        <div class="row">
          <label>
            Name
            <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          {add.fields}
          <Action
            disabled={name.trim() === ''}
            run={async () => {
              await add.run(name.trim());
              setName('');
            }}
          >
            {add.label}
          </Action>
        </div>
      )}
    </section>
  );
}
