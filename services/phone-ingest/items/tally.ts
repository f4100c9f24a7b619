import type { UploadAnswer } from '../../../contracts/phone-ingest/answers.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';

type SetAside = Extract<UploadItem, { list: 'set_aside' }>;

const mostProblems = 100;
const mostTypes = 200;

/** Counts what became of the items of an upload. */
export class Tally {
  stored = 0;
  setAside = 0;
  /** The numbers of items that were set aside, by the field that is wrong. */
  readonly setAsideFor = new Map<string, number>();
  readonly #problems: UploadAnswer['problems'] = [];
  readonly #unmapped = new Map<string, number>();

  addProblem({ in: list, id, problem: { field, reason } }: SetAside): void {
    this.setAside += 1;
    this.setAsideFor.set(field, (this.setAsideFor.get(field) ?? 0) + 1);
    if (this.#problems.length < mostProblems) this.#problems.push({ item: list, id, field, reason });
  }

  /** Counts items that were not read, because nearly all before them are invalid. */
  addUnread(items: number): void {
    if (items === 0) return;
    this.setAside += items;
    this.setAsideFor.set('unread', items);
  }

  addUnmapped(type: string): void {
    const name = this.#unmapped.has(type) || this.#unmapped.size < mostTypes ? type : 'others';
    this.#unmapped.set(name, (this.#unmapped.get(name) ?? 0) + 1);
  }

  /** The numbers of items that are neither of a series nor events, by type. */
  unmapped(): Record<string, number> {
    return Object.fromEntries(this.#unmapped);
  }

  /** The answer to the upload. */
  answer(userId: string, received: number, response: string): UploadAnswer {
    return {
      ...{ status_code: 202, response, user_id: userId, received, stored: this.stored },
      ...{ problems: this.#problems, set_aside: this.setAside, unmapped: this.unmapped() },
    };
  }
}
