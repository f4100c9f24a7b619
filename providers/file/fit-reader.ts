import { ownValue } from '../../domain/own-value.ts';
import { type Skipped, skipped } from './entry.ts';
import {
  type FitField,
  type FitMessageName,
  type FitMessageType,
  fieldsOfGroup,
  fitMessageNames,
  fitMessageTypes,
  marks,
  otherMessageNames,
} from './fit-profile.ts';
import {
  baseTypes,
  bytesType,
  checksumFaults,
  compressedFlag,
  type Definition,
  definitionAt,
  definitionFlag,
  fits,
  type Header,
  headerAt,
  isDataHeader,
  isPadding,
  localTypeOf,
  text,
  type WireField,
} from './fit-wire.ts';

/*
 * Reads the messages of FIT files, one file after another. A fault costs the message that it is in: the search for the next one that
 * can be read is bounded. `fit-file-parser`, which read files before, ends at the first fault and behind the first file, and has no
 * components. The decoder of Garmin has a licence that forbids passing it on.
 */

/** The value of a field: a number in the unit of the profile, milliseconds of an instant, degrees of a position, a text, a list. */
type FitValue = number | string | readonly number[];

/** A message by the names of its fields. Fields without a valid value are left out. */
export type FitMessage = Readonly<Record<string, FitValue>>;

/** The messages of one file by their kinds, in the order of the file. */
export interface FitPart {
  readonly messages: Readonly<Record<FitMessageName, readonly FitMessage[]>>;
  /** The file ends before its messages do. */
  readonly isCut: boolean;
}

/** Lists without messages. */
export const noMessages = (): Record<FitMessageName, FitMessage[]> => ({
  file_id: [],
  activity: [],
  sport: [],
  session: [],
  lap: [],
  record: [],
  length: [],
  hr: [],
  event: [],
  monitoring_info: [],
  monitoring: [],
  monitoring_hr_data: [],
  weight_scale: [],
  blood_pressure: [],
  hrv: [],
  sleep_level: [],
  stress_level: [],
  respiration_rate: [],
  spo2_data: [],
});

/** What was read of the bytes of a file. */
export interface FitContent {
  readonly parts: readonly FitPart[];
  /** What the file contains and is not kept, with exact counts. */
  readonly notes: readonly Skipped[];
  /** Why the file was not read to its end, as a sentence. */
  readonly problem: string | null;
}

/** The most messages of a kind that are kept of a file, and the most files behind one another. */
const mostMessages = 200_000;
const mostFiles = 1000;

const endings = {
  cut: 'The FIT file is cut off; what stands before was stored.',
  damaged: 'The FIT file is damaged; what can be read was stored.',
};

/** Reads all FIT files that the bytes contain. No files: they begin with none. */
export function readFitContent(bytes: Buffer): FitContent {
  const tally = new Tally();
  const parts: FitPart[] = [];
  let problem: string | null = null;
  let files = 0;
  for (let at = 0; at < bytes.length; files += 1) {
    const header = headerAt(bytes, at);
    if (header === null) {
      if (files > 0 && !isPadding(bytes, at)) tally.add('file', 'What follows the FIT file is no FIT file.');
      break;
    }
    if (files >= mostFiles) tally.add('file', 'There are too many FIT files behind one another.');
    else {
      const part = new PartReader(bytes, header, tally);
      const ending = part.read();
      if (ending === 'whole') for (const fault of checksumFaults(bytes, header)) tally.add('checksum', fault);
      else problem = endings[ending];
      if (part.count > 0) parts.push({ messages: part.messages, isCut: ending !== 'whole' });
    }
    at = header.end + 2;
  }
  return { parts, notes: tally.notes(), problem };
}

/** Counts what is not kept, by type and reason. */
class Tally {
  readonly #counts = new Map<string, { readonly type: string; readonly reason: string; items: number }>();
  readonly #kept = new Map<string, number>();

