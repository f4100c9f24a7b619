import { useState } from 'preact/hooks';
import type {
  Destination,
  DestinationFrom,
  DestinationKind,
  DestinationType,
} from '../../../../clients/typescript/src/index.ts';
import { recordKinds } from '../../../../domain/destinations/columns.ts';
import { seriesTypes } from '../../../../domain/records/series.ts';
import { api } from '../../api.ts';
import { kinds } from '../../destination-texts.ts';
import { typeName } from '../../titles.ts';
import { FormDialog } from '../form.tsx';
import { type Field, forms, settingsOf } from './forms.ts';

const everyKind = Object.keys(kinds).filter((one): one is DestinationKind => one in kinds);
const [usualKind = 's3'] = everyKind;

interface Saved {
  readonly saved: (one: Destination) => void;
  readonly close: () => void;
}

/** A form that creates a destination of any kind. */
export function CreateDestination({ saved, close }: Saved) {
  const [kind, setKind] = useState<DestinationKind>(usualKind);
  const [types, setTypes] = useState<readonly DestinationType[]>([]);
  const [from, setFrom] = useState<DestinationFrom>('beginning');
  const { about, fields } = forms[kind];
  return (
    <FormDialog
      title="Add a destination"
      button="Add"
      close={close}
      send={async (field) =>
        saved(
          await api.destinations.create({
            kind,
            settings: settingsOf(fields, field),
            ...common(field, types),
            from,
          }),
        )
      }
    >
      {everyKind.length > 1 && (
        <label>
          Kind
          <select
            value={kind}
            onChange={(event) =>
              setKind(everyKind.find((one) => one === event.currentTarget.value) ?? usualKind)
            }
          >
            {everyKind.map((one) => (
              <option key={one} value={one}>
                {kinds[one].title}
              </option>
            ))}
          </select>
        </label>
      )}
      <p class="faint">{about}</p>
      <Settings key={kind} fields={fields} />
      <FromChoice value={from} change={setFrom} />
      <Types {...{ types, setTypes }} />
      <Description />
    </FormDialog>
  );
}

/** Where a copy begins. */
export function FromChoice(props: { value: DestinationFrom; change: (from: DestinationFrom) => void }) {
  const { value, change } = props;
  return (
    <label>
      What is copied
      <select
        value={value}
        onChange={(event) => change(event.currentTarget.value === 'now' ? 'now' : 'beginning')}
      >
        <option value="beginning">All data, then every change</option>
        <option value="now">Only what changes from now on</option>
      </select>
    </label>
  );
}

/** A form that changes a destination. */
export function ChangeDestination({ one, saved, close }: Saved & { one: Destination }) {
  const [types, setTypes] = useState<readonly DestinationType[]>(one.types ?? []);
  const { fields } = forms[one.kind];
  return (
    <FormDialog
      title="Change the settings"
      button="Save"
      close={close}
      send={async (field) =>
        saved(
          await api.destinations.update({
            destination_id: one.id,
            settings: settingsOf(fields, field),
            ...common(field, types),
          }),
        )
      }
    >
      <p class="faint">With another place or other types, everything is written again.</p>
      <Settings fields={fields} stored={one.settings} />
      <Types {...{ types, setTypes }} />
      <Description text={one.description ?? ''} />
    </FormDialog>
  );
}

const common = (field: (name: string) => string, types: readonly DestinationType[]) => ({
  description: field('description').trim() || null,
  types: types.length === 0 ? null : [...types],
});

function Settings({ fields, stored }: { fields: readonly Field[]; stored?: Destination['settings'] }) {
  const drawn = (some: readonly Field[]) =>
    some.map((one) => <Setting key={one.name} field={one} stored={stored} />);
  const rare = fields.filter(({ isRare }) => isRare);
  return (
    <>
      {drawn(fields.filter(({ isRare }) => !isRare))}
      {rare.length > 0 && (
        <details>
          <summary>More settings</summary>
          <div class="more-settings">{drawn(rare)}</div>
        </details>
      )}
    </>
  );
}

function Setting({ field, stored }: { field: Field; stored: Destination['settings'] | undefined }) {
  const { name, label, type, isSecret, isOptional, isRare, preset = '', choices } = field;
  const value = stored === undefined ? preset : (stored[name] ?? '');
  const isKept = isSecret === true && stored !== undefined;
  const shared = {
    name,
    // An empty rare setting, which may be out of sight, has its preset.
    required: !isOptional && !isRare && !isKept,
    placeholder: isKept ? 'unchanged' : (field.placeholder ?? ''),
  };
  const title = isOptional ? `${label} (optional)` : label;
  if (type === 'yes')
    return (
      <label class="choice">
        <input type="checkbox" name={name} defaultChecked={value === true} />
        {title}
      </label>
    );
  if (choices !== undefined)
    return (
      <label>
        {title}
        <select name={name}>
          {Object.entries(choices).map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    );
  if (type === 'lines')
    return (
      <label>
        {title}
        <textarea {...shared} rows={3} spellcheck={false} defaultValue={isSecret ? '' : String(value)} />
      </label>
    );
  if (isSecret)
    return (
      <label>
        {title}
        <input {...shared} type="password" autocomplete="new-password" />
      </label>
    );
  return (
    <label>
      {title}
      <input
        {...shared}
        {...(type === 'number' ? { inputMode: 'numeric', pattern: '\\d+' } : {})}
        autocomplete="off"
        defaultValue={Array.isArray(value) ? value.join(', ') : String(value)}
      />
    </label>
  );
}

function Description({ text = '' }: { text?: string }) {
  return (
    <label>
      Description (optional)
      <input name="description" maxLength={255} defaultValue={text} />
    </label>
  );
}

function Types(props: {
  types: readonly DestinationType[];
  setTypes: (types: readonly DestinationType[]) => void;
}) {
  const { types, setTypes } = props;
  return (
    <details>
      <summary>Types: {types.length === 0 ? 'all' : types.map(typeName).join(', ')}</summary>
      <fieldset class="type-choice">
        <legend>All, or only</legend>
        {[...recordKinds, ...seriesTypes].map((type) => (
          <label key={type} class="choice">
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={() =>
                setTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type])
              }
            />
            {typeName(type)}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
