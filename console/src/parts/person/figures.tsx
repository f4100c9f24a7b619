import type { ComponentChildren } from 'preact';

/** The headline figures of a record: name and value. Those without a value are left out. */
export function Figures({ of }: { of: readonly (readonly [string, ComponentChildren | null, string?])[] }) {
  return (
    <dl class="figures">
      {of.map(
        ([name, value, note = '']) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
              {note !== '' && <dd class="faint">{note}</dd>}
            </div>
          ),
      )}
    </dl>
  );
}
