import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { CheckField, ManyField, SelectField } from "../../kit/choices.tsx";
import { Form, LinesField } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";

const WINDOWS = {
  phone: { label: "Phone, 390 × 844", width: 390, height: 844, device_scale: 2 },
  tablet: { label: "Tablet, 820 × 1180", width: 820, height: 1180, device_scale: 2 },
  desktop: { label: "Desktop, 1280 × 800", width: 1280, height: 800, device_scale: 1 },
  wide: { label: "Wide desktop, 1920 × 1080", width: 1920, height: 1080, device_scale: 1 },
};
type WindowName = keyof typeof WINDOWS;

/** Order pictures of pages. */
export default function NewScreenshots() {
  const [urls, setUrls] = useState<string[]>([]);
  const [windows, setWindows] = useState<string[]>(["phone", "desktop"]);
  const [experiment, setExperiment] = useState("");
  const [isFull, setFull] = useState(true);
  const doing = useDoing();
  const { route } = useLocation();
  const query = { limit: 100, sort: "-updated_at" as const };
  const experiments = useLoaded(() => data(api.GET("/experiments", { params: { query } })), []);
  const order = async () => {
    const viewports = (windows as WindowName[]).map((name) => {
      const { label: _, ...size } = WINDOWS[name];
      return size;
    });
    const body = { urls, viewports, full_page: isFull, experiment_id: experiment || null };
    const job = await data(api.POST("/screenshots", { body }));
    saved({}, "The pictures are ordered");
    route(at("/screenshots", job.job_id));
  };
  return (
    <Page title="Take pictures" above={<a href={at("/screenshots")}>Screenshots</a>}>
      <Form doing={doing} submit="Take the pictures" onSubmit={order} isDirty={urls.length > 0}>
        <LinesField
          path="urls"
          label="Pages, one address a line"
          required
          placeholder="https://shop.example/products/lamp"
          value={urls}
          onChange={setUrls}
        />
        <ManyField
          path="viewports"
          label="Windows"
          value={windows}
          onChange={setWindows}
          options={Object.entries(WINDOWS).map(([value, { label }]) => ({ value, label }))}
        />
        <CheckField path="full_page" label="The whole page, not only its top" value={isFull} onChange={setFull} />
        <Shown of={experiments}>
          {({ data: known }) => (
            <SelectField
              path="experiment_id"
              label="In each variation of"
              value={experiment}
              onChange={setExperiment}
              options={[
                { value: "", label: "No experiment: the pages as they are" },
                ...known.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
        </Shown>
      </Form>
    </Page>
  );
}
