import { removeStudent, type ToldClassroom, type ToldRoom, type ToldStudent } from './api.ts';
import { LessonChoice } from './lesson-choice.tsx';
import { NeedHelp } from './need-help.tsx';
import { PaceControls } from './pace-controls.tsx';
import { Qr } from './qr.tsx';
import { type Go, screens, type View } from './view.ts';
import { Votes } from './votes.tsx';
import { WhatWasSeen } from './what-was-seen.tsx';
import { WrongAnswers } from './wrong-answers.tsx';

export interface ShownProps {
  classroom: ToldClassroom;
  room: ToldRoom;
  view: View;
  go: Go;
  secret: string;
}

interface RoomProps extends ShownProps {
  isLive: boolean;
}

export const screenNames = {
  join: 'How to join',
  votes: 'Predictions',
  code: 'Code',
  wrong: 'A wrong answer',
} as const;

/** Shows the room on the teacher's own screen, with the names of the students. */
export function Room({ classroom, room, view, go, secret, isLive }: RoomProps) {
  const lesson = classroom.lessons.find(({ number }) => number === view.lesson);
  return (
    <>
      <div class="title">
        <h1>The room</h1>
        <p role="status" class={isLive ? 'live-badge live' : 'live-badge reconnecting'}>
          {isLive ? 'Live' : 'Reconnecting…'}
        </p>
      </div>
      <section class="invitation" aria-label="How to join">
        <Qr dark={classroom.qr} label="The address and the code, to scan" />
        <dl>
          <dt>Address</dt>
          <dd>{classroom.url.replace('http://', '')}</dd>
          <dt>Code</dt>
          <dd class="code">{classroom.code}</dd>
        </dl>
        <div class="screens">
          <h2>Big screen</h2>
          {screens.map((screen) => (
            <button key={screen} type="button" onClick={() => go({ screen })}>
              {screenNames[screen]}
            </button>
          ))}
        </div>
      </section>
      {lesson && (
        <section class="card" aria-labelledby="predictions">
          <div class="card-head">
            <h2 id="predictions">Predictions</h2>
            <LessonChoice lessons={classroom.lessons} view={view} go={go} />
            <button type="button" onClick={() => go({ isAnswered: !view.isAnswered })}>
              {view.isAnswered ? 'Hide the answer' : 'Show the answer'}
            </button>
          </div>
          <PaceControls lesson={lesson} pace={room.pace} secret={secret} />
          <Votes lesson={lesson} room={room} isAnswered={view.isAnswered} />
        </section>
      )}
      <NeedHelp students={room.students} />
      {lesson && (
        <WrongAnswers key={lesson.number} lesson={lesson} room={room} secret={secret} go={go} />
      )}
      <section class="card" aria-labelledby="students">
        <h2 id="students">
          {room.students.length === 1 ? '1 student' : `${room.students.length} students`}
        </h2>
        {room.students.length === 0 && <p>Nobody has joined yet.</p>}
        {groupsOf(classroom, room).map(({ title, students }) => (
          <div key={title} class="group">
            <h3>
              {title} <span class="group-count">{students.length}</span>
            </h3>
            <ul>
              {students.map((student) => (
                <Student key={student.number} student={student} secret={secret} />
              ))}
            </ul>
          </div>
        ))}
      </section>
      <WhatWasSeen lessons={classroom.lessons} room={room} />
    </>
  );
}

interface Group {
  title: string;
  students: ToldStudent[];
}

/** Groups the students by lesson, in the order of the lessons. */
function groupsOf({ lessons }: ToldClassroom, { students }: ToldRoom): Group[] {
  const titled = [
    ...lessons.map(({ number, title }) => ({ number, title: `${number}. ${title}` })),
    { number: null, title: 'In no lesson yet' },
  ];
  return titled
    .map(({ number, title }) => ({
      title,
      students: students.filter(({ lesson }) => lesson === number),
    }))
    .filter((group) => group.students.length > 0);
}

const steps = {
  predict: 'predicts',
  do: 'tries',
  understand: 'understands',
  done: 'is done',
} as const;

const Student = ({ student, secret }: { student: ToldStudent; secret: string }) => (
  <li>
    <bdi class="name">{student.name}</bdi>
    {student.step && <span class={`step ${student.step}`}>{steps[student.step]}</span>}
    <button
      type="button"
      class="remove"
      onClick={() => {
        if (confirm(`Remove ${student.name} from the room?`))
          void removeStudent(secret, student.number);
      }}
    >
      Remove<span class="unseen"> {student.name}</span>
    </button>
  </li>
);
