import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { z } from 'zod';
import type { FileBody } from '../../../domain/contract.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { filePartBytes } from '../../../domain/file-part.ts';
import { callByName } from '../../../runtime/environment.ts';
import { admit, authorise } from './admission.ts';
import { sendJson } from './answer.ts';
import { announcedBytes, bodyBounds, encodingOf, endWhenSlow, hasBody, type Reading } from './body.ts';
import type { Exchange, Pipeline } from './exchange.ts';

const Opened = z.object({ import_id: z.string() });

/**
 * Receives a file: it is admitted before its body is read, and passed on in parts, each of which is stored before the next one is
 * read. A file that does not arrive whole is deleted. @throws BODY_TOO_LARGE (413), UNSUPPORTED_MEDIA_TYPE (415), and
 * VALIDATION_FAILED (422) for an empty file or a form without one
 */
export async function receiveFile(pipeline: Pipeline, exchange: Exchange, file: FileBody): Promise<void> {
  const { req, res, endpoint, path, call } = exchange;
  const caller = await admit(pipeline, exchange);
  authorise(caller, exchange);
  const bounds = bodyBounds(pipeline.config, endpoint.route);
  if (announcedBytes(req) > bounds.limitBytes) throw new ServiceError('BODY_TOO_LARGE');
  refuseEncoded(req);
  if (!hasBody(req)) throw invalid('is empty');
  const options = { meta: { caller } };
  const user_id = path.user_id;
  const opening = { user_id, bytes: announcedBytes(req) };
  const { import_id } = Opened.parse(await callByName(call, file.opens, opening, options));
  const of = { user_id, import_id };
  try {
    const store = (part: number, bytes: Buffer) =>
      callByName(call, file.takes, { ...of, part, bytes: bytes.toString('base64') }, options);
    const given = await passOn(req, bounds, store);
    sendJson(res, 202, await callByName(call, endpoint.action, { ...of, ...given }, options));
  } catch (error) {
    // The rest of a refused file would be read as the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    await callByName(call, file.drops, of, options).catch(() => null);
    throw error;
  }
}

function refuseEncoded(req: IncomingMessage): void {
  if (encodingOf(req) !== null)
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'A file is sent without Content-Encoding.');
}

type Store = (part: number, bytes: Buffer) => Promise<unknown>;

/** What is known of a file that was passed on. */
interface PassedFile {
  readonly name: string | null;
  readonly bytes: number;
  /** That of an encrypted archive. It is neither logged nor stored by the gateway. */
  readonly password: string | null;
}

async function passOn(req: IncomingMessage, bounds: Reading, store: Store): Promise<PassedFile> {
  const { signal } = bounds.ending;
  const ended = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
  const stopTimer = endWhenSlow(req, bounds);
  try {
    return await Promise.race([storeParts(req, bounds, store), ended.promise]);
  } finally {
    stopTimer();
  }
}

async function storeParts(req: IncomingMessage, { limitBytes }: Reading, store: Store): Promise<PassedFile> {
  const { name, content, whole } = await contentOf(req);
  let [bytes, part] = [0, 0];
  let pending = Buffer.alloc(0);
  try {
    for await (const chunk of content.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw new ServiceError('BODY_TOO_LARGE');
      for (pending = Buffer.concat([pending, chunk]); pending.length >= filePartBytes; part += 1) {
        await store(part, pending.subarray(0, filePartBytes));
        pending = pending.subarray(filePartBytes);
      }
    }
    const password = (await whole) || null;
    if (pending.length > 0) await store(part, pending);
    if (bytes === 0) throw invalid('is empty');
    return { name, bytes, password };
  } catch (error) {
    throw typeof fieldOf(error, 'type') === 'string' ? error : cutOff(error);
  }
}

const invalid = (message: string) => validationFailed([{ field: 'file', message }]);

const cutOff = (cause: unknown) =>
  new ServiceError('MALFORMED_REQUEST', 'The file did not arrive whole.', undefined, cause);

interface Content {
  readonly name: string | null;
  readonly content: Readable;
  /** The password, '' for none, when the body has ended as it should. */
  readonly whole: Promise<string>;
}

async function contentOf(req: IncomingMessage): Promise<Content> {
  const type = req.headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/i.test(type)) return partOf(req, type);
  return { name: null, content: req, whole: Promise.resolve(headerText(req.headers['x-file-password'])) };
}

/** A header as UTF-8. Node reads each of its bytes as a letter. */
function headerText(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? Buffer.from(header, 'latin1').toString() : '';
}

/** The parts `file` and `password` of a form. Other parts are passed over. */
function partOf(req: IncomingMessage, type: string): Promise<Content> {
  const found = Promise.withResolvers<Content>();
  const whole = Promise.withResolvers<string>();
  let password = '';
  whole.promise.catch(() => undefined); // it is awaited once the part was read
  const form = formOf(type);
  let file: Readable | null = null;
  const fail = (error: Error) => {
    found.reject(error);
    whole.reject(error);
    file?.destroy(error); // the part does not end with its form
  };
  form.on('file', (field, content, name) => {
    // Without a listener an error of a part that is not read, or not yet, would end the process.
    content.on('error', () => undefined);
    if (field !== 'file' || file !== null) content.resume();
    if (field !== 'file') return;
    if (file !== null) return fail(invalid('must be one file'));
    file = content;
    found.resolve({ name: shownName(name), content, whole: whole.promise });
  });
  form.on('field', (name, text) => {
    if (name === 'password') password = text;
  });
  form.on('finish', () => {
    found.reject(invalid('is missing'));
    whole.resolve(password);
  });
  form.on('error', (error) => fail(cutOff(error)));
  // pipe() does not forward the abort of its source: without `finished` the form would wait forever.
  finished(req, { writable: false }, (error) => {
    if (error) form.destroy(error);
  });
  req.pipe(form);
  return found.promise;
}

function formOf(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: { fields: 20, parts: 20, files: 20 } });
  } catch (error) {
    throw new ServiceError('MALFORMED_REQUEST', 'The form cannot be read.', undefined, error);
  }
}

// Clients write a quotation mark and line breaks of a name as HTML forms do.
function shownName(name: string | undefined): string | null {
  const plain = (name ?? '').replaceAll('%22', '"').replaceAll(/%0[AD]/gi, '');
  const text = plain.replaceAll(/\p{C}/gu, '').trim().slice(0, 200).toWellFormed();
  return text === '' ? null : text;
}
