import { Section } from "../../kit/page.tsx";
import { Ago } from "../../kit/values.tsx";
import { ArmName } from "../../plots/arm.tsx";
import { armsIn } from "./parts.tsx";
import type { Report } from "./wording.ts";

type Picture = Report["pictures"][number];

/** What visitors see: the newest pictures of each variation, those of one page and window next to each other. */
export function Pictures({ report }: { report: Report }) {
  if (!report.pictures.length) return null;
  return (
    <Section title="What visitors see">
      {groupsOf(report.pictures).map((pictures) => (
        <Group key={keyOf(pictures[0])} report={report} pictures={pictures} />
      ))}
    </Section>
  );
}

function Group({ report, pictures }: { report: Report; pictures: readonly Picture[] }) {
  const [first] = pictures;
  const arms = armsIn(report);
  if (!first) return null;
  return (
    <>
      <p class="soft">
        {first.page_url}, {first.viewport.width} × {first.viewport.height}, taken <Ago at={first.taken_at} />
      </p>
      <ul class="seen-pictures">
        {pictures.map((picture) => {
          const arm = arms.find(({ id }) => id === picture.variation_id);
          const name = picture.variation_id ? (arm?.name ?? "a variation") : "the page without the experiment";
          return (
            <li key={picture.variation_id}>
              <p>{arm ? <ArmName arm={arm} /> : "Without the experiment"}</p>
              <a href={picture.url} target="_blank" rel="noreferrer">
                <img
                  src={picture.url}
                  alt={`The page as ${name}`}
                  width={picture.width}
                  height={picture.height}
                  loading="lazy"
                />
              </a>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Return pictures by page and window, in their order. */
export function groupsOf(pictures: readonly Picture[]): Picture[][] {
  const groups = new Map<string, Picture[]>();
  for (const picture of pictures) {
    const key = keyOf(picture);
    groups.set(key, [...(groups.get(key) ?? []), picture]);
  }
  return [...groups.values()];
}

function keyOf(picture: Picture | undefined): string {
  return picture ? `${picture.page_url} ${picture.viewport.width} ${picture.viewport.height}` : "";
}