  add(type: string, reason: string): void {
    this.countOf(type, reason).items += 1;
  }

  /** The count of a type and reason, which its owner raises. */
  countOf(type: string, reason: string): { items: number } {
    const key = `${type}\n${reason}`;
    const count = this.#counts.get(key) ?? { type, reason, items: 0 };
    this.#counts.set(key, count);
    return count;
  }

  /** Whether another message of a kind can be kept. */
  hasRoom(name: FitMessageName): boolean {
    const kept = this.#kept.get(name) ?? 0;
    if (kept >= mostMessages) this.add(name, 'The file has too many messages of this kind.');
    else this.#kept.set(name, kept + 1);
    return kept < mostMessages;
  }

  notes(): Skipped[] {
    return [...this.#counts.values()].flatMap(({ type, reason, items }) =>
      items === 0 ? [] : [skipped(type, reason, items)],
    );
  }
}

/** A definition with what is read of its data messages, which is determined when the first one is read. */
interface LocalType extends Definition {
  /** A new description of a developer's field makes it anew. */
  layout: Layout | null;
}

/** What is read of a data message. */
interface Layout {
  readonly descriptions: number;
  readonly read: readonly ReadStep[];
  readonly groups: readonly { readonly count: { items: number }; readonly fields: readonly WireField[] }[];
}

interface ReadStep extends WireField {
  readonly name: string;
  readonly field: FitField;
  /** The fields that this one replaces. */
  readonly replaces: readonly string[];
}

/** How a developer's field is stored, and which field of the profile it declares to be. */
interface Description {
  readonly base: number;
  readonly scale: number;
  readonly offset: number;
  readonly units: string;
  readonly message: number | null;
  readonly field: number | null;
}

/** A kind of messages that is read. */
interface KnownType {
  readonly name: FitMessageName;
  readonly type: FitMessageType;
}

/** The kinds that are read by their numbers. */
const typesByNumber = new Map<number, KnownType>(
  fitMessageNames.map((name) => [fitMessageTypes[name].number, { name, type: fitMessageTypes[name] }]),
);

/** The fields of a kind by their numbers: those that are read, and the groups of the others. */
const fieldsByNumber = new Map(
  [...typesByNumber.values()].map(({ type }) => [
    type.number,
    {
      read: new Map(Object.entries(type.fields).map(([name, field]) => [field.number, { name, field }])),
      groups: new Map(
        Object.entries(type.left).flatMap(([group, listed]) =>
          fieldsOfGroup(listed).map(([number]) => [number, group] as const),
        ),
      ),
    },
  ]),
);

const reasons = {
  developer: 'Fields of developers that declare no field of the profile that is kept are not kept.',
  unnamed: 'Fields that the profile does not name are not kept.',
  misfit: 'Fields whose size does not fit their type are not kept.',
  kind: 'Messages of this kind are not kept.',
  unreadable: 'A message cannot be read.',
};

const timestampField = 253;
const uint32 = 6;
const epochSeconds = 631_065_600;
const record = 20;
const fieldDescription = 206;
const developerDataId = 207;
/** The most unreadable messages of a file after which reading goes on, and how far the next one is searched. */
const mostFaults = 100;
const searchedBytes = 65_536;

/** Reads the messages of one file. */
class PartReader {
  readonly messages = noMessages();
  /** How many messages there are, of any kind. */
  count = 0;
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #begin: number;
  readonly #isShort: boolean;
  readonly #tally: Tally;
  readonly #definitions: (LocalType | undefined)[] = [];
  readonly #descriptions = new Map<number, Description>();
  #described = 0;
  /** The latest timestamp, as stored. */
  #last: number | null = null;

  constructor(bytes: Buffer, { begin, end }: Header, tally: Tally) {
    this.#bytes = bytes;
    this.#begin = begin;
    this.#end = Math.min(end, bytes.length);
    this.#isShort = end > bytes.length;
    this.#tally = tally;
  }

