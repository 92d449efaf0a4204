import type { PartProps } from './part.ts';

export function Explore({ place }: PartProps) {
  return <h2>Explore: {place.strategy}</h2>;
}
