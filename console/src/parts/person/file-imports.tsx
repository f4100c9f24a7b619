import { useState } from 'preact/hooks';
import type { FileImport } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useRepeated, useResource } from '../../resource.ts';
import { can } from '../../session.ts';
import { typeName } from '../../titles.ts';
import { Action } from '../action.tsx';
import { Badge } from '../badge.tsx';
import { Empty, Loaded } from '../states.tsx';
import { Time } from '../time.tsx';

const pollMs = 1000;
const shownImports = 5;

/** The imports of a user, and an area where files are dropped or chosen. */
export function FileImports({ userId, changed }: { userId: string; changed: () => void }) {
  const imports = useResource(userId, (signal) => api.fileImport.list({ user_id: userId }, { signal }), true);
  useRepeated(pollMs, () => imports.data?.some(isOpen) === true && imports.reload());
  const reload = () => {
    imports.reload();
    changed();
  };
  return (
    <>
      {can('data.upload') && <DropArea userId={userId} changed={reload} />}
      <Loaded of={imports} what="imports">
        {(list) =>
          list.length === 0 ? (
            <Empty>No file was imported.</Empty>
          ) : (
            <ul class="plain">
              {list.slice(0, shownImports).map((one) => (
                <li key={one.id}>
                  <Import of={one} changed={reload} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

const isOpen = ({ finished_at }: FileImport) => finished_at === null;

function DropArea({ userId, changed }: { userId: string; changed: () => void }) {
  const [sending, setSending] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const send = async ([file]: readonly File[]) => {
    if (file === undefined || sending !== null) return;
    setSending(file.name);
    setProblem('');
    try {
      await api.fileImport.create({ user_id: userId, file });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(null);
    changed();
  };
  return (
    <label
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void send([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      Drop a file here, or choose one: an export of Apple Health, FIT, TCX, GPX, CSV
      <input
        type="file"
        disabled={sending !== null}
        onChange={({ currentTarget: input }) => {
          const files = [...(input.files ?? [])];
          input.value = ''; // the same file may be chosen again
          void send(files);
        }}
      />
      {sending !== null && (
        <>
          <span>Sending {sending}</span>
          <progress aria-label={`Sending ${sending}`} />
        </>
      )}
      {problem !== '' && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}

function Import({ of, changed }: { of: FileImport; changed: () => void }) {
  const { id, user_id, name, state, kind, bytes, bytes_read, counts, skipped, error, created_at } = of;
  const title = name ?? 'A file without a name';
  const skippedItems = skipped.reduce((sum, { items }) => sum + items, 0);
  const stored = Object.entries(counts).map(
    ([type, items]) => `${items.toLocaleString('en')} ${typeName(type)}`,
  );
  return (
    <>
      <strong>{title}</strong> <Badge state={state} /> <Time at={created_at} />
      {isOpen(of) && (
        <p class="row">
          <progress aria-label={`Progress of ${title}`} max={Math.max(1, bytes)} value={bytes_read} />
          {can('data.upload') && (
            <Action
              run={async () => {
                await api.fileImport.cancel({ user_id, import_id: id });
                changed();
              }}
            >
              Cancel
            </Action>
          )}
        </p>
      )}
      {stored.length > 0 && <p class="faint">{stored.join(', ')}</p>}
      {skippedItems > 0 && (
        <details>
          <summary>{skippedItems.toLocaleString('en')} entries were skipped</summary>
          <ul>
            {skipped.map(({ type, reason, items, positions }) => (
              <li key={`${type} ${reason}`}>
                {items.toLocaleString('en')} × {type}: {reason}
                {positions.length > 0 &&
                  ` (${kind === 'csv' ? 'line' : 'entry'} ${positions.join(', ')}${items > positions.length ? ', …' : ''})`}
              </li>
            ))}
          </ul>
        </details>
      )}
      {error !== null && <p class="problem">{error}</p>}
    </>
  );
}