  read(): 'whole' | 'cut' | 'damaged' {
    let at = this.#begin;
    for (let faults = 0; at < this.#end; ) {
      const next = this.#readMessage(at);
      if (next > this.#end) return 'cut';
      if (next > at) at = next;
      else {
        faults += 1;
        const found = faults > mostFaults ? null : this.#nextReadable(at);
        this.#tally.add('message', reasons.unreadable);
        if (found === null) return this.#isShort ? 'cut' : 'damaged';
        at = found;
      }
    }
    return this.#isShort ? 'cut' : 'whole';
  }

  /** Where the next message begins: behind the end if this one is cut off, and at `at` if it cannot be read. */
  #readMessage(at: number): number {
    const header = this.#bytes[at] ?? 0;
    if ((header & compressedFlag) === 0 && (header & definitionFlag) !== 0) {
      const definition = definitionAt(this.#bytes, at, this.#end);
      if (definition === 'cut') return this.#end + 1;
      if (definition === null) return at;
      this.#definitions[header & 15] = { ...definition, layout: null };
      return at + definition.length;
    }
    const definition = this.#definitions[localTypeOf(header)];
    if (definition === undefined || !isDataHeader(header)) return at;
    const next = at + 1 + definition.size;
    if (next <= this.#end) this.#readData(header, definition, at + 1);
    return next;
  }

  #readData(header: number, definition: LocalType, at: number): void {
    this.count += 1;
    const { message } = definition;
    if (message === fieldDescription) this.#describe(definition, at);
    const type = typesByNumber.get(message);
    const stored = this.#timestampIn(header, definition, at);
    if (type === undefined) {
      if (message !== fieldDescription && message !== developerDataId)
        this.#tally.add(otherMessageNames.get(message) ?? `message ${message}`, reasons.kind);
      return;
    }
    const values = this.#valuesIn(definition, type, at);
    if (values.timestamp === undefined && stored !== null) values.timestamp = instantOf(stored);
    if (type.name === 'monitoring') this.#completeTimestamp(values);
    this.#add(type.name, values);
  }

  // Values of one instant may be in several messages.
  #add(name: FitMessageName, values: Record<string, FitValue>): void {
    const list = this.messages[name];
    const last = list.at(-1);
    if (
      name === 'record' &&
      last !== undefined &&
      last.timestamp === values.timestamp &&
      'timestamp' in values
    )
      list[list.length - 1] = Object.assign(last, values);
    else if (this.#tally.hasRoom(name)) list.push(values);
  }

  // A compressed header has the lower five bits of the time.
  #timestampIn(header: number, { fields, isLittle }: Definition, at: number): number | null {
    const field = fields.find(
      ({ number, base, size }) => number === timestampField && base === uint32 && size === 4,
    );
    const own = field === undefined ? null : this.#numberAt(at + field.at, uint32, isLittle);
    if (own !== null) this.#last = own;
    else if ((header & compressedFlag) !== 0 && this.#last !== null) {
      this.#last = (this.#last + (((header & 31) - this.#last) & 31)) >>> 0;
      return this.#last;
    }
    return null;
  }

