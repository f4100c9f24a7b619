import { createHash } from 'node:crypto';
import { largestLogoBytes, type Project } from '../../contracts/auth/projects.ts';
import { ServiceError, validationFailed } from '../../domain/errors.ts';
import { imageFormOf } from '../../domain/image-form.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { acting } from './actor.ts';
import { returnedProject, toProject } from './projects.ts';
import { insertLogo, lockProject, replaceLogos } from './queries/connect-logos.ts';
import type { ProjectRow } from './queries/select-projects.ts';

/** A logo: the name contains the hash of the content. */
interface Logo {
  readonly name: string;
  readonly content: Buffer;
}

/** The logo in an image in base64. @throws VALIDATION_FAILED (422) if it is no PNG, JPEG or WebP, or too large */
export function logoIn(image: string): Logo {
  const content = Buffer.from(image, 'base64');
  const form = imageFormOf(content);
  if (form === null) throw imageRefused('must be a PNG, JPEG or WebP image');
  if (content.length > largestLogoBytes) throw imageRefused('must be at most 100,000 bytes');
  return { name: `logo-${createHash('sha256').update(content).digest('hex')}.${form}`, content };
}

/** Sets the logo of a project; null removes it. @throws PROJECT_NOT_FOUND (404) */
export async function setLogo(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  project: string,
  logo: Logo | null,
): Promise<Project> {
  const statement = `update auth.project set connect_logo = $2 where id = $1 ${returnedProject}`;
  const [row] = await acting(database, origin, async (on) => {
    await lockProject(on, project);
    if (logo !== null) await insertLogo(on, project, logo);
    await replaceLogos(on, project, logo?.name ?? null);
    return on.query<ProjectRow>(statement, [project, logo?.name ?? null]);
  });
  if (row === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  return toProject(row);
}

const imageRefused = (message: string) => validationFailed([{ field: 'image', message }]);
