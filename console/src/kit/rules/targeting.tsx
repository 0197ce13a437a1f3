import { useMemo } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { useMessages } from "../form.tsx";
import { AudienceField, NEW_AUDIENCE } from "./audience.tsx";
import { PageFields } from "./page.tsx";
import { audienceInWords, cleaned, type Names, pageInWords, type Targeting, targetingInWords } from "./words.ts";

type PageRule = Schemas["TargetedPage"];
type AudienceRule = Schemas["TargetedAudience"];

/** The pages and audiences of the shop, by which targeting may refer to them. */
export interface Library {
  pages: Schemas["Page"][];
  audiences: Schemas["Audience"][];
  names: Names;
}

const MOST = 100;

/** Read the pages and audiences of the shop. */
export function useLibrary(): Loaded<Library> {
  return useLoaded(async () => {
    const query = { limit: MOST, sort: "name" as const };
    const [pages, audiences] = await Promise.all([
      data(api.GET("/pages", { params: { query } })),
      data(api.GET("/audiences", { params: { query } })),
    ]);
    const names: Names = new Map([...pages.data, ...audiences.data].map(({ id, name }) => [id, name]));
    return { pages: pages.data, audiences: audiences.data, names };
  }, []);
}

/** Where and to whom, in two lines. */
export function TargetingWords({ value, library }: { value: Targeting | null; library: Library | null }) {
  const { where, whom } = targetingInWords(value, library?.names ?? new Map());
  return (
    <dl class="facts">
      <dt>Where</dt>
      <dd>{where}</dd>
      <dt>To whom</dt>
      <dd>{whom}</dd>
    </dl>
  );
}

interface Props {
  path: string;
  value: Targeting | null;
  onChange: (value: Targeting) => void;
  library: Library;
}

/** Where and to whom something is delivered. Fields that it does not show stay as they are. Send `cleanedTargeting(value)`. */
export function TargetingField({ path, value, onChange, library }: Props) {
  const targeting = value ?? {};
  const pages = targeting.pageRules ?? [];
  const audiences = targeting.segmentRules ?? [];
  const messages = useMessages(path);
  const newId = () => crypto.randomUUID();
  return (
    <>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      <Side
        title="Where"
        none="On every page."
        path={`${path}.pageRules`}
        rules={pages}
        mode={targeting.pageMatchMode}
        onMode={(pageMatchMode) => onChange({ ...targeting, pageMatchMode })}
        onRules={(pageRules) => onChange({ ...targeting, pageRules })}
        named={library.pages}
        nameOf="pageId"
        thing="page"
        own="Add addresses"
        onOwn={() => onChange({ ...targeting, pageRules: [...pages, { id: newId(), ...NEW_PAGE }] })}
        onNamed={(pageId) => onChange({ ...targeting, pageRules: [...pages, { id: newId(), pageId }] })}
      >
        {(rule: PageRule, at, change) => (
          <PageFields path={at} value={rule} onChange={(next) => change({ ...rule, ...next } as PageRule)} />
        )}
      </Side>
      <Side
        title="To whom"
        none="To everyone."
        path={`${path}.segmentRules`}
        rules={audiences}
        mode={targeting.segmentMatchMode}
        onMode={(segmentMatchMode) => onChange({ ...targeting, segmentMatchMode })}
        onRules={(segmentRules) => onChange({ ...targeting, segmentRules })}
        named={library.audiences}
        nameOf="audienceId"
        thing="audience"
        own="Add conditions"
        onOwn={() => onChange({ ...targeting, segmentRules: [...audiences, { id: newId(), rules: NEW_AUDIENCE }] })}
        onNamed={(audienceId) => onChange({ ...targeting, segmentRules: [...audiences, { id: newId(), audienceId }] })}
      >
        {(rule: AudienceRule, at, change) => (
          <AudienceField
            path={`${at}.rules`}
            value={rule.rules ?? NEW_AUDIENCE}
            onChange={(rules) => change({ ...rule, rules })}
          />
        )}
      </Side>
    </>
  );
}

const NEW_PAGE: Omit<PageRule, "id"> = { includeRules: [{ type: "simple", pattern: "" }], excludeRules: [] };

