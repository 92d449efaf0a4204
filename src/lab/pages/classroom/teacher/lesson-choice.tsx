import { useRef } from 'hono/jsx/dom';
import type { ToldLesson } from './api.ts';
import type { Go, View } from './view.ts';

interface LessonChoiceProps {
  lessons: ToldLesson[];
  view: View;
  go: Go;
}

export function LessonChoice({ lessons, view, go }: LessonChoiceProps) {
  const field = useRef<HTMLSelectElement>(null);
  return (
    <select
      ref={field}
      aria-label="Lesson"
      onChange={() => go({ lesson: Number(field.current?.value) })}
    >
      {lessons.map(({ number, title }) => (
        <option key={number} value={number} selected={number === view.lesson}>
          {number}. {title}
        </option>
      ))}
    </select>
  );
}
