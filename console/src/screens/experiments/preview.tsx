import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Copied } from "../../kit/copy.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Time } from "../../kit/values.tsx";
import type { Experiment, Variation } from "./open.ts";

interface Shown {
  address: string;
  until: string;
}

const WAYS = {
  shop: "On the shop itself, with your basket and login",
  proxy: "Through our address, with a basket of its own",
};

/** Make an address that shows a variation, whatever the status of the experiment is. Nothing is counted there. */
export function PreviewDialog({ experiment, variation, onClose }: PreviewProps) {
  const [url, setUrl] = useState(experiment.store_url ?? "");
  const [way, setWay] = useState<keyof typeof WAYS>("shop");
  const [shown, setShown] = useState<Shown | null>(null);
  const doing = useDoing();
  const make = async () => setShown(await (way === "shop" ? onShop : throughProxy)(experiment, variation, url.trim()));
  return (
    <Dialog title={`Preview “${variation.name}”`} onClose={onClose}>
      <Form doing={doing} submit="Make a link" onSubmit={make}>
        <TextField path="url" label="Page" type="url" required value={url} onChange={setUrl} placeholder="https://" />
        <SelectField
          path="way"
          label="How"
          required
          value={way}
          onChange={(value) => setWay(value === "proxy" ? "proxy" : "shop")}
          options={Object.entries(WAYS).map(([value, label]) => ({ value, label }))}
        />
      </Form>
      {shown && (
        <>
          <Copied text={shown.address} />
          <p>
            <a href={shown.address} target="_blank" rel="noreferrer">
              Open the preview
            </a>{" "}
            <span class="soft">
              Who has the link sees it until <Time at={shown.until} />.
            </span>
          </p>
        </>
      )}
    </Dialog>
  );
}

interface PreviewProps {
  experiment: Experiment;
  variation: Variation;
  onClose: () => void;
}

/** Make a link to the shop's own page with the variation on it. */
export async function onShop({ id }: Experiment, variation: Variation, url: string): Promise<Shown> {
  const params = { path: { experiment_id: id, variation_id: variation.id } };
  const link: Schemas["PreviewLink"] = await data(
    api.POST("/experiments/{experiment_id}/variations/{variation_id}/preview-link", { params, body: { url } }),
  );
  return { address: link.url, until: link.expires_at };
}

async function throughProxy({ id }: Experiment, variation: Variation, url: string): Promise<Shown> {
  const body = { url, experiment_id: id, variation_id: variation.id };
  const { preview_url, expires_at } = await data(api.POST("/previews", { body }));
  return { address: preview_url, until: expires_at };
}
