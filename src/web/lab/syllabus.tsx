import type { PartProps } from './part.ts';

export function Syllabus({ place }: PartProps) {
  return <h2>Syllabus: {place.strategy}</h2>;
}
