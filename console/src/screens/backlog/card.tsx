import { useEffect, useRef } from "preact/hooks";
import { at } from "../../address.ts";
import { type Idea, STAGES, type Stage } from "./ideas.ts";

interface Props {
  idea: Idea;
  isFirst: boolean;
  isLast: boolean;
  canWrite: boolean;
  onDrag: (id: string | null) => void;
  onStage: (stage: Stage) => void;
  onStep: ((by: -1 | 1) => void) | undefined;
}

/** The button that keeps the focus: a card that moves loses it. */
let focused: string | null = null;

/** One idea on the board. Its stage and place change by dragging, or with the controls on it. */
export function Card({ idea, isFirst, isLast, canWrite, onDrag, onStage, onStep }: Props) {
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!focused) return;
    const control = card.current?.querySelector<HTMLElement>(`[data-control="${focused}"]`);
    if (control) {
      control.focus();
      focused = null;
    }
  });
  const step = (by: -1 | 1, name: string) => {
    focused = `${idea.id}-${name}`;
    onStep?.(by);
  };
  return (
    <li class="idea" ref={card} draggable={canWrite} onDragStart={() => onDrag(idea.id)} onDragEnd={() => onDrag(null)}>
      <a href={at("/backlog", idea.id)}>{idea.title}</a>
      <p class="soft">
        {idea.key} · {idea.score === null ? "no score" : `score ${idea.score.toFixed(1)}`}
        {idea.tags.length > 0 && ` · ${idea.tags.join(", ")}`}
      </p>
      {canWrite && (
        <div class="line">
          <select
            class="auto"
            aria-label={`Stage of ${idea.title}`}
            data-control={`${idea.id}-stage`}
            value={idea.stage}
            onChange={(event) => {
              focused = `${idea.id}-stage`;
              onStage(event.currentTarget.value as Stage);
            }}
          >
            {STAGES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          {onStep && (
            <span class="movers">
              <button
                type="button"
                class="quiet"
                data-control={`${idea.id}-up`}
                aria-label={`Move ${idea.title} up`}
                aria-disabled={isFirst}
                onClick={() => !isFirst && step(-1, "up")}
              >
                ↑
              </button>
              <button
                type="button"
                class="quiet"
                data-control={`${idea.id}-down`}
                aria-label={`Move ${idea.title} down`}
                aria-disabled={isLast}
                onClick={() => !isLast && step(1, "down")}
              >
                ↓
              </button>
            </span>
          )}
        </div>
      )}
    </li>
  );
}
