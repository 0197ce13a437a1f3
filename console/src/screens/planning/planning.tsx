import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { count } from "../../kit/values.tsx";
import { EffectPlot } from "../../plots/effect.tsx";
import { may } from "../../session/session.ts";
import { type Assumptions, assumptionsIn, bodyOf, ENGINES, type Engine, isComplete, queryOf } from "./assumptions.ts";

type Size = Schemas["SampleSize"];
type Sizes = Record<Engine, Size>;

/** How many visitors and days a test needs before it can find a change. */
export default function Planning() {
  const { query, url, route } = useLocation();
  const given = assumptionsIn(query);
  const measured = useLoaded(readTraffic, []);
  return (
    <Page
      title="Planning"
      lead="How long a test has to run before it can find a change of the size that matters to you. Nothing is saved here: an experiment gets its plan on its own page."
    >
      <Shown of={measured}>
        {(traffic) => (
          <Calculator
            start={{ ...given, rate: given.rate ?? traffic.rate, daily: given.daily ?? traffic.daily }}
            onChange={(next) => route(withQuery(url, queryOf(next)), true)}
          />
        )}
      </Shown>
    </Page>
  );
}

interface Traffic {
  rate: number | null;
  daily: number | null;
}

/** Return conversion rate in percent and visitors a day of the last four weeks; nulls where nothing was measured. */
async function readTraffic(): Promise<Traffic> {
  const { data: days } = await data(api.GET("/analytics/stats"));
  const seen = days.filter(({ visitors }) => visitors > 0);
  const visitors = seen.reduce((sum, day) => sum + day.visitors, 0);
  const conversions = seen.reduce((sum, day) => sum + day.conversions, 0);
  if (!visitors) return { rate: null, daily: null };
  const rate = (100 * conversions) / visitors;
  return {
    rate: rate > 0 && rate < 100 ? Number(rate.toPrecision(3)) : null,
    daily: Math.round(visitors / seen.length),
  };
}

function Calculator({ start, onChange }: { start: Assumptions; onChange: (next: Assumptions) => void }) {
  const [assumed, setAssumed] = useState(start);
  const [sizes, setSizes] = useState<Sizes | null>(null);
  const doing = useDoing();
  const set = (values: Partial<Assumptions>) => setAssumed((before) => ({ ...before, ...values }));
  const compute = async () => {
    onChange(assumed);
    setSizes(await readSizes(assumed));
  };
  useEffect(() => {
    if (isComplete(assumed)) void doing.run(async () => setSizes(await readSizes(assumed)));
  }, []);
  return (
    <div class="calculator">
      <Form doing={doing} onSubmit={compute} submit="Compute">
        <SelectField
          path="measure"
          label="What decides"
          required
          value={assumed.measure}
          onChange={(measure) => set({ measure: measure === "mean" ? "mean" : "rate" })}
          options={[
            { value: "rate", label: "A conversion rate" },
            { value: "mean", label: "An amount a visitor, or a ratio" },
          ]}
        />
        {assumed.measure === "rate" ? (
          <NumberField
            path="baseline_rate"
            label="Conversion rate now"
            required
            unit="%"
            min={0}
            max={100}
            value={assumed.rate}
            onChange={(rate) => set({ rate })}
            hint="Of all visitors, how many do it. The first value is that of your orders in four weeks."
          />
        ) : (
          <>
            <NumberField
              path="mean"
              label="Mean a visitor"
              required
              value={assumed.mean}
              onChange={(mean) => set({ mean })}
              hint="Visitors who buy nothing count as zero."
            />
            <NumberField
              path="sd"
              label="Standard deviation"
              required
              value={assumed.sd}
              onChange={(sd) => set({ sd })}
              hint="The results of an earlier test have it, in the CSV of all numbers."
            />
          </>
        )}
        <NumberField
          path="mde"
          label="Smallest change that matters"
          required
          unit="%"
          value={assumed.change}
          onChange={(change) => set({ change })}
          hint="Relative: 10 % of a rate of 3 % is 0.3 points."
        />
        <NumberField
          path="daily_visitors"
          label="Visitors a day who would take part"
          value={assumed.daily}
          onChange={(daily) => set({ daily })}
        />
        <NumberField
          path="treatments"
          label="Variations besides the original"
          min={1}
          max={9}
          step={1}
          value={assumed.treatments}
          onChange={(treatments) => set({ treatments })}
        />
        <SelectField
          path="engine"
          label="When you want to decide"
          required
          value={assumed.engine}
          onChange={(engine) => set({ engine: engine as Engine })}
          options={Object.entries(ENGINES).map(([value, label]) => ({ value, label }))}
        />
        <details>
          <summary>Errors that you accept</summary>
          <NumberField
            path="power"
            label="Chance to find the change"
            unit="%"
            value={assumed.power}
            onChange={(power) => set({ power })}
            hint="The shop's default where empty."
          />
          <NumberField
            path="alpha"
            label="Chance of a false alarm"
            unit="%"
            value={assumed.alpha}
            onChange={(alpha) => set({ alpha })}
            hint="The shop's default where empty."
          />
        </details>
      </Form>
      <div class="calculated" aria-live="polite">
        {sizes ? (
          <Answer sizes={sizes} assumed={assumed} />
        ) : (
          <p class="soft">Fill in what you know, and compute: the sample and the days appear here.</p>
        )}
      </div>
    </div>
  );
}

async function readSizes(assumed: Assumptions): Promise<Sizes> {
  const engines = Object.keys(ENGINES) as Engine[];
  const read = await Promise.all(
    engines.map((engine) => data(api.POST("/sample-size", { body: bodyOf(assumed, engine) }))),
  );
  return Object.fromEntries(engines.map((engine, index) => [engine, read[index]])) as Sizes;
}

const COLUMNS: readonly Column<Size>[] = [
  { title: "Decide", isName: true, cell: ({ engine }) => ENGINES[engine] },
  { title: "Visitors", isNumber: true, cell: (size) => count(size.required_total_visitors) },
  { title: "A variation", isNumber: true, cell: (size) => count(size.required_sample_per_variant) },
  {
    title: "Days",
    isNumber: true,
    cell: (size) => count(size.estimated_days === null ? null : Math.ceil(size.estimated_days)),
  },
];

function Answer({ sizes, assumed }: { sizes: Sizes; assumed: Assumptions }) {
  const size = sizes[assumed.engine];
  return (
    <>
      <dl class="figures">
        <div>
          <dt>Visitors</dt>
          <dd>{count(size.required_total_visitors)}</dd>
          <dd class="soft">{count(size.required_sample_per_variant)} a variation</dd>
        </div>
        {size.recommended_days !== null && (
          <div>
            <dt>Run it for</dt>
            <dd>{count(size.recommended_days)} days</dd>
            <dd class="soft">whole weeks, as weekdays differ</dd>
          </div>
        )}
      </dl>
      {size.message && <p>{size.message}</p>}
      <Section title="What the moment of the decision costs">
        <Table
          caption="Sample by moment of the decision"
          columns={COLUMNS}
          rows={Object.values(sizes)}
          keyOf={({ engine }) => engine}
        />
      </Section>
      <Section title="If it runs shorter or longer">
        {size.detectable_effects.length > 1 ? (
          <EffectPlot effects={size.detectable_effects} planned={(assumed.change ?? 0) / 100 || null} />
        ) : (
          <p class="soft">Enter the visitors a day to see what tests of other lengths find.</p>
        )}
      </Section>
      {may("experiments:write") && (
        <p class="more">
          <a class="button" href={at("/experiments/new")}>
            New experiment
          </a>
        </p>
      )}
    </>
  );
}
