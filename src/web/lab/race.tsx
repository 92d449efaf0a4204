import type { PartProps } from './part.ts';

export function Race({ place }: PartProps) {
  return <h2>Race: {place.strategy}</h2>;
}
