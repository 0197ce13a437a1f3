import type { ComponentChildren } from "preact";

/** A variation in pictures: a mark stands next to its colour, so that nobody needs the colour. */
export interface Arm {
  id: string;
  name: string;
  mark: string;
  colour: number;
  isControl: boolean;
}

const COLOURS = 10;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

interface Named {
  id: string;
  name: string;
  is_control: boolean;
}

/** Return the arms in the order of the report: the control first. */
export function armsOf(variations: readonly Named[]): Arm[] {
  const marks = marksOf(variations.map(({ name }) => name));
  return variations.map(({ id, name, is_control }, index) => ({
    id,
    name,
    mark: marks[index] ?? "",
    colour: index % COLOURS,
    isControl: is_control,
  }));
}

/** Return a letter for each name; numbers where a letter would contradict a name, such as B for "Variant C". */
export function marksOf(names: readonly string[]): string[] {
  const agree = names.every((name, index) => {
    const end = name.match(/(?:^|[\s_-])([A-Za-z])$/)?.[1];
    return end === undefined || end.toUpperCase() === LETTERS[index];
  });
  return names.map((_, index) => (agree && names.length <= LETTERS.length ? LETTERS.charAt(index) : `${index + 1}`));
}

/** The mark of a variation in its colour. */
export function Chip({ arm }: { arm: Pick<Arm, "mark" | "colour"> }) {
  return (
    <span class={`chip c${arm.colour}`} aria-hidden="true">
      {arm.mark}
    </span>
  );
}

/** Mark and name of a variation; only the name where it was removed. */
export function ArmName({ arm, children }: { arm: Arm | undefined; children?: ComponentChildren }) {
  return (
    <span class="arm">
      {arm && <Chip arm={arm} />} <bdi>{arm?.name ?? children}</bdi>
    </span>
  );
}