  // Messages of a day have the lower 16 bits of their time.
  #completeTimestamp(values: Record<string, FitValue>): void {
    const low = values.timestamp_16;
    delete values.timestamp_16;
    if (values.timestamp !== undefined || typeof low !== 'number' || this.#last === null) return;
    this.#last = (this.#last + ((low - this.#last) & 0xffff)) >>> 0;
    values.timestamp = instantOf(this.#last);
  }

  #valuesIn(definition: LocalType, known: KnownType, at: number): Record<string, FitValue> {
    const { isLittle } = definition;
    if (definition.layout?.descriptions !== this.#described)
      definition.layout = this.#layoutOf(definition, known);
    const values: Record<string, FitValue> = {};
    for (const step of definition.layout.read) {
      const value = this.#valueOf(step, at, isLittle);
      if (value === null) continue;
      for (const name of step.replaces) delete values[name];
      values[step.name] = value;
    }
    for (const { count, fields } of definition.layout.groups)
      if (fields.some((field) => this.#isPresent(field, at, isLittle))) count.items += 1;
    return values;
  }

  #layoutOf({ message, fields, developerFields }: Definition, { name: kind, type }: KnownType): Layout {
    const known = fieldsByNumber.get(message);
    const read: ReadStep[] = [];
    const groups = new Map<string, WireField[]>();
    const leave = (reason: string, field: WireField) =>
      groups.set(reason, [...(groups.get(reason) ?? []), field]);
    for (const wire of fields) {
      const step = known?.read.get(wire.number);
      const group = known?.groups.get(wire.number);
      if (!fits(wire)) leave(reasons.misfit, { ...wire, base: bytesType });
      else if (step !== undefined) read.push({ ...wire, ...step, replaces: [] });
      else if (group === undefined) leave(reasons.unnamed, wire);
      else if (group !== marks) leave(`Not kept: ${group}.`, wire);
    }
    for (const wire of developerFields) {
      const described = this.#descriptions.get(wire.developer * 256 + wire.number);
      const step = described === undefined ? undefined : nativeStep(described, message);
      const base = described?.base ?? bytesType;
      if (described === undefined || step === undefined || !fits({ ...wire, base }))
        leave(reasons.developer, { ...wire, base: fits({ ...wire, base }) ? base : bytesType });
      else read.push({ ...wire, base, ...step, replaces: namesWithEndOf(type, step.field) });
    }
    return {
      descriptions: this.#described,
      read,
      groups: [...groups].map(([reason, listed]) => ({
        count: this.#tally.countOf(kind, reason),
        fields: listed,
      })),
    };
  }

  #describe({ fields, isLittle }: Definition, at: number): void {
    const numberOf = (number: number) => {
      const field = fields.find((one) => one.number === number && fits(one));
      return field === undefined ? null : this.#numberAt(at + field.at, field.base, isLittle);
    };
    const unitsField = fields.find(({ number, base }) => number === 8 && base === text);
    const [developer, number, base] = [numberOf(0), numberOf(1), numberOf(2)];
    if (developer === null || number === null || base === null || (base & 31) >= baseTypes.length) return;
    this.#described += 1;
    this.#descriptions.set(developer * 256 + number, {
      base: base & 31,
      scale: numberOf(6) || 1,
      offset: numberOf(7) ?? 0,
      units: unitsField === undefined ? '' : this.#textAt(at + unitsField.at, unitsField.size).toLowerCase(),
      message: numberOf(14),
      field: numberOf(15),
    });
  }

  #valueOf({ at: offset, size, base, field }: ReadStep, at: number, isLittle: boolean): FitValue | null {
    const { kind, scale, offset: zero } = field;
    const begin = at + offset;
    if (base === text) return this.#textAt(begin, size) || null;
    if (kind === 'text') return null;
    if (kind === 'list') {
      const width = baseTypes[base]?.size ?? 1;
      const numbers = Array.from({ length: size / width }, (_, index) =>
        base === bytesType
          ? (this.#bytes[begin + index] ?? 0)
          : (this.#numberAt(begin + index * width, base, isLittle) ?? Number.NaN) / scale,
      );
      const isEmpty = base === bytesType ? numbers.every((one) => one === 0xff) : numbers.every(Number.isNaN);
      return isEmpty ? null : numbers;
    }
    const value = this.#numberAt(begin, base, isLittle);
    if (value === null) return null;
    if (kind === 'date') return instantOf(value);
    if (kind === 'degrees') return base === uint32 - 1 ? (value * 180) / 2 ** 31 : value;
    return value / scale - zero;
  }

  /** A number as it is stored; null if it is invalid. */
  #numberAt(at: number, base: number, isLittle: boolean): number | null {
    const type = baseTypes[base];
    if (type === undefined) return null;
    const value = type.read(this.#bytes, at, isLittle);
    return value === type.invalid || !Number.isFinite(value) ? null : value;
  }

  #textAt(at: number, size: number): string {
    const [whole = ''] = this.#bytes.toString('utf8', at, at + size).split('\0');
    return whole.trim();
  }

  #isPresent({ at: offset, size, base }: WireField, at: number, isLittle: boolean): boolean {
    const width = baseTypes[base]?.size ?? 1;
    for (let index = 0; index < size; index += width)
      if (this.#numberAt(at + offset + index, base, isLittle) !== null) return true;
    return false;
  }

  /** Where messages can be read again: a row of them, with times near the last one, or up to the end. */
  #nextReadable(at: number): number | null {
    const last = Math.min(this.#end, at + searchedBytes);
    for (let next = at + 1; next < last; next += 1) if (this.#isReadable(next)) return next;
    return null;
  }

  #isReadable(from: number): boolean {
    const definitions: (Definition | undefined)[] = [...this.#definitions];
    let [at, isDated] = [from, false];
    for (let messages = 0; messages < rowOfMessages && at < this.#end; messages += 1) {
      const header = this.#bytes[at] ?? 0;
      if ((header & compressedFlag) === 0 && (header & definitionFlag) !== 0) {
        const definition = definitionAt(this.#bytes, at, this.#end);
        if (definition === 'cut' || definition === null || !definition.fields.every(fits)) return false;
        definitions[header & 15] = definition;
        at += definition.length;
        continue;
      }
      const definition = definitions[localTypeOf(header)];
      if (definition === undefined || !isDataHeader(header)) return false;
      const time = definition.fields.find(({ number, base }) => number === timestampField && base === uint32);
      if (time !== undefined) {
        const stored = this.#numberAt(Math.min(at + 1 + time.at, this.#end - 4), uint32, definition.isLittle);
        if (stored === null || Math.abs(stored - (this.#last ?? stored)) > nearSeconds) return false;
        isDated = true;
      }
      at += 1 + definition.size;
    }
    return at === this.#end || (isDated && at < this.#end);
  }
}

const rowOfMessages = 20;
const nearSeconds = 7 * 86_400;

const instantOf = (stored: number) => (stored + epochSeconds) * 1000;

/** How many of a developer's units are one of the profile. */
const unitsInOne: Readonly<Record<string, number>> = {
  km: 0.001,
  mi: 1 / 1609.344,
  ft: 1 / 0.3048,
  'km/h': 3.6,
  kmh: 3.6,
  kph: 3.6,
  mph: 3600 / 1609.344,
};

/** The field of the profile that a developer's field declares to be, with its own scale. Without a message it is one of a point. */
function nativeStep(described: Description, message: number): Pick<ReadStep, 'name' | 'field'> | undefined {
  const { message: native, field: number, scale, offset, units } = described;
  if (number === null || (native ?? record) !== message) return undefined;
  const step = fieldsByNumber.get(message)?.read.get(number);
  if (step === undefined || step.field.ends === null || number === timestampField) return undefined;
  return {
    name: step.name,
    field: {
      ...step.field,
      scale: scale * (ownValue(unitsInOne, units) ?? 1),
      offset: offset / (ownValue(unitsInOne, units) ?? 1),
    },
  };
}

/** The fields that end where a field does: what replaces one of them replaces them all. */
function namesWithEndOf({ fields }: FitMessageType, { ends }: FitField): string[] {
  const endOf = (one: FitField['ends']) => (one !== null && 'ends' in one ? one.ends[0] : null);
  return Object.entries(fields).flatMap(([name, one]) =>
    one.kind !== 'list' && endOf(one.ends) === endOf(ends) ? [name] : [],
  );
}
