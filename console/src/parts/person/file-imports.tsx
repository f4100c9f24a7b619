import { useState } from 'preact/hooks';
import type { FileImport } from '../../../../clients/typescript/src/index.ts';
import { api, streamUrl } from '../../api.ts';
import { useRepeated, useResource } from '../../resource.ts';
import { can } from '../../session.ts';
import { typeName } from '../../titles.ts';
import { Action } from '../action.tsx';
import { Badge } from '../badge.tsx';
import { Form } from '../form.tsx';
import { counted } from '../home/problems.ts';
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
  const [archive, setArchive] = useState<File | null>(null);
  const take = async ([file]: readonly File[]) => {
    if (file === undefined || sending !== null) return;
    setProblem('');
    const isArchive = await isZip(file);
    setArchive(isArchive ? file : null);
    if (!isArchive) await send(file);
  };
  const send = async (file: File, password = '') => {
    setArchive(null);
    setSending(file.name);
    try {
      await api.fileImport.create({ user_id: userId, file, ...(password === '' ? {} : { password }) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(null);
    changed();
  };
  return (
    <>
      <label
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void take([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        Drop a file here, or choose one: an export of Apple Health, FIT, TCX, GPX, CSV, an archive of such
        files or of an account
        <input
          type="file"
          disabled={sending !== null}
          onChange={({ currentTarget: input }) => {
            const files = [...(input.files ?? [])];
            input.value = ''; // the same file may be chosen again
            void take(files);
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
      {archive !== null && (
        <Form
          kind="main"
          label={`Import ${archive.name}`}
          button="Import"
          cancel={() => setArchive(null)}
          send={async (field) => void send(archive, field('password'))}
        >
          <label>
            Password of {archive.name}, if it has one
            <input type="password" name="password" autocomplete="off" maxLength={1000} />
          </label>
        </Form>
      )}
    </>
  );
}

/** Whether a file begins as a zip archive does. One that cannot be read is sent as it is, which shows the reason. */
async function isZip(file: File): Promise<boolean> {
  const beginning = await file
    .slice(0, 2)
    .text()
    .catch(() => '');
  return beginning === 'PK';
}

function Import({ of, changed }: { of: FileImport; changed: () => void }) {
  const { id, user_id, name, state, kind, bytes, bytes_read, counts, members, skipped, error, created_at } =
    of;
  const { original_until } = of;
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
      {members !== null && <Members of={of} members={members} />}
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
      {original_until !== null && can('data.export') && (
        <p>
          <a
            href={streamUrl(`/users/${user_id}/imports/${id}/file`)}
            download
            aria-label={`Original of ${title}`}
          >
            Original
          </a>
          , {sizeText(bytes)}, until <Time at={original_until} />
        </p>
      )}
    </>
  );
}

const sizeText = (bytes: number) =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1000).toLocaleString('en')} kB`
    : `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

/** How many members of an archive were read, and the first of those that were not. */
function Members({ of, members }: { of: FileImport; members: NonNullable<FileImport['members']> }) {
  const { total, done, damaged, unread } = members;
  const [isShown, setShown] = useState(false);
  const numbers = [
    `${done.toLocaleString('en')} of ${total.toLocaleString('en')} members`,
    ...(damaged > 0 ? [`${damaged.toLocaleString('en')} damaged`] : []),
    ...(unread > 0 ? [`${unread.toLocaleString('en')} of other kinds`] : []),
  ];
  return (
    <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{numbers.join(', ')}</summary>
      {isShown && <MemberReports of={of} />}
    </details>
  );
}

function MemberReports({ of: { id, user_id, items } }: { of: FileImport }) {
  const report = useResource(
    `${id} ${items}`,
    (signal) => api.fileImport.get({ user_id, import_id: id }, { signal }),
    true,
  );
  return (
    <Loaded of={report} what="members">
      {({ member_reports }) => (
        <ul>
          {member_reports.map(({ name, state, entries, reason }) => (
            <li key={name}>
              {name}: {state}, {counted(entries, 'entry', false, 'entries')}
              {reason !== null && `. ${reason}`}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
