import { useEffect, useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form, TextField } from "../../kit/form.tsx";

type Verification = Schemas["InstallVerification"];

const TAGS: Record<string, string> = {
  bounded: "the tag that waits at most a second",
  synchronous: "the tag that waits without a limit",
  asynchronous: "the tag that never waits",
  inlined: "the snippet itself, as part of the page",
};

/** Check a page of the shop, and say what is wrong there. */
export function Check({ domain, onChecked }: { domain?: string; onChecked: () => Promise<void> }) {
  const doing = useDoing();
  const [url, setUrl] = useState("");
  const [result, setResult] = useState<Verification | null>(null);
  useEffect(() => {
    if (domain) setUrl((typed) => typed || `https://${domain}/`);
  }, [domain]);
  const check = async () => {
    setResult(null);
    const body = { url: url.trim() };
    setResult(await data(api.POST("/settings/install/verify", { body })));
    await onChecked();
  };
  return (
    <>
      <Form doing={doing} onSubmit={check} submit="Check this page">
        <TextField
          path="url"
          label="Address of a page"
          type="url"
          value={url}
          onChange={setUrl}
          maxLength={2048}
          hint={
            <>
              Of one of the <a href={at("/settings/domains")}>shop's hosts</a>.
            </>
          }
          required
        />
      </Form>
      {result && <Result of={result} />}
    </>
  );
}

function Result({ of }: { of: Verification }) {
  const tag = of.tag ? TAGS[of.tag] : null;
  if (of.found && !of.errors.length) {
    return (
      <p class="note good" role="status">
        It works. The page has {tag ?? "the snippet"}
        {of.surface === "checkout" && ", and is a checkout page"}.
      </p>
    );
  }
  return (
    <div class={of.found ? "note warn" : "note bad"} role="alert">
      <p>{of.found ? `The page has ${tag ?? "the snippet"}, but:` : "The page does not run the snippet:"}</p>
      <ul class="rows bullets">
        {of.errors.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
    </div>
  );
}
