import type { Packed } from '../../site/pack.ts';

/** Returns the value that `pack` has packed. */
export async function unpack(text: Packed): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return await new Response(stream).json();
}
