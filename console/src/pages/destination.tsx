import { useState } from 'preact/hooks';
import type { DestinationFrom, Destination as Shown } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { behindText, kinds, placeOf, stateSentence, stateWord } from '../destination-texts.ts';
import { Action } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { ChangeDestination, FromChoice } from '../parts/destinations/destination-form.tsx';
import { adviceOn, forms } from '../parts/destinations/forms.ts';
import { TypedConfirmation } from '../parts/dialog.tsx';
import { Loaded } from '../parts/states.tsx';
import { Ago, Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { navigate } from '../router.tsx';
import { typeName } from '../titles.ts';

const everyMs = 3000;

/** One destination: how far it is, what it failed at, and its settings. */
export function Destination({ id }: { id: string }) {
  const destination = useResource(id, (signal) => api.destinations.get({ destination_id: id }, { signal }));
  useRepeated(everyMs, destination.reload);
  return (
    <>
      <h1>Destination</h1>
      <Loaded of={destination} what="destination">
        {(one) => (
          <>
            <State one={one} />
            <Actions one={one} changed={destination.reload} />
            <Settings one={one} />
          </>
        )}
      </Loaded>
    </>
  );
}

function State({ one }: { one: Shown }) {
  const { last_error: error, erasures_open: erasures } = one;
  return (
    <>
      <p>
        {kinds[one.kind].title} <code>{placeOf(one)}</code> <Badge state={stateWord(one)} />
      </p>
      {error !== null && one.state === 'failing' ? (
        <div class="state">
          <strong class="problem">{error.message}</strong> {adviceOn(error.code)}
          <br />
          Failing since <Time at={one.failing_since} />, last tried <Ago at={error.at} />. Nothing is lost:
          what waits is written once it works again.
        </div>
      ) : (
        <p>{stateSentence(one)}</p>
      )}
      <dl class="facts">
        <dt>Behind</dt>
        <dd>
          {one.snapshot_complete
            ? (behindText(one) ?? 'No change waits')
            : 'The copy of the stored data is not complete'}
        </dd>
        <dt>Rows written</dt>
        <dd>{one.rows_written.toLocaleString()}</dd>
        <dt>Last commit</dt>
        <dd>
          <Time at={one.last_commit_at} />
        </dd>
        {erasures > 0 && (
          <>
            <dt>Deleted users still in it</dt>
            <dd>{erasures}</dd>
          </>
        )}
      </dl>
    </>
  );
}

function Actions({ one, changed }: { one: Shown; changed: () => void }) {
  const { id: destination_id, state } = one;
  const [isChanging, setChanging] = useState(false);
  const [from, setFrom] = useState<DestinationFrom>('beginning');
  const resume = async () => {
    await api.destinations.resume({ destination_id });
    changed();
  };
  return (
    <p class="row">
      {state === 'failing' && (
        <Action kind="main" run={resume}>
          Try now
        </Action>
      )}
      {state === 'paused' ? (
        <Action kind="main" run={resume}>
          Resume
        </Action>
      ) : (
        <Action
          run={async () => {
            await api.destinations.pause({ destination_id });
            changed();
          }}
        >
          Pause
        </Action>
      )}
      <button type="button" onClick={() => setChanging(true)}>
        Change the settings
      </button>
      <TypedConfirmation
        label="Reset the destination"
        title="Begin this copy anew?"
        word="reset"
        run={async () => {
          await api.destinations.reset({ destination_id, from });
          changed();
        }}
      >
        <p>
          Everything is written to {placeOf(one)} again. Readers see the former copy until the new one
          replaces it.
        </p>
        <FromChoice value={from} change={setFrom} />
      </TypedConfirmation>
      <TypedConfirmation
        label="Delete the destination"
        title="Delete this destination?"
        word="delete"
        run={async () => {
          await api.destinations.remove({ destination_id });
          navigate('/destinations');
        }}
      >
        <p>
          Nothing is copied to {placeOf(one)} from then on. What was written stays there, also the data of
          users who are deleted later: delete it there yourself.
        </p>
      </TypedConfirmation>
      {isChanging && (
        <ChangeDestination
          one={one}
          saved={() => {
            setChanging(false);
            changed();
          }}
          close={() => setChanging(false)}
        />
      )}
    </p>
  );
}

function Settings({ one }: { one: Shown }) {
  const { fields } = forms[one.kind];
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <dl class="facts">
        <dt>Types</dt>
        <dd>{one.types?.map(typeName).join(', ') ?? 'all'}</dd>
        <dt>Begins</dt>
        <dd>
          {one.from === 'now' ? 'with what changed after it was created or reset' : 'with all stored data'}
        </dd>
        {fields.map(({ name, label, isSecret, choices }) => (
          <Fact
            key={name}
            label={label}
            value={isSecret ? 'not shown' : (choices?.[String(one.settings[name])] ?? one.settings[name])}
          />
        ))}
        <dt>Description</dt>
        <dd>{one.description ?? 'none'}</dd>
        <dt>Place set by</dt>
        <dd>{one.api_key_id === null ? 'A developer, or not known' : `API key ${one.api_key_id}`}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={one.created_at} />
        </dd>
      </dl>
    </section>
  );
}

function Fact({ label, value }: { label: string; value: unknown }) {
  const plain = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : plain;
  return (
    <>
      <dt>{label}</dt>
      <dd>{text === '' ? 'none' : text}</dd>
    </>
  );
}
