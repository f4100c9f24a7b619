import { useState } from 'preact/hooks';
import type { Change } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { location, setQuery } from '../../router.tsx';
import { sourceOf, typeName } from '../../titles.ts';
import { Empty, Loaded } from '../states.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { changeText, mostPages, newestFirst, periodNamed, periods } from './change-text.ts';
import type { OfUser } from './of-user.ts';

const step = 25;
const pageSize = 1000;

/** The published changes of a user, newest first. The feed has the oldest ones first, so that a period is read whole. */
export function Changes({ userId, version }: OfUser) {
  const [shown, setShown] = useState(step);
  const period = periodNamed(location.value.query.get('period'));
  const changes = useResource(
    `${userId} changes ${version} ${period.name}`,
    (signal) => readChanges(userId, period.hours, signal),
    true,
  );
  return (
    <>
      <fieldset class="row" aria-label="Period of the changes">
        {periods.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === period.name}
            onClick={() => setQuery({ period: name }, false)}
          >
            {title}
          </button>
        ))}
      </fieldset>
      <Loaded of={changes} what="changes">
        {({ list, isWhole }) =>
          list.length === 0 ? (
            <Empty>Nothing of this user has changed in this time. Changes are kept for some days.</Empty>
          ) : (
            <>
              <p class="faint">{countText(list.length, isWhole, shown)}</p>
              <Listed changes={list.slice(0, shown)} />
              {list.length > shown && (
                <p>
                  <button type="button" onClick={() => setShown(shown + step)}>
                    Show {step} more
                  </button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

async function readChanges(user_id: string, hours: number, signal: AbortSignal) {
  const since = new Date(Date.now() - hours * 3_600_000).toISOString();
  const most = mostPages * pageSize;
  const list = await api.webhooks.changes({ user_id, since, limit: pageSize }, { signal }).toArray(most);
  return { list: newestFirst(list), isWhole: list.length < most };
}

function countText(count: number, isWhole: boolean, shown: number): string {
  if (!isWhole)
    return `More than ${count} changes, of which the newest are not all read: choose a shorter time.`;
  return count > shown ? `${count} changes, the newest ${shown} of them:` : '';
}

function Listed({ changes }: { changes: readonly Change[] }) {
  return (
    <Table title="Changes" head={['Time', 'Event', 'What']}>
      {changes.map((one) => (
        <tr key={one.id}>
          <td>
            <Time at={one.timestamp} />
          </td>
          <td>{one.type}</td>
          <td>{changeText(one.data, { sourceText: sourceOf, nameOf: typeName })}</td>
        </tr>
      ))}
    </Table>
  );
}