/** Return targeting as the API takes it: without empty lists, and without triggers that say nothing. */
export function cleanedTargeting(targeting: Targeting | null): Targeting | null {
  if (!targeting) return null;
  const pageRules = targeting.pageRules?.map(({ trigger, advancedCondition, ...rule }) => ({
    ...rule,
    ...(trigger && { trigger }),
    ...(advancedCondition && { advancedCondition }),
  }));
  const segmentRules = targeting.segmentRules?.map((rule) =>
    rule.rules ? { ...rule, rules: cleaned(rule.rules) } : rule,
  );
  return { ...targeting, ...(pageRules && { pageRules }), ...(segmentRules && { segmentRules }) };
}

interface Rule {
  id: string;
  name?: string;
  include?: boolean;
  disabled?: boolean;
  pageId?: string;
  audienceId?: string;
}

interface SideProps<T extends Rule> {
  title: string;
  none: string;
  path: string;
  rules: T[];
  mode: "any" | "all" | undefined;
  onMode: (mode: "any" | "all") => void;
  onRules: (rules: T[]) => void;
  named: readonly { id: string; name: string }[];
  nameOf: "pageId" | "audienceId";
  thing: "page" | "audience";
  own: string;
  onOwn: () => void;
  onNamed: (id: string) => void;
  children: (rule: T, path: string, change: (rule: T) => void) => preact.ComponentChildren;
}

function Side<T extends Rule>({ title, rules, path, named, nameOf, thing, children, onRules, ...side }: SideProps<T>) {
  const known = useMemo(() => new Map(named.map(({ id, name }) => [id, name])), [named]);
  const messages = useMessages(path);
  return (
    <fieldset class="side">
      <legend>{title}</legend>
      {rules.length === 0 && <p class="soft">{side.none}</p>}
      {rules.length > 1 && (
        <select
          class="mode"
          aria-label={`How the rules of "${title}" combine`}
          value={side.mode ?? "any"}
          onChange={(event) => side.onMode(event.currentTarget.value === "all" ? "all" : "any")}
        >
          <option value="any">At least one of these</option>
          <option value="all">All of these</option>
        </select>
      )}
      {rules.map((rule, index) => (
        <RuleBox
          key={rule.id}
          rule={rule}
          title={
            (rule[nameOf] && known.get(rule[nameOf])) || rule.name || (rule[nameOf] ? `A ${thing} that is gone` : "")
          }
          address={rule[nameOf] && at(thing === "page" ? "/pages" : "/audiences", rule[nameOf])}
          path={`${path}[${index}]`}
          nameOf={nameOf}
          onChange={(next) => onRules(rules.with(index, next as T))}
          onRemove={() => onRules(rules.toSpliced(index, 1))}
        >
          {!rule[nameOf] && children(rule, `${path}[${index}]`, (next) => onRules(rules.with(index, next)))}
        </RuleBox>
      ))}
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      <p class="tools">
        {named.length > 0 && (
          <select
            aria-label={`Add a saved ${thing}`}
            value=""
            onChange={(event) => side.onNamed(event.currentTarget.value)}
          >
            <option value="" disabled>
              Add a saved {thing} …
            </option>
            {named.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        <button type="button" onClick={side.onOwn}>
          {side.own}
        </button>
      </p>
    </fieldset>
  );
}

interface RuleBoxProps {
  rule: Rule;
  title: string;
  address: string | undefined;
  path: string;
  nameOf: "pageId" | "audienceId";
  onChange: (rule: Rule) => void;
  onRemove: () => void;
  children: preact.ComponentChildren;
}

function RuleBox({ rule, title, address, path, nameOf, onChange, onRemove, children }: RuleBoxProps) {
  const messages = [...useMessages(path), ...useMessages(`${path}.${nameOf}`), ...useMessages(`${path}.id`)];
  return (
    <div class="card rule-box">
      <div class="group-head">
        <select
          aria-label="Included or excluded"
          value={rule.include === false ? "out" : "in"}
          onChange={(event) => onChange({ ...rule, include: event.currentTarget.value === "in" })}
        >
          <option value="in">Include</option>
          <option value="out">Exclude</option>
        </select>
        {title && <strong>{address ? <a href={address}>{title}</a> : title}</strong>}
        <span class="spring" />
        <label class="switch">
          <input
            type="checkbox"
            checked={!rule.disabled}
            onChange={(event) => onChange({ ...rule, disabled: !event.currentTarget.checked })}
          />{" "}
          in use
        </label>
        <button type="button" class="quiet" onClick={onRemove}>
          Remove
        </button>
      </div>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      {children}
    </div>
  );
}

export { audienceInWords, pageInWords };
