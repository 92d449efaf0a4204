import { answers } from './answers.ts';
import type { Outcome } from './rules.ts';

type Kind = Outcome['kind'];

const byCode = new Map<string, Kind>(
  Object.entries(answers).map(([kind, { code }]) => [code, kind as Kind]),
);

/**
 * The outcome that a claim was told of, which is what counts: what ran may have been undone after
 * it. Undefined when the claim was not judged, or when the answer is an old one replayed.
 */
export async function outcomeTold(response: Response): Promise<Kind | undefined> {
  if (response.headers.has('Idempotent-Replayed')) return undefined;
  if (response.ok) return 'claimed';
  const isProblem = response.headers.get('Content-Type') === 'application/problem+json';
  if (!isProblem) return undefined;
  const { code } = (await response.clone().json()) as { code: string };
  return byCode.get(code);
}
