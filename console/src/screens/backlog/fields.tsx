import { SelectField } from "../../kit/choices.tsx";
import { LinesField, TextField } from "../../kit/form.tsx";
import { type Idea, STAGES, type Stage } from "./ideas.ts";

export type TypedIdea = Pick<
  Idea,
  "title" | "hypothesis" | "evidence" | "stage" | "impact" | "confidence" | "ease" | "tags"
>;

type Set = <K extends keyof TypedIdea>(name: K) => (value: TypedIdea[K]) => void;

const SCORES = [
  { value: "", label: "–" },
  ...Array.from({ length: 10 }, (_, index) => ({ value: String(index + 1), label: String(index + 1) })),
];

const PARTS = [
  { name: "impact", label: "Impact: how much would it change?" },
  { name: "confidence", label: "Confidence: how sure are you?" },
  { name: "ease", label: "Ease: how little work is it?" },
] as const;

/** The fields of an idea. */
export function IdeaFields({ value, set }: { value: TypedIdea; set: Set }) {
  const score =
    value.impact && value.confidence && value.ease ? (value.impact * value.confidence * value.ease) / 10 : null;
  return (
    <>
      <TextField path="title" label="Title" required value={value.title} onChange={set("title")} />
      <TextField
        path="hypothesis"
        label="Hypothesis"
        rows={3}
        hint="Because …, we expect that …, seen in …"
        value={value.hypothesis ?? ""}
        onChange={(typed) => set("hypothesis")(typed || null)}
      />
      <TextField
        path="evidence"
        label="What speaks for it"
        rows={3}
        value={value.evidence ?? ""}
        onChange={(typed) => set("evidence")(typed || null)}
      />
      {PARTS.map(({ name, label }) => (
        <SelectField
          key={name}
          path={name}
          label={label}
          value={value[name] === null ? "" : String(value[name])}
          options={SCORES}
          onChange={(typed) => set(name)(typed ? Number(typed) : null)}
        />
      ))}
      <p class="soft">{score === null ? "The score needs all three." : `Score ${score.toFixed(1)} of 100`}</p>
      <SelectField
        path="stage"
        label="Stage"
        required
        value={value.stage}
        options={STAGES}
        onChange={(typed) => set("stage")(typed as Stage)}
      />
      <LinesField path="tags" label="Tags, one a line" rows={2} value={value.tags} onChange={set("tags")} />
    </>
  );
}
